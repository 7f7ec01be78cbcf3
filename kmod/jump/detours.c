// SPDX-License-Identifier: GPL-2.0
/* Making of jumps: their detours, and what these need in the process. */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "compat.h"
#include "gfp.h"
#include "jump/area.h"
#include "jump/detours.h"
#include "jump/jump.h"
#include "jump/notebook.h"
#include "jump/patience.h"
#include "jump/slots.h"
#include "jump/text.h"
#include "stats/tally.h"

/* Areas of one space: 4 MiB of code. */
#define GP_JUMP_AREAS		64

/* Mappings of all areas of one space: an eighth of what a process may have by default. */
#define GP_JUMP_MAPPINGS	8192

/* An area for a detour from @at. @pop: as of gp_area_new(). */
static struct gp_area *gp_jump_area(struct gp_jump_space *space, unsigned long at, bool pop)
{
	struct gp_area *area;
	u32 n = 0;

	list_for_each_entry(area, &space->areas, node) {
		if (gp_area_fits(area, at, pop))
			return area;
		n++;
	}
	if (n == GP_JUMP_AREAS || n * gp_spare_stripes(space->spare.cpu_shift) >= GP_JUMP_MAPPINGS)
		return ERR_PTR(-ENOSPC);
	area = gp_area_new(&space->spare, at, pop);
	if (!IS_ERR(area))
		list_add(&area->node, &space->areas);
	return area;
}

/* The detour's code: made, looked at again, written. */
static int gp_jump_write_detour(struct gp_jump *j, struct gp_area *area, const struct gp_detour *d)
{
	u8 *code = kmalloc(GP_DETOUR_MAX, GFP_KERNEL);
	int err = -ERANGE;
	u32 len;

	if (!code)
		return -ENOMEM;
	len = gp_detour_emit(&j->site, d, code);
	if (len && gp_detour_jumps(&j->site, d, j->branch_jump, j->cold_jump)) {
		if (WARN_ON_ONCE(!gp_detour_check(&j->site, d, code, len)))
			err = -EINVAL;
		else
			err = gp_area_write(area, code, len);
	}
	kfree(code);
	return err;
}

/* The breakpoint of a landing is for that process alone. */
static GP_UPROBE_FILTER(gp_jump_landing_filter, uc, mm)
{
	return container_of(uc, struct gp_area, landing)->mm == mm;
}

/* Place the breakpoint of a landing. Context: not the lock of the mappings. */
static int gp_jump_place_landing(struct gp_area *area)
{
	int err = area->lands ? 0 : gp_area_write_landing(area);

	if (area->lands || err)
		return err;
	area->landing.handler = gp_handler_landed;
	area->landing.filter = gp_jump_landing_filter;
	err = gp_compat_register(file_inode(area->file), GP_AREA_LANDING, &area->landing,
				 &area->landing_uprobe);
	area->lands = !err;
	return err;
}

void gp_jump_remove_landings(struct gp_jump_space *space)
{
	struct gp_area *area;
	bool any = false;

	list_for_each_entry(area, &space->areas, node) {
		if (!area->lands)
			continue;
		gp_compat_unregister(file_inode(area->file), GP_AREA_LANDING, &area->landing,
				     area->landing_uprobe);
		area->lands = false;
		any = true;
	}
	if (any)
		gp_compat_unregister_sync();
}

/* Where calls of the plan's function add their durations in this process. */
static struct gp_jump_times *gp_jump_times(struct gp_jump_space *space, unsigned long at,
					   const struct gp_jump_plan *plan)
{
	struct gp_jump_times *times;
	struct gp_detour_times *its;
	struct gp_area *area;
	u32 i;
	int err;

	list_for_each_entry(times, &space->times, node)
		if (times->tally == plan->timed)
			return times;
	area = gp_jump_area(space, at, false);
	if (IS_ERR(area))
		return ERR_CAST(area);
	times = kzalloc(sizeof(*times), GP_GFP_CHARGED);
	if (!times)
		return ERR_PTR(-ENOMEM);
	err = gp_area_take(area, sizeof(*its), &times->counter, &times->at);
	if (err) {
		kfree(times);
		return ERR_PTR(err);
	}
	for (i = 0; i < times->counter.npages; i++) {
		its = page_address(times->counter.pages[i]) + times->counter.offset;
		WRITE_ONCE(its->min, U64_MAX);
	}
	times->tally = plan->timed;
	times->counter.seen = times->seen;
	list_add(&times->node, &space->times);
	gp_remote_add(&plan->timed->remote->times, &times->counter);
	return times;
}

/* What a detour needs that begins or ends timed calls. */
static int gp_jump_prepare_timed(struct gp_jump *j, const struct gp_jump_plan *plan,
				 struct gp_detour *d)
{
	struct gp_slots *slots = j->space->slots;

	if (!slots) {
		slots = gp_slots_new(j->space->mm, &j->space->spare, j->at);
		if (IS_ERR(slots))
			return PTR_ERR(slots);
		j->space->slots = slots;
		list_add_rcu(&slots->node, plan->slots);
	}
	d->slots = slots->at;
	d->id = plan->id;
	d->stack_hi = plan->runtime->g_stack_hi;
	d->rate = plan->rate;
	if (!j->site.frame)
		return 0;
	j->times = gp_jump_times(j->space, j->at, plan);
	if (IS_ERR(j->times))
		return PTR_ERR(j->times);
	d->times = j->times->at;
	return 0;
}

/* What a detour needs that leaves notes. */
static int gp_jump_prepare_noted(struct gp_jump *j, struct gp_jump_plan *plan, struct gp_detour *d)
{
	struct gp_note_point point;
	int err = 0;

	if (!j->space->notebook)
		err = gp_notebook_join(plan->notebook, j->at, &j->space->spare);
	if (err)
		return err;
	j->space->notebook = plan->notebook;
	memcpy(&point, &plan->note, sizeof(point));
	point.ip = j->at;
	/* The detour could perhaps not be written then. */
	err = gp_notebook_add(plan->notebook, &point, plan->note_id);
	if (err < 0)
		return err;
	plan->note_id = err;
	d->id = err;
	d->ring = plan->notebook->at;
	d->stack_hi = plan->runtime->g_stack_hi;
	d->goid = plan->runtime->g_goid;
	d->m = plan->runtime->g_m;
	d->procid = plan->runtime->m_procid;
	d->nwords = point.noted;
	memcpy(d->word, plan->word, sizeof(d->word));
	return 0;
}

/* What a detour needs that tests hits, and counts those that pass or do not. */
static int gp_jump_prepare_counted(struct gp_jump *j, const struct gp_jump_plan *plan,
				   struct gp_area *area, struct gp_detour *d)
{
	unsigned long at;
	int err = 0;

	d->ntests = plan->ntests;
	memcpy(d->test, plan->test, sizeof(d->test));
	if (plan->hits) {
		err = gp_area_take_counter(area, &j->hits, &at);
		d->hits = at;
	}
	if (!err && plan->ntests) {
		err = gp_area_take_counter(area, &j->rejected, &at);
		d->rejected = at;
	}
	return err;
}

static int gp_jump_make_detour(struct gp_jump *j, struct gp_jump_plan *plan)
{
	struct gp_area *area = gp_jump_area(j->space, j->at, j->site.shape == GP_DETOUR_EXIT_POP);
	struct gp_detour d = { .branch = j->at, .cpu_shift = j->space->spare.cpu_shift };
	int err;

	if (IS_ERR(area))
		return PTR_ERR(area);
	d.code = area->code + area->used;
	d.number = area->njumps;
	if (!plan->hits) {
		err = gp_jump_place_landing(area);
		if (err)
			return err;
		d.landing = area->code + GP_AREA_LANDING;
	}
	err = plan->timed ? gp_jump_prepare_timed(j, plan, &d) :
			    gp_jump_prepare_counted(j, plan, area, &d);
	if (!err && plan->notebook)
		err = gp_jump_prepare_noted(j, plan, &d);
	if (!err)
		err = gp_jump_write_detour(j, area, &d);
	/* Before any hit can land. */
	if (!err)
		WRITE_ONCE(area->jump[area->njumps++], j);
	return err;
}

/**
 * gp_jump_new() - make the jump of a point in a process; it is a breakpoint still
 * @plan: how it counts
 * @space: the process
 * @inode: the file
 * @probe: whose plan it is
 * @offset: the branch's place in the file
 *
 * Return: the jump, or an ERR_PTR(): -EINTR: its mappings are locked for long; -ENOENT: the process
 * has not mapped that; -ENOSPC, -EEXIST, -ERANGE: there is no space for a detour within reach;
 * -EBUSY: a debugger has changed the code there.
 */
struct gp_jump *gp_jump_new(struct gp_jump_plan *plan, struct gp_jump_space *space,
			    const struct inode *inode, const struct gp_probe *probe,
			    u64 offset)
{
	struct gp_jump *j = kzalloc(sizeof(*j), GP_GFP_CHARGED);
	int err = -EINTR;

	if (!j)
		return ERR_PTR(-ENOMEM);
	j->space = space;
	j->inode = inode;
	j->probe = probe;
	j->offset = offset;
	j->site = plan->site;
	if (gp_patience_read_lock(space->mm)) {
		j->at = gp_text_find(space->mm, inode, offset);
		mmap_read_unlock(space->mm);
		err = j->at ? gp_jump_make_detour(j, plan) : -ENOENT;
	}
	if (err) {
		kfree(j);
		return ERR_PTR(err);
	}
	if (plan->hits) {
		j->to[0] = plan->hits;
		gp_remote_add(plan->hits, &j->hits);
	}
	if (plan->ntests) {
		j->to[1] = plan->rejected;
		gp_remote_add(plan->rejected, &j->rejected);
	}
	j->counts = true;
	list_add_tail(&j->node, &space->jumps);
	list_add_tail(&j->peer, &plan->jumps);
	return j;
}
