/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts and times of a session's points, without records: for each id the number of hits, and the
 * durations of its calls, or values that its hits have.
 *
 * Each CPU adds to its own numbers, with instructions that neither an interrupt nor a preemption
 * can tear: writers need no lock and never wait. A reader sums up the CPUs' numbers; while handlers
 * run, these are from slightly different moments.
 */
#ifndef GP_TALLY_H
#define GP_TALLY_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <goprobe.h>

#include "arch/detour.h"
#include "stats/remote.h"

/* See struct goprobe_limits: 2 MiB and 32 MiB for each CPU. */
#define GP_TALLIES_MAX	(256U << 10)
#define GP_TIMED_MAX	(16U << 10)

/**
 * struct gp_times - one CPU's share of an id's calls
 * @calls: calls that were remembered
 * @unwound: ... that ended without returning
 * @exited: ... whose process exited first
 * @filtered: ... whose end did not pass its filter
 * @sum: ns of calls that returned
 * @min: ns; U64_MAX: none
 * @max: ns
 * @slots: calls in slots of programs that did not end in a detour, less those that handlers have
 *	put there; modulo 2^64
 * @bucket: calls by duration
 */
struct gp_times {
	u64 calls;
	u64 unwound;
	u64 exited;
	u64 filtered;
	u64 sum;
	u64 min;
	u64 max;
	u64 slots;
	u64 bucket[GOPROBE_BUCKETS];
};

/**
 * struct gp_tally_remote - calls that programs time themselves
 * @times: the buckets and the sum of ns
 * @past: of @times
 * @open: calls that were open in slots of programs when they were last counted
 * @exited: of these, calls of processes that have ended
 */
struct gp_tally_remote {
	struct gp_remote times;
	u64 past[GP_DETOUR_BUCKETS + 1];
	u64 open;
	u64 exited;
};

/**
 * struct gp_tally - counts and times of an id
 * @id: the id
 * @hits: hits of points that count
 * @times: NULL: it has no points that time, and no values
 * @states: ns by state of the calls in buckets; NULL: the session has no states
 * @paired: it has points that are paired, and none that time
 * @valued: its hits have values, which are in @times; it has no points that time
 * @roots: its calls count for GOPROBE_OP_ROOT
 * @mutes: it is the @muted of another tally
 * @muted: the tally of its muted calls, or NULL. So no return matches a muted call, and nothing is
 *	counted or timed for it
 * @unwound: its calls are pending, and written if GOPROBE_ACTION_UNWIND ends them
 * @opens: it has points that open paired calls
 * @counts_open: such a point has a filter, which looks at @open if it rejects a call
 * @open: number of open paired calls. Counted only with @counts_open: all CPUs write it
 * @jumped: hits that programs counted themselves
 * @remote: calls that they timed themselves, or NULL; with @times
 *
 * Flags and pointers are set when points are added, at most once, while handlers of other points
 * of the id may run. A change that comes after a hit counts from the next hit on.
 */
struct gp_tally {
	u32 id;
	u64 __percpu *hits;
	struct gp_times __percpu *times;
	u64 __percpu *states;
	bool paired;
	bool valued;
	bool roots;
	bool mutes;
	struct gp_tally *muted;
	bool unwound;
	bool opens;
	bool counts_open;
	atomic_t open;
	struct gp_remote jumped;
	struct gp_tally_remote *remote;
};

/**
 * struct gp_tallies - the tallies of a session
 * @ids: struct gp_tally by id; never removed
 * @n: their number
 * @ntimed: number of those with times or values
 * @nstates: the session's states; fixed
 */
struct gp_tallies {
	struct xarray ids;
	u32 n;
	u32 ntimed;
	u32 nstates;
};

/* Context of all functions that handlers do not use: the session's lock. */
void gp_tallies_init(struct gp_tallies *tallies);
void gp_tallies_fini(struct gp_tallies *tallies);
int gp_tallies_add(struct gp_tallies *tallies, u32 id, bool timed);
int gp_tally_add_muted(struct gp_tally *tally);
int gp_tally_add_remote(struct gp_tally *tally);
void gp_tallies_forget_slots(struct gp_tallies *tallies);
u64 gp_tallies_hits(struct gp_tallies *tallies);
u64 gp_tally_trapped(const struct gp_tally *tally);
u64 gp_tally_calls(const struct gp_tally *tally);
void gp_tallies_stats(struct gp_tallies *tallies, u64 stats[__GOPROBE_STAT_MAX]);
u64 gp_tally_read(struct gp_tally *tally, u32 id, struct goprobe_tally *ret,
		  u64 bucket[GOPROBE_BUCKETS]);
void gp_tally_split(const struct gp_tally *tally, u32 n, const u64 *ns);
void gp_tally_read_states(const struct gp_tally *tally, u32 n, u64 *ns);

static inline struct gp_tally *gp_tallies_find(struct gp_tallies *tallies, u32 id)
{
	return xa_load(&tallies->ids, id);
}

/* Functions that handlers use. Context: a task; preemption may be on. */

static __always_inline void gp_tally_hit(const struct gp_tally *tally)
{
	this_cpu_inc(*tally->hits);
}

static __always_inline void gp_tally_call(const struct gp_tally *tally)
{
	this_cpu_inc(tally->times->calls);
}

/* Count a call that was in a slot of its program. */
static __always_inline void gp_tally_from_slot(const struct gp_tally *tally)
{
	gp_tally_call(tally);
	this_cpu_inc(tally->times->slots);
}

/* Do not count a call whose handler has put it in a slot: the slot's end counts. */
static __always_inline void gp_tally_to_slot(const struct gp_tally *tally)
{
	this_cpu_dec(tally->times->slots);
}

static __always_inline void gp_tally_exited(const struct gp_tally *tally)
{
	this_cpu_inc(tally->times->exited);
}

/* Count an open or ended paired call, if asked for. Counters change in spite of const. */
static __always_inline void gp_tally_open(const struct gp_tally *tally, int calls)
{
	/* data_race(): set before its first hit, and never changed. */
	if (data_race(tally->counts_open))
		atomic_add(calls, (atomic_t *)&tally->open);
}

static __always_inline void gp_tally_unwound(const struct gp_tally *tally)
{
	this_cpu_inc(tally->times->unwound);
}

static __always_inline void gp_tally_filtered(const struct gp_tally *tally)
{
	this_cpu_inc(tally->times->filtered);
}

/* See GOPROBE_BUCKETS. */
static __always_inline u32 gp_tally_bucket(u64 ns)
{
	u32 top;

	if (unlikely(ns < 4))
		return ns;
	top = __fls(ns);
	return (top - 1) * 4 + (ns >> (top - 2) & 3);
}

void gp_tally_extreme(const struct gp_tally *tally, u64 rank);

/**
 * struct gp_value - a duration, or a value of the program, as tallies add it
 * @n: what the sum gets
 * @rank: a number that orders like the value
 * @bucket: its bucket
 */
struct gp_value {
	u64 n;
	u64 rank;
	u32 bucket;
};

static __always_inline struct gp_value gp_tally_unsigned(u64 value)
{
	return (struct gp_value){ .n = value, .rank = value, .bucket = gp_tally_bucket(value) };
}

/* A signed value: see GOPROBE_BUCKETS. */
static inline struct gp_value gp_tally_signed(s64 value)
{
	u64 n = value < 0 ? ~value : value;
	u32 top = n < 2 ? 0 : __fls(n), at = n;

	if (top)
		at = 2 * top + (n >> (top - 1) & 1);
	return (struct gp_value){
		.n = value,
		.rank = value ^ BIT_ULL(63),
		.bucket = value < 0 ? GOPROBE_BUCKETS / 2 - 1 - at : GOPROBE_BUCKETS / 2 + at,
	};
}

static __always_inline void gp_tally_value(const struct gp_tally *tally, struct gp_value v)
{
	struct gp_times __percpu *times = tally->times;

	this_cpu_inc(times->bucket[v.bucket]);
	this_cpu_add(times->sum, v.n);
	if (unlikely(v.rank < this_cpu_read(times->min) || v.rank > this_cpu_read(times->max)))
		gp_tally_extreme(tally, v.rank);
}

static __always_inline void gp_tally_return(const struct gp_tally *tally, u64 ns)
{
	gp_tally_value(tally, gp_tally_unsigned(ns));
}

#endif
