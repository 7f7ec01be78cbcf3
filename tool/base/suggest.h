/* SPDX-License-Identifier: GPL-2.0 */
/* Names that a mistyped one may have meant. Pure. */
#ifndef GOPROBE_BASE_SUGGEST_H
#define GOPROBE_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

#define NEAR_MAX 3

/* The nearest names so far, the best first. */
struct near {
	const char *wanted;		/* what was typed */
	const char *name[NEAR_MAX];	/* names; not owned */
	size_t score[NEAR_MAX];		/* their distances */
	size_t n;			/* how many */
};

void near_init(struct near *near, const char *wanted);
void near_offer(struct near *near, const char *name);
/* "did you mean 'a', 'b' or 'c'?", to be freed; NULL if nothing is near. */
char *near_hint(const struct near *near);
/* The same as the hint of @d; false if nothing is near. */
bool near_set_hint(const struct near *near, struct diag *d);

#endif
