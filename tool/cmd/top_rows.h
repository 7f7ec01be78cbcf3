/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of the live table of functions: numbers between snapshots, order, selection, lines. */
#ifndef GOPROBE_CMD_TOP_ROWS_H
#define GOPROBE_CMD_TOP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "output/tallies.h"

/* Snapshots whose rates are kept. */
#define TOPROW_HISTORY 32

enum toprows_by {
	TOPROWS_BY_RATE,
	TOPROWS_BY_P50,
	TOPROWS_BY_P99,
	TOPROWS_BY_ERRORS,
	TOPROWS_BY_CALLS,
	TOPROWS_BY_NAME,
	TOPROWS_ORDERS,
};

/* A function. */
struct toprow {
	const char *name;		/* its name, the caller's */
	const char *shown;		/* what people call it, the caller's; NULL: its name */
	uint64_t calls;			/* calls so far */
	/* Of these, those that returned an error; the caller's, or NULL: not known. */
	const uint64_t *errors;
	/*
	 * Some calls had a duration; then @p50 and @p99 are those of the last snapshot that had new
	 * durations.
	 */
	bool timed;
	uint64_t p50;			/* half of these calls took at most so long, ns */
	uint64_t p99;			/* 99 of 100 did */
	uint64_t rates[TOPROW_HISTORY];	/* calls per second, the last snapshot first */
	struct histogram took;		/* the durations of all calls up to the last snapshot */
};

/* All functions. */
struct toprows {
	struct toprow *v;	/* by id */
	size_t n;		/* their number */
	/* Ids of those that were called, in the order in which they are shown. */
	uint32_t *order;
	size_t norder;		/* their number */
	enum toprows_by by;	/* what they are ordered by */
	size_t snapshots;	/* how many rates each row has, at most TOPROW_HISTORY */
	size_t selected;	/* place of the selected row in @order */
	/* The user has selected another row than the first; else the first one stays selected. */
	bool chosen;
	size_t first;		/* place of the first row on the screen */
};

/* For ids below @n; the caller sets both names, and errors. -1: no memory. */
int toprows_init(struct toprows *t, size_t n);
void toprows_fini(struct toprows *t);
/* A new snapshot, @ns after the one before. The rows are sorted. */
void toprows_add(struct toprows *t, const struct tallies *now, uint64_t ns);
/* Order the rows by @by. A function that the user has chosen stays selected. */
void toprows_sort(struct toprows *t, enum toprows_by by);
/* Select the row @by places further down, and scroll to it on a screen of @height rows. */
void toprows_move(struct toprows *t, long by, size_t height);
/* The selected row, or NULL: no function was called. */
const struct toprow *toprows_selected(const struct toprows *t);

/* The head of the table in @columns columns, at least 40; the order is marked. */
void toprows_head(struct buf *b, enum toprows_by by, size_t columns);
/* A row with @snapshots rates in exactly @columns columns, at least 40. */
void toprows_row(struct buf *b, const struct toprow *row, size_t snapshots, size_t columns);

#endif
