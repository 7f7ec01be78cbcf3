/* SPDX-License-Identifier: GPL-2.0 */
/* Tables and summaries of counted and timed calls. */
#ifndef GOPROBE_OUTPUT_STATS_PRINT_H
#define GOPROBE_OUTPUT_STATS_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "gotype/shown_name.h"
#include "output/key_stats.h"
#include "output/tallies.h"
#include "plan/plan.h"

struct stats_print_items;
struct stats_print_when;

/**
 * struct stats_print - how it is shown
 * @plan: names of the functions
 * @timed: they have been timed, not only counted
 * @json: in JSON
 * @trapless: some may have been counted or timed without a trap
 * @valued: calls have values
 * @histogram: every function's durations or values, too
 * @top: functions, or keys, at most; 0: all
 * @keys: what has been counted by key, or NULL
 * @labels: keys are labels of metrics, as text
 * @exact: the text of a key is what identifies it
 * @whose: labels of all metrics, which say what they are of; or NULL
 * @put: writes a table, or NULL: stats_print_items() does
 */
struct stats_print {
	const struct plan *plan;
	bool timed;
	bool json;
	bool trapless;
	bool valued;
	bool histogram;
	uint64_t top;
	const struct key_stats *keys;
	bool labels;
	bool exact;
	const char *whose;
	void (*put)(const struct stats_print *s, const struct stats_print_when *when,
		    const struct stats_print_items *items, struct buf *b);
};

/* The end of a session. */
struct stats_print_end {
	uint64_t ns;	/* how long it counted */
	const uint64_t *stats;	/* the session's counters */
};

/* What a table is about. */
struct stats_print_when {
	uint64_t real;	/* now, ns since 1970 */
	/* since the last table; 0: the table is about all calls, not about new ones */
	uint64_t ns;
};

/* A row of a table. */
struct stats_print_item {
	struct tally tally;	/* its numbers */
	const char *func;	/* the function's name */
	const char *label;	/* what text shows of function and key */
	/* the key as JSON, or as labels; or NULL: the row is about all calls of the function */
	const char *key;
	/* places that the function was inlined into, and that are not in @tally */
	uint32_t copies;
};

/* The rows of a table. */
struct stats_print_items {
	const char *head;	/* head of the labels */
	size_t n;	/* their number */
	/* row @i, whose texts stay until the next call */
	void (*item)(void *ctx, size_t i, struct stats_print_item *ret);
	void *ctx;	/* first argument of @item */
};

/* A table of @items, s->top of them at most. The others call it, unless there is a @s->put. */
void stats_print_items(const struct stats_print *s, const struct stats_print_when *when,
		       const struct stats_print_items *items, struct buf *b);
/* The number of all calls of @item that has @key in JSON; false: rows like it do not have it. */
bool stats_print_number(const struct stats_print *s, const struct stats_print_item *item,
			const char *key, uint64_t *ret);
/* The functions in @t->order. */
void stats_print_table(const struct stats_print *s, const struct tallies *t,
		       const struct stats_print_when *when, struct buf *b);
/* The names of all functions that text can show. */
void stats_print_names(const struct stats_print *s, struct shown_names *names);
/* The last line of JSON. */
void stats_print_summary(const struct stats_print *s, const struct tallies *t,
			 const struct stats_print_end *end, struct buf *b);
/* For people: how many calls of how many functions, and what has not been timed. */
void stats_print_say(const struct stats_print *s, const struct tallies *t,
		     const struct stats_print_end *end, struct buf *b);

#endif
