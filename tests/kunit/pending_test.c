// SPDX-License-Identifier: GPL-2.0
/* Records that are held: each is one's at a time, and comes back. */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "../../kmod/stats/pending.c"

#define N	100U
#define BYTES	136U

static struct gp_pending *held;
static unsigned long taken[BITS_TO_LONGS(N + 1)];

static int held_init(struct kunit *test)
{
	memset(taken, 0, sizeof(taken));
	held = gp_pending_new(N, BYTES);
	return held ? 0 : -ENOMEM;
}

static void held_exit(struct kunit *test)
{
	gp_pending_free(held);
}

/* Take one that nobody has. Return: its number, or 0. */
static u32 take(struct kunit *test)
{
	u32 number = gp_pending_take(held);

	KUNIT_EXPECT_LE(test, number, N);
	if (number && number <= N)
		KUNIT_EXPECT_FALSE(test, test_and_set_bit(number, taken));
	return number;
}

static void give(u32 number)
{
	clear_bit(number, taken);
	gp_pending_give(held, number);
}

static void all_are_there_once(struct kunit *test)
{
	u32 round, i;

	for (round = 0; round < 3; round++) {
		for (i = 0; i < N; i++)
			KUNIT_EXPECT_NE(test, take(test), 0U);
		KUNIT_EXPECT_EQ(test, take(test), 0U);
		KUNIT_EXPECT_EQ(test, take(test), 0U);
		for (i = 1; i <= N; i++)
			give(round % 2 ? i : N + 1 - i);
	}
}

static void one_that_is_given_back_is_available_again(struct kunit *test)
{
	u32 number, i;

	while (take(test))
		;
	for (i = 1; i <= N; i++) {
		give(i);
		number = take(test);
		KUNIT_EXPECT_EQ(test, number, i);
		KUNIT_EXPECT_EQ(test, take(test), 0U);
	}
}

/* Each byte of each is its own. */
static void they_do_not_overlap(struct kunit *test)
{
	u32 i;

	KUNIT_EXPECT_EQ(test, gp_pending_bytes(held), BYTES);
	for (i = 0; i < N; i++)
		KUNIT_EXPECT_NE(test, take(test), 0U);
	for (i = 1; i <= N; i++)
		memset(gp_pending_at(held, i), i, gp_pending_bytes(held));
	for (i = 1; i <= N; i++) {
		KUNIT_EXPECT_TRUE(test, !memchr_inv(gp_pending_at(held, i), i, BYTES));
		KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)gp_pending_at(held, i), 8));
	}
	/* One that is given back, and taken again, is nobody else's. */
	give(50);
	KUNIT_EXPECT_EQ(test, take(test), 50U);
	memset(gp_pending_at(held, 50), 50, BYTES);
	for (i = 1; i <= N; i++)
		KUNIT_EXPECT_TRUE(test, !memchr_inv(gp_pending_at(held, i), i, BYTES));
}

static void sizes_are_those_of_records(struct kunit *test)
{
	struct gp_pending *one = gp_pending_new(1, sizeof(struct gp_pending_record) + 1);

	KUNIT_ASSERT_NOT_NULL(test, one);
	KUNIT_EXPECT_EQ(test, gp_pending_bytes(one), (u32)sizeof(struct gp_pending_record) + 8);
	KUNIT_EXPECT_EQ(test, gp_pending_take(one), 1U);
	KUNIT_EXPECT_EQ(test, gp_pending_take(one), 0U);
	gp_pending_give(one, 1);
	KUNIT_EXPECT_EQ(test, gp_pending_take(one), 1U);
	gp_pending_free(one);
	gp_pending_free(NULL);
}

/* Threads that move between CPUs: each takes some, writes all over them, gives them back. */
#define THREADS	6
#define STEPS	20000
#define EACH	30	/* together more than there are */

static atomic_t running, wrong, short_of;

static bool take_and_fill(u32 *number, u8 fill)
{
	*number = gp_pending_take(held);
	if (!*number) {
		atomic_inc(&short_of);
		return false;
	}
	if (*number > N || test_and_set_bit(*number, taken))
		atomic_inc(&wrong);
	memset(gp_pending_at(held, *number), fill, BYTES);
	return true;
}

static void check_and_give(u32 number, u8 fill)
{
	if (memchr_inv(gp_pending_at(held, number), fill, BYTES))
		atomic_inc(&wrong);
	if (!test_and_clear_bit(number, taken))
		atomic_inc(&wrong);
	gp_pending_give(held, number);
}

static int take_and_give(void *arg)
{
	u32 seed = (u32)(long)arg, numbers[EACH], n = 0, step;
	u8 fill = (u32)(long)arg;

	for (step = 0; step < STEPS; step++) {
		seed = seed * 1664525 + 1013904223;
		if (n < EACH && (!n || seed >> 31)) {
			n += take_and_fill(&numbers[n], fill);
		} else {
			u32 i = (seed >> 16) % n;

			check_and_give(numbers[i], fill);
			numbers[i] = numbers[--n];
		}
		if (step % 300 == 0)
			set_cpus_allowed_ptr(current, cpumask_of(seed % num_online_cpus()));
	}
	while (n--)
		check_and_give(numbers[n], fill);
	atomic_dec(&running);
	return 0;
}

static void no_two_threads_have_the_same(struct kunit *test)
{
	u32 n = 0;
	long i;

	atomic_set(&running, THREADS);
	atomic_set(&wrong, 0);
	atomic_set(&short_of, 0);
	for (i = 0; i < THREADS; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(take_and_give, (void *)(i + 1),
							    "held/%ld", i)));
	while (atomic_read(&running))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong), 0);
	while (take(test))
		n++;
	KUNIT_EXPECT_EQ(test, n, N);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(all_are_there_once),
	KUNIT_CASE(one_that_is_given_back_is_available_again),
	KUNIT_CASE(they_do_not_overlap),
	KUNIT_CASE(sizes_are_those_of_records),
	KUNIT_CASE(no_two_threads_have_the_same),
	{}
};

static struct kunit_suite suite = {
	.name = "held",
	.init = held_init,
	.exit = held_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Records that are held: KUnit suite");
