// SPDX-License-Identifier: GPL-2.0
/* Filter of processes: which memory a session traces. */
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "session/session.h"

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

	if (!s->npids)
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
