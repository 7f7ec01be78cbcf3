/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bounded waits for the lock of a program's mappings (mmap_lock). Its holder may itself wait, for a
 * server of files that never answers.
 */
#ifndef GP_PATIENCE_H
#define GP_PATIENCE_H

#include <linux/hrtimer.h>
#include <linux/mm_types.h>
#include <linux/types.h>

struct task_struct;

/**
 * struct gp_patience - the time for which a kernel thread waits
 * @end: ends its wait
 * @waiter: the thread
 */
struct gp_patience {
	struct hrtimer end;
	struct task_struct *waiter;
};

/*
 * Between these two every wait that SIGKILL would end, ends after some time, with -EINTR.
 * Context: a kernel thread.
 */
void gp_patience_begin(struct gp_patience *p);
void gp_patience_end(struct gp_patience *p);

/* Context: as above. Return: false: it could not be locked in that time. */
bool gp_patience_read_lock(struct mm_struct *mm);
bool gp_patience_write_lock(struct mm_struct *mm);

#endif
