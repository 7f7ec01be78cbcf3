// SPDX-License-Identifier: GPL-2.0
/* Runs whose records become lines, or go to a file. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "host/host.h"
#include "trace/record_run.h"
#include "trace/sink.h"

/* A READY can get lost, so look without one too. */
#define READ_AT_LEAST CLOCK_SECOND
/* What a pass held back can be shown after the next one. */
#define READ_HELD_BACK (10 * CLOCK_MS)
/*
 * While there is something to print. A pass costs little of that time. A reader that
 * shares a processor with the program may be notified late.
 */
#define READ_BUSY (5 * CLOCK_MS)
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

static struct record_run *of(struct run *r)
{
	return (struct record_run *)r;
}

static struct output *out(const struct record_run *w)
{
	return &w->graph->out;
}

void record_run_sum(const struct record_run *w, struct output_summary *s)
{
	memcpy(s->stats, w->run.stats, sizeof(s->stats));
	s->edits = w->run.session.plan && w->run.session.plan->edits;
	s->ns = w->run.ns;
}

static int flush(struct record_run *w, bool wait, struct diag *d)
{
	int err = w->recorder ? 0 : output_flush(out(w), wait);

	if (err == -EPIPE)
		w->run.unread = true;
	else if (err)
		return diag_errno(d, -err, "can't write the output");
	return 0;
}

/* Describe to the module the types that the records have shown and it does not know. */
static int learn(struct record_run *w, struct diag *d)
{
	struct learn *l = w->learn;

	if (!l->pending)
		return 0;
	l->pending = false;
	if (plan_finish(l->plan, d))
		return -1;
	if (w->recorder)
		recorder_settled(w->recorder);
	return upload_more(&w->run.session.upload, d);
}

/* A client_records_fn. */
static int take(void *ctx, uint32_t cpu, uint8_t *p, size_t len)
{
	struct record_run *w = ctx;

	return w->recorder ? recorder_add(w->recorder, cpu, p, len) :
			     stream_add(w->stream, cpu, p, len);
}

/* One pass: take all records out of the rings. They go to the file, or are held. */
static int pass(struct record_run *w, bool counts, struct client_pass *p, struct diag *d)
{
	struct client *client = w->run.session.client;

	if (client_read(client, take, w, p, d) ||
	    (counts && client_get_stats(client, w->run.stats, d)))
		return -1;
	w->time = p->time;
	if (!w->recorder) {
		clock_follow(&out(w)->epoch, &out(w)->looked);
		return 0;
	}
	return recorder_pass(w->recorder, p->time, w->run.stats, d) || learn(w, d) ? -1 : 0;
}

/* Are there records that can be printed? */
static bool is_busy(const struct record_run *w)
{
	return !w->recorder && (stream_busy(w->stream) || merge_ready(w->stream->merge, w->time));
}

/* A run_kind.busy. */
static bool busy(const struct run *r)
{
	return is_busy((const struct record_run *)r);
}

static size_t held(const struct record_run *w)
{
	return w->recorder ? 0 : merge_pending(w->stream->merge);
}

/* Print some records, oldest first; learn from them; write. */
static int print(struct record_run *w, struct diag *d)
{
	if (!stream_busy(w->stream))
		stream_round(w->stream, w->time, counters_lost(w->run.stats));
	stream_print(w->stream, PRINT_BYTES);
	return learn(w, d) || flush(w, false, d) ? -1 : 0;
}

/* Breakpoints of functions that have been seen often enough leave the program. */
static int let_go(struct record_run *w, struct diag *d)
{
	struct call_quota *t = w->times;
	struct attrs a = { 0 };

	for (; t && t->ndone; t->ndone -= a.nids) {
		a.nids = t->ndone < IDS_MAX ? t->ndone : IDS_MAX;
		a.ids = t->done + t->ndone - a.nids;
		if (client_ask(w->run.session.client, GOPROBE_CMD_POINTS_DEL, &a, d))
			return -1;
	}
	return 0;
}

/* All that was asked for is there. */
static bool full(const struct record_run *w)
{
	uint64_t most = w->run.session.o->events;

	if (w->times && !w->times->left)
		return true;
	if (!w->recorder)
		return stream_full(w->stream);
	return most && w->recorder->events >= most;
}

/* A run_kind.started: a command's own output follows the head. */
static int started(struct run *r, struct diag *d)
{
	struct record_run *w = of(r);

	if (w->recorder)
		return recorder_start(w->recorder, r->started, d);
	return host_name(out(w)->host, d) || flush(w, true, d) ? -1 : 0;
}

/* A run_kind.poll. */
static size_t fill(struct run *r, struct pollfd *fds, int *ms)
{
	*fds = (struct pollfd){ .fd = -1 };
	if (!of(r)->recorder)
		*ms = output_poll(out(of(r)), fds);
	return 1;
}

/* Look into the rings, if it is time for that. */
static int read_rings(struct record_run *w, struct diag *d)
{
	struct run *r = &w->run;
	struct client_pass p;
	uint64_t t;

	w->due |= client_ready(r->session.client) || clock_now(CLOCK_MONOTONIC) >= r->next;
	/* Too much is waiting already: the rest does so in the rings, and is lost there. */
	if (!w->due || (is_busy(w) && held(w) > HELD_MAX))
		return 0;
	if (pass(w, w->counts, &p, d))
		return -1;
	w->due = false;
	t = clock_now(CLOCK_MONOTONIC);
	if (p.backlog >= READ_BACKLOG)
		r->next = t;
	else
		r->next = t + (is_busy(w) ? READ_BUSY :
			       p.backlog || held(w) ? READ_HELD_BACK : READ_AT_LEAST);
	return 0;
}

/* A run_kind.step. */
static int step(struct run *r, struct diag *d)
{
	struct record_run *w = of(r);

	r->unread |= !out(w)->taker && r->fds[RUN_FIRST_OWN].revents & (POLLERR | POLLHUP);
	if (flush(w, false, d) || read_rings(w, d))
		return -1;
	if (is_busy(w) && print(w, d))
		return -1;
	if (let_go(w, d))
		return -1;
	return !full(w);
}

/* --- the end ---------------------------------------------------------------- */

/* Print all that is held until @until. */
static int print_until(struct record_run *w, uint64_t until, struct diag *d)
{
	w->time = until;
	while (is_busy(w))
		if (print(w, d))
			return -1;
	return 0;
}

/* A run_kind.drain. */
static int drain(struct run *r, struct diag *d)
{
	struct record_run *w = of(r);
	struct output_summary sum = { 0 };
	struct client_pass p;

	do {
		if (pass(w, true, &p, d) || print_until(w, p.time, d))
			return -1;
	} while (p.bytes);
	record_run_sum(w, w->recorder ? &sum : &w->stream->sum);
	if (w->recorder)
		return recorder_end(w->recorder, &sum, &r->session.breaker, d);
	if (print_until(w, UINT64_MAX, d) || flush(w, true, d))
		return -1;
	if (w->trees)
		graph_finish(w->graph);
	return 0;
}

/* Of a recording nothing is known but numbers. */
static void summarize_recording(struct record_run *w, struct buf *talk)
{
	struct output none = { .format = &out_text };

	record_run_sum(w, &w->stream->sum);
	w->stream->sum.events = w->recorder->events;
	if (!w->run.session.o->quiet || output_lost(&w->stream->sum))
		out_text.summary(&none, &w->stream->sum, talk);
	output_fini(&none);
}

/* A run_kind.report. */
static int report(struct run *r, struct diag *d)
{
	struct record_run *w = of(r);
	struct buf talk = { 0 };
	bool over = true;

	do {
		if (w->recorder)
			summarize_recording(w, &talk);
		else
			over = sink_talk(out(w), w->stream, r->session.o->quiet, &talk);
		if (!talk.failed)
			session_say_lines(&r->session, talk.p, talk.len);
		buf_fini(&talk);
	} while (!over);
	r->lost = output_lost(&w->stream->sum);
	/* The summary may not fit, either. */
	return w->recorder ? 0 : sink_close(out(w), d);
}

static const struct run_kind kind = {
	.started = started, .busy = busy, .poll = fill, .step = step, .drain = drain,
	.report = report,
};

void record_run_init(struct record_run *w)
{
	w->run.kind = &kind;
	w->run.doing = "tracing";
	if (!w->recorder)
		w->run.json = sink_json(out(w));
}
