// SPDX-License-Identifier: GPL-2.0
/* Times of calls by state: each call has all of its time, once, independent of other calls. */
#include <kunit/test.h>

#include "../../kmod/arch/arch.h"

/* The clock is the test's: a tick is a third of a nanosecond, nearly, so that ns are rounded. */
static u64 ticks;

static inline u64 fake_ticks(void)
{
	return READ_ONCE(ticks);
}

#define gp_arch_ticks fake_ticks

void gp_arch_ticks_rate(u32 *mult, u32 *shift)
{
	*mult = 5;
	*shift = 4;
}

#include "../../kmod/stats/remote.c"
#include "../../kmod/stats/tally.c"
#include "../../kmod/stats/calls.c"
#include "../../kmod/stats/calls_scan.c"
#include "../../kmod/stats/pending.c"
#include "../../kmod/stats/states.c"

#define NSTATES	4U

enum { RUNS, READY, WAITS, SLEEPS };

enum { F, G, FUNCTIONS };

static struct gp_tallies tallies;
static struct gp_tally *tally[FUNCTIONS];
static struct gp_calls *calls;

static int states_init(struct kunit *test)
{
	u32 i;

	memset(&tallies, 0, sizeof(tallies));
	gp_tallies_init(&tallies);
	tallies.nstates = NSTATES;
	for (i = 0; i < FUNCTIONS; i++) {
		if (gp_tallies_add(&tallies, i, true))
			return -ENOMEM;
		tally[i] = gp_tallies_find(&tallies, i);
	}
	ticks = 1000;
	calls = gp_calls_new(GP_CALLS_MIN);
	if (!calls)
		return -ENOMEM;
	calls->states = gp_states_new(NSTATES, calls->nstacks, GP_CALLS_MIN);
	return calls->states ? 0 : -ENOMEM;
}

static void states_exit(struct kunit *test)
{
	gp_calls_free(calls);
	gp_tallies_fini(&tallies);
}

static struct gp_calls_key gor(u64 n)
{
	return (struct gp_calls_key){ .process = 1, .g = 0xc000000000 + n * 448, .goid = n };
}

static void enter(struct gp_calls_key key, u32 depth, u32 f)
{
	gp_calls_enter(calls, key, depth, tally[f]);
}

/* The goroutine is in that state from now on. */
static void set_state(struct gp_calls_key key, u32 state)
{
	gp_calls_state(calls, key.process, key.g, state, ticks);
}

static u64 ns(u64 passed)
{
	return gp_clock_passed(&calls->clock, 0, passed);
}

static struct gp_split split;

static enum gp_calls_end leave(struct gp_calls_key key, u32 depth, u32 f)
{
	struct gp_call call;

	memset(&split, 0xff, sizeof(split));
	split.now = ticks;
	return gp_calls_close(calls, key, depth, tally[f], &call, &split);
}

/* The ticks in each state of the call that has just ended; rounding goes into the first. */
static void expect_split(struct kunit *test, u64 runs, u64 ready, u64 waits, u64 sleeps)
{
	u64 others = ns(ready) + ns(waits) + ns(sleeps);

	KUNIT_EXPECT_EQ(test, split.n, NSTATES);
	KUNIT_EXPECT_EQ(test, split.duration, ns(runs + ready + waits + sleeps));
	KUNIT_EXPECT_EQ(test, split.ns[RUNS], split.duration - others);
	KUNIT_EXPECT_EQ(test, split.ns[READY], ns(ready));
	KUNIT_EXPECT_EQ(test, split.ns[WAITS], ns(waits));
	KUNIT_EXPECT_EQ(test, split.ns[SLEEPS], ns(sleeps));
}

static void pass(u64 n)
{
	ticks += n;
}

static void time_counts_in_the_state_set_last(struct kunit *test)
{
	enter(gor(1), 10, F);
	pass(101);
	set_state(gor(1), WAITS);
	pass(1001);
	set_state(gor(1), READY);
	pass(17);
	set_state(gor(1), RUNS);
	pass(33);
	set_state(gor(1), SLEEPS);
	pass(7);
	set_state(gor(1), SLEEPS);
	pass(7);
	set_state(gor(1), RUNS);
	pass(1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 135, 17, 1001, 14);
}

static void a_call_has_what_the_calls_it_makes_have(struct kunit *test)
{
	enter(gor(1), 10, F);
	pass(100);
	set_state(gor(1), WAITS);
	pass(50);
	set_state(gor(1), RUNS);
	pass(5);
	enter(gor(1), 20, G);
	pass(10);
	set_state(gor(1), SLEEPS);
	pass(1000);
	set_state(gor(1), RUNS);
	pass(20);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 20, G), GP_CALLS_ENDED);
	expect_split(test, 30, 0, 0, 1000);
	pass(3);
	enter(gor(1), 20, G);
	set_state(gor(1), WAITS);
	pass(9);
	set_state(gor(1), RUNS);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 20, G), GP_CALLS_ENDED);
	expect_split(test, 0, 0, 9, 0);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 138, 0, 59, 1000);
}

static void who_calls_or_returns_runs(struct kunit *test)
{
	enter(gor(1), 10, F);
	set_state(gor(1), WAITS);
	pass(40);
	/* That it runs again was not seen. */
	enter(gor(1), 20, G);
	pass(5);
	set_state(gor(1), SLEEPS);
	pass(6);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 20, G), GP_CALLS_ENDED);
	expect_split(test, 5, 0, 0, 6);
	pass(7);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 12, 0, 40, 6);
	/* A state that was set before a call does not count in the call either. */
	set_state(gor(1), WAITS);
	pass(100);
	enter(gor(1), 10, F);
	pass(1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 1, 0, 0, 0);
}

static void what_ends_otherwise_is_its_callers_time(struct kunit *test)
{
	enter(gor(1), 10, F);
	pass(1);
	enter(gor(1), 20, G);
	set_state(gor(1), WAITS);
	pass(30);
	set_state(gor(1), RUNS);
	enter(gor(1), 30, G);
	pass(4);
	set_state(gor(1), SLEEPS);
	pass(50);
	set_state(gor(1), RUNS);
	pass(6);
	/* Both panic. */
	enter(gor(1), 15, G);
	pass(7);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 15, G), GP_CALLS_ENDED);
	expect_split(test, 7, 0, 0, 0);
	enter(gor(1), 20, G);
	pass(8);
	set_state(gor(1), READY);
	pass(9);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 1 + 4 + 6 + 7 + 8, 9, 30, 50);
}

static void other_goroutines_do_not_matter(struct kunit *test)
{
	u64 i;

	for (i = 1; i <= 300; i++)
		enter(gor(i), 10, F);
	pass(10);
	for (i = 1; i <= 300; i += 3) {
		set_state(gor(i), WAITS);
		set_state(gor(i + 1), SLEEPS);
	}
	pass(10);
	for (i = 1; i <= 300; i++) {
		KUNIT_EXPECT_EQ(test, leave(gor(i), 10, F), GP_CALLS_ENDED);
		expect_split(test, i % 3 ? 10 : 20, 0, i % 3 == 1 ? 10 : 0, i % 3 == 2 ? 10 : 0);
	}
}

static void who_is_not_known_is_nobody(struct kunit *test)
{
	struct gp_calls_key key = gor(1);
	u32 i;

	enter(gor(1), 10, F);
	pass(5);
	gp_calls_state(calls, key.process + 1, key.g, WAITS, ticks);
	gp_calls_state(calls, key.process, key.g + 448, WAITS, ticks);
	gp_calls_state(calls, key.process, key.g | GP_STACK_LOCKED, WAITS, ticks);
	gp_calls_state(calls, key.process, 0, WAITS, ticks);
	gp_calls_state(calls, key.process, U64_MAX, WAITS, ticks);
	pass(5);
	for (i = 0; i < calls->nstacks; i++)
		KUNIT_EXPECT_FALSE(test, calls->stacks[i].g & GP_STACK_LOCKED);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 10, 0, 0, 0);
}

/* By its g: the runtime's notifications name a goroutine by that alone. */
static void another_goroutine_starts_from_zero(struct kunit *test)
{
	struct gp_calls_key other = gor(1);

	other.goid = 77;
	enter(gor(1), 10, F);
	enter(gor(1), 20, F);
	set_state(gor(1), WAITS);
	pass(1000);
	enter(other, 30, G);
	pass(3);
	set_state(other, SLEEPS);
	pass(4);
	KUNIT_EXPECT_EQ(test, leave(other, 30, G), GP_CALLS_ENDED);
	expect_split(test, 3, 0, 0, 4);
}

static bool nobody_is_alive(u64 process)
{
	return false;
}

static void an_exited_process_leaves_nothing(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 200; i++)
		enter(gor(1), i, F);
	set_state(gor(1), WAITS);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, nobody_is_alive), 200ULL);
	set_state(gor(1), SLEEPS);
	pass(50);
	enter(gor(1), 10, F);
	pass(2);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 2, 0, 0, 0);
}

static void time_does_not_go_back(struct kunit *test)
{
	const u64 began = ticks;

	enter(gor(1), 10, F);
	pass(100);
	set_state(gor(1), WAITS);
	/* Another processor's counter is behind. */
	ticks -= 30;
	set_state(gor(1), RUNS);
	ticks -= 10;
	enter(gor(1), 20, G);
	ticks -= 10;
	KUNIT_EXPECT_EQ(test, leave(gor(1), 20, G), GP_CALLS_ENDED);
	expect_split(test, 0, 0, 0, 0);
	pass(60);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, ticks - began, 0, 0, 0);
}

static void as_many_calls_as_fit(struct kunit *test)
{
	u32 i;

	/* One of them is the stack's own. */
	for (i = 1; i <= GP_CALLS_MIN + 1; i++) {
		enter(gor(1), i, F);
		set_state(gor(1), i % NSTATES);
		pass(3);
	}
	KUNIT_EXPECT_EQ(test, gp_calls_enter(calls, gor(1), i, tally[F]), GP_CALLS_FULL);
	pass(1000);
	while (--i) {
		KUNIT_EXPECT_EQ(test, leave(gor(1), i, F), GP_CALLS_ENDED);
		KUNIT_EXPECT_EQ(test, split.duration, split.ns[0] + split.ns[1] + split.ns[2] +
				split.ns[3]);
	}
	KUNIT_EXPECT_EQ(test, split.ns[SLEEPS], ns(GP_CALLS_MIN / NSTATES * 3));
}

/* In any order of states: the times of the states add up to the call's, and the sums to the sum. */
static void states_are_always_the_duration(struct kunit *test)
{
	static u64 buckets[GOPROBE_BUCKETS];
	u64 states[NSTATES], sum = 0;
	struct goprobe_tally seen;
	u32 seed = 1, step, i, depth = 0;

	for (step = 0; step < 20000; step++) {
		seed = seed * 1664525 + 1013904223;
		pass(seed >> 20);
		if (seed % 3 == 0)
			enter(gor(1), ++depth, F);
		else if (seed % 3 == 1)
			set_state(gor(1), seed >> 16 & (NSTATES - 1));
		else if (depth)
			gp_calls_leave(calls, gor(1), depth--, tally[F], ticks);
		if (depth > 50)
			depth -= 20;
	}
	gp_tally_read(tally[F], F, &seen, buckets);
	gp_tally_read_states(tally[F], NSTATES, states);
	for (i = 0; i < NSTATES; i++) {
		KUNIT_EXPECT_GT(test, states[i], 0ULL);
		sum += states[i];
	}
	KUNIT_EXPECT_EQ(test, sum, seen.sum);
}

/* They are taken out to be written; their time is that of the calls below, too. */
static void what_is_written_when_it_is_unwound_leaves_its_time(struct kunit *test)
{
	struct gp_unwound unwound;
	struct gp_call call;

	gp_tallies_find(&tallies, G)->unwound = true;
	enter(gor(1), 10, F);
	pass(100);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), 20, tally[G], 1), GP_CALLS_KEPT);
	pass(30);
	set_state(gor(1), WAITS);
	pass(5);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), 30, tally[G], 2), GP_CALLS_KEPT);
	pass(3);
	set_state(gor(1), SLEEPS);
	pass(50);
	gp_calls_unwind(calls, gor(1), 20, &unwound);
	KUNIT_ASSERT_NOT_NULL(test, gp_calls_unwound_next(calls, &unwound, &call));
	KUNIT_EXPECT_EQ(test, call.depth, 20U);
	KUNIT_ASSERT_NOT_NULL(test, gp_calls_unwound_next(calls, &unwound, &call));
	KUNIT_EXPECT_EQ(test, call.depth, 30U);
	KUNIT_EXPECT_NULL(test, gp_calls_unwound_next(calls, &unwound, &call));
	set_state(gor(1), RUNS);
	pass(7);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), GP_CALLS_ENDED);
	expect_split(test, 140, 0, 5, 50);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(time_counts_in_the_state_set_last),
	KUNIT_CASE(a_call_has_what_the_calls_it_makes_have),
	KUNIT_CASE(who_calls_or_returns_runs),
	KUNIT_CASE(what_ends_otherwise_is_its_callers_time),
	KUNIT_CASE(other_goroutines_do_not_matter),
	KUNIT_CASE(who_is_not_known_is_nobody),
	KUNIT_CASE(another_goroutine_starts_from_zero),
	KUNIT_CASE(an_exited_process_leaves_nothing),
	KUNIT_CASE(time_does_not_go_back),
	KUNIT_CASE(as_many_calls_as_fit),
	KUNIT_CASE(states_are_always_the_duration),
	KUNIT_CASE(what_is_written_when_it_is_unwound_leaves_its_time),
	{}
};

static struct kunit_suite suite = {
	.name = "states",
	.init = states_init,
	.exit = states_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("How the time of calls divides: KUnit suite");
