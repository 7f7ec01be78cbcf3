// SPDX-License-Identifier: GPL-2.0
/* Runs of sessions: from START to an exit code, for all commands that trace and for libgoprobe. */
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/exit_code.h"
#include "trace/run.h"

/* A process that can't be waited for is looked at now and then. */
#define LOOK_AT_LEAST CLOCK_SECOND

uint64_t run_broken(const struct run *r)
{
	return r->stats[GOPROBE_STAT_BROKEN];
}

int run_start(struct run *r, struct diag *d)
{
	struct session *s = &r->session;

	r->fds = calloc(RUN_FIRST_OWN + RUN_OWN_FDS + s->target.nprocesses, sizeof(*r->fds));
	if (!r->fds)
		return diag_set(d, "out of memory");
	/* Now, and not for the first line: a ring can fill while /etc/localtime is read. */
	tzset();
	if (client_ask(s->client, GOPROBE_CMD_START, NULL, d))
		return -1;
	r->started = clock_now(CLOCK_MONOTONIC);
	r->next = r->started;
	r->end = s->o->duration ? r->started + s->o->duration : UINT64_MAX;
	session_say_started(s, r->doing, r->json);
	if (r->kind->started && r->kind->started(r, d))
		return -1;
	return s->target.command ? target_release(&s->target, d) : 0;
}

/* --- waiting ---------------------------------------------------------------- */

int run_timeout(const struct run *r)
{
	uint64_t t = clock_now(CLOCK_MONOTONIC), until = t + LOOK_AT_LEAST;

	if (client_notified(r->session.client) || (r->kind->busy && r->kind->busy(r)))
		return 0;
	until = until < r->next ? until : r->next;
	until = until < r->end ? until : r->end;
	return until > t ? (int)((until - t + CLOCK_MS - 1) / CLOCK_MS) : 0;
}

/* @other: -1: as long as it takes */
static int shorter(int ms, int other)
{
	return other >= 0 && other < ms ? other : ms;
}

static void await(struct run *r, int timeout_ms)
{
	const struct session *s = &r->session;
	size_t n = RUN_FIRST_OWN;
	int own_ms = -1;

	r->fds[0] = (struct pollfd){ .fd = client_fd(s->client), .events = POLLIN };
	r->fds[1] = (struct pollfd){ .fd = s->interrupt.fd, .events = POLLIN };
	if (r->kind->poll)
		n += r->kind->poll(r, r->fds + n, &own_ms);
	n += target_poll(&s->target, r->fds + n);
	poll(r->fds, n, shorter(shorter(run_timeout(r), timeout_ms), own_ms));
}

/* Time is up; or nobody is left that could hit something, or wants to see it. */
static bool over(struct run *r)
{
	bool ended = target_ended(&r->session.target) || clock_now(CLOCK_MONOTONIC) >= r->end;
	bool came = interrupt_came(&r->session.interrupt);

	/* A command that was interrupted too may still have work to do. */
	return ended || (came && !r->session.target.command);
}

int run_step(struct run *r, int timeout_ms, struct diag *d)
{
	int more;

	await(r, timeout_ms);
	if (over(r))
		return 0;
	more = r->kind->step(r, d);
	if (more <= 0)
		return more;
	session_look(&r->session);
	return !r->unread && !run_broken(r);
}

/* --- the end ---------------------------------------------------------------- */

int run_conclude(struct run *r, struct diag *d)
{
	session_say_broken(&r->session, run_broken(r), r->json);
	if (r->kind->print && r->kind->print(r, d))
		return -1;
	/* Nothing of the session is left while a command or a collector is waited for. */
	session_disarm(&r->session);
	return r->kind->report ? r->kind->report(r, d) : 0;
}

int run_stop(struct run *r, struct diag *d)
{
	struct session *s = &r->session;
	int err;

	if (r->kind->leave)
		r->kind->leave(r);
	session_say_end(s);
	if (r->kind->last && r->kind->last(r, d))
		return -1;
	if (!run_broken(r))
		session_say_ending(s);
	/* From now on no hit counts. To take the breakpoints away takes longer. */
	r->ns = clock_now(CLOCK_MONOTONIC) - r->started;
	if (client_ask(s->client, GOPROBE_CMD_STOP, NULL, d))
		return -1;
	err = r->kind->drain ? r->kind->drain(r, d) : client_get_stats(s->client, r->stats, d);
	return err ? -1 : run_conclude(r, d);
}

int run_exit_code(struct run *r)
{
	const struct session *s = &r->session;
	int code;

	session_await_command(&r->session);
	code = s->target.command ? target_exit_status(&s->target) : CMD_DONE;
	if (code)
		return code;
	if (run_broken(r))
		return CMD_BROKEN;
	if (s->o->strict && r->lost)
		return CMD_LOST;
	return s->plan->nmissing ? CMD_FAILED : CMD_DONE;
}

int run_all(struct run *r, struct diag *d)
{
	int more = run_start(r, d) ? -1 : 1;

	while (more > 0)
		more = run_step(r, -1, d);
	return more || run_stop(r, d) ? CMD_FAILED : run_exit_code(r);
}

void run_fini(struct run *r)
{
	free(r->fds);
	r->fds = NULL;
	session_fini(&r->session);
}
