/* SPDX-License-Identifier: GPL-2.0 */
/* What has been counted and timed, as text and as JSON. */
#ifndef GOPROBE_OUTPUT_STATS_PRINT_H
#define GOPROBE_OUTPUT_STATS_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "gotype/shape.h"
#include "output/key_stats.h"
#include "output/stats.h"
#include "plan/plan.h"

/**
 * struct tallyshow - how it is shown
 * @plan: names of the functions
 * @timed: they have been timed, not only counted
 * @json: in JSON
 * @histogram: every function's durations, too
 * @top: functions, or keys, at most; 0: all
 * @keys: what has been counted by key, or NULL
 */
struct tallyshow {
	const struct plan *plan;
	bool timed;
	bool json;
	bool histogram;
	uint64_t top;
	const struct keyrows *keys;
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
/* What its functions are called in text. */
void tallyshow_names(const struct tallyshow *s, struct goshape_names *names);
/* Parts of it: the head, whose @last column is that of @what in a line, and lines. */
void tallyshow_head(const struct tallyshow *s, uint64_t ns, const char *last, struct buf *b);
void tallyshow_line(const struct tallyshow *s, const struct tally *t, const char *what,
		    uint64_t ns, struct buf *b);
void tallyshow_histogram(const struct tally *t, const char *what, struct buf *b);
/* Members of a JSON object. */
void tallyshow_json_calls(const struct tally *t, uint64_t real, uint64_t ns, struct buf *b);
void tallyshow_json_times(const struct tallyshow *s, const struct tally *t, struct buf *b);
/* The last line of JSON. */
void tallyshow_summary(const struct tallyshow *s, const struct tallies *t,
		       const struct tallyshow_end *end, struct buf *b);
/* For people: how many calls of how many functions, and what has not been timed. */
void tallyshow_say(const struct tallyshow *s, const struct tallies *t,
		   const struct tallyshow_end *end, struct buf *b);

#endif
