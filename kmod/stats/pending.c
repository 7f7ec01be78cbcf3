// SPDX-License-Identifier: GPL-2.0
/*
 * Pending records: records of calls that are written only if the call's end passes its filter. The
 * client sets their number. All have one size, and are allocated when the first point that needs
 * them is added: a hit allocates nothing. A record belongs first to the handler that took it, then
 * to the open call (calls.c), then to the handler of the call's end.
 *
 * Leaf: includes nothing that does I/O.
 */
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "capture/plan.h"
#include "gfp.h"
#include "stats/pending.h"
#include "stats/pool.h"

/**
 * struct gp_pending_pool - free records
 * @lock: see pool.h
 * @free: number of the first record, or 0; the first word of each record is the next one's number
 */
struct gp_pending_pool {
	int lock;
	u32 free;
} ____cacheline_aligned_in_smp;

/**
 * struct gp_pending - the pending records of a session
 * @bytes: size of each
 * @npools: a power of two
 * @pools: free records
 * @memory: begins with record number 1
 */
struct gp_pending {
	u32 bytes;
	u32 npools;
	struct gp_pending_pool *pools;
	u8 *memory;
};

struct gp_pending_record *gp_pending_at(const struct gp_pending *held, u32 number)
{
	return (void *)(held->memory + (size_t)(number - 1) * held->bytes);
}

u32 gp_pending_bytes(const struct gp_pending *held)
{
	return held->bytes;
}

static u32 *gp_pending_next(const struct gp_pending *held, u32 number)
{
	return (u32 *)gp_pending_at(held, number);
}

/**
 * gp_pending_new() - allocate pending records
 * @calls: their number
 * @bytes: size of each; at least that of struct gp_pending_record
 *
 * The memory is charged to the caller's memory cgroup. Context: may sleep.
 *
 * Return: the records, or NULL if there is no memory.
 */
struct gp_pending *gp_pending_new(u32 calls, u32 bytes)
{
	struct gp_pending *held = kzalloc(sizeof(*held), GP_GFP_CHARGED);
	u32 i;

	if (!held)
		return NULL;
	held->bytes = ALIGN(bytes, GP_RECORD_ALIGN);
	held->npools = gp_pool_number();
	held->pools = kvcalloc(held->npools, sizeof(*held->pools), GP_GFP_CHARGED);
	held->memory = kvmalloc_array(calls, held->bytes, GP_GFP_CHARGED);
	if (!held->pools || !held->memory) {
		gp_pending_free(held);
		return NULL;
	}
	for (i = 1; i <= calls; i++) {
		struct gp_pending_pool *pool = &held->pools[i & (held->npools - 1)];

		*gp_pending_next(held, i) = pool->free;
		pool->free = i;
		/* Up to 16 million records, each in a cache line of its own. */
		if (i % 1024 == 0)
			cond_resched();
	}
	return held;
}

/* Context: no handler can run for the session. */
void gp_pending_free(struct gp_pending *held)
{
	if (!held)
		return;
	kvfree(held->pools);
	kvfree(held->memory);
	kfree(held);
}

static u32 gp_pending_take_from(struct gp_pending *held, struct gp_pending_pool *pool)
{
	u32 number;

	if (!READ_ONCE(pool->free))
		return 0;
	gp_pool_lock(&pool->lock);
	number = pool->free;
	if (number)
		WRITE_ONCE(pool->free, *gp_pending_next(held, number));
	gp_pool_unlock(&pool->lock);
	return number;
}

/**
 * gp_pending_take() - get a free record
 * @held: the session's
 *
 * Return: its number; 0: all are in use.
 */
u32 gp_pending_take(struct gp_pending *held)
{
	u32 number = 0, i;

	preempt_disable();
	for (i = 0; !number && i < held->npools; i++)
		number = gp_pending_take_from(held,
					      &held->pools[gp_pool_index(held->npools, i)]);
	preempt_enable();
	return number;
}

/* Free a record. Context: any in which a handler takes one. */
void gp_pending_give(struct gp_pending *held, u32 number)
{
	struct gp_pending_pool *pool;

	preempt_disable();
	pool = &held->pools[gp_pool_index(held->npools, 0)];
	gp_pool_lock(&pool->lock);
	*gp_pending_next(held, number) = pool->free;
	WRITE_ONCE(pool->free, number);
	gp_pool_unlock(&pool->lock);
	preempt_enable();
}
