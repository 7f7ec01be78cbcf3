/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a traced process that holds detours and their counters. The code belongs to a file in
 * memory without a name, and the process can't write it. The counters are anonymous memory and
 * stay pinned. Neither refers to the module: a process may keep them after it is unloaded.
 */
#ifndef GP_AREA_H
#define GP_AREA_H

#include <linux/list.h>
#include <linux/types.h>

#include "stats/remote.h"

struct file;
struct page;

/**
 * struct gp_area - memory for some detours
 * @node: link in a space
 * @file: the code
 * @code: its address
 * @counters: address of the counters, behind the code
 * @pages: those of the counters, pinned
 * @npages: number of @pages
 * @used: bytes of code
 * @nlandings: landings in use
 * @ncounters: counters in use
 */
struct gp_area {
	struct list_head node;
	struct file *file;
	unsigned long code;
	unsigned long counters;
	struct page **pages;
	u32 npages;
	u32 used;
	u32 nlandings;
	u32 ncounters;
};

/* Does each CPU have its own counters? */
bool gp_area_per_cpu(void);

/*
 * Context of these four: a kernel thread that uses the process's memory (kthread_use_mm()).
 * gp_area_new(): within reach of @near; an ERR_PTR() on error. gp_area_unmap(): no thread can be in
 * the code.
 */
struct gp_area *gp_area_new(unsigned long near);
int gp_area_write(struct gp_area *area, const u8 *code, u32 len);
/* Offset of the next landing in @area->file, and from @area->code; or a negative error. */
int gp_area_landing(struct gp_area *area);
void gp_area_unmap(struct gp_area *area);

/*
 * Is there space for a detour of GP_DETOUR_MAX bytes with @ncounters, and a landing, within reach
 * of @near?
 */
bool gp_area_fits(const struct gp_area *area, unsigned long near, u32 ncounters);
/* The address of the next counter; @counter is filled in but for its node. */
unsigned long gp_area_counter(struct gp_area *area, struct gp_remote_counter *counter);
bool gp_area_has(const struct gp_area *area, unsigned long ip);
/* Forget it; its memory stays the process's. No counter of it is in use. */
void gp_area_free(struct gp_area *area);

#endif
