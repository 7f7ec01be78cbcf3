// SPDX-License-Identifier: GPL-2.0
/* goprobectl attach: watch the calls of functions. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attachopt.h"
#include "client.h"
#include "clock.h"
#include "select.h"
#include "stream.h"
#include "target.h"
#include "upload.h"
#include "watch.h"

/**
 * struct attach - a run of the command
 * @opt: what was asked for
 * @wanted: what is captured of functions; outlives @plan
 * @plan: what the module is told
 * @target: what is traced
 * @client: connection to the module
 * @upload: what the module has of @plan
 * @out: where lines go
 * @learn: what they show that the module does not know
 * @stream: records on their way there
 * @watch: the session being watched
 * @said: when progress was last told, ns
 */
struct attach {
	struct attachopt opt;
	struct arena wanted;
	struct plan *plan;
	struct target target;
	struct client *client;
	struct upload upload;
	struct out out;
	struct learn learn;
	struct stream stream;
	struct watch watch;
	uint64_t said;
};

/* --- setting up ------------------------------------------------------ */

static int open_target(struct attach *a, struct diag *d)
{
	size_t older = 0;

	for (size_t i = 0; i < a->opt.npids; i++)
		if (target_add_pids(&a->target, a->opt.pids[i], d))
			return -1;
	if (a->opt.file && target_set_file(&a->target, a->opt.file, &older, d))
		return -1;
	if (older)
		fprintf(stderr, "goprobectl: warning: %zu process%s an older, replaced %s; -p traces %s\n",
			older, older == 1 ? " runs" : "es run", a->opt.file,
			older == 1 ? "it" : "them");
	if (a->opt.command)
		return target_set_command(&a->target, a->opt.command, &a->watch.mask, d);
	return 0;
}

static int make_plan(struct attach *a, struct diag *d)
{
	struct buf skipped = { 0 };

	a->plan = plan_new(&a->opt.plan);
	if (!a->plan)
		return diag_set(d, "out of memory");

	int err = select_functions(a->plan, a->target.bins, a->target.nbins, a->opt.specs,
				   a->opt.nspecs, &a->wanted, &skipped, d);

	if (!err)
		err = plan_finish(a->plan, d);
	if (!err && skipped.len && !a->opt.quiet)
		fprintf(stderr, "%.*s\n", (int)skipped.len, skipped.p);
	buf_fini(&skipped);
	return err;
}

/* Tell on a terminal; elsewhere only if it takes long. */
static bool progress(void *ctx, size_t points, size_t all)
{
	struct attach *a = ctx;
	bool terminal = isatty(STDERR_FILENO);
	uint64_t every = terminal ? 100000000ULL : 2000000000ULL, t = clock_now(CLOCK_MONOTONIC);

	if (!a->said)
		a->said = t;
	if (!a->opt.quiet && points < all && t - a->said >= every) {
		fprintf(stderr, terminal ? "\r%zu of %zu breakpoints placed" :
					   "%zu of %zu breakpoints placed\n", points, all);
		a->said = t;
	}
	if (!a->opt.quiet && points == all && terminal && t != a->said && all > 1000)
		fprintf(stderr, "\r\033[K");
	return !watch_interrupted(&a->watch);
}

static int begin_session(struct attach *a, struct diag *d)
{
	size_t n = a->target.nprocesses;
	int32_t *pids = calloc(n + 1, sizeof(*pids));
	struct client_info info;

	if (!pids)
		return diag_set(d, "out of memory");
	for (size_t i = 0; i < n; i++)
		pids[i] = a->target.processes[i].pid;

	int err = client_open(&a->client, d);

	if (!err)
		err = client_get_info(a->client, &info, d);
	if (!err)
		err = client_session_new(a->client, pids, n, &a->opt.ring_bytes, d);
	free(pids);
	if (err)
		return err;
	a->upload = (struct upload){
		.client = a->client, .plan = a->plan, .limits = info.limits,
	};
	return upload_plan(&a->upload, progress, a, d);
}

/* How wide a line of text may become before a value is broken into several. */
static unsigned int columns(void)
{
	struct winsize w;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col >= 40 ? w.ws_col : 100;
}

static int open_output(struct attach *a, struct diag *d)
{
	int fd = STDOUT_FILENO;

	if (a->opt.output) {
		fd = open(a->opt.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return diag_errno(d, errno, "can't write %s", a->opt.output);
	}
	out_init(&a->out, a->opt.format, fd);
	a->out.pids = a->opt.file || a->target.nprocesses > 1;
	if (!a->opt.quiet)
		a->opt.format->header(&a->out);
	if (stream_init(&a->stream, a->plan, &a->out, !a->opt.plan.no_return))
		return diag_set(d, "out of memory");
	a->stream.most = a->opt.events;
	learn_init(&a->learn, a->plan);
	a->stream.learn = &a->learn;
	a->stream.values.width = a->opt.pretty ? columns() : 0;
	return 0;
}

/* --- running --------------------------------------------------------- */

static int set_up(struct attach *a, struct diag *d)
{
	a->watch.target = &a->target;
	if (watch_signals(&a->watch, d) || open_target(a, d) || make_plan(a, d) ||
	    begin_session(a, d) || open_output(a, d))
		return -1;
	a->watch.client = a->client;
	a->watch.upload = &a->upload;
	a->watch.stream = &a->stream;
	a->watch.out = &a->out;
	a->watch.duration = a->opt.duration;
	return 0;
}

static void summarize(struct attach *a)
{
	struct out_summary *s = &a->stream.sum;
	struct buf talk = { 0 };

	s->lost[GOPROBE_LOST_RING_FULL] = a->watch.stats[GOPROBE_STAT_LOST_RING_FULL];
	s->lost[GOPROBE_LOST_NO_RING] = a->watch.stats[GOPROBE_STAT_LOST_NO_RING];
	/* Losses are told even to those who want quiet. */
	if (!a->opt.quiet || out_lost(s)) {
		a->opt.format->summary(&a->out, s, &talk);
		out_flush(&a->out, true);
		fprintf(stderr, "%.*s", (int)talk.len, talk.len ? talk.p : "");
		if (s->malformed)
			fprintf(stderr, "goprobectl: bug: malformed record: %s\n",
				a->stream.why_malformed);
	}
	buf_fini(&talk);
}

/* For people, and for scripts that wait until it records. */
static void say_started(const struct attach *a)
{
	size_t points = 0, n = a->plan->nfuncs;

	for (size_t i = 0; i < a->plan->nfiles; i++)
		points += a->plan->files[i].n;
	if (!a->opt.quiet)
		fprintf(stderr, "tracing %zu function%s at %zu breakpoint%s; Ctrl-C ends\n",
			n, n == 1 ? "" : "s", points, points == 1 ? "" : "s");
}

static int watch(struct attach *a, struct diag *d)
{
	if (watch_start(&a->watch, d))
		return CMD_FAILED;
	say_started(a);
	if (watch_run(&a->watch, d))
		return CMD_FAILED;
	summarize(a);
	/* Whatever is left of the session goes before the command is waited for. */
	client_close(a->client);
	a->client = NULL;
	watch_command(&a->watch);

	int code = a->target.command ? target_exit_status(&a->target) : CMD_DONE;

	return !code && a->opt.strict && out_lost(&a->stream.sum) ? CMD_LOST : code;
}

static void clean_up(struct attach *a)
{
	client_close(a->client);
	upload_fini(&a->upload);
	learn_fini(&a->learn);
	target_fini(&a->target);
	plan_free(a->plan);
	stream_fini(&a->stream);
	out_fini(&a->out);
	arena_fini(&a->wanted);
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
