/* SPDX-License-Identifier: GPL-2.0 */
/* Counts and times of the module by key. */
#ifndef GOPROBE_OUTPUT_KEY_STATS_H
#define GOPROBE_OUTPUT_KEY_STATS_H

#include "base/arena.h"
#include "base/hmap.h"
#include "output/tallies.h"

/* Of one function by one key. */
struct key_stats_row {
	uint32_t id;		/* the function */
	uint32_t nwords;	/* words of the key */
	const uint64_t *key;	/* the key */
	uint64_t calls;		/* calls so far; of what is timed, those that have returned */
	uint64_t new;		/* of these, since key_stats_begin() before the last one */
	uint64_t sum;		/* ns of the calls */
	uint64_t min;		/* ns of the shortest */
	uint64_t max;		/* ns of the longest */
	uint32_t first;		/* bucket of which @bucket begins */
	uint32_t nbuckets;	/* how many follow; all others are 0 */
	uint64_t *bucket;	/* calls that took as long */
	size_t cap;		/* allocated in @bucket */
	uint64_t *split;	/* ns in each state (enum sched_state), or NULL */
	struct key_stats_row *next;	/* another one, whose key has the same hash */
};

/* Of all functions. All zero but @nfuncs, it is empty. */
struct key_stats {
	struct key_stats_row **v;	/* in the order in which they are shown */
	size_t n;		/* their number */
	size_t nfuncs;		/* ids are below it; others are left out */
	size_t cap;		/* allocated in @v */
	size_t called;		/* those with any calls: they come first */
	struct hmap known;	/* by a hash of id and key */
	struct arena mem;	/* where rows and keys are */
};

void key_stats_fini(struct key_stats *k);
/* Before the module's keys are read once more. */
void key_stats_begin(struct key_stats *k);
/* A client_item_fn: a struct goprobe_key_stats. -1: no memory. */
int key_stats_add(void *keyrows, const void *item, const uint64_t *key);
void key_stats_sort(struct key_stats *k, enum tallies_by by);
/* The same as a function's. */
void key_stats_row_tally(const struct key_stats_row *row, struct tally *to);

#endif
