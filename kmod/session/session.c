// SPDX-License-Identifier: GPL-2.0
/* Filter of processes: which memory a session traces. */
#include <linux/cgroup.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "session/session.h"

/* Whether a task is in the session's control group, or below it. */
bool gp_session_has_task(const struct gp_session *s, struct task_struct *t)
{
	bool has;

	rcu_read_lock();
	has = task_under_cgroup_hierarchy(t, s->cgroup);
	rcu_read_unlock();
	return has;
}

/* The same of a memory; if its process is not known, hits decide. Context: RCU. */
static bool gp_session_has_mm(const struct gp_session *s, const struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	struct task_struct *owner = rcu_dereference(mm->owner);

	return !owner || gp_session_has_task(s, owner);
#else
	return true;
#endif
}

/**
 * gp_session_wants_mm() - whether a session traces a memory
 * @s: the session
 * @mm: the memory of some process
 *
 * Context: RCU.
 *
 * Return: whether the session traces a process with that memory.
 */
bool gp_session_wants_mm(const struct gp_session *s, const struct mm_struct *mm)
{
	struct task_struct *leader, *t;
	u32 i;

	if (s->cgroup ? gp_session_has_mm(s, mm) : !s->npids)
		return true;
	for (i = 0; i < s->npids; i++) {
		leader = pid_task(s->pids[i], PIDTYPE_TGID);
		if (!leader)
			continue;
		/* The first thread may have exited before the others. */
		for_each_thread(leader, t) {
			const struct mm_struct *its = READ_ONCE(t->mm);

			if (its == mm)
				return true;
			if (its)
				break;	/* the other threads have the same memory */
		}
	}
	return false;
}
