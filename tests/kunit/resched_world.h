/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether what lasts lets others run: the suite's thread learns that another task wants its
 * processor, and nothing but a place where it gives way takes that back on a kernel that is not
 * preempted; on one that is, it is taken back at once. By the time it looks, somebody may want the
 * processor again: so once in GP_RESCHED_TIMES is enough.
 */
#ifndef RESCHED_WORLD_H
#define RESCHED_WORLD_H

#include <linux/preempt.h>
#include <linux/sched.h>

#define GP_RESCHED_TIMES	20

static inline void somebody_else_wants_to_run(void)
{
	set_tsk_need_resched(current);
	set_preempt_need_resched();
}

static inline bool somebody_else_still_waits(void)
{
	return need_resched();
}

#endif
