// SPDX-License-Identifier: GPL-2.0
/* Counts and times of the module by key. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/key_stats.h"

void key_stats_fini(struct key_stats *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->v[i]->bucket);
	free(k->v);
	hmap_fini(&k->known);
	arena_fini(&k->mem);
}

void key_stats_begin(struct key_stats *k)
{
	/* The module reports only keys with new calls. */
	for (size_t i = 0; i < k->n; i++)
		k->v[i]->new = 0;
}

static struct key_stats_row *make(struct key_stats *k, uint64_t hash,
				  struct key_stats_row *same_hash, uint32_t id, const uint64_t *key,
				  uint32_t nwords)
{
	struct key_stats_row *row = arena_alloc(&k->mem, sizeof(*row));
	uint64_t *words = arena_array(&k->mem, nwords + 1, sizeof(*words));

	if (!row || !words || grow(&k->v, k->n + 1, &k->cap, sizeof(struct key_stats_row *)) ||
	    hmap_put(&k->known, hash, row))
		return NULL;
	memcpy(words, key, nwords * sizeof(*words));
	row->id = id;
	row->key = words;
	row->nwords = nwords;
	row->next = same_hash;
	k->v[k->n++] = row;
	return row;
}

static struct key_stats_row *find(struct key_stats *k, uint32_t id, const uint64_t *key,
				  uint32_t nwords)
{
	uint64_t hash = hmap_hash(id, key, nwords * sizeof(*key));
	struct key_stats_row *head = hmap_get(&k->known, hash), *row;

	for (row = head; row; row = row->next)
		if (row->id == id && row->nwords == nwords &&
		    !memcmp(row->key, key, nwords * sizeof(*key)))
			return row;
	return make(k, hash, head, id, key, nwords);
}

int key_stats_add(void *keyrows, const void *item, const uint64_t *key)
{
	const struct goprobe_key_stats *from = item;
	const uint64_t *buckets = key + from->key_bytes / sizeof(*key);
	const struct goprobe_tally *t = &from->tally;
	uint64_t calls = t->hits + t->calls;
	struct key_stats *k = keyrows;
	struct key_stats_row *row;

	if (t->id >= k->nfuncs || t->first + t->nbuckets > GOPROBE_BUCKETS)
		return 0;
	row = find(k, t->id, key, from->key_bytes / sizeof(*key));
	if (!row || grow(&row->bucket, t->nbuckets, &row->cap, sizeof(*buckets)))
		return -1;
	row->first = t->first;
	row->nbuckets = t->nbuckets;
	if (t->nbuckets)
		memcpy(row->bucket, buckets, t->nbuckets * sizeof(*buckets));
	if (t->nstates == __GOSTATES_MAX && !row->split)
		row->split = arena_array(&k->mem, __GOSTATES_MAX, sizeof(*row->split));
	if (t->nstates == __GOSTATES_MAX && !row->split)
		return -1;
	if (row->split)
		memcpy(row->split, buckets + t->nbuckets, __GOSTATES_MAX * sizeof(*row->split));
	row->sum = t->sum;
	row->min = t->min;
	row->max = t->max;
	/* Its parts are not read in the same moment. */
	row->new = calls > row->calls ? calls - row->calls : 0;
	row->calls = calls;
	return 0;
}

static uint64_t rank(const struct key_stats_row *row, enum tallies_by by)
{
	return by == TALLIES_BY_TIME ? row->sum : by == TALLIES_BY_NEW ? row->new : row->calls;
}

/* What is equal is ordered by its key, so that the order is always the same. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct key_stats_row *x = *(struct key_stats_row *const *)a,
				   *y = *(struct key_stats_row *const *)b;
	enum tallies_by by = *(const enum tallies_by *)ctx;

	if (!x->calls != !y->calls)
		return x->calls ? -1 : 1;
	if (rank(x, by) != rank(y, by))
		return rank(x, by) < rank(y, by) ? 1 : -1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	for (uint32_t i = 0; i < x->nwords && i < y->nwords; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return x->nwords < y->nwords ? -1 : x->nwords > y->nwords;
}

void key_stats_sort(struct key_stats *k, enum tallies_by by)
{
	if (k->n)
		qsort_r(k->v, k->n, sizeof(struct key_stats_row *), compare, &by);
	for (k->called = k->n; k->called && !k->v[k->called - 1]->calls;)
		k->called--;
}

void key_stats_row_tally(const struct key_stats_row *row, struct tally *to)
{
	*to = (struct tally){
		.calls = row->calls, .new = row->new,
		.took = { .sum = row->sum, .min = row->min, .max = row->max },
	};
	for (uint32_t i = 0; i < row->nbuckets; i++) {
		to->took.bucket[row->first + i] = row->bucket[i];
		to->took.n += row->bucket[i];
	}
	if (row->split)
		tallies_set_split(to, __GOSTATES_MAX, row->split);
}
