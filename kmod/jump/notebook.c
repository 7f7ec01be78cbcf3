// SPDX-License-Identifier: GPL-2.0
/* Notes of a session: memory and points. */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "gfp.h"
#include "jump/area.h"
#include "jump/jump.h"
#include "jump/notebook.h"
#include "ring/clock.h"
#include "ring/ring.h"

/* @cpu: one of the stripe */
static struct gp_notes *gp_notebook_new_stripe(u32 ring_bytes, u32 stripe, u32 cpu)
{
	struct gp_notes *n = kvzalloc_node(sizeof(*n), GP_GFP_CHARGED, cpu_to_node(cpu));

	if (!n)
		return NULL;
	spin_lock_init(&n->lock);
	n->ring = gp_ring_new(max_t(u32, ring_bytes, GP_NOTES_RING_MIN), cpu);
	if (!n->ring) {
		kvfree(n);
		return NULL;
	}
	n->ring->number = nr_cpu_ids + stripe;
	return n;
}

struct gp_notebook *gp_notebook_new(u32 ring_bytes, const struct gp_clock *clock)
{
	struct gp_notebook *book;
	int cpu;

	book = kvzalloc(struct_size(book, stripe, nr_cpu_ids), GP_GFP_CHARGED);
	if (!book)
		return NULL;
	book->clock = clock;
	book->end = U64_MAX;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		u32 i = cpu % GP_SPARE_STRIPES;

		if (!book->stripe[i])
			book->stripe[i] = gp_notebook_new_stripe(ring_bytes, i, cpu);
		if (!book->stripe[i])
			break;
		cond_resched();
	}
	cpus_read_unlock();
	if (cpu < nr_cpu_ids) {
		gp_notebook_free(book);
		return NULL;
	}
	return book;
}

void gp_notebook_free(struct gp_notebook *book)
{
	u32 i;

	if (!book)
		return;
	kvfree(book->points);
	for (i = 0; i < nr_cpu_ids; i++) {
		if (!book->stripe[i])
			continue;
		gp_ring_free(book->stripe[i]->ring);
		kvfree(book->stripe[i]);
	}
	kvfree(book);
}

/* --- the process --------------------------------------------------------------------- */

/* Give a stripe its notes; NULL: it has none. */
static void gp_notebook_give(struct gp_notes *n, struct gp_detour_ring *its, struct pid *pid)
{
	spin_lock(&n->lock);
	n->its = its;
	n->idle = 0;
	n->its_tid = 0;
	n->tid = 0;
	n->tgid = pid_nr(pid);
	/* The session has a reference to the one, and that to the other. */
	n->ns = ns_of_pid(pid);
	spin_unlock(&n->lock);
}

/* Of a note that no thread has, without a ring for its record: it is never free. */
#define GP_NOTEBOOK_TAKEN	U32_MAX

/* Begin with notes that an earlier session may have left. */
static void gp_notebook_begin(struct gp_detour_ring *its, bool has_ring)
{
	u32 i;

	for (i = 0; i < GP_DETOUR_NOTES; i++) {
		/* A thread that was interrupted may still be writing it, for no point. */
		if (READ_ONCE(its->note[i].state) == 1)
			continue;
		WRITE_ONCE(its->note[i].state, has_ring ? 0 : GP_NOTEBOOK_TAKEN);
	}
}

static int gp_notebook_give_all(struct gp_notebook *book, struct pid *pid)
{
	u32 n = gp_spare_stripes(book->cpu_shift), i;
	struct gp_detour_ring *its;
	bool has_ring;

	for (i = 0; i < n; i++) {
		its = vmap(book->pages + i * GP_AREA_NOTE_PAGES, GP_AREA_NOTE_PAGES, VM_MAP,
			   PAGE_KERNEL);
		if (!its)
			return -ENOMEM;
		has_ring = i < nr_cpu_ids && book->stripe[i];
		gp_notebook_begin(its, has_ring);
		if (has_ring)
			gp_notebook_give(book->stripe[i], its, pid);
		else
			vunmap(its);
	}
	return 0;
}

/* @until: a time of the counter, or U64_MAX: now. @spare: bytes of the ring that stay free. */
static u32 gp_notebook_drain_until(const struct gp_notebook *book, struct gp_notes *n, u64 until,
				   u32 spare)
{
	if (READ_ONCE(book->clock->mult))
		until = min3(until, gp_clock_read(book->clock), READ_ONCE(book->end));
	else
		until = 0;
	return gp_notes_drain(n, until, ktime_get_ns(), READ_ONCE(book->records) ? spare : 0);
}

/* Make records of all notes. Those that have no space in the ring are lost. */
static void gp_notebook_drain_last(const struct gp_notebook *book, struct gp_notes *n)
{
	const struct gp_detour_note *note;
	u32 i;

	spin_lock(&n->lock);
	gp_notebook_drain_until(book, n, U64_MAX, 0);
	for (i = 0; i < GP_DETOUR_NOTES; i++) {
		note = &n->its->note[i];
		if (READ_ONCE(note->state) > 1 && READ_ONCE(note->time) <= book->end)
			gp_ring_lose(n->ring, GOPROBE_LOST_RING_FULL,
				     GOPROBE_STAT_LOST_RING_FULL);
	}
	spin_unlock(&n->lock);
}

/* The process writes no notes any more. */
static void gp_notebook_take_back(struct gp_notebook *book)
{
	struct gp_detour_ring *its;
	struct gp_notes *n;
	u32 i;

	for (i = 0; i < nr_cpu_ids; i++) {
		n = book->stripe[i];
		if (!n || !n->its)
			continue;
		gp_notebook_drain_last(book, n);
		its = n->its;
		gp_notebook_give(n, NULL, NULL);
		vunmap(its);
		cond_resched();
	}
	gp_area_notes_free(book->taken, book->mm, book->pages, book->cpu_shift);
	kvfree(book->pages);
	for (i = 0; i < min(book->npoints, book->cap); i++) {
		kfree(book->points[i]);
		WRITE_ONCE(book->points[i], NULL);
	}
	book->npoints = 0;
	book->mm = NULL;
}

int gp_notebook_join(struct gp_notebook *book, unsigned long near, struct gp_spare *spare,
		     struct gp_kept_notes *kept)
{
	int err;

	/* CPUs that share numbers in the one file may not do so in the other. */
	if (book->mm && book->cpu_shift != spare->cpu_shift)
		return -ERANGE;
	book->users++;
	if (book->mm)
		return 0;
	err = -ENOMEM;
	book->pages = kvcalloc(gp_spare_stripes(spare->cpu_shift) * GP_AREA_NOTE_PAGES,
			       sizeof(*book->pages), GP_GFP_CHARGED);
	if (book->pages) {
		book->at = gp_area_notes_new(spare, near,
					     kept->cpu_shift == spare->cpu_shift ? kept->at : 0,
					     book->pages);
		err = IS_ERR_VALUE(book->at) ? (int)book->at : 0;
	}
	if (err) {
		kvfree(book->pages);
		book->users = 0;
		return err;
	}
	book->taken = spare->session;
	WRITE_ONCE(book->cpu_shift, spare->cpu_shift);
	book->mm = current->mm;
	kept->at = 0;
	/* No point has number 0. */
	book->npoints = max(kept->npoints, 1U);
	err = gp_notebook_give_all(book, spare->pid);
	if (err)
		gp_notebook_leave(book, kept);
	return err;
}

void gp_notebook_leave(struct gp_notebook *book, struct gp_kept_notes *kept)
{
	if (--book->users)
		return;
	kept->at = book->at;
	kept->npoints = book->npoints;
	kept->cpu_shift = book->cpu_shift;
	gp_notebook_take_back(book);
}

/* --- points -------------------------------------------------------------------------- */

/* Have space for another point. */
static int gp_notebook_grow(struct gp_notebook *book)
{
	struct gp_note_point **points, **old = book->points;
	u32 cap = max(2 * book->cap, book->npoints + 64);
	struct gp_notes *n;
	u32 i;

	if (book->npoints < book->cap)
		return 0;
	points = kvcalloc(cap, sizeof(*points), GP_GFP_CHARGED);
	if (!points)
		return -ENOMEM;
	if (old)
		memcpy(points, old, book->cap * sizeof(*points));
	for (i = 0; i < nr_cpu_ids; i++) {
		n = book->stripe[i];
		if (!n)
			continue;
		spin_lock(&n->lock);
		n->points = (const struct gp_note_point **)points;
		n->npoints = cap;
		spin_unlock(&n->lock);
	}
	book->points = points;
	book->cap = cap;
	kvfree(old);
	return 0;
}

static int gp_notebook_put(struct gp_notebook *book, const struct gp_note_point *point, u32 id)
{
	struct gp_note_point *copy = kmemdup(point, sizeof(*point), GP_GFP_CHARGED);

	if (!copy)
		return -ENOMEM;
	if (point->size)
		WRITE_ONCE(book->records, true);
	/* The detour that names it is made, or becomes that of a jump, afterwards. */
	WRITE_ONCE(book->points[id], copy);
	return 0;
}

static bool gp_notebook_has(const struct gp_notebook *book, const struct gp_note_point *point,
			    u32 id)
{
	return id && id < min(book->npoints, book->cap) && book->points[id] &&
	       !memcmp(book->points[id], point, sizeof(*point));
}

int gp_notebook_add(struct gp_notebook *book, const struct gp_note_point *point, u32 id)
{
	int err;

	if (gp_notebook_has(book, point, id))
		return id;
	err = gp_notebook_grow(book);
	if (!err)
		err = gp_notebook_put(book, point, book->npoints);
	return err ?: book->npoints++;
}

int gp_notebook_add_again(struct gp_notebook *book, const struct gp_note_point *point, u32 id)
{
	int err = gp_notebook_grow(book);

	if (err)
		return err;
	if (!id || id >= book->npoints || book->points[id])
		return -EEXIST;
	return gp_notebook_put(book, point, id);
}

void gp_notebook_stop(struct gp_notebook *book)
{
	if (book && READ_ONCE(book->clock->mult))
		WRITE_ONCE(book->end, gp_clock_read(book->clock));
}

u32 gp_notebook_drain(struct gp_notebook *book, u32 stripe, u64 until, bool pass)
{
	struct gp_notes *n = stripe < nr_cpu_ids ? book->stripe[stripe] : NULL;
	u32 made = 0;

	if (!n)
		return 0;
	spin_lock(&n->lock);
	if (n->its && (pass || !gp_notes_are_idle(n)))
		made = gp_notebook_drain_until(book, n, until,
					       pass ? GP_NOTES_SPARE_PASS : GP_NOTES_SPARE);
	spin_unlock(&n->lock);
	return made;
}
