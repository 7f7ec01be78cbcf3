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

/**
 * struct choice - functions being chosen
 * @p: where they go
 * @specs: what is wanted
 * @nspecs: how many
 * @found: for each spec, functions it matched
 * @added: for each spec, those that could be added
 * @hit: for each spec, does it match the function at hand
 * @like: for each spec, the first one that wants the same
 * @mem: for what is wanted of functions
 * @warnings: about functions that were added
 * @refusal: why a plainly named function could not be added
 * @lacks: what the first other function lacks that a spec asks for
 * @conflict: specs that want different things of a function or place
 * @claims: the spec that has a place, by its binary and address: struct claim
 * @reasons: why others were left out
 */
struct choice {
	struct plan *p;
	const struct spec *specs;
	size_t nspecs;
	size_t *found;
	size_t *added;
	bool *hit;
	size_t *like;
	struct arena *mem;
	struct buf warnings;
	struct diag refusal;
	struct diag lacks;
	struct diag conflict;
	struct hmap claims;
	struct reasons reasons;
};

/* Count a function or place that was left out, with the reason (static string). */
#define CHOICE_LACKS "lack what is asked for"
void choice_left_out(struct choice *c, const char *why);

/*
 * Add the places that specs name, or with @inlined those that the functions were inlined into
 * that they mean. 0, or -1 with @d or c->conflict set.
 */
int choice_places(struct choice *c, struct gobin **bins, size_t nbins, bool inlined,
		  struct diag *d);

#endif
