// SPDX-License-Identifier: GPL-2.0
/*
 * Go types from their run-time descriptors. As in dwtype.c a type is made as a
 * shell when something refers to it and filled from a queue, so that neither
 * cycles nor long chains of references recurse; what it contains by value is
 * settled at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "goversion.h"
#include "rtypes.h"

/* What a hostile file may not exceed and a real one never comes near. */
#define RTYPES_SIZE_MAX (1ULL << 31)
#define RTYPES_NESTING_MAX 64
#define RTYPES_WEIGHT_MAX 65536U
#define RTYPES_ROOM_LEAST (16ULL << 20)
#define RTYPES_ROOM_MOST (512ULL << 20)
/* Types and their names take less than this times what descriptors take. */
#define RTYPES_EXPANSION 8U

enum rtypes_state { TYPE_SHELL, TYPE_FILLED, TYPE_SETTLING, TYPE_SETTLED };

/* The type comes first: the map and all users have pointers to it. */
struct rtypes_node {
	struct gotype type;
	struct gomap map;
	enum rtypes_state state;
	unsigned int nesting;
	unsigned int weight;	/* types inside, each as often as it occurs */
};

struct rtypes_job {
	struct rtypes_node *node;
};

int rtypes_init(struct rtypes *t, const struct elffile *ef,
		const struct linktab *link, struct arena *mem)
{
	memset(t, 0, sizeof(*t));
	t->link = link;
	t->mem = mem;
	t->src.minor = link->minor;
	t->src.swiss = goversion_swiss_maps(link->minor, link->version);
	t->src.types = link->types;
	t->src.etypes = link->etypes;
	t->room = link->etypes - link->types;
	t->room = t->room < RTYPES_ROOM_MOST / RTYPES_EXPANSION ?
		  t->room * RTYPES_EXPANSION : RTYPES_ROOM_MOST;
	if (t->room < RTYPES_ROOM_LEAST)
		t->room = RTYPES_ROOM_LEAST;
	t->src.data = datawin_new(ef);
	return t->src.data ? 0 : -1;
}

void rtypes_fini(struct rtypes *t)
{
	datawin_free(t->src.data);
	hmap_fini(&t->names);
	hmap_fini(&t->types);
	hmap_fini(&t->by_name);
	free(t->jobs);
	free(t->all);
	memset(t, 0, sizeof(*t));
}

void *rtypes_alloc(struct rtypes *t, size_t size)
{
	if (size > t->room)
		return NULL;
	t->room -= size;
	return arena_alloc(t->mem, size);
}

/* A shell for the type at @vaddr, or what it has become; NULL: no room. */
static struct rtypes_node *node_of(struct rtypes *t, uint64_t vaddr)
{
	struct rtypes_node *n = hmap_get(&t->types, vaddr);

	if (n)
		return n;
	if (t->njobs == t->jobs_cap) {
		size_t cap = t->jobs_cap ? t->jobs_cap * 2 : 64;
		void *p = reallocarray(t->jobs, cap, sizeof(*t->jobs));

		if (!p)
			return NULL;
		t->jobs = p;
		t->jobs_cap = cap;
	}
	n = rtypes_alloc(t, sizeof(*n));
	if (!n || hmap_put(&t->types, vaddr, n))
		return NULL;
	n->type.name = "?";
	n->type.align = 1;
	n->type.rtype = vaddr;
	t->jobs[t->njobs++].node = n;
	return n;
}

static const struct gotype *refer(struct rtypes *t, uint64_t vaddr)
{
	struct rtypes_node *n = node_of(t, vaddr);

	return n ? &n->type : NULL;
}

static void make_unknown(struct gotype *g)
{
	g->kind = GOTYPE_UNKNOWN;
	g->elem = NULL;
	g->key = NULL;
	g->map = NULL;
	g->count = 0;
	g->fields = NULL;
	g->nfields = 0;
	g->align = 1;
}

/* The text of an abi.Name; NULL if it is none. */
static const char *text_of(struct rtypes *t, const struct rtname *n)
{
	char *s = rtypes_alloc(t, n->len + 1);

	if (!s || datawin_read(t->src.data, n->text, s, n->len))
		return NULL;
	for (size_t i = 0; i < n->len; i++) {
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return NULL;
	}
	return s;
}

static int fill_fields(struct rtypes *t, struct gotype *g,
		       const struct rtdesc *d)
{
	struct gofield *v = rtypes_alloc(t, d->count * sizeof(*v));

	if (!v)
		return -1;
	for (uint64_t i = 0; i < d->count; i++) {
		struct rtfield f;
		struct rtname n;

		if (rtdesc_field(&t->src, d, i, &f) ||
		    rtdesc_name(&t->src, f.name, &n))
			return -1;
		v[i].name = n.len ? text_of(t, &n) : "_";
		v[i].type = refer(t, f.type);
		v[i].offset = f.offset;
		v[i].embedded = n.embedded || f.marked;
		if (!v[i].name || !v[i].type)
			return -1;
	}
	g->fields = v;
	g->nfields = d->count;
	return 0;
}

static enum gotype_kind kind_of(enum go_rkind kind)
{
	switch (kind) {
	case RKIND_BOOL:
		return GOTYPE_BOOL;
	case RKIND_INT ... RKIND_INT64:
		return GOTYPE_INT;
	case RKIND_UINT ... RKIND_UINTPTR:
		return GOTYPE_UINT;
	case RKIND_FLOAT32:
	case RKIND_FLOAT64:
		return GOTYPE_FLOAT;
	case RKIND_COMPLEX64:
	case RKIND_COMPLEX128:
		return GOTYPE_COMPLEX;
	case RKIND_ARRAY:
		return GOTYPE_ARRAY;
	case RKIND_CHAN:
		return GOTYPE_CHAN;
	case RKIND_FUNC:
		return GOTYPE_FUNC;
	case RKIND_INTERFACE:
		return GOTYPE_INTERFACE;
	case RKIND_MAP:
		return GOTYPE_MAP;
	case RKIND_POINTER:
	case RKIND_UNSAFE_POINTER:
		return GOTYPE_POINTER;
	case RKIND_SLICE:
		return GOTYPE_SLICE;
	case RKIND_STRING:
		return GOTYPE_STRING;
	case RKIND_STRUCT:
		return GOTYPE_STRUCT;
	}
	return GOTYPE_UNKNOWN;
}

/* Is a value of this kind as large as all of its kind are? */
static bool size_ok(const struct gotype *g)
{
	switch (g->kind) {
	case GOTYPE_BOOL:
		return g->size == 1;
	case GOTYPE_INT:
	case GOTYPE_UINT:
		return g->size == 1 || g->size == 2 || g->size == 4 ||
		       g->size == 8;
	case GOTYPE_FLOAT:
		return g->size == 4 || g->size == 8;
	case GOTYPE_COMPLEX:
		return g->size == 8 || g->size == 16;
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		return g->size == 16;
	case GOTYPE_SLICE:
		return g->size == 24;
	case GOTYPE_POINTER:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		return g->size == 8;
	default:
		return true;
	}
}

/* Do 8 keys and elements of these types fit where the map has them? */
static bool map_ok(const struct gotype *g)
{
	const struct gomap *m = g->map;
	uint64_t key = m->key_indirect ? 8 : g->key->size;
	uint64_t elem = m->elem_indirect ? 8 : g->elem->size;

	return key <= m->key_stride && elem <= m->elem_stride &&
	       m->key_at + 7ULL * m->key_stride + key <= m->size &&
	       m->elem_at + 7ULL * m->elem_stride + elem <= m->size;
}

static int fill_refs(struct rtypes *t, struct rtypes_node *n,
		     const struct rtdesc *d)
{
	struct gotype *g = &n->type;

	switch (g->kind) {
	case GOTYPE_ARRAY:
		g->count = d->count;
		break;
	case GOTYPE_MAP:
		n->map = d->map;
		g->map = &n->map;
		g->key = refer(t, d->key);
		if (!g->key)
			return -1;
		break;
	case GOTYPE_POINTER:
		if (d->kind == RKIND_UNSAFE_POINTER)
			return 0;
		break;
	case GOTYPE_CHAN:
	case GOTYPE_SLICE:
		break;
	case GOTYPE_INTERFACE:
		g->empty = !d->count;
		return 0;
	case GOTYPE_STRUCT:
		return fill_fields(t, g, d);
	default:
		return 0;
	}
	g->elem = refer(t, d->elem);
	return g->elem ? 0 : -1;
}

static void fill(struct rtypes *t, struct rtypes_node *n)
{
	struct gotype *g = &n->type;
	const char *name;
	struct rtdesc d;

	if (rtdesc_read(&t->src, g->rtype, &d))
		return;
	name = rtypes_name(t, g->rtype);
	if (name)
		g->name = name;
	g->size = d.size;
	g->align = d.align;
	g->kind = kind_of(d.kind);
	if (!name || !size_ok(g) || fill_refs(t, n, &d))
		make_unknown(g);
}

static struct rtypes_node *node(const struct gotype *g)
{
	return (struct rtypes_node *)(uintptr_t)g;
}

static bool settle(struct rtypes_node *n, int depth);

static bool settle_array(struct rtypes_node *n, int depth)
{
	const struct gotype *g = &n->type, *e = g->elem;
	uint64_t bytes;

	if (!settle(node(e), depth + 1) ||
	    __builtin_mul_overflow(g->count, e->size, &bytes) ||
	    bytes != g->size)
		return false;
	n->nesting = node(e)->nesting + 1;
	n->weight += node(e)->weight;
	return true;
}

static bool settle_struct(struct rtypes_node *n, int depth)
{
	const struct gotype *g = &n->type;

	for (size_t i = 0; i < g->nfields; i++) {
		const struct gofield *f = &g->fields[i];
		struct rtypes_node *of = node(f->type);

		if (!settle(of, depth + 1) || f->offset > g->size ||
		    f->type->size > g->size - f->offset)
			return false;
		if (of->nesting >= n->nesting)
			n->nesting = of->nesting + 1;
		n->weight += of->weight;
		if (n->weight > RTYPES_WEIGHT_MAX)
			return false;
	}
	return true;
}

/*
 * Does all that is inside have its place? @depth bounds the recursion; a type
 * that was too deep here is settled when its turn comes.
 */
static bool settle(struct rtypes_node *n, int depth)
{
	struct gotype *g = &n->type;
	bool ok = g->size < RTYPES_SIZE_MAX;

	if (n->state == TYPE_SETTLED)
		return true;
	if (n->state != TYPE_FILLED || depth > RTYPES_NESTING_MAX)
		return false;	/* contains itself; or too much */
	n->state = TYPE_SETTLING;
	n->weight = 1;
	if (g->kind == GOTYPE_ARRAY)
		ok = settle_array(n, depth) && ok;
	else if (g->kind == GOTYPE_STRUCT)
		ok = settle_struct(n, depth) && ok;
	if (!ok || n->nesting > RTYPES_NESTING_MAX) {
		make_unknown(g);
		n->nesting = 0;
		n->weight = 1;
	}
	n->state = TYPE_SETTLED;
	return true;
}

/* Fill all shells that there are. */
static void drain(struct rtypes *t)
{
	/* The queue is kept whole until the end: settling walks it again. */
	for (size_t i = 0; i < t->njobs; i++) {
		fill(t, t->jobs[i].node);
		t->jobs[i].node->state = TYPE_FILLED;
	}
	for (size_t i = 0; i < t->njobs; i++)
		settle(t->jobs[i].node, 0);
	for (size_t i = 0; i < t->njobs; i++) {
		struct gotype *g = &t->jobs[i].node->type;

		if (g->kind == GOTYPE_MAP && !map_ok(g))
			g->map = NULL;
	}
	t->njobs = 0;
}

const struct gotype *rtypes_type(struct rtypes *t, uint64_t vaddr)
{
	const struct gotype *g = hmap_get(&t->types, vaddr);
	struct rtdesc d;

	if (!g && !rtdesc_read(&t->src, vaddr, &d)) {
		g = refer(t, vaddr);
		drain(t);
	}
	return g && *g->name != '?' ? g : NULL;
}

bool rtypes_is_direct(struct rtypes *t, uint64_t vaddr)
{
	struct rtdesc d;

	return !rtdesc_read(&t->src, vaddr, &d) && d.direct;
}
