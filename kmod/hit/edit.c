// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that modify the traced program.
 *
 * A hit first does all that it does without an edit. If it counts, the edit's program runs, which
 * only collects changes. If the program has ended without a failure, memory is written, then
 * registers are set, then the thread sleeps. So either all changes are made or none, for memory as
 * far as possible: every place is made writable, and checked, before the first one is written. The
 * program's next instruction sees the changes, however it is executed. So probes with an edit are
 * the last ones of their point (probe.c).
 *
 * Memory is written as the program itself could: a read-only mapping stays as it is.
 *
 * Context of all: a handler, preemption on; may sleep.
 */
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>

#include "arch/arch.h"
#include "arch/usercopy.h"
#include "capture/faultin.h"
#include "hit/edit.h"
#include "hit/edit_ops.h"
#include "hit/filter.h"
#include "hit/handler.h"
#include "hit/hit.h"
#include "hit/pair.h"
#include "hit/reject.h"
#include "session/file.h"
#include "session/probe.h"
#include "session/session.h"
#include "stats/tally.h"

/* Set when the module is loaded; it cannot be changed later. */
static bool gp_edit_param;
module_param_named(allow_writes, gp_edit_param, bool, 0444);
MODULE_PARM_DESC(allow_writes, "let clients change arguments, results and memory of the traced programs, and delay their calls (default: N)");

bool gp_edit_allowed(void)
{
	return gp_edit_param;
}

/* --- applying -------------------------------------------------------------------- */

/* Bring in the page with @address for writing. Return: success. */
static bool gp_edit_bring_in(struct gp_faultin *faultin, u64 address)
{
	if (gp_faultin_ask(faultin, address) != -EAGAIN)
		return false;
	gp_faultin_serve_write(faultin);
	return true;
}

/* Check that the byte at @address can be written, without changing it. */
static bool gp_edit_await(struct gp_faultin *faultin, u64 address)
{
	bool writable;

	do {
		pagefault_disable();
		writable = gp_user_writable(address);
		pagefault_enable();
	} while (!writable && gp_edit_bring_in(faultin, address));
	return writable;
}

static bool gp_edit_write(struct gp_faultin *faultin, const struct gp_edit_item *item)
{
	bool written;

	do {
		pagefault_disable();
		written = gp_user_put(item->to, item->value, item->size);
		pagefault_enable();
		/* Its page, or that of its last byte, is absent again. */
	} while (!written && gp_edit_bring_in(faultin, item->to) &&
		 gp_edit_await(faultin, item->to + item->size - 1));
	return written;
}

static bool gp_edit_write_all(const struct gp_edit *edit)
{
	const struct gp_edit_item *item, *end = edit->item + edit->n;
	struct gp_faultin faultin GP_UNINITIALIZED;

	gp_faultin_init(&faultin);
	for (item = edit->item; item < end; item++)
		if (item->code == GOPROBE_OP_WRITE &&
		    (!gp_edit_await(&faultin, item->to) ||
		     !gp_edit_await(&faultin, item->to + item->size - 1)))
			return false;
	for (item = edit->item; item < end; item++)
		if (item->code == GOPROBE_OP_WRITE && !gp_edit_write(&faultin, item))
			return false;
	return true;
}

static void gp_edit_set_all(const struct gp_edit *edit, struct pt_regs *regs)
{
	const struct gp_edit_item *item, *end = edit->item + edit->n;

	for (item = edit->item; item < end; item++) {
		if (item->code == GOPROBE_OP_SET)
			*(unsigned long *)((u8 *)regs + item->to) = item->value;
		else if (item->code == GOPROBE_OP_SET_FLOAT)
			gp_arch_set_float(item->to, item->value, item->size);
	}
}

/* Log, once for each probe, which session changes which process. */
static void gp_edit_log(const struct gp_probe *probe)
{
	const struct gp_session *s = probe->session;
	/* The session's own probe; handlers get it as const. */
	struct gp_probe *own = (struct gp_probe *)probe;
	/* Both names are untrusted, and a log may be read on a terminal. */
	char comm[TASK_COMM_LEN], path[64];

	if (atomic_read(&probe->logged) || atomic_xchg(&own->logged, 1))
		return;
	get_task_comm(comm, current);
	scnprintf(path, sizeof(path), "%pD4", s->objects.files[probe->file]->file);
	pr_info("goprobe: process %d (%*pE) is being changed at offset 0x%llx of %*pE, by session %u of process %d\n",
		task_tgid_nr(current), (int)strlen(comm), comm, probe->offset,
		(int)strlen(path), path, s->id, s->owner);
}

/* Sleep for @ns, or until the thread is killed, the probe is removed or the session ends. */
static void gp_edit_delay(const struct gp_probe *probe, u64 ns)
{
	struct gp_session *s = probe->session;
	ktime_t until = ktime_add_ns(ktime_get(), ns);
	DEFINE_WAIT(wait);

	do {
		prepare_to_wait(&s->space, &wait, TASK_KILLABLE);
		if (!READ_ONCE(s->running) || READ_ONCE(probe->leaving) ||
		    fatal_signal_pending(current))
			break;
		/* 0: the time is over; else something else woke the thread. */
	} while (schedule_hrtimeout(&until, HRTIMER_MODE_ABS));
	finish_wait(&s->space, &wait);
}

static void gp_edit_apply(const struct gp_probe *probe, struct pt_regs *regs,
			  const struct gp_edit *edit)
{
	if (!edit->n && !edit->delay)
		return;
	gp_edit_log(probe);
	if (!gp_edit_write_all(edit)) {
		gp_hit_stat(probe->session, GOPROBE_STAT_NOT_EDITED);
		return;
	}
	gp_edit_set_all(edit, regs);
	gp_hit_stat(probe->session, GOPROBE_STAT_EDITED);
	if (edit->delay)
		gp_edit_delay(probe, edit->delay);
}

/* --- hits ------------------------------------------------------------------------ */

static bool gp_edit_passes(const struct gp_probe *probe, const struct pt_regs *regs)
{
	enum gp_verdict verdict = GP_VERDICT_RUN;

	if (probe->filter->ntests)
		verdict = gp_filter_test(probe->filter, regs);
	if (verdict == GP_VERDICT_RUN)
		verdict = gp_filter_run(probe, regs, 0, NULL);
	if (verdict == GP_VERDICT_PASSES)
		return true;
	gp_reject_hit(probe, regs, verdict);
	return false;
}

/* Do what the hit does without an edit. The hit matters. Return: whether it counts. */
static bool gp_edit_counts(const struct gp_probe *probe, const struct pt_regs *regs)
{
	if (probe->then == GP_WAY_END)
		return gp_pair_try_end(probe, regs);
	if (probe->filter && !gp_edit_passes(probe, regs))
		return false;
	if (probe->then == GP_WAY_CALL)
		return gp_pair_try_call(probe, regs);
	if (probe->action == GOPROBE_ACTION_COUNT)
		gp_tally_hit(probe->tally);
	else
		gp_handler_record(probe, regs);
	return true;
}

/**
 * gp_edit_hit() - handle a hit of a probe with an edit
 * @probe: has an edit
 * @regs: the target's registers
 *
 * Return: the handler's return value.
 */
int gp_edit_hit(const struct gp_probe *probe, struct pt_regs *regs)
{
	struct gp_edit edit GP_UNINITIALIZED;

	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	if (!gp_edit_counts(probe, regs) || !READ_ONCE(probe->session->running))
		return 0;
	switch (gp_filter_run_edit(probe, regs, &edit)) {
	case GP_VERDICT_PASSES:
		gp_edit_apply(probe, regs, &edit);
		break;
	case GP_VERDICT_UNDECIDED:
		gp_hit_stat(probe->session, GOPROBE_STAT_NOT_EDITED);
		break;
	default:
		break;
	}
	return 0;
}
