/* SPDX-License-Identifier: GPL-2.0 */
/* Call stacks of records: addresses become places in code. */
#ifndef GOPROBE_OUTPUT_CALL_STACK_H
#define GOPROBE_OUTPUT_CALL_STACK_H

#include "event/record.h"
#include "output/stacks.h"
#include "plan/plan.h"

/* The stacks of the records of a plan; equal ones are kept once. */
struct call_stack {
	const struct plan *plan;	/* the plan */
	struct symbols *files;		/* places in its files, by plan.files */
	struct stacks stacks;		/* the stacks */
};

/* @plan outlives @s. 0, or -1 without memory; call call_stack_fini() in either case. */
int call_stack_init(struct call_stack *s, const struct plan *plan);
void call_stack_fini(struct call_stack *s);
/*
 * The call stack of a record of function @pf, with frame @f; good until call_stack_fini(). NULL:
 * the record has none, or there is no memory.
 */
const struct stack *call_stack(struct call_stack *s, const struct plan_func *pf,
			       const struct plan_frame *f, const struct record *rec);

#endif
