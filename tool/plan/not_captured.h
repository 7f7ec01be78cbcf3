/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reasons why the module has not copied the object behind a reference, by the
 * plan's tables. Pure.
 */
#ifndef GOPROBE_PLAN_NOT_CAPTURED_H
#define GOPROBE_PLAN_NOT_CAPTURED_H

#include "event/record.h"
#include "plan/plan.h"

/* An object with references, or a frame. */
struct not_captured_object {
	const struct goprobe_ref *refs;	/* its type's references */
	uint32_t nrefs;			/* their number */
	uint32_t size;			/* bytes of one object */
	uint32_t level;			/* references from the frame */
};

/*
 * Why a walk to @depth does not follow the reference of type @t that is @offset bytes from the
 * beginning of the first of such objects: VALUE_DEEP or another static string; NULL: it does,
 * unless the record is full. *@ret: the reference, or NULL.
 */
const char *not_captured_reason(const struct not_captured_object *o, uint64_t offset,
				const struct gotype *t, uint32_t depth,
				const struct goprobe_ref **ret);

/*
 * The reference, of type @t, is @offset bytes from the beginning of chunk @c of
 * @r; NULL: of its frame. A static string, VALUE_DEEP if that is why; NULL if
 * nobody knows.
 */
const char *not_captured_why(const struct plan *p, const struct record *r,
			     const struct record_chunk *c, uint64_t offset, const struct gotype *t);

/*
 * Which option keeps a record that was cut short from having more, a static string; where
 * @have objects in a row were copied and that is as many as --elements allows: NULL.
 */
const char *not_captured_full(const struct plan *p, const struct record *r, uint64_t have);

#endif
