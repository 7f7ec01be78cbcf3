// SPDX-License-Identifier: GPL-2.0
/*
 * Overload breaker: stops a session whose hits take too much of the programs' time.
 *
 * Most of a hit's time is the exception, before and after the handler. So the breaker counts hits
 * and does not measure them; the client has measured what a hit takes on this machine. Doing less
 * in the handler would not help, so the breakpoints are removed.
 *
 * The client has timed hits of one thread. On kernels where each hit takes a shared lock
 * (GP_HITS_TAKE_LOCKS), hits on many processors wait for each other: their rate does not rise, but
 * each takes longer, the more processors there are. A hit holds the lock for a part of its time. So
 * the lock can be always busy only if there are about as many hits as one processor could make.
 * From that rate on the breaker also looks at the time that the programs really spend in the
 * kernel: their system time, which includes all that hits take. A program that spends as much in
 * its own system calls, and is hit that often, is taken for one that waits for hits.
 *
 * Locking: the work takes the session's turn. So callers that wait for the work must not hold it.
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
#include "control/session_run.h"
#include "control/session_stats.h"
#include "session/session.h"
#include "session/stream.h"

#define GP_BREAKER_ROUNDS	4
#define GP_BREAKER_ROUND_MS	(GOPROBE_BREAKER_MS / GP_BREAKER_ROUNDS)

/* Rounds last at least this many times longer than a check, which many ids and CPUs make slow. */
#define GP_BREAKER_REST		10

/* From this percentage of a processor's time on, hits can all be waiting for each other. */
#define GP_BREAKER_BUSY		100

/* System time of a process so far, for all its threads. Context: RCU. */
static u64 gp_breaker_process(const struct task_struct *leader)
{
	u64 ns = READ_ONCE(leader->signal->stime);
	const struct task_struct *t;

	for_each_thread(leader, t)
		ns += READ_ONCE(t->stime);
	return ns;
}

/* System time so far of the traced processes, or of the machine if not all of them are listed. */
static u64 gp_breaker_system(const struct gp_session *s)
{
	const struct task_struct *leader;
	u64 ns = 0;
	int cpu;
	u32 i;

	if (!GP_HITS_TAKE_LOCKS)
		return 0;
	if (!s->npids || s->cgroup) {
		for_each_online_cpu(cpu)
			ns += kcpustat_cpu(cpu).cpustat[CPUTIME_SYSTEM];
		return ns;
	}
	rcu_read_lock();
	for (i = 0; i < s->npids; i++) {
		leader = pid_task(s->pids[i], PIDTYPE_TGID);
		if (leader)
			ns += gp_breaker_process(leader);
	}
	rcu_read_unlock();
	return ns;
}

/* Hits per second since the last check; *@percent: of a processor's time. */
static u64 gp_breaker_rate(struct gp_breaker *b, u64 hits, u64 now, u64 *percent)
{
	u64 ms = max_t(u64, div_u64(now - b->time, NSEC_PER_MSEC), 1), n;

	/* A count may include notes that the next one knows better: gp_session_hits(). */
	n = hits > b->hits ? hits - b->hits : 0;

	b->hits = hits;
	b->time = now;
	/* Bounds the product; a round never has 2^32 hits. */
	*percent = div64_u64(min_t(u64, n, U32_MAX) * b->wish.hit_ns, ms * (NSEC_PER_MSEC / 100));
	return div64_u64(n * MSEC_PER_SEC, ms);
}

/*
 * Whether hits that take @percent by their rate wait for each other for longer than allowed. @ns
 * have passed since the last check, and the programs' system time is now @system.
 */
static bool gp_breaker_waits(struct gp_breaker *b, u64 percent, u64 system, u64 ns)
{
	/* The time of a process that has exited is missing. */
	u64 spent = system > b->system ? system - b->system : 0;

	b->system = system;
	return percent >= GP_BREAKER_BUSY &&
	       div64_u64(min(spent, U64_MAX / 100) * 100, max(ns, 1ULL)) > b->wish.percent;
}

/* Queue the next check; this one took @ns. */
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
 * @wish: its limits; 0 %: never stops the session
 */
void gp_breaker_init(struct gp_breaker *b, const struct goprobe_breaker *wish)
{
	b->wish = *wish;
	INIT_DELAYED_WORK(&b->work, gp_breaker_look);
}

/*
 * Start: the session has points, which take time whether or not they leave anything. May be called
 * repeatedly. Context: the session's turn.
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

/* Stop for good, with the session. Context: without the session's turn. */
void gp_breaker_stop(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->breaker.work);
}
