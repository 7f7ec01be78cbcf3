// SPDX-License-Identifier: GPL-2.0
/* A record's chunks as memory: the bytes at an address. */
#include <stdlib.h>

#include "value/memory.h"

/* With fewer chunks than these, looking at each is quicker than an index. */
#define FEW 12

const char *value_mem_status(uint32_t status)
{
	switch (status) {
	case GOPROBE_CHUNK_OK:
		return NULL;
	case GOPROBE_CHUNK_FAULT:
		return "no readable memory";
	case GOPROBE_CHUNK_REMOTE:
		return "not in memory, on a remote file system";
	case GOPROBE_CHUNK_BAD:
		return "impossible length";
	case GOPROBE_CHUNK_NIL:
		return "nil pointer";
	case GOPROBE_CHUNK_RANGE:
		return "index out of range";
	case GOPROBE_CHUNK_TYPE:
		return "another dynamic type";
	case GOPROBE_CHUNK_UNUSED:
		return "unused, and lost when the stack grew";
	case GOPROBE_CHUNK_LOCKED:
		return "not in memory, mappings locked";
	}
	return "unknown status";
}

/* A failed item's chunk has a number for its address: it is no memory. */
static bool is_memory(const struct record_chunk *c)
{
	return c->type != GOPROBE_TYPE_MISSED;
}

static uint64_t end_of(const struct record_chunk *c)
{
	return c->size > UINT64_MAX - c->address ? UINT64_MAX : c->address + c->size;
}

static int by_address(const void *a, const void *b)
{
	const struct value_span *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

static void make_index(struct value_mem *m)
{
	const struct record *r = m->rec;
	bool sorted = true;

	m->nspans = 0;
	m->ordered = true;
	for (size_t i = 0; i < r->nchunks; i++) {
		struct value_span *s = &m->spans[m->nspans];

		m->ordered &= !i || (uintptr_t)r->chunks[i - 1].data <=
				    (uintptr_t)r->chunks[i].data;
		if (!is_memory(&r->chunks[i]))
			continue;
		*s = (struct value_span){ .address = r->chunks[i].address, .chunk = i };
		sorted &= !m->nspans || s[-1].address <= s->address;
		m->nspans++;
	}
	if (!sorted)
		qsort(m->spans, m->nspans, sizeof(*m->spans), by_address);
	for (size_t i = 0; i < m->nspans; i++) {
		struct value_span *s = &m->spans[i];

		s->far = s->chunk;
		s->end = end_of(&r->chunks[s->chunk]);
		if (i && s[-1].end > s->end) {
			s->far = s[-1].far;
			s->end = s[-1].end;
		}
	}
	m->indexed = true;
}

/* The last span that begins at @address or before it, or NULL. */
static const struct value_span *span_before(struct value_mem *m, uint64_t address)
{
	size_t low = 0, high;

	if (!m->indexed)
		make_index(m);
	high = m->nspans;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (m->spans[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &m->spans[low - 1] : NULL;
}

static const struct record_chunk *furthest(struct value_mem *m, uint64_t address)
{
	const struct record_chunk *best = NULL, *c = m->rec->chunks;

	if (m->rec->nchunks > FEW) {
		const struct value_span *s = span_before(m, address);

		return s ? &c[s->far] : NULL;
	}
	for (size_t i = 0; i < m->rec->nchunks; i++, c++)
		if (c->address <= address && is_memory(c) && (!best || end_of(c) > end_of(best)))
			best = c;
	return best;
}

const uint8_t *value_mem_at(struct value_mem *m, uint64_t address, uint64_t *have)
{
	const struct record_chunk *c = furthest(m, address);

	*have = 0;
	if (!c || end_of(c) <= address)
		return NULL;
	*have = end_of(c) - address;
	return c->data + (address - c->address);
}

static const struct record_chunk *exact(struct value_mem *m, uint64_t address)
{
	const struct record_chunk *c = m->rec->chunks;

	if (m->rec->nchunks > FEW) {
		const struct value_span *s = span_before(m, address);

		return s && s->address == address ? &c[s->chunk] : NULL;
	}
	for (size_t i = m->rec->nchunks; i--;)
		if (c[i].address == address && is_memory(&c[i]))
			return &c[i];
	return NULL;
}

bool value_mem_tried(struct value_mem *m, uint64_t address, const char **why)
{
	const struct record_chunk *c = exact(m, address);

	*why = c ? value_mem_status(c->status) : NULL;
	return c;
}

static bool holds(const struct record_chunk *c, const uint8_t *p)
{
	return (uintptr_t)p >= (uintptr_t)c->data && (uintptr_t)p - (uintptr_t)c->data < c->size;
}

const struct record_chunk *value_mem_holder(struct value_mem *m, const uint8_t *p)
{
	const struct record_chunk *c = m->rec->chunks;
	size_t low = 0, high = m->rec->nchunks;

	if (!m->indexed)
		make_index(m);
	if (!m->ordered) {
		for (size_t i = 0; i < high; i++)
			if (holds(&c[i], p))
				return &c[i];
		return NULL;
	}
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if ((uintptr_t)c[mid].data <= (uintptr_t)p)
			low = mid + 1;
		else
			high = mid;
	}
	return low && holds(&c[low - 1], p) ? &c[low - 1] : NULL;
}

const char *value_mem_cut(struct value_mem *m, uint64_t address)
{
	const struct record_chunk *c = exact(m, address);

	return c ? value_mem_status(c->status) : NULL;
}
