// SPDX-License-Identifier: GPL-2.0
/* Watching: from START until there is a reason to end, and the end itself. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "trace/loop.h"

#define MS 1000000ULL
/* A READY can get lost, so look without one too. */
#define READ_AT_LEAST (1000 * MS)
/* What a pass held back can be shown after the next one. */
#define READ_HELD_BACK (10 * MS)
/*
 * While there is something to print. A pass costs little of that time. A reader that
 * shares a processor with the program may be notified late.
 */
#define READ_BUSY (5 * MS)
/* So much came in during a pass that the next one need not be asked for. */
#define READ_BACKLOG 65536
/*
 * Bytes of records to print before the rings are read again. Reading
 * them costs a tenth of printing them, so it comes first: what is held here is not lost.
 */
#define PRINT_BYTES 131072
/* Ids that are let go at once. */
#define IDS_MAX 1024U
/* Bytes held, at most. */
#define HELD_MAX (64U << 20)

void loop_sum(const struct loop *w, struct output_summary *s)
{
	memcpy(s->stats, w->stats, sizeof(s->stats));
	s->edits = w->upload && w->upload->plan->edits;
	s->ns = w->ns;
}

uint64_t loop_broken(const struct loop *w)
{
	return w->stats[GOPROBE_STAT_BROKEN];
}

static uint64_t lost(const struct loop *w)
{
	return counters_lost(w->stats);
}

static int flush(struct loop *w, bool wait, struct diag *d)
{
	int err = w->recorder ? 0 : output_flush(w->out, wait);

	if (err == -EPIPE)
		w->broken = true;
	else if (err)
		return diag_errno(d, -err, "can't write the output");
	return 0;
}

/* Describe to the module the types that the records have shown and it does not know. */
static int learn(struct loop *w, struct diag *d)
{
	struct learn *l = w->learn;

	if (!l->pending)
		return 0;
	l->pending = false;
	if (plan_finish(l->plan, d))
		return -1;
	if (w->recorder)
		recorder_settled(w->recorder);
	return upload_more(w->upload, d);
}

/* A client_records_fn. */
static int take(void *ctx, uint32_t cpu, uint8_t *p, size_t len)
{
	struct loop *w = ctx;

	return w->recorder ? recorder_add(w->recorder, cpu, p, len) :
			     stream_add(w->stream, cpu, p, len);
}

/* One pass: take all records out of the rings. They go to the file, or are held. */
static int pass(struct loop *w, struct client_pass *p, struct diag *d)
{
	if (client_read(w->client, take, w, p, d) ||
	    (w->counts && client_get_stats(w->client, w->stats, d)))
		return -1;
	w->time = p->time;
	if (!w->recorder) {
		clock_follow(&w->out->epoch, &w->out->looked);
		return 0;
	}
	return recorder_pass(w->recorder, p->time, w->stats, d) || learn(w, d) ? -1 : 0;
}

/* Are there records that can be printed? */
static bool busy(const struct loop *w)
{
	return !w->recorder && (stream_busy(w->stream) || merge_ready(w->stream->merge, w->time));
}

static size_t held(const struct loop *w)
{
	return w->recorder ? 0 : merge_pending(w->stream->merge);
}

/* Print some records, oldest first; learn from them; write. */
static int print(struct loop *w, struct diag *d)
{
	if (!stream_busy(w->stream))
		stream_round(w->stream, w->time, lost(w));
	stream_print(w->stream, PRINT_BYTES);
	return learn(w, d) || flush(w, false, d) ? -1 : 0;
}

/* Breakpoints of functions that have been seen often enough leave the program. */
static int let_go(struct loop *w, struct diag *d)
{
	struct call_quota *t = w->times;
	struct attrs a = { 0 };

	for (; t && t->ndone; t->ndone -= a.nids) {
		a.nids = t->ndone < IDS_MAX ? t->ndone : IDS_MAX;
		a.ids = t->done + t->ndone - a.nids;
		if (client_ask(w->client, GOPROBE_CMD_POINTS_DEL, &a, d))
			return -1;
	}
	return 0;
}

/* All that was asked for is there. */
static bool full(const struct loop *w)
{
	if (w->times && !w->times->left)
		return true;
	if (!w->recorder)
		return stream_full(w->stream);
	return w->most && w->recorder->events >= w->most;
}

int loop_timeout(const struct loop *w)
{
	uint64_t until = w->wait.next < w->wait.end ? w->wait.next : w->wait.end;
	uint64_t t = clock_now(CLOCK_MONOTONIC);

	if (busy(w) || client_notified(w->client))
		return 0;
	return until > t ? (until - t + MS - 1) / MS : 0;
}

/* @other: -1: as long as it takes */
static int shorter(int ms, int other)
{
	return other >= 0 && other < ms ? other : ms;
}

static void await(struct loop *w, int timeout_ms)
{
	struct loop_wait *wait = &w->wait;
	int most = shorter(loop_timeout(w), timeout_ms);

	wait->fds[0] = (struct pollfd){ .fd = client_fd(w->client), .events = POLLIN };
	wait->fds[1] = (struct pollfd){ .fd = w->interrupt->fd, .events = POLLIN };
	wait->fds[2] = (struct pollfd){ .fd = -1 };
	if (!w->recorder)
		most = shorter(most, output_poll(w->out, &wait->fds[2]));
	wait->n = 3 + target_poll(w->target, wait->fds + 3);
	poll(wait->fds, wait->n, most);
	w->broken |= !w->out->taker && wait->fds[2].revents & (POLLERR | POLLHUP);
}

/* Look into the rings, if it is time for that. */
static int read_rings(struct loop *w, struct diag *d)
{
	struct loop_wait *wait = &w->wait;
	struct client_pass p;
	uint64_t t;

	wait->due |= client_ready(w->client) || clock_now(CLOCK_MONOTONIC) >= wait->next;
	/* Too much is waiting already: the rest does so in the rings, and is lost there. */
	if (!wait->due || (busy(w) && held(w) > HELD_MAX))
		return 0;
	if (pass(w, &p, d))
		return -1;
	wait->due = false;
	t = clock_now(CLOCK_MONOTONIC);
	if (p.backlog >= READ_BACKLOG)
		wait->next = t;
	else
		wait->next = t + (busy(w) ? READ_BUSY :
				 p.backlog || held(w) ? READ_HELD_BACK : READ_AT_LEAST);
	return 0;
}

int loop_step(struct loop *w, int timeout_ms, struct diag *d)
{
	bool over;

	await(w, timeout_ms);
	over = target_ended(w->target) || clock_now(CLOCK_MONOTONIC) >= w->wait.end;
	/* A command that was interrupted too may still have work to do. */
	over |= interrupt_came(w->interrupt) && !w->target->command;
	if (over)
		return 0;
	if (flush(w, false, d) || read_rings(w, d))
		return -1;
	if (busy(w) && print(w, d))
		return -1;
	if (let_go(w, d))
		return -1;
	if (w->tracing)
		session_look(w->tracing);
	return !w->broken && !full(w) && !loop_broken(w);
}

/* Print all that is held until @until. */
static int print_until(struct loop *w, uint64_t until, struct diag *d)
{
	w->time = until;
	while (busy(w))
		if (print(w, d))
			return -1;
	return 0;
}

int loop_finish(struct loop *w, struct diag *d)
{
	struct output_summary sum = { 0 };
	struct client_pass p;

	if (w->tracing)
		session_say_end(w->tracing);
	if (w->tracing && !loop_broken(w))
		session_say_ending(w->tracing);
	/* From now on no hit counts. To take the breakpoints away takes longer. */
	w->ns = clock_now(CLOCK_MONOTONIC) - w->started;
	if (client_ask(w->client, GOPROBE_CMD_STOP, NULL, d))
		return -1;
	w->counts = true;
	do {
		if (pass(w, &p, d) || print_until(w, p.time, d))
			return -1;
	} while (p.bytes);
	loop_sum(w, w->recorder ? &sum : &w->stream->sum);
	if (w->recorder)
		return recorder_end(w->recorder, &sum, w->tracing ? &w->tracing->breaker : NULL, d);
	return print_until(w, UINT64_MAX, d) || flush(w, true, d) ? -1 : 0;
}

int loop_start(struct loop *w, struct diag *d)
{
	/* Now, and not for the first line: a ring can fill while /etc/localtime is read. */
	tzset();
	if (client_ask(w->client, GOPROBE_CMD_START, NULL, d))
		return -1;
	w->started = clock_now(CLOCK_MONOTONIC);
	return w->recorder ? recorder_start(w->recorder, w->started, d) : 0;
}

int loop_begin(struct loop *w, struct diag *d)
{
	w->wait.fds = calloc(3 + w->target->nprocesses, sizeof(*w->wait.fds));
	if (!w->wait.fds)
		return diag_set(d, "out of memory");

	/* At once: the module notifies a reader only after its first pass. */
	w->wait.next = w->started;
	w->wait.end = w->duration ? w->started + w->duration : UINT64_MAX;
	if (!w->recorder && flush(w, true, d))
		return -1;
	return w->target->command ? target_release(w->target, d) : 0;
}

void loop_fini(struct loop *w)
{
	free(w->wait.fds);
	w->wait.fds = NULL;
}

int loop_run(struct loop *w, struct diag *d)
{
	int more = loop_begin(w, d) ? -1 : 1;

	while (more > 0)
		more = loop_step(w, -1, d);
	if (!more)
		more = loop_finish(w, d);
	loop_fini(w);
	return more;
}
