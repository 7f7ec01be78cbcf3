// SPDX-License-Identifier: GPL-2.0
/*
 * Breakpoints: create, publish, take back, wait, free.
 *
 * Context: workers of our own (command.c, breaker.c). The kernel gives up patching a
 * page when the task that does it has been killed; it then leaves the breakpoints
 * where they are and says "leaking uprobe". So no task that can be killed does it.
 *
 * Locking: the points of an inode, and all that is done to them, are guarded by its
 * own lock. It is held while uprobes are registered and unregistered, which waits for
 * handlers: so no handler, and no filter, takes it, and who waits for the handlers of one
 * file does not hold up others. gp_inodes_lock guards the table of inodes and is never held
 * for long.
 *
 * Lifetime: a handler finds its point from the consumer, and from there a set of
 * probes. What is taken out of sight goes into a struct gp_sweep and is freed
 * at the end of the sweep, after
 * - every handler that can have seen it has ended: uprobe_unregister_sync() on
 *   6.12 and later; before, each register or unregister of a consumer of the
 *   same uprobe waits (register_rwsem), and one follows each change of a set;
 * - every filter that can have seen it has ended: synchronize_rcu().
 *
 * A changed set needs the kernel to ask the filter again, which uprobe_apply()
 * does but is not exported. Registering a second consumer with the same filter
 * patches the processes that are now wanted; unregistering it takes the breakpoint
 * from those that no consumer's filter wants any more. Before 6.12 that is also
 * what waits for handlers, so it must not fail: see gp_point_apply().
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "gfp.h"
#include "session/file.h"
#include "session/probe.h"
#include "session/session.h"

#define GP_INODES_BITS	8

/* Probes of one point: each is a record of each hit. Their table is a page or two. */
#define GP_SET_MAX	512

/*
 * Probes of a point for which a hit may wait for a reader, GP_STREAM_ROOM_MS each: less together
 * than what a freezer waits for a thread.
 */
#define GP_SET_PATIENT	3

/* So much of a processor a sweep takes, and so long it then leaves it to others. */
#define GP_SWEEP_BUSY_NS	(4 * NSEC_PER_MSEC)
#define GP_SWEEP_REST_US	500

static DEFINE_MUTEX(gp_inodes_lock);
static DEFINE_HASHTABLE(gp_inodes, GP_INODES_BITS);
static struct workqueue_struct *gp_sweep_wq;

static struct gp_inode *gp_inode_find(const struct inode *inode)
{
	struct gp_inode *its;

	hash_for_each_possible(gp_inodes, its, node, (unsigned long)inode)
		if (its->inode == inode)
			return its;
	return NULL;
}

/**
 * gp_inode_get() - the points of an inode
 * @inode: the inode; the caller keeps it alive until gp_inode_put()
 *
 * Return: its points, or NULL: out of memory.
 */
struct gp_inode *gp_inode_get(struct inode *inode)
{
	struct gp_inode *its, *new;

	new = kvzalloc(sizeof(*new), GP_GFP_CHARGED);
	mutex_lock(&gp_inodes_lock);
	its = gp_inode_find(inode);
	if (!its && new) {
		new->inode = inode;
		mutex_init(&new->lock);
		hash_add(gp_inodes, &new->node, (unsigned long)inode);
		its = new;
		new = NULL;
	}
	if (its)
		its->users++;
	mutex_unlock(&gp_inodes_lock);
	kvfree(new);
	return its;
}

/* No sweep of the user's is under way, and it has no points. */
void gp_inode_put(struct gp_inode *inode)
{
	bool last;

	mutex_lock(&gp_inodes_lock);
	last = !--inode->users;
	if (last)
		hash_del(&inode->node);
	mutex_unlock(&gp_inodes_lock);
	if (!last)
		return;
	mutex_destroy(&inode->lock);
	kvfree(inode);
}

static struct gp_point *gp_point_find(const struct gp_inode *inode, loff_t offset)
{
	struct gp_point *point;

	hash_for_each_possible(inode->points, point, node, offset)
		if (point->offset == offset)
			return point;
	return NULL;
}

static bool gp_point_wanted(struct gp_point *point, struct mm_struct *mm)
{
	const struct gp_probe_set *set;
	bool wanted = false;
	u32 i;

	rcu_read_lock();
	set = rcu_dereference(point->set);
	for (i = 0; !wanted && i < set->n; i++)
		wanted = gp_session_wants_mm(set->probe[i]->session, mm);
	rcu_read_unlock();
	return wanted;
}

/**
 * gp_point_leaves() - may the breakpoint leave the current process?
 * @point: where the process has hit it, which no session wants
 *
 * A child has what its parent had when it was forked. But one that has been made by vfork(), or
 * any other process with the same memory, has its parent's breakpoints, not its own: so it is the
 * memory that is asked for. A session that wants the process later has the breakpoint placed
 * again: on 6.12 and later the kernel asks our filter once more before it removes anything;
 * before, who registers a consumer waits for this handler, and places it after that.
 *
 * To remove it the kernel waits for the lock of the process's mappings, which others may hold for
 * as long as they like. Where it takes that lock at each hit that is nothing new; later, where
 * nothing else makes a hit wait for it, the breakpoint stays.
 *
 * Context: a handler.
 *
 * Return: it may.
 */
bool gp_point_leaves(struct gp_point *point)
{
	return GP_HITS_TAKE_LOCKS && !gp_point_wanted(point, current->mm);
}

/* Context: mmap and consumer locks of the kernel held; must not fault or wait. */
static GP_UPROBE_FILTER(gp_point_filter, uc, mm)
{
	return gp_point_wanted(container_of(uc, struct gp_point, uc), mm);
}

static GP_UPROBE_FILTER(gp_point_apply_filter, uc, mm)
{
	struct gp_point *point = container_of(uc, struct gp_point, apply);

	return !point->holds && gp_point_wanted(point, mm);
}

static GP_UPROBE_HANDLER(gp_point_apply_handler, uc, regs)
{
	return 0;
}

static int gp_point_register(struct gp_point *point)
{
	int err = gp_compat_register(point->inode->inode, point->offset, &point->uc,
				     &point->uprobe);

	point->registered = !err;
	return err;
}

static void gp_point_unregister(struct gp_point *point)
{
	if (point->registered)
		gp_compat_unregister(point->inode->inode, point->offset, &point->uc,
				     point->uprobe);
	point->registered = false;
}

static int gp_point_apply_register(struct gp_point *point, struct uprobe **uprobe)
{
	/* A handler chain may still stand on it since the last time. */
	if (point->applied == point->inode->sweep)
		gp_compat_unregister_sync();
	point->applied = point->inode->sweep;
	return gp_compat_register(point->inode->inode, point->offset, &point->apply, uprobe);
}

static void gp_point_apply_unregister(struct gp_point *point, struct uprobe *uprobe)
{
	gp_compat_unregister(point->inode->inode, point->offset, &point->apply, uprobe);
}

/* Have the filter asked again for every process; see the top of this file. */
static int gp_point_apply(struct gp_point *point)
{
	struct uprobe *uprobe;
	int err;

	if (!point->registered)
		return gp_point_register(point);
	err = gp_point_apply_register(point, &uprobe);
	if (!err) {
		gp_point_apply_unregister(point, uprobe);
		return 0;
	}
	if (GP_UNREGISTER_NEEDS_SYNC)
		return err;
	/*
	 * It may have failed before it waited for anyone (no memory, the file
	 * has been cut short): to unregister waits and cannot fail.
	 */
	gp_point_unregister(point);
	return gp_point_register(point);
}

/*
 * Keep the file of a point that is about to go known to the kernel.
 *
 * A thread hits a breakpoint; the breakpoint goes, and it is the last; another
 * thread, on its way from one that has gone before, finds that no file of this
 * process has uprobes any more and takes MMF_HAS_UPROBES away (mmf_recalc_uprobes()).
 * If all that happens before the first looks (uprobe_pre_sstep_notifier()), the trap
 * is nobody's and the process gets SIGTRAP, of which a Go program dies. The first
 * thread has interrupts off, so synchronize_rcu() waits for it; until then a
 * consumer that wants no process keeps the flag. If the kernel refuses one, the
 * chance is taken. So it is on a processor of nohz_full, of which RCU takes the first
 * instructions of the trap for user space's, should a hypervisor stop it there for long.
 */
static void gp_point_hold(struct gp_point *point, struct gp_sweep *sweep)
{
	if (sweep->held)
		return;
	point->holds = true;
	if (!gp_point_apply_register(point, &point->hold))
		sweep->held = point;
}

static struct gp_probe_set *gp_set_new(u32 n)
{
	struct gp_probe_set *set;

	set = kzalloc(struct_size(set, probe, n), GP_GFP_CHARGED);
	if (set)
		set->n = n;
	return set;
}

static struct gp_probe_set *gp_point_set(const struct gp_point *point)
{
	return rcu_dereference_protected(point->set,
					 lockdep_is_held(&point->inode->lock));
}

/* Does @set let the session's processes in already, so that no filter changes? */
static bool gp_set_has(const struct gp_probe_set *set, const struct gp_session *s)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		if (set->probe[i]->session == s)
			return true;
	return false;
}

/* Is the place timed by @s? A second call at the same depth would end the first. */
static bool gp_set_times(const struct gp_probe_set *set, const struct gp_session *s)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		if (set->probe[i]->session == s && set->probe[i]->then >= GP_WAY_ENTER)
			return true;
	return false;
}

/* How long a hit can be delayed by all of @set, in ns. */
static u64 gp_set_delays(const struct gp_probe_set *set)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < set->n; i++)
		ns += set->probe[i]->delay_ns;
	return ns;
}

/* Would a hit of @probe, and of all of @set, be delayed for longer than one edit may do so? */
static bool gp_set_delays_too_long(const struct gp_probe_set *set, const struct gp_probe *probe)
{
	return probe->delay_ns && probe->delay_ns + gp_set_delays(set) > GOPROBE_DELAY_NS_MAX;
}

/* Can a hit of @probe wait for its session's reader? Once for each probe: see pair.c. */
static bool gp_probe_waits(const struct gp_probe *probe)
{
	return probe->session->lossless && (probe->action == GOPROBE_ACTION_RECORD ||
					    probe->action == GOPROBE_ACTION_UNWIND);
}

/*
 * Would a hit wait for readers too often, one after the other, while whoever changes probes there
 * waits for the hit?
 */
static bool gp_set_waits_too_long(const struct gp_probe_set *set, const struct gp_probe *probe)
{
	u32 i, n = 0;

	for (i = 0; i < set->n; i++)
		n += gp_probe_waits(set->probe[i]);
	return n >= GP_SET_PATIENT && gp_probe_waits(probe);
}

/* Those that change the program come last: what others record is what it was. */
static u32 gp_set_place(const struct gp_probe_set *set, const struct gp_probe *probe)
{
	u32 n = set->n;

	while (!probe->edit && n && set->probe[n - 1]->edit)
		n--;
	return n;
}

static void gp_point_replace(struct gp_point *point, struct gp_probe_set *set,
			     struct gp_sweep *sweep)
{
	struct gp_probe_set *old = gp_point_set(point);

	rcu_assign_pointer(point->set, set);
	list_add(&old->dead, &sweep->sets);
}

static int gp_point_new(struct gp_probe *probe, const struct goprobe_point *wire,
			struct gp_sweep *sweep)
{
	struct gp_point *point = kzalloc(sizeof(*point), GP_GFP_CHARGED);
	struct gp_probe_set *set = gp_set_new(1);
	int err = -ENOMEM;

	if (!point || !set)
		goto err;
	set->probe[0] = probe;
	RCU_INIT_POINTER(point->set, set);
	point->inode = sweep->inode;
	point->offset = probe->offset;
	gp_emulate_init(&point->execute, wire);
	point->uc.handler = gp_handler_hit;
	point->uc.filter = gp_point_filter;
	point->apply.handler = gp_point_apply_handler;
	point->apply.filter = gp_point_apply_filter;
	probe->point = point;
	err = gp_point_register(point);
	if (err)
		goto err;
	hash_add(point->inode->points, &point->node, point->offset);
	return 0;

err:
	/*
	 * No handler can be left: a failed registration has waited for them on
	 * 6.12 and later, and before by unregistering. A filter can.
	 */
	if (point && set)
		synchronize_rcu();
	kfree(point);
	kfree(set);
	list_add(&probe->dead, &sweep->probes);
	return err;
}

static int gp_point_join(struct gp_point *point, struct gp_probe *probe,
			 struct gp_sweep *sweep)
{
	struct gp_probe_set *old = gp_point_set(point), *set = NULL;
	int err = -EUSERS;
	u32 at;

	if (probe->then >= GP_WAY_ENTER && gp_set_times(old, probe->session)) {
		err = -EEXIST;
	} else if (gp_set_delays_too_long(old, probe)) {
		err = -ENOSPC;
	} else if (gp_set_waits_too_long(old, probe)) {
		err = -EMLINK;
	} else if (old->n < GP_SET_MAX) {
		set = gp_set_new(old->n + 1);
		err = -ENOMEM;
	}
	if (!set) {
		list_add(&probe->dead, &sweep->probes);
		return err;
	}
	at = gp_set_place(old, probe);
	memcpy(set->probe, old->probe, at * sizeof(old->probe[0]));
	set->probe[at] = probe;
	memcpy(set->probe + at + 1, old->probe + at, (old->n - at) * sizeof(old->probe[0]));
	probe->point = point;
	gp_point_replace(point, set, sweep);
	if (GP_UNREGISTER_NEEDS_SYNC && gp_set_has(old, probe->session))
		return 0;
	err = gp_point_apply(point);
	if (err)
		gp_probe_del(probe, sweep);
	return err;
}

/*
 * To change one byte of a process the kernel takes its mmap_lock for writing, while hits take
 * it for reading. A writer of no priority then waits for a moment without any reader, until after
 * 4 ms it is next (RWSEM_WAIT_TIMEOUT): of a busy program 250 points a second. A real-time
 * writer is next at once (rwsem_try_write_lock()).
 */
static void gp_sweep_hurry(struct gp_sweep *sweep)
{
	sweep->rested = current->se.sum_exec_runtime;
	sched_set_fifo_low(current);
}

/* The worker is the kernel's, and has other work to do. */
static void gp_sweep_calm(void)
{
	sched_set_normal(current, task_nice(current));
}

/* Others have a part of this processor, too, even if there is no other. */
static void gp_sweep_rest(struct gp_sweep *sweep)
{
	if (current->se.sum_exec_runtime - sweep->rested < GP_SWEEP_BUSY_NS)
		return;
	usleep_range(GP_SWEEP_REST_US, 2 * GP_SWEEP_REST_US);
	sweep->rested = current->se.sum_exec_runtime;
}

static void gp_sweep_begin(struct gp_sweep *sweep, struct gp_inode *inode)
{
	INIT_LIST_HEAD(&sweep->points);
	INIT_LIST_HEAD(&sweep->sets);
	INIT_LIST_HEAD(&sweep->probes);
	sweep->held = NULL;
	sweep->inode = inode;
	mutex_lock(&inode->lock);
	inode->sweep++;
	gp_sweep_hurry(sweep);
}

/* Wait for handlers, filters and traps that began before now. */
static void gp_sweep_settle(void)
{
	gp_compat_unregister_sync();
	synchronize_rcu();
}

/* Wait until nobody sees what was taken away, and free it. */
static void gp_sweep_end(struct gp_sweep *sweep)
{
	struct gp_point *point, *next_point;
	struct gp_probe_set *set, *next_set;
	struct gp_probe *probe, *next_probe;

	if (!list_empty(&sweep->points) || !list_empty(&sweep->sets))
		gp_sweep_settle();
	if (sweep->held) {
		gp_point_apply_unregister(sweep->held, sweep->held->hold);
		gp_sweep_settle();
	}
	gp_sweep_calm();
	mutex_unlock(&sweep->inode->lock);
	list_for_each_entry_safe(point, next_point, &sweep->points, dead)
		kfree(point);
	list_for_each_entry_safe(set, next_set, &sweep->sets, dead)
		kfree(set);
	list_for_each_entry_safe(probe, next_probe, &sweep->probes, dead)
		kfree(probe);
}

/**
 * gp_sweep_run() - add and remove probes in one inode
 * @inode: where
 * @fn: does so with gp_probe_add() and gp_probe_del()
 * @arg: for @fn
 *
 * When it returns nobody sees any more what @fn has taken away.
 */
void gp_sweep_run(struct gp_inode *inode, gp_sweep_fn fn, void *arg)
{
	struct gp_sweep sweep;

	gp_sweep_begin(&sweep, inode);
	fn(&sweep, arg);
	gp_sweep_end(&sweep);
}

static void gp_sweep_work(struct work_struct *work)
{
	struct gp_sweep_job *job = container_of(work, struct gp_sweep_job, work);

	gp_sweep_run(job->inode, job->fn, job->arg);
}

/**
 * gp_sweep_queue() - begin gp_sweep_run(), beside those in other inodes
 * @job: the caller's, not on its stack; for gp_sweep_wait(), which must follow
 * @inode: where
 * @fn: does so with gp_probe_add() and gp_probe_del()
 * @arg: for @fn
 */
void gp_sweep_queue(struct gp_sweep_job *job, struct gp_inode *inode, gp_sweep_fn fn, void *arg)
{
	job->inode = inode;
	job->fn = fn;
	job->arg = arg;
	INIT_WORK(&job->work, gp_sweep_work);
	queue_work(gp_sweep_wq, &job->work);
}

/* Wait for the end of a sweep, if there is one. */
void gp_sweep_wait(struct gp_sweep_job *job)
{
	if (job->fn)
		flush_work(&job->work);
	job->fn = NULL;
}

int gp_probe_init(void)
{
	gp_sweep_wq = alloc_workqueue("goprobe", WQ_UNBOUND, 0);
	return gp_sweep_wq ? 0 : -ENOMEM;
}

void gp_probe_fini(void)
{
	destroy_workqueue(gp_sweep_wq);
}

/**
 * gp_probe_add() - place a probe
 * @probe: filled in by the caller but for @point; on error the end of the sweep frees it
 * @wire: the point, as user space gave it; verified, and found in its file
 * @sweep: the batch
 *
 * Hits can come before this returns.
 *
 * Return: 0; -EUSERS if the place has too many probes; -ENOSPC if they would delay a hit for
 * longer than GOPROBE_DELAY_NS_MAX; -EMLINK if more than three would have it wait
 * for readers; -EEXIST if the session times it already; or an error of
 * uprobe_register().
 */
int gp_probe_add(struct gp_probe *probe, const struct goprobe_point *wire, struct gp_sweep *sweep)
{
	struct gp_point *point = gp_point_find(sweep->inode, probe->offset);
	int err;

	gp_sweep_rest(sweep);
	if (point)
		err = gp_point_join(point, probe, sweep);
	else
		err = gp_point_new(probe, wire, sweep);
	/* ENOTSUPP is not an error that user space knows. */
	return err == -ENOTSUPP ? -EOPNOTSUPP : err;
}

/**
 * gp_probe_del() - take a probe away; the end of the sweep frees it
 * @probe: the probe
 * @sweep: the batch, in the same inode
 */
void gp_probe_del(struct gp_probe *probe, struct gp_sweep *sweep)
{
	struct gp_point *point = probe->point;
	struct gp_probe_set *old = gp_point_set(point), *set;
	u32 i, n = 0;

	gp_sweep_rest(sweep);
	list_add(&probe->dead, &sweep->probes);
	if (old->n == 1) {
		hash_del(&point->node);
		gp_point_hold(point, sweep);
		gp_point_unregister(point);
		list_add(&point->dead, &sweep->points);
		list_add(&old->dead, &sweep->sets);
		return;
	}
	/* Dying must not fail: __GFP_NOFAIL for two pages at most. */
	set = kzalloc(struct_size(set, probe, old->n - 1),
		      GFP_KERNEL | __GFP_NOFAIL);
	for (i = 0; i < old->n; i++)
		if (old->probe[i] != probe)
			set->probe[n++] = old->probe[i];
	set->n = n;
	gp_point_replace(point, set, sweep);
	if (GP_UNREGISTER_NEEDS_SYNC && gp_set_has(set, probe->session))
		return;
	/*
	 * If this fails a breakpoint stays in a process that nobody wants; its
	 * hits are not recorded and it goes with the point. Before 6.12 it may
	 * also be gone from where it is wanted, if the kernel refuses it anew.
	 */
	if (gp_point_apply(point))
		pr_warn_ratelimited("goprobe: breakpoint at file offset 0x%llx could not be renewed\n",
				    point->offset);
}
