// SPDX-License-Identifier: GPL-2.0
/*
 * Bounded waits for the lock of a program's mappings.
 *
 * A kernel thread that waits to change the mappings holds up all page faults behind it, and before
 * 6.14 the hits. So it must not wait as long as a holder that waits for FUSE. It must not just try
 * either, however often: where many threads hit breakpoints, some thread always reads, and only who
 * waits for the lock is the next after 4 ms (RWSEM_WAIT_TIMEOUT). No lock of the kernel has a wait
 * with an end in time; but all have one that SIGKILL ends. For that time the thread accepts it from
 * the kernel. A timer sends it, which needs no other thread.
 */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "compat.h"
#include "jump/patience.h"

#define GP_PATIENCE_MS	20

static enum hrtimer_restart gp_patience_over(struct hrtimer *end)
{
	struct gp_patience *p = container_of(end, struct gp_patience, end);

	send_sig(SIGKILL, p->waiter, 1);
	return HRTIMER_NORESTART;
}

void gp_patience_begin(struct gp_patience *p)
{
	p->waiter = current;
	allow_kernel_signal(SIGKILL);
	gp_compat_timer_on_stack(&p->end, gp_patience_over);
	hrtimer_start(&p->end, ms_to_ktime(GP_PATIENCE_MS), HRTIMER_MODE_REL_SOFT);
}

void gp_patience_end(struct gp_patience *p)
{
	hrtimer_cancel(&p->end);
	destroy_hrtimer_on_stack(&p->end);
	/* That forgets the signal, too. */
	disallow_signal(SIGKILL);
}

bool gp_patience_read_lock(struct mm_struct *mm)
{
	struct gp_patience p;
	int err;

	if (mmap_read_trylock(mm))
		return true;
	gp_patience_begin(&p);
	err = mmap_read_lock_killable(mm);
	gp_patience_end(&p);
	return !err;
}

bool gp_patience_write_lock(struct mm_struct *mm)
{
	struct gp_patience p;
	int err;

	gp_patience_begin(&p);
	err = mmap_write_lock_killable(mm);
	gp_patience_end(&p);
	return !err;
}
