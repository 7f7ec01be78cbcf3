// SPDX-License-Identifier: GPL-2.0
/* Watching: from START until there is a reason to end, and the end itself. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "watch.h"

#define MS 1000000ULL
/* A READY can get lost, so look without one too. */
#define READ_AT_LEAST (1000 * MS)
/* What a pass held back can be shown after the next one. */
#define READ_HELD_BACK (10 * MS)
/* So much came in during a pass that the next one need not be asked for. */
#define READ_BACKLOG 65536

int watch_signals(struct watch *w, struct diag *d)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	w->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (w->signals < 0)
		return diag_errno(d, errno, "can't wait for signals");
	/* Blocked, not ignored: that would be inherited by the command. */
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, &w->mask);
	return 0;
}

bool watch_interrupted(struct watch *w)
{
	struct signalfd_siginfo si;

	while (read(w->signals, &si, sizeof(si)) == sizeof(si)) {
		w->interrupted = true;
		/* Ctrl-C reaches the command by itself, kill(1) does not. */
		if (w->target->command && w->target->go < 0 && !w->target->processes[0].gone &&
		    si.ssi_code <= 0)
			kill(w->target->processes[0].pid, si.ssi_signo);
	}
	if (w->interrupted) {
		/* The next one ends goprobectl at once; the kernel cleans up. */
		sigset_t again = w->mask;

		sigaddset(&again, SIGPIPE);
		sigprocmask(SIG_SETMASK, &again, NULL);
	}
	return w->interrupted;
}

static uint64_t lost(const struct watch *w)
{
	return w->stats[GOPROBE_STAT_LOST_RING_FULL] + w->stats[GOPROBE_STAT_LOST_NO_RING];
}

static int flush(struct watch *w, bool wait, struct diag *d)
{
	int err = out_flush(w->out, wait);

	if (err == -EPIPE)
		w->broken = true;
	else if (err)
		return diag_errno(d, -err, "can't write the output");
	return 0;
}

/* Tell the module what the records have shown that it does not know. */
static int learn(struct watch *w, struct diag *d)
{
	struct learn *l = w->stream->learn;

	if (!l || !l->pending)
		return 0;
	l->pending = false;
	return plan_finish(l->plan, d) || upload_more(w->upload, d) ? -1 : 0;
}

/* One pass: read, print, learn, flush. @all: hold nothing back. */
static int pass(struct watch *w, bool all, struct client_pass *p, struct diag *d)
{
	if (client_read(w->client, stream_add, w->stream, p, d) ||
	    client_get_stats(w->client, w->stats, d))
		return -1;
	stream_print(w->stream, all ? UINT64_MAX : p->time, lost(w));
	if (learn(w, d))
		return -1;
	return flush(w, all, d);
}

/**
 * struct waiting - what to wait for
 * @fds: the client, the signals, the output, then processes
 * @n: their number
 * @next: when to read at the latest
 * @end: when to end at the latest
 */
struct waiting {
	struct pollfd *fds;
	size_t n;
	uint64_t next;
	uint64_t end;
};

static void await(struct watch *w, struct waiting *wait)
{
	uint64_t until = wait->next < wait->end ? wait->next : wait->end;
	uint64_t t = clock_now(CLOCK_MONOTONIC);

	wait->fds[0] = (struct pollfd){ .fd = client_fd(w->client), .events = POLLIN };
	wait->fds[1] = (struct pollfd){ .fd = w->signals, .events = POLLIN };
	/* That nobody reads any more is told without being asked for. */
	wait->fds[2] = (struct pollfd){ .fd = w->out->fd,
					.events = out_pending(w->out) ? POLLOUT : 0 };
	wait->n = 3;
	for (size_t i = 0; i < w->target->nprocesses; i++) {
		const struct target_process *p = &w->target->processes[i];

		if (!p->gone && p->pidfd >= 0)
			wait->fds[wait->n++] = (struct pollfd){ .fd = p->pidfd,
								.events = POLLIN };
	}
	poll(wait->fds, wait->n, until > t ? (until - t + MS - 1) / MS : 0);
	w->broken |= wait->fds[2].revents & (POLLERR | POLLHUP);
}

/* Until there is a reason to end. */
static int loop(struct watch *w, struct waiting *wait, struct diag *d)
{
	for (;;) {
		await(w, wait);

		bool over = target_ended(w->target) || clock_now(CLOCK_MONOTONIC) >= wait->end;

		/* A command that was interrupted too may still have work to do. */
		over |= watch_interrupted(w) && !w->target->command;
		if (over)
			return 0;
		if (flush(w, false, d))
			return -1;
		if (w->broken)
			return 0;
		if (!client_ready(w->client) && clock_now(CLOCK_MONOTONIC) < wait->next)
			continue;

		struct client_pass p;

		if (pass(w, false, &p, d))
			return -1;
		if (w->broken || stream_full(w->stream))
			return 0;
		wait->next = clock_now(CLOCK_MONOTONIC);
		if (p.backlog < READ_BACKLOG)
			wait->next += merge_pending(w->stream->merge) ? READ_HELD_BACK :
									READ_AT_LEAST;
	}
}

/* No more breakpoints; print what is left in the rings. */
static int finish(struct watch *w, struct diag *d)
{
	struct client_pass p;

	if (client_stop(w->client, d))
		return -1;
	w->stream->sum.ns = clock_now(CLOCK_MONOTONIC) - w->started;
	do {
		if (pass(w, false, &p, d))
			return -1;
	} while (p.bytes);
	return pass(w, true, &p, d);
}

int watch_start(struct watch *w, struct diag *d)
{
	if (client_start(w->client, d))
		return -1;
	w->started = clock_now(CLOCK_MONOTONIC);
	return flush(w, true, d);
}

int watch_run(struct watch *w, struct diag *d)
{
	int err = 0;
	struct waiting wait = {
		.fds = calloc(3 + w->target->nprocesses, sizeof(*wait.fds)),
	};

	if (!wait.fds)
		return diag_set(d, "out of memory");

	wait.next = w->started + READ_HELD_BACK;
	wait.end = w->duration ? w->started + w->duration : UINT64_MAX;
	if (w->target->command)
		err = target_release(w->target, d);
	if (!err)
		err = loop(w, &wait, d);
	if (!err)
		err = finish(w, d);
	free(wait.fds);
	return err;
}

void watch_command(struct watch *w)
{
	struct target *t = w->target;

	while (t->command && !target_ended(t)) {
		struct pollfd fds[] = {
			{ .fd = w->signals, .events = POLLIN },
			{ .fd = t->processes[0].pidfd, .events = POLLIN },
		};

		poll(fds, 2, t->processes[0].pidfd >= 0 ? -1 : 100);
		watch_interrupted(w);
	}
}
