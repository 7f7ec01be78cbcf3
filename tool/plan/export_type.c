// SPDX-License-Identifier: GPL-2.0
/* The Go types that a plan's records can show. */
#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"
#include "gobin/closure.h"
#include "plan/export_type.h"
#include "plan/reference.h"
#include "value/decode.h"

/*
 * From a pointer everything can be reached, but records have only what the plan's types
 * say: so what a reference leads to is whole if it is one of these, or part of one.
 */
static int add(struct exporttypes *e, const struct gotype *t, bool whole)
{
	uintptr_t id;

	if (!t)
		return 0;
	id = (uintptr_t)hmap_get(&e->ids, (uintptr_t)t);
	if (!id) {
		if (grow(&e->v, e->n + 1, &e->cap, sizeof(*e->v)) ||
		    hmap_put(&e->ids, (uintptr_t)t, (void *)(e->n + 1)))
			return -1;
		e->v[e->n++] = (struct exporttype){ .t = t };
		id = e->n;
	}
	e->v[id - 1].whole |= whole;
	return 0;
}

static int add_parts(struct exporttypes *e, const struct gotype *t)
{
	bool inside = t->kind == GOTYPE_ARRAY || t->kind == GOTYPE_MAP || t->kind == GOTYPE_CHAN;

	for (size_t i = 0; i < t->nfields; i++)
		if (add(e, t->fields[i].type, true))
			return -1;
	/* Bytes are never told as a type of their own. */
	inside |= value_is_bytes(t);
	return add(e, t->elem, inside) || add(e, t->key, true) ? -1 : 0;
}

/* Until there is none left whose parts are missing. */
static int close_over(struct exporttypes *e)
{
	bool more = true;

	while (more) {
		more = false;
		for (size_t i = 0; i < e->n; i++) {
			if (!e->v[i].whole || e->v[i].done)
				continue;
			e->v[i].done = true;
			more = true;
			if (add_parts(e, e->v[i].t))
				return -1;
		}
	}
	return 0;
}

static int add_frame(struct exporttypes *e, const struct plan_frame *f)
{
	for (size_t i = 0; i < f->nvalues; i++)
		if (add(e, f->values[i].type, true))
			return -1;
	return 0;
}

void exporttypes_look(struct gobin *bin, uint64_t vaddr, struct exporttypes_known *ret)
{
	const struct gofunc *f = gobin_func_at(bin, vaddr);

	*ret = (struct exporttypes_known){ 0 };
	if (f && f->entry == vaddr) {
		ret->func = true;
		ret->name = f->name;
		ret->type = gobin_closure_type(bin, vaddr);
		return;
	}
	ret->name = gobin_rtype_name(bin, vaddr);
	ret->type = gobin_rtype(bin, vaddr);
	ret->direct = gobin_rtype_is_direct(bin, vaddr);
}

static int add_known(struct exporttypes *e, const struct plan_points *f)
{
	for (size_t i = 0; i < f->ndynamic; i++) {
		struct exporttypes_known k;

		exporttypes_look(f->bin, f->dynamic[i].address, &k);
		if (add(e, k.type, true))
			return -1;
	}
	return 0;
}

int exporttypes_collect(struct exporttypes *e, const struct plan *p)
{
	for (size_t i = 0; i < p->nfuncs; i++)
		if (add_frame(e, &p->funcs[i]->call) || add_frame(e, &p->funcs[i]->ret))
			return -1;
	for (size_t i = 0; i < p->ntypes; i++)
		if (add(e, p->gotypes[i], true))
			return -1;
	for (size_t i = 0; i < p->nfiles; i++)
		if (add_known(e, &p->files[i]))
			return -1;
	for (size_t i = 0; i < e->nshown; i++) {
		struct exporttypes_known k;

		exporttypes_look(e->shown[i].bin, e->shown[i].address, &k);
		if (add(e, k.type, true))
			return -1;
	}
	return close_over(e);
}

void exporttypes_fini(struct exporttypes *e)
{
	free(e->v);
	hmap_fini(&e->ids);
}

size_t exporttypes_id(const struct exporttypes *e, const struct gotype *t)
{
	return (uintptr_t)hmap_get(&e->ids, (uintptr_t)t) - 1;
}

static void put_ref(const struct exporttypes *e, struct buf *b, const char *key,
		    const struct gotype *t)
{
	if (t)
		json_u64(b, key, exporttypes_id(e, t));
}

static void put_fields(const struct exporttypes *e, struct buf *b, const struct gotype *t)
{
	json_raw(b, "fields", "[");
	for (size_t i = 0; i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		json_element(b);
		buf_char(b, '{');
		json_str(b, "name", f->name);
		put_ref(e, b, "type", f->type);
		json_u64(b, "offset", f->offset);
		json_flag(b, "embedded", f->embedded);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_map(struct buf *b, const struct gomap *m)
{
	json_raw(b, "map", "{");
	json_flag(b, "swiss", m->swiss);
	json_u64(b, "size", m->size);
	json_u64(b, "key_at", m->key_at);
	json_u64(b, "key_stride", m->key_stride);
	json_u64(b, "elem_at", m->elem_at);
	json_u64(b, "elem_stride", m->elem_stride);
	json_flag(b, "key_indirect", m->key_indirect);
	json_flag(b, "elem_indirect", m->elem_indirect);
	buf_char(b, '}');
}

static void put_type(const struct exporttypes *e, struct buf *b, const struct exporttype *x)
{
	static const char *const kinds[] = {
		[GOTYPE_UNKNOWN] = "unknown",
		[GOTYPE_BOOL] = "bool",
		[GOTYPE_INT] = "int",
		[GOTYPE_UINT] = "uint",
		[GOTYPE_FLOAT] = "float",
		[GOTYPE_COMPLEX] = "complex",
		[GOTYPE_STRING] = "string",
		[GOTYPE_SLICE] = "slice",
		[GOTYPE_ARRAY] = "array",
		[GOTYPE_STRUCT] = "struct",
		[GOTYPE_POINTER] = "pointer",
		[GOTYPE_INTERFACE] = "interface",
		[GOTYPE_MAP] = "map",
		[GOTYPE_CHAN] = "chan",
		[GOTYPE_FUNC] = "func",
	};
	const struct gotype *t = x->t;

	json_line(b, kinds[t->kind]);
	json_str(b, "name", value_type_name(t));
	json_u64(b, "size", t->size);
	json_flag(b, "unfollowed", !wirerefs_follows(t));
	json_flag(b, "more", t->more);
	json_flag(b, "empty", t->empty);
	json_flag(b, "partial", !x->whole);
	if (x->whole) {
		put_ref(e, b, "elem", t->elem);
		put_ref(e, b, "key", t->key);
		if (t->kind == GOTYPE_ARRAY)
			json_u64(b, "count", t->count);
		if (t->map)
			put_map(b, t->map);
		if (t->nfields)
			put_fields(e, b, t);
	}
	buf_char(b, '}');
}

void exporttypes_put(const struct exporttypes *e, struct buf *b)
{
	buf_str(b, "[\n");
	for (size_t i = 0; i < e->n; i++) {
		buf_str(b, i ? ",\n" : "");
		put_type(e, b, &e->v[i]);
	}
	buf_char(b, ']');
}
