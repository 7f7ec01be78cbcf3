// SPDX-License-Identifier: GPL-2.0
/* Counts and times of the module by function. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "output/tallies.h"

int tallies_init(struct tallies *t, size_t n)
{
	*t = (struct tallies){ .n = n, .nrows = n };
	t->v = calloc(n + 1, sizeof(*t->v));
	t->order = calloc(n + 1, sizeof(*t->order));
	t->key = calloc(n + 1, sizeof(*t->key));
	return t->v && t->order && t->key ? 0 : -1;
}

void tallies_fini(struct tallies *t)
{
	free(t->v);
	free(t->row);
	free(t->rows);
	free(t->order);
	free(t->key);
}

int tallies_join(struct tallies *t, uint32_t id, uint32_t row, bool unsure)
{
	if (!t->row) {
		t->row = calloc(t->n + 1, sizeof(*t->row));
		t->rows = calloc(t->n + 1, sizeof(*t->rows));
		if (!t->row || !t->rows)
			return -1;
		for (uint32_t i = 0; i < t->n; i++)
			t->row[i] = i;
	}
	t->row[id] = row;
	t->nrows -= id != row;
	t->v[id].places = 1;
	t->v[id].unsure = unsure;
	return 0;
}

const struct tally *tallies_row(const struct tallies *t, uint32_t id)
{
	return t->row ? &t->rows[id] : &t->v[id];
}

static void add_up(struct tallies *t)
{
	for (size_t i = 0; i < t->n; i++)
		t->rows[i] = (struct tally){ 0 };
	for (size_t i = 0; i < t->n; i++) {
		struct tally *to = &t->rows[t->row[i]];
		const struct tally *from = &t->v[i];

		to->calls += from->calls;
		to->new += from->new;
		to->places += from->places;
		to->unsure += from->unsure;
		to->inlined += from->places ? from->calls : 0;
	}
}

void tallies_begin(struct tallies *t)
{
	/* The module reports only functions with new calls. */
	for (size_t i = 0; i < t->n; i++)
		t->v[i].new = 0;
}

/* How many calls there were: of those that are filtered at their end, without these. */
static uint64_t calls_of(const struct tally *t, const struct goprobe_tally *from)
{
	uint64_t calls = from->hits + from->calls;

	if (t->ends)
		return t->took.n;
	return calls > from->filtered ? calls - from->filtered : 0;
}

void tallies_set_split(struct tally *t, uint32_t nstates, const uint64_t *states)
{
	t->is_split = nstates == __GOSTATES_MAX;
	if (t->is_split)
		memcpy(t->split, states, sizeof(t->split));
}

struct histogram tallies_took(const struct goprobe_tally *from, const uint64_t *buckets)
{
	struct histogram h = { .sum = from->sum, .min = from->min, .max = from->max };

	if (from->nbuckets)
		memcpy(h.bucket + from->first, buckets, from->nbuckets * sizeof(*buckets));
	for (uint32_t i = 0; i < from->nbuckets; i++)
		h.n += buckets[i];
	return h;
}

int tallies_add(void *tallies, const void *item, const uint64_t *buckets)
{
	const struct goprobe_tally *from = item;
	struct tallies *t = tallies;
	struct tally *to;
	uint64_t calls;

	if (from->id >= t->n)
		return 0;
	to = &t->v[from->id];
	to->unwound = from->unwound;
	to->gone = from->exited;
	to->took = tallies_took(from, buckets);
	tallies_set_split(to, from->nstates, from->nstates ? buckets + from->nbuckets : NULL);
	calls = calls_of(to, from);
	/* Its parts are not read in the same moment. */
	to->new = calls > to->calls ? calls - to->calls : 0;
	to->calls = calls;
	return 0;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const uint64_t *key = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (key[x] != key[y])
		return key[x] < key[y] ? 1 : -1;
	return x < y ? -1 : x > y;
}

void tallies_sort(struct tallies *t, enum tallies_by by)
{
	t->norder = 0;
	if (t->row)
		add_up(t);
	for (size_t i = 0; i < t->n; i++) {
		const struct tally *one = tallies_row(t, i);

		t->key[i] = by == TALLIES_BY_TIME ? one->took.sum :
			    by == TALLIES_BY_NEW ? one->new : one->calls;
		if (one->calls)
			t->order[t->norder++] = i;
	}
	qsort_r(t->order, t->norder, sizeof(*t->order), compare, t->key);
}

uint64_t tallies_open(const struct tally *t)
{
	uint64_t ended = t->took.n + t->unwound + t->gone;

	return t->calls > ended ? t->calls - ended : 0;
}
