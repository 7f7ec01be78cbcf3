// SPDX-License-Identifier: GPL-2.0
/*
 * Entries of maps, as far as a record has them: groups of Go 1.24 and later
 * (internal/runtime/maps), buckets before (runtime/map.go). The program may be
 * changing the map while it is copied, so nothing in it is relied on.
 */
#define _GNU_SOURCE	/* qsort_r() */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "value/compare.h"
#include "value/map.h"

#define SLOTS 8

/* The first hash byte of a bucket whose entries have moved (runtime/map.go). */
#define TOPHASH_EVACUATED_FIRST	2
#define TOPHASH_EVACUATED_LAST	4

/* 2^40 buckets would not fit any memory. */
#define BUCKETS_LOG2_MAX	40

struct walk {
	struct value_ctx *v;
	const struct gotype *t;
	const struct gomap *m;
	struct value_entries *e;
	const char *why;	/* the first reason for a part that is missing */
	bool part;		/* groups or buckets of it were not copied */
	bool failed;		/* no memory */
};

static void missing(struct walk *w, const char *why)
{
	if (!w->why)
		w->why = why;
}

/* Fewer groups, buckets or tables were copied than there are. */
static void cut_short(struct walk *w, const struct value_bytes *b)
{
	w->part = true;
	missing(w, b->unavailable ?: b->cut);
}

static const uint8_t *slot(struct walk *w, const uint8_t *p, const struct gotype *t, bool indirect)
{
	const uint8_t *to;
	const char *why;

	if (!indirect)
		return p;
	to = value_object(w->v, NULL, t, value_word(p), &why);
	if (!to && !w->e->why)
		w->e->why = why;
	return to;
}

static void add(struct walk *w, const uint8_t *group, unsigned int i)
{
	const struct gomap *m = w->m;
	struct value_entries *e = w->e;

	if (grow(&e->v, e->n + 1, &e->cap, sizeof(*e->v))) {
		w->failed = true;
		return;
	}
	e->v[e->n++] = (struct value_entry){
		.key = slot(w, group + m->key_at + i * m->key_stride, w->t->key, m->key_indirect),
		.elem = slot(w, group + m->elem_at + i * m->elem_stride, w->t->elem,
			     m->elem_indirect),
	};
}

/* What is looked at counts like what is shown: so chains that are circles end. */
static bool may_look(struct walk *w)
{
	if (!w->v->budget) {
		missing(w, "too many values");
		return false;
	}
	w->v->budget--;
	return !w->failed;
}

static void group(struct walk *w, const uint8_t *p)
{
	for (unsigned int i = 0; i < SLOTS; i++)
		if (!(p[i] & RUNTIME_LAYOUT_CONTROL_FREE))
			add(w, p, i);
}

static void groups(struct walk *w, uint64_t address, uint64_t n)
{
	struct value_bytes g;

	value_objects(w->v, NULL, address, w->m->size, n, &g);
	for (uint64_t i = 0; i < g.have && may_look(w); i++)
		group(w, g.data + i * w->m->size);
	if (g.have < g.len)
		cut_short(w, &g);
}

static void table(struct walk *w, const struct runtime_layout_swiss *l, uint64_t address)
{
	uint64_t have;
	const uint8_t *p = value_mem_at(&w->v->mem, address, &have);

	if (have < l->table_size)
		missing(w, value_why(w->v, NULL, address));
	else
		groups(w, value_word(p + l->table_groups), value_word(p + l->table_mask) + 1);
}

/* A table of which the directory is too large for stands in it several times in a row. */
static void swiss(struct walk *w, const struct runtime_layout_swiss *l, const uint8_t *p)
{
	uint64_t dir = value_word(p + l->dir_ptr), len = value_word(p + l->dir_len), last = 0;
	struct value_bytes d;

	w->e->len = value_word(p + l->used);
	if (!w->e->len)
		return;
	if (!len) {
		groups(w, dir, 1);
		return;
	}
	value_objects(w->v, NULL, dir, 8, len, &d);
	for (uint64_t i = 0; i < d.have; i++) {
		uint64_t t = value_word(d.data + i * 8);

		if (t == last)
			continue;
		if (!may_look(w))
			return;
		table(w, l, t);
		last = t;
	}
	if (d.have < d.len)
		cut_short(w, &d);
}

static void chain(struct walk *w, const uint8_t *p)
{
	while (may_look(w)) {
		struct value_bytes next;

		for (unsigned int i = 0; i < SLOTS; i++)
			if (p[i] >= RUNTIME_LAYOUT_TOPHASH_TAKEN)
				add(w, p, i);
		if (!value_word(p + w->m->size - 8))
			return;
		value_objects(w->v, NULL, value_word(p + w->m->size - 8), w->m->size, 1, &next);
		if (!next.have) {
			missing(w, next.unavailable);
			return;
		}
		p = next.data;
	}
}

static void buckets(struct walk *w, uint64_t address, uint64_t n, bool old)
{
	struct value_bytes b;

	value_objects(w->v, NULL, address, w->m->size, n, &b);
	for (uint64_t i = 0; i < b.have; i++) {
		const uint8_t *p = b.data + i * w->m->size;

		/* What has been moved is in the new buckets, and here still. */
		if (!old || p[0] < TOPHASH_EVACUATED_FIRST || p[0] > TOPHASH_EVACUATED_LAST)
			chain(w, p);
	}
	if (b.have < b.len)
		cut_short(w, &b);
}

static void hmap(struct walk *w, const struct runtime_layout_hmap *l, const uint8_t *p)
{
	uint64_t old = value_word(p + l->oldbuckets);
	unsigned int b = p[l->b];

	w->e->len = value_word(p + l->count);
	if (!w->e->len)
		return;
	if (b > BUCKETS_LOG2_MAX) {
		missing(w, "impossible length");
		return;
	}
	buckets(w, value_word(p + l->buckets), 1ULL << b, false);
	if (old)
		buckets(w, old, runtime_layout_oldbuckets(l, p), true);
}

static bool fits(uint32_t at, uint32_t stride, const struct gotype *t, bool indirect, uint32_t size)
{
	uint64_t last = at + (SLOTS - 1) * (uint64_t)stride;

	return last + (indirect ? 8 : t->size) <= size;
}

static const char *refuse(const struct gotype *t, const struct runtime_layout *l)
{
	const struct gomap *m = t->map;

	if (!m || !l || !t->key || !t->elem)
		return "unknown layout";
	/* A group whose keys and elements have no size is its control bytes alone. */
	if (m->size < SLOTS + (m->swiss ? 0 : 8) ||
	    t->key->size > UINT32_MAX || t->elem->size > UINT32_MAX ||
	    !fits(m->key_at, m->key_stride, t->key, m->key_indirect, m->size) ||
	    !fits(m->elem_at, m->elem_stride, t->elem, m->elem_indirect, m->size))
		return "impossible type";
	return NULL;
}

static void collect(struct walk *w, const struct value_from *from)
{
	struct value_ctx *v = w->v;
	uint64_t address = value_word(from->p);
	const struct runtime_layout *l =
		v->env && v->env->layout ? v->env->layout(v->env->ctx) : NULL;
	const uint8_t *p;
	uint64_t have;
	uint32_t size;

	w->why = refuse(w->t, l);
	if (w->why)
		return;
	size = w->m->swiss ? l->swiss.size : l->hmap.size;
	p = value_mem_at(&v->mem, address, &have);
	if (!size)
		w->why = "unknown layout";
	else if (have < size)
		w->why = value_why(v, from, address) ?: "cut at a limit";
	else if (w->m->swiss)
		swiss(w, &l->swiss, p);
	else
		hmap(w, &l->hmap, p);
}

static struct value_entries *take(struct value_ctx *v)
{
	struct value_entries *e = v->spare;

	if (e)
		v->spare = e->next;
	else
		e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->n = 0;
	e->len = 0;
	e->cut = NULL;
	e->unavailable = NULL;
	e->why = NULL;
	return e;
}

struct value_entries *value_map_get(struct value_ctx *v, const struct gotype *t,
				    const uint8_t *p)
{
	struct value_entries *e = take(v);

	if (!e)
		return NULL;

	struct walk w = { .v = v, .t = t, .m = t->map, .e = e };

	collect(&w, &(struct value_from){ t, p });
	if (w.failed)
		missing(&w, "out of memory");
	/* A map that has been larger keeps its groups: none that was copied has an entry. */
	if (!e->n && e->len && w.part && !w.why)
		e->cut = "beyond --elements";
	else if (!e->n)
		e->unavailable = w.why;
	else if (e->n < e->len)
		e->cut = w.why;
	return e;
}

static const struct gotype any = {
	.kind = GOTYPE_INTERFACE, .name = "interface {}", .size = 16, .align = 8, .empty = true,
};

const struct gotype value_sync_map_type = {
	.kind = GOTYPE_MAP, .name = "sync.Map", .size = 8, .align = 8, .key = &any, .elem = &any,
};

/* A hash has 64 bits, and each level uses 4 of them. */
#define TRIE_LEVELS 17
/* Entries whose hashes are equal. */
#define TRIE_CHAIN 64

/* A pointer to a node. */
static const struct gotype trie_pointer = {
	.kind = GOTYPE_POINTER, .name = "unsafe.Pointer", .size = 8, .align = 8,
};

/* The node that the pointer at @from leads to is not there, or only a part of it is. */
static const char *trie_why(struct walk *w, const uint8_t *from)
{
	return value_why(w->v, &(struct value_from){ &trie_pointer, from }, value_word(from)) ?:
	       "cut at a limit";
}

/*
 * Entries from that which the pointer at @from leads to on. The module reads an entry as far as an
 * inner node goes: what is behind it may be absent. Return: whether there is an entry.
 */
static bool trie_entries(struct walk *w, const struct runtime_layout_trie *l, const uint8_t *from)
{
	struct value_entries *e = w->e;

	for (unsigned int i = 0; value_word(from); i++) {
		uint64_t have;
		const uint8_t *p = value_mem_at(&w->v->mem, value_word(from), &have);

		if (have < l->value + any.size || p[l->is_entry] != 1 || i == TRIE_CHAIN) {
			if (i)
				missing(w, trie_why(w, from));
			return i;
		}
		if (grow(&e->v, e->n + 1, &e->cap, sizeof(*e->v))) {
			w->failed = true;
			return true;
		}
		e->v[e->n++] = (struct value_entry){ .key = p + l->key, .elem = p + l->value };
		from = p + l->overflow;
	}
	return true;
}

/* The nodes from that which the pointer at @from leads to on. */
static void trie_node(struct walk *w, const struct runtime_layout_trie *l, const uint8_t *from,
		      int level)
{
	uint64_t have;
	const uint8_t *p = value_mem_at(&w->v->mem, value_word(from), &have);

	if (!may_look(w) || trie_entries(w, l, from))
		return;
	if (have < l->size || p[l->is_entry] || level == TRIE_LEVELS) {
		missing(w, have < l->size ? trie_why(w, from) : "changed while it was read");
		return;
	}
	for (uint32_t i = 0; i < l->nchildren; i++) {
		const uint8_t *child = p + l->children + i * 8;

		if (value_word(child))
			trie_node(w, l, child, level + 1);
	}
}

struct value_entries *value_map_get_sync(struct value_ctx *v, const struct gotype *t,
					 const uint8_t *p)
{
	const struct runtime_layout *l =
		v->env && v->env->layout ? v->env->layout(v->env->ctx) : NULL;
	const struct gofield *m = value_known_field(t, "m", GOTYPE_STRUCT, 0);
	const struct gofield *root = m ? value_known_field(m->type, "root", GOTYPE_STRUCT, 8) :
				     NULL;
	struct value_entries *e = root && l && l->trie.size ? take(v) : NULL;

	if (!e)
		return NULL;

	struct walk w = { .v = v, .t = &value_sync_map_type, .e = e };

	p += m->offset + root->offset;
	if (value_word(p))
		trie_node(&w, &l->trie, p, 0);
	if (w.failed)
		missing(&w, "out of memory");
	e->len = w.why ? UINT64_MAX : e->n;
	e->cut = w.why;
	return e;
}

void value_map_put(struct value_ctx *v, struct value_entries *e)
{
	e->next = v->spare;
	v->spare = e;
}

struct order {
	struct value_ctx *v;
	const struct gotype *key;
};

static int by_key(const void *a, const void *b, void *ctx)
{
	const struct value_entry *x = a, *y = b;
	const struct order *o = ctx;
	int c;

	if (!x->key || !y->key)
		return !x->key - !y->key;
	c = value_order(o->v, o->key, x->key, y->key);
	/* Keys that differ in what was not captured: as they stand in the record. */
	return c ? c : (x->key > y->key) - (x->key < y->key);
}

void value_map_sort(struct value_ctx *v, const struct gotype *t, struct value_entries *e)
{
	struct order o = { .v = v, .key = t->key };

	if (e->n > 1)
		qsort_r(e->v, e->n, sizeof(*e->v), by_key, &o);
}
