/* SPDX-License-Identifier: GPL-2.0 */
/* Spec precedence: which of several matching specs applies to a function or place. Pure. */
#ifndef GOPROBE_PLAN_CLAIM_H
#define GOPROBE_PLAN_CLAIM_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/diag.h"
#include "lang/spec.h"

/* Who says more of a function counts more: by name, then what is wanted of it. */
enum claim_rank {
	CLAIM_PATTERN,		/* a pattern finds it */
	CLAIM_PATTERN_ASKS,	/* and asks for something */
	CLAIM_NAME,		/* it is named, or a place */
	CLAIM_NAME_ASKS,
	__CLAIM_MAX,
};

enum claim_rank claim_rank(const struct spec *s);

/* Do two specs of a rank want the same? What they have behind their patterns is compared. */
bool claim_same(const struct spec *a, const struct spec *b, struct arena *mem);

/* The error, -1: both mean @what, a function or a place, and don't want the same. */
int claim_conflict(const char *what, const struct spec *a, const struct spec *b,
		   struct arena *mem, struct diag *d);

#endif
