// SPDX-License-Identifier: GPL-2.0
/* Keys: each has one number in any order of arrival, up to the capacity. */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "../../kmod/stats/keys.c"

#define SPACE	256U
#define BYTES	64U

static struct gp_keys *keys;

static void make_keys(struct kunit *test, u32 n, u32 bytes)
{
	gp_keys_free(keys);
	keys = gp_keys_new(n, bytes);
	KUNIT_ASSERT_NOT_NULL(test, keys);
}

static int keys_init(struct kunit *test)
{
	keys = gp_keys_new(SPACE, BYTES);
	return keys ? 0 : -ENOMEM;
}

static void keys_exit(struct kunit *test)
{
	gp_keys_free(keys);
	keys = NULL;
}

/* The number of the key that has these words. */
static u32 find(u32 id, u32 n, u64 first, u64 second)
{
	const struct gp_key key = { .n = n, .space = 2, .word = { first, second } };

	return gp_keys_find(keys, id, &key);
}

static u32 nkeys(void)
{
	struct goprobe_key_stats head;
	u64 *bucket = kmalloc_array(GOPROBE_BUCKETS, sizeof(*bucket), GFP_KERNEL);
	u32 i, n = 0;

	for (i = 1; bucket && i <= gp_keys_number(keys); i++)
		n += !!gp_keys_read(keys, i, &head, bucket);
	kfree(bucket);
	return n;
}

static void a_key_is_added_once(struct kunit *test)
{
	u32 number = find(1, 2, 7, 8);

	KUNIT_EXPECT_NE(test, number, 0U);
	KUNIT_EXPECT_LE(test, number, gp_keys_number(keys));
	KUNIT_EXPECT_EQ(test, find(1, 2, 7, 8), number);
	KUNIT_EXPECT_EQ(test, find(1, 2, 7, 8), number);
	KUNIT_EXPECT_EQ(test, nkeys(), 1U);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&keys->left), SPACE - 1);
}

static void what_differs_is_another_key(struct kunit *test)
{
	static const struct { u32 id, n; u64 word[2]; } all[] = {
		{ 1, 2, { 7, 8 } }, { 2, 2, { 7, 8 } }, { 1, 2, { 8, 7 } }, { 1, 2, { 7, 9 } },
		{ 1, 1, { 7 } }, { 1, 2, { 7, 0 } }, { 1, 2, { 0, 7 } }, { 1, 0 }, { 2, 0 },
		{ 1, 1, { 0 } }, { 1, 2, { 0, 0 } }, { 0, 0 }, { 0, 1, { 0 } }, { 0, 2, { 0, 0 } },
		{ U32_MAX, 2, { U64_MAX, U64_MAX } },
	};
	u32 number[ARRAY_SIZE(all)], i, k;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		number[i] = find(all[i].id, all[i].n, all[i].word[0], all[i].word[1]);
		KUNIT_EXPECT_NE(test, number[i], 0U);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_NE_MSG(test, number[i], number[k], "%u and %u", i, k);
	}
	for (i = 0; i < ARRAY_SIZE(all); i++)
		KUNIT_EXPECT_EQ(test, number[i], find(all[i].id, all[i].n, all[i].word[0],
						      all[i].word[1]));
	KUNIT_EXPECT_EQ(test, nkeys(), (u32)ARRAY_SIZE(all));
}

static void keys_of_one_hash_are_compared(struct kunit *test)
{
	u32 number = find(1, 2, 7, 8);

	gp_keys_at(keys, number - 1)->word[1] = 9;
	KUNIT_EXPECT_NE(test, find(1, 2, 7, 8), number);
	gp_keys_at(keys, number - 1)->word[1] = 8;
	KUNIT_EXPECT_EQ(test, find(1, 2, 7, 8), number);
	gp_keys_at(keys, number - 1)->id = 2;
	KUNIT_EXPECT_NE(test, find(1, 2, 7, 8), number);
	gp_keys_at(keys, number - 1)->id = 1;
	gp_keys_at(keys, number - 1)->n = 1;
	KUNIT_EXPECT_NE(test, find(1, 2, 7, 8), number);
}

static void a_key_may_be_as_long_as_asked_for(struct kunit *test)
{
	static struct gp_key key;
	struct goprobe_key_stats head;
	static u64 bucket[GOPROBE_BUCKETS];
	u32 first, second, i;

	make_keys(test, 2, GP_KEY_BYTES_MAX);
	KUNIT_EXPECT_EQ(test, gp_keys_words(keys), (u32)GP_KEY_WORDS);
	key.n = GP_KEY_WORDS;
	for (i = 0; i < GP_KEY_WORDS; i++)
		key.word[i] = i * 77;
	first = gp_keys_find(keys, 1, &key);
	key.word[GP_KEY_WORDS - 1]++;
	second = gp_keys_find(keys, 1, &key);
	KUNIT_ASSERT_NE(test, first, 0U);
	KUNIT_ASSERT_NE(test, second, 0U);
	KUNIT_EXPECT_NE(test, first, second);
	KUNIT_EXPECT_EQ(test, memcmp(gp_keys_read(keys, second, &head, bucket), key.word,
				     GP_KEY_BYTES_MAX), 0);
	KUNIT_EXPECT_EQ(test, head.key_bytes, GP_KEY_BYTES_MAX);
	make_keys(test, 2, 9);
	KUNIT_EXPECT_EQ(test, gp_keys_words(keys), 2U);
}

static void the_requested_number_fits(struct kunit *test)
{
	static const u32 spaces[] = { 1, 2, 3, 64, 1000, 1024, 5000 };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(spaces); i++) {
		make_keys(test, spaces[i], 16);
		for (k = 0; k < spaces[i]; k++)
			KUNIT_ASSERT_NE(test, find(1, 2, k, 0), 0U);
		KUNIT_EXPECT_EQ(test, find(1, 2, k, 0), 0U);
		KUNIT_EXPECT_EQ(test, find(2, 2, 0, 0), 0U);
		for (k = 0; k < spaces[i]; k++)
			KUNIT_ASSERT_NE(test, find(1, 2, k, 0), 0U);
		KUNIT_EXPECT_EQ(test, nkeys(), spaces[i]);
		KUNIT_EXPECT_EQ(test, atomic_read(&keys->left), 0);
	}
}

/* The place where a key is looked for first. */
static u32 home_of(u64 word)
{
	const struct gp_key key = { .n = 1, .word = { word } };

	return gp_keys_hash(1, &key) >> keys->shift;
}

/* Another key's. */
static void take_places(u32 from, u32 n)
{
	while (n--)
		gp_keys_at(keys, from++)->state = 0x77;
}

/* New keys do not write to a cache line that all hits read. */
static void new_keys_write_a_line_of_their_own(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (unsigned long)&keys->left % SMP_CACHE_BYTES, 0UL);
	KUNIT_EXPECT_GE(test, offsetof(struct gp_keys, left),
			offsetofend(struct gp_keys, states));
	KUNIT_EXPECT_GE(test, sizeof(*keys), offsetof(struct gp_keys, left) + SMP_CACHE_BYTES);
}

static void a_place_is_looked_for_64_steps_far(struct kunit *test)
{
	u32 home = home_of(5);

	take_places(home, GP_KEYS_STEPS - 1);
	KUNIT_EXPECT_EQ(test, find(1, 1, 5, 0), home + GP_KEYS_STEPS);
	KUNIT_EXPECT_EQ(test, find(1, 1, 5, 0), home + GP_KEYS_STEPS);

	make_keys(test, SPACE, BYTES);
	take_places(home, GP_KEYS_STEPS);
	KUNIT_EXPECT_EQ(test, find(1, 1, 5, 0), 0U);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&keys->left), SPACE);
}

static void the_last_place_has_as_many_behind_it(struct kunit *test)
{
	u32 last = gp_keys_number(keys) - GP_KEYS_STEPS - 1;
	u64 word = 0;

	while (home_of(word) != last)
		word++;
	take_places(last, GP_KEYS_STEPS - 1);
	KUNIT_EXPECT_EQ(test, find(1, 1, word, 0), gp_keys_number(keys) - 1);
	take_places(last, GP_KEYS_STEPS);
	KUNIT_EXPECT_EQ(test, find(1, 1, word, 0), 0U);
}

/* ---- what is read ---- */

static struct goprobe_key_stats head;
static u64 buckets[GOPROBE_BUCKETS];

static void an_empty_place_has_no_key(struct kunit *test)
{
	u32 number = find(1, 1, 7, 0), i;

	for (i = 1; i <= gp_keys_number(keys); i++)
		KUNIT_EXPECT_EQ(test, !!gp_keys_read(keys, i, &head, buckets), i == number);
}

static void hits_are_counted_by_key(struct kunit *test)
{
	u32 a = find(4, 2, 7, 8), b = find(4, 1, 7, 0), i;
	const u64 *word;

	for (i = 0; i < 5; i++)
		gp_keys_hit(keys, a);
	gp_keys_hit(keys, b);
	memset(&head, 0xff, sizeof(head));
	word = gp_keys_read(keys, a, &head, buckets);
	KUNIT_ASSERT_NOT_NULL(test, word);
	KUNIT_EXPECT_EQ(test, word[0], 7ULL);
	KUNIT_EXPECT_EQ(test, word[1], 8ULL);
	KUNIT_EXPECT_EQ(test, head.key_bytes, 16U);
	KUNIT_EXPECT_EQ(test, head.tally.id, 4U);
	KUNIT_EXPECT_EQ(test, head.tally.hits, 5ULL);
	KUNIT_EXPECT_EQ(test, head.tally.calls, 0ULL);
	KUNIT_EXPECT_EQ(test, (u32)head.tally.nbuckets, 0U);
	KUNIT_EXPECT_EQ(test, head.pad, 0U);
	KUNIT_ASSERT_NOT_NULL(test, gp_keys_read(keys, b, &head, buckets));
	KUNIT_EXPECT_EQ(test, head.tally.hits, 1ULL);
	KUNIT_EXPECT_EQ(test, head.key_bytes, 8U);
}

static void calls_are_timed_by_key(struct kunit *test)
{
	static const u64 ns[] = { 300, 100, 700, 100 };
	u32 a = find(4, 1, 7, 0), b = find(4, 1, 8, 0), i;

	KUNIT_ASSERT_EQ(test, gp_keys_add_times(keys, 0), 0);
	for (i = 0; i < ARRAY_SIZE(ns); i++)
		gp_keys_value(keys, a, gp_tally_unsigned(ns[i]));
	/* Keys that exist stay. */
	KUNIT_ASSERT_EQ(test, gp_keys_add_times(keys, 0), 0);
	KUNIT_ASSERT_NOT_NULL(test, gp_keys_read(keys, a, &head, buckets));
	KUNIT_EXPECT_EQ(test, head.tally.calls, 4ULL);
	KUNIT_EXPECT_EQ(test, head.tally.sum, 1200ULL);
	KUNIT_EXPECT_EQ(test, head.tally.min, 100ULL);
	KUNIT_EXPECT_EQ(test, head.tally.max, 700ULL);
	KUNIT_EXPECT_EQ(test, (u32)head.tally.first, gp_tally_bucket(100));
	KUNIT_EXPECT_EQ(test, head.tally.first + head.tally.nbuckets - 1U, gp_tally_bucket(700));
	KUNIT_EXPECT_EQ(test, buckets[gp_tally_bucket(100)], 2ULL);
	KUNIT_EXPECT_EQ(test, buckets[gp_tally_bucket(300)], 1ULL);
	KUNIT_EXPECT_EQ(test, buckets[gp_tally_bucket(700)], 1ULL);
	/* None has ended with that one. */
	KUNIT_ASSERT_NOT_NULL(test, gp_keys_read(keys, b, &head, buckets));
	KUNIT_EXPECT_EQ(test, head.tally.calls, 0ULL);
	KUNIT_EXPECT_EQ(test, head.tally.sum, 0ULL);
	KUNIT_EXPECT_EQ(test, head.tally.min, U64_MAX);
	KUNIT_EXPECT_EQ(test, head.tally.max, 0ULL);
	KUNIT_EXPECT_EQ(test, (u32)head.tally.nbuckets, 0U);
}

static void the_shortest_and_the_longest_call_have_their_buckets(struct kunit *test)
{
	u32 number = find(4, 1, 7, 0);

	KUNIT_ASSERT_EQ(test, gp_keys_add_times(keys, 0), 0);
	gp_keys_value(keys, number, gp_tally_unsigned(0));
	KUNIT_ASSERT_NOT_NULL(test, gp_keys_read(keys, number, &head, buckets));
	KUNIT_EXPECT_EQ(test, head.tally.min, 0ULL);
	KUNIT_EXPECT_EQ(test, head.tally.max, 0ULL);
	KUNIT_EXPECT_EQ(test, (u32)head.tally.nbuckets, 1U);
	gp_keys_value(keys, number, gp_tally_unsigned(U64_MAX));
	KUNIT_ASSERT_NOT_NULL(test, gp_keys_read(keys, number, &head, buckets));
	KUNIT_EXPECT_EQ(test, head.tally.min, 0ULL);
	KUNIT_EXPECT_EQ(test, head.tally.max, U64_MAX);
	KUNIT_EXPECT_EQ(test, head.tally.calls, 2ULL);
	KUNIT_EXPECT_EQ(test, (u32)head.tally.nbuckets, (u32)GOPROBE_BUCKETS);
}

static void values_have_signs(struct kunit *test)
{
	u32 number = find(4, 1, 7, 0);

	KUNIT_ASSERT_EQ(test, gp_keys_add_times(keys, 0), 0);
	gp_keys_value(keys, number, gp_tally_signed(-3));
	gp_keys_value(keys, number, gp_tally_signed(S64_MIN));
	gp_keys_value(keys, number, gp_tally_signed(2));
	KUNIT_ASSERT_NOT_NULL(test, gp_keys_read(keys, number, &head, buckets));
	KUNIT_EXPECT_EQ(test, head.tally.hits, 0ULL);
	KUNIT_EXPECT_EQ(test, head.tally.calls, 3ULL);
	KUNIT_EXPECT_EQ(test, head.tally.sum, (u64)S64_MIN - 1);
	KUNIT_EXPECT_EQ(test, head.tally.min, 0ULL);
	KUNIT_EXPECT_EQ(test, head.tally.max, BIT_ULL(63) + 2);
	KUNIT_EXPECT_EQ(test, buckets[0], 1ULL);
	KUNIT_EXPECT_EQ(test, buckets[123], 1ULL);
	KUNIT_EXPECT_EQ(test, buckets[128], 1ULL);
}

/* Others' are shared. All are exact. */
static void the_first_keys_of_a_cpu_have_numbers_of_its_own(struct kunit *test)
{
	u32 number[3 * GP_KEYS_OWN], shared = 0, i, k;
	u64 hits;

	KUNIT_ASSERT_EQ(test, gp_keys_add_times(keys, 0), 0);
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	for (i = 0; i < ARRAY_SIZE(number); i++) {
		number[i] = find(1, 1, i, 0);
		for (k = 0; k <= i; k++) {
			gp_keys_hit(keys, number[i]);
			gp_keys_value(keys, number[i], gp_tally_unsigned(100 + k));
		}
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	for (i = 0; i < ARRAY_SIZE(number); i++) {
		KUNIT_ASSERT_NOT_NULL(test, gp_keys_read(keys, number[i], &head, buckets));
		KUNIT_EXPECT_EQ(test, head.tally.hits, 1ULL + i);
		KUNIT_EXPECT_EQ(test, head.tally.calls, 1ULL + i);
		KUNIT_EXPECT_EQ(test, head.tally.sum, (1ULL + i) * 100 + i * (i + 1) / 2);
		KUNIT_EXPECT_EQ(test, head.tally.min, 100ULL);
		KUNIT_EXPECT_EQ(test, head.tally.max, 100ULL + i);
		hits = atomic64_read(&gp_keys_at(keys, number[i] - 1)->hits);
		KUNIT_EXPECT_TRUE(test, !hits || hits == 1 + i);
		shared += !!hits;
	}
	KUNIT_EXPECT_LE(test, shared, (u32)ARRAY_SIZE(number) - GP_KEYS_OWN_STEPS);
	KUNIT_EXPECT_GE(test, shared, (u32)ARRAY_SIZE(number) - GP_KEYS_OWN);
}

/* CPUs do not write to each other's lines. */
static void own_numbers_have_lines_of_their_own(struct kunit *test)
{
	int cpu;

	for_each_possible_cpu(cpu)
		KUNIT_EXPECT_EQ(test, (unsigned long)per_cpu_ptr(keys->own, cpu) % SMP_CACHE_BYTES,
				0UL);
	KUNIT_EXPECT_EQ(test, sizeof(struct gp_keys_own) % SMP_CACHE_BYTES, 0UL);
}

/* ---- several threads ---- */

#define THREADS	6
#define SHARED	300U	/* keys that all of them have */
#define OWN	100U	/* keys that each has besides */
#define PASSES	4U	/* of each thread over its keys */
#define SECONDS	(3 * HZ)	/* how long a case goes on, on any machine; a round at least */

static u32 numbers[THREADS][SHARED + OWN];
static atomic_t ready, running, wrong;

static u32 number_of(u32 thread, u32 n)
{
	return n < SHARED ? find(1, 2, n, 5) : find(2 + thread, 1, n, 0);
}

/* The first time all come at once, in different orders; then what has been found stays so. */
static int add_and_hit(void *arg)
{
	u32 thread = (long)arg, i, round, n;

	set_cpus_allowed_ptr(current, cpumask_of(thread % num_online_cpus()));
	atomic_inc(&ready);
	while (atomic_read(&ready) % THREADS)
		cond_resched();
	for (round = 0; round < PASSES; round++)
		for (i = 0; i < SHARED + OWN; i++) {
			n = thread % 2 ? SHARED + OWN - 1 - i : i;
			if (!round)
				numbers[thread][n] = number_of(thread, n);
			else if (number_of(thread, n) != numbers[thread][n])
				atomic_inc(&wrong);
			if (numbers[thread][n]) {
				gp_keys_hit(keys, numbers[thread][n]);
				gp_keys_value(keys, numbers[thread][n],
					      gp_tally_unsigned(1 + thread));
			}
		}
	atomic_dec(&running);
	return 0;
}

static void run_threads(struct kunit *test)
{
	long i;

	atomic_set(&ready, 0);
	atomic_set(&running, THREADS);
	for (i = 0; i < THREADS; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(add_and_hit, (void *)i, "keys/%ld",
							    i)));
	while (atomic_read(&running))
		schedule_timeout_uninterruptible(1);
}

static void expect_all_hits(struct kunit *test)
{
	u64 hits = 0, calls = 0;
	u32 i;

	for (i = 1; i <= gp_keys_number(keys); i++) {
		if (!gp_keys_read(keys, i, &head, buckets))
			continue;
		hits += head.tally.hits;
		calls += head.tally.calls;
		KUNIT_EXPECT_GE(test, head.tally.min, 1ULL);
		KUNIT_EXPECT_LE(test, head.tally.max, (u64)THREADS);
	}
	KUNIT_EXPECT_EQ(test, hits, (u64)THREADS * (SHARED + OWN) * PASSES);
	KUNIT_EXPECT_EQ(test, calls, hits);
}

/* The table is exactly large enough: a second arrival takes no place. */
static void a_key_has_one_number_in_any_order(struct kunit *test)
{
	unsigned long end = jiffies + SECONDS;
	u32 i, k;

	atomic_set(&wrong, 0);
	do {
		make_keys(test, SHARED + THREADS * OWN, 16);
		KUNIT_ASSERT_EQ(test, gp_keys_add_times(keys, 0), 0);
		run_threads(test);
		for (i = 0; i < THREADS; i++)
			for (k = 0; k < SHARED + OWN; k++)
				if (!numbers[i][k] ||
				    (k < SHARED && numbers[i][k] != numbers[0][k]))
					atomic_inc(&wrong);
		KUNIT_ASSERT_EQ(test, atomic_read(&wrong), 0);
		KUNIT_ASSERT_EQ(test, nkeys(), SHARED + THREADS * OWN);
		expect_all_hits(test);
	} while (time_before(jiffies, end));
}

/* Half of them fit, each of them for all threads or for none. */
static void no_more_keys_are_added_than_fit(struct kunit *test)
{
	u32 space = (SHARED + THREADS * OWN) / 2;
	unsigned long end = jiffies + SECONDS;

	do {
		make_keys(test, space, 16);
		KUNIT_ASSERT_EQ(test, gp_keys_add_times(keys, 0), 0);
		run_threads(test);
		KUNIT_ASSERT_EQ(test, nkeys(), space);
		KUNIT_ASSERT_EQ(test, atomic_read(&keys->left), 0);
	} while (time_before(jiffies, end));
}

/* Two threads go from one step to the next together. */
static void step_together(u32 step)
{
	u32 spins = 0;

	atomic_inc(&ready);
	while (atomic_read(&ready) < 2 * step)
		if (++spins % 4096)
			cpu_relax();
		else
			cond_resched();
}

static bool enough;

static int add_the_last(void *arg)
{
	unsigned long end = jiffies + SECONDS;
	u32 thread = (long)arg, step = 0;

	set_cpus_allowed_ptr(current, cpumask_of(thread % num_online_cpus()));
	while (!enough) {
		step_together(++step);
		if (!find(1, 1, 7, 0))
			atomic_inc(&wrong);
		step_together(++step);
		if (!thread) {
			gp_keys_at(keys, home_of(7))->state = GP_KEYS_EMPTY;
			atomic_set(&keys->left, 1);
			enough = time_after(jiffies, end);
		}
		step_together(++step);
	}
	atomic_dec(&running);
	return 0;
}

static void the_last_key_is_found_by_all_who_come_with_it(struct kunit *test)
{
	long i;

	make_keys(test, 1, 16);
	atomic_set(&wrong, 0);
	atomic_set(&ready, 0);
	enough = false;
	atomic_set(&running, 2);
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(add_the_last, (void *)i, "keys/%ld",
							    i)));
	while (atomic_read(&running))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_key_is_added_once),
	KUNIT_CASE(what_differs_is_another_key),
	KUNIT_CASE(keys_of_one_hash_are_compared),
	KUNIT_CASE(a_key_may_be_as_long_as_asked_for),
	KUNIT_CASE(the_requested_number_fits),
	KUNIT_CASE(new_keys_write_a_line_of_their_own),
	KUNIT_CASE(a_place_is_looked_for_64_steps_far),
	KUNIT_CASE(the_last_place_has_as_many_behind_it),
	KUNIT_CASE(an_empty_place_has_no_key),
	KUNIT_CASE(hits_are_counted_by_key),
	KUNIT_CASE(calls_are_timed_by_key),
	KUNIT_CASE(the_first_keys_of_a_cpu_have_numbers_of_its_own),
	KUNIT_CASE(own_numbers_have_lines_of_their_own),
	KUNIT_CASE(the_shortest_and_the_longest_call_have_their_buckets),
	KUNIT_CASE(values_have_signs),
	KUNIT_CASE(a_key_has_one_number_in_any_order),
	KUNIT_CASE(no_more_keys_are_added_than_fit),
	KUNIT_CASE(the_last_key_is_found_by_all_who_come_with_it),
	{}
};

static struct kunit_suite suite = {
	.name = "keys",
	.init = keys_init,
	.exit = keys_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Keys: KUnit suite");
