/* SPDX-License-Identifier: GPL-2.0 */
/* Operations on a goroutine's stack of open calls, shared by calls.c and calls_scan.c. */
#ifndef GP_CALLS_STACK_H
#define GP_CALLS_STACK_H

#include "stats/calls.h"
#include "stats/pending.h"
#include "stats/states.h"

/*
 * Slots that are searched for a stack. In a half full table, the chance that all of them are in use
 * is below one in 10^5; at three quarters of that load, below one in 10^10.
 */
#define GP_CALLS_STEPS		64

/* Calls that are discarded at a time with preemption off. */
#define GP_CALLS_UNWIND		64

/* Calls that are visited with preemption off and a stack locked. */
#define GP_CALLS_LOOK		4096

/* Stacks, a page of them, that a scan skips at once if none has ever been used. */
#define GP_CALLS_BLOCK		64

static inline u32 gp_calls_nblocks(const struct gp_calls *calls)
{
	return DIV_ROUND_UP(calls->nstacks, GP_CALLS_BLOCK);
}

/* Context: preemption off. Return: the g of the stack, without the lock bit. */
static inline u64 gp_stack_lock(struct gp_stack *stack)
{
	u64 g;

	for (;;) {
		g = READ_ONCE(stack->g) & ~GP_STACK_LOCKED;
		if (gp_stack_trylock(stack, g))
			return g;
		cpu_relax();
	}
}

/* The goroutine's stack, locked; NULL: it has none. */
static inline struct gp_stack *gp_calls_find(const struct gp_calls *calls,
					     const struct gp_calls_key *key)
{
	struct gp_stack *stack = gp_calls_home(calls, key->process, key->g), *end;
	u64 its;

	for (end = stack + GP_CALLS_STEPS; stack < end; stack++) {
		its = READ_ONCE(stack->g) & ~GP_STACK_LOCKED;
		if (!its)
			return NULL;
		if (its != key->g || READ_ONCE(stack->process) != key->process)
			continue;
		its = gp_stack_lock(stack);
		/* Another goroutine may just have got the slot. */
		if (its == key->g && stack->process == key->process)
			return stack;
		gp_stack_unlock(stack, its);
	}
	return NULL;
}

/* Remove the deepest open call of a locked stack. */
static inline void gp_stack_pop(struct gp_calls *calls, struct gp_stack *stack)
{
	struct gp_call *call = stack->top;

	if (call == &stack->first) {
		stack->top = NULL;
		return;
	}
	if (unlikely(calls->states))
		gp_states_pop(calls, stack);
	stack->top = call->below;
	gp_call_give(calls, call);
}

/* Free the data of a call that has no end. */
static inline void gp_call_forget(struct gp_calls *calls, const struct gp_call *call)
{
	/* data_race(): set before the session starts, or before one of its calls is read. */
	if (call->data && data_race(call->tally->paired))
		gp_pending_give(calls->held, call->data);
	gp_tally_open(call->tally, -1);
}

#endif
