// SPDX-License-Identifier: GPL-2.0
/* libgoprobe: a trace, from what it is told to its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "libgoprobe/internal.h"
#include "libgoprobe/option_check.h"
#include "libgoprobe/option_value.h"
#include "plan/select.h"
#include "version.h"

const char *goprobe_version(void)
{
	return GOPROBECTL_VERSION;
}

struct goprobe_trace *goprobe_trace_new(void)
{
	struct goprobe_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->plan = plan_defaults;
	t->lines.format = &out_text;
	t->recorder.fd = -1;
	return t;
}

static void free_all(char **v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i]);
	free(v);
}

void goprobe_trace_free(struct goprobe_trace *t)
{
	size_t argc = 0;

	if (!t)
		return;
	watch_fini(&t->watch);
	learn_fini(&t->learn);
	tracing_fini(&t->tracing);
	stream_fini(&t->stream);
	recorder_fini(&t->recorder);
	times_fini(&t->times);
	replay_fini(&t->replay);
	out_fini(&t->out);
	out_fini(&t->json);
	free(t->texts);
	select_specs_free(t->what.specs, t->what.specs ? t->what.nspecs : 0);
	free_all(t->specs, t->what.nspecs);
	free_all(t->what.pids, t->what.npids);
	while (t->what.command && t->what.command[argc])
		argc++;
	free_all(t->what.command, argc);
	free((char *)(uintptr_t)t->what.file);
	free(t->path);
	free(t->record);
	diag_fini(&t->diag);
	free(t);
}

/* --- what has gone wrong --------------------------------------------------- */

const char *goprobe_trace_error(const struct goprobe_trace *t)
{
	return t->diag.message;
}

const char *goprobe_trace_hint(const struct goprobe_trace *t)
{
	return t->diag.hint;
}

const char *goprobe_trace_place(const struct goprobe_trace *t, size_t *at, size_t *len)
{
	*at = t->diag.at;
	*len = t->diag.len;
	return t->diag.text;
}

static int no_memory(struct goprobe_trace *t)
{
	return diag_set(&t->diag, "out of memory");
}

/* --- what is traced -------------------------------------------------------- */

/* It can still be told what to trace. */
static int check_new(struct goprobe_trace *t, const char *what)
{
	return t->state == TRACE_NEW ? 0 :
	       diag_set(&t->diag, "%s can't be changed any more: the plan has been made", what);
}

/* Room for one more of @n texts, and a copy of @text behind them. */
static int append(struct goprobe_trace *t, char ***v, size_t *n, const char *text)
{
	char **more = realloc(*v, (*n + 1) * sizeof(*more));

	if (!more)
		return no_memory(t);
	*v = more;
	more[*n] = strdup(text);
	if (!more[*n])
		return no_memory(t);
	++*n;
	return 0;
}

static int check_replay(struct goprobe_trace *t)
{
	return t->replay.path ?
	       diag_set(&t->diag, "a recording says itself what was traced") : 0;
}

/* A process, or a file, is to be traced. */
static int check_running(struct goprobe_trace *t)
{
	if (check_new(t, "what is traced") || check_replay(t))
		return -1;
	return t->what.command ?
	       diag_set(&t->diag, "a command excludes processes and a file") : 0;
}

/* A command or a recording is to be traced. */
static int check_alone(struct goprobe_trace *t)
{
	if (check_new(t, "what is traced") || check_replay(t))
		return -1;
	return t->what.file || t->what.command || t->what.npids ?
	       diag_set(&t->diag, "a command, or a recording, is traced alone") : 0;
}

int goprobe_trace_pid(struct goprobe_trace *t, int pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	if (check_running(t) || target_check_pids(text, &t->diag))
		return -1;
	return append(t, &t->what.pids, &t->what.npids, text);
}

int goprobe_trace_file(struct goprobe_trace *t, const char *path)
{
	if (check_running(t))
		return -1;
	if (t->what.file)
		return diag_set(&t->diag, "only one file can be traced");
	t->what.file = strdup(path);
	return t->what.file ? 0 : no_memory(t);
}

int goprobe_trace_command(struct goprobe_trace *t, const char *const *argv)
{
	size_t n = 0;

	if (check_alone(t))
		return -1;
	if (!argv[0])
		return diag_set(&t->diag, "the command is empty");
	while (argv[n])
		n++;
	t->what.command = calloc(n + 1, sizeof(*t->what.command));
	if (!t->what.command)
		return no_memory(t);
	for (size_t i = 0; i < n; i++) {
		t->what.command[i] = strdup(argv[i]);
		if (!t->what.command[i])
			return no_memory(t);
	}
	return 0;
}

int goprobe_trace_replay(struct goprobe_trace *t, const char *path)
{
	if (check_alone(t))
		return -1;
	t->replay.path = strdup(path);
	return t->replay.path ? 0 : no_memory(t);
}

int goprobe_trace_program(struct goprobe_trace *t, const char *path)
{
	if (check_new(t, "where a program is"))
		return -1;
	return append(t, &t->replay.binaries, &t->replay.nbinaries, path);
}

int goprobe_trace_add(struct goprobe_trace *t, const char *spec)
{
	struct spec *parsed;
	char *text;
	int err;

	if (check_new(t, "what is traced"))
		return -1;
	text = strdup(spec);
	if (!text)
		return no_memory(t);
	err = select_specs_parse(&text, 1, &parsed, &t->diag);
	if (!err)
		select_specs_free(parsed, 1);
	free(text);
	return err ? -1 : append(t, &t->specs, &t->what.nspecs, spec);
}

_Static_assert((int)GOPROBE_SAMPLE_CALL == (int)PLAN_SAMPLE_CALL &&
	       (int)GOPROBE_SAMPLE_GOROUTINE == (int)PLAN_SAMPLE_GOROUTINE &&
	       (int)GOPROBE_SAMPLE_ROOT == (int)PLAN_SAMPLE_ROOT, "one stands for the other");

/* Options that say how events look, and how many there are. */
static void set_more(struct goprobe_trace *t, enum goprobe_option option, uint64_t value)
{
	switch (option) {
	case GOPROBE_OPTION_PRETTY:
		t->lines.pretty = value;
		break;
	case GOPROBE_OPTION_SAMPLE:
		t->limit.limits.sample = value;
		break;
	case GOPROBE_OPTION_SAMPLE_BY:
		t->limit.limits.by = (enum plan_sample)value;
		t->limit.by_given = value != PLAN_SAMPLE_CALL;
		break;
	case GOPROBE_OPTION_RATE:
		t->limit.limits.rate = value;
		break;
	case GOPROBE_OPTION_TIMES:
		t->limit.limits.times = value;
		break;
	case GOPROBE_OPTION_MAX_LOAD:
		t->tracing.load.off = value == GOPROBE_LOAD_ANY;
		t->tracing.load.percent = value == GOPROBE_LOAD_ANY ? 0 : (uint32_t)value;
		break;
	case GOPROBE_OPTION_INLINED:
		t->plan.inlined = value;
		break;
	case GOPROBE_OPTION_REGISTERS:
		t->plan.registers = value;
		break;
	case GOPROBE_OPTION_SPLIT:
		t->plan.split = value;
		break;
	case GOPROBE_OPTION_DRY_RUN:
		t->plan.dry_run = value;
		break;
	default:
		break;
	}
}

int goprobe_trace_set(struct goprobe_trace *t, enum goprobe_option option, uint64_t value)
{
	if (check_new(t, "an option") || optvalue_check(option, value, &t->diag))
		return -1;
	switch (option) {
	case GOPROBE_OPTION_DEPTH:
		t->plan.depth = value;
		break;
	case GOPROBE_OPTION_STRING_LIMIT:
		t->plan.string_limit = value;
		break;
	case GOPROBE_OPTION_ELEMENTS:
		t->plan.elements = value;
		break;
	case GOPROBE_OPTION_OBJECTS:
		t->plan.objects = value;
		t->objects_given = true;
		break;
	case GOPROBE_OPTION_BYTES:
		t->plan.bytes = value;
		t->bytes_given = true;
		break;
	case GOPROBE_OPTION_HELD:
		t->tracing.held = value;
		break;
	case GOPROBE_OPTION_RING_BYTES:
		t->ring_bytes = value;
		break;
	case GOPROBE_OPTION_LOSSLESS:
		t->lossless = value;
		break;
	case GOPROBE_OPTION_NO_RETURN:
		t->plan.no_return = value;
		break;
	case GOPROBE_OPTION_DURATION_NS:
		t->duration = value;
		break;
	case GOPROBE_OPTION_EVENTS:
		t->lines.events = value;
		break;
	case GOPROBE_OPTION_SIGNALS:
		t->signals = value;
		break;
	case GOPROBE_OPTION_QUIET:
		t->lines.quiet = value;
		break;
	default:
		set_more(t, option, value);
		break;
	}
	return 0;
}

/* --- where events go -------------------------------------------------------- */

static int check_one_way(struct goprobe_trace *t)
{
	return t->on_event || t->record || t->lines.format == &out_json || t->path ?
	       diag_set(&t->diag, "events go one way only: it has been said which") : 0;
}

int goprobe_trace_on_event(struct goprobe_trace *t, goprobe_event_fn fn, void *ctx)
{
	if (check_new(t, "where events go") || check_one_way(t))
		return -1;
	t->on_event = fn;
	t->event_ctx = ctx;
	t->lines.format = &libgoprobe_events;
	return 0;
}

int goprobe_trace_output(struct goprobe_trace *t, enum goprobe_format format, const char *path)
{
	if (check_new(t, "where events go") || check_one_way(t))
		return -1;
	if (format != GOPROBE_FORMAT_TEXT && format != GOPROBE_FORMAT_JSON)
		return diag_set(&t->diag, "there is no format %u", format);
	t->lines.format = format == GOPROBE_FORMAT_JSON ? &out_json : &out_text;
	t->path = path ? strdup(path) : NULL;
	t->lines.output = t->path;
	return path && !t->path ? no_memory(t) : 0;
}

int goprobe_trace_record(struct goprobe_trace *t, const char *path)
{
	if (check_new(t, "where events go") || check_one_way(t))
		return -1;
	t->record = strdup(path);
	return t->record ? 0 : no_memory(t);
}

void goprobe_trace_on_notice(struct goprobe_trace *t, goprobe_notice_fn fn, void *ctx)
{
	t->on_notice = fn;
	t->notice_ctx = ctx;
}

void goprobe_trace_on_progress(struct goprobe_trace *t, goprobe_progress_fn fn, void *ctx)
{
	t->on_progress = fn;
	t->progress_ctx = ctx;
}

static void say(void *ctx, const char *text)
{
	struct goprobe_trace *t = ctx;

	if (t->on_notice)
		t->on_notice(t->notice_ctx, text);
}

static bool progress(void *ctx, size_t placed, size_t all)
{
	struct goprobe_trace *t = ctx;

	return !t->on_progress || !t->on_progress(t->progress_ctx, placed, all);
}

/* --- running ----------------------------------------------------------------- */

static bool shows_pids(const struct goprobe_trace *t)
{
	return t->tracing.target.nprocesses != 1;
}

/* What was not set follows from what was. */
static void settle_options(struct goprobe_trace *t)
{
	struct plan_options *o = &t->plan;

	/* A string that fits the limit should not fail for want of bytes. */
	if (!t->bytes_given && o->bytes < o->string_limit * 2)
		o->bytes = o->string_limit * 2 < PLAN_BYTES_MAX ? o->string_limit * 2 :
								  PLAN_BYTES_MAX;
	/* Nor should elements. */
	if (!t->bytes_given && o->elements > plan_defaults.elements)
		o->bytes = PLAN_BYTES_MAX;
	if (!t->objects_given && o->elements > plan_defaults.elements)
		o->objects = o->elements < PLAN_OBJECTS_MAX / 4 ? o->elements * 4 :
								  PLAN_OBJECTS_MAX;
	if (t->bytes_given)
		o->held_bytes = o->bytes;
}

static int check_together(struct goprobe_trace *t)
{
	struct optcheck c = {
		.limit = &t->limit,
		.no_return = t->plan.no_return,
		.split = t->plan.split,
		.pretty = t->lines.pretty,
		.record = t->record,
	};

	return optcheck_together(&c, &t->diag) ? -1 : 0;
}

/* What was traced, and how, is in the recording. */
static int plan_replay(struct goprobe_trace *t)
{
	if (t->what.nspecs)
		return diag_set(&t->diag, "a recording has its specs, and takes no others");
	if (t->record)
		return diag_set(&t->diag, "what is replayed is recorded already");
	if (replay_open(&t->replay, &t->diag))
		return -1;
	t->state = TRACE_PLANNED;
	return 0;
}

int goprobe_trace_plan(struct goprobe_trace *t)
{
	struct tracing *tr = &t->tracing;

	if (check_new(t, "the plan"))
		return -1;
	tr->ctx = t;
	tr->say = say;
	tr->progress = progress;
	if (t->replay.path)
		return plan_replay(t);
	if (t->replay.nbinaries)
		return diag_set(&t->diag, "only a recording needs to know where a program is");
	if (!t->what.npids && !t->what.file && !t->what.command)
		return diag_set(&t->diag, "nothing to trace: no process, no file, no command");
	if (!t->what.nspecs)
		return diag_set(&t->diag, "no spec: which functions?");
	settle_options(t);
	if (check_together(t))
		return -1;
	t->plan.limits = t->limit.limits;
	tr->quiet = t->lines.quiet;
	tr->no_signals = !t->signals;
	if (select_specs_parse(t->specs, t->what.nspecs, &t->what.specs, &t->diag)) {
		t->what.specs = NULL;
		return -1;
	}
	if (tracing_open(tr, &t->what, &t->diag) ||
	    tracing_plan(tr, &t->what, &t->plan, &t->diag))
		return -1;
	if (tr->plan->delays && !tr->quiet)
		tracing_say(tr, "warning: a delay holds the thread: what stops the world, such as a garbage collection, waits for it");
	learn_init(&t->learn, tr->plan);
	t->state = TRACE_PLANNED;
	return 0;
}

static int open_recording(struct goprobe_trace *t)
{
	if (recorder_open(&t->recorder, t->record, &t->diag))
		return -1;
	t->watch.recorder = &t->recorder;
	t->watch.most = t->lines.events;
	return recorder_begin(&t->recorder, &(struct recorder_source){
		.plan = t->tracing.plan, .options = &t->plan,
		.bins = t->tracing.target.bins, .nbins = t->tracing.target.nbins,
		.specs = (const char *const *)t->specs, .nspecs = t->what.nspecs,
		.pids = shows_pids(t),
	}, &t->learn, &t->diag);
}

static int open_output(struct goprobe_trace *t, const struct plan *p)
{
	if (lines_open(&t->out, &t->stream, p, &t->lines, &t->diag))
		return -1;
	if (t->on_event)
		t->out.fd = -1;
	if (t->replay.path)
		t->out.epoch = t->replay.start.epoch;
	out_init(&t->json, &out_json, -1);
	return 0;
}

static int open_lines(struct goprobe_trace *t)
{
	t->lines.paired = !t->plan.no_return;
	t->lines.pids = shows_pids(t);
	if (open_output(t, t->tracing.plan))
		return -1;
	t->stream.learn = &t->learn;
	t->stream.learn_panics = !learn_possible(t->tracing.plan);
	return 0;
}

static int count_times(struct goprobe_trace *t)
{
	if (times_init(&t->times, t->tracing.plan, t->plan.limits.times))
		return no_memory(t);
	t->stream.times = &t->times;
	t->watch.times = &t->times;
	return 0;
}

static int start_replay(struct goprobe_trace *t)
{
	t->lines.paired = !t->replay.options.no_return;
	t->lines.pids = t->replay.start.flags & RECORDING_F_PIDS;
	t->state = TRACE_STARTED;
	return open_output(t, t->replay.plan);
}

int goprobe_trace_start(struct goprobe_trace *t)
{
	struct tracing *tr = &t->tracing;

	if (t->state == TRACE_NEW && goprobe_trace_plan(t))
		return -1;
	if (t->state != TRACE_PLANNED)
		return diag_set(&t->diag, "it has been started already");
	if (t->replay.path)
		return start_replay(t);
	/* Before anything is probed: it takes its time, and may fail. */
	if (t->record && open_recording(t))
		return -1;
	if (tracing_arm(tr, t->lossless ? GOPROBE_SESSION_F_LOSSLESS : 0, t->ring_bytes,
			&t->diag) ||
	    (!t->record && open_lines(t)))
		return -1;
	t->watch.client = tr->client;
	t->watch.target = &tr->target;
	t->watch.tracing = tr;
	t->watch.upload = &tr->upload;
	t->watch.interrupt = &tr->interrupt;
	t->watch.learn = &t->learn;
	t->watch.stream = &t->stream;
	t->watch.out = &t->out;
	t->watch.duration = t->duration;
	/* Losses matter to those who join calls with returns. */
	t->watch.counts = !t->plan.no_return || tr->breaker.percent;
	if (t->plan.limits.times && count_times(t))
		return -1;
	if (watch_start(&t->watch, &t->diag))
		return -1;
	if (t->record || t->on_event)
		tracing_say_started(tr, "tracing", NULL);
	else
		lines_started(&t->out, tr);
	t->state = TRACE_STARTED;
	return watch_begin(&t->watch, &t->diag);
}

static int check_started(struct goprobe_trace *t)
{
	return t->state == TRACE_STARTED ? 0 : diag_set(&t->diag, "it is not being traced");
}

int goprobe_trace_poll(struct goprobe_trace *t, int timeout_ms)
{
	if (check_started(t))
		return -1;
	if (t->replay.path)
		return replay_step(&t->replay, &t->stream, &t->diag);
	return watch_step(&t->watch, timeout_ms, &t->diag);
}

int goprobe_trace_fd(const struct goprobe_trace *t)
{
	return t->tracing.client ? client_fd(t->tracing.client) : -1;
}

int goprobe_trace_timeout(const struct goprobe_trace *t)
{
	return t->state == TRACE_STARTED && !t->replay.path ? watch_timeout(&t->watch) : 0;
}

/* Of a recording nothing is known but numbers. */
static void summarize_recording(struct goprobe_trace *t, struct buf *talk)
{
	struct out out = { .format = &out_text };

	watch_sum(&t->watch, &t->stream.sum);
	t->stream.sum.events = t->recorder.events;
	if (!t->lines.quiet || out_lost(&t->stream.sum))
		out_text.summary(&out, &t->stream.sum, talk);
	out_fini(&out);
}

/* That is no summary: it is said to those who want quiet, too. */
static void say_cut(const struct goprobe_trace *t)
{
	if (t->replay.path && !t->replay.whole && !stream_full(&t->stream))
		tracing_say(&t->tracing, "warning: %s was cut short: this is what there is",
			    t->replay.path);
}

static void summarize(struct goprobe_trace *t)
{
	struct buf talk = { 0 };

	if (t->record || t->on_event)
		tracing_say_broken(&t->tracing, watch_broken(&t->watch), NULL);
	else
		lines_broken(&t->out, &t->tracing, watch_broken(&t->watch));
	if (t->record)
		summarize_recording(t, &talk);
	else
		lines_talk(&t->out, &t->stream, t->lines.quiet, &talk);
	if (!talk.failed)
		tracing_say_lines(&t->tracing, talk.p, talk.len);
	buf_fini(&talk);
}

/* Also the summary may find no room. That nobody reads any more is no error. */
static int close_output(struct goprobe_trace *t)
{
	int err = t->record || t->on_event ? 0 : out_close(&t->out);

	return err && err != -EPIPE ? diag_errno(&t->diag, -err, "can't write the output") : 0;
}

int goprobe_trace_stop(struct goprobe_trace *t)
{
	int err;

	if (check_started(t) ||
	    (t->replay.path ? replay_finish(&t->replay, &t->stream, &t->diag) :
			      watch_finish(&t->watch, &t->diag)))
		return -1;
	t->state = TRACE_STOPPED;
	summarize(t);
	say_cut(t);
	err = close_output(t);
	/* Whatever is left of the session goes before a command is waited for. */
	tracing_disarm(&t->tracing);
	return err;
}

int goprobe_trace_run(struct goprobe_trace *t)
{
	int more;

	do {
		more = goprobe_trace_poll(t, -1);
	} while (more > 0);
	return more ? -1 : goprobe_trace_stop(t);
}

int goprobe_trace_exit_status(struct goprobe_trace *t)
{
	/* A recording has no target, nor has a trace without a plan. */
	if (!t->tracing.target.command)
		return 0;
	tracing_await_command(&t->tracing);
	return target_exit_status(&t->tracing.target);
}

void goprobe_trace_counts(const struct goprobe_trace *t, struct goprobe_counts *ret, size_t size)
{
	struct out_summary s = t->stream.sum;
	struct goprobe_counts c;

	if (!t->replay.path)
		watch_sum(&t->watch, &s);
	c = (struct goprobe_counts){
		.events = t->record ? t->recorder.events : s.events,
		.calls = s.calls,
		.returns = s.returns,
		.unwound = s.unwound,
		.open = s.open,
		.doubtful = s.doubtful,
		.forgotten = s.forgotten,
		.lost = out_lost(&s),
		.lost_ring_full = s.lost[GOPROBE_LOST_RING_FULL],
		.lost_no_ring = s.lost[GOPROBE_LOST_NO_RING],
		.lost_no_room = s.no_room,
		.malformed = s.malformed,
		.filtered = s.filtered,
		.undecided = s.undecided,
		.waits = s.waits,
		.wait_ns = s.wait_ns,
		.ns = s.ns,
		.recorded_bytes = t->recorder.bytes,
		.sampled = s.sampled,
		.limited = s.limited,
		.broken = watch_broken(&t->watch),
		.gone = s.gone,
	};
	memset(ret, 0, size);
	memcpy(ret, &c, size < sizeof(c) ? size : sizeof(c));
}
