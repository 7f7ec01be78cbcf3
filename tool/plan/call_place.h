/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions that each call of an inlined function executes once. */
#ifndef GOPROBE_PLAN_CALL_PLACE_H
#define GOPROBE_PLAN_CALL_PLACE_H

#include "gobin/gobin.h"
#include "x86/flow.h"

/* The function whose inlined calls are looked at. All zero: no function. */
struct call_place {
	struct gobin *bin;
	const struct gofunc *fn;
	struct flow flow;		/* its instructions; none: it is not understood */
	struct gobin_inlining inlining;	/* what is inlined there */
	uint8_t *own;			/* for each instruction: it is of the call at hand */
	uint8_t *closed;		/* of flow_reach() */
	uint8_t *reached;		/* of flow_reach() */
	uint32_t *stack;		/* of flow_reach() */
};

void call_place_fini(struct call_place *c);

/*
 * The address of an instruction that is executed once in each call of what is inlined at @site;
 * 0 if no place is sure to be. *@first: the same holds for @site->vaddr.
 */
uint64_t call_place_find(struct call_place *c, struct gobin *bin, const struct gobin_site *site,
			 bool *first);

/*
 * Is the method that is inlined at @site all that the function there does, which is a wrapper of
 * it: of a value's method for pointers, of an embedded field's, or a method value?
 */
bool callplace_is_wrapper(const struct gobin_site *site);

#endif
