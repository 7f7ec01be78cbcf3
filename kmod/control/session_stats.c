// SPDX-License-Identifier: GPL-2.0
/* Counters of a session: its statistics, and how many hits have cost time. */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "control/filter_build.h"
#include "control/session_stats.h"
#include "hit/filter.h"
#include "session/jumps.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/remote.h"
#include "stats/tally.h"

/*
 * Drains take time, too. By instructions a note that a filter decides about costs less than half of
 * a hit, and one for a record a sixth; but those of a trap take longer than others.
 */
static u64 gp_session_noted(const u64 *notes)
{
	return notes[GOPROBE_STAT_JUMPED] / 4 +
	       (notes[GOPROBE_STAT_CALLS] + notes[GOPROBE_STAT_RETURNS]) / 16;
}

/**
 * gp_session_hits() - number of hits of breakpoints so far, as their cost goes
 * @s: the session; the caller has its turn, or its lock
 *
 * Return: the number; each timed call counts as two, notes as gp_session_noted() says.
 */
u64 gp_session_hits(struct gp_session *s)
{
	u64 notes[__GOPROBE_STAT_MAX] = {}, stats[__GOPROBE_STAT_MAX] = {}, hits;
	u32 i;

	/* Drains count notes as handlers count hits; what they count meanwhile passes for hits. */
	gp_stream_add_stats(s, nr_cpu_ids, notes);
	hits = atomic64_read(&s->no_ring) + gp_tallies_hits(&s->tallies) -
	       notes[GOPROBE_STAT_JUMPED] + gp_session_noted(notes);
	gp_stream_add_stats(s, 0, stats);
	/* A hit counts in exactly one of these; what counts in later ones counts here, too. */
	for (i = 0; i < GOPROBE_STAT_RELEASED; i++)
		hits += stats[i];
	for (i = 0; i < s->objects.nfilters; i++) {
		hits += gp_filter_rejected(s->objects.filters[i]);
		cond_resched();
	}
	return hits;
}

void gp_session_stats(struct gp_session *s, u64 stats[__GOPROBE_STAT_MAX])
{
	u64 jumped;
	u32 i;

	memset(stats, 0, sizeof(*stats) * __GOPROBE_STAT_MAX);
	gp_stream_drain_ready(s);
	gp_stream_add_stats(s, nr_cpu_ids, stats);
	/* What handlers have written took a trap. */
	stats[GOPROBE_STAT_JUMPED] += stats[GOPROBE_STAT_CALLS] + stats[GOPROBE_STAT_RETURNS];
	gp_stream_add_stats(s, 0, stats);
	stats[GOPROBE_STAT_JUMPS_LOST] = READ_ONCE(s->trapless.lost);
	stats[GOPROBE_STAT_JUMPS_NO_MEMORY] = READ_ONCE(s->trapless.no_memory);
	stats[GOPROBE_STAT_BROKEN] = READ_ONCE(s->breaker.broken);
	stats[GOPROBE_STAT_LOST_NO_RING] += atomic64_read(&s->no_ring);
	gp_jumps_count_open(s);
	gp_tallies_stats(&s->tallies, stats);
	for (i = 0; i < s->objects.nfilters; i++) {
		jumped = gp_remote_read(&s->objects.filters[i]->jumped);
		stats[GOPROBE_STAT_FILTERED] += gp_filter_rejected(s->objects.filters[i]) + jumped;
		stats[GOPROBE_STAT_JUMPED] += jumped;
		cond_resched();
	}
}
