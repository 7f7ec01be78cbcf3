/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places of specs, as instructions: a line, an offset in a function, an address, or the name of
 * an inlined function.
 */
#ifndef GOPROBE_PLAN_PLACE_H
#define GOPROBE_PLAN_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "gobin/gobin.h"
#include "lang/spec.h"

/* An instruction. */
struct place {
	struct gobin *bin;		/* its binary */
	const struct gofunc *fn;	/* the function that has it */
	uint64_t vaddr;			/* link-time address */
	/* It is meant as the beginning of this function, which was inlined there; or NULL. */
	const char *inlined;
	/* Then: a call of that may be missed there, or come there twice. */
	bool unsure;
};

/*
 * Differs for different places; where one function was inlined into another, one can begin
 * both, as two places.
 */
uint64_t place_key(const struct place *place);

struct places {
	struct place *v;
	size_t n;
	size_t cap;
};

void place_fini(struct places *p);

/*
 * Add what @spec (SPEC_LINE, SPEC_OFFSET or SPEC_ADDRESS) means; errors point into its text.
 *
 * Of a line it is the first instruction of a statement in each function, and in each place that
 * one was inlined into, that has code of it; at the beginning of a function the first one behind
 * the prologue. Without debug information it is the first instruction.
 */
int place_find(struct places *p, struct gobin **bins, size_t nbins, const struct spec *spec,
	       struct diag *d);
/*
 * Add the places that functions with names that @spec matches were inlined into: the first
 * instruction there, or with @exact one that is sure to be executed once in each call, if there
 * is one; there the arguments may be nowhere.
 */
int place_inlined(struct places *p, struct gobin *bin, const struct spec *spec, bool exact);

#endif
