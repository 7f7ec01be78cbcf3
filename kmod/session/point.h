/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints. A *point* is one place in one file, with one uprobe consumer, which all sessions
 * that want it share.
 */
#ifndef GP_POINT_H
#define GP_POINT_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uprobes.h>
#include <goprobe.h>

#include "arch/emulate.h"
#include "compat.h"

struct gp_jump_plan;
struct gp_probe;

#define GP_INODE_BITS	12
#define GP_JUMPS_BITS	8

/**
 * struct gp_inode - the points of an inode
 * @node: in the table of inodes
 * @users: number of struct gp_file that refer to it
 * @inode: the kernel's; each user keeps it alive
 * @lock: guards the points and all that is done to them; held while the kernel waits for handlers
 * @sweep: number of the last sweep
 * @points: by offset
 * @jumps: struct gp_jump, by page: see gp_jumps_cover()
 */
struct gp_inode {
	struct hlist_node node;
	u32 users;
	struct inode *inode;
	struct mutex lock;	/* guards the points */
	u64 sweep;
	DECLARE_HASHTABLE(points, GP_INODE_BITS);
	DECLARE_HASHTABLE(jumps, GP_JUMPS_BITS);
};

/**
 * struct gp_probe_set - the probes of a point, as handlers see them
 * @dead: link in struct gp_sweep
 * @n: number of @probe
 * @probe: in the order they were added, but those with an edit last
 */
struct gp_probe_set {
	struct list_head dead;
	u32 n;
	struct gp_probe *probe[];
};

/**
 * struct gp_point - a breakpoint
 * @uc: its permanent consumer; handlers get it
 * @set: its probes; never NULL while @uc is registered
 * @execute: how the instruction is executed
 * @apply: registered for a moment so that the kernel calls @set's filter again
 * @applied: number of the last sweep that did so
 * @node: in @inode's table of points
 * @inode: its inode
 * @offset: in @inode
 * @uprobe: the kernel's handle, 6.12 and later
 * @registered: @uc is registered; false only after the kernel has refused to register it again
 * @holds: @apply stays registered and wants no process, until the sweep ends
 * @hold: the kernel's handle of @apply then, 6.12 and later
 * @dead: link in struct gp_sweep
 */
struct gp_point {
	struct uprobe_consumer uc;
	struct gp_probe_set __rcu *set;
	struct gp_emulate execute;
	struct uprobe_consumer apply;
	u64 applied;
	struct hlist_node node;
	struct gp_inode *inode;
	loff_t offset;
	struct uprobe *uprobe;
	bool registered;
	bool holds;
	struct uprobe *hold;
	struct list_head dead;
};

struct gp_inode *gp_inode_get(struct inode *inode);
void gp_inode_put(struct gp_inode *inode);

bool gp_point_leaves(struct gp_point *point);

/* Context of these: the inode's lock. */
struct gp_point *gp_point_find(const struct gp_inode *inode, loff_t offset);
bool gp_point_is_alone(const struct gp_probe *probe);
struct gp_jump_plan *gp_point_jump(const struct gp_point *point);
void gp_point_renew(struct gp_point *point);
void gp_point_init(struct gp_point *point, struct gp_inode *inode,
		   const struct goprobe_point *wire);
int gp_point_register(struct gp_point *point);
void gp_point_unregister(struct gp_point *point);
int gp_point_apply(struct gp_point *point);
int gp_point_apply_register(struct gp_point *point, struct uprobe **uprobe);
void gp_point_apply_unregister(struct gp_point *point, struct uprobe *uprobe);

static inline struct gp_probe_set *gp_point_set(const struct gp_point *point)
{
	return rcu_dereference_protected(point->set,
					 lockdep_is_held(&point->inode->lock));
}

/* hit/handler.c */
GP_UPROBE_HANDLER(gp_handler_hit, uc, regs);

#endif
