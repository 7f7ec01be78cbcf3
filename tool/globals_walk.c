// SPDX-License-Identifier: GPL-2.0
/*
 * From values to what they refer to, breadth first, within limits: as the module
 * walks, but with the types at hand. What an address leads to is copied once.
 */
#include <stdlib.h>
#include <string.h>

#include "closure.h"
#include "globals.h"
#include "golayout.h"
#include "grow.h"
#include "load.h"

#define WORD 8U
/* Values looked at in one record: arrays of arrays end. */
#define BUDGET 100000U
/* Tables of one map that are looked at. */
#define TABLES_MAX 64U

enum role {
	ROLE_VALUES,	/* @n values of type @t */
	ROLE_BYTES,	/* @n bytes */
	ROLE_HMAP,	/* the header of a map of type @t */
	ROLE_BUCKETS,	/* @n buckets or groups of it */
	ROLE_TABLES,	/* @n pointers to tables of it */
	ROLE_TABLE,	/* one of these */
	ROLE_CHAN,	/* the header of a channel of type @t */
	ROLE_ITAB,	/* its type word; then @data is the value */
	ROLE_CLOSURE,	/* a func value */
};

/* Memory that is still to be copied. */
struct place {
	enum role role;
	const struct gotype *t;
	uint64_t at;
	uint64_t n;
	uint64_t data;
	uint32_t level;
};

struct walk {
	struct globals *g;
	const struct golayout *layout;
	struct place *v;
	size_t n;
	size_t cap;
	uint64_t bytes;
	uint32_t budget;
	bool no_memory;
};

static void later(struct walk *w, struct place p)
{
	if (!p.at || p.level > w->g->limits.depth || w->n > w->g->limits.objects * 4ULL)
		return;
	if (grow(&w->v, w->n + 1, &w->cap, sizeof(*w->v)))
		w->no_memory = true;
	else
		w->v[w->n++] = p;
}

/* As later(), @n of what @role and @t say at @at, as far away as @from. */
static void near_by(struct walk *w, const struct place *from, enum role role,
		    const struct gotype *t, uint64_t at, uint64_t n)
{
	struct place p = { .role = role, .t = t, .at = at, .n = n, .level = from->level };

	later(w, p);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- values ------------------------------------------------------------------- */

static void value(struct walk *w, const struct gotype *t, const uint8_t *p, uint64_t len,
		  uint32_t level);

static void values(struct walk *w, const struct gotype *t, const uint8_t *p, uint64_t n,
		   uint64_t len, uint32_t level)
{
	for (uint64_t i = 0; t->size && i < n && i < len / t->size && w->budget; i++)
		value(w, t, p + i * t->size, t->size, level);
}

/* The dynamic type is at run-time address @type, the data word at @p. */
static void interface(struct walk *w, uint64_t type, const uint8_t *p, uint64_t data,
		      uint32_t level)
{
	uint64_t vaddr = type - w->g->bias;
	const struct gotype *t = type ? gobin_rtype(w->g->bin, vaddr) : NULL;

	if (!t)
		return;
	if (!gobin_rtype_is_direct(w->g->bin, vaddr))
		later(w, (struct place){ ROLE_VALUES, t, data, 1, 0, level + 1 });
	else if (t->size == WORD)
		value(w, t, p, WORD, level);
}

static void reference(struct walk *w, const struct gotype *t, const uint8_t *p, uint32_t level)
{
	const struct plan_options *o = &w->g->limits;
	uint64_t at = load_u64(p), len = t->size > WORD ? load_u64(p + WORD) : 0;
	struct place to = { ROLE_VALUES, t, at, 1, 0, level + 1 };

	switch (t->kind) {
	case GOTYPE_STRING:
		/* As for the module: part of what it stands in, but for a frame's own. */
		to.role = ROLE_BYTES;
		to.level = level ? level : 1;
		to.n = least(len, o->string_limit);
		break;
	case GOTYPE_SLICE:
		to.t = t->elem;
		to.n = least(len, o->elements);
		break;
	case GOTYPE_POINTER:
		to.t = t->elem;
		break;
	case GOTYPE_MAP:
		to.role = ROLE_HMAP;
		break;
	case GOTYPE_CHAN:
		to.role = ROLE_CHAN;
		break;
	case GOTYPE_FUNC:
		to.role = ROLE_CLOSURE;
		break;
	case GOTYPE_INTERFACE:
		if (t->empty) {
			interface(w, at, p + WORD, len, level);
			return;
		}
		to.role = ROLE_ITAB;
		to.at = at ? at + WORD : 0;
		to.data = len;
		break;
	default:
		return;
	}
	if (to.t)
		later(w, to);
}

static void value(struct walk *w, const struct gotype *t, const uint8_t *p, uint64_t len,
		  uint32_t level)
{
	if (!w->budget || t->size > len)
		return;
	w->budget--;
	switch (t->kind) {
	case GOTYPE_STRUCT:
		for (size_t i = 0; i < t->nfields; i++) {
			const struct gofield *f = &t->fields[i];

			if (f->offset <= len)
				value(w, f->type, p + f->offset, len - f->offset, level);
		}
		return;
	case GOTYPE_ARRAY:
		if (t->elem)
			values(w, t->elem, p, t->count, len, level);
		return;
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		if (t->size == 2 * WORD)
			reference(w, t, p, level);
		return;
	case GOTYPE_SLICE:
		if (t->size == 3 * WORD)
			reference(w, t, p, level);
		return;
	default:
		if (t->size == WORD)
			reference(w, t, p, level);
	}
}

/* --- maps ------------------------------------------------------------------------ */

static void hmap(struct walk *w, const struct place *m, const uint8_t *p)
{
	const struct golayout_hmap *h = &w->layout->hmap;
	const struct golayout_swiss *s = &w->layout->swiss;
	/* A bucket or group holds 8. */
	uint64_t most = w->g->limits.elements / 8 + 1, n;
	struct place to = { ROLE_BUCKETS, m->t, 0, 1, 0, m->level };

	if (!m->t->map->swiss) {
		n = p[h->b] < 20 ? 1ULL << p[h->b] : most;
		to.at = load_u64(p + h->buckets);
		to.n = least(n, most);
		later(w, to);
		to.at = load_u64(p + h->oldbuckets);
		to.n = p[h->b] < 20 ? least(golayout_oldbuckets(h, p), most) : most;
		later(w, to);
		return;
	}
	n = load_u64(p + s->dir_len);
	to.at = load_u64(p + s->dir_ptr);
	if (n) {
		to.role = ROLE_TABLES;
		to.n = least(n, TABLES_MAX);
	}
	later(w, to);
}

static void buckets(struct walk *w, const struct place *m, const uint8_t *p, uint64_t n)
{
	const struct gomap *map = m->t->map;

	for (uint64_t i = 0; i < n && w->budget; i++, p += map->size) {
		for (int k = 0; k < 8; k++) {
			const uint8_t *key = p + map->key_at + k * map->key_stride;
			const uint8_t *elem = p + map->elem_at + k * map->elem_stride;

			if (map->key_indirect)
				near_by(w, m, ROLE_VALUES, m->t->key, load_u64(key), 1);
			else
				value(w, m->t->key, key, m->t->key->size, m->level);
			if (map->elem_indirect)
				near_by(w, m, ROLE_VALUES, m->t->elem, load_u64(elem), 1);
			else
				value(w, m->t->elem, elem, m->t->elem->size, m->level);
		}
		if (!map->swiss)
			near_by(w, m, ROLE_BUCKETS, m->t, load_u64(p + map->size - WORD), 1);
	}
}

static void tables(struct walk *w, const struct place *m, const uint8_t *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		near_by(w, m, ROLE_TABLE, m->t, load_u64(p + i * WORD), 1);
}

static void table(struct walk *w, const struct place *m, const uint8_t *p)
{
	const struct golayout_swiss *s = &w->layout->swiss;
	uint64_t n = load_u64(p + s->table_mask);

	near_by(w, m, ROLE_BUCKETS, m->t, load_u64(p + s->table_groups),
		least(n, w->g->limits.elements / 8) + 1);
}

/* The entries of a map can be found, and lie in its buckets. */
static bool map_fits(const struct gotype *t)
{
	const struct gomap *m = t->map;
	uint64_t key, elem;

	if (!m || !t->key || !t->elem || !m->size || m->size > 65536)
		return false;
	key = m->key_indirect ? WORD : t->key->size;
	elem = m->elem_indirect ? WORD : t->elem->size;
	return m->key_at + 7ULL * m->key_stride + key <= m->size &&
	       m->elem_at + 7ULL * m->elem_stride + elem <= m->size && m->size >= WORD;
}

/* --- channels, closures ------------------------------------------------------------- */

static void channel(struct walk *w, const struct place *c, const uint8_t *p)
{
	const struct golayout_chan *h = &w->layout->chan;

	if (c->t->elem)
		near_by(w, c, ROLE_VALUES, c->t->elem, load_u64(p + h->buf),
			least(load_u64(p + h->dataqsiz), w->g->limits.elements));
}

static void closure(struct walk *w, const struct place *c, const uint8_t *p)
{
	const struct gofunc *f = gobin_func_at(w->g->bin, load_u64(p) - w->g->bias);
	bool exact = f && f->entry == load_u64(p) - w->g->bias;
	const struct gotype *t = exact ? gobin_closure_type(w->g->bin, f->entry) : NULL;

	if (t && t->size > WORD)
		near_by(w, c, ROLE_VALUES, t, c->at, 1);
}

/* --- all ------------------------------------------------------------------------------- */

/* Bytes to copy; 0: nothing. */
static uint64_t size_of(const struct walk *w, const struct place *p)
{
	switch (p->role) {
	case ROLE_VALUES:
		return p->t->size && p->n > UINT32_MAX / p->t->size ? 0 : p->n * p->t->size;
	case ROLE_BYTES:
		return p->n;
	case ROLE_HMAP:
		return !map_fits(p->t) ? 0 : p->t->map->swiss ? w->layout->swiss.size :
								w->layout->hmap.size;
	case ROLE_BUCKETS:
		return p->n * p->t->map->size;
	case ROLE_TABLES:
		return p->n * WORD;
	case ROLE_TABLE:
		return w->layout->swiss.table_size;
	case ROLE_CHAN:
		return w->layout->chan.size;
	case ROLE_ITAB:
	case ROLE_CLOSURE:
		return WORD;
	}
	return 0;
}

static bool copied(const struct globals *g, uint64_t at, uint64_t size)
{
	for (size_t i = 0; i < g->rec.nchunks; i++) {
		const struct record_chunk *c = &g->rec.chunks[i];

		if (c->type != GOPROBE_TYPE_MISSED && c->address == at && c->size >= size)
			return true;
	}
	return false;
}

static void go_on(struct walk *w, const struct place *p, const uint8_t *bytes, uint64_t size)
{
	switch (p->role) {
	case ROLE_VALUES:
		values(w, p->t, bytes, p->n, size, p->level);
		break;
	case ROLE_BYTES:
		break;
	case ROLE_HMAP:
		hmap(w, p, bytes);
		break;
	case ROLE_BUCKETS:
		buckets(w, p, bytes, p->n);
		break;
	case ROLE_TABLES:
		tables(w, p, bytes, p->n);
		break;
	case ROLE_TABLE:
		table(w, p, bytes);
		break;
	case ROLE_CHAN:
		channel(w, p, bytes);
		break;
	case ROLE_ITAB:
		interface(w, load_u64(bytes), (const uint8_t *)&p->data, p->data, p->level - 1);
		break;
	case ROLE_CLOSURE:
		closure(w, p, bytes);
		break;
	}
}

/* Returns 0, or -1 without memory. */
static int take(struct walk *w, struct place p)
{
	struct globals *g = w->g;
	struct record_chunk chunk = {
		.address = p.at, .type = GOPROBE_TYPE_BYTES, .level = p.level,
	};
	uint64_t size = size_of(w, &p), room = g->limits.bytes - least(w->bytes, g->limits.bytes);
	uint8_t *bytes;

	/* A string's or slice's beginning is better than nothing. */
	if (size > room && p.role == ROLE_BYTES)
		size = room;
	if (size > room && p.role == ROLE_VALUES)
		size = room / p.t->size * p.t->size;
	if (!size || size > room || copied(g, p.at, size))
		return 0;
	bytes = arena_alloc(&g->mem, size);
	if (!bytes)
		return -1;
	chunk.data = bytes;
	if (!g->read(g->read_ctx, p.at, bytes, size)) {
		chunk.status = GOPROBE_CHUNK_FAULT;
		globals_chunk(g, &chunk);
		return 0;
	}
	w->bytes += size;
	chunk.size = (uint32_t)size;
	globals_chunk(g, &chunk);
	go_on(w, &p, bytes, size);
	return 0;
}

int globals_walk(struct globals *g, const struct plan_capture *c)
{
	struct walk w = {
		.g = g, .layout = golayout_get(gobin_go_minor(g->bin)), .budget = BUDGET,
	};
	int err = 0;

	for (size_t i = 0; i < c->nvalues; i++)
		if (!c->values[i].unavailable)
			value(&w, c->values[i].type, g->frame + c->values[i].offset,
			      c->size - c->values[i].offset, 0);
	for (size_t i = 0; !err && i < w.n && g->rec.nchunks < g->limits.objects; i++)
		err = take(&w, w.v[i]);
	free(w.v);
	return w.no_memory ? -1 : err;
}
