// SPDX-License-Identifier: GPL-2.0
/* Counts and times without records: every number counts once, in its bucket. */
#include <kunit/test.h>
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "../../kmod/stats/remote.c"
#include "../../kmod/stats/tally.c"
#include "resched_world.h"

static struct gp_tallies tallies;

static int tally_init(struct kunit *test)
{
	memset(&tallies, 0, sizeof(tallies));
	gp_tallies_init(&tallies);
	return 0;
}

static void tally_exit(struct kunit *test)
{
	gp_tallies_fini(&tallies);
}

static struct goprobe_tally seen;
static u64 buckets[GOPROBE_BUCKETS];

/* Read it. Return: number of durations. */
static u64 look(u32 id)
{
	return gp_tally_read(gp_tallies_find(&tallies, id), id, &seen, buckets);
}

static void a_bucket_is_a_quarter_of_a_power_of_two(struct kunit *test)
{
	u64 begin, end;
	u32 i;

	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, gp_tally_bucket(i), i);
	for (i = 4; i < GOPROBE_BUCKETS; i++) {
		/* As the contract has it. */
		begin = (u64)(4 + i % 4) << (i / 4 - 1);
		end = (u64)(5 + i % 4) << (i / 4 - 1);
		KUNIT_EXPECT_EQ(test, gp_tally_bucket(begin), i);
		KUNIT_EXPECT_EQ(test, gp_tally_bucket(end - 1), i);
		KUNIT_EXPECT_EQ(test, gp_tally_bucket(begin - 1), i - 1);
	}
	KUNIT_EXPECT_EQ(test, gp_tally_bucket(U64_MAX), GOPROBE_BUCKETS - 1U);
}

/* One in ascending order, and what is 1 less has the bucket before. */
static void signed_values_have_two_buckets_for_a_power_of_two(struct kunit *test)
{
	const u32 half = GOPROBE_BUCKETS / 2;
	u64 begin;
	u32 i;

	for (i = 1; i < half; i++) {
		begin = i < 2 ? i : (u64)(2 + i % 2) << (i / 2 - 1);
		KUNIT_EXPECT_EQ(test, gp_tally_signed(begin).bucket, half + i);
		KUNIT_EXPECT_EQ(test, gp_tally_signed(begin - 1).bucket, half + i - 1);
		KUNIT_EXPECT_EQ(test, gp_tally_signed(~begin).bucket, half - 1 - i);
		KUNIT_EXPECT_EQ(test, gp_tally_signed(~(begin - 1)).bucket, half - i);
	}
	KUNIT_EXPECT_EQ(test, gp_tally_signed(0).bucket, half);
	KUNIT_EXPECT_EQ(test, gp_tally_signed(-1).bucket, half - 1);
	KUNIT_EXPECT_EQ(test, gp_tally_signed(S64_MAX).bucket, GOPROBE_BUCKETS - 1U);
	KUNIT_EXPECT_EQ(test, gp_tally_signed(S64_MIN).bucket, 0U);
}

static void signed_values_are_ordered(struct kunit *test)
{
	static const s64 values[] = { 3, -7, 0, S64_MAX, S64_MIN, -1 };
	u64 sum = 0;
	u32 i;

	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 1, true), 0);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		gp_tally_value(gp_tallies_find(&tallies, 1), gp_tally_signed(values[i]));
		sum += values[i];
		KUNIT_EXPECT_EQ(test, look(1), i + 1ULL);
		KUNIT_EXPECT_EQ(test, seen.sum, sum);
		KUNIT_EXPECT_EQ(test, (s64)(seen.min ^ BIT_ULL(63)),
				i < 1 ? 3LL : i < 4 ? -7LL : S64_MIN);
		KUNIT_EXPECT_EQ(test, (s64)(seen.max ^ BIT_ULL(63)), i < 3 ? 3LL : S64_MAX);
	}
}

/* The sum is modulo 2^64; everything else is not affected. */
static void a_sum_that_overflows_wraps(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 1, true), 0);
	gp_tally_value(gp_tallies_find(&tallies, 1), gp_tally_unsigned(U64_MAX));
	gp_tally_value(gp_tallies_find(&tallies, 1), gp_tally_unsigned(U64_MAX - 1));
	gp_tally_value(gp_tallies_find(&tallies, 1), gp_tally_unsigned(7));
	KUNIT_EXPECT_EQ(test, look(1), 3ULL);
	KUNIT_EXPECT_EQ(test, seen.sum, 4ULL);
	KUNIT_EXPECT_EQ(test, seen.min, 7ULL);
	KUNIT_EXPECT_EQ(test, seen.max, U64_MAX);
	KUNIT_EXPECT_EQ(test, buckets[GOPROBE_BUCKETS - 1], 2ULL);
}

static void hits_with_values_are_not_timed_calls(struct kunit *test)
{
	u64 stats[__GOPROBE_STAT_MAX] = { 0 };
	struct gp_tally *tally;

	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 1, true), 0);
	tally = gp_tallies_find(&tallies, 1);
	tally->valued = true;
	gp_tally_hit(tally);
	gp_tally_value(tally, gp_tally_unsigned(5));
	gp_tallies_stats(&tallies, stats);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_COUNTED], 1ULL);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_TIMED], 0ULL);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_OPENED], 0ULL);
	KUNIT_EXPECT_EQ(test, gp_tallies_hits(&tallies), 1ULL);
}

static void an_id_is_added_once(struct kunit *test)
{
	struct gp_tally *tally;

	KUNIT_EXPECT_NULL(test, gp_tallies_find(&tallies, 7));
	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 7, false), 0);
	tally = gp_tallies_find(&tallies, 7);
	KUNIT_ASSERT_NOT_NULL(test, tally);
	KUNIT_EXPECT_NULL(test, (__force void *)tally->times);
	gp_tally_hit(tally);
	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 7, true), 0);
	KUNIT_EXPECT_PTR_EQ(test, gp_tallies_find(&tallies, 7), tally);
	KUNIT_EXPECT_NOT_NULL(test, (__force void *)tally->times);
	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 7, true), 0);
	KUNIT_EXPECT_EQ(test, tallies.n, 1U);
	KUNIT_EXPECT_EQ(test, tallies.ntimed, 1U);
	KUNIT_EXPECT_EQ(test, look(7), 0ULL);
	KUNIT_EXPECT_EQ(test, seen.hits, 1ULL);
	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, U32_MAX, false), 0);
	KUNIT_EXPECT_EQ(test, tallies.n, 2U);
}

static void more_ids_than_allowed_are_refused(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 1, false), 0);
	tallies.n = GP_TALLIES_MAX;
	KUNIT_EXPECT_EQ(test, gp_tallies_add(&tallies, 2, false), -E2BIG);
	KUNIT_EXPECT_EQ(test, gp_tallies_add(&tallies, 1, false), 0);
	tallies.ntimed = GP_TIMED_MAX;
	KUNIT_EXPECT_EQ(test, gp_tallies_add(&tallies, 1, true), -E2BIG);
	tallies.ntimed = GP_TIMED_MAX - 1;
	KUNIT_EXPECT_EQ(test, gp_tallies_add(&tallies, 1, true), 0);
}

static void only_buckets_with_hits_are_sent(struct kunit *test)
{
	const struct gp_tally *tally;

	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 3, true), 0);
	tally = gp_tallies_find(&tallies, 3);
	KUNIT_EXPECT_EQ(test, look(3), 0ULL);
	KUNIT_EXPECT_EQ(test, seen.nbuckets, (u16)0);
	KUNIT_EXPECT_EQ(test, seen.min, U64_MAX);
	gp_tally_return(tally, 1000);
	gp_tally_return(tally, 100);
	gp_tally_return(tally, 103);
	KUNIT_EXPECT_EQ(test, look(3), 3ULL);
	KUNIT_EXPECT_EQ(test, seen.first, (u16)gp_tally_bucket(100));
	KUNIT_EXPECT_EQ(test, (u32)seen.first + seen.nbuckets - 1, gp_tally_bucket(1000));
	KUNIT_EXPECT_EQ(test, buckets[gp_tally_bucket(100)], 2ULL);
	KUNIT_EXPECT_EQ(test, buckets[gp_tally_bucket(1000)], 1ULL);
	KUNIT_EXPECT_EQ(test, seen.sum, 1203ULL);
	KUNIT_EXPECT_EQ(test, seen.min, 100ULL);
	KUNIT_EXPECT_EQ(test, seen.max, 1000ULL);
	gp_tally_return(tally, U64_MAX);
	gp_tally_return(tally, 0);
	KUNIT_EXPECT_EQ(test, look(3), 5ULL);
	KUNIT_EXPECT_EQ(test, seen.first, (u16)0);
	KUNIT_EXPECT_EQ(test, seen.nbuckets, (u16)GOPROBE_BUCKETS);
	KUNIT_EXPECT_EQ(test, seen.min, 0ULL);
	KUNIT_EXPECT_EQ(test, seen.max, U64_MAX);
}

#define THREADS		6
#define ROUNDS		20000

static atomic_t running;

/* Moves from CPU to CPU while it counts. */
static int count_and_move(void *arg)
{
	const struct gp_tally *tally = arg;
	u32 i;

	for (i = 1; i <= ROUNDS; i++) {
		gp_tally_hit(tally);
		gp_tally_call(tally);
		gp_tally_return(tally, i);
		if (i % 1000 == 0) {
			set_cpus_allowed_ptr(current, cpumask_of(i / 1000 % num_online_cpus()));
			schedule();
		}
	}
	atomic_dec(&running);
	return 0;
}

static void nothing_is_lost_between_cpus(struct kunit *test)
{
	u64 stats[__GOPROBE_STAT_MAX] = { };
	u32 i;

	KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, 5, true), 0);
	atomic_set(&running, THREADS);
	for (i = 0; i < THREADS; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(count_and_move,
							    gp_tallies_find(&tallies, 5),
							    "tally/%u", i)));
	while (atomic_read(&running))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, look(5), (u64)THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, seen.hits, (u64)THREADS * ROUNDS);
	gp_tallies_stats(&tallies, stats);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_COUNTED], (u64)THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_OPENED], (u64)THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_TIMED], (u64)THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, seen.calls, (u64)THREADS * ROUNDS);
	KUNIT_EXPECT_EQ(test, seen.sum, (u64)THREADS * ROUNDS * (ROUNDS + 1) / 2);
	KUNIT_EXPECT_EQ(test, seen.min, 1ULL);
	KUNIT_EXPECT_EQ(test, seen.max, (u64)ROUNDS);
}

/* A session can have a quarter of a million ids. */
static void others_run_while_ids_are_freed(struct kunit *test)
{
	bool waits = true;
	u32 id, n;

	for (n = 0; waits && n < GP_RESCHED_TIMES; n++) {
		for (id = 0; id < 100; id++)
			KUNIT_ASSERT_EQ(test, gp_tallies_add(&tallies, id, false), 0);
		somebody_else_wants_to_run();
		gp_tallies_fini(&tallies);
		waits = somebody_else_still_waits();
		gp_tallies_init(&tallies);
	}
	KUNIT_EXPECT_FALSE(test, waits);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_bucket_is_a_quarter_of_a_power_of_two),
	KUNIT_CASE(signed_values_have_two_buckets_for_a_power_of_two),
	KUNIT_CASE(signed_values_are_ordered),
	KUNIT_CASE(a_sum_that_overflows_wraps),
	KUNIT_CASE(hits_with_values_are_not_timed_calls),
	KUNIT_CASE(an_id_is_added_once),
	KUNIT_CASE(more_ids_than_allowed_are_refused),
	KUNIT_CASE(only_buckets_with_hits_are_sent),
	KUNIT_CASE(nothing_is_lost_between_cpus),
	KUNIT_CASE(others_run_while_ids_are_freed),
	{}
};

static struct kunit_suite suite = {
	.name = "tally",
	.init = tally_init,
	.exit = tally_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Counting and timing without records: KUnit suite");
