// SPDX-License-Identifier: GPL-2.0
/* Counts and times of a session's points: memory and reading. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gfp.h"
#include "stats/tally.h"

void gp_tallies_init(struct gp_tallies *tallies)
{
	xa_init_flags(&tallies->ids, XA_FLAGS_ACCOUNT);
}

static void gp_tally_free(struct gp_tally *tally)
{
	free_percpu(tally->states);
	free_percpu(tally->times);
	free_percpu(tally->hits);
	kfree(tally->muted);
	kfree(tally->remote);
	kfree(tally);
}

/* Context: no handler can run for the session. */
void gp_tallies_fini(struct gp_tallies *tallies)
{
	struct gp_tally *tally;
	unsigned long id;

	xa_for_each(&tallies->ids, id, tally) {
		gp_tally_free(tally);
		cond_resched();
	}
	xa_destroy(&tallies->ids);
}

static int gp_tally_add_times(struct gp_tallies *tallies, struct gp_tally *tally)
{
	struct gp_times __percpu *times;
	int cpu;

	if (tallies->ntimed == GP_TIMED_MAX)
		return -E2BIG;
	if (tallies->nstates && !tally->states) {
		u64 __percpu *states = __alloc_percpu_gfp(tallies->nstates * sizeof(u64),
							  sizeof(u64), GP_GFP_CHARGED);

		if (!states)
			return -ENOMEM;
		WRITE_ONCE(tally->states, states);
	}
	times = alloc_percpu_gfp(struct gp_times, GP_GFP_CHARGED);
	if (!times)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(times, cpu)->min = U64_MAX;
	/* Handlers of an earlier point of the id see the times initialized. */
	smp_store_release(&tally->times, times);
	tallies->ntimed++;
	return 0;
}

static struct gp_tally *gp_tally_new(struct gp_tallies *tallies, u32 id)
{
	struct gp_tally *tally = kzalloc(sizeof(*tally), GP_GFP_CHARGED);

	if (!tally)
		return NULL;
	tally->id = id;
	gp_remote_init(&tally->jumped);
	tally->hits = alloc_percpu_gfp(u64, GP_GFP_CHARGED);
	if (!tally->hits ||
	    xa_err(xa_store(&tallies->ids, id, tally, GP_GFP_CHARGED))) {
		gp_tally_free(tally);
		return NULL;
	}
	tallies->n++;
	return tally;
}

/**
 * gp_tallies_add() - add the tally of an id
 * @tallies: the session's
 * @id: the id; may already have a tally
 * @timed: it has points that time, or values
 *
 * A tally stays until the session ends, because open calls refer to it.
 *
 * Return: 0, -E2BIG or -ENOMEM.
 */
int gp_tallies_add(struct gp_tallies *tallies, u32 id, bool timed)
{
	struct gp_tally *tally = gp_tallies_find(tallies, id);

	if (!tally && tallies->n == GP_TALLIES_MAX)
		return -E2BIG;
	if (!tally)
		tally = gp_tally_new(tallies, id);
	if (!tally)
		return -ENOMEM;
	return timed && !tally->times ? gp_tally_add_times(tallies, tally) : 0;
}

/**
 * gp_tally_add_muted() - allow muted calls of an id
 * @tally: its tally
 *
 * Return: 0 or -ENOMEM.
 */
int gp_tally_add_muted(struct gp_tally *tally)
{
	struct gp_tally *muted;

	if (tally->muted)
		return 0;
	muted = kzalloc(sizeof(*muted), GP_GFP_CHARGED);
	if (!muted)
		return -ENOMEM;
	muted->id = tally->id;
	gp_remote_init(&muted->jumped);
	muted->roots = true;
	muted->mutes = true;
	smp_store_release(&tally->muted, muted);	/* as times */
	return 0;
}

/**
 * gp_tally_add_remote() - allow programs to time calls of an id
 * @tally: its tally; has times
 *
 * Return: 0 or -ENOMEM.
 */
int gp_tally_add_remote(struct gp_tally *tally)
{
	struct gp_tally_remote *remote;

	if (tally->remote)
		return 0;
	remote = kzalloc(sizeof(*remote), GP_GFP_CHARGED);
	if (!remote)
		return -ENOMEM;
	gp_remote_init_many(&remote->times, remote->past, ARRAY_SIZE(remote->past));
	smp_store_release(&tally->remote, remote);	/* as times */
	return 0;
}

/* Open calls in slots are counted again from here on. */
void gp_tallies_forget_slots(struct gp_tallies *tallies)
{
	struct gp_tally *tally;
	unsigned long id;

	xa_for_each(&tallies->ids, id, tally) {
		if (!tally->remote)
			continue;
		tally->remote->open = 0;
		tally->remote->exited = 0;
		cond_resched();
	}
}

/*
 * Update this CPU's minimum or maximum. Checked again with the CPU fixed: the task may have moved
 * to this CPU after the first check.
 */
void gp_tally_extreme(const struct gp_tally *tally, u64 rank)
{
	struct gp_times *times = get_cpu_ptr(tally->times);

	WRITE_ONCE(times->min, min(times->min, rank));
	WRITE_ONCE(times->max, max(times->max, rank));
	put_cpu_ptr(tally->times);
}

/* Count a call that spent @ns in each of @n states. Context: as of gp_tally_return(). */
void gp_tally_split(const struct gp_tally *tally, u32 n, const u64 *ns)
{
	u32 i;

	for (i = 0; i < n; i++)
		this_cpu_add(tally->states[i], ns[i]);
}

/* Sum up the CPUs' times by state. */
void gp_tally_read_states(const struct gp_tally *tally, u32 n, u64 *ns)
{
	int cpu;
	u32 i;

	memset(ns, 0, n * sizeof(*ns));
	for_each_possible_cpu(cpu)
		for (i = 0; i < n; i++)
			ns[i] += READ_ONCE(per_cpu_ptr(tally->states, cpu)[i]);
}

/* Hits of breakpoints that have counted. */
u64 gp_tally_trapped(const struct gp_tally *tally)
{
	u64 hits = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		hits += READ_ONCE(*per_cpu_ptr(tally->hits, cpu));
	return hits;
}

/* Calls that handlers have counted. */
u64 gp_tally_calls(const struct gp_tally *tally)
{
	u64 calls = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		calls += READ_ONCE(per_cpu_ptr(tally->times, cpu)->calls);
	return calls;
}

static void gp_times_stats(const struct gp_times *times, u64 stats[__GOPROBE_STAT_MAX])
{
	u32 i;

	stats[GOPROBE_STAT_OPENED] += READ_ONCE(times->calls);
	for (i = 0; i < GOPROBE_BUCKETS; i++)
		stats[GOPROBE_STAT_TIMED] += READ_ONCE(times->bucket[i]);
}

/* Hits of breakpoints that were counted here; each timed call counts as two. */
u64 gp_tallies_hits(struct gp_tallies *tallies)
{
	struct gp_tally *tally;
	unsigned long id;
	u64 hits = 0;

	xa_for_each(&tallies->ids, id, tally) {
		hits += gp_tally_trapped(tally);
		cond_resched();
		if (tally->times)
			hits += 2 * gp_tally_calls(tally);
	}
	return hits;
}

/*
 * Calls that programs timed themselves, and those that are open in slots. Of the latter, and of
 * calls that handlers have taken from there, those that handlers have not put there have jumped.
 */
static void gp_tally_remote_stats(const struct gp_tally *tally, u64 stats[__GOPROBE_STAT_MAX])
{
	u64 bucket[4], ended = 0, calls;
	u32 at, i;
	int cpu;

	BUILD_BUG_ON(GP_DETOUR_BUCKETS % ARRAY_SIZE(bucket));
	for (at = 0; at < GP_DETOUR_BUCKETS; at += ARRAY_SIZE(bucket)) {
		memset(bucket, 0, sizeof(bucket));
		gp_remote_read_many(&tally->remote->times, at, ARRAY_SIZE(bucket), bucket);
		for (i = 0; i < ARRAY_SIZE(bucket); i++)
			ended += bucket[i];
	}
	calls = ended + tally->remote->open;
	stats[GOPROBE_STAT_TIMED] += ended;
	stats[GOPROBE_STAT_OPENED] += calls;
	for_each_possible_cpu(cpu)
		calls += READ_ONCE(per_cpu_ptr(tally->times, cpu)->slots);
	/* A program can have emptied slots that handlers have filled. */
	stats[GOPROBE_STAT_JUMPED] += ended + max_t(s64, calls, 0);
}

/* Sum up the hits that were counted here: COUNTED, OPENED, TIMED and JUMPED. */
void gp_tallies_stats(struct gp_tallies *tallies, u64 stats[__GOPROBE_STAT_MAX])
{
	struct gp_tally *tally;
	unsigned long id;
	u64 jumped;
	int cpu;

	xa_for_each(&tallies->ids, id, tally) {
		jumped = gp_remote_read(&tally->jumped);
		stats[GOPROBE_STAT_COUNTED] += gp_tally_trapped(tally) + jumped;
		stats[GOPROBE_STAT_JUMPED] += jumped;
		cond_resched();
		/* Hits with values have been counted above. */
		if (!tally->times || tally->valued)
			continue;
		for_each_possible_cpu(cpu)
			gp_times_stats(per_cpu_ptr(tally->times, cpu), stats);
		if (tally->remote)
			gp_tally_remote_stats(tally, stats);
	}
}

static void gp_times_add(struct goprobe_tally *to, u64 bucket[GOPROBE_BUCKETS],
			 const struct gp_times *times)
{
	u32 i;

	for (i = 0; i < GOPROBE_BUCKETS; i++)
		bucket[i] += READ_ONCE(times->bucket[i]);
	to->calls += READ_ONCE(times->calls);
	to->unwound += READ_ONCE(times->unwound);
	to->exited += READ_ONCE(times->exited);
	to->filtered += READ_ONCE(times->filtered);
	to->sum += READ_ONCE(times->sum);
	to->min = min(to->min, READ_ONCE(times->min));
	to->max = max(to->max, READ_ONCE(times->max));
}

/* Begin with the numbers of the programs. */
static void gp_tally_add_programs(const struct gp_tally *tally, struct goprobe_tally *to,
				  u64 bucket[GOPROBE_BUCKETS])
{
	struct gp_tally_remote *remote = tally->remote;
	u32 i;

	gp_remote_read_many(&remote->times, 0, GP_DETOUR_BUCKETS, bucket);
	gp_remote_read_many(&remote->times, GP_DETOUR_BUCKETS, 1, &to->sum);
	to->calls = remote->open;
	to->exited = remote->exited;
	for (i = 0; i < GP_DETOUR_BUCKETS; i++)
		to->calls += bucket[i];
}

/**
 * gp_tally_read() - sum up the CPUs' numbers
 * @tally: the tally
 * @id: its id
 * @ret: set to the numbers, in the protocol's form
 * @bucket: set to the buckets; @ret names those in use
 *
 * Return: number of durations.
 */
u64 gp_tally_read(struct gp_tally *tally, u32 id, struct goprobe_tally *ret,
		  u64 bucket[GOPROBE_BUCKETS])
{
	u32 last = GOPROBE_BUCKETS;
	u64 n = 0;
	int cpu;
	u32 i;

	memset(ret, 0, sizeof(*ret));
	ret->id = id;
	ret->hits = gp_tally_trapped(tally) + gp_remote_read(&tally->jumped);
	if (!tally->times)
		return 0;
	memset(bucket, 0, GOPROBE_BUCKETS * sizeof(*bucket));
	ret->min = U64_MAX;
	if (tally->remote)
		gp_tally_add_programs(tally, ret, bucket);
	for_each_possible_cpu(cpu)
		gp_times_add(ret, bucket, per_cpu_ptr(tally->times, cpu));
	while (last && !bucket[last - 1])
		last--;
	while (ret->first < last && !bucket[ret->first])
		ret->first++;
	ret->nbuckets = last - ret->first;
	for (i = ret->first; i < last; i++)
		n += bucket[i];
	return n;
}
