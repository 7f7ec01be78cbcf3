/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open calls of a process in memory of its own, where detours time them (arch/detour.h). Handlers
 * use the same slots, so a call may begin with a trap and end without, or the other way round.
 *
 * A program can write there what it likes: these are its own numbers, and nothing else depends on
 * them.
 */
#ifndef GP_SLOTS_H
#define GP_SLOTS_H

#include <linux/atomic.h>
#include <linux/mm.h>
#include <linux/rculist.h>

#include "arch/detour.h"
#include "jump/area.h"

struct gp_tallies;

/**
 * struct gp_slots - the open calls of a process
 * @node: link in those of its file; readers hold rcu_read_lock()
 * @mm: the process's memory; kept as a structure
 * @at: address of the table there
 * @since: the processor's counter when it was made: no call in it is older
 * @pages: its pages, pinned
 */
struct gp_slots {
	struct list_head node;
	struct mm_struct *mm;
	unsigned long at;
	u64 since;
	struct page *pages[GP_AREA_SLOT_PAGES];
};

/* What became of a call. */
enum gp_slot_end {
	GP_SLOT_OPEN,		/* it has its slot */
	GP_SLOT_REPLACED,	/* it has the slot of a call that ended without returning */
	GP_SLOT_TAKEN,		/* another call has its slot */
};

static inline struct gp_detour_slot *gp_slots_get(const struct gp_slots *slots, u32 i)
{
	u32 at = i * sizeof(struct gp_detour_slot);

	return page_address(slots->pages[at / PAGE_SIZE]) + offset_in_page(at);
}

/* The slots of a process, or NULL. Context: rcu_read_lock(). */
static inline const struct gp_slots *gp_slots_find(const struct list_head *all,
						   const struct mm_struct *mm)
{
	const struct gp_slots *slots;

	list_for_each_entry_rcu(slots, all, node)
		if (slots->mm == mm)
			return slots;
	return NULL;
}

/* The slot of a call. */
static inline struct gp_detour_slot *gp_slots_of(const struct gp_slots *slots, u64 g, u64 depth)
{
	return gp_slots_get(slots, gp_detour_slot_of(g, depth));
}

/*
 * Open a call that begins at @now. *@id: its function; is set to that of the call that has been
 * replaced. A call of the same goroutine that is as deep, or deeper, has ended.
 */
static inline enum gp_slot_end gp_slot_open(struct gp_detour_slot *slot, u64 g, u32 depth, u64 now,
					    u32 *id)
{
	enum gp_slot_end end = GP_SLOT_OPEN;
	u64 other = cmpxchg(&slot->g, 0, g);
	u32 old = READ_ONCE(slot->id);

	if (other) {
		if (other != g || READ_ONCE(slot->depth) < depth)
			return GP_SLOT_TAKEN;
		end = GP_SLOT_REPLACED;
	}
	WRITE_ONCE(slot->depth, depth);
	WRITE_ONCE(slot->id, *id);
	WRITE_ONCE(slot->began, now);
	*id = old;
	return end;
}

/* End a call. *@began: when it began. Return: false: it is not there. */
static inline bool gp_slot_close(struct gp_detour_slot *slot, u64 g, u32 depth, u32 id, u64 *began)
{
	if (READ_ONCE(slot->g) != g || READ_ONCE(slot->depth) != depth ||
	    READ_ONCE(slot->id) != id)
		return false;
	*began = READ_ONCE(slot->began);
	WRITE_ONCE(slot->g, 0);
	return true;
}

/*
 * @kept: address of a table that an earlier session has left there, or 0. Context: as of
 * gp_area_new(). An ERR_PTR() on error.
 */
struct gp_slots *gp_slots_new(struct mm_struct *mm, struct gp_spare *spare, unsigned long near,
			      unsigned long kept);
/*
 * Forget it, but its memory stays the process's: @tallies get the calls that are still open.
 * @exited: their process has ended. Context: may sleep.
 */
void gp_slots_free(struct gp_slots *slots, struct gp_spare *spare, struct gp_tallies *tallies,
		   bool exited);
/* Add the calls that are open now to those of @tallies: struct gp_tally_remote. */
void gp_slots_count(const struct gp_slots *slots, struct gp_tallies *tallies);

#endif
