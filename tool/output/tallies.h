/* SPDX-License-Identifier: GPL-2.0 */
/* Counts and times of the module by function. */
#ifndef GOPROBE_OUTPUT_TALLIES_H
#define GOPROBE_OUTPUT_TALLIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <goprobe.h>

#include "compile/group_by.h"
#include "gobin/sched_state.h"
#include "output/histogram.h"

/* Of one function. */
struct tally {
	uint64_t calls;			/* calls so far */
	uint64_t new;			/* of these, since tallies_begin() before the last one */
	uint64_t unwound;		/* calls that ended by panic or Goexit */
	uint64_t gone;			/* calls that were open when their process exited */
	/* A condition is about the end of calls: only calls with a duration count. */
	bool ends;
	const struct group_by_value *value;	/* what @took is about; NULL: durations */
	/*
	 * Durations, ns; or values. Of signed values @min and @max have the highest bit inverted.
	 */
	struct histogram took;
	bool is_split;			/* how they divide is known */
	uint64_t split[__GOSTATES_MAX];	/* ns in each state */
	uint32_t places;		/* of a row: inlined places that are in it */
	uint32_t unsure;		/* of these: plan_at.unsure */
	uint64_t inlined;		/* calls at these */
};

/* Of all functions. */
struct tallies {
	struct tally *v;	/* by id */
	size_t n;		/* number of functions */
	/* For each the row that it is in, by its id; or NULL: each has one. */
	uint32_t *row;
	struct tally *rows;	/* by id of the row: its sum, if there is @row */
	size_t nrows;		/* number of rows */
	/* Ids of the rows that were called, in the order in which they are shown. */
	uint32_t *order;
	size_t norder;		/* their number */
	uint64_t *key;		/* what they are ordered by, by id */
};

/* For ids below @n. -1: no memory. */
int tallies_init(struct tallies *t, size_t n);
void tallies_fini(struct tallies *t);

/*
 * Of counted calls: @id is an inlined place in the row of @row. All others have rows of their own.
 * -1: no memory.
 */
int tallies_join(struct tallies *t, uint32_t id, uint32_t row, bool unsure);
/* The sum of a row, since tallies_sort(). */
const struct tally *tallies_row(const struct tallies *t, uint32_t id);

/* Before the module's tallies are read once more. */
void tallies_begin(struct tallies *t);
/* What follows the buckets. */
void tallies_set_split(struct tally *t, uint32_t nstates, const uint64_t *states);
/* Durations, or values, of @from, whose @buckets these are. */
struct histogram tallies_took(const struct goprobe_tally *from, const uint64_t *buckets);
/* A client_item_fn: a struct goprobe_tally. An id that was not asked for is left out. */
int tallies_add(void *tallies, const void *item, const uint64_t *buckets);

/* Which functions come first: those that were called most, or took most time. */
enum tallies_by { TALLIES_BY_CALLS, TALLIES_BY_NEW, TALLIES_BY_TIME };
void tallies_sort(struct tallies *t, enum tallies_by by);

/* Calls that have not ended yet. */
uint64_t tallies_open(const struct tally *t);

#endif
