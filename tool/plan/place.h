/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places of specs, as instructions: a line, an offset in a function, an address, or the name of
 * an inlined function.
 */
#ifndef GOPROBE_PLAN_PLACE_H
#define GOPROBE_PLAN_PLACE_H

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
};

struct places {
	struct place *v;
	size_t n;
	size_t cap;
};

void places_fini(struct places *p);

/*
 * Add what @spec (SPEC_LINE, SPEC_OFFSET or SPEC_ADDRESS) means; errors point into its text.
 *
 * Of a line it is the first instruction of a statement in each function, and in each place that
 * one was inlined into, that has code of it; at the beginning of a function the first one behind
 * the prologue. Without debug information it is the first instruction.
 */
int places_find(struct places *p, struct gobin **bins, size_t nbins, const struct spec *spec,
		struct diag *d);
/* Add the places that functions with names that @spec matches were inlined into. */
int places_inlined(struct places *p, struct gobin *bin, const struct spec *spec);

#endif
