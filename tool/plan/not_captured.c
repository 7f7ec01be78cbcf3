// SPDX-License-Identifier: GPL-2.0
/* Reasons why the module has not copied the object behind a reference, by the plan's tables. */
#include "plan/not_captured.h"
#include "plan/reference.h"
#include "value/decode.h"

static bool is_interface(const struct goprobe_ref *r)
{
	return r->kind == GOPROBE_REF_IFACE || r->kind == GOPROBE_REF_EFACE;
}

static const struct goprobe_ref *find(const struct not_captured_object *o, uint64_t offset)
{
	for (uint32_t i = 0; i < o->nrefs; i++)
		if (o->refs[i].offset == offset)
			return &o->refs[i];
	return NULL;
}

/*
 * The reference at @offset of such an object. The data word of an interface may be
 * one, too; it goes with that: *@direct.
 */
static const struct goprobe_ref *reference(const struct not_captured_object *o, uint64_t offset,
					   bool *direct)
{
	const struct goprobe_ref *r;

	*direct = false;
	if (o->size)
		offset %= o->size;
	r = find(o, offset);
	if (r || offset < 8)
		return r;
	r = find(o, offset - 8);
	*direct = r && is_interface(r);
	return *direct ? r : NULL;
}

const char *not_captured_reason(const struct not_captured_object *o, uint64_t offset,
				const struct gotype *t, uint32_t depth,
				const struct goprobe_ref **ret)
{
	bool direct;

	*ret = reference(o, offset, &direct);
	/* The types of the last level lack what nobody would follow from there. */
	if (o->level + !(*ret && (*ret)->flags & GOPROBE_REF_F_SAME_LEVEL) > depth || !depth)
		return VALUE_DEEP;
	return !*ret || (direct && !reference_follows(t)) ? "not followed" : NULL;
}

/* Elements of a map per group, as a shift: goprobe_ref.elements_shift. */
#define GROUP_SHIFT 2

const char *not_captured_full(const struct plan *p, const struct record *r, uint64_t have)
{
	const struct goprobe_plan *plan;
	uint32_t objects = 0;

	if (r->h.plan >= p->nplans)
		return "record is full";
	plan = &p->plans[r->h.plan];
	if (have && have >= plan->elements >> GROUP_SHIFT)
		return NULL;
	for (size_t i = 0; i < r->nchunks; i++)
		objects += r->chunks[i].type != GOPROBE_TYPE_MISSED;
	return objects >= plan->objects ? "beyond --objects" : "beyond --bytes";
}

const char *not_captured_why(const struct plan *p, const struct record *r,
			     const struct record_chunk *c, uint64_t offset, const struct gotype *t)
{
	const struct goprobe_plan *plan;
	const struct goprobe_type *type;
	const struct goprobe_ref *ref;
	struct not_captured_object o;
	const char *why;
	uint32_t id;

	if (r->h.plan >= p->nplans)
		return NULL;
	plan = &p->plans[r->h.plan];
	id = c ? c->type : plan->type;
	if (id >= p->ntypes)
		return NULL;
	type = &p->types[id];
	o = (struct not_captured_object){
		.refs = p->refs + type->ref, .nrefs = type->nrefs, .size = type->size,
		.level = c ? c->level : 0,
	};
	why = not_captured_reason(&o, offset, t, plan->depth, &ref);
	if (why == VALUE_DEEP || (!c && !ref && p->texts))
		return p->o->brief ? VALUE_DEEP_BRIEF : VALUE_DEEP;
	if (why)
		return why;
	if (r->h.flags & GOPROBE_RECORD_F_BUDGET)
		return not_captured_full(p, r, 0);
	return is_interface(ref) ? "type not known yet" : "not followed";
}
