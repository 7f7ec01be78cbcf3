// SPDX-License-Identifier: GPL-2.0
/* What handlers and the kernel ask of a session. */
#include <linux/pid.h>
#include <linux/sched/signal.h>

#include "session/session.h"

/**
 * gp_session_wants_mm() - is memory traced?
 * @s: the session
 * @mm: of which process
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
		/* The first thread may have ended before the others. */
		for_each_thread(leader, t) {
			const struct mm_struct *its = READ_ONCE(t->mm);

			if (its == mm)
				return true;
			if (its)
				break;	/* the others have the same */
		}
	}
	return false;
}
