// SPDX-License-Identifier: GPL-2.0
/*
 * Parts of hits that several kinds share, out of line: rare cases, and code that is not worth
 * several copies.
 */
#include <linux/errno.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/uprobes.h>

#include "arch/usercopy.h"
#include "capture/call_stack.h"
#include "capture/faultin.h"
#include "hit/hit.h"
#include "ring/ring.h"
#include "session/point.h"
#include "session/reap.h"

/* Count a hit that leaves nothing else. */
noinline void gp_hit_stat(struct gp_session *s, enum goprobe_stat stat)
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

/* Count a hit that found no space; exited processes may hold some. */
noinline void gp_hit_no_space(struct gp_session *s, enum goprobe_stat stat)
{
	gp_hit_stat(s, stat);
	gp_reap_soon(s);
}

/*
 * Count a hit that does not matter. Return: the handler's return value; the same for all probes of
 * a point, if no session traces this process.
 */
noinline int gp_hit_does_not_matter(const struct gp_probe *probe, const struct pt_regs *regs)
{
	struct gp_session *s = probe->session;

	if (!gp_session_wants_current(s)) {
		gp_hit_stat(s, GOPROBE_STAT_OTHER_PROCESS);
		return gp_point_leaves(probe->point) ? UPROBE_HANDLER_REMOVE : 0;
	}
	/* Last, because the session may have started since: NOT_STARTED is what remains. */
	gp_hit_stat(s, gp_arch_skips(probe->skip, regs) ? GOPROBE_STAT_RESTARTS :
		    GOPROBE_STAT_NOT_STARTED);
	return 0;
}

/* Counter of a hit that has not passed. */
enum goprobe_stat gp_hit_verdict_stat(enum gp_verdict verdict)
{
	static const enum goprobe_stat stats[] = {
		[GP_VERDICT_REJECTS] = GOPROBE_STAT_FILTERED,
		[GP_VERDICT_UNDECIDED] = GOPROBE_STAT_UNDECIDED,
		[GP_VERDICT_LIMITED] = GOPROBE_STAT_LIMITED,
		[GP_VERDICT_SAMPLED] = GOPROBE_STAT_SAMPLED,
	};

	return stats[verdict & ~GP_VERDICT_F_MUTED];
}

/* Count a hit that has not passed its filter; for a timed call, its end. */
noinline void gp_hit_rejected(const struct gp_probe *probe, enum gp_verdict verdict)
{
	if (probe->then == GP_WAY_END && READ_ONCE(probe->tally->times))
		gp_tally_filtered(probe->tally);
	gp_hit_stat(probe->session, gp_hit_verdict_stat(verdict));
}

/* The goroutine of a record, with g from TLS. Context: page faults disabled. */
noinline void gp_hit_goroutine_tls(const struct gp_probe *probe, unsigned long sp,
				   struct gp_goroutine *go)
{
	unsigned long at = gp_arch_thread_pointer() + probe->runtime->g_tls, g = 0;
	bool absent = gp_user_copy(&g, at, sizeof(g));

	gp_goroutine_find(probe->runtime, g, sp, go);
	if (absent)
		go->absent = at;
}

/* As gp_hit_own_g(), with g from the register or from TLS. */
bool gp_hit_any_g(const struct gp_probe *probe, const struct pt_regs *regs,
		  struct gp_own_g *own)
{
	unsigned long at, g;
	bool absent;

	if (probe->g_reg >= 0) {
		g = gp_hit_g_reg(probe, regs);
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

/*
 * Write the call stack into the frame, which gp_capture_run() has cleared. Where a frame of it is
 * unreadable, the stack ends. Return: 0, or -EAGAIN: bring faultin->address in, then run again.
 */
noinline int gp_hit_call_stack(const struct gp_probe *probe, struct gp_capture *c)
{
	u64 *to = (u64 *)(c->to + probe->plan->w.stack);
	struct gp_own_g own;
	int status;
	u32 n = 0;

	if (!gp_hit_any_g(probe, c->regs, &own))
		status = own.absent ? gp_faultin_ask(c->faultin, own.absent) : 0;
	else
		status = gp_call_stack(c, c->sp + own.depth, to + 1, probe->plan->w.nstack, &n);
	*to = n;
	return status < 0 ? status : 0;
}

/* As gp_hit_any_g(); brings absent memory in. Return: false if there is no such g. */
bool gp_hit_await_g(const struct gp_probe *probe, const struct pt_regs *regs,
		    struct gp_own_g *own)
{
	struct gp_faultin faultin GP_UNINITIALIZED;

	gp_faultin_init(&faultin);
	while (!gp_hit_any_g(probe, regs, own)) {
		if (!own->absent || gp_faultin_ask(&faultin, own->absent) != -EAGAIN)
			return false;
		gp_faultin_serve(&faultin);
	}
	return true;
}
