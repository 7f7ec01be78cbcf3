/* SPDX-License-Identifier: GPL-2.0 */
/* Tables and summaries of counted and timed calls. */
#ifndef GOPROBE_OUTPUT_STATS_PRINT_H
#define GOPROBE_OUTPUT_STATS_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "gotype/shape.h"
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
	void (*put)(const struct stats_print *s, const struct stats_print_when *when,
		    const struct stats_print_items *items, struct buf *b);
};

/**
 * struct stats_print_end - the end of a session
 * @ns: how long it counted
 * @stats: the session's counters
 */
struct stats_print_end {
	uint64_t ns;
	const uint64_t *stats;
};

/**
 * struct stats_print_when - what a table is about
 * @real: now, ns since 1970
 * @ns: since the last table; 0: the table is about all calls, not about new ones
 */
struct stats_print_when {
	uint64_t real;
	uint64_t ns;
};

/**
 * struct stats_print_item - a row of a table
 * @tally: its numbers
 * @func: the function's name
 * @label: what text shows of function and key
 * @key: the key as JSON, or as labels; or NULL: the row is about all calls of the function
 * @copies: places that the function was inlined into, and that are not in @tally
 */
struct stats_print_item {
	struct tally tally;
	const char *func;
	const char *label;
	const char *key;
	uint32_t copies;
};

/**
 * struct stats_print_items - the rows of a table
 * @head: head of the labels
 * @n: their number
 * @item: row @i, whose texts stay until the next call
 * @ctx: first argument of @item
 */
struct stats_print_items {
	const char *head;
	size_t n;
	void (*item)(void *ctx, size_t i, struct stats_print_item *ret);
	void *ctx;
};

/* A table of @items, s->top of them at most. The others call it, unless there is a @s->put. */
void stats_print_items(const struct stats_print *s, const struct stats_print_when *when,
		       const struct stats_print_items *items, struct buf *b);
/* The functions in @t->order. */
void stats_print_table(const struct stats_print *s, const struct tallies *t,
		       const struct stats_print_when *when, struct buf *b);
/* The names of all functions that text can show. */
void stats_print_names(const struct stats_print *s, struct shape_names *names);
/* The last line of JSON. */
void stats_print_summary(const struct stats_print *s, const struct tallies *t,
			 const struct stats_print_end *end, struct buf *b);
/* For people: how many calls of how many functions, and what has not been timed. */
void stats_print_say(const struct stats_print *s, const struct tallies *t,
		     const struct stats_print_end *end, struct buf *b);

#endif
