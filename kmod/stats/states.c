// SPDX-License-Identifier: GPL-2.0
/*
 * Time of open calls by state of their goroutines.
 *
 * Each stack of open calls has the state of its goroutine and the time of its last change. Elapsed
 * time is added to the deepest open call, in that state. A call that ends adds its times to the
 * call below. So each call has all of its time at its end, with that of the calls that it made. A
 * change of state takes the same few steps, however many calls are open.
 *
 * A goroutine that hits the beginning or the end of a call is running: state 0, whatever was
 * reported before. In between, the last report holds. A stack's time never goes backwards, although
 * the counters of two processors may differ by a few ticks. So no time counts twice, and the times
 * of a call add up to its duration.
 *
 * The data is separate from the stacks and calls, indexed by their positions, so that sessions
 * without states have neither the memory nor the cache lines.
 *
 * Locking: the stack's lock. Other threads also report a goroutine's state: the thread that makes
 * it ready, and the thread that runs it.
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
 * struct gp_states_at - the state of a goroutine
 * @since: time of its last change, in ticks
 * @state: the state
 */
struct gp_states_at {
	u64 since;
	u32 state;
};

/**
 * struct gp_states - times by state of a session's open calls
 * @n: number of states
 * @at: by stack
 * @first: ticks by state of the call in each stack, by stack
 * @more: ticks by state of other calls, by call
 */
struct gp_states {
	u32 n;
	struct gp_states_at *at;
	u64 *first;
	u64 *more;
};

/**
 * gp_states_new() - allocate times by state
 * @n: number of states, from 1 to GOPROBE_STATES_MAX
 * @nstacks: number of stacks
 * @ncalls: number of calls besides those of the stacks
 *
 * The memory is charged to the caller's memory cgroup. Context: may sleep.
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

/* Context: no handler can run for the session. */
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

/* Add the time until @now to @call, which is the deepest one. */
static void gp_states_pass(const struct gp_calls *calls, const struct gp_stack *stack,
			   const struct gp_call *call, u64 now)
{
	struct gp_states_at *at = gp_states_at(calls, stack);

	if (now <= at->since)
		return;
	gp_states_of(calls, stack, call)[at->state] += now - at->since;
	at->since = now;
}

/* A call has begun; it is the deepest one. */
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

/* Change the state, as of @now. */
void gp_states_change(struct gp_calls *calls, struct gp_stack *stack, u32 state, u64 now)
{
	gp_states_pass(calls, stack, stack->top, now);
	gp_states_at(calls, stack)->state = state;
}

/*
 * The deepest call ends at split->now; it is still there. The ns of each state are rounded down,
 * except those of state 0, which gets the rest: at least its own time, because the sum of rounded
 * numbers is not above the rounded sum.
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

/* The deepest call, which is not the only one, will be removed next. */
void gp_states_pop(struct gp_calls *calls, const struct gp_stack *stack)
{
	const u64 *from = gp_states_of(calls, stack, stack->top);
	u64 *to = gp_states_of(calls, stack, stack->top->below);
	u32 i;

	for (i = 0; i < calls->states->n; i++)
		to[i] += from[i];
}
