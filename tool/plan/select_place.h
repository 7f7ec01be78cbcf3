/* SPDX-License-Identifier: GPL-2.0 */
/* Places among what is being chosen, and functions that are meant by them. */
#ifndef GOPROBE_PLAN_SELECT_PLACE_H
#define GOPROBE_PLAN_SELECT_PLACE_H

#include "gobin/gobin.h"
#include "plan/choice.h"

/*
 * Add the places that specs name, or with @inlined those that the functions were inlined into
 * that they mean. 0, or -1 with @d or c->conflict set. A place that cannot be traced is no error:
 * c->why has the reason.
 */
int select_places(struct choice *c, struct gobin **bins, size_t nbins, bool inlined,
		  struct diag *d);

/*
 * The method that the plain name of @spec means, and that wrapper @fn has the code of; or NULL.
 */
const char *select_wraps(struct gobin *bin, const struct gofunc *fn, const struct spec *spec);

/*
 * With plan.sure_inlined: add the places that functions which plain names name were inlined into,
 * as far as each call is sure to be counted once. 0, or -1 with @d set.
 */
int select_sure(struct choice *c, struct gobin **bins, size_t nbins, struct diag *d);

#endif
