// SPDX-License-Identifier: GPL-2.0
/*
 * Stops a session whose hits take too much of the programs' time.
 *
 * What a hit takes is mostly the exception, before and after our handler, so hits are
 * counted, not measured; what one takes on this machine the client has found out. And because
 * it is the exception, it is no use to do less in the handler: the breakpoints go.
 *
 * The client has timed hits of one thread. Where each hit takes a lock that others take as well
 * (GP_HITS_TAKE_LOCKS), hits of many processors wait for each other: then there are not more of
 * them, but each takes the longer, the more processors there are. The lock is held for a part of
 * a hit, so it can be busy all the time only if there are at least about as many hits as one
 * processor could make. From there on it is also looked at what the programs really spend in the
 * kernel: their system time, of which all that hits take is a part. A program that spends as much
 * in system calls of its own, and is hit that often, is taken for one that waits for hits.
 *
 * Locking: the work takes the session's turn. So it is waited for without.
 */
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>

#include "compat.h"
#include "control/breaker.h"
#include "control/sessions.h"
#include "session/session.h"
#include "session/stream.h"

#define GP_BREAKER_ROUNDS	4
#define GP_BREAKER_ROUND_MS	(GOPROBE_BREAKER_MS / GP_BREAKER_ROUNDS)

/* With many ids and processors to look at takes long: a round is so many times as long. */
#define GP_BREAKER_REST		10

/* From so many percent of a processor's time in hits on they can all be waiting for each other. */
#define GP_BREAKER_BUSY		100

/* The system time of a process so far, of all its threads. Context: RCU. */
static u64 gp_breaker_process(const struct task_struct *leader)
{
	u64 ns = READ_ONCE(leader->signal->stime);
	const struct task_struct *t;

	for_each_thread(leader, t)
		ns += READ_ONCE(t->stime);
	return ns;
}

/* The system time so far of the processes that are traced, or, if all may be, of the machine. */
static u64 gp_breaker_system(const struct gp_session *s)
{
	const struct task_struct *leader;
	u64 ns = 0;
	int cpu;
	u32 i;

	if (!GP_HITS_TAKE_LOCKS)
		return 0;
	if (!s->npids)
		for_each_online_cpu(cpu)
			ns += kcpustat_cpu(cpu).cpustat[CPUTIME_SYSTEM];
	rcu_read_lock();
	for (i = 0; i < s->npids; i++) {
		leader = pid_task(s->pids[i], PIDTYPE_TGID);
		if (leader)
			ns += gp_breaker_process(leader);
	}
	rcu_read_unlock();
	return ns;
}

/* Hits per second since the last look; *@percent: of a processor's time. */
static u64 gp_breaker_rate(struct gp_breaker *b, u64 hits, u64 now, u64 *percent)
{
	u64 ms = max_t(u64, div_u64(now - b->time, NSEC_PER_MSEC), 1), n = hits - b->hits;

	b->hits = hits;
	b->time = now;
	/* Whatever the client says a hit takes, there are not 2^32 of them in a round. */
	*percent = div64_u64(min_t(u64, n, U32_MAX) * b->wish.hit_ns, ms * (NSEC_PER_MSEC / 100));
	return div64_u64(n * MSEC_PER_SEC, ms);
}

/*
 * Do hits that take @percent as they come now wait for each other, for longer than is allowed? @ns
 * have passed since the last look, and the programs' system time is @system now.
 */
static bool gp_breaker_waits(struct gp_breaker *b, u64 percent, u64 system, u64 ns)
{
	/* A process that has ended takes its time with it. */
	u64 spent = system > b->system ? system - b->system : 0;

	b->system = system;
	return percent >= GP_BREAKER_BUSY &&
	       div64_u64(min(spent, U64_MAX / 100) * 100, max(ns, 1ULL)) > b->wish.percent;
}

/* To look took @ns. */
static void gp_breaker_queue(struct gp_breaker *b, u64 ns)
{
	u64 rest = div_u64(ns, NSEC_PER_MSEC / GP_BREAKER_REST);

	gp_stream_queue(&b->work, clamp_t(u64, rest, GP_BREAKER_ROUND_MS, 10 * MSEC_PER_SEC));
}

static void gp_breaker_look(struct work_struct *work)
{
	struct gp_breaker *b = container_of(to_delayed_work(work), struct gp_breaker, work);
	struct gp_session *s = container_of(b, struct gp_session, breaker);
	u64 rate, percent, began, now, hits, passed;
	bool waits;

	mutex_lock(&s->turn);
	if (s->stopped)
		goto out;
	began = ktime_get_ns();
	hits = gp_session_hits(s);
	now = ktime_get_ns();
	passed = now - b->time;
	rate = gp_breaker_rate(b, hits, now, &percent);
	waits = gp_breaker_waits(b, percent, gp_breaker_system(s), passed);
	b->strikes = percent > b->wish.percent || waits ? b->strikes + 1 : 0;
	if (b->strikes < GP_BREAKER_ROUNDS) {
		gp_breaker_queue(b, now - began);
		goto out;
	}
	WRITE_ONCE(b->broken, max_t(u64, rate, 1));
	gp_session_stop(s);
	gp_stream_notify(s);
out:
	mutex_unlock(&s->turn);
}

/**
 * gp_breaker_init() - prepare a session's breaker
 * @b: the breaker
 * @wish: when; with 0 %, never
 */
void gp_breaker_init(struct gp_breaker *b, const struct goprobe_breaker *wish)
{
	b->wish = *wish;
	INIT_DELAYED_WORK(&b->work, gp_breaker_look);
}

/*
 * The session has points, whose hits take time whether or not they leave anything. Any number of
 * times. Context: its turn.
 */
void gp_breaker_start(struct gp_session *s)
{
	struct gp_breaker *b = &s->breaker;

	if (!b->wish.percent || b->time)
		return;
	b->hits = gp_session_hits(s);
	b->system = gp_breaker_system(s);
	b->time = ktime_get_ns();
	gp_breaker_queue(b, 0);
}

/* The session has stopped, for good. Context: not its turn. */
void gp_breaker_stop(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->breaker.work);
}
