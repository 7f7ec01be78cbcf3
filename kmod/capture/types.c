// SPDX-License-Identifier: GPL-2.0
/*
 * The types of one session.
 *
 * Locking: one writer at a time (the session's lock); readers take none.
 */
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "capture/types.h"
#include "gfp.h"

/* Allocate the blocks for ids below @end. */
static int gp_types_reserve(struct gp_types *types, u32 end)
{
	u32 i;

	for (i = 0; i * GP_TYPES_BLOCK < end; i++) {
		if (types->block[i])
			continue;
		types->block[i] = kvcalloc(GP_TYPES_BLOCK, sizeof(struct gp_type),
					   GP_GFP_CHARGED);
		if (!types->block[i])
			return -ENOMEM;
	}
	return 0;
}

static void gp_types_set(struct gp_type *t, u32 id, const struct goprobe_type *w,
			 const struct goprobe_ref *refs)
{
	u32 i;

	t->id = id;
	t->size = w->size;
	t->nrefs = w->nrefs;
	t->refs = refs + w->ref;
	for (; t->nrefs && t->refs[t->nrefs - 1].kind == GOPROBE_REF_WIPE; t->nrefs--)
		t->nwipes++;
	for (i = 0; i < t->nrefs; i++)
		if (t->refs[i].flags & GOPROBE_REF_F_SAME_LEVEL)
			t->same_level = true;
}

/**
 * gp_types_add() - append types and publish them
 * @types: the table
 * @add: verified
 * @n: number of @add; together with the present types at most GP_TYPES_MAX
 * @refs: their references, verified
 * @nrefs: number of @refs
 *
 * Return: the id of the first new type, or -ENOMEM.
 */
int gp_types_add(struct gp_types *types, const struct goprobe_type *add, u32 n,
		 const struct goprobe_ref *refs, u32 nrefs)
{
	u32 first = types->n, i;
	struct gp_types_refs *copy;

	if (gp_types_reserve(types, first + n))
		return -ENOMEM;
	copy = kvmalloc(struct_size(copy, ref, nrefs), GP_GFP_CHARGED);
	if (!copy)
		return -ENOMEM;
	if (nrefs)
		memcpy(copy->ref, refs, nrefs * sizeof(*refs));
	copy->next = types->refs;
	types->refs = copy;
	types->nrefs += nrefs;
	for (i = 0; i < n; i++) {
		u32 id = first + i;
		struct gp_type *t = &types->block[id / GP_TYPES_BLOCK][id % GP_TYPES_BLOCK];

		gp_types_set(t, id, &add[i], copy->ref);
		if (t->nwipes)
			WRITE_ONCE(types->wipes, true);
	}
	/* Readers see the types, and that some have wipes, before the number that covers them. */
	smp_store_release(&types->n, first + n);
	return first;
}

/* No reader is left. */
void gp_types_fini(struct gp_types *types)
{
	u32 i;

	while (types->refs) {
		struct gp_types_refs *refs = types->refs;

		types->refs = refs->next;
		kvfree(refs);
	}
	for (i = 0; i < ARRAY_SIZE(types->block); i++)
		kvfree(types->block[i]);
}
