// SPDX-License-Identifier: GPL-2.0
/* Reasons why the module has not copied the object behind a reference, by the plan's tables. */
#include "plan/not_captured.h"
#include "plan/reference.h"
#include "value/decode.h"

static bool is_interface(const struct goprobe_ref *r)
{
	return r->kind == GOPROBE_REF_IFACE || r->kind == GOPROBE_REF_EFACE;
}

static const struct goprobe_ref *find(const struct plan *p, const struct goprobe_type *t,
				      uint64_t offset)
{
	for (uint32_t i = 0; i < t->nrefs; i++)
		if (p->refs[t->ref + i].offset == offset)
			return &p->refs[t->ref + i];
	return NULL;
}

/*
 * The reference at @offset of such an object. The data word of an interface may be
 * one, too; it goes with that: *@direct.
 */
static const struct goprobe_ref *reference(const struct plan *p, const struct goprobe_type *t,
					   uint64_t offset, bool *direct)
{
	const struct goprobe_ref *r;

	*direct = false;
	if (t->size)
		offset %= t->size;
	r = find(p, t, offset);
	if (r || offset < 8)
		return r;
	r = find(p, t, offset - 8);
	*direct = r && is_interface(r);
	return *direct ? r : NULL;
}

/* Elements of a map per group, as a shift: goprobe_ref.elements_shift. */
#define GROUP_SHIFT 2

const char *unread_full(const struct plan *p, const struct record *r, uint64_t have)
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

const char *unread_why(const struct plan *p, const struct record *r,
		       const struct record_chunk *c, uint64_t offset, const struct gotype *t)
{
	const struct goprobe_plan *plan;
	const struct goprobe_ref *ref;
	uint32_t type, step;
	bool direct;

	if (r->h.plan >= p->nplans)
		return NULL;
	plan = &p->plans[r->h.plan];
	type = c ? c->type : plan->type;
	if (type >= p->ntypes)
		return NULL;
	ref = reference(p, &p->types[type], offset, &direct);
	step = !(ref && ref->flags & GOPROBE_REF_F_SAME_LEVEL);
	/* The types of the last level lack what nobody would follow from there. */
	if ((c ? c->level : 0) + step > plan->depth || (!c && !ref && p->texts))
		return p->brief ? VALUE_DEEP_BRIEF : VALUE_DEEP;
	if (!ref || (direct && !wirerefs_follows(t)))
		return "not followed";
	if (r->h.flags & GOPROBE_RECORD_F_BUDGET)
		return unread_full(p, r, 0);
	return is_interface(ref) ? "type not known yet" : "not followed";
}
