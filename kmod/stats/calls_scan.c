// SPDX-License-Identifier: GPL-2.0
/*
 * Scans of open calls from outside: by conditions, by reports, and when a process has exited or a
 * goroutine's state has changed. calls.c explains the table and its locks.
 */
#include <linux/bitops.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "stats/calls.h"
#include "stats/calls_stack.h"
#include "stats/states.h"

/* Result for an open call that is less deep than the hit; 0: continue with the next one. */
typedef int (*gp_calls_ask)(const struct gp_tally *its, const struct gp_tally *tally);

static int gp_calls_ask_all(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
			    gp_calls_ask ask, const struct gp_tally *tally)
{
	const struct gp_call *call = NULL;
	struct gp_stack *stack;
	int ret = 0;
	u32 n;

	preempt_disable();
	stack = gp_calls_find(calls, &key);
	if (stack && stack->goid == key.goid)
		call = stack->top;
	for (n = 0; call && !ret; call = call->below, n++) {
		if (n == GP_CALLS_LOOK)
			ret = -E2BIG;
		else if (call->depth < depth)
			ret = ask(call->tally, tally);
		/* The last call's link may be stale, from another stack. */
		if (call == &stack->first)
			break;
	}
	if (stack)
		gp_stack_unlock(stack, key.g);
	preempt_enable();
	return ret;
}

static int gp_calls_is_of(const struct gp_tally *its, const struct gp_tally *tally)
{
	return its == tally;
}

/**
 * gp_calls_state() - set a goroutine's state
 * @calls: the session's; it has states
 * @process: see gp_arch_process()
 * @g: address of its supposed runtime.g; any value
 * @state: the new state; below the session's number of states
 * @now: time of the report, in ticks
 *
 * The goroutine is found by its g, without its id: another goroutine may report the state, or none.
 * A goroutine without open calls needs no state: when it makes a call, it is running. Context: a
 * task.
 */
void gp_calls_state(struct gp_calls *calls, u64 process, u64 g, u32 state, u64 now)
{
	const struct gp_calls_key key = { .process = process, .g = g };
	struct gp_stack *stack;

	if (!g || g & GP_STACK_LOCKED)
		return;
	preempt_disable();
	stack = gp_calls_find(calls, &key);
	if (stack && stack->top)
		gp_states_change(calls, stack, state, now);
	if (stack)
		gp_stack_unlock(stack, g);
	preempt_enable();
}

/**
 * gp_calls_under() - whether a call of a function is open on the goroutine
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the hit; only less deep calls count
 * @tally: the function
 *
 * Context: a task.
 *
 * Return: 1 or 0; -E2BIG if that would take a look at more than GP_CALLS_LOOK calls.
 */
int gp_calls_under(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
		   const struct gp_tally *tally)
{
	return gp_calls_ask_all(calls, key, depth, gp_calls_is_of, tally);
}

static int gp_calls_is_root(const struct gp_tally *its, const struct gp_tally *tally)
{
	if (!its->roots)
		return GOPROBE_ROOT_NONE;
	return its->mutes ? GOPROBE_ROOT_MUTED : GOPROBE_ROOT_OPEN;
}

/**
 * gp_calls_root() - whether the goroutine is in a tree of calls
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the hit; only less deep calls count
 *
 * Context: a task.
 *
 * Return: enum goprobe_root; -E2BIG as gp_calls_under().
 */
int gp_calls_root(struct gp_calls *calls, struct gp_calls_key key, u32 depth)
{
	return gp_calls_ask_all(calls, key, depth, gp_calls_is_root, NULL);
}

/* The process of a locked stack has exited: remove the deepest call. */
static void gp_stack_abandon(struct gp_calls *calls, struct gp_stack *stack)
{
	const struct gp_tally *tally = stack->top->tally;

	gp_call_forget(calls, stack->top);
	if (READ_ONCE(tally->times))
		this_cpu_inc(tally->times->exited);
	gp_stack_pop(calls, stack);
}

/* Abandon calls. Return: false if more remain. */
static bool gp_stack_reap(struct gp_calls *calls, struct gp_stack *stack, u64 process, u64 *n)
{
	u64 g;
	u32 i;

	preempt_disable();
	g = gp_stack_lock(stack);
	for (i = 0; i < GP_CALLS_UNWIND && stack->top && stack->process == process; i++) {
		gp_stack_abandon(calls, stack);
		++*n;
	}
	gp_stack_unlock(stack, g);
	preempt_enable();
	return i < GP_CALLS_UNWIND;
}

/*
 * The next stack with calls, from the @i-th on; nstacks: none. Reschedules now and then.
 */
static u32 gp_calls_next(const struct gp_calls *calls, u32 i)
{
	u32 block = i / GP_CALLS_BLOCK, end;

	for (;; block++) {
		block = find_next_bit(calls->taken, gp_calls_nblocks(calls), block);
		end = min((block + 1) * GP_CALLS_BLOCK, calls->nstacks);
		cond_resched();
		for (i = max(i, block * GP_CALLS_BLOCK); i < end; i++)
			if (READ_ONCE(calls->stacks[i].top))
				return i;
		if (end == calls->nstacks)
			return end;
	}
}

/**
 * gp_calls_reap() - forget the open calls of exited processes
 * @calls: the session's
 * @alive: whether a process exists; may sleep
 *
 * Context: a task; may sleep. Handlers may run meanwhile.
 *
 * Return: number of forgotten calls.
 */
u64 gp_calls_reap(struct gp_calls *calls, bool (*alive)(u64 process))
{
	u64 process, known = 0, n = 0;
	u32 i;

	for (i = gp_calls_next(calls, 0); i < calls->nstacks; i = gp_calls_next(calls, i + 1)) {
		struct gp_stack *stack = &calls->stacks[i];

		process = READ_ONCE(stack->process);
		/* Stacks of one process are usually together, so the last answer is kept. */
		if (process == known || alive(process)) {
			known = process;
			continue;
		}
		while (!gp_stack_reap(calls, stack, process, &n))
			cond_resched();
	}
	return n;
}

/*
 * Visit the calls of a stack from @at on. Return: false if @fn wants no more; *@more: some calls
 * have not been visited yet.
 */
static bool gp_stack_each(struct gp_stack *stack, struct gp_calls_at *at, gp_calls_fn fn,
			  void *arg, bool *more)
{
	const struct gp_call *call;
	bool wants = true;
	u32 n = 0, passed;
	u64 g;

	preempt_disable();
	g = gp_stack_lock(stack);
	call = stack->top;
	*more = false;
	for (passed = 0; call && wants && passed < GP_CALLS_LOOK; passed++) {
		bool next = !at->below || call->depth < at->below;

		/* Each round makes progress. */
		if (n == GP_CALLS_UNWIND) {
			*more = true;
			break;
		}
		if (next) {
			wants = fn(arg, stack, call);
			n++;
		}
		if (next && wants)
			at->below = call->depth;
		call = call == &stack->first ? NULL : call->below;
	}
	gp_stack_unlock(stack, g);
	preempt_enable();
	return wants;
}

/**
 * gp_calls_each() - visit all open calls
 * @calls: the session's
 * @at: where to continue; all 0 at first, behind the last stack at the end
 * @fn: gets each call, with its stack locked and preemption off; returns false to stop
 * @arg: first argument of @fn
 *
 * Visits the deepest GP_CALLS_LOOK calls of each goroutine. Context: a task; may sleep. Handlers
 * may run meanwhile, so a goroutine's calls may change between rounds.
 *
 * Return: true if all calls have been visited.
 */
bool gp_calls_each(struct gp_calls *calls, struct gp_calls_at *at, gp_calls_fn fn, void *arg)
{
	bool more;
	u32 next;

	for (;; at->stack++, at->below = 0) {
		next = gp_calls_next(calls, at->stack);
		if (next > at->stack)
			*at = (struct gp_calls_at){ .stack = next };
		if (next == calls->nstacks)
			return true;
		do {
			if (!gp_stack_each(&calls->stacks[next], at, fn, arg, &more))
				return false;
		} while (more);
	}
}
