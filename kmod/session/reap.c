// SPDX-License-Identifier: GPL-2.0
/*
 * Open calls and goroutines of processes that have ended.
 *
 * Nobody reports when a process ends, and its returns will not come. So a session looks for such
 * processes before it reports, and a second after there was no space for a call or a goroutine.
 */
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/workqueue.h>

#include "arch/arch.h"
#include "session/reap.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/goroutine_set.h"

/* A look at every place takes a while: not for each that finds no room. */
#define GP_REAP_MS	1000

/* Is there still such a process, and has it not executed another program? */
static bool gp_reap_alive(u64 process)
{
	struct task_struct *leader, *t;
	bool alive = false;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(gp_reap_tgid(process), &init_pid_ns), PIDTYPE_TGID);
	if (leader) {
		/* The first thread may have ended before the others. */
		for_each_thread(leader, t) {
			task_lock(t);
			alive = t->mm && gp_arch_process(t, t->mm) == process;
			task_unlock(t);
			if (alive)
				break;
		}
	}
	rcu_read_unlock();
	return alive;
}

/* Forget the open calls, and the goroutines, of dead processes. Context: a task; may sleep. */
void gp_reap(struct gp_session *s)
{
	if (s->calls)
		gp_calls_reap(s->calls, gp_reap_alive);
	if (s->members)
		gp_goroutine_set_reap(s->members, gp_reap_alive);
}

static void gp_reap_work(struct work_struct *work)
{
	struct gp_session *s = container_of(to_delayed_work(work), struct gp_session, reap);

	mutex_lock(&s->lock);
	gp_reap(s);
	mutex_unlock(&s->lock);
}

/**
 * gp_reap_soon() - there was no room: perhaps the dead have it
 * @s: the session
 *
 * Context: a handler; does not sleep.
 */
void gp_reap_soon(struct gp_session *s)
{
	if (!delayed_work_pending(&s->reap))
		gp_stream_queue(&s->reap, GP_REAP_MS);
}

void gp_reap_open(struct gp_session *s)
{
	INIT_DELAYED_WORK(&s->reap, gp_reap_work);
}

/* No handler can run for the session any more. Context: not its lock. */
void gp_reap_close(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->reap);
}
