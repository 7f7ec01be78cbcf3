// SPDX-License-Identifier: GPL-2.0
/*
 * Paired hits: the end of a call counts only if the call has been remembered.
 *
 * A call comes here after it has passed its filter. It is remembered, then recorded. Or it is
 * captured into memory of its own, as a pending record (pending.h). If the call's end passes its
 * own filter, it writes the pending record to the ring, and its own record after it.
 *
 * For timed calls, only ends with a filter come here: for the others calls.h is enough.
 *
 * Context of all: a handler, preemption on.
 */
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "capture/capture.h"
#include "capture/faultin.h"
#include "capture/visited.h"
#include "hit/filter.h"
#include "hit/handler.h"
#include "hit/hit.h"
#include "hit/keyed.h"
#include "hit/pair.h"
#include "ring/clock.h"
#include "ring/ring.h"
#include "session/stream.h"
#include "stats/calls.h"
#include "stats/pending.h"
#include "stats/states.h"

/* --- calls ------------------------------------------------------------------- */

/* Context: preemption off, page faults disabled. Return: as gp_capture_run(). */
static int gp_pair_try_hold(const struct gp_probe *probe, const struct pt_regs *regs,
			    struct gp_faultin *faultin, struct gp_pending_record *held, u32 space)
{
	struct gp_capture c = {
		.plan = probe->plan,
		.regs = regs,
		.sp = gp_hit_sp(probe, regs),
		.bias = gp_hit_bias(probe, regs),
		.dynamic = probe->dynamic,
		.to = held->frame,
		.space = space,
		.faultin = faultin,
		.visited = this_cpu_ptr(gp_visited),
	};
	struct gp_goroutine go GP_UNINITIALIZED;
	int err = probe->plan ? gp_hit_run(probe, &c) : 0;

	if (err)
		return err;
	if (gp_hit_goroutine(probe, regs, faultin, false, &go))
		return -EAGAIN;
	held->ago = 0;
	held->rec = (struct goprobe_record){
		.words = (sizeof(*held) + c.used) / 8,
		.kind = GOPROBE_RECORD_CALL,
		.flags = c.flags | go.flags | GOPROBE_RECORD_F_PENDING,
		.id = probe->id,
		.plan = probe->plan_id,
		.tid = current->pid,
		.tgid = current->tgid,
		.depth = go.depth / 8,
		.goid = go.goid,
		.ip = instruction_pointer((struct pt_regs *)regs),
	};
	return 0;
}

/* Make the pending record. Its size was checked when the point was added. Return: success. */
static bool gp_pair_hold(const struct gp_probe *probe, const struct pt_regs *regs,
			 struct gp_pending_record *held, u32 space)
{
	struct gp_faultin faultin GP_UNINITIALIZED;
	struct gp_ring *ring;
	int err;

	gp_faultin_init(&faultin);
	do {
		preempt_disable();
		pagefault_disable();
		err = gp_pair_try_hold(probe, regs, &faultin, held, space);
		pagefault_enable();
		ring = READ_ONCE(probe->session->rings[smp_processor_id()]);
		if (err == -EAGAIN && ring)
			ring->stat[GOPROBE_STAT_FAULT_INS]++;
		preempt_enable();
		if (err == -EAGAIN)
			gp_faultin_serve(&faultin);
	} while (err == -EAGAIN);
	return !WARN_ON_ONCE(err);
}

/* Return: whether the call is remembered. */
static bool gp_pair_call_held(const struct gp_probe *probe, const struct pt_regs *regs,
			      const struct gp_own_g *own)
{
	struct gp_calls *calls = probe->session->calls;
	u32 depth = gp_calls_depth(own->depth), number = gp_pending_take(calls->held);
	struct gp_pending_record *held;

	if (!number) {
		/* Calls that ended without returning may hold pending records. */
		gp_calls_pass_by(calls, gp_hit_key(own), depth);
		number = gp_pending_take(calls->held);
	}
	if (!number) {
		gp_hit_no_space(probe->session, GOPROBE_STAT_NO_SPACE);
		return false;
	}
	held = gp_pending_at(calls->held, number);
	if (gp_pair_hold(probe, regs, held, gp_pending_bytes(calls->held) - sizeof(*held)) &&
	    gp_calls_open(calls, gp_hit_key(own), depth, probe->tally, number) == GP_CALLS_KEPT) {
		gp_hit_stat(probe->session, GOPROBE_STAT_OPENED);
		return true;
	}
	gp_pending_give(calls->held, number);
	gp_hit_no_space(probe->session, GOPROBE_STAT_NO_SPACE);
	return false;
}

/*
 * In line twice, because most calls have no edit that needs the result. The hit matters. Return:
 * whether the call is remembered.
 */
static __always_inline bool gp_pair_remember(const struct gp_probe *probe,
					     const struct pt_regs *regs)
{
	struct gp_calls *calls = probe->session->calls;
	struct gp_own_g own;

	if (!gp_hit_await_g(probe, regs, &own)) {
		gp_hit_stat(probe->session, GOPROBE_STAT_NO_GOROUTINE);
		return false;
	}
	if (probe->flags & GOPROBE_POINT_F_PENDING)
		return gp_pair_call_held(probe, regs, &own);
	if (gp_calls_open(calls, gp_hit_key(&own), gp_calls_depth(own.depth), probe->tally,
			  0) == GP_CALLS_KEPT) {
		gp_handler_record(probe, regs);
		return true;
	}
	gp_hit_no_space(probe->session, GOPROBE_STAT_NO_SPACE);
	return false;
}

/**
 * gp_pair_call() - remember a call, so that its end finds it
 * @probe: paired
 * @regs: the target's registers
 *
 * Return: the handler's return value.
 */
int gp_pair_call(const struct gp_probe *probe, const struct pt_regs *regs)
{
	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	gp_pair_remember(probe, regs);
	return 0;
}

/* As gp_pair_call(), for a hit that matters. Return: whether the call is remembered, so counts. */
bool gp_pair_try_call(const struct gp_probe *probe, const struct pt_regs *regs)
{
	return gp_pair_remember(probe, regs);
}

/* --- their ends ----------------------------------------------------------------- */

/*
 * Time since @began, in ns. Readers compute it from the record's stamp: one reading serves as both,
 * so that no interrupt in between makes a call younger than the panic that ends it.
 */
static u64 gp_pair_ago(const struct gp_session *s, u64 began, u64 stamp)
{
	const struct gp_clock *clock = &s->calls->clock;

	if (unlikely(READ_ONCE(s->clock.mult) != clock->mult))
		stamp = gp_clock_read(clock);
	return gp_clock_passed(clock, began, stamp);
}

/*
 * Write a pending record. Return: 0; -ENOSPC if the thread must wait for space. Context: preemption
 * off.
 */
static int gp_pair_write(struct gp_session *s, struct gp_ring *ring,
			 const struct gp_pending_record *held, u64 began, bool patient,
			 enum gp_stream_wake *wake)
{
	struct gp_pending_record *to;
	u32 size = held->rec.words * 8;

	if ((gp_ring_has_losses(ring) && !gp_ring_report_losses(ring, &s->clock)) ||
	    gp_ring_space(ring) < size)
		return gp_handler_no_space(s, ring, patient);
	/* If losses were written, the record begins behind them. */
	to = (void *)gp_ring_next(ring);
	memcpy(to, held, size);
	gp_ring_open(ring);
	to->rec.time = gp_clock_read(&s->clock);
	to->ago = gp_pair_ago(s, began, to->rec.time);
	gp_ring_commit(ring, size);
	gp_ring_close(ring);
	ring->stat[GOPROBE_STAT_RELEASED]++;
	*wake = gp_stream_committed(s, ring);
	return 0;
}

static int gp_pair_attempt(struct gp_session *s, const struct gp_pending_record *held,
			   u64 began, bool patient)
{
	enum gp_stream_wake wake = GP_STREAM_QUIET;
	struct gp_ring *ring;
	int err = 0;

	preempt_disable();
	ring = READ_ONCE(s->rings[smp_processor_id()]);
	if (ring)
		err = gp_pair_write(s, ring, held, began, patient, &wake);
	else
		gp_session_no_ring(s);
	preempt_enable();
	if (wake != GP_STREAM_QUIET)
		gp_stream_wake(s, wake);
	return err;
}

/*
 * The end of the call passes: write its pending record. Return: the rest of the hit's @patience.
 */
static __always_inline u32 gp_pair_let_go(struct gp_session *s, const struct gp_call *call,
					  u32 patience)
{
	const struct gp_pending_record *held = gp_pending_at(s->calls->held, call->data);

	while (gp_pair_attempt(s, held, call->time, patience))
		patience = gp_stream_wait_for_space(s, patience);
	return patience;
}

/**
 * gp_pair_unwind() - end calls of a goroutine that have ended without returning
 * @s: the session; has a table of open calls
 * @key: the goroutine
 * @least: depth from which calls have ended
 * @written: write the pending records that wait for that
 */
void gp_pair_unwind(struct gp_session *s, struct gp_calls_key key, u32 least, bool written)
{
	u32 patience = GP_STREAM_PATIENCE;
	struct gp_unwound unwound;
	struct gp_call call;

	if (!written) {
		gp_calls_pass_by(s->calls, key, least);
		return;
	}
	gp_calls_unwind(s->calls, key, least, &unwound);
	/* Callers first, in the order of the calls. */
	while (gp_calls_unwound_next(s->calls, &unwound, &call)) {
		patience = gp_pair_let_go(s, &call, patience);
		gp_pending_give(s->calls->held, call.data);
		/* One goroutine can have a million open calls. */
		cond_resched();
	}
}

/* Whether the end of a remembered call passes. If not, it has been counted. */
static __always_inline bool gp_pair_passes(const struct gp_probe *probe,
					   const struct pt_regs *regs, u64 duration)
{
	enum gp_verdict verdict = gp_filter_run(probe, regs, duration, NULL);

	if (verdict == GP_VERDICT_PASSES)
		return true;
	gp_hit_rejected(probe, verdict);
	return false;
}

/* As gp_pair_remember(). Return: whether the end counts as one that leaves a record. */
static __always_inline bool gp_pair_finish(const struct gp_probe *probe,
					   const struct pt_regs *regs, u64 now)
{
	struct gp_calls *calls = probe->session->calls;
	struct gp_split split GP_UNINITIALIZED, *its = NULL;
	u32 patience = GP_STREAM_PATIENCE;
	struct gp_call call;
	struct gp_own_g own;
	u64 duration;
	bool counts;

	if (!gp_hit_await_g(probe, regs, &own)) {
		gp_hit_stat(probe->session, GOPROBE_STAT_NO_GOROUTINE);
		return false;
	}
	split.now = now;
	if (gp_calls_close(calls, gp_hit_key(&own), gp_calls_depth(own.depth), probe->tally,
			   &call, &split) != GP_CALLS_ENDED) {
		gp_hit_stat(probe->session, GOPROBE_STAT_NO_CALL);
		return false;
	}
	duration = gp_clock_passed(&calls->clock, call.time, now);
	if (unlikely(calls->states)) {
		duration = split.duration;
		its = &split;
	}
	if (probe->flags & GOPROBE_POINT_F_KEYED) {
		gp_keyed_end(probe, regs, &call, duration, its);
		return false;
	}
	counts = !probe->filter || gp_pair_passes(probe, regs, duration);
	if (probe->action == GOPROBE_ACTION_TIME) {
		if (counts)
			gp_tally_return(probe->tally, duration);
		if (counts && unlikely(its))
			gp_tally_split(probe->tally, split.n, split.ns);
		/* A call that is timed by key has a key, not a record. */
		return false;
	}
	if (counts && call.data)
		patience = gp_pair_let_go(probe->session, &call, patience);
	if (counts && unlikely(probe->flags & GOPROBE_POINT_F_SPLIT))
		gp_handler_record_late(probe, regs, &split, patience);
	else if (counts && unlikely(patience != GP_STREAM_PATIENCE))
		gp_handler_record_late(probe, regs, NULL, patience);
	else if (counts)
		gp_handler_record(probe, regs);
	if (call.data)
		gp_pending_give(calls->held, call.data);
	return counts;
}

/**
 * gp_pair_end() - handle the end of a call, which may be remembered
 * @probe: paired, or timed and with a filter
 * @regs: the target's registers
 *
 * Return: the handler's return value.
 */
int gp_pair_end(const struct gp_probe *probe, const struct pt_regs *regs)
{
	/* First, so that the time after it does not count as the call's. */
	u64 now = gp_clock_read(&probe->session->calls->clock);

	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	gp_pair_finish(probe, regs, now);
	return 0;
}

/*
 * As gp_pair_end(), for a hit that matters. Return: whether the end counts as one that leaves a
 * record.
 */
bool gp_pair_try_end(const struct gp_probe *probe, const struct pt_regs *regs)
{
	return gp_pair_finish(probe, regs, gp_clock_read(&probe->session->calls->clock));
}
