// SPDX-License-Identifier: GPL-2.0
/* Making of jumps: their detours, and what these need in the process. */
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "gfp.h"
#include "jump/area.h"
#include "jump/jump.h"
#include "jump/landing.h"
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

/*
 * The detour's code: made, looked at again, and written, or, if it is @old, found there. Return: 0
 * or an error; -ENOENT: the old one has other code.
 */
static int gp_jump_write_detour(struct gp_jump *j, struct gp_area *area, const struct gp_detour *d,
				bool old)
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
		else if (!old)
			err = gp_area_write(area, code, len);
		else
			err = gp_area_shows(area, d->code, code, len) > 0 ? 0 : -ENOENT;
	}
	kfree(code);
	return err;
}

/* Begin to count at 0: an earlier session may have used these. */
static void gp_jump_begin_counter(const struct gp_remote_counter *counter)
{
	u32 i;

	for (i = 0; i < counter->npages; i++)
		WRITE_ONCE(*(u64 *)(page_address(counter->pages[i]) + counter->offset), 0);
}

static void gp_jump_begin_times(const struct gp_remote_counter *counter)
{
	struct gp_detour_times *its;
	u32 i;

	for (i = 0; i < counter->npages; i++) {
		its = page_address(counter->pages[i]) + counter->offset;
		/* Never less than 4 while a late thread may add to them. */
		WRITE_ONCE(its->min, U64_MAX);
		memset(its->bucket, 0, sizeof(its->bucket));
		WRITE_ONCE(its->sum, 0);
		WRITE_ONCE(its->max, 0);
	}
}

/* The area whose numbers are at @at, or NULL. */
static struct gp_area *gp_jump_area_of(struct gp_jump_space *space, unsigned long at)
{
	struct gp_area *area;

	list_for_each_entry(area, &space->areas, node)
		if (gp_area_has_numbers(area, at))
			return area;
	return NULL;
}

/*
 * Take numbers for times: those that an earlier session had at @old, unless that is 0, or new ones
 * within reach of @at.
 */
static int gp_jump_take_times(struct gp_jump_space *space, struct gp_jump_times *times,
			      unsigned long at, unsigned long old)
{
	struct gp_area *area = old ? gp_jump_area_of(space, old) : gp_jump_area(space, at, false);

	if (IS_ERR_OR_NULL(area))
		return area ? PTR_ERR(area) : -ENOENT;
	times->at = old;
	return old ? gp_area_take_again(area, old, &times->counter) :
		     gp_area_take(area, sizeof(struct gp_detour_times), &times->counter,
				  &times->at);
}

/*
 * Where calls of the plan's function add their durations in this process. @old: where an earlier
 * session had them add these, or 0.
 */
static struct gp_jump_times *gp_jump_times(struct gp_jump_space *space, unsigned long at,
					   const struct gp_jump_plan *plan, unsigned long old)
{
	struct gp_jump_times *times;
	int err;

	list_for_each_entry(times, &space->times, node) {
		if (times->tally == plan->timed)
			return times;
		/* Those of one function then can be those of several now. */
		if (times->at == old)
			return ERR_PTR(-ENOENT);
	}
	times = kzalloc(sizeof(*times), GP_GFP_CHARGED);
	if (!times)
		return ERR_PTR(-ENOMEM);
	err = gp_jump_take_times(space, times, at, old);
	if (err) {
		kfree(times);
		return ERR_PTR(err);
	}
	gp_jump_begin_times(&times->counter);
	times->tally = plan->timed;
	times->counter.seen = times->seen;
	list_add(&times->node, &space->times);
	gp_remote_add(&plan->timed->remote->times, &times->counter);
	return times;
}

/* What a detour needs that begins or ends timed calls. */
static int gp_jump_prepare_timed(struct gp_jump *j, const struct gp_jump_plan *plan,
				 struct gp_area_detour *its, struct gp_detour *d)
{
	struct gp_slots *slots = j->space->slots;

	if (!slots) {
		slots = gp_slots_new(j->space->mm, &j->space->spare, j->at, j->space->kept_slots);
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
	j->times = gp_jump_times(j->space, j->at, plan, its->times);
	if (IS_ERR(j->times))
		return PTR_ERR(j->times);
	its->times = j->times->at;
	d->times = its->times;
	return 0;
}

/* The point of notes of the jump. */
static void gp_jump_note_point(const struct gp_jump *j, const struct gp_jump_plan *plan,
			       struct gp_note_point *point)
{
	memcpy(point, &plan->note, sizeof(*point));
	point->ip = j->at;
}

/* What a detour needs that leaves notes. One of an earlier session keeps its number. */
static int gp_jump_prepare_noted(struct gp_jump *j, struct gp_jump_plan *plan,
				 struct gp_area_detour *its, struct gp_detour *d)
{
	struct gp_note_point point;
	int err = 0;

	if (!j->space->notebook)
		err = gp_notebook_join(plan->notebook, j->at, &j->space->spare,
				       &j->space->kept_notes);
	if (err)
		return err;
	j->space->notebook = plan->notebook;
	if (!its->id) {
		gp_jump_note_point(j, plan, &point);
		/* The detour could perhaps not be written then. */
		err = gp_notebook_add(plan->notebook, &point, plan->note_id);
		if (err < 0)
			return err;
		plan->note_id = err;
		its->id = err;
	}
	d->id = its->id;
	d->ring = plan->notebook->at;
	d->stack_hi = plan->runtime->g_stack_hi;
	d->goid = plan->runtime->g_goid;
	d->m = plan->runtime->g_m;
	d->procid = plan->runtime->m_procid;
	d->nwords = plan->note.noted;
	memcpy(d->word, plan->word, sizeof(d->word));
	return 0;
}

/* Take a counter: the one at *@at, of an earlier session, or, if that is 0, a new one. */
static int gp_jump_take_counter(struct gp_area *area, struct gp_remote_counter *counter,
				unsigned long *at)
{
	int err = *at ? gp_area_take_again(area, *at, counter) :
			gp_area_take_counter(area, counter, at);

	if (!err)
		gp_jump_begin_counter(counter);
	return err;
}

static int gp_jump_prepare_counted(struct gp_jump *j, const struct gp_jump_plan *plan,
				   struct gp_area *area, struct gp_area_detour *its,
				   struct gp_detour *d)
{
	int err = 0;

	d->ntests = plan->ntests;
	memcpy(d->test, plan->test, sizeof(d->test));
	if (plan->hits) {
		err = gp_jump_take_counter(area, &j->hits, &its->hits);
		d->hits = its->hits;
	}
	if (!err && plan->ntests) {
		err = gp_jump_take_counter(area, &j->rejected, &its->rejected);
		d->rejected = its->rejected;
	}
	return err;
}

/* Make the detour @its, number @number of the area, or use it again if it is @old. */
static int gp_jump_make_detour_at(struct gp_jump *j, struct gp_jump_plan *plan,
				  struct gp_area *area, u32 number, struct gp_area_detour *its,
				  bool old)
{
	struct gp_detour d = {
		.branch = j->at, .code = its->at, .number = number,
		.cpu_shift = j->space->spare.cpu_shift,
	};
	struct gp_note_point point;
	int err;

	if (!plan->hits) {
		err = gp_landing_place(area);
		if (err)
			return err;
		d.landing = area->code + GP_AREA_LANDING;
	}
	err = plan->timed ? gp_jump_prepare_timed(j, plan, its, &d) :
			    gp_jump_prepare_counted(j, plan, area, its, &d);
	if (!err && plan->notebook)
		err = gp_jump_prepare_noted(j, plan, its, &d);
	if (!err)
		err = gp_jump_write_detour(j, area, &d, old);
	if (err || !old || !plan->notebook)
		return err;
	/* Only now: a late thread leaves what the detour's code says. */
	gp_jump_note_point(j, plan, &point);
	return gp_notebook_add_again(plan->notebook, &point, its->id);
}

/* Can the plan have what the detour of an earlier session has? */
static bool gp_jump_suits(const struct gp_jump *j, const struct gp_jump_plan *plan,
			  const struct gp_area_detour *its)
{
	return !its->jump && its->branch == j->at && !its->hits == !plan->hits &&
	       !its->rejected == !plan->ntests && !its->id == !plan->notebook &&
	       !its->times == !(plan->timed && j->site.frame);
}

/* Use a detour of an earlier session again. Return: 0 or an error; -ENOENT: no detour fits. */
static int gp_jump_find_detour(struct gp_jump *j, struct gp_jump_plan *plan)
{
	struct gp_area_detour its;
	struct gp_area *area;
	int err = -ENOENT;
	u32 i;

	list_for_each_entry(area, &j->space->areas, node) {
		for (i = 0; i < area->ndetours; i++) {
			its = area->detour[i];
			if (!gp_jump_suits(j, plan, &its))
				continue;
			err = gp_jump_make_detour_at(j, plan, area, i, &its, true);
			if (err)
				continue;
			/* Before any hit can land. */
			WRITE_ONCE(area->detour[i].jump, j);
			return 0;
		}
	}
	return err;
}

static int gp_jump_make_detour(struct gp_jump *j, struct gp_jump_plan *plan)
{
	struct gp_area_detour its = { .jump = j, .branch = j->at };
	struct gp_area *area;
	int err;

	if (!gp_jump_find_detour(j, plan))
		return 0;
	area = gp_jump_area(j->space, j->at, j->site.shape == GP_DETOUR_EXIT_POP);
	if (IS_ERR(area))
		return PTR_ERR(area);
	its.at = area->code + area->used;
	err = gp_jump_make_detour_at(j, plan, area, area->ndetours, &its, false);
	if (!err)
		area->detour[area->ndetours++] = its;
	return err;
}

/*
 * Does the cold block still lead to a detour of an earlier session? The jump takes that over from
 * the stale one.
 */
static void gp_jump_take_stale(struct gp_jump *j)
{
	struct gp_jump *stale;

	memcpy(j->cold_now, j->site.cold, sizeof(j->cold_now));
	list_for_each_entry(stale, &j->space->stale, node) {
		if (stale->at != j->at || stale->site.cold_at != j->site.cold_at)
			continue;
		j->cold = true;
		memcpy(j->cold_now, stale->cold_now, sizeof(j->cold_now));
		gp_jump_forget_stale(stale);
		return;
	}
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
	gp_jump_take_stale(j);
	list_add_tail(&j->node, &space->jumps);
	list_add_tail(&j->peer, &plan->jumps);
	return j;
}
