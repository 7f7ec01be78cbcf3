/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a traced process that holds detours, their numbers (counters and times), and open
 * calls. The code belongs to a file in memory without a name, and the process can't write it. The
 * others are anonymous memory and stay pinned. Neither refers to the module: a process may keep
 * them after it is unloaded.
 */
#ifndef GP_AREA_H
#define GP_AREA_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/sizes.h>
#include <linux/types.h>
#include <linux/uprobes.h>

#include "arch/detour.h"
#include "stats/remote.h"

struct file;
struct gp_jump;
struct page;

/* Pages of numbers that each CPU has in an area: 16,384 counters, or times of 64 functions. */
#define GP_AREA_ROWS		32

#define GP_AREA_CODE		SZ_64K

/* Jumps whose detours are in one area. */
#define GP_AREA_JUMPS		512

/* Pages of a table of slots: struct gp_detour_slot. */
#define GP_AREA_SLOT_PAGES	32

/* Pages of notes that a CPU has. */
#define GP_AREA_NOTE_PAGES	DIV_ROUND_UP(sizeof(struct gp_detour_ring), PAGE_SIZE)

/**
 * struct gp_area - memory for some detours
 * @node: link in a space
 * @file: the code
 * @code: its address
 * @numbers: address of CPU 0's numbers, behind the code; those of CPU n lie n MiB higher. 0: none
 * @row: for each page of numbers those of all CPUs, pinned, or NULL
 * @npinned: number of pages that are pinned
 * @used: bytes of code
 * @nbytes: bytes of each CPU's numbers in use
 * @njumps: number of @jump
 * @jump: jumps whose detours are here, by number; NULL: it could not be made
 * @landing: consumer of the breakpoint where their hits land, if @lands
 * @landing_uprobe: the kernel's handle, 6.12 and later
 * @lands: the breakpoint has been placed
 * @mm: the process
 */
struct gp_area {
	struct list_head node;
	struct file *file;
	unsigned long code;
	unsigned long numbers;
	struct page **row[GP_AREA_ROWS];
	u32 npinned;
	u32 used;
	u32 nbytes;
	u32 njumps;
	struct gp_jump *jump[GP_AREA_JUMPS];
	struct uprobe_consumer landing;
	struct uprobe *landing_uprobe;
	bool lands;
	const struct mm_struct *mm;
};

/* Offset of the landing, in the last page of the code. */
#define GP_AREA_LANDING		(GP_AREA_CODE - PAGE_SIZE)

/* Does each CPU have its own numbers? */
bool gp_area_per_cpu(void);
/* The mappings that an area has for its numbers. */
u32 gp_area_ncpus(void);

/*
 * Context of these: a kernel thread that uses the process's memory (kthread_use_mm()).
 * gp_area_new(): within reach of @near, with numbers, or, if @pop, code alone, for epilogues near
 * there whose POP stays; an ERR_PTR() on error. gp_area_unmap(): no thread can be in the code.
 */
struct gp_area *gp_area_new(unsigned long near, bool pop);
int gp_area_write(struct gp_area *area, const u8 *code, u32 len);
/* Write the landing. */
int gp_area_write_landing(struct gp_area *area);
/*
 * The next numbers, of @bytes, a power of two; @counter is filled in but for its node. *@at: their
 * address. Return: 0 or an error.
 */
int gp_area_take(struct gp_area *area, u32 bytes, struct gp_remote_counter *counter,
		 unsigned long *at);
int gp_area_take_counter(struct gp_area *area, struct gp_remote_counter *counter,
			 unsigned long *at);
/*
 * Map a table of slots within reach of @near, and pin it: GP_AREA_SLOT_PAGES @pages. Return: its
 * address, or an error: IS_ERR_VALUE().
 */
unsigned long gp_area_slots_new(unsigned long near, struct page **pages);
/* The same of notes: GP_AREA_NOTE_PAGES for each of gp_area_ncpus(). Its address is CPU 0's. */
unsigned long gp_area_notes_new(unsigned long near, struct page **pages);
void gp_area_notes_unmap(unsigned long at);
void gp_area_unpin(struct mm_struct *mm, struct page **pages, u32 n);
void gp_area_unmap(struct gp_area *area);

/*
 * Is there space for a detour of GP_DETOUR_MAX bytes, with its numbers if the area has any, within
 * reach of @near? @pop: as of gp_area_new().
 */
bool gp_area_fits(const struct gp_area *area, unsigned long near, bool pop);
bool gp_area_has(const struct gp_area *area, unsigned long ip);
/* Forget it; its memory stays the process's. No counter of it is in use. */
void gp_area_free(struct gp_area *area);

#endif
