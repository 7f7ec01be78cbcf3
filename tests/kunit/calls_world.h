/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the suites of open calls: a table of calls, timed functions and a paired one,
 * goroutines of a process, and a clock of the test.
 */
#ifndef CALLS_WORLD_H
#define CALLS_WORLD_H

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

#include "../../kmod/stats/remote.c"
#include "../../kmod/stats/tally.c"
#include "../../kmod/stats/calls.c"
#include "../../kmod/stats/calls_scan.c"
#include "../../kmod/stats/pending.c"
#include "../../kmod/stats/states.c"
#include "held.h"

#define KEPT	GP_CALLS_KEPT
#define FULL	GP_CALLS_FULL
#define ENDED	GP_CALLS_ENDED
#define UNKNOWN	GP_CALLS_UNKNOWN

enum { F, G, H, FUNCTIONS };

/* A function that is paired: its calls are not timed, their records may be held. */
#define P	FUNCTIONS
#define HELD	65U

static struct gp_tallies tallies;
static struct gp_tally *tally[FUNCTIONS + 1];
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

static inline void way_desc(const struct way_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(way, way_cases, way_desc);

static bool general;

static inline int calls_init(struct kunit *test)
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
		gp_tallies_find(&tallies, i)->counts_open = i == P;
	}
	ticks = 1000;
	calls = gp_calls_new(GP_CALLS_MIN);
	if (!calls)
		return -ENOMEM;
	calls->held = gp_pending_new(HELD, sizeof(struct gp_pending_record));
	return calls->held ? 0 : -ENOMEM;
}

static inline void calls_exit(struct kunit *test)
{
	gp_calls_free(calls);
	gp_tallies_fini(&tallies);
}

/* A goroutine of process 1: its g is where others are not, its id as large. */
static inline struct gp_calls_key gor(u64 n)
{
	return (struct gp_calls_key){ .process = 1, .g = 0xc000000000 + n * 448, .goid = n };
}

static inline enum gp_calls_end enter(struct gp_calls_key key, u32 depth, u32 f)
{
	if (!general && gp_calls_try_enter(calls, key, depth, tally[f]) == KEPT)
		return KEPT;
	return gp_calls_enter(calls, key, depth, tally[f]);
}

static inline enum gp_calls_end leave(struct gp_calls_key key, u32 depth, u32 f)
{
	if (!general && gp_calls_try_leave(calls, key, depth, tally[f], ticks) == ENDED)
		return GP_CALLS_ENDED;
	return gp_calls_leave(calls, key, depth, tally[f], ticks);
}

static struct goprobe_tally seen;
static u64 buckets[GOPROBE_BUCKETS];

/* Number of durations of a function; the rest of it is in seen. */
static inline u64 look(u32 f)
{
	return gp_tally_read(tally[f], f, &seen, buckets);
}

/* Calls, returns and unwound calls of a function are these. */
static inline void expect_tally(struct kunit *test, u32 f, u64 entered, u64 returned, u64 unwound)
{
	KUNIT_EXPECT_EQ(test, look(f), returned);
	KUNIT_EXPECT_EQ(test, seen.calls, entered);
	KUNIT_EXPECT_EQ(test, seen.unwound, unwound);
}

/* Calls that are in no pool, by what is in them. */
static inline u32 taken(void)
{
	const struct gp_call *call;
	u32 i, n = GP_CALLS_MIN;

	for (i = 0; i < calls->npools; i++)
		for (call = calls->pools[i].free; call; call = call->below)
			n--;
	return n;
}

static inline u32 stacks_in_use(void)
{
	u32 i, n = 0;

	for (i = 0; i < calls->nstacks; i++)
		n += !!calls->stacks[i].top;
	return n;
}

static inline bool process_1_is_alive(u64 process)
{
	return process == 1;
}

#endif
