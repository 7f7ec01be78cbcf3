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
#include "session.h"
#include "stream.h"
#include "usercopy.h"

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
 * The goroutine. Return: 0, or -EAGAIN if faultin->address is needed to tell.
 */
static __always_inline int gp_hit_goroutine(const struct gp_probe *probe,
					    const struct pt_regs *regs,
					    unsigned long sp,
					    struct gp_faultin *faultin,
					    struct gp_goroutine *go)
{
	if (likely(probe->g_reg >= 0))
		gp_goroutine_find(probe->runtime,
				  *(const unsigned long *)((const u8 *)regs + probe->g_reg),
				  sp, go);
	else
		gp_hit_goroutine_tls(probe, sp, go);
	if (likely(!go->absent) ||
	    gp_faultin_verdict(faultin, go->absent) != GOPROBE_CHUNK_OK)
		return 0;
	faultin->address = go->absent;
	return -EAGAIN;
}

/*
 * Write the record. Return: its size; -ENOSPC if the ring has no room; -EAGAIN
 * if faultin->address is needed.
 */
static __always_inline int gp_hit_write(const struct gp_probe *probe,
					const struct pt_regs *regs,
					struct gp_ring *ring,
					struct gp_faultin *faultin)
{
	struct goprobe_record *rec = (void *)gp_ring_next(ring);
	unsigned long sp = user_stack_pointer((struct pt_regs *)regs) + probe->sp_adjust;
	const struct gp_plan *plan = probe->plan;
	u32 room = gp_ring_room(ring);
	struct gp_goroutine go;
	u32 size = sizeof(*rec);
	u16 flags = 0;
	int err;

	if (unlikely(room < sizeof(*rec) + (plan ? plan->frame_bytes : 0)))
		return -ENOSPC;
	if (plan) {
		struct gp_capture c = {
			.plan = plan,
			.regs = regs,
			.sp = sp,
			.to = (u8 *)(rec + 1),
			.room = room - sizeof(*rec),
			.faultin = faultin,
		};

		err = gp_capture_run(&c);
		if (unlikely(err))
			return err;
		size += c.used;
		flags = c.flags;
	}
	err = gp_hit_goroutine(probe, regs, sp, faultin, &go);
	if (unlikely(err))
		return err;
	rec->size = size;
	rec->kind = probe->record_kind;
	rec->flags = flags | go.flags;
	rec->id = probe->id;
	rec->plan = plan ? plan->id : GOPROBE_NO_PLAN;
	rec->tgid = current->tgid;
	rec->tid = current->pid;
	rec->goid = go.goid;
	rec->depth = go.depth;
	rec->ip = instruction_pointer((struct pt_regs *)regs);
	/* Last, so that records of this CPU are in the order of their times. */
	rec->time = ktime_get_ns();
	return size;
}

/* Context: preemption off. Return: as gp_hit_write(), 0 if there is no record. */
static __always_inline int gp_hit_try(const struct gp_probe *probe,
				      const struct pt_regs *regs,
				      struct gp_ring *ring,
				      struct gp_faultin *faultin)
{
	struct gp_session *s = probe->session;
	int size;

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
	size = gp_hit_write(probe, regs, ring, faultin);
	if (likely(size > 0))
		gp_ring_commit(ring, size);
	gp_ring_close(ring);
	pagefault_enable();
	if (unlikely(size == -ENOSPC)) {
		gp_ring_lose(ring, GOPROBE_LOST_RING_FULL,
			     GOPROBE_STAT_LOST_RING_FULL);
		return 0;
	}
	if (unlikely(size < 0))
		return size;
	ring->stat[probe->record_kind == GOPROBE_RECORD_CALL ?
		   GOPROBE_STAT_CALLS : GOPROBE_STAT_RETURNS]++;
	return size;
}

static __always_inline void gp_hit_probe(const struct gp_probe *probe,
					 const struct pt_regs *regs)
{
	struct gp_session *s = probe->session;
	enum gp_stream_wake wake = GP_STREAM_QUIET;
	struct gp_faultin faultin;
	struct gp_ring *ring;
	int size;

	gp_faultin_init(&faultin);
again:
	preempt_disable();
	ring = READ_ONCE(s->rings[smp_processor_id()]);
	if (unlikely(!ring)) {
		preempt_enable();
		gp_session_no_ring(s);
		return;
	}
	size = gp_hit_try(probe, regs, ring, &faultin);
	if (likely(size > 0))
		wake = gp_stream_committed(s, ring);
	else if (unlikely(size == -EAGAIN))
		ring->stat[GOPROBE_STAT_FAULT_INS]++;
	preempt_enable();

	if (unlikely(size == -EAGAIN)) {
		gp_faultin_serve(&faultin);
		goto again;
	}
	if (unlikely(wake != GP_STREAM_QUIET))
		gp_stream_wake(s, wake);
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
	u32 i;

	for (i = 0; i < set->n; i++)
		gp_hit_probe(set->probe[i], regs);
	return 0;
}
