/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Notes of a session: those of each stripe of CPUs (jump/spare.h), in memory of one process
 * (arch/detour.h), with rings for the records that are made of them (ring/notes.h). Records of
 * several processes would have to be sorted. So the session has notes in the first process that
 * needs some.
 *
 * All but the drains is guarded by the session's turn.
 */
#ifndef GP_NOTEBOOK_H
#define GP_NOTEBOOK_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "arch/detour.h"
#include "jump/spare.h"
#include "ring/notes.h"

struct gp_clock;
struct gp_kept_notes;
struct page;
struct pid;

/**
 * struct gp_notebook - the notes of a session
 * @clock: stamps the session's records
 * @end: the processor's counter when the session was stopped; until then U64_MAX
 * @mm: the process's memory, or NULL; its users have a reference
 * @users: number of struct gp_jump_space that use the notes there
 * @at: address of CPU 0's notes in the process; those of stripe n lie n times gp_spare_stride()
 *	higher
 * @cpu_shift: of the process's detours: CPUs of a stripe share notes
 * @taken: pages that the session's jumps have taken
 * @pages: pinned, GP_AREA_NOTE_PAGES for each stripe
 * @records: some of the notes become records
 * @npoints: number of @points; the first ones are those of earlier sessions in the process: NULL
 * @cap: capacity of @points
 * @points: points of the process; by gp_detour.id, so the first is NULL
 * @stripe: by stripe, as many as CPUs; NULL: its CPUs were offline when the session got its first
 *	such point: there all calls land
 */
struct gp_notebook {
	const struct gp_clock *clock;
	u64 end;
	struct mm_struct *mm;
	u32 users;
	unsigned long at;
	u8 cpu_shift;
	atomic_long_t *taken;
	struct page **pages;
	bool records;
	u32 npoints;
	u32 cap;
	struct gp_note_point **points;
	struct gp_notes *stripe[];
};

/* @ring_bytes: of each CPU's ring. Return: NULL: there is no memory. */
struct gp_notebook *gp_notebook_new(u32 ring_bytes, const struct gp_clock *clock);
/* Context: no process has notes. @book: or NULL. */
void gp_notebook_free(struct gp_notebook *book);

/* Can the process have notes? */
static inline bool gp_notebook_suits(const struct gp_notebook *book, const struct mm_struct *mm)
{
	return !book->mm || book->mm == mm;
}

/*
 * Have another user in the current memory, which suits, within reach of @near. @spare: of the
 * process. @kept: notes that an earlier session has left in it; they are taken. Return: 0 or an
 * error.
 */
int gp_notebook_join(struct gp_notebook *book, unsigned long near, struct gp_spare *spare,
		     struct gp_kept_notes *kept);
/* The user's detours leave no notes any more. The last user gets the memory: @kept. */
void gp_notebook_leave(struct gp_notebook *book, struct gp_kept_notes *kept);
/*
 * Add a point, unless it is there. @id: its gp_detour.id if that has been tried before, else 0.
 * Return: gp_detour.id, or an error.
 */
int gp_notebook_add(struct gp_notebook *book, const struct gp_note_point *point, u32 id);
/*
 * Add a point with the gp_detour.id of a detour that an earlier session has left. Return: 0 or an
 * error.
 */
int gp_notebook_add_again(struct gp_notebook *book, const struct gp_note_point *point, u32 id);

/* The session has been stopped: no records are made of calls from now on. @book: or NULL. */
void gp_notebook_stop(struct gp_notebook *book);

/* Whose notes has the CPU? */
static inline u32 gp_notebook_stripe(const struct gp_notebook *book, u32 cpu)
{
	return cpu % gp_spare_stripes(READ_ONCE(book->cpu_shift));
}

/*
 * Make records of a stripe's notes up to @until, a time of the counter; U64_MAX: now. A pass of the
 * reader has an end, since younger notes would take the space of the next pass, and its records
 * would be out of order. Unless @pass, the ring keeps space for a pass, and nothing is looked at
 * where there seem to be no notes. Return: number of records.
 */
u32 gp_notebook_drain(struct gp_notebook *book, u32 stripe, u64 until, bool pass);

#endif
