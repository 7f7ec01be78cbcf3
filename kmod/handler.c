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
 * So it does when there is no room, if the session wants no losses: the thread then
 * waits for the reader, with preemption on.
 *
 * Hits that leave no record take no ring: they are counted by id (tally.h), or
 * remembered until the call returns (calls.h). What a probe's hits do was found when the
 * probe was made (enum gp_way).
 *
 * Each hit of each probe counts in exactly one counter of enum goprobe_stat.
 */
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "calls.h"
#include "capture.h"
#include "clock.h"
#include "execute.h"
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
	rec->time = gp_clock_read(&probe->session->clock);
	return used;
}

/* No room. Return: -ENOSPC if the thread is to wait for it; 0: the record is lost. */
static noinline int gp_hit_no_room(const struct gp_session *s, struct gp_ring *ring,
				   bool patient)
{
	if (patient && s->lossless && !READ_ONCE(s->stalled))
		return -ENOSPC;
	gp_ring_lose(ring, GOPROBE_LOST_RING_FULL, GOPROBE_STAT_LOST_RING_FULL);
	return 0;
}

/*
 * Context: preemption off. Return: -EAGAIN as gp_hit_write(); -ENOSPC if the thread
 * is @patient and has to wait for room; else 0: the hit has been counted.
 */
static __always_inline int gp_hit_try(const struct gp_probe *probe,
				      const struct pt_regs *regs,
				      struct gp_ring *ring,
				      struct gp_faultin *faultin, bool quick,
				      bool patient, enum gp_stream_wake *wake)
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
	if (unlikely(gp_ring_has_losses(ring)) && !gp_ring_tell_losses(ring, &s->clock))
		return gp_hit_no_room(s, ring, patient);
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
		return gp_hit_no_room(s, ring, patient);
	}
	ring->stat[probe->stat]++;
	*wake = gp_stream_committed(s, ring);
	return 0;
}

/* One attempt, all of it on one CPU. Return: as gp_hit_try(). */
static __always_inline int gp_hit_attempt(const struct gp_probe *probe,
					  const struct pt_regs *regs,
					  struct gp_faultin *faultin, bool quick,
					  bool patient)
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
	err = gp_hit_try(probe, regs, ring, faultin, quick, patient, &wake);
	if (!quick && unlikely(err == -EAGAIN))
		ring->stat[GOPROBE_STAT_FAULT_INS]++;
	preempt_enable();

	if (unlikely(wake != GP_STREAM_QUIET))
		gp_stream_wake(s, wake);
	return err;
}

/* Any plan, memory that is absent, and a ring without room. */
static noinline void gp_hit_general(const struct gp_probe *probe,
				    const struct pt_regs *regs)
{
	struct gp_faultin faultin GP_UNINITIALIZED;
	bool patient = true;
	int err;

	gp_faultin_init(&faultin);
	while ((err = gp_hit_attempt(probe, regs, &faultin, false, patient))) {
		if (err == -EAGAIN)
			gp_faultin_serve(&faultin);
		else
			patient = gp_stream_wait_for_room(probe->session);
	}
}

/* Count a hit that leaves nothing else behind. */
static noinline void gp_hit_stat(struct gp_session *s, enum goprobe_stat stat)
{
	struct gp_ring *ring;

	preempt_disable();
	ring = READ_ONCE(s->rings[smp_processor_id()]);
	if (likely(ring))
		ring->stat[stat]++;
	else
		gp_session_no_ring(s);
	preempt_enable();
}

/* Does a hit count that leaves no record? */
static __always_inline bool gp_hit_matters(const struct gp_probe *probe,
					   const struct pt_regs *regs)
{
	return likely(READ_ONCE(probe->session->running)) &&
	       likely(gp_session_wants_current(probe->session)) &&
	       likely(!gp_arch_skips(probe->skip, regs));
}

static noinline int gp_hit_does_not_matter(const struct gp_probe *probe,
					   const struct pt_regs *regs)
{
	struct gp_session *s = probe->session;

	/* What may have changed since comes last. */
	gp_hit_stat(s, !gp_session_wants_current(s) ? GOPROBE_STAT_OTHER_PROCESS :
		    gp_arch_skips(probe->skip, regs) ? GOPROBE_STAT_RESTARTS :
		    GOPROBE_STAT_NOT_STARTED);
	return 0;
}

/* A return whose call was not remembered, perhaps because that did not matter. */
static noinline int gp_hit_no_call(const struct gp_probe *probe, const struct pt_regs *regs)
{
	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	gp_hit_stat(probe->session, GOPROBE_STAT_NO_CALL);
	return 0;
}

static __always_inline int gp_hit_count(const struct gp_probe *probe,
					const struct pt_regs *regs)
{
	if (unlikely(!gp_hit_matters(probe, regs)))
		return gp_hit_does_not_matter(probe, regs);
	gp_tally_hit(probe->tally);
	return 0;
}

/*
 * The g whose stack this is. Return: false if there is none, or with own->absent set if
 * memory could not be read.
 */
static __always_inline bool gp_hit_own_g(const struct gp_probe *probe, unsigned long g,
					 unsigned long sp, struct gp_own_g *own)
{
	bool found;

	own->absent = 0;
	if (unlikely(g & 7))
		return false;
	pagefault_disable();
	found = gp_goroutine_own(probe->runtime, g, sp, own);
	pagefault_enable();
	return found;
}

/* Likewise, from the register or from TLS, wherever that may be. */
static bool gp_hit_any_g(const struct gp_probe *probe, const struct pt_regs *regs,
			 struct gp_own_g *own)
{
	unsigned long at, g;
	bool absent;

	if (probe->g_reg >= 0) {
		g = *(const unsigned long *)((const u8 *)regs + probe->g_reg);
	} else {
		preempt_disable();
		at = gp_arch_thread_pointer() + probe->runtime->g_tls;
		preempt_enable();
		pagefault_disable();
		absent = gp_user_copy(&g, at, sizeof(g));
		pagefault_enable();
		own->absent = at;
		if (absent)
			return false;
	}
	return gp_hit_own_g(probe, g, gp_hit_sp(probe, regs), own);
}

static __always_inline int gp_hit_pair(const struct gp_probe *probe,
				       const struct pt_regs *regs,
				       const struct gp_own_g *own, bool leaves, u64 now)
{
	struct gp_calls_key key = { .g = own->g, .goid = own->goid };
	struct gp_session *s = probe->session;

	key.process = gp_arch_process(current, current->mm);
	if (!leaves) {
		if (unlikely(gp_calls_enter(s->calls, key, own->depth,
					    probe->tally) != GP_CALLS_KEPT))
			gp_hit_stat(s, GOPROBE_STAT_NO_ROOM);
	} else if (unlikely(gp_calls_leave(s->calls, key, own->depth, probe->tally,
					   now) != GP_CALLS_ENDED)) {
		return gp_hit_no_call(probe, regs);
	}
	return 0;
}

/* g in TLS, memory that is absent, and code without a goroutine. */
static noinline int gp_hit_time_general(const struct gp_probe *probe,
					const struct pt_regs *regs, u64 now)
{
	struct gp_faultin faultin GP_UNINITIALIZED;
	struct gp_own_g own;

	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	gp_faultin_init(&faultin);
	while (!gp_hit_any_g(probe, regs, &own)) {
		if (!own.absent ||
		    gp_faultin_verdict(&faultin, own.absent) != GOPROBE_CHUNK_OK) {
			gp_hit_stat(probe->session, GOPROBE_STAT_NO_GOROUTINE);
			return 0;
		}
		faultin.address = own.absent;
		gp_faultin_serve(&faultin);
	}
	return gp_hit_pair(probe, regs, &own, probe->way == GP_WAY_LEAVE, now);
}

/* A call, or a return, whose time matters. */
static __always_inline int gp_hit_time(const struct gp_probe *probe,
				       const struct pt_regs *regs, bool leaves)
{
	struct gp_own_g own GP_UNINITIALIZED;
	u64 now = 0;

	/* First, so that what comes after is not part of the call. */
	if (leaves)
		now = gp_clock_read(&probe->session->calls->clock);
	/* A call is open only if it matters, so its return need not be asked. */
	if (unlikely(leaves ? gp_arch_skips(probe->skip, regs) : !gp_hit_matters(probe, regs)))
		return gp_hit_does_not_matter(probe, regs);
	if (unlikely(probe->g_reg < 0 ||
		     !gp_hit_own_g(probe,
				   *(const unsigned long *)((const u8 *)regs + probe->g_reg),
				   gp_hit_sp(probe, regs), &own)))
		return gp_hit_time_general(probe, regs, now);
	return gp_hit_pair(probe, regs, &own, leaves, now);
}

/*
 * Each kind of hit by itself: so a hit saves no registers but those that its kind needs.
 * Return of all: 0, so that they can be the last that a handler does.
 */
static noinline int gp_hit_record(const struct gp_probe *probe, const struct pt_regs *regs)
{
	if (unlikely(gp_hit_attempt(probe, regs, NULL, true, true)))
		gp_hit_general(probe, regs);
	return 0;
}

static noinline int gp_hit_record_general(const struct gp_probe *probe,
					  const struct pt_regs *regs)
{
	gp_hit_general(probe, regs);
	return 0;
}

static noinline int gp_hit_enter(const struct gp_probe *probe, const struct pt_regs *regs)
{
	return gp_hit_time(probe, regs, false);
}

static noinline int gp_hit_leave(const struct gp_probe *probe, const struct pt_regs *regs)
{
	return gp_hit_time(probe, regs, true);
}

static __always_inline int gp_hit_probe(const struct gp_probe *probe,
					const struct pt_regs *regs)
{
	if (likely(probe->way == GP_WAY_QUICK))
		return gp_hit_record(probe, regs);
	if (probe->way == GP_WAY_COUNT)
		return gp_hit_count(probe, regs);
	if (probe->way == GP_WAY_ENTER)
		return gp_hit_enter(probe, regs);
	if (probe->way == GP_WAY_LEAVE)
		return gp_hit_leave(probe, regs);
	return gp_hit_record_general(probe, regs);
}

/* A point with several probes, or with an instruction that is not for the kernel. */
static noinline int gp_hit_point(struct gp_point *point, const struct gp_probe_set *set,
				 struct pt_regs *regs)
{
	struct gp_probe *const *probe = set->probe, *const *end = probe + set->n;

	do {
		gp_hit_probe(*probe, regs);
	} while (unlikely(++probe < end));
	if (point->execute.by != GP_EXECUTOR_KERNEL)
		gp_execute_hit(&point->execute, regs);
	return 0;
}

/*
 * A thread has run into the breakpoint whose consumer is @uc; in @regs are its
 * registers, the instruction has not been executed yet. Return: 0, always: the
 * breakpoint stays. If @regs say that the thread is still there, the kernel executes
 * the instruction.
 */
GP_UPROBE_HANDLER(gp_handler_hit, uc, regs)
{
	struct gp_point *point = container_of(uc, struct gp_point, uc);
	/* Not under rcu_read_lock(): the handler may sleep; see probe.c. */
	const struct gp_probe_set *set = rcu_dereference_raw(point->set);

	if (likely(set->n == 1 && point->execute.by == GP_EXECUTOR_KERNEL))
		return gp_hit_probe(set->probe[0], regs);
	return gp_hit_point(point, set, regs);
}
