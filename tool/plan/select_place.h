/* SPDX-License-Identifier: GPL-2.0 */
/* Functions and places being chosen: what the files of select share. */
#ifndef GOPROBE_PLAN_SELECT_PLACE_H
#define GOPROBE_PLAN_SELECT_PLACE_H

#include "base/hmap.h"
#include "plan/select.h"

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
void select_describe(const struct reasons *r, struct buf *b);
/* Count a function or place that was left out, with the reason, which outlives @c. */
void select_left_out(struct choice *c, const char *why);
/* "have no 'qty'": what functions with the error @d of a request lack. It outlives @c. */
const char *select_lack(const struct choice *c, const struct diag *d);
/*
 * Nothing is traced of spec @i, because of @d, which is moved to it. 0; -1 if that is for lack of
 * memory, and @d is as it was.
 */
int select_failed(struct choice *c, size_t i, struct diag *d);

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
