// SPDX-License-Identifier: GPL-2.0
/* Open calls: every return ends its own call, and what can't be told is counted as such. */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "../../kmod/arch/arch.h"

/* The clock is the test's: a tick is half a nanosecond. */
static u64 ticks;

static inline u64 fake_ticks(void)
{
	return READ_ONCE(ticks);
}

#define gp_arch_ticks fake_ticks

void gp_arch_ticks_rate(u32 *mult, u32 *shift)
{
	*mult = 1;
	*shift = 1;
}

#include "../../kmod/tally.c"
#include "../../kmod/calls.c"
#include "../../kmod/held.c"

#define KEPT	GP_CALLS_KEPT
#define FULL	GP_CALLS_FULL
#define ENDED	GP_CALLS_ENDED
#define UNKNOWN	GP_CALLS_UNKNOWN

enum { F, G, H, FUNCTIONS };

/* A function that is paired: its calls are not timed, their records may be held. */
#define P	FUNCTIONS
#define HELD	64U

static struct gp_tallies tallies;
static const struct gp_tally *tally[FUNCTIONS + 1];
static struct gp_calls *calls;

/* The way that is taken: the general one alone, or, as handlers do, after the usual one. */
struct way_case {
	const char *claim;
	bool general;
};

static const struct way_case way_cases[] = {
	{ "the usual way first", false },
	{ "the general way alone", true },
};

static void way_desc(const struct way_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(way, way_cases, way_desc);

static bool general;

static int calls_init(struct kunit *test)
{
	const struct way_case *way = test->param_value;
	u32 i;

	general = way && way->general;
	memset(&tallies, 0, sizeof(tallies));
	gp_tallies_init(&tallies);
	for (i = 0; i <= P; i++) {
		if (gp_tallies_add(&tallies, i, i < FUNCTIONS))
			return -ENOMEM;
		tally[i] = gp_tallies_find(&tallies, i);
		gp_tallies_find(&tallies, i)->paired = i == P;
	}
	ticks = 1000;
	calls = gp_calls_new(GP_CALLS_MIN);
	if (!calls)
		return -ENOMEM;
	calls->held = gp_held_new(HELD, sizeof(struct gp_held_record));
	return calls->held ? 0 : -ENOMEM;
}

static void calls_exit(struct kunit *test)
{
	gp_calls_free(calls);
	gp_tallies_fini(&tallies);
}

/* A goroutine of process 1: its g is where others are not, its id as large. */
static struct gp_calls_key gor(u64 n)
{
	return (struct gp_calls_key){ .process = 1, .g = 0xc000000000 + n * 448, .goid = n };
}

static enum gp_calls_end enter(struct gp_calls_key key, u32 depth, u32 f)
{
	if (!general && gp_calls_try_enter(calls, key, depth, tally[f]) == KEPT)
		return KEPT;
	return gp_calls_enter(calls, key, depth, tally[f]);
}

static enum gp_calls_end leave(struct gp_calls_key key, u32 depth, u32 f)
{
	if (!general && gp_calls_try_leave(calls, key, depth, tally[f], ticks) == ENDED)
		return GP_CALLS_ENDED;
	return gp_calls_leave(calls, key, depth, tally[f], ticks);
}

static struct goprobe_tally seen;
static u64 buckets[GOPROBE_BUCKETS];

/* Number of durations of a function; the rest of it is in seen. */
static u64 look(u32 f)
{
	return gp_tally_read(tally[f], f, &seen, buckets);
}

/* Calls, returns and unwound calls of a function are these. */
static void expect_tally(struct kunit *test, u32 f, u64 entered, u64 returned, u64 unwound)
{
	KUNIT_EXPECT_EQ(test, look(f), returned);
	KUNIT_EXPECT_EQ(test, seen.calls, entered);
	KUNIT_EXPECT_EQ(test, seen.unwound, unwound);
}

/* Calls that are in no pool, by what is in them. */
static u32 taken(void)
{
	const struct gp_call *call;
	u32 i, n = GP_CALLS_MIN;

	for (i = 0; i < calls->npools; i++)
		for (call = calls->pools[i].free; call; call = call->below)
			n--;
	return n;
}

static u32 stacks_in_use(void)
{
	u32 i, n = 0;

	for (i = 0; i < calls->nstacks; i++)
		n += !!calls->stacks[i].top;
	return n;
}

static void a_return_ends_its_call(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, enter(gor(1), 100, F), KEPT);
	ticks += 600;
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	expect_tally(test, F, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, seen.sum, 300ULL);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), UNKNOWN);
	expect_tally(test, F, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void a_clock_that_steps_back_tells_no_time(struct kunit *test)
{
	enter(gor(1), 100, F);
	ticks -= 10;
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, look(F), 1ULL);
	KUNIT_EXPECT_EQ(test, seen.max, 0ULL);
}

static void a_long_call_is_told_exactly(struct kunit *test)
{
	u64 ns = 123456789012345ULL;

	enter(gor(1), 100, F);
	ticks += ns * 2;
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, look(F), 1ULL);
	KUNIT_EXPECT_EQ(test, seen.sum, ns);
}

static void nested_calls_end_one_after_the_other(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 50; i++) {
		KUNIT_EXPECT_EQ(test, enter(gor(1), i * 64, i % 2 ? F : G), KEPT);
		ticks += 20;
	}
	KUNIT_EXPECT_EQ(test, taken(), 49U);
	for (i = 50; i; i--)
		KUNIT_EXPECT_EQ(test, leave(gor(1), i * 64, i % 2 ? F : G), ENDED);
	expect_tally(test, F, 25, 25, 0);
	KUNIT_EXPECT_EQ(test, seen.max, 50 * 10ULL);
	KUNIT_EXPECT_EQ(test, seen.min, 2 * 10ULL);
	KUNIT_EXPECT_EQ(test, seen.sum, 25 * 26 * 10ULL);
	expect_tally(test, G, 25, 25, 0);
	KUNIT_EXPECT_EQ(test, seen.min, 10ULL);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void goroutines_do_not_end_each_others_calls(struct kunit *test)
{
	struct gp_calls_key other = gor(1);

	other.process = 2;
	enter(gor(1), 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 100, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(other, 100, F), UNKNOWN);
	enter(gor(2), 100, F);
	enter(other, 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, leave(other, 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 100, F), ENDED);
	expect_tally(test, F, 3, 3, 0);
}

static void a_call_ends_what_is_as_deep_or_deeper(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 10; i++)
		enter(gor(1), i * 100, F);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 500, G), KEPT);
	expect_tally(test, F, 10, 0, 6);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 500, G), ENDED);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 450, G), KEPT);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 450, G), ENDED);
	expect_tally(test, F, 10, 0, 6);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 400, F), ENDED);
	expect_tally(test, F, 10, 1, 6);
}

/* SP is where the stack begins: no Go function is entered so, but a program can show it. */
static void nothing_is_less_deep_than_a_call_at_the_top_of_the_stack(struct kunit *test)
{
	enter(gor(1), 100, F);
	enter(gor(1), 200, F);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 0, G), KEPT);
	expect_tally(test, F, 2, 0, 2);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 0, H), KEPT);
	expect_tally(test, G, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
	enter(gor(1), U32_MAX, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), U32_MAX, F), ENDED);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 0, H), ENDED);
	expect_tally(test, H, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void a_return_ends_what_is_deeper(struct kunit *test)
{
	enter(gor(1), 100, F);
	enter(gor(1), 200, G);
	enter(gor(1), 300, H);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	expect_tally(test, F, 1, 1, 0);
	expect_tally(test, G, 1, 0, 1);
	expect_tally(test, H, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void a_return_whose_call_is_not_known_ends_no_other(struct kunit *test)
{
	enter(gor(1), 100, F);
	enter(gor(1), 300, G);
	/* H at 200 was not seen; G can't be open any more. */
	KUNIT_EXPECT_EQ(test, leave(gor(1), 200, H), UNKNOWN);
	expect_tally(test, G, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 300, G), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	expect_tally(test, F, 1, 1, 0);
	expect_tally(test, H, 0, 0, 0);
}

static void a_return_of_another_function_ends_none(struct kunit *test)
{
	enter(gor(1), 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, G), UNKNOWN);
	expect_tally(test, F, 1, 0, 1);
	expect_tally(test, G, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void the_next_goroutine_of_a_g_ends_the_calls_of_the_last(struct kunit *test)
{
	struct gp_calls_key next = gor(1);
	u32 i;

	next.goid = 99;
	for (i = 1; i <= 200; i++)
		enter(gor(1), i * 100, F);
	KUNIT_EXPECT_EQ(test, enter(next, 30000, G), KEPT);
	expect_tally(test, F, 200, 0, 200);
	KUNIT_EXPECT_EQ(test, leave(next, 30000, G), ENDED);
	expect_tally(test, G, 1, 1, 0);

	enter(next, 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), UNKNOWN);
	expect_tally(test, F, 201, 0, 201);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void a_long_unwinding_goes_in_steps(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 1000; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, F), KEPT);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 16, F), ENDED);
	expect_tally(test, F, 1000, 1, 999);
	for (i = 1; i <= 64; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, G), KEPT);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 16, G), KEPT);
	expect_tally(test, G, 65, 0, 64);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void recursion_deeper_than_there_is_room_is_said(struct kunit *test)
{
	u32 room = GP_CALLS_MIN + 1, i;

	for (i = 1; i <= room; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, F), KEPT);
	for (; i <= room + 100; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, F), FULL);
	/* Another goroutine has one call of its own. */
	KUNIT_EXPECT_EQ(test, enter(gor(2), 16, G), KEPT);
	KUNIT_EXPECT_EQ(test, enter(gor(2), 32, G), FULL);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 32, G), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 16, G), ENDED);
	for (i = room + 100; i > room; i--)
		KUNIT_ASSERT_EQ(test, leave(gor(1), i * 16, F), UNKNOWN);
	for (; i; i--)
		KUNIT_ASSERT_EQ(test, leave(gor(1), i * 16, F), ENDED);
	expect_tally(test, F, room, room, 0);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void more_goroutines_than_asked_for_have_open_calls(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= GP_CALLS_MIN; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(i), 100, F), KEPT);
	ticks += 2;
	for (i = GP_CALLS_MIN; i; i--)
		KUNIT_ASSERT_EQ(test, leave(gor(i), 100, F), ENDED);
	expect_tally(test, F, GP_CALLS_MIN, GP_CALLS_MIN, 0);
}

static void a_full_table_takes_what_it_can_and_says_so(struct kunit *test)
{
	u32 kept = 0, full = 0, i, n = calls->nstacks * 2;

	for (i = 1; i <= n; i++)
		if (enter(gor(i), 100, F) == KEPT)
			kept++;
		else
			full++;
	KUNIT_EXPECT_EQ(test, stacks_in_use(), kept);
	KUNIT_EXPECT_GT(test, kept, calls->nstacks / 2);
	KUNIT_EXPECT_GE(test, full, n - calls->nstacks);
	for (i = 1; i <= n; i++)
		if (leave(gor(i), 100, F) == ENDED)
			kept--;
		else
			full--;
	KUNIT_EXPECT_EQ(test, kept, 0U);
	KUNIT_EXPECT_EQ(test, full, 0U);
	/* Nobody has an open call any more, so others have room again. */
	for (i = n + 1; i <= n + GP_CALLS_MIN; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(i), 100, G), KEPT);
	for (i = n + 1; i <= n + GP_CALLS_MIN; i++)
		KUNIT_ASSERT_EQ(test, leave(gor(i), 100, G), ENDED);
}

/* A place is taken for another goroutine only while the first has no open call. */
static void a_taken_place_is_given_back_and_taken_again(struct kunit *test)
{
	u32 round, i;

	for (round = 0; round < 100; round++) {
		for (i = 0; i < 300; i++)
			KUNIT_ASSERT_EQ(test, enter(gor(round * 250 + i + 1), 100, F), KEPT);
		for (i = 0; i < 300; i++)
			KUNIT_ASSERT_EQ(test, enter(gor(round * 250 + i + 1), 200, G), KEPT);
		for (i = 0; i < 300; i++) {
			KUNIT_ASSERT_EQ(test, leave(gor(round * 250 + i + 1), 200, G), ENDED);
			KUNIT_ASSERT_EQ(test, leave(gor(round * 250 + i + 1), 100, F), ENDED);
		}
	}
	expect_tally(test, F, 30000, 30000, 0);
	expect_tally(test, G, 30000, 30000, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static bool process_1_is_alive(u64 process)
{
	return process == 1;
}

static void calls_of_ended_processes_are_forgotten(struct kunit *test)
{
	struct gp_calls_key dead = gor(1);
	u32 i;

	dead.process = 2;
	for (i = 1; i <= 200; i++)
		enter(dead, i * 100, F);
	enter(gor(1), 100, F);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 200ULL);
	expect_tally(test, F, 201, 0, 0);
	KUNIT_EXPECT_EQ(test, seen.gone, 200ULL);
	KUNIT_EXPECT_EQ(test, leave(dead, 100, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 0ULL);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

/* A model to compare with: every open call of every goroutine, in arrays. */
#define MODEL_GORS	12
#define MODEL_CALLS	40

struct model {
	u64 goid;
	u32 n;
	struct {
		u64 depth;
		u32 f;
	} call[MODEL_CALLS];
};

static u64 random_state;

static u32 rnd(u32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % n;
}

static u64 model_unwound[FUNCTIONS];

static void model_pop(struct model *m, u64 above)
{
	while (m->n && m->call[m->n - 1].depth > above)
		model_unwound[m->call[--m->n].f]++;
}

static void it_does_what_a_simple_model_does(struct kunit *test)
{
	struct model *model = kunit_kcalloc(test, MODEL_GORS, sizeof(*model), GFP_KERNEL);
	u64 entered[FUNCTIONS] = { }, returned[FUNCTIONS] = { };
	u32 step, i;

	KUNIT_ASSERT_NOT_NULL(test, model);
	memset(model_unwound, 0, sizeof(model_unwound));
	random_state = 88172645463325252ULL;
	for (i = 0; i < MODEL_GORS; i++)
		model[i].goid = i + 1;
	for (step = 0; step < 200000; step++) {
		u32 g = rnd(MODEL_GORS), f = rnd(FUNCTIONS), deepest;
		struct gp_calls_key key = gor(g + 1);
		struct model *m = &model[g];
		u64 depth;

		if (!rnd(500)) {
			model_pop(m, 0);
			m->goid += MODEL_GORS;
		}
		key.goid = m->goid;
		deepest = m->n ? m->call[m->n - 1].depth : 0;
		depth = rnd(8) ? deepest : 1 + rnd(deepest + 1);
		if (m->n < MODEL_CALLS && (!m->n || rnd(2))) {
			depth = rnd(8) || !depth ? depth + 1 + rnd(50) : depth;
			model_pop(m, depth - 1);
			m->call[m->n].depth = depth;
			m->call[m->n++].f = f;
			entered[f]++;
			KUNIT_ASSERT_EQ(test, enter(key, depth, f), KEPT);
			continue;
		}
		if (rnd(8) && m->n)
			f = m->call[m->n - 1].f;
		model_pop(m, depth);
		if (m->n && m->call[m->n - 1].depth == depth && m->call[m->n - 1].f == f) {
			m->n--;
			returned[f]++;
			KUNIT_ASSERT_EQ(test, leave(key, depth, f), ENDED);
		} else {
			model_pop(m, depth - 1);
			KUNIT_ASSERT_EQ(test, leave(key, depth, f), UNKNOWN);
		}
	}
	for (i = 0; i < FUNCTIONS; i++) {
		expect_tally(test, i, entered[i], returned[i], model_unwound[i]);
		KUNIT_EXPECT_GT(test, returned[i], 10000ULL);
		KUNIT_EXPECT_GT(test, model_unwound[i], 5000ULL);
	}
}

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

/* What the threads of a program can show us that wants to deceive us. */
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

/* ---- calls that are paired, whose records may be held ---- */

/* Records that nobody has: all are taken, and given back. */
static u32 held_free(void)
{
	static u32 numbers[HELD];
	u32 n = 0, i;

	while (n < HELD) {
		numbers[n] = gp_held_take(calls->held);
		if (!numbers[n])
			break;
		n++;
	}
	for (i = 0; i < n; i++)
		gp_held_give(calls->held, numbers[i]);
	return n;
}

static enum gp_calls_end open_held(struct gp_calls_key key, u32 depth, u32 f)
{
	return gp_calls_open(calls, key, depth, tally[f], gp_held_take(calls->held));
}

static enum gp_calls_end close_it(struct gp_calls_key key, u32 depth, u32 f,
				  struct gp_call *ret)
{
	memset(ret, 0, sizeof(*ret));
	return gp_calls_close(calls, key, depth, tally[f], ret);
}

static void a_close_gives_the_call_to_the_caller(struct kunit *test)
{
	u32 number = gp_held_take(calls->held);
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
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 1);
	gp_held_give(calls->held, number);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 100, P, &call), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(), HELD);
}

static void a_call_that_is_not_kept_leaves_its_record_to_the_caller(struct kunit *test)
{
	struct gp_calls_key nil = { .process = 1 };
	u32 room = GP_CALLS_MIN + 1, i, number;

	for (i = 1; i <= room; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 2, F), KEPT);
	number = gp_held_take(calls->held);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), i * 2, tally[P], number), FULL);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 1);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, nil, 1, tally[P], number), FULL);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 1);
	gp_held_give(calls->held, number);
	KUNIT_EXPECT_EQ(test, held_free(), HELD);
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
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 10);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 80, F), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 7);
	/* By a return of one. */
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 40, P, &call), ENDED);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 4);
	gp_held_give(calls->held, call.data);
	/* By a return that is not known, or of another function. */
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 25, P, &call), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 2);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 20, F, &call), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 1);
	/* By the quick way of another function's call, and of its return. */
	KUNIT_EXPECT_EQ(test, open_held(gor(1), 20, P), KEPT);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 20, F), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 10, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, held_free(), HELD);
	/* By another goroutine in its place. */
	for (i = 1; i <= HELD; i++)
		KUNIT_EXPECT_EQ(test, open_held(gor(1), i * 10, P), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(), 0U);
	next.goid = 99;
	KUNIT_EXPECT_EQ(test, enter(next, 10000, F), KEPT);
	KUNIT_EXPECT_EQ(test, held_free(), HELD);
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
		numbers[i] = gp_held_take(calls->held);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), 10, tally[F], numbers[0]), KEPT);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, gor(1), 20, tally[F], numbers[1]), KEPT);
	KUNIT_EXPECT_EQ(test, gp_calls_open(calls, dead, 10, tally[F], numbers[2]), KEPT);
	KUNIT_EXPECT_EQ(test, close_it(gor(1), 10, F, &call), ENDED);
	KUNIT_EXPECT_EQ(test, call.data, numbers[0]);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 1ULL);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 3);
	for (i = 0; i < 3; i++)
		gp_held_give(calls->held, numbers[i]);
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
	KUNIT_EXPECT_EQ(test, held_free(), 0U);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), HELD - 1ULL);
	KUNIT_EXPECT_EQ(test, held_free(), HELD - 1);
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
	/* What has ended without returning is no more. */
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

/* What threads of a program that wants to deceive us can do with what is held. */
static int deceive_held(void *arg)
{
	u32 seed = (u32)(long)arg, step, number, f;
	struct gp_calls_key key;
	struct gp_call call;

	for (step = 0; step < STEPS; step++) {
		seed = seed * 1664525 + 1013904223;
		key = gor(g_shown + (seed >> 30));
		key.goid += seed >> 29 & 1;
		key.process += seed >> 28 & 1;
		f = seed % (FUNCTIONS + 1);
		/* Of what is timed it would be the number of a key. */
		number = f == P && seed >> 27 & 1 ? gp_held_take(calls->held) : 0;
		if (gp_calls_open(calls, key, 1 + (seed >> 16) % 100, tally[f], number) != KEPT &&
		    number)
			gp_held_give(calls->held, number);
		seed = seed * 1664525 + 1013904223;
		if (gp_calls_close(calls, key, 1 + (seed >> 16) % 100,
				   tally[seed % (FUNCTIONS + 1)], &call) == ENDED && call.data)
			gp_held_give(calls->held, call.data);
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
	KUNIT_EXPECT_EQ(test, held_free(), HELD - n);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&tally[P]->open), open);
}

/* ---- the usual way ---- */

static enum gp_calls_end try_enter(struct gp_calls_key key, u32 depth, u32 f)
{
	return gp_calls_try_enter(calls, key, depth, tally[f]);
}

static enum gp_calls_end try_leave(struct gp_calls_key key, u32 depth, u32 f)
{
	return gp_calls_try_leave(calls, key, depth, tally[f], ticks);
}

static void set_pools_locked(int locked)
{
	u32 i;

	for (i = 0; i < calls->npools; i++)
		calls->pools[i].lock = locked;
}

#define RARE	GP_CALLS_RARE

static void what_is_not_as_usual_is_left_as_it_was(struct kunit *test)
{
	struct gp_stack *home = gp_calls_home(calls, 1, gor(1).g);
	struct gp_calls_key next = gor(1);
	u32 i;

	next.goid = 99;
	/* Nobody has that place yet. */
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 10, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), RARE);
	KUNIT_EXPECT_EQ(test, home->g, 0ULL);
	KUNIT_EXPECT_EQ(test, gp_calls_enter(calls, gor(1), 10, tally[F]), KEPT);
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 20, G), KEPT);
	/* As deep, or deeper; another function's; another goroutine's, or process's. */
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 20, F), RARE);
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 15, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 30, G), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, F), RARE);
	KUNIT_EXPECT_EQ(test, try_enter(next, 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(next, 20, G), RARE);
	home->process = 2;
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), RARE);
	home->process = 1;
	/* Somebody else has locked it, or the pools. */
	home->g |= GP_STACK_LOCKED;
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), RARE);
	home->g &= ~GP_STACK_LOCKED;
	set_pools_locked(1);
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), RARE);
	set_pools_locked(0);
	expect_tally(test, F, 1, 0, 0);
	expect_tally(test, G, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, taken(), 1U);
	KUNIT_EXPECT_EQ(test, home->g, gor(1).g);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
	/* No call is left. */
	for (i = 0; i < calls->npools; i++)
		calls->pools[i].free = NULL;
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), ENDED);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), ENDED);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), RARE);
	expect_tally(test, F, 1, 1, 0);
	expect_tally(test, G, 1, 1, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_return_ends_its_call, way_gen_params),
	KUNIT_CASE_PARAM(a_clock_that_steps_back_tells_no_time, way_gen_params),
	KUNIT_CASE_PARAM(a_long_call_is_told_exactly, way_gen_params),
	KUNIT_CASE_PARAM(nested_calls_end_one_after_the_other, way_gen_params),
	KUNIT_CASE_PARAM(goroutines_do_not_end_each_others_calls, way_gen_params),
	KUNIT_CASE_PARAM(a_call_ends_what_is_as_deep_or_deeper, way_gen_params),
	KUNIT_CASE_PARAM(nothing_is_less_deep_than_a_call_at_the_top_of_the_stack, way_gen_params),
	KUNIT_CASE_PARAM(a_return_ends_what_is_deeper, way_gen_params),
	KUNIT_CASE_PARAM(a_return_whose_call_is_not_known_ends_no_other, way_gen_params),
	KUNIT_CASE_PARAM(a_return_of_another_function_ends_none, way_gen_params),
	KUNIT_CASE_PARAM(the_next_goroutine_of_a_g_ends_the_calls_of_the_last, way_gen_params),
	KUNIT_CASE_PARAM(a_long_unwinding_goes_in_steps, way_gen_params),
	KUNIT_CASE_PARAM(recursion_deeper_than_there_is_room_is_said, way_gen_params),
	KUNIT_CASE_PARAM(more_goroutines_than_asked_for_have_open_calls, way_gen_params),
	KUNIT_CASE_PARAM(a_full_table_takes_what_it_can_and_says_so, way_gen_params),
	KUNIT_CASE_PARAM(a_taken_place_is_given_back_and_taken_again, way_gen_params),
	KUNIT_CASE_PARAM(calls_of_ended_processes_are_forgotten, way_gen_params),
	KUNIT_CASE_PARAM(it_does_what_a_simple_model_does, way_gen_params),
	KUNIT_CASE_PARAM(goroutines_move_between_threads_and_cpus, way_gen_params),
	KUNIT_CASE_PARAM(one_g_on_many_threads_breaks_nothing, way_gen_params),
	KUNIT_CASE_PARAM(places_are_claimed_by_one, way_gen_params),
	KUNIT_CASE(a_close_gives_the_call_to_the_caller),
	KUNIT_CASE(a_call_that_is_not_kept_leaves_its_record_to_the_caller),
	KUNIT_CASE_PARAM(what_is_paired_is_not_counted_as_timed, way_gen_params),
	KUNIT_CASE_PARAM(what_ends_without_returning_gives_its_record_back, way_gen_params),
	KUNIT_CASE(what_is_timed_by_key_gives_nothing_back),
	KUNIT_CASE_PARAM(open_calls_of_what_is_paired_are_counted, way_gen_params),
	KUNIT_CASE(records_of_ended_processes_are_given_back),
	KUNIT_CASE(what_is_not_as_usual_is_left_as_it_was),
	KUNIT_CASE_PARAM(a_call_that_passes_by_ends_what_is_as_deep, way_gen_params),
	KUNIT_CASE_PARAM(who_is_not_at_home_passes_by_as_well, way_gen_params),
	KUNIT_CASE_PARAM(what_is_further_up_is_found, way_gen_params),
	KUNIT_CASE_PARAM(what_is_below_the_first_call_is_not_looked_at, way_gen_params),
	KUNIT_CASE_PARAM(no_more_than_4096_calls_are_looked_at, way_gen_params),
	KUNIT_CASE(whatever_is_shown_no_record_gets_lost),
	{}
};

static struct kunit_suite suite = {
	.name = "calls",
	.init = calls_init,
	.exit = calls_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Open calls: KUnit suite");
