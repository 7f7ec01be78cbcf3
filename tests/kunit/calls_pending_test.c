// SPDX-License-Identifier: GPL-2.0
/* Open calls that are paired, whose records may be held; which calls are open further up. */
#include "calls_world.h"

static enum gp_calls_end open_held(struct gp_calls_key key, u32 depth, u32 f)
{
	return gp_calls_open(calls, key, depth, tally[f], gp_pending_take(calls->held));
}

static enum gp_calls_end close_it(struct gp_calls_key key, u32 depth, u32 f,
				  struct gp_call *ret)
{
	struct gp_split split = { .now = ticks };

	memset(ret, 0, sizeof(*ret));
	return gp_calls_close(calls, key, depth, tally[f], ret, &split);
}

static void a_close_gives_the_call_to_the_caller(struct kunit *test)
{
	u32 number = gp_pending_take(calls->held);
	struct gp_call call;

	KUNIT_ASSERT_NE(test, number, 0U);
	ticks = 5000;
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), 100, tally[P], number), KEPT);
	ticks = 6000;
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 100, P, &call), ENDED);
	KUNIT_EXPECT_EQ(test, call.data, number);
	KUNIT_EXPECT_EQ(test, call.time, 5000ULL);
	KUNIT_EXPECT_EQ(test, call.depth, 100U);
	KUNIT_EXPECT_PTR_EQ(test, call.tally, tally[P]);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 1);
	gp_pending_give(calls->held, number);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 100, P, &call), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD);
}

static void a_call_that_is_not_kept_leaves_its_record_to_the_caller(struct kunit *test)
{
	struct gp_calls_key nil = { .process = 1 };
	u32 space = GP_CALLS_MIN + 1, i, number;

	for (i = 1; i <= space; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 2, F), KEPT);
	number = gp_pending_take(calls->held);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), i * 2, tally[P], number), FULL);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 1);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, nil, 1, tally[P], number), FULL);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 1);
	gp_pending_give(calls->held, number);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD);
}

static void what_is_paired_is_not_counted_as_timed(struct kunit *test)
{
	struct gp_call call;

	gp_calls_open(calls, gor(1), 100, tally[P], 0);
	gp_calls_open(calls, gor(1), 200, tally[P], 0);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 50, F), KEPT);
	gp_calls_open(calls, gor(1), 100, tally[P], 0);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 50, F, &call), ENDED);
	expect_tally(test, F, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, look(P), 0ULL);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void what_ends_without_returning_gives_its_record_back(struct kunit *test)
{
	struct gp_calls_key next = gor(1);
	struct gp_call call;
	u32 i;

	/* By a call that is less deep. */
	for (i = 1; i <= 10; i++)
		KUNIT_EXPECT_EQ(test, open_held(gor(1), i * 10, P), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 10);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 80, F), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 7);
	/* By a return of one. */
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 40, P, &call), ENDED);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 4);
	gp_pending_give(calls->held, call.data);
	/* By a return that is not known, or of another function. */
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 25, P, &call), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 2);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 20, F, &call), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 1);
	/* By the quick way of another function's call, and of its return. */
	KUNIT_EXPECT_EQ(test, open_held(gor(1), 20, P), KEPT);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 20, F), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD);
	/* By another goroutine in its place. */
	for (i = 1; i <= HELD; i++)
		KUNIT_EXPECT_EQ(test, open_held(gor(1), i * 10, P), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), 0U);
	next.goid = 99;
	KUNIT_EXPECT_EQ(test, enter(next, 10000, F), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD);
	KUNIT_EXPECT_EQ(test, leave(next, 10000, F), ENDED);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

/* A number that is a key's is no record's, though there is one with that number. */
static void what_is_timed_by_key_gives_nothing_back(struct kunit *test)
{
	struct gp_calls_key dead = gor(2);
	struct gp_call call;
	u32 numbers[3], i;

	dead.process = 2;
	for (i = 0; i < 3; i++)
		numbers[i] = gp_pending_take(calls->held);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), 10, tally[F], numbers[0]), KEPT);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), 20, tally[F], numbers[1]), KEPT);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, dead, 10, tally[F], numbers[2]), KEPT);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 10, F, &call), ENDED);
	KUNIT_EXPECT_EQ(test, call.data, numbers[0]);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 1ULL);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 3);
	for (i = 0; i < 3; i++)
		gp_pending_give(calls->held, numbers[i]);
}

static bool collect(struct gp_stack *stack, struct gp_unwound *unwound)
{
	bool done;

	preempt_disable();
	gp_stack_lock(stack);
	done = gp_stack_collect(calls, stack, 1, unwound);
	gp_stack_unlock(stack, gor(1).g);
	preempt_enable();
	return done;
}

/*
 * As many as one round takes: in another one, a call that another thread with that g has made
 * meanwhile would be kept in the same place as the last one.
 */
static void each_call_that_is_unwound_is_kept_once(struct kunit *test)
{
	struct gp_stack *stack = gp_calls_home(calls, 1, gor(1).g);
	struct gp_unwound unwound = { .list = NULL };
	struct gp_call call;
	u32 i, n = 0;
	bool done;

	BUILD_BUG_ON(HELD <= GP_CALLS_UNWIND);
	gp_tallies_find(&tallies, P)->unwound = true;
	for (i = 1; i <= GP_CALLS_UNWIND; i++)
		KUNIT_ASSERT_EQ(test, open_held(gor(1), i * 10, P), KEPT);
	done = collect(stack, &unwound);
	KUNIT_EXPECT_TRUE(test, done);
	KUNIT_EXPECT_EQ(test, open_held(gor(1), 5, P), KEPT);
	if (!done)
		collect(stack, &unwound);
	/* The least deep one first. */
	while (n < 2 * GP_CALLS_UNWIND && gp_calls_unwound_next(calls, &unwound, &call)) {
		KUNIT_EXPECT_EQ(test, call.depth, ++n * 10);
		gp_pending_give(calls->held, call.data);
	}
	KUNIT_ASSERT_EQ(test, n, GP_CALLS_UNWIND);
	KUNIT_ASSERT_EQ(test, close_it(gor(1), 5, P, &call), ENDED);
	gp_pending_give(calls->held, call.data);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static u32 paired_open(void)
{
	return atomic_read(&tally[P]->open);
}

static void open_calls_of_what_is_paired_are_counted(struct kunit *test)
{
	struct gp_calls_key dead = gor(2), nil = { .process = 1 };
	struct gp_call call;
	u32 i;

	dead.process = 2;
	for (i = 1; i <= 10; i++)
		gp_calls_open(calls, gor(1), i * 10, tally[P], 0);
	gp_calls_open(calls, dead, 10, tally[P], 0);
	gp_calls_open(calls, nil, 10, tally[P], 0);
	KUNIT_EXPECT_EQ(test, paired_open(), 11U);
	gp_calls_reap(calls, process_1_is_alive);
	KUNIT_EXPECT_EQ(test, paired_open(), 10U);
	close_it(gor(1), 100, P, &call);
	KUNIT_EXPECT_EQ(test, paired_open(), 9U);
	close_it(gor(1), 100, P, &call);
	KUNIT_EXPECT_EQ(test, paired_open(), 9U);
	close_it(gor(1), 80, P, &call);
	KUNIT_EXPECT_EQ(test, paired_open(), 7U);
	enter(gor(1), 70, F);
	KUNIT_EXPECT_EQ(test, paired_open(), 6U);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 60, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, paired_open(), 5U);
	gp_calls_pass_by(calls, gor(1), 15);
	KUNIT_EXPECT_EQ(test, paired_open(), 1U);
	close_it(gor(1), 10, P, &call);
	KUNIT_EXPECT_EQ(test, paired_open(), 0U);
}

static void records_of_ended_processes_are_given_back(struct kunit *test)
{
	struct gp_calls_key dead = gor(1);
	struct gp_call call;
	u32 i;

	dead.process = 2;
	for (i = 1; i < HELD; i++)
		KUNIT_EXPECT_EQ(test, open_held(dead, i * 10, P), KEPT);
	KUNIT_EXPECT_EQ(test, open_held(gor(1), 10, P), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), 0U);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), HELD - 1ULL);
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - 1);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 10, P, &call), ENDED);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 0ULL);
	KUNIT_EXPECT_EQ(test, look(P), 0ULL);
}

static void a_call_that_passes_by_ends_what_is_as_deep(struct kunit *test)
{
	struct gp_calls_key next = gor(1);
	u32 i;

	/* Of a goroutine that is not known: it needs no place. */
	gp_calls_pass_by(calls, gor(1), 100);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
	KUNIT_EXPECT_EQ(test, gp_calls_home(calls, 1, gor(1).g)->g, 0ULL);
	for (i = 1; i <= 200; i++)
		enter(gor(1), i * 10, F);
	gp_calls_pass_by(calls, gor(1), 2001);
	expect_tally(test, F, 200, 0, 0);
	gp_calls_pass_by(calls, gor(2), 1);
	expect_tally(test, F, 200, 0, 0);
	gp_calls_pass_by(calls, gor(1), 2000);
	expect_tally(test, F, 200, 0, 1);
	gp_calls_pass_by(calls, gor(1), 20);
	expect_tally(test, F, 200, 0, 199);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 20, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), ENDED);
	/* The next goroutine of a g. */
	enter(gor(1), 10, G);
	next.goid = 99;
	gp_calls_pass_by(calls, next, 500);
	expect_tally(test, G, 1, 0, 1);
	gp_calls_pass_by(calls, next, 500);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

/* A goroutine whose place is another one's has its stack behind that. */
static void who_is_not_at_home_passes_by_as_well(struct kunit *test)
{
	struct gp_stack *home = gp_calls_home(calls, 1, gor(1).g);
	u32 other = 2;

	while (gp_calls_home(calls, 1, gor(other).g) != home)
		other++;
	enter(gor(1), 10, F);
	enter(gor(other), 10, G);
	KUNIT_EXPECT_EQ(test, home->g, gor(1).g);
	gp_calls_pass_by(calls, gor(other), 11);
	expect_tally(test, G, 1, 0, 0);
	gp_calls_pass_by(calls, gor(other), 10);
	expect_tally(test, G, 1, 0, 1);
	expect_tally(test, F, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), ENDED);
}

static int under(struct gp_calls_key key, u32 depth, u32 f)
{
	return gp_calls_under(calls, key, depth, tally[f]);
}

static void what_is_further_up_is_found(struct kunit *test)
{
	struct gp_calls_key other = gor(1);

	KUNIT_EXPECT_EQ(test, under(gor(1), 100, F), 0);
	enter(gor(1), 10, F);
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, F), 1);
	KUNIT_EXPECT_EQ(test, under(gor(1), 11, F), 1);
	KUNIT_EXPECT_EQ(test, under(gor(1), 10, F), 0);
	KUNIT_EXPECT_EQ(test, under(gor(1), 9, F), 0);
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, G), 0);
	enter(gor(1), 20, G);
	enter(gor(1), 30, H);
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, F), 1);
	KUNIT_EXPECT_EQ(test, under(gor(1), 25, G), 1);
	KUNIT_EXPECT_EQ(test, under(gor(1), 25, H), 0);
	/* Nothing has ended by that. */
	expect_tally(test, H, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, under(gor(1), 31, H), 1);
	KUNIT_EXPECT_EQ(test, under(gor(2), 100, F), 0);
	other.process = 2;
	KUNIT_EXPECT_EQ(test, under(other, 100, F), 0);
	other = gor(1);
	other.goid = 99;
	KUNIT_EXPECT_EQ(test, under(other, 100, F), 0);
	/* Calls that ended without returning are removed. */
	enter(gor(1), 15, H);
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, G), 0);
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, F), 1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 15, H), ENDED);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), ENDED);
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, F), 0);
	KUNIT_EXPECT_EQ(test, under((struct gp_calls_key){ .process = 1 }, 100, F), 0);
}

/* The first call's link is what it was in the pool, or in another goroutine's stack. */
static void what_is_below_the_first_call_is_not_looked_at(struct kunit *test)
{
	struct gp_stack *stack = gp_calls_home(calls, 1, gor(1).g);
	struct gp_call stale = { .tally = tally[G], .depth = 1 };

	enter(gor(1), 10, F);
	stack->first.below = &stale;
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, G), 0);
	enter(gor(1), 20, F);
	KUNIT_EXPECT_EQ(test, under(gor(1), 100, G), 0);
}

static void no_more_than_4096_calls_are_looked_at(struct kunit *test)
{
	u32 i;

	gp_calls_free(calls);
	calls = gp_calls_new(8192);
	KUNIT_ASSERT_NOT_NULL(test, calls);
	enter(gor(1), 1, G);
	for (i = 2; i <= 4096; i++)
		enter(gor(1), i, F);
	KUNIT_EXPECT_EQ(test, under(gor(1), 10000, G), 1);
	KUNIT_EXPECT_EQ(test, under(gor(1), 10000, H), 0);
	enter(gor(1), i, F);
	KUNIT_EXPECT_EQ(test, under(gor(1), 10000, G), -E2BIG);
	KUNIT_EXPECT_EQ(test, under(gor(1), 10000, H), -E2BIG);
	KUNIT_EXPECT_EQ(test, under(gor(1), 10000, F), 1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), i, F), ENDED);
	KUNIT_EXPECT_EQ(test, under(gor(1), 10000, G), 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_close_gives_the_call_to_the_caller),
	KUNIT_CASE(a_call_that_is_not_kept_leaves_its_record_to_the_caller),
	KUNIT_CASE_PARAM(what_is_paired_is_not_counted_as_timed, way_gen_params),
	KUNIT_CASE_PARAM(what_ends_without_returning_gives_its_record_back, way_gen_params),
	KUNIT_CASE(what_is_timed_by_key_gives_nothing_back),
	KUNIT_CASE(each_call_that_is_unwound_is_kept_once),
	KUNIT_CASE_PARAM(open_calls_of_what_is_paired_are_counted, way_gen_params),
	KUNIT_CASE(records_of_ended_processes_are_given_back),
	KUNIT_CASE_PARAM(a_call_that_passes_by_ends_what_is_as_deep, way_gen_params),
	KUNIT_CASE_PARAM(who_is_not_at_home_passes_by_as_well, way_gen_params),
	KUNIT_CASE_PARAM(what_is_further_up_is_found, way_gen_params),
	KUNIT_CASE_PARAM(what_is_below_the_first_call_is_not_looked_at, way_gen_params),
	KUNIT_CASE_PARAM(no_more_than_4096_calls_are_looked_at, way_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "calls_held",
	.init = calls_init,
	.exit = calls_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Open calls that are paired: KUnit suite");
