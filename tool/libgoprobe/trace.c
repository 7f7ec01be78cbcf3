// SPDX-License-Identifier: GPL-2.0
/* Traces of libgoprobe, from their options to their end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "export/span.h"
#include "libgoprobe/internal.h"
#include "plan/select.h"
#include "trace/judge.h"
#include "trace/trees.h"
#include "version.h"

const char *goprobe_version(void)
{
	return GOPROBECTL_VERSION;
}

struct goprobe_trace *trace_new(struct options *o)
{
	struct goprobe_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	options_move(&t->o, o);
	t->recorder.fd = -1;
	t->watch.run.session.o = &t->o;
	return t;
}

struct goprobe_trace *goprobe_trace_new(void)
{
	struct options o;

	options_init(&o, COMMAND_ATTACH);
	return trace_new(&o);
}

void goprobe_trace_free(struct goprobe_trace *t)
{
	if (!t)
		return;
	learn_fini(&t->learn);
	run_fini(&t->watch.run);
	stream_fini(&t->stream);
	recorder_fini(&t->recorder);
	call_quota_fini(&t->times);
	replay_fini(&t->replay);
	graph_fini(&t->graph);
	template_fini(&t->template);
	output_fini(&t->json);
	free(t->texts);
	options_fini(&t->o);
	arena_fini(&t->mem);
	diag_fini(&t->diag);
	free(t);
}

/* --- errors ------------------------------------------------------------- */

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

/* It has no plan yet: options can still change. */
static int check_new(struct goprobe_trace *t, const char *what)
{
	return t->state == TRACE_NEW ? 0 :
	       diag_set(&t->diag, "%s can't be changed any more: the plan has been made", what);
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
	return t->o.argv ?
	       diag_set(&t->diag, "a command excludes processes and a file") : 0;
}

/* A command or a recording is to be traced. */
static int check_alone(struct goprobe_trace *t)
{
	if (check_new(t, "what is traced") || check_replay(t))
		return -1;
	return t->o.file || t->o.argv || t->o.pids.n ?
	       diag_set(&t->diag, "a command, or a recording, is traced alone") : 0;
}

/* Store a copy of @text in *@to. */
static int copy(struct goprobe_trace *t, const char **to, const char *text)
{
	*to = arena_strdup(&t->mem, text);
	return *to ? 0 : no_memory(t);
}

int goprobe_trace_pid(struct goprobe_trace *t, int pid)
{
	struct target_pids *pids = &t->o.pids;

	if (check_running(t))
		return -1;
	if (pid <= 0)
		return diag_set(&t->diag, "'%d' is not a process id", pid);
	if (grow(&pids->v, pids->n + 1, &pids->cap, sizeof(*pids->v)))
		return no_memory(t);
	pids->v[pids->n++] = pid;
	return 0;
}

int goprobe_trace_file(struct goprobe_trace *t, const char *path)
{
	if (check_running(t))
		return -1;
	if (t->o.file)
		return diag_set(&t->diag, "only one file can be traced");
	return copy(t, &t->o.file, path);
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
	t->o.argv = arena_array(&t->mem, n + 1, sizeof(*t->o.argv));
	if (!t->o.argv)
		return no_memory(t);
	for (size_t i = 0; i < n; i++) {
		t->o.argv[i] = arena_strdup(&t->mem, argv[i]);
		if (!t->o.argv[i])
			return no_memory(t);
	}
	return 0;
}

int goprobe_trace_replay(struct goprobe_trace *t, const char *path)
{
	return check_alone(t) ? -1 : copy(t, &t->replay.path, path);
}

int goprobe_trace_program(struct goprobe_trace *t, const char *path)
{
	struct option_texts *files = &t->o.files;

	if (check_new(t, "where a program is"))
		return -1;
	if (grow(&files->v, files->n + 1, &files->cap, sizeof(*files->v)) ||
	    copy(t, &files->v[files->n], path))
		return no_memory(t);
	files->n++;
	return 0;
}

int goprobe_trace_add(struct goprobe_trace *t, const char *spec)
{
	struct options *o = &t->o;

	if (check_new(t, "what is traced"))
		return -1;
	if (grow(&o->specs, o->nspecs + 1, &o->specs_cap, sizeof(*o->specs)))
		return no_memory(t);
	memset(&o->specs[o->nspecs], 0, sizeof(*o->specs));
	if (spec_parse(spec, &o->specs[o->nspecs], &t->diag))
		return -1;
	o->nspecs++;
	return 0;
}

int goprobe_trace_set(struct goprobe_trace *t, enum goprobe_option option, uint64_t value)
{
	return check_new(t, "an option") ? -1 : option_set(&t->o, option, value, &t->diag);
}

int goprobe_trace_redact(struct goprobe_trace *t, const char *names)
{
	const char *kept;

	if (check_new(t, "what is redacted") || copy(t, &kept, names))
		return -1;
	return secret_list_add(&t->o.plan.secrets, kept, &t->diag);
}

/* --- where events go -------------------------------------------------------- */

static int check_one_way(struct goprobe_trace *t)
{
	return t->on_event || t->o.record || t->o.format || t->o.output ?
	       diag_set(&t->diag, "events go one way only: it has been said which") : 0;
}

int goprobe_trace_on_event(struct goprobe_trace *t, goprobe_event_fn fn, void *ctx)
{
	if (check_new(t, "where events go") || check_one_way(t))
		return -1;
	t->on_event = fn;
	t->event_ctx = ctx;
	return 0;
}

int goprobe_trace_output(struct goprobe_trace *t, enum goprobe_format format, const char *path)
{
	if (check_new(t, "where events go") || check_one_way(t))
		return -1;
	if (format != GOPROBE_FORMAT_TEXT && format != GOPROBE_FORMAT_JSON)
		return diag_set(&t->diag, "there is no format %u", format);
	t->o.format = format == GOPROBE_FORMAT_JSON ? OPTION_JSON : OPTION_TEXT;
	return path ? copy(t, &t->o.output, path) : 0;
}

int goprobe_trace_record(struct goprobe_trace *t, const char *path)
{
	if (check_new(t, "where events go") || check_one_way(t))
		return -1;
	return copy(t, &t->o.record, path);
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

/* Of one tree. */
#define TREE_LEVELS 1000
#define TREE_CALLS 1000000

static bool shows_trees(const struct goprobe_trace *t)
{
	return t->o.format == OPTION_CHROME || t->o.format == OPTION_OTLP ||
	       t->o.format == OPTION_TIMELINE || trees_wanted(&t->o);
}

static bool shows_pids(const struct goprobe_trace *t)
{
	return !target_is_one(&t->watch.run.session.target);
}

/* What was traced, and how, is in the recording. */
static int plan_replay(struct goprobe_trace *t)
{
	if (t->o.record)
		return diag_set(&t->diag, "what is replayed is recorded already");
	if (trees_check(&t->o, &t->diag))
		return -1;
	t->replay.files = &t->o.files;
	if (replay_open(&t->replay, &t->diag) ||
	    sift_init(&t->replay.sift, t->replay.plan, t->o.specs, t->o.nspecs, t->replay.path,
		      &t->diag) ||
	    judge(&t->replay, &t->o, &t->diag))
		return -1;
	t->state = TRACE_PLANNED;
	return 0;
}

int goprobe_trace_plan(struct goprobe_trace *t)
{
	struct session *tr = &t->watch.run.session;

	if (check_new(t, "the plan"))
		return -1;
	tr->ctx = t;
	tr->say = say;
	tr->progress = progress;
	if (t->replay.path)
		return plan_replay(t);
	if (t->o.files.n)
		return diag_set(&t->diag, "only a recording needs to know where a program is");
	if (!t->o.pids.n && !t->o.file && !t->o.argv)
		return diag_set(&t->diag, "nothing to trace: no process, no file, no command");
	if (!t->o.nspecs)
		return diag_set(&t->diag, "no spec: which functions?");
	options_settle(&t->o);
	t->o.plan.goroutine |= shows_trees(t);
	if (exclusion_check(&t->o, &t->diag))
		return -1;
	if (session_open(tr, &t->o, &t->diag) ||
	    session_plan(tr, &t->diag))
		return -1;
	if (tr->plan->delays && !t->o.quiet)
		session_say(tr, "warning: a delay holds the thread: what stops the world, such as a garbage collection, waits for it");
	learn_init(&t->learn, tr->plan);
	t->state = TRACE_PLANNED;
	return 0;
}

static int open_recording(struct goprobe_trace *t)
{
	if (recorder_open(&t->recorder, t->o.record, &t->diag))
		return -1;
	t->watch.recorder = &t->recorder;
	return recorder_begin(&t->recorder, &(struct recorder_source){
		.plan = t->watch.run.session.plan, .options = &t->o,
		.bins = t->watch.run.session.target.bins,
		.nbins = t->watch.run.session.target.nbins,
		.pids = shows_pids(t),
	}, &t->learn, &t->diag);
}

static int open_output(struct goprobe_trace *t, const struct plan *p, bool paired, bool pids)
{
	static const struct output_format *const formats[] = {
		[OPTION_TEXT] = &out_text, [OPTION_JSON] = &out_json,
		[OPTION_TEMPLATE] = &out_template,
		[OPTION_CHROME] = &graph_chrome.out, [OPTION_OTLP] = &graph_otlp.out,
		[OPTION_TIMELINE] = &graph_timeline.out,
	};
	const struct sink_opt how = {
		.options = &t->o, .paired = paired, .pids = pids,
		.format = t->on_event ? &libgoprobe_events : trees_wanted(&t->o) ?
			  &trees_format(&t->o)->out : formats[t->o.format],
	};

	if (t->o.template && (template_parse(&t->template, t->o.template, &t->diag) ||
			      template_check(&t->template, p, paired, &t->diag)))
		return -1;
	if (shows_trees(t) && graph_init(&t->graph, p, TREE_LEVELS, TREE_CALLS))
		return no_memory(t);
	if (sink_open(&t->graph.out, &t->stream, p, &how, &t->diag))
		return -1;
	t->graph.out.template = &t->template;
	if (t->on_event)
		t->graph.out.fd = -1;
	if (t->replay.path)
		t->graph.out.epoch = t->replay.start.epoch;
	output_init(&t->json, &out_json, -1);
	return 0;
}

static int open_lines(struct goprobe_trace *t)
{
	if (open_output(t, t->watch.run.session.plan, !t->o.plan.no_return, shows_pids(t)))
		return -1;
	t->stream.live = true;
	t->stream.learn = &t->learn;
	t->stream.learn_panics = !learn_possible(t->watch.run.session.plan);
	return 0;
}

static int count_times(struct goprobe_trace *t)
{
	if (call_quota_init(&t->times, t->watch.run.session.plan, t->o.plan.limits.times))
		return no_memory(t);
	t->stream.times = &t->times;
	t->watch.times = &t->times;
	return 0;
}

static int start_replay(struct goprobe_trace *t)
{
	if (trees_wanted(&t->o) && t->replay.options.plan.no_return)
		return diag_set(&t->diag, "%s has no ends of calls, so it has no trees: it was recorded with --no-return",
				t->replay.path);
	t->state = TRACE_STARTED;
	if (open_output(t, t->replay.plan, !t->replay.options.plan.no_return, t->replay.start.pids))
		return -1;
	t->stream.sift = &t->replay.sift;
	record_run_init(&t->watch);
	return 0;
}

/* The breakpoints are set. */
static int start_live(struct goprobe_trace *t)
{
	int err;

	/* Losses matter to those who join calls with returns. */
	t->watch.counts = !t->o.plan.no_return || t->watch.run.session.breaker.percent;
	if (t->o.plan.limits.times && count_times(t))
		return -1;
	record_run_init(&t->watch);
	err = run_start(&t->watch.run, &t->diag);
	if (t->watch.run.started)
		t->state = TRACE_STARTED;
	return err;
}

int goprobe_trace_start(struct goprobe_trace *t)
{
	if (t->state == TRACE_NEW && goprobe_trace_plan(t))
		return -1;
	if (t->state != TRACE_PLANNED)
		return diag_set(&t->diag, "it has been started already");
	t->watch.learn = &t->learn;
	t->watch.stream = &t->stream;
	t->watch.graph = &t->graph;
	t->watch.trees = shows_trees(t);
	if (t->replay.path)
		return start_replay(t);
	/* Before anything is probed: it takes its time, and may fail. */
	if (t->o.record && open_recording(t))
		return -1;
	if (session_arm(&t->watch.run.session, &t->diag) || (!t->o.record && open_lines(t)))
		return -1;
	return start_live(t);
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
	return run_step(&t->watch.run, timeout_ms, &t->diag);
}

int goprobe_trace_fd(const struct goprobe_trace *t)
{
	return t->watch.run.session.client ? client_fd(t->watch.run.session.client) : -1;
}

int goprobe_trace_timeout(const struct goprobe_trace *t)
{
	return t->state == TRACE_STARTED && !t->replay.path ? run_timeout(&t->watch.run) : 0;
}

/* That is no summary: it is said to those who want quiet, too. */
static void say_cut(const struct goprobe_trace *t)
{
	if (!t->replay.whole && !stream_full(&t->stream))
		session_say(&t->watch.run.session, "warning: %s was cut short: this is what there is",
			    t->replay.path);
}

/* It may have been longer or shorter than the user thinks. */
static void say_empty(const struct goprobe_trace *t)
{
	struct buf b = { 0 };

	if (!t->replay.sift.judged || t->stream.sum.events || t->o.quiet)
		return;
	buf_duration(&b, t->stream.sum.ns);
	if (!b.failed)
		session_say(&t->watch.run.session, "no call of %s was open in that time; the recording lasts %.*s",
			    t->replay.path, (int)b.len, b.p);
	buf_fini(&b);
}

/* A recording has what its session had counted, and the breaker that ended it, if one did. */
static int stop_replay(struct goprobe_trace *t)
{
	struct run *r = &t->watch.run;
	int err;

	if (replay_finish(&t->replay, &t->stream, &t->diag))
		return -1;
	t->state = TRACE_STOPPED;
	memcpy(r->stats, t->stream.sum.stats, sizeof(r->stats));
	r->session.breaker = t->replay.breaker;
	if (shows_trees(t))
		graph_finish(&t->graph);
	err = run_conclude(r, &t->diag);
	say_cut(t);
	say_empty(t);
	return err;
}

int goprobe_trace_stop(struct goprobe_trace *t)
{
	int err;

	if (check_started(t))
		return -1;
	if (t->replay.path)
		return stop_replay(t);
	err = run_stop(&t->watch.run, &t->diag);
	if (!t->watch.run.session.client)
		t->state = TRACE_STOPPED;
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
	if (!t->watch.run.session.target.command)
		return 0;
	session_await_command(&t->watch.run.session);
	return target_exit_status(&t->watch.run.session.target);
}

int trace_exit_code(struct goprobe_trace *t)
{
	if (t->replay.path)
		return t->o.strict && t->watch.run.lost ? CMD_LOST : CMD_DONE;
	return run_exit_code(&t->watch.run);
}

void goprobe_trace_counts(const struct goprobe_trace *t, struct goprobe_counts *ret, size_t size)
{
	struct output_summary s = t->stream.sum;
	struct goprobe_counts c;

	if (!t->replay.path)
		record_run_sum(&t->watch, &s);
	c = (struct goprobe_counts){
		.events = t->o.record ? t->recorder.events : s.events,
		.calls = s.calls,
		.returns = s.returns,
		.unwound = s.unwound,
		.open = s.open,
		.doubtful = s.doubtful,
		.forgotten = s.forgotten,
		.lost = output_lost(&s),
		.malformed = s.malformed,
		.ns = s.ns,
		.recorded_bytes = t->recorder.bytes,
		.gone = s.gone,
		.not_traced = s.plan ? s.plan->nmissing : 0,
	};
	counters_for_program(s.stats, &c);
	memset(ret, 0, size);
	memcpy(ret, &c, size < sizeof(c) ? size : sizeof(c));
}
