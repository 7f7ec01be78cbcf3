// SPDX-License-Identifier: GPL-2.0
/*
 * Handlers and the reader: waking and waiting.
 *
 * Waking: a handler that sees the reader waiting sends GOPROBE_CMD_READY through a work item. It
 * reads @armed without a barrier, so a wake-up can be missed when both sides move at once; the
 * reader reads about once a second anyway.
 *
 * Waiting for space (GOPROBE_SESSION_F_LOSSLESS): handlers wait in task context. On kernels before
 * 6.12 each registration or removal of a uprobe at the same place waits for them; on later ones
 * each waiter for RCU tasks trace does. So handlers wait for a bounded time, and a session that
 * ends wakes them first.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "jump/notebook.h"
#include "session/session.h"
#include "session/stream.h"

/* Longest time that the first record waits for others. */
#define GP_STREAM_SOON_MS	10

/* The same of notes, where there have been none for some time. */
#define GP_STREAM_IDLE_MS	160

/* The module's own queue: the names of the kernel's differ, and 7.3 warns of the old ones. */
static struct workqueue_struct *gp_stream_wq;

/**
 * gp_stream_wake() - notify the reader
 * @s: the session
 * @wake: when
 *
 * Context: a handler, preemption on; does not sleep.
 */
void gp_stream_wake(struct gp_session *s, enum gp_stream_wake wake)
{
	if (wake == GP_STREAM_WAKE_NOW) {
		if (atomic_xchg(&s->armed, GP_STREAM_READING) != GP_STREAM_READING)
			mod_delayed_work(gp_stream_wq, &s->ready, 0);
	} else if (atomic_cmpxchg(&s->armed, GP_STREAM_WAITING, GP_STREAM_SOON) ==
		   GP_STREAM_WAITING) {
		queue_delayed_work(gp_stream_wq, &s->ready,
				   msecs_to_jiffies(GP_STREAM_SOON_MS));
	}
}

/* Whether a thread on this CPU can, at the moment, write a record. */
static bool gp_stream_has_space(const struct gp_session *s)
{
	const struct gp_ring *ring = READ_ONCE(s->rings[raw_smp_processor_id()]);

	/* Space for more than one record, so that threads do not wake up for each. */
	return !ring || gp_ring_space(ring) >= ring->size / 2;
}

/* A hit has waited in vain: no hit waits any more until that ring has space again. */
static void gp_stream_stall(struct gp_session *s, const struct gp_ring *ring)
{
	WRITE_ONCE(s->stalled, ring->cpu + 1);
	/* Either this sees the space, or the reader sees the stall: gp_reader_freed_space(). */
	smp_mb();
	if (gp_ring_space(ring) >= ring->size / 2)
		WRITE_ONCE(s->stalled, 0);
}

/**
 * gp_stream_wait_for_space() - wait until the reader has freed space
 * @s: the session
 * @patience: the longest wait, in jiffies; not 0
 *
 * Context: a handler, preemption on.
 *
 * Return: the rest of @patience; 0: do not wait again, for instance because the session is ending:
 * then nobody frees space, and the end waits for this thread.
 */
u32 gp_stream_wait_for_space(struct gp_session *s, u32 patience)
{
	u64 began = ktime_get_ns();
	struct gp_ring *ring;
	long left;

	/* Perhaps no other hit will notify the reader. */
	gp_stream_notify(s);
	left = wait_event_killable_timeout(s->space,
					   gp_stream_has_space(s) || !READ_ONCE(s->running),
					   patience);
	preempt_disable();
	ring = READ_ONCE(s->rings[smp_processor_id()]);
	if (ring) {
		/* A hit that had waited before was too impatient to report a stall. */
		if (!left && patience == GP_STREAM_PATIENCE)
			gp_stream_stall(s, ring);
		ring->stat[GOPROBE_STAT_WAITS]++;
		ring->stat[GOPROBE_STAT_WAIT_NS] += ktime_get_ns() - began;
	}
	preempt_enable();
	if (left <= 0 || !READ_ONCE(s->running))
		return 0;
	/* If other hits took the space, this wait counts too. */
	return min_t(u32, left, patience - 1);
}

/* Notify the reader now, whatever @armed says. Context: a task. */
void gp_stream_notify(struct gp_session *s)
{
	atomic_set(&s->armed, GP_STREAM_READING);
	mod_delayed_work(gp_stream_wq, &s->ready, 0);
}

/* Queue other work of a session. */
void gp_stream_queue(struct delayed_work *work, u32 ms)
{
	queue_delayed_work(gp_stream_wq, work, msecs_to_jiffies(ms));
}

void gp_stream_wake_waiters(struct gp_session *s)
{
	wake_up_all(&s->space);
}

/* The ring with that number, or NULL: see gp_stream_nrings(). */
struct gp_ring *gp_stream_ring(const struct gp_session *s, u32 number)
{
	const struct gp_notebook *book;
	const struct gp_notes *notes;

	if (number < nr_cpu_ids)
		return READ_ONCE(s->rings[number]);
	/* Pairs with gp_trapless_prepare(). */
	book = smp_load_acquire(&s->notebook);
	notes = book ? book->stripe[number - nr_cpu_ids] : NULL;
	return notes ? notes->ring : NULL;
}

/* Add the counters of the rings of all CPUs: of those that begin with number @first. */
void gp_stream_add_stats(const struct gp_session *s, u32 first, u64 *stats)
{
	const struct gp_ring *ring;
	u32 cpu, i;

	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		ring = gp_stream_ring(s, first + cpu);
		for (i = 0; ring && i < __GOPROBE_STAT_MAX; i++)
			stats[i] += READ_ONCE(ring->stat[i]);
	}
}

/* Make records of a CPU's notes, which have left no space. Context: a handler, preemption on. */
void gp_stream_drain(struct gp_session *s, u32 cpu)
{
	u32 stripe = gp_notebook_stripe(s->notebook, cpu);
	enum gp_stream_wake wake;

	if (!gp_notebook_drain(s->notebook, stripe, U64_MAX, false))
		return;
	wake = gp_stream_committed(s, s->notebook->stripe[stripe]->ring);
	if (wake != GP_STREAM_QUIET)
		gp_stream_wake(s, wake);
}

/* As gp_notebook_drain(), of all stripes. */
static u32 gp_stream_drain_stripes(struct gp_session *s, u64 until, bool pass)
{
	struct gp_notebook *book;
	u32 n = 0, i;

	/* Pairs with gp_trapless_prepare(). */
	book = smp_load_acquire(&s->notebook);
	for (i = 0; book && i < GP_SPARE_STRIPES; i++) {
		n += gp_notebook_drain(book, i, until, pass);
		cond_resched();
	}
	return n;
}

/* Make records of all notes up to @until, the end of the reader's pass. */
void gp_stream_drain_pass(struct gp_session *s, u64 until)
{
	gp_stream_drain_stripes(s, until, true);
}

/* Make records of notes that are complete, or count their calls, before counters are read. */
void gp_stream_drain_ready(struct gp_session *s)
{
	/* The timer finds nothing of these any more. */
	if (gp_stream_drain_stripes(s, U64_MAX, false))
		gp_stream_wake(s, GP_STREAM_WAKE_SOON);
}

/* Make records of notes that may have waited long enough. */
static void gp_stream_drain_work(struct work_struct *work)
{
	struct gp_session *s = container_of(to_delayed_work(work), struct gp_session, drain);

	if (gp_stream_drain_stripes(s, U64_MAX, false)) {
		gp_stream_wake(s, GP_STREAM_WAKE_NOW);
		s->drain_ms = GP_STREAM_SOON_MS;
	} else {
		s->drain_ms = clamp_t(u32, 2 * s->drain_ms, GP_STREAM_SOON_MS, GP_STREAM_IDLE_MS);
	}
	if (READ_ONCE(s->notebook->mm))
		gp_stream_queue(&s->drain, s->drain_ms);
}

/* As long as a process leaves notes, none of them waits for long. */
void gp_stream_drain_soon(struct gp_session *s)
{
	gp_stream_queue(&s->drain, GP_STREAM_SOON_MS);
}

/* Prepare; @ready sends GOPROBE_CMD_READY. */
void gp_stream_open(struct gp_session *s, work_func_t ready)
{
	init_waitqueue_head(&s->space);
	gp_clock_init(&s->clock);
	gp_timeline_begin(&s->line, &s->clock);
	atomic_set(&s->armed, GP_STREAM_READING);
	INIT_DELAYED_WORK(&s->ready, ready);
	INIT_DELAYED_WORK(&s->drain, gp_stream_drain_work);
}

/* No handler can run for the session any more. */
void gp_stream_close(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->drain);
	cancel_delayed_work_sync(&s->ready);
}

int gp_stream_init(void)
{
	gp_stream_wq = alloc_workqueue("goprobe-ready", WQ_UNBOUND, 0);
	return gp_stream_wq ? 0 : -ENOMEM;
}

/* Context: no session is left. */
void gp_stream_fini(void)
{
	destroy_workqueue(gp_stream_wq);
}
