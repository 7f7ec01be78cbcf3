// SPDX-License-Identifier: GPL-2.0
/*
 * Removal of open calls and goroutines of exited processes.
 *
 * Nothing notifies the module of a process's exit, and its returns will not happen. So a session
 * looks for such processes before it reports, and a second after a call or a goroutine found no
 * space.
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

/* A look at every slot takes a while, so hits that find no space do not each cause one. */
#define GP_REAP_MS	1000

/* Whether the process still exists and has not executed another program. */
static bool gp_reap_alive(u64 process)
{
	struct task_struct *leader, *t;
	bool alive = false;

	rcu_read_lock();
	leader = pid_task(find_pid_ns(gp_reap_tgid(process), &init_pid_ns), PIDTYPE_TGID);
	if (leader) {
		/* The first thread may have exited before the others. */
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

/* Forget the open calls and goroutines of exited processes. Context: a task; may sleep. */
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
 * gp_reap_soon() - look for exited processes, because space has run out
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

/* No handler can run for the session any more. Context: the session's lock is not held. */
void gp_reap_close(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->reap);
}
