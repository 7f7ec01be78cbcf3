/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers that traced programs count themselves, in memory of theirs that is pinned: see
 * jump/area.h. A program can write there what it likes. So that it takes nothing away from the
 * numbers of others that are added to its own, each program's part never falls, and never grows
 * faster than it could by counting. A part that would is read again the next time.
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
 * @since: when they began with 0, ns
 * @seen: of each number, the largest that has been believed
 * @first: @seen, if it is one number
 */
struct gp_remote_counter {
	struct list_head node;
	struct page **pages;
	u32 npages;
	u32 offset;
	u64 since;
	u64 *seen;
	u64 first;
};

/**
 * struct gp_remote - numbers that several programs count
 * @lock: guards all of it
 * @counters: those that are still being counted
 * @n: how many numbers; if there are several, the last one is the ns of what the others count
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
