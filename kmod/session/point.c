// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints of an inode: the uprobe consumers of points, and in which processes they are.
 *
 * After a set has changed, the kernel must call the filter again. uprobe_apply() does that but is
 * not exported. Registering a second consumer with the same filter patches the processes that the
 * filter now wants. Unregistering it removes the breakpoint from those that no filter wants any
 * more. Before 6.12 that is also what waits for handlers, so it must not fail: see
 * gp_point_apply().
 *
 * Locking: see probe.c. gp_inodes_lock guards the table of inodes and is never held for long.
 */
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "compat.h"
#include "gfp.h"
#include "session/point.h"
#include "session/probe.h"
#include "session/session.h"

#define GP_INODES_BITS	8

static DEFINE_MUTEX(gp_inodes_lock);
static DEFINE_HASHTABLE(gp_inodes, GP_INODES_BITS);

static struct gp_inode *gp_inode_find(const struct inode *inode)
{
	struct gp_inode *its;

	hash_for_each_possible(gp_inodes, its, node, (unsigned long)inode)
		if (its->inode == inode)
			return its;
	return NULL;
}

/**
 * gp_inode_get() - the points of an inode
 * @inode: the inode; the caller keeps it alive until gp_inode_put()
 *
 * Return: its points, or NULL: out of memory.
 */
struct gp_inode *gp_inode_get(struct inode *inode)
{
	struct gp_inode *its, *new;

	new = kvzalloc(sizeof(*new), GP_GFP_CHARGED);
	mutex_lock(&gp_inodes_lock);
	its = gp_inode_find(inode);
	if (!its && new) {
		new->inode = inode;
		mutex_init(&new->lock);
		hash_add(gp_inodes, &new->node, (unsigned long)inode);
		its = new;
		new = NULL;
	}
	if (its)
		its->users++;
	mutex_unlock(&gp_inodes_lock);
	kvfree(new);
	return its;
}

/* Context: no sweep of this user is running, and it has no points. */
void gp_inode_put(struct gp_inode *inode)
{
	bool last;

	mutex_lock(&gp_inodes_lock);
	last = !--inode->users;
	if (last)
		hash_del(&inode->node);
	mutex_unlock(&gp_inodes_lock);
	if (!last)
		return;
	mutex_destroy(&inode->lock);
	kvfree(inode);
}

struct gp_point *gp_point_find(const struct gp_inode *inode, loff_t offset)
{
	struct gp_point *point;

	hash_for_each_possible(inode->points, point, node, offset)
		if (point->offset == offset)
			return point;
	return NULL;
}

static bool gp_point_wanted(struct gp_point *point, struct mm_struct *mm)
{
	const struct gp_probe_set *set;
	bool wanted = false;
	u32 i;

	rcu_read_lock();
	set = rcu_dereference(point->set);
	for (i = 0; !wanted && i < set->n; i++)
		wanted = gp_session_wants_mm(set->probe[i]->session, mm);
	rcu_read_unlock();
	return wanted;
}

/**
 * gp_point_leaves() - whether the breakpoint may leave the current process
 * @point: a point that the process has hit, although no session wants it there
 *
 * A child has the breakpoints that its parent had at the fork. But a child made by vfork(), or
 * any other process with the same memory, has its parent's breakpoints, not its own: so the
 * question is whether any session wants the memory. A session that wants the process later gets
 * the breakpoint placed again. On 6.12 and later the kernel calls the filter once more before it
 * removes anything. Before, a registration waits for this handler, and then places the breakpoint.
 *
 * To remove the breakpoint the kernel waits for the lock of the process's mappings, which others
 * may hold for any time. Old kernels take that lock at each hit anyway. On newer kernels nothing
 * else makes a hit wait for it, so there the breakpoint stays.
 *
 * Context: a handler.
 *
 * Return: whether it may.
 */
bool gp_point_leaves(struct gp_point *point)
{
	return GP_HITS_TAKE_LOCKS && !gp_point_wanted(point, current->mm);
}

/* Context: mmap and consumer locks of the kernel held; must not fault or wait. */
static GP_UPROBE_FILTER(gp_point_filter, uc, mm)
{
	return gp_point_wanted(container_of(uc, struct gp_point, uc), mm);
}

static GP_UPROBE_FILTER(gp_point_apply_filter, uc, mm)
{
	struct gp_point *point = container_of(uc, struct gp_point, apply);

	return !point->holds && gp_point_wanted(point, mm);
}

static GP_UPROBE_HANDLER(gp_point_apply_handler, uc, regs)
{
	return 0;
}

/**
 * gp_point_init() - prepare a point
 * @point: cleared
 * @inode: the inode
 * @wire: the point, as user space sent it; verified and checked against its file
 */
void gp_point_init(struct gp_point *point, struct gp_inode *inode,
		   const struct goprobe_point *wire)
{
	point->inode = inode;
	point->offset = wire->offset;
	gp_emulate_init(&point->execute, wire);
	point->uc.handler = gp_handler_hit;
	point->uc.filter = gp_point_filter;
	point->apply.handler = gp_point_apply_handler;
	point->apply.filter = gp_point_apply_filter;
}

int gp_point_register(struct gp_point *point)
{
	int err = gp_compat_register(point->inode->inode, point->offset, &point->uc,
				     &point->uprobe);

	point->registered = !err;
	return err;
}

void gp_point_unregister(struct gp_point *point)
{
	if (point->registered)
		gp_compat_unregister(point->inode->inode, point->offset, &point->uc,
				     point->uprobe);
	point->registered = false;
}

int gp_point_apply_register(struct gp_point *point, struct uprobe **uprobe)
{
	/* A handler chain may still use it since the last time. */
	if (point->applied == point->inode->sweep)
		gp_compat_unregister_sync();
	point->applied = point->inode->sweep;
	return gp_compat_register(point->inode->inode, point->offset, &point->apply, uprobe);
}

void gp_point_apply_unregister(struct gp_point *point, struct uprobe *uprobe)
{
	gp_compat_unregister(point->inode->inode, point->offset, &point->apply, uprobe);
}

/* Make the kernel call the filter again for every process; see the top of this file. */
int gp_point_apply(struct gp_point *point)
{
	struct uprobe *uprobe;
	int err;

	if (!point->registered)
		return gp_point_register(point);
	err = gp_point_apply_register(point, &uprobe);
	if (!err) {
		gp_point_apply_unregister(point, uprobe);
		return 0;
	}
	if (GP_UNREGISTER_NEEDS_SYNC)
		return err;
	/*
	 * The registration may have failed before it waited for handlers (no memory, a
	 * truncated file). Unregistering waits and cannot fail.
	 */
	gp_point_unregister(point);
	return gp_point_register(point);
}

/* Is it the only probe of its point? */
bool gp_point_is_alone(const struct gp_probe *probe)
{
	const struct gp_point *point = probe->point;

	return point->registered && gp_point_set(point)->n == 1;
}

/* How the only probe of the point counts without breakpoints, or NULL. */
struct gp_jump_plan *gp_point_jump(const struct gp_point *point)
{
	const struct gp_probe_set *set = gp_point_set(point);

	return set->n == 1 ? set->probe[0]->jump : NULL;
}

/* Have the kernel place the breakpoint wherever it is missing. */
void gp_point_renew(struct gp_point *point)
{
	if (gp_point_apply(point))
		pr_warn_ratelimited("goprobe: breakpoint at file offset 0x%llx could not be placed again\n",
				    point->offset);
}
