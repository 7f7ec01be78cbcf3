// SPDX-License-Identifier: GPL-2.0
/*
 * How the time of open calls divides among the states of their goroutines.
 *
 * Of each stack of open calls it is known in which state its goroutine is, and since when.
 * Time that has passed is added to the deepest open call, to the state that it was spent in;
 * a call that is no more gives what it has to the one below. So each call has, at its end, all
 * of its time, that of the calls it made included, and a change of state takes the same few
 * steps however many calls are open.
 *
 * Who comes to the beginning or the end of a call runs: state 0, whatever was told before. In
 * between, what was told last holds. A stack's time never goes back, though the counters of two
 * processors may differ by a few ticks; so nothing is counted twice, and the states of a call
 * are together as long as the call.
 *
 * All this lies beside the stacks and the calls, by their places, so that sessions without
 * states have neither the memory nor the cache lines.
 *
 * Locking: that of the stack. A goroutine's state is told by other threads as well: who makes it
 * ready, who runs it.
 */
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gfp.h"
#include "stats/calls.h"
#include "stats/states.h"

#define GP_STATES_GFP	(GP_GFP_CHARGED | __GFP_ZERO)

/**
 * struct gp_states_at - where a goroutine is
 * @since: in ticks
 * @state: since then
 */
struct gp_states_at {
	u64 since;
	u32 state;
};

/**
 * struct gp_states - see above
 * @n: number of states
 * @at: by stack
 * @first: ticks by state of each stack's own call, by stack
 * @more: ticks by state of other calls, by call
 */
struct gp_states {
	u32 n;
	struct gp_states_at *at;
	u64 *first;
	u64 *more;
};

/**
 * gp_states_new() - make room
 * @n: number of states, from 1 to GOPROBE_STATES_MAX
 * @nstacks: number of stacks
 * @ncalls: number of calls besides those of the stacks
 *
 * The memory is charged to the caller's control group. Context: may sleep.
 *
 * Return: the states, or NULL if there is no memory.
 */
struct gp_states *gp_states_new(u32 n, u32 nstacks, u32 ncalls)
{
	struct gp_states *states = kzalloc(sizeof(*states), GP_STATES_GFP);

	if (!states)
		return NULL;
	states->n = n;
	states->at = kvmalloc_array(nstacks, sizeof(*states->at), GP_STATES_GFP);
	states->first = kvmalloc_array(nstacks, n * sizeof(u64), GP_STATES_GFP);
	states->more = kvmalloc_array(ncalls, n * sizeof(u64), GP_STATES_GFP);
	if (!states->at || !states->first || !states->more) {
		gp_states_free(states);
		return NULL;
	}
	return states;
}

/* No handler can run for the session. */
void gp_states_free(struct gp_states *states)
{
	if (!states)
		return;
	kvfree(states->at);
	kvfree(states->first);
	kvfree(states->more);
	kfree(states);
}

u32 gp_states_number(const struct gp_states *states)
{
	return states->n;
}

/* Ticks by state of a call of @stack. */
static u64 *gp_states_of(const struct gp_calls *calls, const struct gp_stack *stack,
			 const struct gp_call *call)
{
	const struct gp_states *states = calls->states;

	if (call == &stack->first)
		return states->first + (size_t)(stack - calls->stacks) * states->n;
	return states->more + (size_t)(call - calls->calls) * states->n;
}

static struct gp_states_at *gp_states_at(const struct gp_calls *calls, const struct gp_stack *stack)
{
	return &calls->states->at[stack - calls->stacks];
}

/* What has passed until @now is @call's, which is the deepest one. */
static void gp_states_pass(const struct gp_calls *calls, const struct gp_stack *stack,
			   const struct gp_call *call, u64 now)
{
	struct gp_states_at *at = gp_states_at(calls, stack);

	if (now <= at->since)
		return;
	gp_states_of(calls, stack, call)[at->state] += now - at->since;
	at->since = now;
}

/* A call has begun, and is the deepest one. */
void gp_states_open(struct gp_calls *calls, struct gp_stack *stack)
{
	struct gp_states_at *at = gp_states_at(calls, stack);
	struct gp_call *call = stack->top;

	if (call != &stack->first) {
		gp_states_pass(calls, stack, call->below, call->time);
		call->time = max(call->time, at->since);
	}
	at->since = call->time;
	at->state = 0;
	memset(gp_states_of(calls, stack, call), 0, calls->states->n * sizeof(u64));
}

/* The goroutine has been in another state since @now. */
void gp_states_change(struct gp_calls *calls, struct gp_stack *stack, u32 state, u64 now)
{
	gp_states_pass(calls, stack, stack->top, now);
	gp_states_at(calls, stack)->state = state;
}

/*
 * The deepest call ends at split->now; it is still there. Each state's ns are rounded down but
 * those of the first, which gets what is left: not less than its own, as the sum of what is
 * rounded down is not more than the sum rounded down.
 */
void gp_states_close(struct gp_calls *calls, struct gp_stack *stack, struct gp_split *split)
{
	struct gp_states_at *at = gp_states_at(calls, stack);
	const struct gp_call *call = stack->top;
	const u64 *ticks = gp_states_of(calls, stack, call);
	u64 left;
	u32 i;

	gp_states_pass(calls, stack, call, split->now);
	at->state = 0;
	split->n = calls->states->n;
	split->duration = gp_clock_passed(&calls->clock, call->time, at->since);
	left = split->duration;
	for (i = 1; i < split->n; i++) {
		split->ns[i] = gp_clock_passed(&calls->clock, 0, ticks[i]);
		left -= split->ns[i];
	}
	split->ns[0] = left;
}

/* The deepest call, which is not the only one, is about to be forgotten. */
void gp_states_pop(struct gp_calls *calls, const struct gp_stack *stack)
{
	const u64 *from = gp_states_of(calls, stack, stack->top);
	u64 *to = gp_states_of(calls, stack, stack->top->below);
	u32 i;

	for (i = 0; i < calls->states->n; i++)
		to[i] += from[i];
}
