// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of processes that are on their way to a detour, or in one.
 *
 * A thread that a signal, a debugger or the scheduler has interrupted may go on at any later time
 * where it was. Its registers are those that it had when it was last in user space; they say
 * where that is, unless something hides them: the frame of a signal handler, or a debugger that
 * has had the thread call a function. A thread that may have such a thing counts as being there.
 *
 * That is a matter of care, not of safety for all time: a program can keep the registers of a
 * handler's frame, and go on with them later (swapcontext()). So code is never unmapped. What
 * depends on these looks: that a cold block gets its instruction back, and that a full area of
 * code is filled again.
 */
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>

#include "jump/area.h"
#include "jump/jump.h"
#include "jump/text.h"
#include "jump/threads.h"

/* Bytes of what a signal handler returns to: mov $15,%eax; syscall */
#define GP_THREADS_RESTORER	16

/* A thread of the kernel that has the process's memory, but never runs its code. */
#ifdef PF_USER_WORKER
#define GP_THREADS_WORKERS	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define GP_THREADS_WORKERS	(PF_KTHREAD | PF_IO_WORKER)
#endif

/**
 * struct gp_thread_state - what a thread shows
 * @ip: its instruction pointer
 * @hides: it may go on elsewhere
 */
struct gp_thread_state {
	unsigned long ip;
	bool hides;
};

/*
 * Do the frames of the process's handlers all lie on alternate stacks, and is the thread not in the
 * kernel between two registers that a signal changes? There is a moment with the one register of
 * the handler, and the other one of what it interrupts; then the first is at the handler's, or its
 * restorer's, first instructions.
 *
 * Return: whether the thread has, by its handlers, no frame that does not show.
 */
static bool gp_threads_handlers_show(const struct task_struct *t, unsigned long ip)
{
	const struct k_sigaction *action = rcu_dereference(t->sighand)->action;
	bool has_stack = t->sas_ss_size && !(t->sas_ss_flags & SS_AUTODISARM);
	u32 i;

	for (i = 0; i < _NSIG; i++) {
		unsigned long handler = (unsigned long)READ_ONCE(action[i].sa.sa_handler);

		if (handler == (unsigned long)SIG_DFL || handler == (unsigned long)SIG_IGN)
			continue;
		/*
		 * Without an alternate stack the handler runs on the thread's own. The kernel
		 * forgets a stack of SS_AUTODISARM while a handler runs there.
		 */
		if (!has_stack || !(READ_ONCE(action[i].sa.sa_flags) & SA_ONSTACK) ||
		    ip == handler ||
		    ip - (unsigned long)READ_ONCE(action[i].sa.sa_restorer) < GP_THREADS_RESTORER)
			return false;
	}
	return true;
}

/* Context: task_lock(); the thread has its memory, and so its stack and its handlers. */
static struct gp_thread_state gp_threads_state(const struct task_struct *t)
{
	const struct pt_regs *regs = task_pt_regs(t);
	unsigned long sp = READ_ONCE(regs->sp);
	struct gp_thread_state state;

	/*
	 * To call a handler the kernel sets ip before sp, and to return from it sp before ip, or
	 * the other way round. With sp read first a thread shows one of them in any case.
	 */
	smp_rmb();
	state.ip = READ_ONCE(regs->ip);
	state.hides = READ_ONCE(t->ptrace) || sp - t->sas_ss_sp < t->sas_ss_size ||
		      !gp_threads_handlers_show(t, state.ip);
	return state;
}

static bool gp_threads_is_inside(const struct gp_jump_space *space, unsigned long ip)
{
	const struct gp_area *area;

	list_for_each_entry(area, &space->areas, node)
		if (gp_area_has(area, ip))
			return true;
	return false;
}

/*
 * Is it before a cold block that leads to a detour, or behind the breakpoint that the block is for
 * a moment, or that a debugger has there?
 */
static bool gp_threads_is_entering(const struct list_head *jumps, unsigned long ip)
{
	const struct gp_jump *j;

	list_for_each_entry(j, jumps, node)
		if (j->cold && ip - (j->at + j->site.cold_at) <= 1)
			return true;
	return false;
}

static void gp_threads_look_at(struct gp_jump_space *space, struct task_struct *t)
{
	struct gp_thread_state state;
	bool has;

	if (READ_ONCE(t->mm) != space->mm || t->flags & GP_THREADS_WORKERS)
		return;
	task_lock(t);
	has = t->mm == space->mm;
	if (has)
		state = gp_threads_state(t);
	task_unlock(t);
	if (!has)
		return;
	space->inside |= state.hides || gp_threads_is_inside(space, state.ip);
	space->entering |= state.hides || gp_threads_is_entering(&space->jumps, state.ip) ||
			   gp_threads_is_entering(&space->stale, state.ip);
}

static void gp_threads_look_at_process(struct list_head *spaces, struct task_struct *leader)
{
	struct gp_jump_space *space;
	const struct mm_struct *mm;
	struct task_struct *t;

	list_for_each_entry(space, spaces, look) {
		/* All threads have the same, but those that have exited have none. */
		mm = READ_ONCE(leader->mm);
		if (mm && mm != space->mm)
			continue;
		for_each_thread(leader, t)
			gp_threads_look_at(space, t);
	}
}

void gp_threads_look(struct list_head *spaces)
{
	struct gp_jump_space *space;
	struct task_struct *leader;

	list_for_each_entry(space, spaces, look) {
		space->inside = false;
		space->entering = false;
		/* What runs in user space has its registers saved once. */
		gp_text_sync(space->mm);
	}
	rcu_read_lock();
	for_each_process(leader)
		gp_threads_look_at_process(spaces, leader);
	rcu_read_unlock();
}
