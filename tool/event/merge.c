// SPDX-License-Identifier: GPL-2.0
/*
 * The merge of per-CPU records by time: a queue of records for each GOPROBE_A_CPU, and a heap of
 * the queues with records, ordered by the time of their first record.
 *
 * Records do not move, and memory of records that were handed out is freed: no more is in use
 * than the queued records and a block for each CPU.
 */
#include <stdlib.h>
#include <string.h>

#include "event/merge.h"
#include "event/record.h"

/* Bytes of a block: a netlink message carries no more at once. */
#define BLOCK_BYTES (256U << 10)

/* Records, one after another. */
struct block {
	struct block *next;	/* the next block of the same queue, or of those that are spent */
	size_t end;		/* end of the records */
	size_t cap;		/* its capacity */
	uint8_t p[];		/* whole records */
};

_Static_assert(sizeof(struct block) % 8 == 0, "records are aligned");

/* Records of one CPU. */
struct queue {
	/* Where the next record to hand out is; of an empty queue, its one block or NULL. */
	struct block *first;
	struct block *last;	/* where records are added */
	size_t at;		/* first byte of @first that was not handed out */
	size_t bytes;		/* that were not handed out, of all blocks */
	uint32_t cpu;		/* whose */
	/*
	 * When the first record sorts: its time, but never before the time of the one ahead of it,
	 * so that a CPU's own order always wins.
	 */
	uint64_t time;
	size_t size;		/* of the first record */
};

/* See event/merge.h. */
struct merge {
	struct queue **queues;	/* by first appearance */
	size_t nqueues;		/* their number */
	struct queue **heap;	/* queues that hold records, the earliest first */
	size_t nheap;		/* their number */
	/* Blocks of which the last record has been handed out, and may be in use. */
	struct block *spent;
};

static void free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

struct merge *merge_new(void)
{
	return calloc(1, sizeof(struct merge));
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nqueues; i++) {
		free_blocks(m->queues[i]->first);
		free(m->queues[i]);
	}
	free_blocks(m->spent);
	free(m->queues);
	free(m->heap);
	free(m);
}

static bool earlier(const struct queue *a, const struct queue *b)
{
	return a->time != b->time ? a->time < b->time : a->cpu < b->cpu;
}

static void sift_down(struct merge *m, size_t i)
{
	struct queue *q = m->heap[i];

	for (size_t child; (child = 2 * i + 1) < m->nheap; i = child) {
		if (child + 1 < m->nheap && earlier(m->heap[child + 1], m->heap[child]))
			child++;
		if (!earlier(m->heap[child], q))
			break;
		m->heap[i] = m->heap[child];
	}
	m->heap[i] = q;
}

static void sift_up(struct merge *m, size_t i)
{
	struct queue *q = m->heap[i];

	for (; i && earlier(q, m->heap[(i - 1) / 2]); i = (i - 1) / 2)
		m->heap[i] = m->heap[(i - 1) / 2];
	m->heap[i] = q;
}

static struct queue *queue_of(struct merge *m, uint32_t cpu)
{
	for (size_t i = 0; i < m->nqueues; i++)
		if (m->queues[i]->cpu == cpu)
			return m->queues[i];

	struct queue **queues = realloc(m->queues, (m->nqueues + 1) * sizeof(*queues));

	if (!queues)
		return NULL;
	m->queues = queues;

	struct queue **heap = realloc(m->heap, (m->nqueues + 1) * sizeof(*heap));

	if (!heap)
		return NULL;
	m->heap = heap;

	struct queue *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->cpu = cpu;
	m->queues[m->nqueues++] = q;
	return q;
}

/* Make space for @len bytes in the last block. */
static bool queue_reserve(struct queue *q, size_t len)
{
	size_t cap = len > BLOCK_BYTES ? len : BLOCK_BYTES;
	struct block *last = q->last, *b;

	if (last && last->cap - last->end >= len)
		return true;
	b = malloc(sizeof(*b) + cap);
	if (!b)
		return false;
	b->next = NULL;
	b->end = 0;
	b->cap = cap;
	if (last && q->bytes) {
		last->next = b;
	} else {
		/* The one block of an empty queue. */
		free(last);
		q->first = b;
	}
	q->last = b;
	return true;
}

/* Look at the first record; merge_add() has shown that it is well-formed. */
static void queue_head(struct queue *q)
{
	uint64_t time = 0;

	record_peek(q->first->p + q->at, q->first->end - q->at, &q->size, &time);
	if (time > q->time)
		q->time = time;
}

int64_t merge_add(struct merge *m, uint32_t cpu, const uint8_t *p, size_t len)
{
	struct queue *q = queue_of(m, cpu);
	size_t good = 0, size;
	uint64_t time;

	if (!q)
		return -1;
	free_blocks(m->spent);
	m->spent = NULL;
	while (good < len && record_peek(p + good, len - good, &size, &time))
		good += size;
	if (!good)
		return len;
	if (!queue_reserve(q, good))
		return -1;
	memcpy(q->last->p + q->last->end, p, good);
	q->last->end += good;
	q->bytes += good;
	if (q->bytes == good) {
		queue_head(q);
		m->heap[m->nheap] = q;
		sift_up(m, m->nheap++);
	}
	return len - good;
}

bool merge_ready(const struct merge *m, uint64_t until)
{
	return m->nheap && m->heap[0]->time <= until;
}

const uint8_t *merge_next(struct merge *m, uint64_t until, size_t *len)
{
	if (!merge_ready(m, until))
		return NULL;

	struct queue *q = m->heap[0];
	struct block *b = q->first;
	const uint8_t *p = b->p + q->at;

	*len = q->size;
	q->at += q->size;
	q->bytes -= q->size;
	if (q->at == b->end) {
		q->at = 0;
		if (b->next) {
			q->first = b->next;
			b->next = m->spent;
			m->spent = b;
		} else {
			b->end = 0;
		}
	}
	if (q->bytes)
		queue_head(q);
	else
		m->heap[0] = m->heap[--m->nheap];
	if (m->nheap)
		sift_down(m, 0);
	return p;
}

size_t merge_pending(const struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nqueues; i++)
		n += m->queues[i]->bytes;
	return n;
}
