/* SPDX-License-Identifier: GPL-2.0 */
/* What has been counted and timed, as text and as JSON. */
#ifndef GOPROBE_TALLYSHOW_H
#define GOPROBE_TALLYSHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "plan.h"
#include "tallies.h"

/**
 * struct tallyshow - how it is shown
 * @plan: names of the functions
 * @timed: they have been timed, not only counted
 * @json: in JSON
 * @histogram: every function's durations, too
 * @top: functions at most; 0: all
 */
struct tallyshow {
	const struct plan *plan;
	bool timed;
	bool json;
	bool histogram;
	uint64_t top;
};

/**
 * struct tallyshow_end - what is told at the end
 * @ns: how long it was counted
 * @stats: the session's counters
 */
struct tallyshow_end {
	uint64_t ns;
	const uint64_t *stats;
};

/*
 * The functions in @t->order. @real: now, ns since 1970. @ns: since the last time, or 0:
 * then it is about all calls, not about new ones.
 */
void tallyshow_table(const struct tallyshow *s, const struct tallies *t, uint64_t real, uint64_t ns,
		     struct buf *b);
/* The last line of JSON. */
void tallyshow_summary(const struct tallyshow *s, const struct tallies *t,
		       const struct tallyshow_end *end, struct buf *b);
/* For people: how many calls of how many functions, and what has not been timed. */
void tallyshow_say(const struct tallyshow *s, const struct tallies *t,
		   const struct tallyshow_end *end, struct buf *b);

#endif
