/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Time of open calls by state of their goroutines: GOPROBE_A_STATES. Sessions without states have
 * none of this.
 */
#ifndef GP_STATES_H
#define GP_STATES_H

#include <linux/types.h>
#include <goprobe.h>

struct gp_call;
struct gp_calls;
struct gp_stack;
struct gp_states;

/**
 * struct gp_split - a call's time by state
 * @now: time of the hit at its end, in ticks; later time is not part of it
 * @duration: ns from call to end
 * @n: the session's states; 0: it has none
 * @ns: time in each state; the sum is @duration
 */
struct gp_split {
	u64 now;
	u64 duration;
	u32 n;
	u64 ns[GOPROBE_STATES_MAX];
};

struct gp_states *gp_states_new(u32 n, u32 nstacks, u32 ncalls);
void gp_states_free(struct gp_states *states);
u32 gp_states_number(const struct gp_states *states);

/* Context of all: the stack is locked. */
void gp_states_open(struct gp_calls *calls, struct gp_stack *stack);
void gp_states_change(struct gp_calls *calls, struct gp_stack *stack, u32 state, u64 now);
void gp_states_close(struct gp_calls *calls, struct gp_stack *stack, struct gp_split *split);
void gp_states_pop(struct gp_calls *calls, const struct gp_stack *stack);

#endif
