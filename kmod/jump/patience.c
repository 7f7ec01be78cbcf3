// SPDX-License-Identifier: GPL-2.0
/*
 * Bounded waits for the lock of a program's mappings.
 *
 * A kernel thread that waits to change the mappings holds up all page faults behind it, and before
 * 6.14 the hits. So it must not wait as long as a holder that waits for FUSE. It must not just try
 * either: where many threads hit breakpoints, the lock is never free by itself, and only who waits
 * for it is the next after 4 ms (RWSEM_WAIT_TIMEOUT). No lock of the kernel has a wait with an end
 * in time; but all have one that SIGKILL ends. For that time the thread accepts it from the kernel.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>

#include "jump/patience.h"

#define GP_PATIENCE_MS	20

static void gp_patience_over(struct work_struct *work)
{
	struct gp_patience *p = container_of(to_delayed_work(work), struct gp_patience, end);

	send_sig(SIGKILL, p->waiter, 1);
}

void gp_patience_begin(struct gp_patience *p)
{
	p->waiter = current;
	allow_kernel_signal(SIGKILL);
	INIT_DELAYED_WORK_ONSTACK(&p->end, gp_patience_over);
	schedule_delayed_work(&p->end, msecs_to_jiffies(GP_PATIENCE_MS));
}

void gp_patience_end(struct gp_patience *p)
{
	cancel_delayed_work_sync(&p->end);
	destroy_delayed_work_on_stack(&p->end);
	/* That forgets the signal, too. */
	disallow_signal(SIGKILL);
}

bool gp_patience_read_lock(struct mm_struct *mm)
{
	struct gp_patience p;
	int err;

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
