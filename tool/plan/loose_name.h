/* SPDX-License-Identifier: GPL-2.0 */
/* Names of functions as people write or paste them. */
#ifndef GOPROBE_PLAN_LOOSE_NAME_H
#define GOPROBE_PLAN_LOOSE_NAME_H

#include "base/diag.h"
#include "lang/spec.h"
#include "plan/name_set.h"

/*
 * Replace the pattern of @spec if it is the name of no function, but of one function in another
 * spelling: "main.Cart.Add", "(*Cart).Add" or "Cart.Add" for main.(*Cart).Add, "http.(*conn).serve"
 * for net/http.(*conn).serve, "main.Map[int]" for main.Map[go.shape.int]. 0; -1 with @d set if that
 * may be several functions, or without memory.
 */
int loosename_resolve(const struct name_set *names, struct spec *spec, struct diag *d);

#endif
