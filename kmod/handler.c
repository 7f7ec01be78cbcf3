// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path: what happens when a thread runs into a breakpoint.
 *
 * Context: the hitting task on its way back to user space, interrupts on, no
 * kernel locks of ours or of the target's memory held. The kernel keeps the
 * consumer alive (register_rwsem before 6.12, RCU tasks trace since), and with
 * it point, set, probe, plan and session: see probe.c.
 *
 * A record is reserved, filled and committed in the ring of one CPU with
 * preemption off: no lock, no allocation, no wait, no loop that the plan does not
 * bound. Only if the target's memory has an absent page is the attempt given up,
 * the page brought in with preemption on, and the capture begun anew.
 *
 * Every hit is tried in the quick way first, if its probe allows: all in line, no
 * local variable with an address. What that can't do, the general way begins anew.
 *
 * Each hit of each probe counts in exactly one counter of enum goprobe_stat.
 */
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "capture.h"
#include "faultin.h"
#include "goroutine.h"
#include "handler.h"
#include "probe.h"
#include "ring.h"
#include "seen.h"
#include "session.h"
#include "stream.h"
#include "usercopy.h"

/* SP at function entry. */
static __always_inline unsigned long gp_hit_sp(const struct gp_probe *probe,
					       const struct pt_regs *regs)
{
	return user_stack_pointer((struct pt_regs *)regs) + probe->sp_adjust;
}

/* The goroutine by the g in TLS. */
static noinline void gp_hit_goroutine_tls(const struct gp_probe *probe,
					  unsigned long sp, struct gp_goroutine *go)
{
	unsigned long at = gp_arch_thread_pointer() + probe->runtime->g_tls, g = 0;
	bool absent = gp_user_copy(&g, at, sizeof(g));

	gp_goroutine_find(probe->runtime, g, sp, go);
	if (absent)
		go->absent = at;
}

/*
 * The goroutine. Return: 0, or -EAGAIN if faultin->address is needed to tell, or
 * @quick is not possible.
 */
static __always_inline int gp_hit_goroutine(const struct gp_probe *probe,
					    const struct pt_regs *regs,
					    struct gp_faultin *faultin, bool quick,
					    struct gp_goroutine *go)
{
	unsigned long sp = gp_hit_sp(probe, regs);

	/* A quick probe has it in a register. */
	if (quick || likely(probe->g_reg >= 0))
		gp_goroutine_find(probe->runtime,
				  *(const unsigned long *)((const u8 *)regs + probe->g_reg),
				  sp, go);
	else
		gp_hit_goroutine_tls(probe, sp, go);
	if (likely(!go->absent))
		return 0;
	if (!quick) {
		if (gp_faultin_verdict(faultin, go->absent) != GOPROBE_CHUNK_OK)
			return 0;
		faultin->address = go->absent;
	}
	return -EAGAIN;
}

/* The general way. Return: bytes written, or an error of gp_capture_run(). */
static __always_inline long gp_hit_capture(const struct gp_probe *probe,
					   const struct pt_regs *regs, u8 *to, u32 room,
					   struct gp_faultin *faultin, u16 *flags)
{
	struct gp_capture c = {
		.plan = probe->plan,
		.regs = regs,
		.sp = gp_hit_sp(probe, regs),
		.bias = instruction_pointer((struct pt_regs *)regs) - probe->address,
		.dynamic = probe->dynamic,
		.to = to,
		.room = room,
		.faultin = faultin,
		.seen = this_cpu_ptr(gp_seen),
	};
	int err = gp_capture_run(&c);

	*flags = c.flags;
	if (unlikely(err))
		return err;
	return c.used;
}

/*
 * Write the record. Return: its size; -ENOSPC if the ring has no room; -EAGAIN
 * if faultin->address is needed, or @quick is not possible.
 */
static __always_inline long gp_hit_write(const struct gp_probe *probe,
					 const struct pt_regs *regs,
					 const struct gp_ring *ring,
					 struct gp_faultin *faultin, bool quick)
{
	struct goprobe_record *rec = (void *)gp_ring_next(ring);
	u32 room = gp_ring_room(ring), quick_used;
	const struct gp_plan *plan = probe->plan;
	struct gp_goroutine go GP_UNINITIALIZED;
	u16 flags = 0;
	long used = 0;

	if (unlikely(room < sizeof(*rec)))
		return -ENOSPC;
	room -= sizeof(*rec);
	if (plan && quick) {
		quick_used = gp_capture_quick(plan, regs, (u8 *)(rec + 1), room);
		if (unlikely(quick_used == GP_CAPTURE_NOT_QUICK))
			return -EAGAIN;
		used = quick_used;
	} else if (plan) {
		if (unlikely(room < plan->frame_bytes))
			return -ENOSPC;
		used = gp_hit_capture(probe, regs, (u8 *)(rec + 1), room, faultin,
				      &flags);
		if (unlikely(used < 0))
			return used;
	}
	used += sizeof(*rec);
	if (unlikely(gp_hit_goroutine(probe, regs, faultin, quick, &go)))
		return -EAGAIN;
	rec->size = used;
	rec->kind = probe->record_kind;
	rec->flags = flags | go.flags;
	rec->id = probe->id;
	rec->plan = probe->plan_id;
	rec->tgid = current->tgid;
	rec->tid = current->pid;
	rec->goid = go.goid;
	rec->depth = go.depth;
	rec->ip = instruction_pointer((struct pt_regs *)regs);
	/* Last, so that records of this CPU are in the order of their times. */
	rec->time = ktime_get_ns();
	return used;
}

/* Context: preemption off. Return: -EAGAIN as gp_hit_write(), else 0. */
static __always_inline int gp_hit_try(const struct gp_probe *probe,
				      const struct pt_regs *regs,
				      struct gp_ring *ring,
				      struct gp_faultin *faultin, bool quick,
				      enum gp_stream_wake *wake)
{
	struct gp_session *s = probe->session;
	long size;

	if (unlikely(!READ_ONCE(s->running))) {
		ring->stat[GOPROBE_STAT_NOT_STARTED]++;
		return 0;
	}
	if (unlikely(!gp_session_wants_current(s))) {
		ring->stat[GOPROBE_STAT_OTHER_PROCESS]++;
		return 0;
	}
	if (unlikely(gp_arch_skips(probe->skip, regs))) {
		ring->stat[GOPROBE_STAT_RESTARTS]++;
		return 0;
	}
	if (unlikely(gp_ring_has_losses(ring)) && !gp_ring_tell_losses(ring)) {
		gp_ring_lose(ring, GOPROBE_LOST_RING_FULL,
			     GOPROBE_STAT_LOST_RING_FULL);
		return 0;
	}
	pagefault_disable();
	gp_ring_open(ring);
	size = gp_hit_write(probe, regs, ring, faultin, quick);
	if (likely(size > 0))
		gp_ring_commit(ring, size);
	gp_ring_close(ring);
	pagefault_enable();
	if (unlikely(size < 0)) {
		if (size == -EAGAIN)
			return -EAGAIN;
		gp_ring_lose(ring, GOPROBE_LOST_RING_FULL,
			     GOPROBE_STAT_LOST_RING_FULL);
		return 0;
	}
	ring->stat[probe->stat]++;
	*wake = gp_stream_committed(s, ring);
	return 0;
}

/* One attempt, all of it on one CPU. Return: -EAGAIN as gp_hit_write(), else 0. */
static __always_inline int gp_hit_attempt(const struct gp_probe *probe,
					  const struct pt_regs *regs,
					  struct gp_faultin *faultin, bool quick)
{
	struct gp_session *s = probe->session;
	enum gp_stream_wake wake = GP_STREAM_QUIET;
	struct gp_ring *ring;
	int err;

	preempt_disable();
	ring = READ_ONCE(s->rings[smp_processor_id()]);
	if (unlikely(!ring)) {
		preempt_enable();
		gp_session_no_ring(s);
		return 0;
	}
	err = gp_hit_try(probe, regs, ring, faultin, quick, &wake);
	if (!quick && unlikely(err))
		ring->stat[GOPROBE_STAT_FAULT_INS]++;
	preempt_enable();

	if (unlikely(wake != GP_STREAM_QUIET))
		gp_stream_wake(s, wake);
	return err;
}

/* Any plan, and memory that is absent. */
static noinline void gp_hit_general(const struct gp_probe *probe,
				    const struct pt_regs *regs)
{
	struct gp_faultin faultin GP_UNINITIALIZED;

	gp_faultin_init(&faultin);
	while (gp_hit_attempt(probe, regs, &faultin, false) == -EAGAIN)
		gp_faultin_serve(&faultin);
}

static __always_inline void gp_hit_probe(const struct gp_probe *probe,
					 const struct pt_regs *regs)
{
	if (!probe->quick ||
	    unlikely(gp_hit_attempt(probe, regs, NULL, true) == -EAGAIN))
		gp_hit_general(probe, regs);
}

/*
 * A thread has run into the breakpoint whose consumer is @uc; in @regs are its
 * registers, the instruction has not been executed yet. Return: 0, always: the
 * breakpoint stays, the instruction is to be executed.
 */
GP_UPROBE_HANDLER(gp_handler_hit, uc, regs)
{
	const struct gp_point *point = container_of(uc, struct gp_point, uc);
	/* Not under rcu_read_lock(): the handler may sleep; see probe.c. */
	const struct gp_probe_set *set = rcu_dereference_raw(point->set);
	struct gp_probe *const *probe = set->probe, *const *end = probe + set->n;

	do {
		gp_hit_probe(*probe, regs);
	} while (unlikely(++probe < end));
	return 0;
}
