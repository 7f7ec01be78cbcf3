/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reasons why the module has not copied the object behind a reference, by the
 * plan's tables. Pure.
 */
#ifndef GOPROBE_PLAN_NOT_CAPTURED_H
#define GOPROBE_PLAN_NOT_CAPTURED_H

#include "event/record.h"
#include "plan/plan.h"

/*
 * The reference, of type @t, is @offset bytes from the beginning of chunk @c of
 * @r; NULL: of its frame. A static string, VALUE_DEEP if that is why; NULL if
 * nobody knows.
 */
const char *unread_why(const struct plan *p, const struct record *r,
		       const struct record_chunk *c, uint64_t offset, const struct gotype *t);

/*
 * Which option keeps a record that was cut short from having more, a static string; where
 * @have objects in a row were copied and that is as many as --elements allows: NULL.
 */
const char *unread_full(const struct plan *p, const struct record *r, uint64_t have);

#endif
