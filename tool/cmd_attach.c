// SPDX-License-Identifier: GPL-2.0
/* goprobectl attach: watch the calls of functions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attachopt.h"
#include "lines.h"
#include "recorder.h"
#include "stream.h"
#include "tracing.h"
#include "watch.h"

/**
 * struct attach - a run of the command
 * @opt: what was asked for
 * @tracing: what is traced, and by which session
 * @out: where lines go
 * @learn: what they show that the module does not know
 * @stream: records on their way there
 * @recorder: where records go instead, with --record
 * @watch: the session being watched
 * @times: of --times: which functions have been seen so often
 */
struct attach {
	struct attachopt opt;
	struct tracing tracing;
	struct out out;
	struct learn learn;
	struct stream stream;
	struct recorder recorder;
	struct watch watch;
	struct times times;
};

/* --- setting up ------------------------------------------------------ */

static bool shows_pids(const struct attach *a)
{
	return a->opt.what.file || a->tracing.target.nprocesses > 1;
}

static int open_recording(struct attach *a, struct diag *d)
{
	const char **specs = calloc(a->opt.what.nspecs, sizeof(*specs));
	int err = specs ? 0 : diag_set(d, "out of memory");

	for (size_t i = 0; specs && i < a->opt.what.nspecs; i++)
		specs[i] = a->opt.what.specs[i].text;
	if (!err)
		err = recorder_open(&a->recorder, a->opt.record, d);
	if (!err)
		err = recorder_begin(&a->recorder, &(struct recorder_source){
			.plan = a->tracing.plan, .options = &a->opt.plan,
			.bins = a->tracing.target.bins, .nbins = a->tracing.target.nbins,
			.specs = specs, .nspecs = a->opt.what.nspecs, .pids = shows_pids(a),
		}, &a->learn, d);
	free(specs);
	a->watch.recorder = &a->recorder;
	a->watch.most = a->opt.events;
	return err;
}

static int open_output(struct attach *a, struct diag *d)
{
	const struct lines_opt opt = {
		.format = a->opt.format,
		.output = a->opt.output,
		.events = a->opt.events,
		.pretty = a->opt.pretty,
		.quiet = a->opt.quiet,
		.paired = !a->opt.plan.no_return,
		.pids = shows_pids(a),
	};

	if (lines_open(&a->out, &a->stream, a->tracing.plan, &opt, d))
		return -1;
	a->stream.learn = &a->learn;
	a->stream.learn_panics = !learn_possible(a->tracing.plan);
	return 0;
}

/* --- running --------------------------------------------------------- */

static int count_times(struct attach *a, struct diag *d)
{
	if (times_init(&a->times, a->tracing.plan, a->opt.plan.limits.times))
		return diag_set(d, "out of memory");
	a->stream.times = &a->times;
	a->watch.times = &a->times;
	return 0;
}

static int set_up(struct attach *a, struct diag *d)
{
	struct tracing *t = &a->tracing;

	t->quiet = a->opt.quiet;
	t->held = a->opt.held;
	t->load = a->opt.load;
	if (tracing_open(t, &a->opt.what, d) ||
	    tracing_plan(t, &a->opt.what, &a->opt.plan, d))
		return -1;
	if (t->plan->delays && !t->quiet)
		fprintf(stderr, "warning: a delay holds the thread: what stops the world, such as a garbage collection, waits for it\n");
	learn_init(&a->learn, t->plan);
	/* Before anything is probed: it takes its time, and may fail. */
	if (a->opt.record && open_recording(a, d))
		return -1;
	if (tracing_arm(t, a->opt.lossless ? GOPROBE_SESSION_F_LOSSLESS : 0, a->opt.ring_bytes,
			d) ||
	    (!a->opt.record && open_output(a, d)))
		return -1;
	a->watch.client = t->client;
	a->watch.target = &t->target;
	a->watch.upload = &t->upload;
	a->watch.interrupt = &t->interrupt;
	a->watch.learn = &a->learn;
	a->watch.stream = &a->stream;
	a->watch.out = &a->out;
	a->watch.duration = a->opt.duration;
	/* Losses matter to those who join calls with returns, and numbers to --events. */
	a->watch.counts = !a->opt.plan.no_return || a->watch.most || t->breaker.percent;
	return a->opt.plan.limits.times ? count_times(a, d) : 0;
}

/* Of a recording nothing is known but numbers. */
static void summarize_recording(struct attach *a)
{
	struct out out = { .format = &out_text };
	struct out_summary s = { 0 };
	struct buf talk = { 0 };

	watch_sum(&a->watch, &s);
	s.events = watch_events(&a->watch);
	if (!a->opt.quiet || out_lost(&s)) {
		out_text.summary(&out, &s, &talk);
		fprintf(stderr, "%.*s", (int)talk.len, talk.len ? talk.p : "");
	}
	if (!a->opt.quiet)
		fprintf(stderr, "recorded in %s: %" PRIu64 " bytes; goprobectl replay prints it\n",
			a->opt.record, a->recorder.bytes);
	buf_fini(&talk);
}

static void summarize(struct attach *a)
{
	if (a->opt.record) {
		tracing_say_broken(&a->tracing, watch_broken(&a->watch), NULL);
		summarize_recording(a);
	} else {
		lines_broken(&a->out, &a->tracing, watch_broken(&a->watch));
		lines_summary(&a->out, &a->stream, a->opt.quiet);
	}
}

static bool lost_any(const struct attach *a)
{
	struct out_summary s = a->stream.sum;

	watch_sum(&a->watch, &s);
	return out_lost(&s);
}

static int watch(struct attach *a, struct diag *d)
{
	if (watch_start(&a->watch, d))
		return CMD_FAILED;
	tracing_say_started(&a->tracing, "tracing");
	if (watch_run(&a->watch, d))
		return CMD_FAILED;
	summarize(a);
	/* Whatever is left of the session goes before the command is waited for. */
	tracing_disarm(&a->tracing);
	interrupt_await_command(&a->tracing.interrupt);

	int code = a->tracing.target.command ? target_exit_status(&a->tracing.target) : CMD_DONE;

	if (code)
		return code;
	return watch_broken(&a->watch) ? CMD_BROKEN : a->opt.strict && lost_any(a) ? CMD_LOST :
										     CMD_DONE;
}

static void clean_up(struct attach *a)
{
	learn_fini(&a->learn);
	tracing_fini(&a->tracing);
	stream_fini(&a->stream);
	recorder_fini(&a->recorder);
	times_fini(&a->times);
	out_fini(&a->out);
	attachopt_fini(&a->opt);
}

static int run(int argc, char **argv, struct diag *d)
{
	struct attach *a = calloc(1, sizeof(*a));

	if (!a) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}

	int code = attachopt_parse(&a->opt, argc, argv, d);

	if (code == CMD_DONE)
		code = set_up(a, d) ? CMD_FAILED : watch(a, d);
	clean_up(a);
	free(a);
	return code;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.summary = "print calls and returns of functions as they happen",
	.help = attachopt_help,
	.run = run,
};
