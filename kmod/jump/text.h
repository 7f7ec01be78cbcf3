/* SPDX-License-Identifier: GPL-2.0 */
/* Changing a few bytes of a program's code while its threads run. */
#ifndef GP_TEXT_H
#define GP_TEXT_H

#include <linux/mm_types.h>
#include <linux/types.h>
#include <goprobe.h>

struct inode;
struct task_struct;

/* The most bytes of a window. */
#define GP_TEXT_MAX	16

/* Windows whose pages are held at the same time. */
#define GP_TEXT_WINDOWS	64

/**
 * struct gp_text_pages - the pages of all windows that are open
 * @n: their number
 * @at: their addresses in the process
 * @page: they
 *
 * Each is asked for once. Before 5.19 the kernel gives a process a new copy of a page of its own
 * that it is asked for while somebody holds it: what is written to the other would be lost.
 */
struct gp_text_pages {
	u32 n;
	unsigned long at[2 * GP_TEXT_WINDOWS];
	struct page *page[2 * GP_TEXT_WINDOWS];
};

/**
 * struct gp_text - a window of a program's code
 * @bytes: the first byte in each of both pages, as the kernel sees them
 * @first: how many of the bytes are in the first page
 */
struct gp_text {
	u8 *bytes[2];
	u32 first;
};

/*
 * Why no code of a process may be changed, or GOPROBE_TRAP_NONE. @leader: any of its threads.
 * @ticks: the new code reads the processor's counter
 */
enum goprobe_trap gp_text_refuses(const struct task_struct *leader, bool ticks);

/*
 * Where a process has mapped that place of the file as code, private and not writable; or 0.
 * Context: the lock of its mappings.
 */
unsigned long gp_text_find(struct mm_struct *mm, const struct inode *inode, u64 offset);
/* Are these @len bytes of its memory that place of the file, as gp_text_find() has it? */
bool gp_text_is(struct mm_struct *mm, const struct inode *inode, u64 offset, unsigned long at,
		u32 len);

/*
 * The byte at @at, and whether these @len bytes are present. Neither brings in what is absent.
 * Context: the lock of the mappings. Return: false: it is absent.
 */
bool gp_text_look(struct mm_struct *mm, unsigned long at, u8 *byte);
bool gp_text_is_present(struct mm_struct *mm, unsigned long at, u32 len);

/*
 * Open a window of @len bytes, of the process's own pages, which @pages hold from then on. Context:
 * the lock of its mappings, for writing, until the last use of the window. Return: 0 or an error.
 */
int gp_text_open(struct gp_text *text, struct gp_text_pages *pages, struct mm_struct *mm,
		 unsigned long at, u32 len);
/* Give them all back. Context: without the lock. */
void gp_text_close(struct gp_text_pages *pages);
bool gp_text_has(const struct gp_text *text, u32 from, const u8 *bytes, u32 n);
void gp_text_write(struct gp_text *text, u32 from, const u8 *bytes, u32 n);

/*
 * When it returns each processor that can run the process's code has forgotten the code that it had
 * read. Processors that do not run the process are not interrupted. Context: may wait.
 */
void gp_text_sync(struct mm_struct *mm);

#endif
