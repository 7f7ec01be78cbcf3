/* SPDX-License-Identifier: GPL-2.0 */
/* A table of goroutines by process and id, and lists of them by last use. Pure. */
#ifndef GOPROBE_EVENT_GOROUTINE_TABLE_H
#define GOPROBE_EVENT_GOROUTINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A goroutine, or a thread's system stack; the first member of a larger struct. */
struct goroutine {
	uint64_t key;	/* goroutine_key(): names it in its process */
	uint32_t tgid;	/* process */
	struct goroutine *chain;	/* next in the hash chain; or the next free one */
	struct goroutine *mate;	/* next in the list of its process, which other processes share */
	struct goroutine *mate_before;	/* the one before */
	struct goroutine *older;	/* link in a goroutine_list */
	struct goroutine *newer;	/* see @older */
};

/* Goroutines, the one that was used longest ago first. A zeroed list is empty and usable. */
struct goroutine_queue {
	struct goroutine *oldest;	/* first */
	struct goroutine *newest;	/* last */
	size_t n;	/* their number */
};

/* All goroutines. */
struct goroutine_table {
	size_t size;			/* bytes of the struct that begins with struct goroutine */
	struct goroutine **buckets;	/* hash table, a power of two */
	size_t nbuckets;		/* its size */
	size_t n;			/* goroutines in it */
	struct goroutine **processes;	/* the first goroutine of each list by process */
	struct goroutine *free;		/* removed ones */
};

/* A system stack is the thread's, whichever goroutine it works for. */
uint64_t goroutine_key(uint64_t goid, uint32_t tid, bool system);
bool goroutine_is_system(const struct goroutine *g);

/* 0, or -1 without memory; goroutine_table_fini() is needed either way. */
int goroutine_table_init(struct goroutine_table *t, size_t size);
/* Also ends the memory of all goroutines; what they own must be freed before. */
void goroutine_table_fini(struct goroutine_table *t);

static inline struct goroutine **goroutine_bucket(const struct goroutine_table *t, uint32_t tgid,
						  uint64_t key)
{
	uint64_t h = (key ^ (uint64_t)tgid << 32) * 0x9e3779b97f4a7c15ULL;

	return &t->buckets[(h >> 32) & (t->nbuckets - 1)];
}

static inline struct goroutine *goroutine_find(const struct goroutine_table *t, uint32_t tgid,
					       uint64_t key)
{
	struct goroutine *g = *goroutine_bucket(t, tgid, key);

	while (g && (g->key != key || g->tgid != tgid))
		g = g->chain;
	return g;
}

/*
 * One that is not in the table; NULL without memory. What follows its struct goroutine is zero, or
 * as a removed one left it.
 */
struct goroutine *goroutine_add(struct goroutine_table *t, uint32_t tgid, uint64_t key);
/* It is in no list any more. Its memory may be the next one's. */
void goroutine_remove(struct goroutine_table *t, struct goroutine *g);
/* The first goroutine of process @tgid, or the next after @last; NULL: none. */
struct goroutine *goroutine_of_process(const struct goroutine_table *t, uint32_t tgid,
				       const struct goroutine *last);

static inline void goroutine_queue_append(struct goroutine_queue *l, struct goroutine *g)
{
	g->older = l->newest;
	g->newer = NULL;
	*(l->newest ? &l->newest->newer : &l->oldest) = g;
	l->newest = g;
	l->n++;
}

static inline void goroutine_queue_unlink(struct goroutine_queue *l, struct goroutine *g)
{
	*(g->older ? &g->older->newer : &l->oldest) = g->newer;
	*(g->newer ? &g->newer->older : &l->newest) = g->older;
	l->n--;
}

#endif
