/* SPDX-License-Identifier: GPL-2.0 */
/* Fields of Go structs by name, promoted ones included. Pure. */
#ifndef GOPROBE_GOTYPE_SELECTOR_H
#define GOPROBE_GOTYPE_SELECTOR_H

#include "base/suggest.h"
#include "gotype/type.h"

/* How many embedded structs a name is looked for in, one within the other. */
#define SELECTOR_DEPTH 8

enum selector_found {
	SELECTOR_NONE,
	SELECTOR_ONE,
	SELECTOR_SEVERAL,	/* at the same depth: Go does not compile that */
};

/* From a struct to a field. */
struct selector_path {
	/*
	 * Fields one within the other, through pointers where they are pointers; all but the last
	 * one embedded.
	 */
	const struct gofield *v[SELECTOR_DEPTH + 1];
	size_t n;					/* their number */
};

/* Look for @name in the struct @t as Go does: the least deep one counts. */
enum selector_found selector_find(const struct gotype *t, const char *name,
				  struct selector_path *ret);
/* Offer the names of all fields that can be selected. */
void selector_offer(const struct gotype *t, struct suggest *near);

#endif
