/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that traced programs count themselves, in memory of theirs that is pinned: see
 * jump/detour_area.h. A program can write there what it likes: these are its own numbers, and
 * nothing else depends on them.
 */
#ifndef GP_REMOTE_H
#define GP_REMOTE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct page;

/**
 * struct gp_remote_counter - a counter in one program
 * @node: link in struct gp_remote
 * @pages: pages that have a part of it each, pinned
 * @npages: number of @pages
 * @offset: where in each page
 */
struct gp_remote_counter {
	struct list_head node;
	struct page **pages;
	u32 npages;
	u32 offset;
};

/**
 * struct gp_remote - a number that several programs count
 * @lock: guards all of it
 * @counters: those that are still being counted
 * @past: sum of those that were removed
 */
struct gp_remote {
	spinlock_t lock;	/* guards what follows */
	struct list_head counters;
	u64 past;
};

void gp_remote_init(struct gp_remote *remote);
void gp_remote_add(struct gp_remote *remote, struct gp_remote_counter *counter);
void gp_remote_del(struct gp_remote *remote, struct gp_remote_counter *counter);
u64 gp_remote_read(struct gp_remote *remote);

#endif
