// SPDX-License-Identifier: GPL-2.0
/*
 * Spaces: what jumps need in a process, and what a session leaves there.
 *
 * A thread that a signal or a debugger has interrupted in a detour may go on there at any later
 * time, and no look at threads finds all of these for sure. So nothing that detours use is ever
 * unmapped, and what is used again is used so that such a *late* thread does no harm:
 *
 * - Code, numbers, slots and notes stay in the process, unpinned, and are *kept*: the next session
 *   that makes jumps for the same file there takes the space over.
 * - A detour of the same code at the same place is used again as it is. For a late thread it does
 *   what it did, and counts the call, which goes on now, for the session of today. Other detours
 *   get code and numbers of their own, behind those in use: gp_jump_find_detour().
 * - Late threads add to numbers that nobody reads. In a table of slots one may open a call, at
 *   most, whose number belongs to another function now. Points of notes get numbers that no
 *   detour has.
 * - Once an area is half full, and no thread can be in it as far as looks find that out, it is
 *   filled from its beginning again; but not while a child has the code that was forked with jumps.
 * - A cold block is restored only if no thread can be before it. Until then it leads to its detour,
 *   which does what the program's code does: such a jump is *stale*. A worker looks again later.
 *
 * Memory that is kept refers to nothing of the module: when the module is unloaded it stays in the
 * processes, and nobody uses it again.
 *
 * Locking: gp_kept_lock guards the lists of kept spaces and of stale jumps; it nests inside all
 * others and is held for a moment. A space that is not kept belongs to its session: see
 * session/jumps.c.
 */
#include <linux/delay.h>
#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "gfp.h"
#include "jump/area.h"
#include "jump/jump.h"
#include "jump/landing.h"
#include "jump/notebook.h"
#include "jump/patience.h"
#include "jump/slots.h"
#include "jump/threads.h"
#include "stats/tally.h"

/* So long the end of a session waits for threads, of all its processes together. */
#define GP_JUMP_LEAVE_NS	(20 * NSEC_PER_MSEC)

/* When kept spaces are looked at again: first, then twice as late each time, and at least. */
#define GP_KEPT_SOON_MS		100
#define GP_KEPT_LATE_MS		60000

/*
 * How often then, until the next session's end: some programs always have a thread that may be
 * there, and each look interrupts processors.
 */
#define GP_KEPT_TRIES		10

/*
 * How often threads are looked at each time. In a busy program some thread is in a signal's handler
 * most of the time. Nobody waits meanwhile.
 */
#define GP_KEPT_LOOKS		200

static DEFINE_MUTEX(gp_kept_lock);
static LIST_HEAD(gp_kept);
static LIST_HEAD(gp_stale);
static u32 gp_kept_ms = GP_KEPT_LATE_MS;
static struct delayed_work gp_kept_work;
static struct workqueue_struct *gp_kept_wq;

/* Some kept spaces are being looked at, and not in the list. */
static bool gp_kept_busy;

static struct gp_jump_space *gp_space_new(struct mm_struct *mm, struct pid *pid,
					  const struct inode *inode, atomic_long_t *taken)
{
	struct gp_jump_space *space = kzalloc(sizeof(*space), GP_GFP_CHARGED);

	if (!space)
		return NULL;
	space->batch = gp_jump_batch_new(mm);
	if (!space->batch) {
		kfree(space);
		return NULL;
	}
	mmgrab(mm);
	space->mm = mm;
	space->pid = pid;
	space->inode = inode;
	gp_spare_init(&space->spare, pid, taken, gp_area_per_cpu());
	INIT_LIST_HEAD(&space->areas);
	INIT_LIST_HEAD(&space->jumps);
	INIT_LIST_HEAD(&space->stale);
	INIT_LIST_HEAD(&space->times);
	return space;
}

/* Context: no jumps, times, slots or notebook. */
static void gp_space_free(struct gp_jump_space *space)
{
	struct gp_area *area, *next_area;
	struct gp_jump *j, *next;

	list_for_each_entry_safe(j, next, &space->stale, node)
		gp_jump_forget_stale(j);
	list_for_each_entry_safe(area, next_area, &space->areas, node)
		gp_area_free(area);
	mmdrop(space->mm);
	gp_jump_batch_free(space->batch);
	kfree(space);
}

/* --- stale jumps ---------------------------------------------------------------------- */

static void gp_space_add_stale(struct gp_jump_space *space, struct gp_jump *j)
{
	list_move(&j->node, &space->stale);
	mutex_lock(&gp_kept_lock);
	list_add(&j->peer, &gp_stale);
	mutex_unlock(&gp_kept_lock);
}

void gp_jump_forget_stale(struct gp_jump *j)
{
	mutex_lock(&gp_kept_lock);
	list_del(&j->peer);
	mutex_unlock(&gp_kept_lock);
	list_del(&j->node);
	kfree(j);
}

static void gp_space_forget_restored(struct gp_jump_space *space)
{
	struct gp_jump *j, *next;

	list_for_each_entry_safe(j, next, &space->stale, node)
		if (!j->cold)
			gp_jump_forget_stale(j);
}

bool gp_jump_stale_covers(const struct inode *inode, u64 offset)
{
	const struct gp_jump *j;
	bool covers = false;

	mutex_lock(&gp_kept_lock);
	list_for_each_entry(j, &gp_stale, peer)
		covers |= j->inode == inode && atomic_read(&j->space->mm->mm_users) &&
			  offset - (j->offset + j->site.cold_at) < j->site.cold_len;
	mutex_unlock(&gp_kept_lock);
	return covers;
}

/* --- taking over ---------------------------------------------------------------------- */

/* Can no thread be in a detour of the space, and does nothing lead there? */
static bool gp_space_is_quiet(struct gp_jump_space *space)
{
	LIST_HEAD(alone);
	bool quiet;

	if (space->busy || !list_empty(&space->stale))
		return false;
	list_add(&space->look, &alone);
	gp_threads_look(&alone);
	quiet = !space->inside;
	/* Registers are read while threads go on. */
	gp_threads_look(&alone);
	return quiet && !space->inside;
}

/*
 * Forget areas that the process has mapped something else to, and empty those that are half full,
 * if they can be. Return: false: the mappings are locked for long.
 */
static bool gp_space_look_after_areas(struct gp_jump_space *space)
{
	struct gp_area *area, *next;
	bool full = false, shared = false;

	if (!gp_patience_read_lock(space->mm))
		return false;
	list_for_each_entry_safe(area, next, &space->areas, node) {
		if (!gp_area_is_there(area)) {
			list_del(&area->node);
			gp_area_free(area);
			continue;
		}
		full |= gp_area_is_half_full(area);
		shared |= gp_area_is_shared(area);
	}
	mmap_read_unlock(space->mm);
	/* Detours of one area may have numbers in another one: all are emptied, or none. */
	if (full && !shared && gp_space_is_quiet(space))
		list_for_each_entry(area, &space->areas, node)
			gp_area_empty(area);
	return true;
}

static struct gp_jump_space *gp_space_find_kept(const struct mm_struct *mm,
						const struct inode *inode)
{
	struct gp_jump_space *space;

	list_for_each_entry(space, &gp_kept, node)
		if (space->mm == mm && space->inode == inode)
			return space;
	return NULL;
}

static void gp_space_keep(struct gp_jump_space *space)
{
	mutex_lock(&gp_kept_lock);
	space->tries = 0;
	list_add(&space->node, &gp_kept);
	if (list_empty(&space->stale)) {
		queue_delayed_work(gp_kept_wq, &gp_kept_work, msecs_to_jiffies(GP_KEPT_LATE_MS));
	} else {
		gp_kept_ms = GP_KEPT_SOON_MS;
		mod_delayed_work(gp_kept_wq, &gp_kept_work, msecs_to_jiffies(gp_kept_ms));
	}
	mutex_unlock(&gp_kept_lock);
}

struct gp_jump_space *gp_jump_space_get(struct mm_struct *mm, struct pid *pid,
					const struct inode *inode, atomic_long_t *taken)
{
	struct gp_jump_space *space;
	struct gp_area *area;
	bool busy;

	mutex_lock(&gp_kept_lock);
	space = gp_space_find_kept(mm, inode);
	if (space)
		list_del(&space->node);
	busy = gp_kept_busy;
	mutex_unlock(&gp_kept_lock);
	if (!space)
		return busy ? NULL : gp_space_new(mm, pid, inode, taken);
	if (!gp_space_look_after_areas(space)) {
		gp_space_keep(space);
		return NULL;
	}
	space->pid = pid;
	/* Its stripes stay as they are: numbers lie there. */
	space->spare.pid = pid;
	space->spare.session = taken;
	space->spare.mine = 0;
	list_for_each_entry(area, &space->areas, node)
		gp_area_take_over(area);
	space->full = false;
	space->no_pop = false;
	space->no_notes = false;
	return space;
}

/* --- the end of a session ------------------------------------------------------------- */

/* Count the looks in a row that have found no thread. Return: whether all is quiet. */
static bool gp_space_count_looks(struct gp_jump_space *space)
{
	space->clear = space->entering ? 0 : space->clear + 1;
	space->quiet = space->inside || space->entering ? 0 : space->quiet + 1;
	/* Registers are read while threads go on. */
	return space->quiet >= 2;
}

/*
 * Wait for a short time until no thread is in a detour, so that hits that have begun count, or
 * before a cold block.
 */
static void gp_spaces_wait(struct list_head *spaces)
{
	u64 end = ktime_get_ns() + GP_JUMP_LEAVE_NS;
	struct gp_jump_space *space, *next;
	LIST_HEAD(quiet);

	list_for_each_entry(space, spaces, look) {
		space->clear = 0;
		space->quiet = 0;
	}
	do {
		gp_threads_look(spaces);
		list_for_each_entry_safe(space, next, spaces, look)
			if (gp_space_count_looks(space))
				list_move(&space->look, &quiet);
		if (!list_empty(spaces))
			usleep_range(100, 1000);
	} while (!list_empty(spaces) && ktime_get_ns() < end);
	list_splice(&quiet, spaces);
}

void gp_jump_spaces_leave(struct list_head *spaces)
{
	struct gp_jump_space *space;
	bool any = false;

	if (list_empty(spaces))
		return;
	gp_spaces_wait(spaces);
	list_for_each_entry(space, spaces, look) {
		any |= gp_landing_remove_all(space);
		if (space->clear < 2)
			continue;
		gp_jump_restore_all(space, &space->jumps, true);
		gp_jump_restore_all(space, &space->stale, true);
		gp_space_forget_restored(space);
	}
	if (any)
		gp_compat_unregister_sync();
}

/* The session forgets the jump. */
static void gp_space_end_jump(struct gp_jump *j)
{
	if (j->counts && j->to[0])
		gp_remote_del(j->to[0], &j->hits);
	if (j->counts && j->to[1])
		gp_remote_del(j->to[1], &j->rejected);
	list_del(&j->peer);
	hash_del(&j->place);
	j->probe = NULL;
	j->times = NULL;
}

static void gp_space_end_jumps(struct gp_jump_space *space)
{
	struct gp_jump *j, *next;

	list_for_each_entry_safe(j, next, &space->jumps, node) {
		gp_space_end_jump(j);
		if (j->cold) {
			gp_space_add_stale(space, j);
			continue;
		}
		list_del(&j->node);
		kfree(j);
	}
}

static void gp_space_end_times(struct gp_jump_space *space)
{
	struct gp_jump_times *times, *next;

	list_for_each_entry_safe(times, next, &space->times, node) {
		gp_remote_del(&times->tally->remote->times, &times->counter);
		list_del(&times->node);
		kfree(times);
	}
}

void gp_jump_space_close(struct gp_jump_space *space, struct gp_tallies *tallies)
{
	struct gp_area *area;

	/* Of a process that has ended they are still registered. */
	if (gp_landing_remove_all(space))
		gp_compat_unregister_sync();
	gp_space_end_jumps(space);
	gp_space_end_times(space);
	if (space->notebook)
		gp_notebook_leave(space->notebook, &space->kept_notes);
	space->notebook = NULL;
	if (space->slots) {
		space->kept_slots = space->slots->at;
		gp_slots_free(space->slots, &space->spare, tallies, !space->alive);
	}
	space->slots = NULL;
	list_for_each_entry(area, &space->areas, node)
		gp_area_unpin_all(area);
	space->pid = NULL;
	/* The lists have been emptied in any case. */
	if (space->alive && !list_empty(&space->areas))
		gp_space_keep(space);
	else
		gp_space_free(space);
}

/* --- what is kept --------------------------------------------------------------------- */

/*
 * Restore stale cold blocks. Each is a breakpoint for a moment: the kernel looks for the reason of
 * such a trap only in a process that has breakpoints, so it gets one, at a landing.
 */
static void gp_space_restore_stale(struct gp_jump_space *space)
{
	struct gp_area *area = list_first_entry(&space->areas, struct gp_area, node);
	int err;

	/* Who registers a breakpoint waits as long as it takes, and holds up each fork(). */
	if (!gp_patience_write_lock(space->mm))
		return;
	mmap_write_unlock(space->mm);
	kthread_use_mm(space->mm);
	err = gp_landing_place(area);
	kthread_unuse_mm(space->mm);
	if (err)
		return;
	gp_jump_restore_all(space, &space->stale, false);
	if (gp_landing_remove_all(space))
		gp_compat_unregister_sync();
	gp_space_forget_restored(space);
}

/*
 * Take kept spaces out of the list: those whose process has ended to @ended, those with stale jumps
 * to @stale, with a reference to their memory.
 */
static void gp_kept_sort(struct list_head *ended, struct list_head *stale)
{
	struct gp_jump_space *space, *next;

	mutex_lock(&gp_kept_lock);
	list_for_each_entry_safe(space, next, &gp_kept, node) {
		if (!atomic_read(&space->mm->mm_users))
			list_move(&space->node, ended);
		else if (!list_empty(&space->stale) && space->tries++ < GP_KEPT_TRIES &&
			 mmget_not_zero(space->mm))
			list_move(&space->node, stale);
	}
	gp_kept_busy = !list_empty(stale);
	mutex_unlock(&gp_kept_lock);
}

/* Look at spaces with stale jumps until no thread is before these, but not for long. */
static void gp_kept_look(struct list_head *stale)
{
	struct gp_jump_space *space, *next;
	LIST_HEAD(all);
	u32 i;

	list_for_each_entry(space, stale, node) {
		space->clear = 0;
		list_add(&space->look, &all);
	}
	for (i = 0; i < GP_KEPT_LOOKS && !list_empty(&all); i++) {
		gp_threads_look(&all);
		list_for_each_entry_safe(space, next, &all, look) {
			gp_space_count_looks(space);
			if (space->clear == 2)
				list_del(&space->look);
		}
		usleep_range(200, 1000);
	}
	list_for_each_entry(space, stale, node) {
		if (space->clear == 2 && !list_empty(&space->areas))
			gp_space_restore_stale(space);
		mmput_async(space->mm);
	}
}

static void gp_kept_put_back(struct list_head *stale)
{
	mutex_lock(&gp_kept_lock);
	list_splice(stale, &gp_kept);
	gp_kept_busy = false;
	gp_kept_ms = min(2 * gp_kept_ms, (u32)GP_KEPT_LATE_MS);
	if (!list_empty(&gp_kept))
		queue_delayed_work(gp_kept_wq, &gp_kept_work, msecs_to_jiffies(gp_kept_ms));
	mutex_unlock(&gp_kept_lock);
}

static void gp_kept_work_fn(struct work_struct *work)
{
	struct gp_jump_space *space, *next;
	LIST_HEAD(ended);
	LIST_HEAD(stale);

	gp_kept_sort(&ended, &stale);
	list_for_each_entry_safe(space, next, &ended, node)
		gp_space_free(space);
	gp_kept_look(&stale);
	gp_kept_put_back(&stale);
}

int gp_jump_spaces_init(void)
{
	INIT_DELAYED_WORK(&gp_kept_work, gp_kept_work_fn);
	gp_kept_wq = alloc_workqueue("goprobe-kept", WQ_UNBOUND, 1);
	return gp_kept_wq ? 0 : -ENOMEM;
}

void gp_jump_spaces_fini(void)
{
	struct gp_jump_space *space, *next;

	cancel_delayed_work_sync(&gp_kept_work);
	destroy_workqueue(gp_kept_wq);
	list_for_each_entry_safe(space, next, &gp_kept, node)
		gp_space_free(space);
}
