// SPDX-License-Identifier: GPL-2.0
/*
 * The walk from values to the memory that they refer to, breadth first, within limits: as the
 * module walks, but with the types of the binary. Memory at one address is copied once.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/unaligned.h"
#include "eval/eval.h"
#include "gobin/closure.h"
#include "gobin/runtime_layout.h"
#include "plan/reference.h"

#define WORD 8U
/* Values looked at in one record: arrays of arrays end. */
#define BUDGET 100000U
/* Bytes of groups, buckets and tables of maps that are looked at, beside what is shown. */
#define TABLES_BYTES (4U << 20)
/* Pointers to tables of one map that are looked at. */
#define TABLES_MAX 16384U
/* Of groups or buckets these are read at once: the entries may all be in the first ones. */
#define PIECE_BYTES 16384U

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
	enum role role;		/* what is there */
	const struct gotype *t;	/* see @role */
	uint64_t at;		/* where */
	uint64_t n;		/* see @role */
	uint64_t data;		/* an interface's data word */
	uint32_t *left;		/* of a map: the entries that are still wanted */
	uint32_t level;		/* references from the beginning */
};

/* A walk. */
struct walk {
	struct eval *g;			/* the record */
	const struct golayout *layout;	/* of maps and channels */
	struct place *v;		/* what is still to be copied */
	size_t n;			/* its number */
	size_t cap;			/* capacity of @v */
	uint64_t bytes;			/* copied */
	uint64_t table_bytes;		/* of TABLES_BYTES */
	uint8_t *scratch;		/* for groups and buckets */
	size_t scratch_cap;		/* its capacity */
	uint32_t budget;		/* values that may still be looked at */
	bool no_memory;			/* it ends */
};

/* A limit keeps the record from having more. */
static void full(struct walk *w)
{
	w->g->rec.h.flags |= GOPROBE_RECORD_F_BUDGET;
}

static void later(struct walk *w, struct place p)
{
	if (!p.at || p.level > w->g->limits.depth)
		return;
	if (w->n > w->g->limits.objects * 4ULL) {
		full(w);
		return;
	}
	if (grow(&w->v, w->n + 1, &w->cap, sizeof(*w->v)))
		w->no_memory = true;
	else
		w->v[w->n++] = p;
}

/* As later(), @n of what @role and @t say at @at, as far away as @from. */
static void near_by(struct walk *w, const struct place *from, enum role role,
		    const struct gotype *t, uint64_t at, uint64_t n)
{
	struct place p = {
		.role = role, .t = t, .at = at, .n = n, .left = from->left, .level = from->level,
	};

	later(w, p);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* --- values ------------------------------------------------------------------- */

/* @next: the level of what it refers to. */
static void value(struct walk *w, const struct gotype *t, const uint8_t *p, uint64_t len,
		  uint32_t next);

static void values(struct walk *w, const struct gotype *t, const uint8_t *p, uint64_t n,
		   uint64_t len, uint32_t next)
{
	for (uint64_t i = 0; t->size && i < n && i < len / t->size && w->budget; i++)
		value(w, t, p + i * t->size, t->size, next);
}

/* The dynamic type is at run-time address @type, the data word at @p. */
static void interface(struct walk *w, uint64_t type, const uint8_t *p, uint64_t data,
		      uint32_t next)
{
	uint64_t vaddr = type - w->g->bias;
	const struct gotype *t = type ? gobin_rtype(w->g->bin, vaddr) : NULL;

	if (!t)
		return;
	if (!gobin_rtype_is_direct(w->g->bin, vaddr))
		later(w, (struct place){ .t = t, .at = data, .n = 1, .level = next });
	else if (t->size == WORD)
		value(w, t, p, WORD, next);
}

static void reference(struct walk *w, const struct gotype *t, const uint8_t *p, uint32_t next)
{
	const struct plan_options *o = &w->g->limits;
	uint64_t at = load_u64(p), len = t->size > WORD ? load_u64(p + WORD) : 0;
	struct place to = { .t = t, .at = at, .n = 1, .level = next };

	switch (t->kind) {
	case GOTYPE_STRING:
		/* As for the module: part of what it stands in, but for a frame's own. */
		to.role = ROLE_BYTES;
		to.level = next > 1 ? next - 1 : next;
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
			interface(w, at, p + WORD, len, next);
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
		  uint32_t next)
{
	if (t->size > len)
		return;
	if (!w->budget) {
		full(w);
		return;
	}
	w->budget--;
	switch (t->kind) {
	case GOTYPE_STRUCT:
		for (size_t i = 0; i < t->nfields; i++) {
			const struct gofield *f = &t->fields[i];

			if (f->offset <= len)
				value(w, wirerefs_field_type(t, f), p + f->offset,
				      len - f->offset, next - wirerefs_is_part(t, f));
		}
		return;
	case GOTYPE_ARRAY:
		if (t->elem)
			values(w, t->elem, p, t->count, len, next);
		return;
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		if (t->size == 2 * WORD)
			reference(w, t, p, next);
		return;
	case GOTYPE_SLICE:
		if (t->size == 3 * WORD)
			reference(w, t, p, next);
		return;
	default:
		if (t->size == WORD)
			reference(w, t, p, next);
	}
}

/* --- maps ------------------------------------------------------------------------ */

/* Of groups or buckets as many are taken as have the wanted entries: read_entries(). */
static void hmap(struct walk *w, const struct place *m, const uint8_t *p)
{
	const struct golayout_hmap *h = &w->layout->hmap;
	const struct golayout_swiss *s = &w->layout->swiss;
	struct place to = { .role = ROLE_BUCKETS, .t = m->t, .n = 1, .level = m->level };
	uint64_t n;

	to.left = arena_alloc(&w->g->mem, sizeof(*to.left));
	if (!to.left) {
		w->no_memory = true;
		return;
	}
	*to.left = (uint32_t)least(w->g->limits.elements,
				   load_u64(p + (m->t->map->swiss ? s->used : h->count)));
	if (!m->t->map->swiss) {
		if (p[h->b] >= 32)
			return;
		to.at = load_u64(p + h->buckets);
		to.n = 1ULL << p[h->b];
		later(w, to);
		to.at = load_u64(p + h->oldbuckets);
		to.n = golayout_oldbuckets(h, p);
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
				value(w, m->t->key, key, m->t->key->size, m->level + 1);
			if (map->elem_indirect)
				near_by(w, m, ROLE_VALUES, m->t->elem, load_u64(elem), 1);
			else
				value(w, m->t->elem, elem, m->t->elem->size, m->level + 1);
		}
		if (!map->swiss)
			near_by(w, m, ROLE_BUCKETS, m->t, load_u64(p + map->size - WORD), 1);
	}
}

/* One that is not split as far as the others stands there several times in a row. */
static void tables(struct walk *w, const struct place *m, const uint8_t *p, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (!i || load_u64(p + i * WORD) != load_u64(p + (i - 1) * WORD))
			near_by(w, m, ROLE_TABLE, m->t, load_u64(p + i * WORD), 1);
}

static void table(struct walk *w, const struct place *m, const uint8_t *p)
{
	const struct golayout_swiss *s = &w->layout->swiss;

	near_by(w, m, ROLE_BUCKETS, m->t, load_u64(p + s->table_groups),
		load_u64(p + s->table_mask) + 1);
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
		return p->n > TABLES_BYTES ? UINT64_MAX : p->n * p->t->map->size;
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

static bool copied(const struct eval *g, uint64_t at, uint64_t size)
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
		values(w, p->t, bytes, p->n, size, p->level + 1);
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
		interface(w, load_u64(bytes), (const uint8_t *)&p->data, p->data, p->level);
		break;
	case ROLE_CLOSURE:
		closure(w, p, bytes);
		break;
	}
}

static unsigned int entries_in(const struct gomap *m, const uint8_t *p)
{
	unsigned int n = 0;

	for (int i = 0; i < 8; i++)
		n += m->swiss ? !(p[i] & 0x80) : p[i] >= 5;
	return n;
}

static bool is_table(enum role role)
{
	return role == ROLE_BUCKETS || role == ROLE_TABLES || role == ROLE_TABLE;
}

/*
 * Read the first of @size bytes of groups or buckets to @w->scratch, as far as the entries go
 * that are wanted. How many bytes that are; 0: they can't be read.
 */
static uint64_t read_entries(struct walk *w, struct place *p, uint64_t size)
{
	const struct gomap *m = p->t->map;
	uint64_t at = 0, end = 0;

	while (*p->left && at + m->size <= size) {
		if (at + m->size > end) {
			uint64_t n = least(size - end, PIECE_BYTES + m->size);

			if (grow(&w->scratch, end + n, &w->scratch_cap, 1)) {
				w->no_memory = true;
				return 0;
			}
			if (!w->g->read(w->g->read_ctx, p->at + end, w->scratch + end, n))
				break;
			end += n;
			w->table_bytes += n;
		}
		*p->left -= (uint32_t)least(*p->left, entries_in(m, w->scratch + at));
		at += m->size;
	}
	if (*p->left && at / m->size < p->n)
		full(w);
	p->n = at / m->size;
	return at;
}

/* Read what is at @p: how many of @size bytes, and *@bytes. */
static uint64_t read_place(struct walk *w, struct place *p, uint64_t size, uint8_t **bytes)
{
	struct eval *g = w->g;
	bool buckets = p->role == ROLE_BUCKETS;

	if (buckets)
		size = read_entries(w, p, size);
	*bytes = size ? arena_alloc(&g->mem, size) : NULL;
	if (!size)
		return 0;
	if (!*bytes) {
		w->no_memory = true;
		return 0;
	}
	if (buckets) {
		memcpy(*bytes, w->scratch, size);
		return size;
	}
	if (!g->read(g->read_ctx, p->at, *bytes, size))
		return 0;
	*(is_table(p->role) ? &w->table_bytes : &w->bytes) += size;
	return size;
}

/* How many of @size bytes the limits leave. */
static uint64_t fitting(struct walk *w, struct place *p, uint64_t size)
{
	bool table = is_table(p->role);
	uint64_t most = table ? TABLES_BYTES : w->g->limits.bytes;
	uint64_t left = most - least(table ? w->table_bytes : w->bytes, most), each = 0;

	if (size <= left)
		return size;
	/* Of a map's the entries may all be in the first ones. */
	if (p->role != ROLE_BUCKETS)
		full(w);
	/* The beginning is better than nothing. */
	if (p->role == ROLE_BYTES)
		each = 1;
	else if (p->role == ROLE_VALUES)
		each = p->t->size;
	else if (p->role == ROLE_BUCKETS)
		each = p->t->map->size;
	else if (p->role == ROLE_TABLES)
		each = WORD;
	if (!each)
		return 0;
	if (p->role != ROLE_BUCKETS)
		p->n = left / each;
	return left / each * each;
}

static void take(struct walk *w, struct place p)
{
	struct eval *g = w->g;
	struct record_chunk chunk = {
		.address = p.at, .type = GOPROBE_TYPE_BYTES, .level = p.level,
	};
	uint64_t size = p.left && !*p.left ? 0 : size_of(w, &p);
	uint8_t *bytes;

	size = fitting(w, &p, size);
	if (!size || copied(g, p.at, size))
		return;
	size = read_place(w, &p, size, &bytes);
	chunk.data = bytes;
	chunk.size = (uint32_t)size;
	if (!size)
		chunk.status = GOPROBE_CHUNK_FAULT;
	eval_chunk(g, &chunk);
	if (!size)
		return;
	go_on(w, &p, bytes, size);
}

int eval_walk(struct eval *g, const struct plan_capture *c)
{
	struct walk w = {
		.g = g, .layout = golayout_get(gobin_go_minor(g->bin)), .budget = BUDGET,
	};

	for (size_t i = 0; i < c->nvalues; i++)
		if (!c->values[i].unavailable)
			value(&w, c->values[i].type, g->frame + c->values[i].offset,
			      c->size - c->values[i].offset, 1);
	for (size_t i = 0; !w.no_memory && i < w.n; i++) {
		if (g->rec.nchunks >= g->limits.objects) {
			full(&w);
			break;
		}
		take(&w, w.v[i]);
	}
	free(w.v);
	free(w.scratch);
	return w.no_memory ? -1 : 0;
}
