// SPDX-License-Identifier: GPL-2.0
/*
 * Probes: addition to points, removal, waiting, freeing.
 *
 * Context: the module's own workers (command.c, breaker.c). The kernel gives up patching a page
 * when the task that does it has been killed; it then leaves the breakpoints in place and logs
 * "leaking uprobe". So no task that can be killed does it.
 *
 * Locking: the points of an inode, and all that is done to them, are guarded by the inode's own
 * lock. It is held while uprobes are registered and unregistered, which waits for handlers. So no
 * handler and no filter takes it, and a wait for the handlers of one file does not delay other
 * files.
 *
 * Lifetime: a handler finds its point from the consumer, and from there a set of probes. A removed
 * object goes into a struct gp_sweep and is freed at the end of the sweep, after
 * - every handler that can have seen it has ended: uprobe_unregister_sync() on 6.12 and later;
 *   before, each register or unregister of a consumer of the same uprobe waits (register_rwsem),
 *   and one follows each change of a set;
 * - every filter that can have seen it has ended: synchronize_rcu().
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "gfp.h"
#include "jump/jump.h"
#include "session/file.h"
#include "session/jumps.h"
#include "session/point.h"
#include "session/probe.h"
#include "session/session.h"

/* Most probes of a point; each makes a record of each hit. The set takes a page or two. */
#define GP_SET_MAX	512

/*
 * Most probes of a point for which a hit may wait for a reader, GP_STREAM_SPACE_MS each: together
 * less than a freezer waits for a thread.
 */
#define GP_SET_PATIENT	3

/* Processor time that a sweep takes at once; then it leaves the processor to others. */
#define GP_SWEEP_BUSY_NS	(4 * NSEC_PER_MSEC)
#define GP_SWEEP_REST_US	500

static struct workqueue_struct *gp_sweep_wq;

/*
 * Keep the file of a point that will be removed known to the kernel.
 *
 * A thread hits a breakpoint. The breakpoint is removed, and it is the last one. Another thread,
 * coming from a breakpoint that was removed before, finds that no file of the process has uprobes
 * any more, and clears MMF_HAS_UPROBES (mmf_recalc_uprobes()). If all that happens before the first
 * thread looks (uprobe_pre_sstep_notifier()), nobody handles the trap, and the process gets
 * SIGTRAP, which kills a Go program. The first thread has interrupts off, so synchronize_rcu()
 * waits for it. Until then a consumer that wants no process keeps the flag set.
 *
 * Two gaps remain: the kernel refuses the consumer; and on a processor of nohz_full, RCU takes the
 * first instructions of the trap for user space's, should a hypervisor stop it there for long.
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

/* Whether @set already admits the session's processes, so that no filter changes. */
static bool gp_set_has(const struct gp_probe_set *set, const struct gp_session *s)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		if (set->probe[i]->session == s)
			return true;
	return false;
}

/* Whether @s times the place. A second call at the same depth would end the first. */
static bool gp_set_times(const struct gp_probe_set *set, const struct gp_session *s)
{
	u32 i;

	for (i = 0; i < set->n; i++)
		if (set->probe[i]->session == s && set->probe[i]->pairs)
			return true;
	return false;
}

/* Longest delay of a hit by all of @set, in ns. */
static u64 gp_set_delays(const struct gp_probe_set *set)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < set->n; i++)
		ns += set->probe[i]->delay_ns;
	return ns;
}

/* Whether @probe and @set together would delay a hit for longer than one edit may. */
static bool gp_set_delays_too_long(const struct gp_probe_set *set, const struct gp_probe *probe)
{
	return probe->delay_ns && probe->delay_ns + gp_set_delays(set) > GOPROBE_DELAY_NS_MAX;
}

/* Whether a hit of @probe can wait for its session's reader. Once for each probe: see pair.c. */
static bool gp_probe_waits(const struct gp_probe *probe)
{
	return probe->session->lossless && (probe->action == GOPROBE_ACTION_RECORD ||
					    probe->action == GOPROBE_ACTION_UNWIND);
}

/*
 * Whether a hit would wait for too many readers, one after the other, while a change of the point's
 * probes waits for the hit.
 */
static bool gp_set_waits_too_long(const struct gp_probe_set *set, const struct gp_probe *probe)
{
	u32 i, n = 0;

	for (i = 0; i < set->n; i++)
		n += gp_probe_waits(set->probe[i]);
	return n >= GP_SET_PATIENT && gp_probe_waits(probe);
}

/* Position of @probe: edits come last, so that other probes record what was there before. */
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
	gp_point_init(point, sweep->inode, wire);
	probe->point = point;
	err = gp_point_register(point);
	if (err)
		goto err;
	hash_add(point->inode->points, &point->node, point->offset);
	return 0;

err:
	/*
	 * No handler is left: a failed registration has waited for handlers on 6.12 and later,
	 * and before by unregistering. A filter can be left.
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

	if (probe->pairs && gp_set_times(old, probe->session)) {
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
	/* From here on each hit counts for both. */
	gp_jumps_disarm(point);
	gp_point_replace(point, set, sweep);
	if (GP_UNREGISTER_NEEDS_SYNC && gp_set_has(old, probe->session))
		return 0;
	err = gp_point_apply(point);
	if (err)
		gp_probe_del(probe, sweep);
	return err;
}

/*
 * To change one byte of a process the kernel takes its mmap_lock for writing, while hits take it
 * for reading. A writer of normal priority waits for a moment without any reader; after 4 ms it
 * is the next (RWSEM_WAIT_TIMEOUT). In a busy program that gives 250 points a second. A real-time
 * writer is the next at once (rwsem_try_write_lock()).
 */
static void gp_sweep_hurry(struct gp_sweep *sweep)
{
	sweep->rested = current->se.sum_exec_runtime;
	sched_set_fifo_low(current);
}

/* Restore the priority: the worker belongs to the kernel and has other work. */
static void gp_sweep_calm(void)
{
	sched_set_normal(current, task_nice(current));
}

/* Leave the processor to others now and then, even if it is the only one. */
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

/* Wait until nobody uses the removed objects, and free them. */
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
	list_for_each_entry_safe(probe, next_probe, &sweep->probes, dead) {
		WARN_ON_ONCE(probe->jump && !list_empty(&probe->jump->jumps));
		kfree(probe->jump);
		kfree(probe);
	}
}

/**
 * gp_sweep_run() - add and remove probes in one inode
 * @inode: the inode
 * @fn: calls gp_probe_add() and gp_probe_del()
 * @arg: for @fn
 *
 * When it returns, nobody uses the objects that @fn has removed.
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
 * gp_sweep_queue() - start gp_sweep_run(), in parallel with other inodes
 * @job: the caller's, not on its stack; for gp_sweep_wait(), which must follow
 * @inode: the inode
 * @fn: calls gp_probe_add() and gp_probe_del()
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
 * @wire: the point, as user space sent it; verified and checked against its file
 * @sweep: the batch
 *
 * Hits can come before this returns.
 *
 * Return: 0; -EUCLEAN: a process has other code there than the file, and it is not a jump of ours;
 * -EBUSY: a jump has changed the code there; -EUSERS: the place has too many probes;
 * -ENOSPC: they would delay a hit for longer than GOPROBE_DELAY_NS_MAX; -EMLINK: more than
 * GP_SET_PATIENT would let it wait for readers; -EEXIST: the session already times it; or an error
 * of uprobe_register().
 */
int gp_probe_add(struct gp_probe *probe, const struct goprobe_point *wire, struct gp_sweep *sweep)
{
	struct gp_point *point = gp_point_find(sweep->inode, probe->offset);
	int err;

	gp_sweep_rest(sweep);
	if (gp_jumps_cover(sweep->inode, probe->offset)) {
		list_add(&probe->dead, &sweep->probes);
		err = -EBUSY;
	} else if (gp_jumps_find_foreign(sweep->inode, probe, wire->code, wire->code_len)) {
		list_add(&probe->dead, &sweep->probes);
		err = -EUCLEAN;
	} else if (point) {
		err = gp_point_join(point, probe, sweep);
	} else {
		err = gp_point_new(probe, wire, sweep);
	}
	/* User space does not know ENOTSUPP. */
	return err == -ENOTSUPP ? -EOPNOTSUPP : err;
}

/**
 * gp_probe_del() - remove a probe; the end of the sweep frees it
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
	/* Ending a session must not fail: __GFP_NOFAIL for two pages at most. */
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
	 * If this fails, a breakpoint stays in a process that no session wants; its hits are not
	 * recorded, and it is removed with the point. Before 6.12 the breakpoint may also vanish
	 * where it is wanted, if the kernel refuses the new registration.
	 */
	gp_point_renew(point);
}
