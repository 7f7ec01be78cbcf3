/* SPDX-License-Identifier: GPL-2.0 */
/* Counts and times of the module by key. */
#ifndef GOPROBE_OUTPUT_KEY_STATS_H
#define GOPROBE_OUTPUT_KEY_STATS_H

#include "base/arena.h"
#include "base/hmap.h"
#include "output/stats.h"

/**
 * struct keyrow - of one function by one key
 * @id: the function
 * @nwords: words of the key
 * @key: the key
 * @calls: calls so far; of what is timed, those that have returned
 * @new: of these, since keyrows_begin() before the last one
 * @sum: ns of the calls
 * @min: ns of the shortest
 * @max: ns of the longest
 * @first: bucket of which @bucket begins
 * @nbuckets: how many follow; all others are 0
 * @bucket: calls that took as long
 * @cap: allocated in @bucket
 * @split: ns in each state (enum gostates), or NULL
 * @next: another one, whose key has the same hash
 */
struct keyrow {
	uint32_t id;
	uint32_t nwords;
	const uint64_t *key;
	uint64_t calls;
	uint64_t new;
	uint64_t sum;
	uint64_t min;
	uint64_t max;
	uint32_t first;
	uint32_t nbuckets;
	uint64_t *bucket;
	size_t cap;
	uint64_t *split;
	struct keyrow *next;
};

/**
 * struct keyrows - of all functions
 * @v: in the order in which they are shown
 * @n: their number
 * @nfuncs: ids are below it; others are left out
 * @cap: allocated in @v
 * @called: those with any calls: they come first
 * @known: by a hash of id and key
 * @mem: where rows and keys are
 *
 * All zero but @nfuncs, it is empty.
 */
struct keyrows {
	struct keyrow **v;
	size_t n;
	size_t nfuncs;
	size_t cap;
	size_t called;
	struct hmap known;
	struct arena mem;
};

void keyrows_fini(struct keyrows *k);
/* Before the module's keys are read once more. */
void keyrows_begin(struct keyrows *k);
/* A client_item_fn: a struct goprobe_key_stats. -1: no memory. */
int keyrows_add(void *keyrows, const void *item, const uint64_t *key);
void keyrows_sort(struct keyrows *k, enum tallies_by by);
/* The same as a function's. */
void keyrow_tally(const struct keyrow *row, struct tally *to);

#endif
