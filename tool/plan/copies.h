/* SPDX-License-Identifier: GPL-2.0 */
/* Places that functions of a plan were inlined into, and that are not traced. */
#ifndef GOPROBE_PLAN_COPIES_H
#define GOPROBE_PLAN_COPIES_H

#include "base/buf.h"
#include "lang/spec.h"
#include "plan/plan.h"

/*
 * Set @p->copies, @p->nshared, plan_func.copies and plan_func.row; @p->copies has also what
 * @specs match that has no code of its own. All functions have been added. 0, or -1 without
 * memory.
 */
int copies_find(struct plan *p, struct gobin **bins, size_t nbins, const struct spec *specs,
		size_t nspecs);

/* What counts them, for commands that can't trace them. */
#define COPIES_COUNT "'goprobectl count --inlined' counts these"

/*
 * "main.foo is also inlined at 3 places, not counted: --inlined"; nothing if there are none.
 * @action: "counted". @remedy: what would trace them, or NULL.
 */
void copies_put(const struct plan_copies *c, const char *action, const char *remedy,
		struct buf *b);

/* "2 inlined places may miss calls, or ...": plan_copies.unsure; nothing if there are none. */
void copies_put_unsure(const struct plan_copies *c, struct buf *b);

#endif
