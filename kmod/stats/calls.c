// SPDX-License-Identifier: GPL-2.0
/*
 * The open calls of a session.
 *
 * The depth of a call, stack.hi - SP at function entry, neither changes when the stack
 * is copied nor when the goroutine moves to another thread, and a call is deeper than
 * its caller. So the open calls of a goroutine are a stack of rising depths: an entry
 * at depth d proves that those at depth >= d have ended without returning, a return that
 * those that are deeper have: by panic or Goexit. A return ends the call at exactly its
 * depth, if it is the same function's; if that call was not remembered, it ends none.
 *
 * Whose stack. A goroutine is known by the address of its runtime.g within its process,
 * not by its id, although that is never used twice: a goroutine that has left by Goexit,
 * or whose end is not traced, is never heard of again, and its open calls would stay for
 * ever. The runtime uses its g for another goroutine, and a stack whose goid is another
 * one's holds calls that have ended. So there are as many stacks as there have been
 * goroutines at once. On a system stack (g0, gsignal) it is the thread's own g that
 * counts, whichever goroutine the thread works for, because depth is measured there. What
 * names a process is never used for another one, and is another after exec: see
 * gp_arch_process().
 *
 * Table. Open addressing: a stack is at the place that its hash tells, or behind it,
 * GP_CALLS_STEPS away at most, with no unused place in between. A place never becomes
 * unused again, but one whose goroutine has no open calls is taken for another's. A
 * stack is one cache line, and has room for one call; further calls come from pools,
 * which are filled when the table is made: nothing is allocated by a hit. What goes with a call
 * is kept elsewhere, and has a number.
 *
 * Locking. A goroutine runs on one thread at a time, so nobody waits for a stack's lock
 * but when it changes hands, when it is looked at from outside (gp_calls_reap()), when
 * another thread tells of its state (gp_calls_state()), or when a program shows the same g
 * from two threads to deceive us; who then gets wrong numbers is that program. It is still
 * a lock, because such a program must not break what others share. The lock is a bit of the
 * word that has to be compared anyway, so that the two are one instruction: a raw_spinlock_t
 * would be two calls, 20 instructions of the 60 that an entry takes. Who holds one has
 * preemption off and does a bounded number of steps (GP_CALLS_UNWIND calls at most are
 * discarded in one go), so waiting is bounded, also with PREEMPT_RT. Interrupts never take
 * one. A pool's lock is taken inside a stack's, nothing inside a pool's.
 *
 * Order of memory. The next hit of a goroutine may come on another CPU: what was done to its
 * stack was done under the lock, which the next one takes.
 */
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "capture/faultin.h"
#include "gfp.h"
#include "stats/calls.h"
#include "stats/calls_stack.h"
#include "stats/pending.h"
#include "stats/states.h"

/* With all calls open, each of another goroutine, the table is half full. */
#define GP_CALLS_STACKS		2

#define GP_CALLS_GFP	(GP_GFP_CHARGED | __GFP_ZERO)

/*
 * Every call is in one pool or another: those that share a cache line in the same one, so that
 * two processors do not write one line, each its own call.
 */
static void gp_calls_fill_pools(struct gp_calls *calls, u32 n)
{
	u32 each = max_t(u32, L1_CACHE_BYTES / sizeof(struct gp_call), 1), i;
	struct gp_calls_pool *pool;

	for (i = 0; i < n; i++) {
		pool = &calls->pools[i / each & (calls->npools - 1)];
		calls->calls[i].below = pool->free;
		pool->free = &calls->calls[i];
	}
}

/**
 * gp_calls_new() - make room for open calls
 * @n: how many, at least; GP_CALLS_MIN to GP_CALLS_MAX
 *
 * The memory is charged to the caller's control group.
 * Context: may sleep.
 *
 * Return: the table, or NULL if there is no memory.
 */
struct gp_calls *gp_calls_new(u32 n)
{
	u32 home = roundup_pow_of_two(n) * GP_CALLS_STACKS;
	struct gp_calls *calls = kzalloc(sizeof(*calls), GP_CALLS_GFP);

	if (!calls)
		return NULL;
	gp_clock_init(&calls->clock);
	calls->shift = 64 - ilog2(home);
	calls->nstacks = home + GP_CALLS_STEPS;
	calls->npools = gp_pool_number();
	calls->stacks = kvmalloc_array(calls->nstacks, sizeof(*calls->stacks), GP_CALLS_GFP);
	calls->taken = kvmalloc_array(BITS_TO_LONGS(gp_calls_nblocks(calls)), sizeof(long),
				      GP_CALLS_GFP);
	calls->pools = kvmalloc_array(calls->npools, sizeof(*calls->pools), GP_CALLS_GFP);
	calls->calls = kvmalloc_array(n, sizeof(*calls->calls), GP_CALLS_GFP);
	if (!calls->stacks || !calls->taken || !calls->pools || !calls->calls) {
		gp_calls_free(calls);
		return NULL;
	}
	gp_calls_fill_pools(calls, n);
	return calls;
}

/* No handler can run for the session. */
void gp_calls_free(struct gp_calls *calls)
{
	if (!calls)
		return;
	kvfree(calls->stacks);
	kvfree(calls->taken);
	kvfree(calls->pools);
	kvfree(calls->calls);
	gp_pending_free(calls->held);
	gp_states_free(calls->states);
	kfree(calls);
}

static struct gp_calls_pool *gp_calls_pool(const struct gp_calls *calls, u32 next)
{
	return &calls->pools[gp_pool_index(calls->npools, next)];
}

/**
 * gp_call_take() - get a free call
 * @calls: the session's
 *
 * Context: preemption off.
 *
 * Return: the call, or NULL if all are open.
 */
struct gp_call *gp_call_take(struct gp_calls *calls)
{
	struct gp_calls_pool *pool;
	struct gp_call *call;
	u32 i;

	for (i = 0; i < calls->npools; i++) {
		pool = gp_calls_pool(calls, i);
		if (!READ_ONCE(pool->free))
			continue;
		gp_pool_lock(&pool->lock);
		call = pool->free;
		if (call)
			WRITE_ONCE(pool->free, call->below);
		gp_pool_unlock(&pool->lock);
		if (call)
			return call;
	}
	return NULL;
}

/* Context: preemption off. */
void gp_call_give(struct gp_calls *calls, struct gp_call *call)
{
	struct gp_calls_pool *pool = gp_calls_pool(calls, 0);

	gp_pool_lock(&pool->lock);
	call->below = pool->free;
	WRITE_ONCE(pool->free, call);
	gp_pool_unlock(&pool->lock);
}

/* Remember a call of a stack that is locked. Return: false if there is no room. */
static bool gp_stack_push(struct gp_calls *calls, struct gp_stack *stack, u32 depth,
			  const struct gp_tally *tally, u32 data)
{
	struct gp_call *call = &stack->first;

	if (stack->top) {
		call = gp_call_take(calls);
		if (!call)
			return false;
		call->below = stack->top;
	}
	gp_stack_add(calls, stack, call, depth, tally, data);
	if (unlikely(calls->states))
		gp_states_open(calls, stack);
	return true;
}

/* Bits are only ever set: most stacks are in a block that has been taken long ago. */
static void gp_calls_take_block(const struct gp_calls *calls, u32 block)
{
	if (!test_bit(block, calls->taken))
		set_bit(block, calls->taken);
}

/* A stack for a goroutine that has none, locked; NULL if there is none to be had. */
static struct gp_stack *gp_calls_claim(const struct gp_calls *calls,
				       const struct gp_calls_key *key)
{
	struct gp_stack *stack = gp_calls_home(calls, key->process, key->g), *end;
	u64 its;

	/* A program can have memory at address 0, but not a place here. */
	if (!key->g)
		return NULL;
	for (end = stack + GP_CALLS_STEPS; stack < end; stack++) {
		if (READ_ONCE(stack->top))
			continue;
		its = gp_stack_lock(stack);
		if (!stack->top) {
			gp_calls_take_block(calls, (stack - calls->stacks) / GP_CALLS_BLOCK);
			WRITE_ONCE(stack->process, key->process);
			WRITE_ONCE(stack->g, key->g | GP_STACK_LOCKED);
			return stack;
		}
		gp_stack_unlock(stack, its);
	}
	return NULL;
}

/* The deepest call of a stack that is locked has ended without returning. */
static void gp_stack_discard(struct gp_calls *calls, struct gp_stack *stack)
{
	const struct gp_tally *tally = stack->top->tally;

	gp_call_forget(calls, stack->top);
	if (READ_ONCE(tally->times))
		gp_tally_unwound(tally);
	gp_stack_pop(calls, stack);
}

/*
 * Discard what has ended without returning: calls at depth @least and deeper ones, all of
 * them if they are another goroutine's. Return: false if that has to go on.
 */
static bool gp_stack_unwind(struct gp_calls *calls, struct gp_stack *stack, u64 goid,
			    u64 least)
{
	bool all = stack->goid != goid;
	u32 n;

	for (n = 0; n < GP_CALLS_UNWIND; n++) {
		if (!stack->top || (!all && stack->top->depth < least))
			break;
		gp_stack_discard(calls, stack);
	}
	if (n == GP_CALLS_UNWIND)
		return false;
	stack->goid = goid;
	return true;
}

/**
 * gp_calls_open() - remember a call
 * @calls: the session's
 * @key: by whom
 * @depth: how deep in its stack
 * @tally: which function
 * @data: what goes with it, or 0; a held record is the call's from now on
 *
 * Each round but the last discards GP_CALLS_UNWIND calls, of which there is a limited
 * number, so it ends.
 *
 * Return: GP_CALLS_KEPT; or GP_CALLS_FULL, and @data is still the caller's.
 */
enum gp_calls_end gp_calls_open(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				const struct gp_tally *tally, u32 data)
{
	struct gp_stack *stack;
	bool unwound = false, kept = false;

	while (!unwound) {
		preempt_disable();
		stack = gp_calls_find(calls, &key);
		if (!stack)
			stack = gp_calls_claim(calls, &key);
		if (!stack) {
			preempt_enable();
			return GP_CALLS_FULL;
		}
		unwound = gp_stack_unwind(calls, stack, key.goid, depth);
		if (unwound)
			kept = gp_stack_push(calls, stack, depth, tally, data);
		if (kept)
			gp_tally_open(tally, 1);
		gp_stack_unlock(stack, key.g);
		preempt_enable();
		gp_calls_rest(unwound);
	}
	return kept ? GP_CALLS_KEPT : GP_CALLS_FULL;
}

/* Without its lock: is there nothing to be unwound? It is, unless somebody deceives us. */
static bool gp_calls_is_unwound(const struct gp_calls *calls, const struct gp_calls_key *key,
				u32 depth)
{
	const struct gp_stack *stack = gp_calls_home(calls, key->process, key->g);
	const struct gp_call *top = READ_ONCE(stack->top);

	/* A place behind this one is taken only when this one has been. */
	if (!READ_ONCE(stack->g))
		return true;
	return READ_ONCE(stack->g) == key->g && READ_ONCE(stack->process) == key->process &&
	       READ_ONCE(stack->goid) == key->goid && (!top || READ_ONCE(top->depth) < depth);
}

/**
 * gp_calls_pass_by() - a function has been entered, by a call that is not remembered
 * @calls: the session's
 * @key: by whom
 * @depth: how deep in its stack
 *
 * Open calls at that depth, and deeper ones, have ended without returning: else the return of
 * this call would end one of them. It ends as gp_calls_open() does. Context: a task.
 */
void gp_calls_pass_by(struct gp_calls *calls, struct gp_calls_key key, u32 depth)
{
	bool unwound = gp_calls_is_unwound(calls, &key, depth);
	struct gp_stack *stack;

	while (!unwound) {
		preempt_disable();
		stack = gp_calls_find(calls, &key);
		unwound = !stack || gp_stack_unwind(calls, stack, key.goid, depth);
		if (stack)
			gp_stack_unlock(stack, key.g);
		preempt_enable();
		gp_calls_rest(unwound);
	}
}

/* As gp_stack_unwind(), of the goroutine's own calls; those that are to be written are kept. */
static bool gp_stack_collect(struct gp_calls *calls, struct gp_stack *stack, u32 least,
			     struct gp_unwound *unwound)
{
	u32 n;

	for (n = 0; n < GP_CALLS_UNWIND; n++) {
		struct gp_call *call = stack->top;

		if (!call || call->depth < least)
			return true;
		/* data_race(): one unwind more or less when a point is added. */
		if (!data_race(call->tally->unwound) || !call->data) {
			gp_stack_discard(calls, stack);
			continue;
		}
		gp_tally_open(call->tally, -1);
		if (call == &stack->first) {
			stack->top = NULL;
			unwound->first = *call;
			call = &unwound->first;
		} else {
			if (unlikely(calls->states))
				gp_states_pop(calls, stack);
			stack->top = call->below;
		}
		call->below = unwound->list;
		unwound->list = call;
	}
	/*
	 * Not once more for nothing: what another thread with the same g may put into the stack
	 * meanwhile would be there where what is kept in @unwound has been.
	 */
	return !stack->top;
}

/**
 * gp_calls_unwind() - calls have ended without returning, as is known now
 * @calls: the session's
 * @key: whose
 * @least: those at that depth, and deeper ones
 * @ret: gets those whose records are to be written; for gp_unwound_next()
 *
 * It ends as gp_calls_open() does. Context: a task.
 */
void gp_calls_unwind(struct gp_calls *calls, struct gp_calls_key key, u32 least,
		     struct gp_unwound *ret)
{
	struct gp_stack *stack;
	bool done = false;

	ret->list = NULL;
	while (!done) {
		preempt_disable();
		stack = gp_calls_find(calls, &key);
		if (!stack)
			done = true;
		else if (stack->goid != key.goid)
			done = gp_stack_unwind(calls, stack, key.goid, 0);
		else
			done = gp_stack_collect(calls, stack, least, ret);
		if (stack)
			gp_stack_unlock(stack, key.g);
		preempt_enable();
		gp_calls_rest(done);
	}
}

/**
 * gp_unwound_next() - the next call whose record is to be written
 * @calls: the session's
 * @unwound: what gp_calls_unwind() found
 * @ret: gets the call; its record is the caller's from now on
 *
 * Return: @ret; NULL if there are no more.
 */
struct gp_call *gp_unwound_next(struct gp_calls *calls, struct gp_unwound *unwound,
				struct gp_call *ret)
{
	struct gp_call *call = unwound->list;

	if (!call)
		return NULL;
	unwound->list = call->below;
	*ret = *call;
	if (call != &unwound->first) {
		preempt_disable();
		gp_call_give(calls, call);
		preempt_enable();
	}
	return ret;
}

/**
 * gp_calls_enter() - a function has been entered
 * @calls: the session's
 * @key: by whom
 * @depth: how deep in its stack
 * @tally: which function; has times
 *
 * Open calls at that depth, and deeper ones, have ended without returning.
 * Context: a task. Takes a bounded time, whatever others do.
 *
 * Return: GP_CALLS_KEPT or GP_CALLS_FULL.
 */
enum gp_calls_end gp_calls_enter(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				 const struct gp_tally *tally)
{
	enum gp_calls_end end = gp_calls_open(calls, key, depth, tally, 0);

	if (end == GP_CALLS_KEPT)
		gp_tally_call(tally);
	return end;
}

/*
 * End the call at @depth of a stack that is locked and has no deeper ones. Return: false
 * if it was not remembered.
 */
static bool gp_stack_end(struct gp_calls *calls, struct gp_stack *stack, u32 depth,
			 const struct gp_tally *tally, struct gp_call *ret,
			 struct gp_split *split)
{
	if (!stack->top || stack->top->depth != depth)
		return false;
	/* Another function's: it is over, too, or this one could not have been called. */
	if (stack->top->tally != tally) {
		gp_stack_discard(calls, stack);
		return false;
	}
	if (unlikely(calls->states))
		gp_states_close(calls, stack, split);
	*ret = *stack->top;
	gp_tally_open(tally, -1);
	gp_stack_pop(calls, stack);
	return true;
}

/**
 * gp_calls_close() - a function returns
 * @calls: the session's
 * @key: who returns
 * @depth: how deep in its stack
 * @tally: which function
 * @ret: gets the call; its record is the caller's from now on
 * @split: gets how its time divides, if the session has states; @split->now is set
 *
 * It ends as gp_calls_open() does.
 *
 * Return: GP_CALLS_ENDED or GP_CALLS_UNKNOWN.
 */
enum gp_calls_end gp_calls_close(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				 const struct gp_tally *tally, struct gp_call *ret,
				 struct gp_split *split)
{
	struct gp_stack *stack;
	bool unwound = false, ended = false;

	while (!unwound) {
		preempt_disable();
		stack = gp_calls_find(calls, &key);
		if (!stack) {
			preempt_enable();
			return GP_CALLS_UNKNOWN;
		}
		unwound = gp_stack_unwind(calls, stack, key.goid, (u64)depth + 1);
		if (unwound)
			ended = gp_stack_end(calls, stack, depth, tally, ret, split);
		gp_stack_unlock(stack, key.g);
		preempt_enable();
		gp_calls_rest(unwound);
	}
	return ended ? GP_CALLS_ENDED : GP_CALLS_UNKNOWN;
}

/**
 * gp_calls_leave() - a function returns
 * @calls: the session's
 * @key: who returns
 * @depth: SP at the function's entry, as for gp_calls_enter()
 * @tally: which function; gets the duration
 * @now: when, in ticks
 *
 * Open calls that are deeper have ended without returning.
 * Context: as for gp_calls_enter().
 *
 * Return: GP_CALLS_ENDED or GP_CALLS_UNKNOWN.
 */
enum gp_calls_end gp_calls_leave(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				 const struct gp_tally *tally, u64 now)
{
	struct gp_split split GP_UNINITIALIZED;
	struct gp_call call;

	split.now = now;
	if (gp_calls_close(calls, key, depth, tally, &call, &split) != GP_CALLS_ENDED)
		return GP_CALLS_UNKNOWN;
	if (unlikely(calls->states)) {
		gp_tally_return(tally, split.duration);
		gp_tally_split(tally, split.n, split.ns);
		return GP_CALLS_ENDED;
	}
	gp_tally_return(tally, gp_clock_passed(&calls->clock, call.time, now));
	return GP_CALLS_ENDED;
}
