// SPDX-License-Identifier: GPL-2.0
/* Labels of goroutines: src/runtime/pprof/label.go, src/runtime/map.go up to 1.23. */
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "gobin/runtime_layout.h"
#include "process/goroutine_labels.h"

#define WORD 8U
#define STRING (2 * WORD)
#define PAIR (2 * STRING)

/* A bucket: hash bytes, keys, elements, a pointer to the next one. */
#define SLOTS 8U
#define KEYS SLOTS
#define ELEMS (KEYS + SLOTS * STRING)
#define NEXT (ELEMS + SLOTS * STRING)
#define BUCKET (NEXT + WORD)
/* A map of GOROUTINE_LABELS_MAX entries has no more buckets (log2), and no longer chains. */
#define B_MAX 6U
#define CHAIN_MAX 8U

/* The string whose header is at @header; NULL if it can't be read, or is no text. */
static const char *take_string(const struct goroutine_reader *r, const uint8_t *header,
			       struct goroutine_labels *ret)
{
	uint64_t len = load_u64(header + WORD);
	char *to = ret->text + ret->used;

	if (len >= sizeof(ret->text) - ret->used ||
	    !procmem_read(&r->m, load_u64(header), to, len) || memchr(to, 0, len))
		return NULL;
	to[len] = 0;
	ret->used += len + 1;
	return to;
}

static bool take_label(const struct goroutine_reader *r, const uint8_t *key, const uint8_t *value,
		       struct goroutine_labels *ret)
{
	struct gorlabel *l = &ret->v[ret->n];

	if (ret->n == GOROUTINE_LABELS_MAX)
		return false;
	l->key = take_string(r, key, ret);
	l->value = l->key ? take_string(r, value, ret) : NULL;
	ret->n += !!l->value;
	return l->value;
}

static bool read_slice(const struct goroutine_reader *r, uint64_t at, struct goroutine_labels *ret)
{
	uint8_t head[STRING], pairs[GOROUTINE_LABELS_MAX * PAIR];
	uint64_t n;

	if (!procmem_read(&r->m, at, head, sizeof(head)))
		return false;
	n = load_u64(head + WORD);
	if (n > GOROUTINE_LABELS_MAX || !procmem_read(&r->m, load_u64(head), pairs, n * PAIR))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!take_label(r, pairs + i * PAIR, pairs + i * PAIR + STRING, ret))
			return false;
	return true;
}

/* A bucket and those that it overflows into. */
static bool read_chain(const struct goroutine_reader *r, uint64_t at, struct goroutine_labels *ret)
{
	uint8_t p[BUCKET];

	for (unsigned int k = 0; at; k++) {
		if (k == CHAIN_MAX || !procmem_read(&r->m, at, p, sizeof(p)))
			return false;
		for (unsigned int i = 0; i < SLOTS; i++)
			if (p[i] >= RUNTIME_LAYOUT_TOPHASH_TAKEN &&
			    !take_label(r, p + KEYS + i * STRING, p + ELEMS + i * STRING, ret))
				return false;
		at = load_u64(p + NEXT);
	}
	return true;
}

static bool read_buckets(const struct goroutine_reader *r, uint64_t at, uint64_t n,
			 struct goroutine_labels *ret)
{
	for (uint64_t i = 0; i < n; i++)
		if (!read_chain(r, at + i * BUCKET, ret))
			return false;
	return true;
}

/* A map that grew may keep entries in its old buckets for ever, as nobody writes to it. */
static bool read_map(const struct goroutine_reader *r, uint64_t at, struct goroutine_labels *ret)
{
	const struct runtime_layout_hmap *l = &runtime_layout_get(gobin_go_minor(r->bin))->hmap;
	uint8_t word[WORD], p[64];
	uint64_t old;

	if (!l->size || l->size > sizeof(p) || !procmem_read(&r->m, at, word, sizeof(word)))
		return false;
	at = load_u64(word);
	if (!at)
		return true;
	if (!procmem_read(&r->m, at, p, l->size) || p[l->b] > B_MAX)
		return false;
	old = load_u64(p + l->oldbuckets);
	return (!load_u64(p + l->buckets) ||
		read_buckets(r, load_u64(p + l->buckets), 1ULL << p[l->b], ret)) &&
	       (!old || read_buckets(r, old, runtime_layout_oldbuckets(l, p), ret)) &&
	       ret->n == load_u64(p + l->count);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct gorlabel *)a)->key, ((const struct gorlabel *)b)->key);
}

void goroutine_labels_read(const struct goroutine_reader *r, enum pprof_labels layout, uint64_t at,
			   struct goroutine_labels *ret)
{
	bool read = !at;

	ret->n = 0;
	ret->used = 0;
	if (at && layout == PPROF_LABELS_SLICE)
		read = read_slice(r, at, ret);
	else if (at && layout == PPROF_LABELS_MAP)
		read = read_map(r, at, ret);
	ret->unknown = !read;
	if (!read)
		ret->n = 0;
	if (ret->n)
		qsort(ret->v, ret->n, sizeof(*ret->v), by_key);
}
