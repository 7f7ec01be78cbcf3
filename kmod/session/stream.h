/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flow of records to the socket: the reader pulls. GOPROBE_CMD_READ drains the rings into the
 * reader's own buffers, so the socket never overflows. GOPROBE_CMD_READY notifies the reader when
 * there is something to pull.
 */
#ifndef GP_STREAM_H
#define GP_STREAM_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/workqueue.h>

#include "ring/ring.h"
#include "session/session.h"

/* What the reader is waiting for (gp_session.armed). */
enum gp_stream_armed {
	GP_STREAM_READING,	/* nothing: it reads, or has been notified */
	GP_STREAM_WAITING,	/* the first record */
	GP_STREAM_SOON,		/* a timer runs; a quarter of a ring comes first */
};

/* Notification that a handler owes the reader. */
enum gp_stream_wake {
	GP_STREAM_QUIET,
	GP_STREAM_WAKE_SOON,
	GP_STREAM_WAKE_NOW,
};

/*
 * The longest time that a hit waits for a reader, for all its records together: less than a freezer
 * waits for a thread.
 */
#define GP_STREAM_SPACE_MS	5000

/* The patience of a hit that has not waited yet, in jiffies. */
#define GP_STREAM_PATIENCE	msecs_to_jiffies(GP_STREAM_SPACE_MS)

/* Part of every hit; preemption is off. */
static __always_inline enum gp_stream_wake
gp_stream_committed(const struct gp_session *s, const struct gp_ring *ring)
{
	int armed = atomic_read(&s->armed);

	if (armed == GP_STREAM_READING)
		return GP_STREAM_QUIET;
	if (gp_ring_is_quarter_full(ring))
		return GP_STREAM_WAKE_NOW;
	return armed == GP_STREAM_WAITING ? GP_STREAM_WAKE_SOON : GP_STREAM_QUIET;
}

void gp_stream_wake(struct gp_session *s, enum gp_stream_wake wake);
u32 gp_stream_wait_for_space(struct gp_session *s, u32 patience);
void gp_stream_wake_waiters(struct gp_session *s);
void gp_stream_notify(struct gp_session *s);
void gp_stream_queue(struct delayed_work *work, u32 ms);
void gp_stream_open(struct gp_session *s, work_func_t ready);
void gp_stream_close(struct gp_session *s);

/* Numbers of the rings that a reader reads: of each CPU those of handlers, then those of notes. */
static inline u32 gp_stream_nrings(void)
{
	return 2 * nr_cpu_ids;
}

struct gp_ring *gp_stream_ring(const struct gp_session *s, u32 number);
void gp_stream_add_stats(const struct gp_session *s, u32 first, u64 *stats);
void gp_stream_drain(struct gp_session *s, u32 cpu);
void gp_stream_drain_pass(struct gp_session *s, u64 until);
void gp_stream_drain_ready(struct gp_session *s);
void gp_stream_drain_soon(struct gp_session *s);

int gp_stream_init(void);
void gp_stream_fini(void);

#endif
