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
#include "jump/spare.h"
#include "stats/remote.h"

struct file;
struct gp_jump;
struct page;

/* Pages of numbers that each stripe has in an area: 16,384 counters, or times of 128 functions. */
#define GP_AREA_ROWS		32

#define GP_AREA_CODE		SZ_64K

/* Jumps whose detours are in one area. */
#define GP_AREA_JUMPS		512

/* Pages of a table of slots: struct gp_detour_slot. */
#define GP_AREA_SLOT_PAGES	32

/* Pages of notes that a stripe has. */
#define GP_AREA_NOTE_PAGES	DIV_ROUND_UP(sizeof(struct gp_detour_ring), PAGE_SIZE)

/**
 * struct gp_area - memory for some detours
 * @node: link in a space
 * @file: the code
 * @code: its address
 * @numbers: address of CPU 0's numbers, behind the code; those of stripe n lie n times
 *	gp_spare_stride() higher. 0: none
 * @cpu_shift: as of struct gp_detour
 * @spare: where the memory is from
 * @row: for each page of numbers those of all stripes, pinned, or NULL
 * @used: bytes of code
 * @nbytes: bytes of each stripe's numbers in use
 * @njumps: number of @jump
 * @jump: jumps whose detours are here, by number; NULL: it could not be made
 * @landing: consumer of the breakpoint where their hits land, if @lands
 * @landing_uprobe: the kernel's handle, 6.12 and later
 * @lands: the breakpoint has been placed
 * @mm: the process's memory; kept as a structure
 */
struct gp_area {
	struct list_head node;
	struct file *file;
	unsigned long code;
	unsigned long numbers;
	u8 cpu_shift;
	struct gp_spare *spare;
	struct page **row[GP_AREA_ROWS];
	u32 used;
	u32 nbytes;
	u32 njumps;
	struct gp_jump *jump[GP_AREA_JUMPS];
	struct uprobe_consumer landing;
	struct uprobe *landing_uprobe;
	bool lands;
	struct mm_struct *mm;
};

/* Offset of the landing, in the last page of the code. */
#define GP_AREA_LANDING		(GP_AREA_CODE - PAGE_SIZE)

/* Can each CPU have its own numbers? */
bool gp_area_per_cpu(void);

/*
 * Context of these: a kernel thread that uses the process's memory (kthread_use_mm()).
 * gp_area_new(): within reach of @near, with numbers, or, if @pop, code alone, for epilogues near
 * there whose POP stays; an ERR_PTR() on error: -ENOMEM: @spare has not that much; -EEXIST: no
 * place is free. gp_area_unmap(): no thread can be in the code.
 */
struct gp_area *gp_area_new(struct gp_spare *spare, unsigned long near, bool pop);
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
unsigned long gp_area_slots_new(struct gp_spare *spare, unsigned long near, struct page **pages);
void gp_area_slots_free(struct gp_spare *spare, struct mm_struct *mm, struct page **pages);
/* The same of notes: GP_AREA_NOTE_PAGES for each stripe. Its address is CPU 0's. */
unsigned long gp_area_notes_new(struct gp_spare *spare, unsigned long near, struct page **pages);
void gp_area_notes_unmap(unsigned long at, u8 cpu_shift);
/* @session: of the struct gp_spare, which may be freed by now. */
void gp_area_notes_free(atomic_long_t *session, struct mm_struct *mm, struct page **pages,
			u8 cpu_shift);
void gp_area_unmap(struct gp_area *area);

/*
 * Is there space for a detour of GP_DETOUR_MAX bytes, with its numbers if the area has any, within
 * reach of @near? @pop: as of gp_area_new().
 */
bool gp_area_fits(const struct gp_area *area, unsigned long near, bool pop);
bool gp_area_has(const struct gp_area *area, unsigned long ip);
/* Forget it; its memory stays the process's, but is not pinned. No counter of it is in use. */
void gp_area_free(struct gp_area *area);

#endif
