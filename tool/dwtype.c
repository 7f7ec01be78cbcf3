// SPDX-License-Identifier: GPL-2.0
/*
 * Go types from their DWARF entries. A type is made as a shell when something
 * refers to it and filled from a queue, so neither cycles nor long chains of
 * references recurse; what it contains by value is settled at the end.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dwabbrev.h"
#include "dwcodes.h"
#include "dwtype.h"

/* What a hostile file may not exceed and a real one never comes near. */
#define DWTYPE_NESTING_MAX 64
#define DWTYPE_SIZE_MAX (1ULL << 31)
#define DWTYPE_WEIGHT_MAX 65536U
/* How often all of the debug information may be walked for fields: honestly once. */
#define DWTYPE_WALKS 2U
/* Children of an array, of which the first one tells the number of elements. */
#define DWTYPE_ARRAY_CHILDREN 4

/* reflect.Kind */
enum go_kind {
	GO_BOOL = 1, GO_INT = 2, GO_INT64 = 6, GO_UINT = 7, GO_UINTPTR = 12,
	GO_FLOAT32 = 13, GO_FLOAT64, GO_COMPLEX64, GO_COMPLEX128, GO_ARRAY,
	GO_CHAN, GO_FUNC, GO_INTERFACE, GO_MAP, GO_POINTER, GO_SLICE, GO_STRING,
	GO_STRUCT, GO_UNSAFE_POINTER,
};

enum dwtype_state { TYPE_SHELL, TYPE_FILLED, TYPE_SETTLING, TYPE_SETTLED };

/* The type comes first: the map and all users have pointers to it. */
struct dwtype_node {
	struct gotype type;
	enum dwtype_state state;
	unsigned int nesting;
	unsigned int weight;	/* types inside, each as often as it occurs */
};

struct dwtype_job {
	struct dwtype_node *node;
	struct dwdie die;
};

void dwtype_init(struct dwtype *t, struct dwread *r, int minor, uint64_t types,
		 struct arena *mem)
{
	memset(t, 0, sizeof(*t));
	t->r = r;
	t->mem = mem;
	t->minor = minor;
	t->types = types;
}

void dwtype_fini(struct dwtype *t)
{
	hmap_fini(&t->by_die);
	free(t->jobs);
}

static size_t shape_index(const char *p)
{
	size_t n = 1;

	if (*p != '_' || !isdigit((unsigned char)p[1]))
		return 0;
	while (isdigit((unsigned char)p[n]))
		n++;
	return !p[n] || strchr(",]) }", p[n]) ? n : 0;
}

const char *dwtype_clean_name(struct dwtype *t, const char *name)
{
	static const char shape[] = "go.shape.";
	int shapes = 0;
	char *r, *w;

	if (!strstr(name, shape))
		return name;
	r = arena_strdup(t->mem, name);
	if (!r)
		return name;
	w = r;
	while (*name) {
		size_t n = shape_index(name);

		if (!strncmp(name, shape, sizeof(shape) - 1)) {
			name += sizeof(shape) - 1;
			shapes++;
		} else if (shapes && n && t->minor <= 19) {
			/* 1.18 and 1.19 number the shapes. */
			name += n;
			shapes--;
		} else {
			*w++ = *name++;
		}
	}
	*w = 0;
	return r;
}

/*
 * A typedef without a kind of its own stands for its target: .paramN of
 * generics (a shape), and the twin of each runtime structure.
 */
bool dwtype_resolve(struct dwread *r, struct dwdie *die)
{
	uint64_t kind;

	for (int i = 0; die->tag == DW_TAG_typedef &&
	     !dwread_number(r, die, DW_AT_go_kind, &kind); i++) {
		struct dwdie to;

		if (i == DWTYPE_TYPEDEFS_MAX ||
		    !dwread_ref(r, die, DW_AT_type, &to))
			return false;
		*die = to;
	}
	return true;
}

static struct dwtype_node *node_of(struct dwtype *t, struct dwdie *die)
{
	struct dwtype_node *n;
	uint64_t key;

	if (!dwtype_resolve(t->r, die))
		return NULL;
	key = die->off;
	n = hmap_get(&t->by_die, key);
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
	n = arena_alloc(t->mem, sizeof(*n));
	if (!n || hmap_put(&t->by_die, key, n))
		return NULL;
	n->type.name = "?";
	n->type.align = 1;
	t->jobs[t->njobs].node = n;
	t->jobs[t->njobs++].die = *die;
	return n;
}

static const struct gotype *refer(struct dwtype *t, const struct dwdie *die,
				  unsigned int attr)
{
	struct dwtype_node *n;
	struct dwdie to;

	if (!dwread_ref(t->r, die, attr, &to))
		return NULL;
	n = node_of(t, &to);
	return n ? &n->type : NULL;
}

static enum go_kind kind_of(struct dwtype *t, const struct dwdie *die)
{
	uint64_t v;
	struct dwdie to;

	/* 0 stands at some pointers (1.19: *bool, *error). */
	if (dwread_number(t->r, die, DW_AT_go_kind, &v) && (v & 0x1f))
		return v & 0x1f;
	switch (die->tag) {
	case DW_TAG_pointer_type:
		return dwread_ref(t->r, die, DW_AT_type, &to) ? GO_POINTER :
		       GO_UNSAFE_POINTER;
	case DW_TAG_subroutine_type:
		return GO_FUNC;
	case DW_TAG_structure_type:
		return GO_STRUCT;
	case DW_TAG_array_type:
		return GO_ARRAY;
	case DW_TAG_base_type:
		if (!dwread_number(t->r, die, DW_AT_encoding, &v))
			return 0;
		return v == DW_ATE_boolean ? GO_BOOL :
		       v == DW_ATE_signed ? GO_INT :
		       v == DW_ATE_unsigned ? GO_UINT :
		       v == DW_ATE_float ? GO_FLOAT64 :
		       v == DW_ATE_complex_float ? GO_COMPLEX128 : 0;
	}
	return 0;
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

static void fill_fields(struct dwtype *t, struct gotype *g, const struct dwdie *die)
{
	struct gofield *f;
	struct dwdie m;
	uint64_t most = DWTYPE_WALKS * (uint64_t)t->r->sects.v[DWSECT_INFO].n;
	uint64_t end = die->off;
	size_t n = 0, i = 0;
	bool more;

	/* A field has no children: there is nothing to be skipped unseen. */
	for (more = dwread_child(t->r, die, &m);
	     more && t->walked + (end - die->off) < most &&
	     !m.abbrev->children;
	     more = dwread_sibling(t->r, &m, &m)) {
		n += m.tag == DW_TAG_member;
		end = m.off;
	}
	if (more) {
		make_unknown(g);
		return;
	}
	t->walked += end - die->off;
	f = arena_array(t->mem, n, sizeof(*f));
	if (!f) {
		make_unknown(g);
		return;
	}
	for (more = dwread_child(t->r, die, &m); more && i < n;
	     more = dwread_sibling(t->r, &m, &m)) {
		const char *name;

		if (m.tag != DW_TAG_member)
			continue;
		name = dwread_name(t->r, &m);
		f[i].name = name && *name ? name : "_";
		f[i].type = refer(t, &m, DW_AT_type);
		f[i].embedded = dwread_flag(t->r, &m, DW_AT_go_embedded_field);
		if (!f[i].type ||
		    !dwread_number(t->r, &m, DW_AT_data_member_location, &f[i].offset)) {
			make_unknown(g);
			return;
		}
		i++;
	}
	g->fields = f;
	g->nfields = i;
}

static void fill_array(struct dwtype *t, struct gotype *g, const struct dwdie *die)
{
	struct dwdie m;
	bool more = dwread_child(t->r, die, &m);
	uint64_t v;

	g->elem = refer(t, die, DW_AT_type);
	for (int i = 0; more && i < DWTYPE_ARRAY_CHILDREN && !m.abbrev->children;
	     i++, more = dwread_sibling(t->r, &m, &m)) {
		if (m.tag != DW_TAG_subrange_type)
			continue;
		if (dwread_number(t->r, &m, DW_AT_count, &v))
			g->count = v;
		else if (dwread_number(t->r, &m, DW_AT_upper_bound, &v))
			g->count = v + 1;
		break;
	}
	if (!g->elem)
		make_unknown(g);
}

static void fill_map(struct dwtype *t, struct gotype *g, const struct dwdie *die)
{
	struct gomap m, *map;

	g->key = refer(t, die, DW_AT_go_key);
	g->elem = refer(t, die, DW_AT_go_elem);
	if (!g->key || !g->elem || !dwmap_read(t->r, die, &m))
		return;
	map = arena_alloc(t->mem, sizeof(*map));
	if (map)
		*map = m;
	g->map = map;
}

/*
 * The attribute is an offset from the first type, but before 1.23 an address at
 * two types that the linker adds (src/cmd/link/internal/ld/dwarf.go,
 * dwarfGenerateDebugInfo). 0: the program has no descriptor of it.
 */
static uint64_t rtype_of(struct dwtype *t, const char *name, const struct dwdie *die)
{
	uint64_t v;

	if (!dwread_address(t->r, die, DW_AT_go_runtime_type, &v) || !v)
		return 0;
	if (t->minor < 23 && name &&
	    (!strcmp(name, "uintptr") || !strcmp(name, "unsafe.Pointer")))
		return v;
	return t->types ? t->types + v : 0;
}

/* An interface is a typedef of runtime.iface or runtime.eface. */
static bool is_empty_interface(struct dwtype *t, const struct dwdie *die)
{
	struct dwdie at = *die, to;

	for (int i = 0; i < DWTYPE_TYPEDEFS_MAX; i++) {
		const char *name;

		if (!dwread_ref(t->r, &at, DW_AT_type, &to))
			return false;
		name = dwread_name(t->r, &to);
		if (name && !strcmp(name, "runtime.eface"))
			return true;
		if (name && !strcmp(name, "runtime.iface"))
			return false;
		at = to;
	}
	return false;
}

static void fill(struct dwtype *t, struct gotype *g, const struct dwdie *die)
{
	enum go_kind kind = kind_of(t, die);
	const char *name = dwread_name(t->r, die);
	uint64_t size = 0;

	g->name = name && *name ? dwtype_clean_name(t, name) : "?";
	dwread_number(t->r, die, DW_AT_byte_size, &size);
	g->size = size;
	g->align = 8;
	g->rtype = rtype_of(t, name, die);
	switch (kind) {
	case GO_BOOL:
		g->kind = GOTYPE_BOOL;
		g->align = (uint32_t)size;
		break;
	case GO_INT ... GO_INT64:
		g->kind = GOTYPE_INT;
		g->align = (uint32_t)size;
		break;
	case GO_UINT ... GO_UINTPTR:
		g->kind = GOTYPE_UINT;
		g->align = (uint32_t)size;
		break;
	case GO_FLOAT32:
	case GO_FLOAT64:
		g->kind = GOTYPE_FLOAT;
		g->align = (uint32_t)size;
		break;
	case GO_COMPLEX64:
	case GO_COMPLEX128:
		g->kind = GOTYPE_COMPLEX;
		g->align = (uint32_t)size / 2;
		break;
	case GO_ARRAY:
		g->kind = GOTYPE_ARRAY;
		fill_array(t, g, die);
		break;
	case GO_STRUCT:
		g->kind = GOTYPE_STRUCT;
		fill_fields(t, g, die);
		break;
	case GO_STRING:
		g->kind = GOTYPE_STRING;
		g->size = 16;
		break;
	case GO_SLICE:
		g->kind = GOTYPE_SLICE;
		g->size = 24;
		g->elem = refer(t, die, DW_AT_go_elem);
		break;
	case GO_INTERFACE:
		g->kind = GOTYPE_INTERFACE;
		g->size = 16;
		g->empty = is_empty_interface(t, die);
		break;
	case GO_MAP:
		g->kind = GOTYPE_MAP;
		g->size = 8;
		fill_map(t, g, die);
		break;
	case GO_CHAN:
		g->kind = GOTYPE_CHAN;
		g->size = 8;
		g->elem = refer(t, die, DW_AT_go_elem);
		break;
	case GO_FUNC:
		g->kind = GOTYPE_FUNC;
		g->size = 8;
		break;
	case GO_POINTER:
	case GO_UNSAFE_POINTER:
		g->kind = GOTYPE_POINTER;
		g->size = 8;
		g->elem = refer(t, die, DW_AT_type);
		if (!g->elem)
			g->elem = refer(t, die, DW_AT_go_elem);
		break;
	default:
		make_unknown(g);
	}
}

static bool scalar_size_ok(const struct gotype *g)
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
	default:
		return true;
	}
}

static struct dwtype_node *node(const struct gotype *g)
{
	return (struct dwtype_node *)(uintptr_t)g;
}

/* Do @n of @each fit, @stride apart, from @at on? */
static bool map_column_ok(const struct gomap *m, uint32_t at, uint32_t stride,
			  const struct gotype *each, bool indirect)
{
	uint64_t size = indirect ? 8 : each->size;

	return size <= stride && at + 7ULL * stride + size <= m->size;
}

static bool map_ok(const struct gotype *g)
{
	const struct gomap *m = g->map;

	return m && m->key_at >= 8 &&
	       map_column_ok(m, m->key_at, m->key_stride, g->key,
			     m->key_indirect) &&
	       map_column_ok(m, m->elem_at, m->elem_stride, g->elem,
			     m->elem_indirect);
}

/*
 * Alignment, and whether all that is inside has its place. @depth bounds the
 * recursion; a type that was too deep here is settled when its turn comes.
 */
static bool settle(struct dwtype_node *n, int depth)
{
	struct gotype *g = &n->type;
	bool ok = true;

	if (n->state == TYPE_SETTLED)
		return true;
	if (n->state == TYPE_SETTLING || depth > DWTYPE_NESTING_MAX)
		return false;	/* contains itself; or too much */
	n->state = TYPE_SETTLING;
	n->weight = 1;
	if (g->size >= DWTYPE_SIZE_MAX || !scalar_size_ok(g))
		ok = false;
	if (g->kind == GOTYPE_ARRAY) {
		uint64_t bytes;

		ok = ok && settle(node(g->elem), depth + 1);
		g->align = g->elem->align;
		n->nesting = node(g->elem)->nesting + 1;
		n->weight += node(g->elem)->weight;
		if (__builtin_mul_overflow(g->count, g->elem->size, &bytes) ||
		    bytes != g->size)
			ok = false;
	} else if (g->kind == GOTYPE_STRUCT) {
		g->align = 1;
		for (size_t i = 0; ok && i < g->nfields; i++) {
			const struct gofield *f = &g->fields[i];

			ok = settle(node(f->type), depth + 1) && f->offset <= g->size &&
			     f->type->size <= g->size - f->offset;
			if (f->type->align > g->align)
				g->align = f->type->align;
			if (node(f->type)->nesting >= n->nesting)
				n->nesting = node(f->type)->nesting + 1;
			n->weight += node(f->type)->weight;
			if (n->weight > DWTYPE_WEIGHT_MAX)
				ok = false;
		}
	} else if (g->kind == GOTYPE_MAP && !map_ok(g)) {
		g->map = NULL;
	}
	if (!ok || n->nesting > DWTYPE_NESTING_MAX) {
		make_unknown(g);
		n->nesting = 0;
		n->weight = 1;
	}
	n->state = TYPE_SETTLED;
	return true;
}

/* Fill all shells that there are. */
static void drain(struct dwtype *t)
{
	/* The queue is kept whole until the end: settling walks it again. */
	for (size_t i = 0; i < t->njobs; i++) {
		struct dwdie die = t->jobs[i].die;
		struct dwtype_node *n = t->jobs[i].node;

		fill(t, &n->type, &die);
		n->state = TYPE_FILLED;
	}
	for (size_t i = 0; i < t->njobs; i++)
		settle(t->jobs[i].node, 0);
	t->njobs = 0;
}

const struct gotype *dwtype_get(struct dwtype *t, const struct dwdie *die)
{
	const struct gotype *g = refer(t, die, DW_AT_type);

	drain(t);
	return g;
}

const struct gotype *dwtype_at(struct dwtype *t, const struct dwdie *die)
{
	struct dwdie at = *die;
	struct dwtype_node *n = node_of(t, &at);

	drain(t);
	return n ? &n->type : NULL;
}
