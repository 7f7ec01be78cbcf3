/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types of one session: sizes and positions of references. The table grows while handlers read
 * it, and never moves. A published type is complete, and stays the same until the session ends.
 */
#ifndef GP_TYPES_H
#define GP_TYPES_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <goprobe.h>

/* See struct goprobe_limits. */
#define GP_TYPES_MAX	(64U << 10)
#define GP_REFS_MAX	(256U << 10)

#define GP_TYPES_BLOCK	1024U

/**
 * struct gp_type - a verified goprobe_type
 * @id: session type id
 * @size: bytes of one object
 * @nrefs: number of references among @refs
 * @same_level: one of them has GOPROBE_REF_F_SAME_LEVEL
 * @nwipes: number of wipes, behind them in @refs
 * @refs: verified references
 */
struct gp_type {
	u32 id;
	u32 size;
	u32 nrefs;
	bool same_level;
	u16 nwipes;
	const struct goprobe_ref *refs;
};

/* The references of one message. */
struct gp_types_refs {
	struct gp_types_refs *next;
	struct goprobe_ref ref[];
};

/**
 * struct gp_types - the table
 * @n: number of published types
 * @nrefs: number of their references; only the writer uses it
 * @wipes: one of them has wipes
 * @refs: all references; only the writer uses it
 * @block: the types, in blocks; those for ids below @n exist
 */
struct gp_types {
	u32 n;
	u32 nrefs;
	bool wipes;
	struct gp_types_refs *refs;
	struct gp_type *block[GP_TYPES_MAX / GP_TYPES_BLOCK];
};

/* The type with that id; NULL if it does not exist (yet). */
static inline const struct gp_type *gp_types_find(const struct gp_types *types, u32 id)
{
	/* The type is read after the number that covers it. */
	if (id >= smp_load_acquire(&types->n))
		return NULL;
	return &types->block[id / GP_TYPES_BLOCK][id % GP_TYPES_BLOCK];
}

int gp_types_add(struct gp_types *types, const struct goprobe_type *add, u32 n,
		 const struct goprobe_ref *refs, u32 nrefs);
void gp_types_fini(struct gp_types *types);

#endif
