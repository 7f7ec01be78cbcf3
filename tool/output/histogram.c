// SPDX-License-Identifier: GPL-2.0
/* Numbers in buckets. */
#include <string.h>

#include "output/histogram.h"

uint64_t histogram_from(unsigned int bucket)
{
	if (bucket < 4)
		return bucket;
	if (bucket >= GOPROBE_BUCKETS)
		return UINT64_MAX;
	return (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

/* The bucket of the number that @permille of all are not above; @rank: its rank there, from 1. */
static unsigned int find_bucket(const struct histogram *h, unsigned int permille, uint64_t *rank)
{
	unsigned int i = 0;

	/* Without a product that could overflow. */
	*rank = h->n / 1000 * permille + (h->n % 1000 * permille + 999) / 1000;
	if (*rank < 1)
		*rank = 1;
	while (i < GOPROBE_BUCKETS - 1 && h->bucket[i] < *rank)
		*rank -= h->bucket[i++];
	return i;
}

uint64_t histogram_quantile(const struct histogram *h, unsigned int permille)
{
	uint64_t rank, from, width, at = 0;
	unsigned int i;

	if (!h->n)
		return 0;
	i = find_bucket(h, permille, &rank);
	from = histogram_from(i);
	width = histogram_from(i + 1) - from;
	/* The last one of a bucket is at its end, less one. */
	if (h->bucket[i])
		at = (uint64_t)((double)width * rank / h->bucket[i]);
	at = from + (at < width ? at : width);
	if (at > from)
		at--;
	return at < h->min ? h->min : at > h->max ? h->max : at;
}

uint64_t histogram_quantile_floor(const struct histogram *h, unsigned int permille)
{
	uint64_t rank;

	return h->n ? histogram_from(find_bucket(h, permille, &rank)) : 0;
}

uint64_t histogram_row_from(unsigned int row)
{
	return row ? 1ULL << (row - 1) : 0;
}

static unsigned int row_of(unsigned int bucket)
{
	uint64_t from = histogram_from(bucket);

	return from ? 64 - __builtin_clzll(from) : 0;
}

void histogram_rows(const struct histogram *h, uint64_t rows[HISTOGRAM_ROWS])
{
	memset(rows, 0, HISTOGRAM_ROWS * sizeof(*rows));
	for (unsigned int i = 0; i < GOPROBE_BUCKETS; i++)
		rows[row_of(i)] += h->bucket[i];
}
