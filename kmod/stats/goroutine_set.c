// SPDX-License-Identifier: GPL-2.0
/*
 * Set of goroutines for GOPROBE_OP_IN_SET: pairs of a process (gp_arch_process()) and a goroutine
 * id. Neither is ever reused. So a goroutine whose exit was not seen only takes space, until its
 * process has exited.
 *
 * Table. Open addressing: a member is in the slot of its hash or in a later one, at most
 * GP_GOROUTINE_SET_STEPS away, with no slot in between that was never used. A removed member leaves
 * a mark. Searches pass over marks, and additions reuse them. Marks with no member behind them are
 * cleared at once, so the table does not degrade, however many goroutines come and go.
 *
 * Locking. Look-ups take no lock: a slot's goid is written last when the slot is filled, and first
 * when it is freed. A look-up reads goid, process, and goid again, so that both belong together.
 * Additions and removals take the table's lock, with preemption off and for a bounded number of
 * steps, as in calls.c.
 *
 * Leaf: includes nothing that does I/O.
 */
#include <linux/errno.h>
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "gfp.h"
#include "stats/goroutine_set.h"
#include "stats/pool.h"

/* With all members the table is half full: see GP_CALLS_STEPS. */
#define GP_GOROUTINE_SET_PLACES	2
#define GP_GOROUTINE_SET_STEPS	64

#define GP_GOROUTINE_SET_GFP	(GP_GFP_CHARGED | __GFP_ZERO)

/* Goids of free slots; no goroutine has these ids. */
#define GP_MEMBER_NEVER		0ULL
#define GP_MEMBER_LEFT		(~0ULL)

/**
 * struct gp_member - a slot for a member
 * @goid: its id
 * @process: its process
 */
struct gp_member {
	u64 goid;
	u64 process;
};

/**
 * struct gp_goroutine_set - a session's set
 * @lock: see pool.h
 * @shift: converts a hash to a slot
 * @space: capacity
 * @n: number of members
 * @nplaces: number of @place
 * @place: hash table, with extra slots at the end for collisions
 */
struct gp_goroutine_set {
	int lock;
	u32 shift;
	u32 space;
	u32 n;
	u32 nplaces;
	struct gp_member *place;
};

/**
 * gp_goroutine_set_new() - allocate a set
 * @n: capacity; 1 to GP_GOROUTINE_SET_MAX
 *
 * The memory is charged to the caller's memory cgroup. Context: may sleep.
 *
 * Return: the set, or NULL if there is no memory.
 */
struct gp_goroutine_set *gp_goroutine_set_new(u32 n)
{
	u32 home = roundup_pow_of_two(n) * GP_GOROUTINE_SET_PLACES;
	struct gp_goroutine_set *members = kzalloc(sizeof(*members), GP_GOROUTINE_SET_GFP);

	if (!members)
		return NULL;
	members->shift = 64 - ilog2(home);
	members->space = n;
	members->nplaces = home + GP_GOROUTINE_SET_STEPS;
	members->place = kvmalloc_array(members->nplaces, sizeof(*members->place),
					GP_GOROUTINE_SET_GFP);
	if (!members->place) {
		kfree(members);
		return NULL;
	}
	return members;
}

/* Context: no handler can run for the session. */
void gp_goroutine_set_free(struct gp_goroutine_set *members)
{
	if (!members)
		return;
	kvfree(members->place);
	kfree(members);
}

u32 gp_goroutine_set_number(const struct gp_goroutine_set *members)
{
	return READ_ONCE(members->n);
}

static struct gp_member *gp_goroutine_set_home(const struct gp_goroutine_set *members,
					       u64 process, u64 goid)
{
	return &members->place[((goid ^ process << 26) * GOLDEN_RATIO_64) >> members->shift];
}

/* Whether a slot, which may be changing, holds this goroutine. */
static bool gp_member_is(const struct gp_member *at, u64 process, u64 goid)
{
	/* Pairs with gp_member_set(): the process that is read is not older than its goid. */
	if (smp_load_acquire(&at->goid) != goid || READ_ONCE(at->process) != process)
		return false;
	smp_rmb(); /* as above: nor is it newer */
	return READ_ONCE(at->goid) == goid;
}

/* Fill a free slot. Context: the lock. */
static void gp_member_set(struct gp_member *at, u64 process, u64 goid)
{
	smp_wmb(); /* the slot is seen as free before its next process */
	WRITE_ONCE(at->process, process);
	/* Pairs with gp_member_is(). */
	smp_store_release(&at->goid, goid);
}

/**
 * gp_goroutine_set_has() - whether a goroutine is in the set
 * @members: the session's
 * @process: its process
 * @goid: its id
 *
 * Context: any.
 *
 * Return: whether it is.
 */
bool gp_goroutine_set_has(const struct gp_goroutine_set *members, u64 process, u64 goid)
{
	const struct gp_member *at = gp_goroutine_set_home(members, process, goid);
	const struct gp_member *end = at + GP_GOROUTINE_SET_STEPS;

	for (; at < end; at++) {
		if (gp_member_is(at, process, goid))
			return goid != GP_MEMBER_NEVER && goid != GP_MEMBER_LEFT;
		if (READ_ONCE(at->goid) == GP_MEMBER_NEVER)
			break;
	}
	return false;
}

/* A goroutine's slot, or NULL; *@free: a slot for it, or NULL. Context: the lock. */
static struct gp_member *gp_goroutine_set_find(struct gp_goroutine_set *members,
					       u64 process, u64 goid,
					       struct gp_member **free)
{
	struct gp_member *at = gp_goroutine_set_home(members, process, goid);
	struct gp_member *end = at + GP_GOROUTINE_SET_STEPS;

	*free = NULL;
	for (; at < end; at++) {
		if (at->goid == goid && at->process == process)
			return at;
		if (!*free && (at->goid == GP_MEMBER_NEVER || at->goid == GP_MEMBER_LEFT))
			*free = at;
		if (at->goid == GP_MEMBER_NEVER)
			break;
	}
	return NULL;
}

/**
 * gp_goroutine_set_join() - add a goroutine
 * @members: the session's
 * @process: its process
 * @goid: its id
 *
 * Context: a task.
 *
 * Return: 0; 1 if it was in the set; -ENOSPC if the set is full; -EINVAL if no goroutine can have
 * that id.
 */
int gp_goroutine_set_join(struct gp_goroutine_set *members, u64 process, u64 goid)
{
	struct gp_member *at, *free;
	int ret = 0;

	if (goid == GP_MEMBER_NEVER || goid == GP_MEMBER_LEFT)
		return -EINVAL;
	preempt_disable();
	gp_pool_lock(&members->lock);
	at = gp_goroutine_set_find(members, process, goid, &free);
	if (at) {
		ret = 1;
	} else if (!free || members->n == members->space) {
		ret = -ENOSPC;
	} else {
		gp_member_set(free, process, goid);
		WRITE_ONCE(members->n, members->n + 1);
	}
	gp_pool_unlock(&members->lock);
	preempt_enable();
	return ret;
}

/* Remove a member from its slot. Context: the lock. */
static void gp_goroutine_set_leave(struct gp_goroutine_set *members, struct gp_member *at)
{
	u32 n;

	WRITE_ONCE(at->goid, GP_MEMBER_LEFT);
	WRITE_ONCE(members->n, members->n - 1);
	/* Searches end at the next slot. */
	if (at + 1 < members->place + members->nplaces && at[1].goid != GP_MEMBER_NEVER)
		return;
	for (n = 0; n < GP_GOROUTINE_SET_STEPS && at->goid == GP_MEMBER_LEFT; at--, n++) {
		WRITE_ONCE(at->goid, GP_MEMBER_NEVER);
		if (at == members->place)
			break;
	}
}

/**
 * gp_goroutine_set_part() - remove a goroutine, if it is in the set
 * @members: the session's
 * @process: its process
 * @goid: its id
 *
 * Most calls are for goroutines that are not in the set, and take no lock. Context: a task.
 */
void gp_goroutine_set_part(struct gp_goroutine_set *members, u64 process, u64 goid)
{
	struct gp_member *at, *free;

	if (!gp_goroutine_set_has(members, process, goid))
		return;
	preempt_disable();
	gp_pool_lock(&members->lock);
	at = gp_goroutine_set_find(members, process, goid, &free);
	if (at)
		gp_goroutine_set_leave(members, at);
	gp_pool_unlock(&members->lock);
	preempt_enable();
}

/**
 * gp_goroutine_set_reap() - remove the goroutines of exited processes
 * @members: the session's
 * @alive: whether a process exists; may sleep
 *
 * Context: a task; may sleep. Handlers may run meanwhile.
 *
 * Return: number of removed goroutines.
 */
u32 gp_goroutine_set_reap(struct gp_goroutine_set *members, bool (*alive)(u64 process))
{
	struct gp_member *at, *end = members->place + members->nplaces;
	u64 known = 0;
	u32 n = 0;

	for (at = members->place; at < end; at++) {
		u64 goid = READ_ONCE(at->goid), process = READ_ONCE(at->process);

		if ((at - members->place) % 1024 == 0)
			cond_resched();
		if (goid == GP_MEMBER_NEVER || goid == GP_MEMBER_LEFT || process == known)
			continue;
		/* Slots of one process are usually handled together. */
		if (alive(process)) {
			known = process;
			continue;
		}
		preempt_disable();
		gp_pool_lock(&members->lock);
		if (at->goid == goid && at->process == process) {
			gp_goroutine_set_leave(members, at);
			n++;
		}
		gp_pool_unlock(&members->lock);
		preempt_enable();
	}
	return n;
}
