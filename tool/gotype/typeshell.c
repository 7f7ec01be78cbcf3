// SPDX-License-Identifier: GPL-2.0
/* Types while they are made: shells that are filled, then settled. */
#include "gotype/typeshell.h"
#include "gotype/kind.h"

/* What a hostile file may not exceed and a real one never comes near. */
#define NESTING_MAX 64
#define SIZE_MOST (1ULL << 31)
#define WEIGHT_MAX 65536U

void typeshell_fini(struct typeshells *s)
{
	hmap_fini(&s->by_key);
}

struct typeshell *typeshell_get(const struct typeshells *s, uint64_t key)
{
	return hmap_get(&s->by_key, key);
}

int typeshell_add(struct typeshells *s, uint64_t key, struct typeshell *t)
{
	if (hmap_put(&s->by_key, key, t))
		return -1;
	t->type.name = "?";
	t->type.align = 1;
	if (s->first)
		s->last->next = t;
	else
		s->first = t;
	s->last = t;
	return 0;
}

void typeshell_unknown(struct gotype *g)
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

/* Do 8 of @each fit, @stride apart, from @at on? */
static bool map_column_ok(const struct gomap *m, uint32_t at, uint32_t stride,
			  const struct gotype *each, bool indirect)
{
	uint64_t size = indirect ? 8 : each->size;

	return size <= stride && at + 7ULL * stride + size <= m->size;
}

static bool map_ok(const struct gotype *g)
{
	const struct gomap *m = g->map;

	return map_column_ok(m, m->key_at, m->key_stride, g->key,
			     m->key_indirect) &&
	       map_column_ok(m, m->elem_at, m->elem_stride, g->elem,
			     m->elem_indirect);
}

/* What a type refers to has been added, too. */
static struct typeshell *shell_of(const struct gotype *g)
{
	return (struct typeshell *)(uintptr_t)g;
}

static bool settle(struct typeshell *t, int depth);

static bool settle_array(struct typeshell *t, int depth)
{
	struct gotype *g = &t->type;
	struct typeshell *elem = shell_of(g->elem);
	uint64_t bytes;

	if (!settle(elem, depth + 1) ||
	    __builtin_mul_overflow(g->count, elem->type.size, &bytes) ||
	    bytes != g->size)
		return false;
	if (!g->align)
		g->align = elem->type.align;
	t->nesting = elem->nesting + 1;
	t->weight += elem->weight;
	return true;
}

static bool settle_struct(struct typeshell *t, int depth)
{
	struct gotype *g = &t->type;
	uint32_t align = 1;

	for (size_t i = 0; i < g->nfields; i++) {
		const struct gofield *f = &g->fields[i];
		struct typeshell *of = shell_of(f->type);

		if (!settle(of, depth + 1) || f->offset > g->size ||
		    f->type->size > g->size - f->offset)
			return false;
		if (f->type->align > align)
			align = f->type->align;
		if (of->nesting >= t->nesting)
			t->nesting = of->nesting + 1;
		t->weight += of->weight;
		if (t->weight > WEIGHT_MAX)
			return false;
	}
	if (!g->align)
		g->align = kind_is_vector(g) ? 8 : align;
	return true;
}

/*
 * Alignment, and whether all that is inside has its place. @depth bounds the
 * recursion; a type that was too deep here is settled when its turn comes.
 */
static bool settle(struct typeshell *t, int depth)
{
	struct gotype *g = &t->type;
	bool ok = g->size < SIZE_MOST && kind_size_ok(g->kind, g->size);

	if (t->state == TYPESHELL_SETTLED)
		return true;
	if (t->state == TYPESHELL_SETTLING || depth > NESTING_MAX)
		return false;	/* contains itself; or too much */
	t->state = TYPESHELL_SETTLING;
	t->weight = 1;
	if (ok && g->kind == GOTYPE_ARRAY)
		ok = settle_array(t, depth);
	else if (ok && g->kind == GOTYPE_STRUCT)
		ok = settle_struct(t, depth);
	else if (g->kind == GOTYPE_MAP && g->map && !map_ok(g))
		g->map = NULL;
	if (!ok || t->nesting > NESTING_MAX) {
		typeshell_unknown(g);
		t->nesting = 0;
		t->weight = 1;
	}
	t->state = TYPESHELL_SETTLED;
	return true;
}

void typeshell_settle(struct typeshells *s, typeshell_fn fill, void *ctx)
{
	struct typeshell *t;

	/* The queue is kept whole until the end: settling walks it again. */
	for (t = s->first; t; t = t->next)
		fill(ctx, t);
	for (t = s->first; t; t = t->next)
		settle(t, 0);
	s->first = NULL;
	s->last = NULL;
}
