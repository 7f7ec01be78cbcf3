/* SPDX-License-Identifier: GPL-2.0 */
/* Names that a mistyped one may have meant. Pure. */
#ifndef GOPROBE_BASE_SUGGEST_H
#define GOPROBE_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

#define SUGGEST_MAX 3

/* The nearest names so far, the best first. */
struct suggest {
	const char *wanted;		/* what was typed */
	const char *name[SUGGEST_MAX];	/* names; not owned */
	size_t score[SUGGEST_MAX];		/* their distances */
	size_t n;			/* how many */
};

void suggest_init(struct suggest *near, const char *wanted);
void suggest_offer(struct suggest *near, const char *name);
/* "did you mean 'a', 'b' or 'c'?", to be freed; NULL if nothing is near. */
char *suggest_hint(const struct suggest *near);
/* The same as the hint of @d; false if nothing is near. */
bool suggest_set_hint(const struct suggest *near, struct diag *d);

#endif
