/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that a pattern is compared with: all of some programs, or a choice of them. */
#ifndef GOPROBE_PLAN_NAME_SET_H
#define GOPROBE_PLAN_NAME_SET_H

#include <stddef.h>

#include "gobin/gobin.h"

/* The functions. */
struct name_set {
	struct gobin *const *bins;	/* programs with these functions */
	size_t nbins;			/* their number */
	const struct gofunc *const *only;	/* only these of them; NULL: all */
	size_t nonly;			/* their number */
};

/* A walk over them. */
struct name_walk {
	size_t i;			/* the program, or the next of name_set.only */
	const struct gofunc *at;	/* the function before the next one, or NULL */
};

/* The next function, or NULL behind the last one. @w: all zero before the first one. */
const struct gofunc *name_set_next(const struct name_set *s, struct name_walk *w);
/* Have functions that were inlined wherever they are called. 0, or -1 without memory. */
int name_set_load_inlined(const struct name_set *s);

#endif
