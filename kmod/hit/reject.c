// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that have not passed their filter. A call among them still says something of the open calls.
 *
 * Context of all: a handler, preemption on.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>

#include "hit/filter.h"
#include "hit/hit.h"
#include "hit/reject.h"
#include "session/probe.h"
#include "session/session.h"
#include "stats/calls.h"
#include "stats/tally.h"

/**
 * gp_reject_call() - handle a call that has not passed its filter
 * @probe: paired or timed
 * @regs: the target's registers
 *
 * The call still shows which calls have ended without returning. Its return must not be taken for
 * that of an earlier call of the same function, which is possible only if one is open. Where a tree
 * of calls begins depends on the calls of all functions.
 *
 * Return: 0.
 */
noinline int gp_reject_call(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_own_g own;

	/* data_race(): points that are added meanwhile may see this hit or not. */
	if (data_race(probe->tally->counts_open && !probe->tally->roots) &&
	    !atomic_read(&probe->tally->open))
		return 0;
	if (gp_hit_await_g(probe, regs, &own))
		gp_calls_pass_by(probe->session->calls, gp_hit_key(&own),
				 gp_calls_depth(own.depth));
	return 0;
}

/* Remember a muted call: for the calls in it, and for nothing else. */
static int gp_reject_muted(const struct gp_probe *probe, const struct pt_regs *regs,
			   enum gp_verdict verdict)
{
	struct gp_session *s = probe->session;
	struct gp_own_g own;

	if (gp_hit_await_g(probe, regs, &own) &&
	    gp_calls_open(s->calls, gp_hit_key(&own), gp_calls_depth(own.depth),
			  probe->tally->muted, 0) != GP_CALLS_KEPT)
		gp_hit_no_space(s, GOPROBE_STAT_NO_SPACE);
	else
		gp_hit_stat(s, gp_hit_verdict_stat(verdict));
	return 0;
}

/**
 * gp_reject_hit() - handle a hit that has not passed its filter
 * @probe: paired or timed
 * @regs: the target's registers
 * @verdict: of the filter
 *
 * Return: 0.
 */
noinline int gp_reject_hit(const struct gp_probe *probe, const struct pt_regs *regs,
			   enum gp_verdict verdict)
{
	if (probe->remembers && verdict & GP_VERDICT_F_MUTED)
		return gp_reject_muted(probe, regs, verdict);
	gp_hit_rejected(probe, verdict);
	return probe->remembers ? gp_reject_call(probe, regs) : 0;
}
