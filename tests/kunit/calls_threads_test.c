// SPDX-License-Identifier: GPL-2.0
/* Open calls: whatever threads do at once, or show, nothing gets lost. */
#include "calls_world.h"

/*
 * Goroutines that move between threads, and threads that move between CPUs: a thread
 * takes a goroutine, makes it go one step, and puts it back for any other.
 */
#define THREADS		6
#define GORS		40
#define STEPS		30000

static atomic64_t owner[GORS];		/* low bit: taken; above: calls that are open */
static atomic_t running, wrong;
static u64 g_shown;			/* what all threads show, or 0 */

static int go_on(void *arg)
{
	u32 seed = (u32)(long)arg, step;

	for (step = 0; step < STEPS; step++) {
		u32 n;
		s64 open;

		seed = seed * 1664525 + 1013904223;
		n = (seed >> 16) % GORS;
		open = atomic64_read(&owner[n]);
		if (open & 1 || atomic64_cmpxchg_acquire(&owner[n], open, open | 1) != open)
			continue;
		open >>= 1;
		if (open < 20 && (!open || seed >> 31)) {
			if (enter(gor(n + 1), ++open * 10, F) != KEPT)
				atomic_inc(&wrong);
		} else if (leave(gor(n + 1), open-- * 10, F) != ENDED) {
			atomic_inc(&wrong);
		}
		atomic64_set_release(&owner[n], open << 1);
		if (step % 500 == 0)
			set_cpus_allowed_ptr(current, cpumask_of(seed % num_online_cpus()));
	}
	atomic_dec(&running);
	return 0;
}

static void run_threads(struct kunit *test, int (*fn)(void *arg))
{
	long i;

	atomic_set(&running, THREADS);
	atomic_set(&wrong, 0);
	for (i = 0; i < THREADS; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(fn, (void *)(i + 1), "calls/%ld", i)));
	while (atomic_read(&running))
		schedule_timeout_uninterruptible(1);
}

static void goroutines_move_between_threads_and_cpus(struct kunit *test)
{
	u64 open = 0;
	u32 i;

	for (i = 0; i < GORS; i++)
		atomic64_set(&owner[i], 0);
	run_threads(test, go_on);
	KUNIT_EXPECT_EQ(test, atomic_read(&wrong), 0);
	for (i = 0; i < GORS; i++)
		open += atomic64_read(&owner[i]) >> 1;
	KUNIT_EXPECT_GT(test, look(F), 10000ULL);
	KUNIT_EXPECT_EQ(test, seen.calls, look(F) + open);
	KUNIT_EXPECT_EQ(test, seen.unwound, 0ULL);
}

/* Values that the threads of a hostile program can show the module. */
static int deceive(void *arg)
{
	u32 seed = (u32)(long)arg, step;
	struct gp_calls_key key;

	for (step = 0; step < STEPS; step++) {
		seed = seed * 1664525 + 1013904223;
		key = gor(g_shown + (seed >> 30));
		key.goid += seed >> 29 & 1;
		if (seed >> 28 & 1)
			enter(key, 1 + (seed >> 16) % 100, seed % FUNCTIONS);
		else
			leave(key, 1 + (seed >> 16) % 100, seed % FUNCTIONS);
		if (step % 500 == 0)
			set_cpus_allowed_ptr(current, cpumask_of(seed % num_online_cpus()));
	}
	atomic_dec(&running);
	return 0;
}

/* Each call is in one pool or in one stack, whatever has been shown. */
static void one_g_on_many_threads_breaks_nothing(struct kunit *test)
{
	const struct gp_call *call;
	u64 open = 0, all = 0;
	u32 i, in_stacks = 0;

	g_shown = 1;
	run_threads(test, deceive);
	for (i = 0; i < calls->nstacks; i++) {
		u64 depth = BIT_ULL(32);

		KUNIT_EXPECT_EQ(test, calls->stacks[i].g & GP_STACK_LOCKED, 0ULL);
		for (call = calls->stacks[i].top; call; call = call->below) {
			KUNIT_ASSERT_LT(test, (u64)call->depth, depth);
			depth = call->depth;
			in_stacks += call != &calls->stacks[i].first;
			open++;
		}
	}
	KUNIT_EXPECT_EQ(test, taken(), in_stacks);
	for (i = 0; i < FUNCTIONS; i++)
		all += look(i) + seen.unwound - seen.calls;
	KUNIT_EXPECT_EQ(test, all + open, 0ULL);
}

static void places_are_claimed_by_one(struct kunit *test)
{
	struct gp_calls_key key = gor(1), nil = { .process = 1 };
	struct gp_stack *stack;
	u64 its;

	KUNIT_EXPECT_EQ(test, enter(nil, 100, F), FULL);
	KUNIT_EXPECT_EQ(test, leave(nil, 100, F), UNKNOWN);
	preempt_disable();
	stack = gp_calls_claim(calls, &key);
	its = stack ? stack->g : 0;
	if (stack)
		gp_stack_unlock(stack, gor(1).g);
	preempt_enable();
	KUNIT_ASSERT_NOT_NULL(test, stack);
	KUNIT_EXPECT_EQ(test, its, gor(1).g | GP_STACK_LOCKED);
	KUNIT_EXPECT_PTR_EQ(test, stack, gp_calls_home(calls, 1, gor(1).g));
	KUNIT_EXPECT_EQ(test, enter(gor(1), 1, F), KEPT);
	KUNIT_EXPECT_PTR_EQ(test, stack->top, &stack->first);
}

/* Effects of the threads of a hostile program on held records. */
static int deceive_held(void *arg)
{
	u32 seed = (u32)(long)arg, step, number, f;
	struct gp_calls_key key;
	struct gp_split split = { };
	struct gp_call call;

	for (step = 0; step < STEPS; step++) {
		seed = seed * 1664525 + 1013904223;
		key = gor(g_shown + (seed >> 30));
		key.goid += seed >> 29 & 1;
		key.process += seed >> 28 & 1;
		f = seed % (FUNCTIONS + 1);
		/* For a timed call it would be the number of a key. */
		number = f == P && seed >> 27 & 1 ? gp_pending_take(calls->held) : 0;
		if (gp_calls_open(calls, key, 1 + (seed >> 16) % 100, tally[f], number) != KEPT &&
		    number)
			gp_pending_give(calls->held, number);
		seed = seed * 1664525 + 1013904223;
		if (gp_calls_close(calls, key, 1 + (seed >> 16) % 100,
				   tally[seed % (FUNCTIONS + 1)], &call,
				   &split) == ENDED && call.data)
			gp_pending_give(calls->held, call.data);
		gp_calls_under(calls, key, seed >> 16, tally[F]);
		if (step % 500 == 0)
			set_cpus_allowed_ptr(current, cpumask_of(seed % num_online_cpus()));
		if (step % 5000 == 0)
			gp_calls_reap(calls, process_1_is_alive);
	}
	atomic_dec(&running);
	return 0;
}

/* Each record is free, or one open call's. */
static void whatever_is_shown_no_record_gets_lost(struct kunit *test)
{
	const struct gp_call *call;
	u32 n = 0, open = 0, i;

	g_shown = 1;
	run_threads(test, deceive_held);
	for (i = 0; i < calls->nstacks; i++) {
		call = calls->stacks[i].top;
		for (; call; call = call == &calls->stacks[i].first ? NULL : call->below) {
			n += !!call->data;
			open += call->tally == tally[P];
		}
	}
	KUNIT_EXPECT_EQ(test, held_free(calls->held), HELD - n);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&tally[P]->open), open);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(goroutines_move_between_threads_and_cpus, way_gen_params),
	KUNIT_CASE_PARAM(one_g_on_many_threads_breaks_nothing, way_gen_params),
	KUNIT_CASE_PARAM(places_are_claimed_by_one, way_gen_params),
	KUNIT_CASE(whatever_is_shown_no_record_gets_lost),
	{}
};

static struct kunit_suite suite = {
	.name = "calls_threads",
	.init = calls_init,
	.exit = calls_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Open calls, many threads: KUnit suite");
