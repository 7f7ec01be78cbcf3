/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that traced programs count themselves, in memory of theirs that is pinned: see
 * jump/area.h. A program can write there what it likes: these are its own numbers, and
 * nothing else depends on them.
 */
#ifndef GP_REMOTE_H
#define GP_REMOTE_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct page;

/**
 * struct gp_remote_counter - the numbers of a struct gp_remote in one program
 * @node: link in that
 * @pages: pages that have a part of each number, pinned
 * @npages: number of @pages
 * @offset: where in each page they begin
 */
struct gp_remote_counter {
	struct list_head node;
	struct page **pages;
	u32 npages;
	u32 offset;
};

/**
 * struct gp_remote - numbers that several programs count
 * @lock: guards all of it
 * @counters: those that are still being counted
 * @n: how many numbers
 * @past: of each, the sum of counters that were removed
 * @first: @past, if it is one number
 */
struct gp_remote {
	spinlock_t lock;	/* guards what follows */
	struct list_head counters;
	u32 n;
	u64 *past;
	u64 first;
};

/* One number, or @n whose @past is 0. */
void gp_remote_init(struct gp_remote *remote);
void gp_remote_init_many(struct gp_remote *remote, u64 *past, u32 n);
void gp_remote_add(struct gp_remote *remote, struct gp_remote_counter *counter);
void gp_remote_del(struct gp_remote *remote, struct gp_remote_counter *counter);
/* What all programs have counted so far: the first number; or @n from @from on, added to @to. */
u64 gp_remote_read(struct gp_remote *remote);
void gp_remote_read_many(struct gp_remote *remote, u32 from, u32 n, u64 *to);

#endif
