/* SPDX-License-Identifier: GPL-2.0 */
/* Sums, extremes and histograms of values. */
#ifndef GOPROBE_OUTPUT_VALUE_STATS_H
#define GOPROBE_OUTPUT_VALUE_STATS_H

#include "output/row.h"
#include "output/tallies.h"

/* Cells of a row: sum, mean, minimum and maximum; in JSON also the expression and its type. */
void valuestats_put(struct row *r, const struct tally *t);
/* Are the values durations? */
bool valuestats_are_durations(const struct group_by_value *v);
/*
 * The sum of the values of @t, as the weight of something: 0, and false, if it is negative or has
 * exceeded 64 bits.
 */
bool valuestats_weight(const struct tally *t, uint64_t *ret);
/* "from" of bucket @i in JSON: its least value; or "below", of the one below those of --linear. */
void valuestats_from(const struct tally *t, unsigned int i, struct buf *b);
/* Rows of a histogram: powers of two, or those of --linear. Return: their number. */
unsigned int valuestats_rows(const struct tally *t, uint64_t rows[GOPROBE_BUCKETS]);
/* Append where row @row begins. */
void valuestats_label(const struct tally *t, unsigned int row, struct buf *b);

#endif
