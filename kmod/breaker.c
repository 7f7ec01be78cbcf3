// SPDX-License-Identifier: GPL-2.0
/*
 * Stops a session whose hits take too much of the programs' time.
 *
 * What a hit takes is mostly the exception, before and after our handler, so hits are
 * counted, not measured; what one takes on this machine the client has found out. And because
 * it is the exception, it is no use to do less in the handler: the breakpoints go.
 *
 * Locking: the work takes the session's turn. So it is waited for without.
 */
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mutex.h>

#include "breaker.h"
#include "session.h"
#include "stream.h"

#define GP_BREAKER_ROUNDS	4
#define GP_BREAKER_ROUND_MS	(GOPROBE_BREAKER_MS / GP_BREAKER_ROUNDS)

/* With many ids and processors to look at takes long: a round is so many times as long. */
#define GP_BREAKER_REST		10

/* Hits per second since the last look; *@percent: of a processor's time. */
static u64 gp_breaker_rate(struct gp_breaker *b, u64 hits, u64 now, u64 *percent)
{
	u64 ms = max_t(u64, div_u64(now - b->time, NSEC_PER_MSEC), 1), n = hits - b->hits;

	b->hits = hits;
	b->time = now;
	/* Whatever the client says a hit takes, there are not 2^32 of them in a round. */
	*percent = div64_u64(min_t(u64, n, U32_MAX) * b->wish.hit_ns, ms * (NSEC_PER_MSEC / 100));
	return div64_u64(n * MSEC_PER_SEC, ms);
}

/* To look took @ns. */
static void gp_breaker_queue(struct gp_breaker *b, u64 ns)
{
	u64 rest = div_u64(ns, NSEC_PER_MSEC / GP_BREAKER_REST);

	gp_stream_queue(&b->work, clamp_t(u64, rest, GP_BREAKER_ROUND_MS, 10 * MSEC_PER_SEC));
}

static void gp_breaker_look(struct work_struct *work)
{
	struct gp_breaker *b = container_of(to_delayed_work(work), struct gp_breaker, work);
	struct gp_session *s = container_of(b, struct gp_session, breaker);
	u64 rate, percent, began, now, hits;

	mutex_lock(&s->turn);
	if (s->stopped)
		goto out;
	began = ktime_get_ns();
	hits = gp_session_hits(s);
	now = ktime_get_ns();
	rate = gp_breaker_rate(b, hits, now, &percent);
	b->strikes = percent > b->wish.percent ? b->strikes + 1 : 0;
	if (b->strikes < GP_BREAKER_ROUNDS) {
		gp_breaker_queue(b, now - began);
		goto out;
	}
	WRITE_ONCE(b->broken, max_t(u64, rate, 1));
	gp_session_stop(s);
	gp_stream_tell(s);
out:
	mutex_unlock(&s->turn);
}

/**
 * gp_breaker_init() - prepare a session's breaker
 * @b: the breaker
 * @wish: when; with 0 %, never
 */
void gp_breaker_init(struct gp_breaker *b, const struct goprobe_breaker *wish)
{
	b->wish = *wish;
	INIT_DELAYED_WORK(&b->work, gp_breaker_look);
}

/*
 * The session has points, whose hits take time whether or not they leave anything. Any number of
 * times. Context: its turn.
 */
void gp_breaker_start(struct gp_session *s)
{
	struct gp_breaker *b = &s->breaker;

	if (!b->wish.percent || b->time)
		return;
	b->hits = gp_session_hits(s);
	b->time = ktime_get_ns();
	gp_breaker_queue(b, 0);
}

/* The session has stopped, for good. Context: not its turn. */
void gp_breaker_stop(struct gp_session *s)
{
	cancel_delayed_work_sync(&s->breaker.work);
}
