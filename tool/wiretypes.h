/* SPDX-License-Identifier: GPL-2.0 */
/* The part of a plan that tells the module where types have references. Pure. */
#ifndef GOPROBE_WIRETYPES_H
#define GOPROBE_WIRETYPES_H

#include "arena.h"
#include "hmap.h"
#include "plan.h"

#define WIRETYPES_NONE UINT32_MAX

struct wiretypes_fixup;

/**
 * struct wiretypes - makes plan.types, plan.gotypes and plan.refs
 * @plan: where they go
 * @mem: for what is needed on the way
 * @types_cap: room in plan.types and plan.gotypes
 * @refs_cap: room in plan.refs
 * @by_gotype: types of objects, by Go type
 * @frames: types of frames, by a hash of what is in them
 * @fixups: references to types that are not finished yet
 */
struct wiretypes {
	struct plan *plan;
	struct arena *mem;
	size_t types_cap;
	size_t refs_cap;
	struct hmap by_gotype;
	struct hmap frames;
	struct wiretypes_fixup *fixups;
};

void wiretypes_fini(struct wiretypes *w);

/* The wire type of objects of type @t, if there is one, else WIRETYPES_NONE. */
uint32_t wiretypes_find(const struct wiretypes *w, const struct gotype *t);

/**
 * wiretypes_frame() - the wire type of a frame
 * @w: types so far
 * @values: what is in the frame; those that are unavailable are not
 * @n: their number
 * @size: of the frame
 * @ret: session type id
 *
 * A type stands behind those it refers to, but for cycles. Frames that look
 * alike share a type.
 *
 * Return: 0, or -1 without memory.
 */
int wiretypes_frame(struct wiretypes *w, const struct plan_value *values,
		    size_t n, uint32_t size, uint32_t *ret);

#endif
