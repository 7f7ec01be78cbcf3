// SPDX-License-Identifier: GPL-2.0
/*
 * The set of goroutines that GOPROBE_OP_MEMBER asks about: pairs of a process, as
 * gp_arch_process() names it, and a goroutine id. Neither is ever used twice, so one that
 * has left without being heard of only takes room, until its process is no more.
 *
 * Table. Open addressing: a member is at the place that its hash tells, or behind it,
 * GP_GOROUTINE_SET_STEPS away at most, with no place in between that was never used. Where one
 * has left, a mark stays that is passed over, and taken by the next who comes by; marks with nobody
 * behind them are wiped off at once, so that the table stays as it was, however many come and go.
 *
 * Locking. Looking takes no lock: a place's goid is written last when it is taken, and first
 * when it is left. Who looks reads goid, process, and goid again, so that the two belong
 * together. Joining and parting take the table's lock, with preemption off and for a bounded
 * number of steps, as those of calls.c do.
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

/* With all members in it the table is half full: see GP_CALLS_STEPS. */
#define GP_GOROUTINE_SET_PLACES	2
#define GP_GOROUTINE_SET_STEPS	64

#define GP_GOROUTINE_SET_GFP	(GP_GFP_CHARGED | __GFP_ZERO)

/* What a place's goid is that no member has; no goroutine is called so. */
#define GP_MEMBER_NEVER		0ULL
#define GP_MEMBER_LEFT		(~0ULL)

/**
 * struct gp_member - a place for one
 * @goid: its id
 * @process: in which process
 */
struct gp_member {
	u64 goid;
	u64 process;
};

/**
 * struct gp_goroutine_set - a session's set
 * @lock: see pool.h
 * @shift: of a hash to get a place
 * @space: how many there may be
 * @n: how many there are
 * @nplaces: number of @place
 * @place: hash table, with room behind for those that find their place taken
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
 * gp_goroutine_set_new() - make room
 * @n: for how many; 1 to GP_GOROUTINE_SET_MAX
 *
 * The memory is charged to the caller's control group. Context: may sleep.
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

/* No handler can run for the session. */
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

/* Do a place's words, which may be changing, say that it is this one? */
static bool gp_member_is(const struct gp_member *at, u64 process, u64 goid)
{
	/* Pairs with gp_member_set(): a process that is seen is not older than its goid. */
	if (smp_load_acquire(&at->goid) != goid || READ_ONCE(at->process) != process)
		return false;
	smp_rmb(); /* as above: and not younger */
	return READ_ONCE(at->goid) == goid;
}

/* A free place gets a member. Context: the lock. */
static void gp_member_set(struct gp_member *at, u64 process, u64 goid)
{
	smp_wmb(); /* that it was left is seen before whose it is next */
	WRITE_ONCE(at->process, process);
	/* Pairs with gp_member_is(). */
	smp_store_release(&at->goid, goid);
}

/**
 * gp_goroutine_set_has() - is a goroutine in the set?
 * @members: the session's
 * @process: its process
 * @goid: its id
 *
 * Context: any.
 *
 * Return: true if it is.
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

/* Where it is, or NULL; *@free: where it could be, or NULL. Context: the lock. */
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
 * gp_goroutine_set_join() - a goroutine joins
 * @members: the session's
 * @process: its process
 * @goid: its id
 *
 * Context: a task.
 *
 * Return: 0; 1 if it was there; -ENOSPC if there is no room; -EINVAL if no goroutine is
 * called so.
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

/* A member leaves its place. Context: the lock. */
static void gp_goroutine_set_leave(struct gp_goroutine_set *members, struct gp_member *at)
{
	u32 n;

	WRITE_ONCE(at->goid, GP_MEMBER_LEFT);
	WRITE_ONCE(members->n, members->n - 1);
	/* Who looks for anybody comes no further than the next place. */
	if (at + 1 < members->place + members->nplaces && at[1].goid != GP_MEMBER_NEVER)
		return;
	for (n = 0; n < GP_GOROUTINE_SET_STEPS && at->goid == GP_MEMBER_LEFT; at--, n++) {
		WRITE_ONCE(at->goid, GP_MEMBER_NEVER);
		if (at == members->place)
			break;
	}
}

/**
 * gp_goroutine_set_part() - a goroutine leaves, if it is there
 * @members: the session's
 * @process: its process
 * @goid: its id
 *
 * Most that come here are not: that takes no lock. Context: a task.
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
 * gp_goroutine_set_reap() - forget the goroutines of processes that are no more
 * @members: the session's
 * @alive: is there such a process? May sleep.
 *
 * Context: a task; may sleep. Handlers may run meanwhile.
 *
 * Return: how many there were.
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
		/* Those of one process are asked for together, mostly. */
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
