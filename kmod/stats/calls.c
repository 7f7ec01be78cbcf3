// SPDX-License-Identifier: GPL-2.0
/*
 * Table of a session's open calls.
 *
 * The depth of a call is stack.hi - SP at function entry. It does not change when the stack is
 * copied or the goroutine moves to another thread. A call is deeper than its caller. So the open
 * calls of a goroutine form a stack of rising depths. An entry at depth d proves that the calls at
 * depth >= d have ended without returning, by panic or Goexit. A return proves it of deeper calls.
 * A return ends the call of the same function at exactly its depth. If that call was not
 * remembered, it ends none.
 *
 * Identity of a stack. A goroutine is identified by the address of its runtime.g and its process,
 * not by its id, although ids are never reused. A goroutine that left by Goexit, or whose end is
 * not traced, never shows up again, and its open calls would stay for ever. But the runtime reuses
 * its g for another goroutine. A stack with another goroutine's goid holds calls that have ended.
 * So there are as many stacks as there ever were goroutines at once. On a system stack (g0,
 * gsignal) the thread's own g counts, whichever goroutine the thread works for, because depth is
 * measured there. The number of a process is never reused, and changes at exec: see
 * gp_arch_process().
 *
 * Table. Open addressing: a stack is in the slot of its hash or in a later one, at most
 * GP_CALLS_STEPS away, with no unused slot in between. A slot never becomes unused again, but a
 * slot whose goroutine has no open calls is reused for another goroutine. A stack is one cache line
 * and holds one call. Further calls come from pools, which are filled when the table is made: a
 * hit allocates nothing. Data of a call is kept elsewhere, and has a number.
 *
 * Removal. A return *ends* a call. A call that ended without returning is *discarded*; one of an
 * exited process is *abandoned*; *reap* abandons all such calls; *collect* takes discarded calls
 * out of the stack for their records. *pop* removes the deepest call of a stack, *forget* frees its
 * data, *give* returns its memory to a pool.
 *
 * Locking. A goroutine runs on one thread at a time, so a stack's lock is rarely contended: when
 * the goroutine changes threads, when gp_calls_reap() looks at it, when another thread reports its
 * state (gp_calls_state()), or when a program forges the same g on two threads, which only
 * corrupts the program's own numbers. It is still a lock, because such a program must not break
 * shared data. The lock is a bit of the word that has to be compared anyway, so that both take one
 * instruction. A raw_spinlock_t would be two calls, 20 instructions of the 60 that an entry takes.
 * The holder has preemption off and does a bounded number of steps (it discards at most
 * GP_CALLS_UNWIND calls at a time), so waiting is bounded, also with PREEMPT_RT. Interrupts never
 * take the lock. A pool's lock nests inside a stack's; nothing nests inside a pool's.
 *
 * Memory order. The next hit of a goroutine may run on another CPU. Each hit changes the stack
 * under the lock, which the next hit takes.
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

/* With all calls open, each by another goroutine, the table is half full. */
#define GP_CALLS_STACKS		2

#define GP_CALLS_GFP	(GP_GFP_CHARGED | __GFP_ZERO)

/*
 * Distribute the calls to the pools. Calls that share a cache line go to the same pool, so that no
 * two processors write to one line.
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
 * gp_calls_new() - allocate a table of open calls
 * @n: calls, at least; GP_CALLS_MIN to GP_CALLS_MAX
 *
 * The memory is charged to the caller's memory cgroup.
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

/* Context: no handler can run for the session. */
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

/* Push a call on a locked stack. Return: false if all calls are in use. */
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

/* Mark a block as used. Bits are only ever set: most stacks are in a block that has its bit. */
static void gp_calls_take_block(const struct gp_calls *calls, u32 block)
{
	if (!test_bit(block, calls->taken))
		set_bit(block, calls->taken);
}

/* A stack for a goroutine that has none, locked; NULL: no slot is free. */
static struct gp_stack *gp_calls_claim(const struct gp_calls *calls,
				       const struct gp_calls_key *key)
{
	struct gp_stack *stack = gp_calls_home(calls, key->process, key->g), *end;
	u64 its;

	/* A program can map memory at address 0, but 0 marks an unused slot. */
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

/* The deepest call of a locked stack has ended without returning. */
static void gp_stack_discard(struct gp_calls *calls, struct gp_stack *stack)
{
	const struct gp_tally *tally = stack->top->tally;

	gp_call_forget(calls, stack->top);
	if (READ_ONCE(tally->times))
		gp_tally_unwound(tally);
	gp_stack_pop(calls, stack);
}

/*
 * Discard the calls at depth @least and deeper, or all calls if they are another goroutine's.
 * Return: false if more remain to be discarded.
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

/* The opposite of gp_calls_lock(). */
static __always_inline void gp_calls_unlock(struct gp_stack *stack,
					    const struct gp_calls_key *key)
{
	gp_stack_unlock(stack, key->g);
	preempt_enable();
}

/*
 * Lock the goroutine's stack and unwind it as gp_stack_unwind(). With @claims, a goroutine without
 * a stack gets one. Each round but the last discards GP_CALLS_UNWIND calls. A goroutine can have a
 * million, but no more, so the loop ends. Return: the stack, with preemption off; NULL, with
 * preemption as before: it has no stack and gets none.
 */
static __always_inline struct gp_stack *gp_calls_lock(struct gp_calls *calls,
						      const struct gp_calls_key *key,
						      u64 least, bool claims)
{
	struct gp_stack *stack;

	for (;;) {
		preempt_disable();
		stack = gp_calls_find(calls, key);
		if (!stack && claims)
			stack = gp_calls_claim(calls, key);
		if (!stack) {
			preempt_enable();
			return NULL;
		}
		if (likely(gp_stack_unwind(calls, stack, key->goid, least)))
			return stack;
		gp_calls_unlock(stack, key);
		cond_resched();
	}
}

/**
 * gp_calls_open() - remember a call
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the call
 * @tally: the function
 * @data: the call's data, or 0; on success a pending record belongs to the call
 *
 * Return: GP_CALLS_KEPT; GP_CALLS_FULL: @data still belongs to the caller.
 */
enum gp_calls_end gp_calls_open(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				const struct gp_tally *tally, u32 data)
{
	struct gp_stack *stack = gp_calls_lock(calls, &key, depth, true);
	bool kept;

	if (!stack)
		return GP_CALLS_FULL;
	kept = gp_stack_push(calls, stack, depth, tally, data);
	if (kept)
		gp_tally_open(tally, 1);
	gp_calls_unlock(stack, &key);
	return kept ? GP_CALLS_KEPT : GP_CALLS_FULL;
}

/* Whether no call is to be discarded, without the lock; wrong only if the program forges its g. */
static bool gp_calls_is_unwound(const struct gp_calls *calls, const struct gp_calls_key *key,
				u32 depth)
{
	const struct gp_stack *stack = gp_calls_home(calls, key->process, key->g);
	const struct gp_call *top = READ_ONCE(stack->top);

	/* A later slot is used only after this one has been. */
	if (!READ_ONCE(stack->g))
		return true;
	return READ_ONCE(stack->g) == key->g && READ_ONCE(stack->process) == key->process &&
	       READ_ONCE(stack->goid) == key->goid && (!top || READ_ONCE(top->depth) < depth);
}

/**
 * gp_calls_pass_by() - a function was entered by a call that is not remembered
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the call
 *
 * Open calls at that depth and deeper have ended without returning; otherwise the return of this
 * call would end one of them. Context: a task.
 */
void gp_calls_pass_by(struct gp_calls *calls, struct gp_calls_key key, u32 depth)
{
	struct gp_stack *stack;

	if (gp_calls_is_unwound(calls, &key, depth))
		return;
	stack = gp_calls_lock(calls, &key, depth, false);
	if (stack)
		gp_calls_unlock(stack, &key);
}

/* As gp_stack_unwind(), for the goroutine's own calls; collects those that will be written. */
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
	 * Do not run again for nothing: another thread with the same g could meanwhile fill the
	 * place in the stack that @unwound refers to.
	 */
	return !stack->top;
}

/**
 * gp_calls_unwind() - end calls that are known to have ended without returning
 * @calls: the session's
 * @key: the goroutine
 * @least: depth from which calls have ended
 * @ret: set to the calls whose records will be written; for gp_calls_unwound_next()
 *
 * Context: a task.
 */
void gp_calls_unwind(struct gp_calls *calls, struct gp_calls_key key, u32 least,
		     struct gp_unwound *ret)
{
	struct gp_stack *stack;
	bool done;

	ret->list = NULL;
	/* No call is at depth U64_MAX: this discards only the calls of another goroutine. */
	while ((stack = gp_calls_lock(calls, &key, U64_MAX, false))) {
		done = gp_stack_collect(calls, stack, least, ret);
		gp_calls_unlock(stack, &key);
		if (done)
			break;
		cond_resched();
	}
}

/**
 * gp_calls_unwound_next() - the next call whose record will be written
 * @calls: the session's
 * @unwound: from gp_calls_unwind()
 * @ret: set to the call; its record now belongs to the caller
 *
 * Return: @ret; NULL if there are no more.
 */
struct gp_call *gp_calls_unwound_next(struct gp_calls *calls, struct gp_unwound *unwound,
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
 * gp_calls_enter() - remember a call of a timed function
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the call
 * @tally: the function; has times
 *
 * Open calls at that depth and deeper have ended without returning.
 * Context: a task. Takes a bounded time, whatever other threads do.
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
 * End the call at @depth of a locked stack that has no deeper ones. Return: false if the call was
 * not remembered.
 */
static bool gp_stack_end(struct gp_calls *calls, struct gp_stack *stack, u32 depth,
			 const struct gp_tally *tally, struct gp_call *ret,
			 struct gp_split *split)
{
	if (!stack->top || stack->top->depth != depth)
		return false;
	/* A call of another function: it has ended, or this call could not have been made. */
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
 * gp_calls_close() - end a call at its return
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the call
 * @tally: the function
 * @ret: set to the call; its record now belongs to the caller
 * @split: set to its time by state, if the session has states; the caller sets @split->now
 *
 * Return: GP_CALLS_ENDED or GP_CALLS_UNKNOWN.
 */
enum gp_calls_end gp_calls_close(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				 const struct gp_tally *tally, struct gp_call *ret,
				 struct gp_split *split)
{
	struct gp_stack *stack = gp_calls_lock(calls, &key, (u64)depth + 1, false);
	bool ended;

	if (!stack)
		return GP_CALLS_UNKNOWN;
	ended = gp_stack_end(calls, stack, depth, tally, ret, split);
	gp_calls_unlock(stack, &key);
	return ended ? GP_CALLS_ENDED : GP_CALLS_UNKNOWN;
}

/**
 * gp_calls_leave() - time a call at its return
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the call, as for gp_calls_enter()
 * @tally: the function; gets the duration
 * @now: time of the return, in ticks
 *
 * Deeper open calls have ended without returning.
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
