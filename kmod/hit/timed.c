// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that time calls, where the fast path of handler.c is not possible.
 *
 * A call that may begin or end without a trap is open in a slot of its process (jump/slots.h) or,
 * where the slot is taken or the process has none yet, in the session's table (stats/calls.h). Its
 * end finds it in either. No call is ever moved, and a call in a slot is newer than one of the same
 * goroutine and depth in the table. All other calls are in the table.
 *
 * Context of all: a handler, preemption on.
 */
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "arch/arch.h"
#include "hit/hit.h"
#include "hit/timed.h"
#include "jump/jump.h"
#include "jump/slots.h"
#include "session/file.h"
#include "session/session.h"
#include "stats/calls.h"
#include "stats/tally.h"

/* A call in a slot has ended without returning. */
static void gp_timed_unwound(struct gp_session *s, u32 id)
{
	const struct gp_tally *tally = gp_tallies_find(&s->tallies, id);

	/* A program can write any id there. */
	if (!tally || !READ_ONCE(tally->remote))
		return;
	gp_tally_from_slot(tally);
	gp_tally_unwound(tally);
}

/* The slots of the process, or NULL. Context: rcu_read_lock(). */
static const struct gp_slots *gp_timed_slots(const struct gp_probe *probe)
{
	return gp_slots_find(&probe->session->objects.files[probe->file]->slots, current->mm);
}

/* Open a call in its slot. Return: false if it can't be there. */
static bool gp_timed_open(const struct gp_probe *probe, const struct gp_own_g *own)
{
	struct gp_session *s = probe->session;
	enum gp_slot_end end = GP_SLOT_TAKEN;
	const struct gp_slots *slots;
	u32 id = probe->id;

	rcu_read_lock();
	slots = gp_timed_slots(probe);
	if (slots)
		end = gp_slot_open(gp_slots_of(slots, own->g, own->depth), own->g, own->depth,
				   gp_clock_read(&s->calls->clock), &id);
	if (end != GP_SLOT_TAKEN)
		gp_tally_to_slot(probe->tally);
	if (end == GP_SLOT_REPLACED)
		gp_timed_unwound(s, id);
	rcu_read_unlock();
	return end != GP_SLOT_TAKEN;
}

static bool gp_timed_close(const struct gp_probe *probe, const struct gp_own_g *own, u64 now)
{
	const struct gp_slots *slots;
	bool found = false;
	u64 began;

	rcu_read_lock();
	slots = gp_timed_slots(probe);
	if (slots)
		found = gp_slot_close(gp_slots_of(slots, own->g, own->depth), own->g, own->depth,
				      probe->id, &began);
	/* The program can write any time there. */
	if (found)
		began = max(began, slots->since);
	/* With the slot, so that the call is always counted once: gp_slots_free(). */
	if (found)
		gp_tally_from_slot(probe->tally);
	rcu_read_unlock();
	if (found)
		gp_tally_return(probe->tally,
				gp_clock_passed(&probe->session->calls->clock, began, now));
	return found;
}

/* Can the call begin or end in its slot? Then it has. */
static bool gp_timed_in_slot(const struct gp_probe *probe, const struct gp_own_g *own, u64 now)
{
	if (probe->way != GP_WAY_TIMED)
		return false;
	return probe->point_kind == GOPROBE_POINT_CALL ? gp_timed_open(probe, own) :
							  gp_timed_close(probe, own, now);
}

int gp_timed_hit(const struct gp_probe *probe, const struct pt_regs *regs, u64 now)
{
	struct gp_session *s = probe->session;
	struct gp_own_g own;

	if (!gp_hit_matters(probe, regs))
		return gp_hit_does_not_matter(probe, regs);
	if (!gp_hit_await_g(probe, regs, &own)) {
		gp_hit_stat(s, GOPROBE_STAT_NO_GOROUTINE);
		return 0;
	}
	if (gp_timed_in_slot(probe, &own, now))
		return 0;
	if (probe->point_kind != GOPROBE_POINT_CALL) {
		if (gp_calls_leave(s->calls, gp_hit_key(&own), gp_calls_depth(own.depth),
				   probe->tally, now) != GP_CALLS_ENDED)
			gp_hit_stat(s, GOPROBE_STAT_NO_CALL);
	} else if (gp_calls_enter(s->calls, gp_hit_key(&own), gp_calls_depth(own.depth),
				  probe->tally) != GP_CALLS_KEPT) {
		gp_hit_no_space(s, GOPROBE_STAT_NO_SPACE);
	}
	return 0;
}

/*
 * A call has taken @ns, as its program says: less or more than all before it in its process and on
 * CPUs that share its times.
 */
static void gp_timed_extreme(const struct gp_jump *j, u64 ns, u64 now)
{
	const struct gp_clock *clock = &j->probe->session->calls->clock;
	const struct gp_remote_counter *counter = &j->times->counter;
	const struct gp_tally *tally = j->probe->tally;
	struct gp_detour_times *its;

	ns = min(ns, gp_clock_passed(clock, j->space->slots->since, now));
	gp_tally_from_slot(tally);
	gp_tally_return(tally, ns);
	preempt_disable();
	its = page_address(counter->pages[smp_processor_id() % counter->npages]) + counter->offset;
	WRITE_ONCE(its->min, min(READ_ONCE(its->min), ns));
	WRITE_ONCE(its->max, min_t(u64, max(READ_ONCE(its->max), ns), GP_DETOUR_LONGEST));
	preempt_enable();
}

int gp_timed_land(const struct gp_jump *j, const struct pt_regs *regs)
{
	const struct gp_probe *probe = j->probe;
	u64 now = gp_clock_read(&probe->session->calls->clock);

	if (!j->site.frame || gp_arch_detour_end(regs) != GP_DETOUR_END_EXTREME)
		return gp_timed_hit(probe, regs, now);
	/* Its other calls count even after the session's end, but a child's don't. */
	if (current->mm != j->space->mm)
		return gp_hit_does_not_matter(probe, regs);
	gp_timed_extreme(j, gp_detour_ns(gp_arch_detour_ns(regs), probe->jump->rate), now);
	return 0;
}
