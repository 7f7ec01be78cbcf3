// SPDX-License-Identifier: GPL-2.0
/* A table of goroutines by process and id, and lists of them by last use. */
#include <stdlib.h>

#include "event/goroutine_table.h"

#define BUCKETS_LEAST 256U
/* Lists of goroutines by process. */
#define PROCESSES 4096U
/* Goroutine ids do not get that large. */
#define KEY_SYSTEM (1ULL << 63)

uint64_t goroutine_key(uint64_t goid, uint32_t tid, bool system)
{
	return system ? tid | KEY_SYSTEM : goid;
}

bool goroutine_is_system(const struct goroutine *g)
{
	return g->key & KEY_SYSTEM;
}

int goroutine_table_init(struct goroutine_table *t, size_t size)
{
	t->size = size;
	t->nbuckets = BUCKETS_LEAST;
	t->buckets = calloc(t->nbuckets, sizeof(struct goroutine *));
	t->processes = calloc(PROCESSES, sizeof(struct goroutine *));
	return t->buckets && t->processes ? 0 : -1;
}

static void free_all(struct goroutine *g)
{
	while (g) {
		struct goroutine *next = g->chain;

		free(g);
		g = next;
	}
}

void goroutine_table_fini(struct goroutine_table *t)
{
	for (size_t i = 0; t->buckets && i < t->nbuckets; i++)
		free_all(t->buckets[i]);
	free_all(t->free);
	free(t->buckets);
	free(t->processes);
}

/* Without memory chains get longer, that is all. */
static void rehash(struct goroutine_table *t)
{
	struct goroutine **old = t->buckets;
	size_t n = t->nbuckets;
	struct goroutine **bigger = calloc(2 * n, sizeof(struct goroutine *));

	if (!bigger)
		return;
	t->buckets = bigger;
	t->nbuckets = 2 * n;
	for (size_t i = 0; i < n; i++) {
		for (struct goroutine *g = old[i], *next; g; g = next) {
			struct goroutine **to = goroutine_bucket(t, g->tgid, g->key);

			next = g->chain;
			g->chain = *to;
			*to = g;
		}
	}
	free(old);
}

static struct goroutine **process_of(const struct goroutine_table *t, uint32_t tgid)
{
	return &t->processes[tgid % PROCESSES];
}

struct goroutine *goroutine_add(struct goroutine_table *t, uint32_t tgid, uint64_t key)
{
	struct goroutine *g = t->free, **bucket, **first = process_of(t, tgid);

	if (g)
		t->free = g->chain;
	else
		g = calloc(1, t->size);
	if (!g)
		return NULL;
	if (t->n++ >= t->nbuckets)
		rehash(t);
	bucket = goroutine_bucket(t, tgid, key);
	*g = (struct goroutine){ .key = key, .tgid = tgid, .chain = *bucket, .mate = *first };
	*bucket = g;
	if (g->mate)
		g->mate->mate_before = g;
	*first = g;
	return g;
}

void goroutine_remove(struct goroutine_table *t, struct goroutine *g)
{
	struct goroutine **link = goroutine_bucket(t, g->tgid, g->key);

	while (*link != g)
		link = &(*link)->chain;
	*link = g->chain;
	*(g->mate_before ? &g->mate_before->mate : process_of(t, g->tgid)) = g->mate;
	if (g->mate)
		g->mate->mate_before = g->mate_before;
	g->chain = t->free;
	t->free = g;
	t->n--;
}

struct goroutine *goroutine_of_process(const struct goroutine_table *t, uint32_t tgid,
				       const struct goroutine *last)
{
	struct goroutine *g = last ? last->mate : *process_of(t, tgid);

	while (g && g->tgid != tgid)
		g = g->mate;
	return g;
}
