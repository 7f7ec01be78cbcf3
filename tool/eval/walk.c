// SPDX-License-Identifier: GPL-2.0
/*
 * The walk from values to the memory that they refer to: what kmod/capture/walk.c does with the
 * references of plan/reference.c, for memory that is read from outside. Both follow the same
 * references, in the same order, within the same limits.
 *
 * One thing is added. The module copies a part of a map's groups, which may have no entry if the
 * map has been larger. Here the walk is repeated with more of them.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/unaligned.h"
#include "eval/eval.h"
#include "gobin/closure.h"

#define WORD 8U
#define ALIGN8(n) (((n) + 7ULL) & ~7ULL)
/* The module's: bits of the longest length, the header of a chunk, walks of fitting(). */
#define LEN_BITS 47
#define LEN_MAX (1ULL << LEN_BITS)
#define CHUNK ((uint64_t)sizeof(struct goprobe_chunk))
#define FITTING_WALKS 6
/* Walks with more groups of maps, each with 8 times as many. */
#define SPARSE_WALKS 4
#define SPARSE_SHIFT 3
/* Groups of a map that are looked at. */
#define GROUPS_MAX 65536U

enum result {
	NO_MEMORY = -2,	/* no record can be made */
	FULL = -1,	/* the walk ends */
	NOTHING,	/* nothing was appended */
	APPENDED,
};

/* A map. */
struct map {
	uint64_t wanted;		/* entries that are not copied, and are within the limit */
	bool few;			/* all of its entries are within the limit */
	bool found;			/* some of them are copied */
	bool cut;			/* some of its groups are not copied */
	struct map *before;		/* the map that was found before it */
};

/* A chunk of objects whose references are followed later. */
struct todo {
	size_t chunk;			/* of the record */
	const struct eval_type *t;	/* of the objects */
	struct map *map;		/* which they are in, or NULL */
};

/* A walk. */
struct walk {
	struct eval *g;			/* the record */
	struct todo *v;			/* the queue */
	size_t n;			/* its length */
	size_t next;			/* the first one whose references are not followed yet */
	size_t cap;			/* capacity of @v */
	size_t first;			/* chunks of the record before the walk */
	struct hmap visited;		/* chunks of objects, by address and type */
	uint64_t bytes;			/* the budget's rest */
	uint32_t objects;		/* like @bytes */
	uint32_t elements;		/* of one array */
	unsigned int more;		/* of a map: groups, as a shift */
	struct map *map;		/* at hand, or NULL */
	struct map *maps;		/* the last one that was found */
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* --- chunks -------------------------------------------------------------------- */

static enum result full(struct walk *w)
{
	w->g->rec.h.flags |= GOPROBE_RECORD_F_BUDGET;
	return FULL;
}

/* As many of @size bytes as can be read; @w->g->read reads all or nothing. */
static uint64_t read_some(struct walk *w, uint64_t at, uint8_t *to, uint64_t size)
{
	struct eval *g = w->g;
	uint64_t have = 0;

	if (g->read(g->read_ctx, at, to, size))
		return size;
	while (have < size) {
		uint64_t n = least(size - have, 4096 - (at + have) % 4096);

		if (!g->read(g->read_ctx, at + have, to + have, n))
			break;
		have += n;
	}
	memset(to + have, 0, size - have);
	return have;
}

static void append(struct walk *w, const struct record_chunk *chunk)
{
	eval_chunk(w->g, chunk);
	w->bytes -= CHUNK + ALIGN8(chunk->size);
	w->objects--;
}

/* A chunk of @size bytes, or of a multiple of @each that fits. */
static enum result add_chunk(struct walk *w, uint64_t at, uint32_t type, uint32_t level,
			     uint64_t each, uint64_t size)
{
	struct record_chunk chunk = { .address = at, .type = type, .level = level };
	uint64_t left;
	uint8_t *bytes;

	if (!w->objects || w->bytes < CHUNK + WORD)
		return full(w);
	left = (w->bytes - CHUNK) & ~7ULL;
	if (size > left) {
		full(w);
		size = left / each * each;
		if (!size)
			return NOTHING;
	}
	bytes = arena_alloc(&w->g->mem, most(ALIGN8(size), WORD));
	if (!bytes)
		return NO_MEMORY;
	chunk.size = (uint32_t)read_some(w, at, bytes, size);
	chunk.status = chunk.size < size ? GOPROBE_CHUNK_FAULT : GOPROBE_CHUNK_OK;
	chunk.data = bytes;
	append(w, &chunk);
	return APPENDED;
}

/* An impossible length. */
static enum result add_bad(struct walk *w, uint64_t at, uint32_t type, uint32_t level)
{
	static const uint8_t nothing[WORD];

	if (!w->objects || w->bytes < CHUNK)
		return full(w);
	append(w, &(struct record_chunk){
		.address = at, .type = type, .level = level, .status = GOPROBE_CHUNK_BAD,
		.data = nothing,
	});
	return APPENDED;
}

static uint64_t key_of(uint64_t at, uint32_t type)
{
	return hmap_hash(type, &at, sizeof(at));
}

/* The chunk with these objects, or NULL. A shorter way to it counts if it is still in the queue. */
static struct record_chunk *again(struct walk *w, uint64_t at, uint32_t type, uint64_t size,
				  uint32_t level)
{
	struct record_chunk *c = hmap_get(&w->visited, key_of(at, type));

	if (!c || c->address != at || c->type != type || (c->size < size && !c->status))
		return NULL;
	if (level < c->level && (!w->next || c > &w->g->rec.chunks[w->v[w->next - 1].chunk]))
		c->level = level;
	return c;
}

/* A new chunk of objects, which again() finds. */
static enum result add_object(struct walk *w, uint64_t at, uint32_t type, uint32_t level,
			      uint64_t each, uint64_t size)
{
	enum result ret = add_chunk(w, at, type, level, each, size);
	struct record *r = &w->g->rec;

	if (ret == APPENDED && hmap_put(&w->visited, key_of(at, type), &r->chunks[r->nchunks - 1]))
		return NO_MEMORY;
	return ret;
}

/* --- maps ------------------------------------------------------------------------ */

static bool is_group(const struct eval_type *t)
{
	return t->role == WIRE_GROUP || t->role == WIRE_BUCKET;
}

static bool is_header(const struct eval_type *t)
{
	return t->role == WIRE_HMAP || t->role == WIRE_SWISS;
}

/* Of a map whose groups are walked: these entries need not be looked for any more. */
static void found_entries(struct walk *w, const struct gomap *m, const struct record_chunk *c)
{
	uint64_t n = 0;

	for (uint32_t at = 0; m->size >= 8 && at + m->size <= c->size; at += m->size)
		for (int i = 0; i < 8; i++)
			n += m->swiss ? !(c->data[at + i] & 0x80) : c->data[at + i] >= 5;
	w->map->found |= n;
	w->map->wanted -= least(w->map->wanted, n);
}

/* Begin with the map whose header is @c. */
static enum result begin_map(struct walk *w, const struct eval_type *t,
			     const struct record_chunk *c)
{
	const struct runtime_layout *l = w->g->refs.layout;
	uint32_t at = t->role == WIRE_SWISS ? l->swiss.used : l->hmap.count;

	w->map = arena_alloc(&w->g->mem, sizeof(*w->map));
	if (!w->map)
		return NO_MEMORY;
	w->map->wanted = least(w->elements, load_u64(c->data + at));
	w->map->few = load_u64(c->data + at) <= w->elements;
	w->map->before = w->maps;
	w->maps = w->map;
	return NOTHING;
}

/* --- references ------------------------------------------------------------------- */

static enum result later(struct walk *w, size_t chunk, const struct eval_type *t)
{
	if (grow(&w->v, w->n + 1, &w->cap, sizeof(*w->v)))
		return NO_MEMORY;
	w->v[w->n++] = (struct todo){ .chunk = chunk, .t = t, .map = w->map };
	return APPENDED;
}

/* @size bytes of objects of type @t. */
static enum result objects(struct walk *w, uint64_t at, const struct eval_type *t, uint32_t level,
			   uint64_t size)
{
	struct record *r = &w->g->rec;
	enum result ret;
	struct map *outer = w->map;

	if (again(w, at, t->id, size, level))
		return NOTHING;
	ret = add_object(w, at, t->id, level, t->size, size);
	if (ret != APPENDED || r->chunks[r->nchunks - 1].size < t->size)
		return ret;
	if (is_header(t) && begin_map(w, t, &r->chunks[r->nchunks - 1]))
		return NO_MEMORY;
	if (is_group(t) && w->map)
		found_entries(w, t->t->map, &r->chunks[r->nchunks - 1]);
	if (t->nrefs)
		ret = later(w, r->nchunks - 1, t);
	w->map = outer;
	return ret;
}

static enum result object(struct walk *w, uint64_t at, const struct gotype *type,
			  enum wire_role role, uint32_t level)
{
	const struct eval_type *t = at && type ? eval_type(w->g, type, role) : NULL;

	if (!at || !type)
		return NOTHING;
	if (!t)
		return NO_MEMORY;
	return t->size ? objects(w, at, t, level, t->size) : NOTHING;
}

static enum result string(struct walk *w, uint64_t at, uint64_t len, uint32_t level)
{
	if (!len)
		return NOTHING;
	if (len > LEN_MAX)
		return add_bad(w, at, GOPROBE_TYPE_BYTES, level);
	len = least(len, w->g->limits.string_limit);
	return add_chunk(w, at, GOPROBE_TYPE_BYTES, level, 1, len);
}

/* Number of objects to which a GOPROBE_REF_ARRAY leads. */
static uint64_t count_of(const struct goprobe_ref *ref, const uint8_t *object)
{
	uint64_t n = 0;
	bool half;

	memcpy(&n, object + ref->count_offset, ref->count_size);
	switch (ref->count) {
	case GOPROBE_COUNT_PLUS_1:
		return n == UINT64_MAX ? n : n + 1;
	case GOPROBE_COUNT_FLAGS_LOG2:
		half = !(n & GOPROBE_COUNT_FLAG_FULL);
		n >>= 8;
		if (half && n)
			n--;
		__attribute__((fallthrough));
	case GOPROBE_COUNT_LOG2:
		return n <= LEN_BITS ? 1ULL << n : UINT64_MAX;
	case GOPROBE_COUNT_IF_0:
		return !n;
	}
	return n;
}

/* Number of objects that are wanted; -1: impossible length. */
static int64_t wanted(struct walk *w, const struct goprobe_ref *ref, const uint8_t *object)
{
	uint64_t n = ref->kind == GOPROBE_REF_SLICE ? load_u64(object + ref->offset + WORD) :
						      count_of(ref, object);
	uint64_t limit = most(w->elements >> ref->elements_shift, 1);

	if (!w->elements)
		return 0;
	if (n > LEN_MAX)
		return -1;
	if (ref->elements_shift)
		limit = most(limit, least(limit << w->more, GROUPS_MAX));
	if (w->map && ref->elements_shift && n > limit)
		w->map->cut = true;
	return (int64_t)least(n, limit);
}

/* One or more objects. */
static enum result pointer(struct walk *w, const struct goprobe_ref *ref, const uint8_t *object,
			   uint64_t at, uint32_t level)
{
	const struct eval_type *t = eval_type_at(w->g, ref->type);
	int64_t n = 1;

	if (!t)
		return NO_MEMORY;
	if (!t->size)
		return NOTHING;
	if (ref->kind != GOPROBE_REF_POINTER)
		n = wanted(w, ref, object);
	if (n < 0)
		return add_bad(w, at, ref->type, level);
	return n ? objects(w, at, t, level, n * t->size) : NOTHING;
}

static enum result func(struct walk *w, uint64_t at, uint32_t level)
{
	const struct gotype *closure;
	uint64_t code;

	if (again(w, at, GOPROBE_TYPE_CODE, WORD, level))
		return NOTHING;
	if (w->g->read(w->g->read_ctx, at, &code, sizeof(code))) {
		closure = gobin_closure_type(w->g->bin, code - w->g->bias);
		if (closure && closure->size)
			return object(w, at, closure, WIRE_VALUE, level);
	}
	return add_object(w, at, GOPROBE_TYPE_CODE, level, WORD, WORD);
}

static enum result follow(struct walk *w, const struct goprobe_ref *ref, const uint8_t *object,
			  uint64_t at, uint32_t level);

/* The data word at @word is the value: what it refers to is as far away as it would be itself. */
static enum result direct(struct walk *w, const struct gotype *type, enum wire_role role,
			  const uint8_t *word, uint32_t level)
{
	const struct eval_type *t = eval_type(w->g, type, role);
	enum result ret = NOTHING;

	if (!t)
		return NO_MEMORY;
	if (t->size != WORD || !load_u64(word))
		return NOTHING;
	for (uint32_t i = 0; ret >= 0 && i < t->nrefs; i++)
		ret = follow(w, &t->refs[i], word, load_u64(word), level);
	return ret;
}

static enum result interface(struct walk *w, const struct goprobe_ref *ref, const uint8_t *at,
			     uint64_t type, uint32_t level)
{
	const struct record_chunk *itab;
	const struct gotype *t;
	enum wire_role role;
	enum result ret;

	if (ref->kind == GOPROBE_REF_IFACE) {
		itab = again(w, type + WORD, GOPROBE_TYPE_ITAB, WORD, level);
		if (!itab) {
			ret = add_object(w, type + WORD, GOPROBE_TYPE_ITAB, level, WORD, WORD);
			if (ret != APPENDED)
				return ret;
			itab = &w->g->rec.chunks[w->g->rec.nchunks - 1];
		}
		if (itab->size < WORD)
			return NOTHING;
		type = load_u64(itab->data);
	}
	t = gobin_rtype(w->g->bin, type - w->g->bias);
	if (!t)
		return NOTHING;
	role = gobin_rtype_is_error(w->g->bin, type - w->g->bias) ? WIRE_ERROR : WIRE_VALUE;
	if (gobin_rtype_is_direct(w->g->bin, type - w->g->bias))
		return direct(w, t, role, at + WORD, level);
	return object(w, load_u64(at + WORD), t, role, level);
}

/* The first word at @ref is @at, which is not nil. The target is at @level. */
static enum result follow(struct walk *w, const struct goprobe_ref *ref, const uint8_t *object,
			  uint64_t at, uint32_t level)
{
	switch (ref->kind) {
	case GOPROBE_REF_STRING:
		return string(w, at, load_u64(object + ref->offset + WORD), level);
	case GOPROBE_REF_FUNC:
		return func(w, at, level);
	case GOPROBE_REF_IFACE:
	case GOPROBE_REF_EFACE:
		return interface(w, ref, object + ref->offset, at, level);
	}
	return pointer(w, ref, object, at, level);
}

/* The references of the objects in the @left bytes at @object, which are @level references away. */
static enum result all_references(struct walk *w, const struct eval_type *t, const uint8_t *object,
				  uint64_t left, uint32_t level)
{
	for (; left >= t->size; left -= t->size, object += t->size) {
		for (uint32_t i = 0; i < t->nrefs; i++) {
			const struct goprobe_ref *ref = &t->refs[i];
			uint64_t at = load_u64(object + ref->offset);
			uint32_t next = level + !(ref->flags & GOPROBE_REF_F_SAME_LEVEL);
			enum result ret;

			if (!at || next > w->g->limits.depth)
				continue;
			ret = follow(w, ref, object, at, next);
			if (ret < 0)
				return ret;
		}
	}
	return NOTHING;
}

/* --- all --------------------------------------------------------------------------- */

static enum result walk_all(struct walk *w)
{
	const struct eval_type *frame = &w->g->frame_type;
	enum result ret = NOTHING;

	if (frame->nrefs)
		ret = all_references(w, frame, w->g->frame, frame->size, 0);
	while (ret >= 0 && w->next < w->n) {
		const struct todo todo = w->v[w->next++];
		const struct record_chunk *c = &w->g->rec.chunks[todo.chunk];

		w->map = todo.map;
		ret = all_references(w, todo.t, c->data, c->size, c->level);
	}
	return ret;
}

/* Walk from the beginning, with at most @elements of each array. -1 without memory. */
static int walk_with(struct walk *w, uint32_t elements)
{
	struct eval *g = w->g;

	hmap_fini(&w->visited);
	g->rec.nchunks = w->first;
	g->rec.h.flags &= ~GOPROBE_RECORD_F_BUDGET;
	w->n = 0;
	w->next = 0;
	w->bytes = g->limits.bytes;
	w->objects = (uint32_t)least(g->limits.objects, RECORD_CHUNKS_MAX - w->first);
	w->elements = elements;
	w->map = NULL;
	w->maps = NULL;
	return walk_all(w) == NO_MEMORY ? -1 : 0;
}

static bool is_full(const struct walk *w)
{
	return w->g->rec.h.flags & GOPROBE_RECORD_F_BUDGET;
}

/* The module's search: how many elements fit together with what they refer to. */
static int fitting(struct walk *w)
{
	uint32_t fits = GOPROBE_ELEMENTS_ANY, over = w->g->limits.elements, last = over;

	for (int i = 0; i < FITTING_WALKS && over - fits > fits / 8; i++) {
		last = over / 4 > fits ? fits * 2 : fits + (over - fits) / 2;
		if (walk_with(w, last))
			return -1;
		if (is_full(w))
			over = last;
		else
			fits = last;
	}
	if (last != fits && walk_with(w, fits))
		return -1;
	w->g->rec.h.flags |= GOPROBE_RECORD_F_BUDGET;
	return 0;
}

/* Is there a map of few entries that are not all copied, or one of many with none? */
static bool is_sparse(const struct walk *w)
{
	for (const struct map *m = w->maps; m; m = m->before)
		if (m->cut && m->wanted && (m->few || !m->found))
			return true;
	return false;
}

/* More groups of maps, until the entries that are wanted are among them, or the record is full. */
static int walk_sparse(struct walk *w)
{
	for (int i = 0; is_sparse(w) && i < SPARSE_WALKS; i++) {
		w->more += SPARSE_SHIFT;
		if (walk_with(w, w->g->limits.elements))
			return -1;
		if (!is_full(w))
			continue;
		w->more -= SPARSE_SHIFT;
		return walk_with(w, w->g->limits.elements);
	}
	return 0;
}

int eval_walk(struct eval *g, const struct plan_capture *c)
{
	struct walk w = { .g = g, .first = g->rec.nchunks };
	uint32_t elements = g->limits.elements;
	int err;

	if (eval_type_frame(g, c))
		return -1;
	if (!g->limits.depth)
		return 0;
	err = walk_with(&w, elements);
	if (!err && is_full(&w) && elements > GOPROBE_ELEMENTS_ANY)
		err = fitting(&w);
	else if (!err)
		err = walk_sparse(&w);
	hmap_fini(&w.visited);
	free(w.v);
	return err;
}
