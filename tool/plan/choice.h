/* SPDX-License-Identifier: GPL-2.0 */
/* Functions and places being chosen: what select, select_place and missing share. */
#ifndef GOPROBE_PLAN_CHOICE_H
#define GOPROBE_PLAN_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/hmap.h"
#include "lang/spec.h"
#include "plan/plan.h"

#define REASONS_MAX 16

struct reasons {
	const char *why[REASONS_MAX];
	size_t count[REASONS_MAX];
	size_t n;
	size_t total;
};

/* Functions being chosen. */
struct choice {
	struct plan *p;		/* where they go */
	struct spec *specs;	/* what is wanted */
	size_t nspecs;		/* how many */
	size_t *found;		/* for each spec, functions it matched */
	size_t *added;		/* for each spec, those that could be added */
	bool *hit;		/* for each spec, does it match the function at hand */
	size_t *like;		/* for each spec, the first one that wants the same */
	struct arena *mem;	/* for what is wanted of functions */
	struct buf warnings;	/* about functions that were added */
	/* For each spec, why the first function or place that it means could not be added. */
	struct diag *why;
	struct diag conflict;	/* specs that want different things of a function or place */
	/* The spec that has a place, by its binary and address: struct claim. */
	struct hmap claims;
	struct reasons reasons;	/* why others were left out */
	const char *wraps;	/* the function at hand is a wrapper of this one, which was meant */
};

/* "3 functions or places left out: 2 are inlined, ..."; nothing, if all are there. */
void choice_describe(const struct reasons *r, struct buf *b);
/* Count a function or place that was left out, with the reason, which outlives @c. */
void choice_leave_out(struct choice *c, const char *why);
/* "have no 'qty'": what functions with the error @d of a request lack. It outlives @c. */
const char *choice_lack(const struct choice *c, const struct diag *d);
/*
 * Nothing is traced of spec @i, because of @d, which is moved to it. 0; -1 if that is for lack of
 * memory, and @d is as it was.
 */
int choice_failed(struct choice *c, size_t i, struct diag *d);

#endif
