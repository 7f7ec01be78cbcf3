// SPDX-License-Identifier: GPL-2.0
/* Start and stop of a session. */
#include <linux/compiler.h>
#include <linux/preempt.h>
#include <asm/barrier.h>

#include "control/points_del.h"
#include "control/refuse.h"
#include "control/session_run.h"
#include "control/trapless.h"
#include "jump/notebook.h"
#include "session/session.h"
#include "session/stream.h"

/* Context: the session's turn, as for gp_session_stop(). */
int gp_session_start(struct gp_session *s, struct netlink_ext_ack *extack)
{
	/* The statistics report the stop. */
	if (s->breaker.broken)
		return 0;
	if (s->stopped)
		return gp_refuse_stopped(s, extack);
	WRITE_ONCE(s->running, true);
	gp_trapless_start(s);
	return 0;
}

/**
 * gp_session_stop() - remove every breakpoint and wait for the handlers
 * @s: the session; the caller has its turn, and not its lock
 */
void gp_session_stop(struct gp_session *s)
{
	if (s->stopped)
		return;
	s->stopped = true;
	/* In one moment, so that no call is missing between two that are there. */
	preempt_disable();
	WRITE_ONCE(s->running, false);
	gp_notebook_stop(s->notebook);
	preempt_enable();
	gp_stream_wake_waiters(s);
	gp_points_del_all(s);
	/* The last losses are seen before the session is seen as quiet. */
	smp_store_release(&s->quiet, true);
}
