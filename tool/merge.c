// SPDX-License-Identifier: GPL-2.0
/*
 * Merge per-CPU records by time: a queue of bytes for each CPU, and a heap of
 * the CPUs that have some, ordered by the time of their first record.
 */
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "record.h"

/**
 * struct queue - records of one CPU
 * @p: records, one after another
 * @at: first byte that was not handed out
 * @end: end of the bytes
 * @cap: bytes allocated
 * @cpu: whose
 * @time: when the first record sorts: its time, but never before the time of
 *	the one ahead of it, so that a CPU's own order always wins
 * @size: of the first record
 */
struct queue {
	uint8_t *p;
	size_t at;
	size_t end;
	size_t cap;
	uint32_t cpu;
	uint64_t time;
	size_t size;
};

/**
 * struct merge - see merge.h
 * @queues: by first appearance
 * @nqueues: their number
 * @heap: queues that hold records, the earliest first
 * @nheap: their number
 */
struct merge {
	struct queue **queues;
	size_t nqueues;
	struct queue **heap;
	size_t nheap;
};

struct merge *merge_new(void)
{
	return calloc(1, sizeof(struct merge));
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nqueues; i++) {
		free(m->queues[i]->p);
		free(m->queues[i]);
	}
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

static bool queue_room(struct queue *q, size_t len)
{
	/* Moved only if that makes as much room as it moves: else each byte costs again. */
	if (q->at && q->at >= q->end - q->at && q->cap - q->end < len) {
		memmove(q->p, q->p + q->at, q->end - q->at);
		q->end -= q->at;
		q->at = 0;
	}
	if (q->cap - q->end >= len)
		return true;

	size_t cap = q->cap ? q->cap : 65536;

	while (cap - q->end < len)
		cap *= 2;

	uint8_t *p = realloc(q->p, cap);

	if (!p)
		return false;
	q->p = p;
	q->cap = cap;
	return true;
}

/* Look at the first record; merge_add() has shown that it is well-formed. */
static void queue_head(struct queue *q)
{
	uint64_t time = 0;

	record_peek(q->p + q->at, q->end - q->at, &q->size, &time);
	if (time > q->time)
		q->time = time;
}

int64_t merge_add(struct merge *m, uint32_t cpu, const uint8_t *p, size_t len)
{
	struct queue *q = queue_of(m, cpu);
	size_t good = 0, size;
	uint64_t time;

	if (!q || !queue_room(q, len))
		return -1;
	if (!len)
		return 0;	/* q->p may be NULL */

	bool was_empty = q->at == q->end;

	memcpy(q->p + q->end, p, len);
	while (good < len && record_peek(q->p + q->end + good, len - good, &size, &time))
		good += size;
	q->end += good;
	if (was_empty && good) {
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
	const uint8_t *p = q->p + q->at;

	*len = q->size;
	q->at += q->size;
	if (q->at < q->end) {
		queue_head(q);
	} else {
		/* The bytes stay where they are until merge_add() needs the room. */
		q->at = 0;
		q->end = 0;
		m->heap[0] = m->heap[--m->nheap];
	}
	if (m->nheap)
		sift_down(m, 0);
	return p;
}

size_t merge_pending(const struct merge *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nqueues; i++)
		n += m->queues[i]->end - m->queues[i]->at;
	return n;
}
