// SPDX-License-Identifier: GPL-2.0
/*
 * The hot path: a thread hits a breakpoint.
 *
 * Context: the hitting task on its way back to user space, interrupts on. It holds no lock of the
 * module, nor of the target's memory. The kernel keeps the consumer alive (register_rwsem before
 * 6.12, RCU tasks trace since), and with it point, set, probe, plan and session: see probe.c.
 *
 * A record is reserved, filled and committed in the ring of one CPU with preemption off: no lock,
 * no allocation, no wait, no loop that the plan does not bound. If the target's memory has an
 * absent page, the attempt is abandoned, the page is brought in with preemption on, and the
 * capture starts again.
 *
 * Fast path: if the probe allows it, the hit is handled fully in line, without address-taken local
 * variables. Whatever the fast path cannot handle starts again on the slow path. In a lossless
 * session the slow path also waits for space in the ring, with preemption on.
 *
 * Hits that leave no record need no ring: they are counted by id (tally.h), or remembered until the
 * call returns (calls.h). A filter (filter.h) is evaluated first. pair.c records calls and returns
 * that belong together, notify.c handles goroutine notifications, edit.c modifies the program. What
 * a probe's hits do was decided when the probe was made (enum gp_way).
 *
 * A circle with edit.c, notify.c and pair.c: a hit goes to them by what it does, and for its record
 * back to here, where the fast path needs the record's code in line.
 *
 * Each hit of each probe counts in exactly one counter of enum goprobe_stat.
 */
#include <linux/errno.h>
#include <linux/nospec.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "arch/arch.h"
#include "arch/emulate.h"
#include "arch/usercopy.h"
#include "capture/capture.h"
#include "capture/faultin.h"
#include "capture/goroutine.h"
#include "capture/visited.h"
#include "hit/edit.h"
#include "hit/filter.h"
#include "hit/handler.h"
#include "hit/hit.h"
#include "hit/keyed.h"
#include "hit/notify.h"
#include "hit/pair.h"
#include "hit/reject.h"
#include "hit/timed.h"
#include "jump/area.h"
#include "jump/jump.h"
#include "ring/clock.h"
#include "ring/ring.h"
#include "session/point.h"
#include "session/probe.h"
#include "session/session.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/states.h"

/* Slow path of a capture. Return: bytes written, or an error of gp_hit_run(). */
static __always_inline long gp_hit_capture(const struct gp_probe *probe,
					   const struct pt_regs *regs, u8 *to, u32 space,
					   struct gp_faultin *faultin, u16 *flags)
{
	struct gp_capture c = {
		.plan = probe->plan,
		.regs = regs,
		.sp = gp_hit_sp(probe, regs),
		.bias = gp_hit_bias(probe, regs),
		.dynamic = probe->dynamic,
		.to = to,
		.space = space,
		.faultin = faultin,
		.visited = this_cpu_ptr(gp_visited),
	};
	int err = gp_hit_run(probe, &c);

	*flags = c.flags;
	if (unlikely(err))
		return err;
	return c.used;
}

/*
 * Write the record, with @split, if not NULL, before the frame. Return: its size; -ENOSPC if the
 * ring has not enough space; -EAGAIN if faultin->address is needed, or @quick is not possible.
 */
static __always_inline long gp_hit_write(const struct gp_probe *probe,
					 const struct pt_regs *regs,
					 const struct gp_ring *ring,
					 struct gp_faultin *faultin, bool quick,
					 const struct gp_split *split)
{
	struct goprobe_record *rec = (void *)gp_ring_next(ring);
	u32 space = gp_ring_space(ring), id, plan_id, tid, tgid;
	u32 head = sizeof(*rec) + (split ? split->n * sizeof(u64) : 0);
	u8 *frame = (u8 *)rec + head;
	const struct gp_plan *plan = probe->plan;
	struct gp_goroutine go GP_UNINITIALIZED;
	u16 flags = 0;
	long used = 0;

	if (unlikely(space < head))
		return -ENOSPC;
	space -= head;
	if (plan && quick) {
		used = gp_capture_quick(plan, regs, frame, space);
		if (unlikely(used < 0))
			return -EAGAIN;
	} else if (plan) {
		if (unlikely(space < plan->frame_bytes))
			return -ENOSPC;
		used = gp_hit_capture(probe, regs, frame, space, faultin, &flags);
		if (unlikely(used < 0))
			return used;
	}
	used += head;
	if (split) {
		memcpy(rec + 1, split->ns, split->n * sizeof(u64));
		flags |= GOPROBE_RECORD_F_SPLIT;
	}
	if (unlikely(gp_hit_goroutine(probe, regs, faultin, quick, &go)))
		return -EAGAIN;
	/* Members that are neighbours here and in the record: one move copies two. */
	id = probe->id;
	plan_id = probe->plan_id;
	tid = current->pid;
	tgid = current->tgid;
	rec->words = used / 8;
	rec->kind = probe->record_kind;
	rec->flags = flags | go.flags;
	rec->depth = go.depth / 8;
	rec->id = id;
	rec->plan = plan_id;
	rec->tid = tid;
	rec->tgid = tgid;
	rec->goid = go.goid;
	rec->ip = instruction_pointer((struct pt_regs *)regs);
	/* Last, so that records of this CPU are in the order of their times. */
	rec->time = gp_clock_read(&probe->session->clock);
	return used;
}

/* The ring is full. Return: -ENOSPC if the thread must wait; 0: the record is lost. */
noinline int gp_handler_no_space(const struct gp_session *s, struct gp_ring *ring, bool patient)
{
	if (patient && s->lossless && !READ_ONCE(s->stalled))
		return -ENOSPC;
	gp_ring_lose(ring, GOPROBE_LOST_RING_FULL, GOPROBE_STAT_LOST_RING_FULL);
	return 0;
}

/*
 * Context: preemption off. Return: -EAGAIN as gp_hit_write(); -ENOSPC if the thread is @patient and
 * must wait for space; -ESRCH, or -EAGAIN if @quick, if the session does not trace this process;
 * else 0: the hit has been counted.
 */
static __always_inline int gp_hit_try(const struct gp_probe *probe,
				      const struct pt_regs *regs,
				      struct gp_ring *ring,
				      struct gp_faultin *faultin, bool quick,
				      bool patient, const struct gp_split *split,
				      enum gp_stream_wake *wake)
{
	struct gp_session *s = probe->session;
	long size;

	if (unlikely(!READ_ONCE(s->running))) {
		ring->stat[GOPROBE_STAT_NOT_STARTED]++;
		return 0;
	}
	if (unlikely(!gp_session_wants_current(s)))
		return quick ? -EAGAIN : -ESRCH;
	if (unlikely(gp_arch_skips(probe->skip, regs))) {
		ring->stat[GOPROBE_STAT_RESTARTS]++;
		return 0;
	}
	if (unlikely(gp_ring_has_losses(ring)) && !gp_ring_report_losses(ring, &s->clock))
		return gp_handler_no_space(s, ring, patient);
	pagefault_disable();
	gp_ring_open(ring);
	size = gp_hit_write(probe, regs, ring, faultin, quick, split);
	if (likely(size > 0))
		gp_ring_commit(ring, size);
	gp_ring_close(ring);
	pagefault_enable();
	if (unlikely(size < 0)) {
		if (size == -EAGAIN)
			return -EAGAIN;
		return gp_handler_no_space(s, ring, patient);
	}
	ring->stat[probe->stat]++;
	*wake = gp_stream_committed(s, ring);
	return 0;
}

/* One attempt, entirely on one CPU. Return: as gp_hit_try(). */
static __always_inline int gp_hit_attempt(const struct gp_probe *probe,
					  const struct pt_regs *regs,
					  struct gp_faultin *faultin, bool quick,
					  bool patient, const struct gp_split *split)
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
	err = gp_hit_try(probe, regs, ring, faultin, quick, patient, split, &wake);
	if (!quick && unlikely(err == -EAGAIN))
		ring->stat[GOPROBE_STAT_FAULT_INS]++;
	preempt_enable();

	if (unlikely(wake != GP_STREAM_QUIET))
		gp_stream_wake(s, wake);
	return err;
}

/*
 * Slow path of a record: any plan, absent memory, and a wait for space in the ring within the hit's
 * @patience. Return: the handler's return value.
 */
static __always_inline int gp_hit_all(const struct gp_probe *probe, const struct pt_regs *regs,
				      const struct gp_split *split, u32 patience)
{
	struct gp_faultin faultin GP_UNINITIALIZED;
	int err;

	gp_faultin_init(&faultin);
	while ((err = gp_hit_attempt(probe, regs, &faultin, false, patience, split))) {
		if (err == -EAGAIN)
			gp_faultin_serve(&faultin);
		else if (err == -ENOSPC)
			patience = gp_stream_wait_for_space(probe->session, patience);
		else
			return gp_hit_does_not_matter(probe, regs);
	}
	return 0;
}

static noinline int gp_hit_general(const struct gp_probe *probe, const struct pt_regs *regs)
{
	return gp_hit_all(probe, regs, NULL, GP_STREAM_PATIENCE);
}

static __always_inline int gp_hit_count(const struct gp_probe *probe,
					const struct pt_regs *regs)
{
	if (unlikely(!gp_hit_matters(probe, regs)))
		return gp_hit_does_not_matter(probe, regs);
	gp_tally_hit(probe->tally);
	return 0;
}

/* Time a call or a return, for a probe without a fast path. */
static noinline int gp_hit_time(const struct gp_probe *probe, const struct pt_regs *regs)
{
	u64 now = gp_clock_read(&probe->session->calls->clock);

	return gp_timed_hit(probe, regs, now);
}

/* The g of a probe with g in a register. Return: false if the slow path is needed. */
static __always_inline bool gp_hit_quick_g(const struct gp_probe *probe,
					   const struct pt_regs *regs, struct gp_own_g *own)
{
	return likely(gp_hit_own_g(probe, gp_hit_g_reg(probe, regs), gp_hit_sp(probe, regs),
				   own));
}

/*
 * A function for each kind of hit, so that a hit saves only the registers that its kind needs. All
 * return 0, so that each can be the handler's tail call.
 */
static noinline int gp_hit_record(const struct gp_probe *probe, const struct pt_regs *regs)
{
	if (unlikely(gp_hit_attempt(probe, regs, NULL, true, true, NULL)))
		return gp_hit_general(probe, regs);
	return 0;
}

/* A timed call. All callees are tail calls, so few registers are saved. */
static noinline int gp_hit_enter(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_own_g own GP_UNINITIALIZED;

	if (unlikely(!gp_hit_matters(probe, regs)))
		return gp_hit_does_not_matter(probe, regs);
	if (likely(gp_hit_quick_g(probe, regs, &own)) &&
	    likely(gp_calls_try_enter(probe->session->calls, gp_hit_key(&own),
				      gp_calls_depth(own.depth),
				      probe->tally) == GP_CALLS_KEPT))
		return 0;
	return gp_timed_hit(probe, regs, 0);
}

/* Its return. Only calls that matter are open, so the return need not check that again. */
static noinline int gp_hit_leave(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_own_g own GP_UNINITIALIZED;
	/* First, so that the time after it does not count as the call's. */
	u64 now = gp_clock_read(&probe->session->calls->clock);

	if (likely(gp_hit_quick_g(probe, regs, &own)) &&
	    likely(gp_calls_try_leave(probe->session->calls, gp_hit_key(&own),
				      gp_calls_depth(own.depth), probe->tally,
				      now) == GP_CALLS_ENDED))
		return 0;
	return gp_timed_hit(probe, regs, now);
}

static int gp_hit_filter(const struct gp_probe *probe, const struct pt_regs *regs);

/*
 * In the order of cost: the later actions take so long that an extra compare does not matter. An
 * if-chain, because an indirect call costs more with retpolines.
 */
static __always_inline int gp_hit_way(const struct gp_probe *probe,
				      const struct pt_regs *regs, enum gp_way way)
{
	if (likely(way == GP_WAY_QUICK))
		return gp_hit_record(probe, regs);
	if (way == GP_WAY_COUNT)
		return gp_hit_count(probe, regs);
	if (way == GP_WAY_ENTER)
		return gp_hit_enter(probe, regs);
	if (way == GP_WAY_LEAVE)
		return gp_hit_leave(probe, regs);
	if (way == GP_WAY_FILTER)
		return gp_hit_filter(probe, regs);
	if (way == GP_WAY_TIME)
		return gp_hit_time(probe, regs);
	if (way == GP_WAY_CALL)
		return gp_pair_call(probe, regs);
	if (way == GP_WAY_COUNT_KEY)
		return gp_keyed_count(probe, regs);
	if (way == GP_WAY_ENTER_KEY)
		return gp_keyed_enter(probe, regs);
	if (way == GP_WAY_END)
		return gp_pair_end(probe, regs);
	if (way == GP_WAY_GENERAL)
		return gp_hit_general(probe, regs);
	if (way == GP_WAY_TIMED)
		return gp_hit_time(probe, regs);
	if (way == GP_WAY_NOTIFY)
		return gp_notify(probe, regs);
	/* The registers are the thread's and may be changed: see gp_handler_hit(). */
	return gp_edit_hit(probe, (struct pt_regs *)regs);
}

/* Slow path of a filter. The hit matters; it counts only if it passes. */
static noinline int gp_hit_filter_all(const struct gp_probe *probe, const struct pt_regs *regs)
{
	const struct gp_filter *filter = probe->filter;
	enum gp_verdict verdict = GP_VERDICT_RUN;

	if (likely(filter->ntests))
		verdict = gp_filter_test(filter, regs);
	if (unlikely(verdict == GP_VERDICT_RUN))
		verdict = gp_filter_run(probe, regs, 0, NULL);
	if (likely(verdict == GP_VERDICT_PASSES))
		return gp_hit_way(probe, regs, probe->then);
	if (unlikely(verdict != GP_VERDICT_REJECTS))
		return gp_reject_hit(probe, regs, verdict);
	this_cpu_inc(*filter->rejected);
	return probe->remembers ? gp_reject_call(probe, regs) : 0;
}

/* Most hits fail the first test, which needs no stack frame: all callees are tail calls. */
static noinline int gp_hit_filter(const struct gp_probe *probe, const struct pt_regs *regs)
{
	const struct gp_filter *filter = probe->filter;

	if (unlikely(!gp_hit_matters(probe, regs)))
		return gp_hit_does_not_matter(probe, regs);
	if (!filter->first || gp_test_holds(filter->test, regs))
		return gp_hit_filter_all(probe, regs);
	this_cpu_inc(*filter->rejected);
	return probe->remembers ? gp_reject_call(probe, regs) : 0;
}

/* Write the record of a hit that counts; for pair.c and edit.c. */
int gp_handler_record(const struct gp_probe *probe, const struct pt_regs *regs)
{
	return probe->quick ? gp_hit_record(probe, regs) : gp_hit_general(probe, regs);
}

/*
 * As gp_handler_record(), without the fast path: for the end of a call with times by state (@split,
 * or NULL), or of a call whose record has waited and left @patience.
 */
noinline void gp_handler_record_late(const struct gp_probe *probe, const struct pt_regs *regs,
				     const struct gp_split *split, u32 patience)
{
	gp_hit_all(probe, regs, split, patience);
}

/* Handle a point with several probes, or with an instruction that the handler emulates. */
static noinline int gp_hit_point(struct gp_point *point, const struct gp_probe_set *set,
				 struct pt_regs *regs)
{
	struct gp_probe *const *probe = set->probe, *const *end = probe + set->n;
	int ret;

	/* The breakpoint leaves the process only if all probes return that. */
	do {
		ret = gp_hit_way(*probe, regs, (*probe)->way);
	} while (unlikely(++probe < end));
	if (point->execute.by != GP_EXECUTOR_KERNEL)
		gp_emulate_hit(&point->execute, regs);
	return ret;
}

/*
 * A thread has hit the breakpoint of the consumer @uc. @regs are its registers; the instruction has
 * not been executed yet. Return: 0: the breakpoint stays; UPROBE_HANDLER_REMOVE: remove it from
 * this process. If @regs still point to the instruction, the kernel executes it.
 */
GP_UPROBE_HANDLER(gp_handler_hit, uc, regs)
{
	struct gp_point *point = container_of(uc, struct gp_point, uc);
	/* Not under rcu_read_lock(): the handler may sleep; see probe.c. */
	const struct gp_probe_set *set = rcu_dereference_raw(point->set);

	if (likely(set->n == 1 && point->execute.by == GP_EXECUTOR_KERNEL))
		return gp_hit_way(set->probe[0], regs, set->probe[0]->way);
	return gp_hit_point(point, set, regs);
}

/*
 * A thread has hit the breakpoint of the landing with the consumer @uc: a call that has passed the
 * tests of a detour, which are the whole filter of its probe, unless drains evaluate it; or a call
 * or return that was to leave a note, or a timed one, that the detour leaves to us. For the probe
 * it is a hit of the code that became a jump. Other probes that are there by now came after the
 * call.
 */
GP_UPROBE_HANDLER(gp_handler_landed, uc, regs)
{
	const struct gp_area *area = container_of(uc, struct gp_area, landing);
	unsigned long n = gp_arch_detour_jump(regs), landing;
	const struct gp_jump *j = NULL;
	int ret;

	if (n < GP_AREA_DETOURS)
		j = READ_ONCE(area->detour[array_index_nospec(n, GP_AREA_DETOURS)].jump);
	/* The program has landed without a detour, or in one of an earlier session. */
	if (!j)
		return 0;
	landing = gp_arch_land(regs, j->at);
	/* An epilogue has been executed; the probe is before it. */
	regs->sp -= j->site.frame;
	if (j->probe->jump->notebook)
		gp_stream_drain(j->probe->session, raw_smp_processor_id());
	ret = j->probe->then == GP_WAY_TIMED ? gp_timed_land(j, regs) :
	      gp_hit_way(j->probe, regs, j->probe->jump->note.passes ? j->probe->way :
								      j->probe->then);
	regs->sp += j->site.frame;
	regs->ip = landing;
	return ret;
}
