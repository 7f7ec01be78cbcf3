/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of a traced process that holds detours, their numbers (counters and times), and open
 * calls. The code belongs to a file in memory without a name, and the process can't write it. The
 * others are anonymous memory and are pinned while a session uses them. Neither refers to the
 * module: the process has them until it ends, and the next session uses them again (space.c).
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

/* Detours in one area. */
#define GP_AREA_DETOURS		512

/* Pages of a table of slots: struct gp_detour_slot. */
#define GP_AREA_SLOT_PAGES	32

/* Pages of notes that a stripe has. */
#define GP_AREA_NOTE_PAGES	DIV_ROUND_UP(sizeof(struct gp_detour_ring), PAGE_SIZE)

/**
 * struct gp_area_detour - a detour, of the current session or an earlier one
 * @jump: of the current session, or NULL
 * @branch: address of the branch or epilogue that becomes a jump
 * @at: address of its code
 * @hits: address of its counter, of CPU 0, or 0
 * @rejected: ... of its counter of rejected hits
 * @times: ... of its times
 * @id: its gp_detour.id if it leaves notes
 */
struct gp_area_detour {
	struct gp_jump *jump;
	unsigned long branch;
	unsigned long at;
	unsigned long hits;
	unsigned long rejected;
	unsigned long times;
	u32 id;
};

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
 * @ndetours: number of @detour
 * @detour: by gp_detour.number
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
	u32 ndetours;
	struct gp_area_detour detour[GP_AREA_DETOURS];
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
 * place is free.
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
/* As gp_area_take(), of numbers at @at that an earlier session has had. */
int gp_area_take_again(struct gp_area *area, unsigned long at, struct gp_remote_counter *counter);
/*
 * Pin a table of slots, GP_AREA_SLOT_PAGES @pages: the one at @kept, or, if that is 0 or not there,
 * a new one within reach of @near. Return: its address, or an error: IS_ERR_VALUE().
 */
unsigned long gp_area_slots_new(struct gp_spare *spare, unsigned long near, unsigned long kept,
				struct page **pages);
void gp_area_slots_free(struct gp_spare *spare, struct mm_struct *mm, struct page **pages);
/* The same of notes: GP_AREA_NOTE_PAGES for each stripe. Its address is CPU 0's. */
unsigned long gp_area_notes_new(struct gp_spare *spare, unsigned long near, unsigned long kept,
				struct page **pages);
/* @session: of the struct gp_spare, which may be freed by now. */
void gp_area_notes_free(atomic_long_t *session, struct mm_struct *mm, struct page **pages,
			u8 cpu_shift);
/*
 * Does the process see @code, @len bytes, at @at, and is that the area's? -EINTR: its mappings are
 * locked for long.
 */
int gp_area_shows(const struct gp_area *area, unsigned long at, const u8 *code, u32 len);

/*
 * Is there space for a detour of GP_DETOUR_MAX bytes, with its numbers if the area has any, within
 * reach of @near? @pop: as of gp_area_new().
 */
bool gp_area_fits(const struct gp_area *area, unsigned long near, bool pop);
bool gp_area_has(const struct gp_area *area, unsigned long ip);
bool gp_area_has_numbers(const struct gp_area *area, unsigned long at);
/* Is the code still mapped there? Context: the lock of the mappings. */
bool gp_area_is_there(const struct gp_area *area);
/* May another process execute the code? */
bool gp_area_is_shared(const struct gp_area *area);
bool gp_area_is_half_full(const struct gp_area *area);
/* Fill it from its beginning again. No thread of any process can be in the code. */
void gp_area_empty(struct gp_area *area);
/* The session ends: it needs no numbers and no detours any more, and gives the pages back. */
void gp_area_unpin_all(struct gp_area *area);
/* Another session has taken the area over. */
void gp_area_take_over(struct gp_area *area);
/* Forget it; its memory stays the process's, and is not pinned. */
void gp_area_free(struct gp_area *area);

#endif
