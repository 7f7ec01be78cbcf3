/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table of a session's open calls: a stack of calls for each goroutine, so that a return finds its
 * own call. The frequent cases are in line. calls.c has the rest, and explains the table.
 */
#ifndef GP_CALLS_H
#define GP_CALLS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "ring/clock.h"
#include "stats/pool.h"
#include "stats/tally.h"

/* See struct goprobe_limits. Each call takes 160 to 290 bytes. */
#define GP_CALLS_MIN		1024U
#define GP_CALLS_DEFAULT	(128U << 10)
#define GP_CALLS_MAX		(1024U << 10)

struct gp_pending;
struct gp_split;
struct gp_states;

/**
 * struct gp_call - an open call
 * @below: the goroutine's next less deep open call; or the next free call
 * @time: of its beginning, in ticks
 * @tally: of the function
 * @depth: see gp_calls_depth()
 * @data: 0, or a number: of the record for a pending call (pending.h), of the key for a call that
 *	is timed by key (keys.h)
 */
struct gp_call {
	struct gp_call *below;
	u64 time;
	const struct gp_tally *tally;
	u32 depth;
	u32 data;
};

/*
 * Depth of a call: stack.hi - SP at function entry, in words, so that it fits: no stack has 32 GiB.
 * Go code never has a depth that is no multiple of 8.
 */
static __always_inline u32 gp_calls_depth(u64 bytes)
{
	return bytes >> 3;
}

/**
 * struct gp_stack - the open calls of a goroutine, in one cache line
 * @g: address of its runtime.g, with GP_STACK_LOCKED; 0: never used
 * @process: see gp_arch_process()
 * @goid: its id; 0 on a system stack
 * @top: its deepest open call, or NULL
 * @first: memory of its least deep call: a single call needs no other memory
 */
struct gp_stack {
	u64 g;
	u64 process;
	u64 goid;
	struct gp_call *top;
	struct gp_call first;
};

#define GP_STACK_LOCKED		1ULL	/* a g is a multiple of 8 */

/**
 * struct gp_calls_pool - free calls
 * @lock: 1 while a CPU changes the pool
 * @free: the calls
 */
struct gp_calls_pool {
	int lock;
	struct gp_call *free;
} ____cacheline_aligned_in_smp;

/**
 * struct gp_calls - the open calls of a session
 * @clock: times the calls
 * @shift: converts a hash to a slot of @stacks
 * @npools: a power of two
 * @nstacks: number of @stacks
 * @stacks: hash table, with extra slots at the end for collisions
 * @pools: free calls; CPUs are spread over the pools
 * @calls: all calls but those in @stacks
 * @held: pending records; NULL: none
 * @states: time of calls by state; NULL: not requested
 * @taken: a bit for each GP_CALLS_BLOCK of @stacks: the block has been used since the table was
 *	made. Scans skip the others, usually nearly all
 */
struct gp_calls {
	struct gp_clock clock;
	u32 shift;
	u32 npools;
	u32 nstacks;
	struct gp_stack *stacks;
	struct gp_calls_pool *pools;
	struct gp_call *calls;
	struct gp_pending *held;
	struct gp_states *states;
	unsigned long *taken;
};

/**
 * struct gp_calls_key - a goroutine
 * @process: see gp_arch_process()
 * @g: address of its runtime.g; a multiple of 8
 * @goid: its id; 0 on a system stack
 */
struct gp_calls_key {
	u64 process;
	u64 g;
	u64 goid;
};

/* Result of a hit. */
enum gp_calls_end {
	GP_CALLS_KEPT,		/* the call is remembered */
	GP_CALLS_FULL,		/* the call is not remembered: too many are open */
	GP_CALLS_ENDED,		/* the return has found its call */
	GP_CALLS_UNKNOWN,	/* the return has not: its call was not remembered */
	GP_CALLS_RARE,		/* not for the fast path; nothing has been done */
};

struct gp_calls *gp_calls_new(u32 n);
void gp_calls_free(struct gp_calls *calls);
u64 gp_calls_reap(struct gp_calls *calls, bool (*alive)(u64 process));
struct gp_call *gp_call_take(struct gp_calls *calls);
void gp_call_give(struct gp_calls *calls, struct gp_call *call);
/**
 * struct gp_calls_at - position of a scan of all open calls
 * @stack: index of the stack
 * @below: calls of the stack that are less deep have not been visited yet; 0: none has
 */
struct gp_calls_at {
	u32 stack;
	u32 below;
};

/**
 * struct gp_unwound - calls that ended without returning and whose records will be written
 * @list: the calls, the least deep one first, linked by @below
 * @first: copy of the call that is stored in its stack
 */
struct gp_unwound {
	struct gp_call *list;
	struct gp_call first;
};

typedef bool (*gp_calls_fn)(void *arg, const struct gp_stack *stack, const struct gp_call *call);

bool gp_calls_each(struct gp_calls *calls, struct gp_calls_at *at, gp_calls_fn fn, void *arg);
enum gp_calls_end gp_calls_open(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				const struct gp_tally *tally, u32 data);
enum gp_calls_end gp_calls_close(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				 const struct gp_tally *tally, struct gp_call *ret,
				 struct gp_split *split);
void gp_calls_state(struct gp_calls *calls, u64 process, u64 g, u32 state, u64 now);
void gp_calls_pass_by(struct gp_calls *calls, struct gp_calls_key key, u32 depth);
void gp_calls_unwind(struct gp_calls *calls, struct gp_calls_key key, u32 least,
		     struct gp_unwound *ret);
struct gp_call *gp_calls_unwound_next(struct gp_calls *calls, struct gp_unwound *unwound,
				      struct gp_call *ret);
int gp_calls_under(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
		   const struct gp_tally *tally);
int gp_calls_root(struct gp_calls *calls, struct gp_calls_key key, u32 depth);
enum gp_calls_end gp_calls_enter(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				 const struct gp_tally *tally);
enum gp_calls_end gp_calls_leave(struct gp_calls *calls, struct gp_calls_key key, u32 depth,
				 const struct gp_tally *tally, u64 now);

/* The first slot of a goroutine's stack; another stack may occupy it. */
static __always_inline struct gp_stack *gp_calls_home(const struct gp_calls *calls,
						      u64 process, u64 g)
{
	return &calls->stacks[((g ^ process << 26) * GOLDEN_RATIO_64) >> calls->shift];
}

static __always_inline bool gp_stack_trylock(struct gp_stack *stack, u64 g)
{
	return cmpxchg_acquire(&stack->g, g, g | GP_STACK_LOCKED) == g;
}

static __always_inline void gp_stack_unlock(struct gp_stack *stack, u64 g)
{
	/* The next holder of the lock sees all changes. */
	smp_store_release(&stack->g, g);
}

/* As gp_call_take(), from this CPU's own pool only. */
static __always_inline struct gp_call *gp_call_try_take(struct gp_calls *calls)
{
	struct gp_calls_pool *pool = &calls->pools[gp_pool_index(calls->npools, 0)];
	struct gp_call *call;

	if (unlikely(cmpxchg_acquire(&pool->lock, 0, 1)))
		return NULL;
	call = pool->free;
	if (likely(call))
		WRITE_ONCE(pool->free, call->below);
	gp_pool_unlock(&pool->lock);
	return call;
}

/* As gp_call_give(). Return: false if the pool is locked. */
static __always_inline bool gp_call_try_give(struct gp_calls *calls, struct gp_call *call)
{
	struct gp_calls_pool *pool = &calls->pools[gp_pool_index(calls->npools, 0)];

	if (unlikely(cmpxchg_acquire(&pool->lock, 0, 1)))
		return false;
	call->below = pool->free;
	WRITE_ONCE(pool->free, call);
	gp_pool_unlock(&pool->lock);
	return true;
}

/* Add the deepest call of a locked stack. */
static __always_inline void gp_stack_add(const struct gp_calls *calls, struct gp_stack *stack,
					 struct gp_call *call, u32 depth,
					 const struct gp_tally *tally, u32 data)
{
	call->depth = depth;
	call->data = data;
	call->tally = tally;
	/* Last, so that the time before it does not count as the call's. */
	call->time = gp_clock_read(&calls->clock);
	stack->top = call;
}

static __always_inline bool gp_stack_is_of(const struct gp_stack *stack,
					   const struct gp_calls_key *key)
{
	return likely(stack->process == key->process) && likely(stack->goid == key->goid);
}

/**
 * gp_calls_try_enter() - fast path of gp_calls_enter()
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the call, see gp_calls_depth()
 * @tally: the function; has times
 *
 * Calls no function, so that a handler need not save registers. Context: a task.
 *
 * Return: GP_CALLS_KEPT; GP_CALLS_RARE: call gp_calls_enter().
 */
static __always_inline enum gp_calls_end gp_calls_try_enter(struct gp_calls *calls,
							    struct gp_calls_key key, u32 depth,
							    const struct gp_tally *tally)
{
	struct gp_stack *stack = gp_calls_home(calls, key.process, key.g);
	struct gp_call *call = &stack->first;

	preempt_disable();
	if (unlikely(!gp_stack_trylock(stack, key.g)))
		goto rare;
	if (unlikely(!gp_stack_is_of(stack, &key)))
		goto unlock;
	if (stack->top) {
		if (unlikely(stack->top->depth >= depth))
			goto unlock;
		call = gp_call_try_take(calls);
		if (unlikely(!call))
			goto unlock;
		call->below = stack->top;
	}
	gp_stack_add(calls, stack, call, depth, tally, 0);
	gp_stack_unlock(stack, key.g);
	preempt_enable();
	gp_tally_call(tally);
	return GP_CALLS_KEPT;

unlock:
	gp_stack_unlock(stack, key.g);
rare:
	preempt_enable();
	return GP_CALLS_RARE;
}

/**
 * gp_calls_try_leave() - fast path of gp_calls_leave()
 * @calls: the session's
 * @key: the goroutine
 * @depth: of the call
 * @tally: the function; gets the duration
 * @now: time of the return, in ticks
 *
 * As gp_calls_try_enter().
 *
 * Return: GP_CALLS_ENDED; GP_CALLS_RARE: call gp_calls_leave().
 */
static __always_inline enum gp_calls_end gp_calls_try_leave(struct gp_calls *calls,
							    struct gp_calls_key key, u32 depth,
							    const struct gp_tally *tally, u64 now)
{
	struct gp_stack *stack = gp_calls_home(calls, key.process, key.g);
	struct gp_call *call, *below = NULL;
	u64 began;

	preempt_disable();
	if (unlikely(!gp_stack_trylock(stack, key.g)))
		goto rare;
	call = stack->top;
	if (unlikely(!gp_stack_is_of(stack, &key)) || unlikely(!call) ||
	    unlikely(call->depth != depth) || unlikely(call->tally != tally))
		goto unlock;
	began = call->time;
	if (call != &stack->first) {
		below = call->below;
		if (unlikely(!gp_call_try_give(calls, call)))
			goto unlock;
	}
	stack->top = below;
	gp_stack_unlock(stack, key.g);
	preempt_enable();
	gp_tally_return(tally, gp_clock_passed(&calls->clock, began, now));
	return GP_CALLS_ENDED;

unlock:
	gp_stack_unlock(stack, key.g);
rare:
	preempt_enable();
	return GP_CALLS_RARE;
}

#endif
