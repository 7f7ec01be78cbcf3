/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers in buckets, four for each power of two, as the module has them (see
 * GOPROBE_BUCKETS in goprobe.h for what a bucket holds).
 */
#ifndef GOPROBE_OUTPUT_HISTOGRAM_H
#define GOPROBE_OUTPUT_HISTOGRAM_H

#include <stdint.h>
#include <goprobe.h>

/* How often which numbers came. */
struct histogram {
	uint64_t bucket[GOPROBE_BUCKETS];	/* how many in each bucket */
	uint64_t n;				/* how many in all */
	uint64_t sum;				/* of the numbers */
	uint64_t min;				/* the least; any value if @n is 0 */
	uint64_t max;				/* the greatest */
};

/* The least number of a bucket; of GOPROBE_BUCKETS: the greatest of all. */
uint64_t histogram_from(unsigned int bucket);
/*
 * The number that @permille of all are not above: found in its bucket as if the numbers
 * there were evenly spread, so it is off by an eighth at most, and exact where it is the
 * least or the greatest. 0 if there are none.
 */
uint64_t histogram_quantile(const struct histogram *h, unsigned int permille);
/* Where that number's bucket begins: of 1000 numbers at least 1000 - @permille are not below. */
uint64_t histogram_quantile_floor(const struct histogram *h, unsigned int permille);

/* Powers of two: row 0 holds 0, row r from 2^(r-1) to below 2^r. */
#define HISTOGRAM_ROWS 65
void histogram_rows(const struct histogram *h, uint64_t rows[HISTOGRAM_ROWS]);
/* Where row @row begins. */
uint64_t histogram_row_from(unsigned int row);

#endif
