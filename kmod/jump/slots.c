// SPDX-License-Identifier: GPL-2.0
/* Open calls of a process in memory of its own: making, counting, freeing. */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "arch/arch.h"
#include "gfp.h"
#include "jump/slots.h"
#include "stats/tally.h"

struct gp_slots *gp_slots_new(struct mm_struct *mm, struct gp_spare *spare, unsigned long near,
			      unsigned long kept)
{
	struct gp_slots *slots = kzalloc(sizeof(*slots), GP_GFP_CHARGED);
	u32 i;

	if (!slots)
		return ERR_PTR(-ENOMEM);
	slots->mm = mm;
	slots->since = gp_arch_ticks();
	slots->at = gp_area_slots_new(spare, near, kept, slots->pages);
	if (IS_ERR_VALUE(slots->at)) {
		long err = slots->at;

		kfree(slots);
		return ERR_PTR(err);
	}
	/* Calls of an earlier session are over. */
	for (i = 0; i < GP_AREA_SLOT_PAGES; i++)
		clear_page(page_address(slots->pages[i]));
	return slots;
}

/* For each open call, with the tally of its function. */
static void gp_slots_each(const struct gp_slots *slots, struct gp_tallies *tallies,
			  void (*fn)(struct gp_tally *tally, bool exited), bool exited)
{
	const struct gp_detour_slot *slot;
	struct gp_tally *tally;
	u32 i;

	for (i = 0; i < GP_DETOUR_SLOTS; i++) {
		slot = gp_slots_get(slots, i);
		if (!READ_ONCE(slot->g))
			continue;
		tally = gp_tallies_find(tallies, READ_ONCE(slot->id));
		if (tally && tally->remote)
			fn(tally, exited);
	}
}

static void gp_slots_leave(struct gp_tally *tally, bool exited)
{
	gp_tally_from_slot(tally);
	if (exited)
		gp_tally_exited(tally);
}

void gp_slots_free(struct gp_slots *slots, struct gp_spare *spare, struct gp_tallies *tallies,
		   bool exited)
{
	list_del_rcu(&slots->node);
	synchronize_rcu();
	gp_slots_each(slots, tallies, gp_slots_leave, exited);
	gp_area_slots_free(spare, slots->mm, slots->pages);
	kfree(slots);
}

static void gp_slots_add(struct gp_tally *tally, bool exited)
{
	tally->remote->open++;
	tally->remote->exited += exited;
}

void gp_slots_count(const struct gp_slots *slots, struct gp_tallies *tallies)
{
	gp_slots_each(slots, tallies, gp_slots_add, !atomic_read(&slots->mm->mm_users));
}
