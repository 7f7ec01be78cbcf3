// SPDX-License-Identifier: GPL-2.0
/*
 * The types of a walk: the references of plan/reference.c, made when the walk first needs them. The
 * module gets such a table with its plan; here it grows while values are read.
 */
#include <string.h>

#include "base/array.h"
#include "eval/eval.h"

static uint64_t key_of(const struct gotype *t, enum wire_role role)
{
	return (uint64_t)(uintptr_t)t << 4 | role;
}

/* The type's place in the table, without its references. */
static struct eval_type *reserve(struct eval *g, const struct gotype *t, enum wire_role role)
{
	struct eval_types *types = &g->types;
	struct eval_type *ret = hmap_get(&types->known, key_of(t, role));

	if (ret)
		return ret;
	ret = arena_alloc(&types->mem, sizeof(*ret));
	if (!ret || grow(&types->v, types->n + 1, &types->cap, sizeof(*types->v)) ||
	    hmap_put(&types->known, key_of(t, role), ret))
		return NULL;
	ret->t = t;
	ret->role = role;
	ret->size = (uint32_t)reference_size(runtime_layout_get(gobin_go_minor(g->bin)), t, role);
	ret->id = (uint32_t)types->n;
	types->v[types->n++] = ret;
	return ret;
}

static bool has_objects(const struct wire_ref *r)
{
	return r->ref.kind == GOPROBE_REF_POINTER || r->ref.kind == GOPROBE_REF_SLICE ||
	       r->ref.kind == GOPROBE_REF_ARRAY;
}

/* Take over g->refs. What refers to objects without a size is not followed. */
static int set_references(struct eval *g, struct eval_type *t, struct arena *mem)
{
	t->nrefs = 0;
	t->refs = arena_array(mem, g->refs.n + 1, sizeof(*t->refs));
	if (!t->refs)
		return -1;
	for (size_t i = 0; i < g->refs.n; i++) {
		const struct wire_ref *r = &g->refs.v[i];
		struct goprobe_ref *ref = &t->refs[t->nrefs];
		const struct eval_type *to;

		*ref = r->ref;
		if (has_objects(r)) {
			to = reserve(g, r->to, r->role);
			if (!to)
				return -1;
			if (!to->size)
				continue;
			ref->type = to->id;
		}
		t->nrefs++;
	}
	return 0;
}

static void begin(struct eval *g)
{
	g->refs.layout = runtime_layout_get(gobin_go_minor(g->bin));
	g->refs.secrets = &g->limits.secrets;
}

const struct eval_type *eval_type_at(struct eval *g, uint32_t id)
{
	struct eval_type *t = g->types.v[id];

	if (t->refs)
		return t;
	begin(g);
	reference_of(&g->refs, t->t, t->role);
	return set_references(g, t, &g->types.mem) ? NULL : t;
}

const struct eval_type *eval_type(struct eval *g, const struct gotype *t, enum wire_role role)
{
	const struct eval_type *place = reserve(g, t, role);

	return place ? eval_type_at(g, place->id) : NULL;
}

int eval_type_frame(struct eval *g, const struct plan_capture *c)
{
	begin(g);
	reference_begin(&g->refs);
	for (size_t i = 0; i < c->nvalues; i++)
		if (!c->values[i].unavailable)
			reference_add_frame(&g->refs, c->values[i].type, c->values[i].offset);
	reference_sort(&g->refs, c->size);
	g->frame_type = (struct eval_type){ .size = c->size };
	return set_references(g, &g->frame_type, &g->mem);
}

void eval_types_fini(struct eval_types *types)
{
	hmap_fini(&types->known);
	arena_fini(&types->mem);
	free(types->v);
	*types = (struct eval_types){ 0 };
}
