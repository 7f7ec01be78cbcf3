// SPDX-License-Identifier: GPL-2.0
/* goprobectl attach: watch the calls of functions. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "cmd.h"
#include "plan.h"
#include "select.h"
#include "stream.h"
#include "target.h"
#include "upload.h"
#include "watch.h"

static const char help[] =
"Usage: goprobectl attach [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl attach [OPTION...] -b FILE PATTERN...\n"
"       goprobectl attach [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Print each call and return of the functions that a PATTERN names: a function's\n"
"full name, a glob, or a /regular expression/ found anywhere in the name.\n"
"\n"
"A list behind a PATTERN says what is shown of calls, a second one what of returns:\n"
"'main.handle(r.Method, r.URL.Path, len(r.Header), *r.TLS, m[\"k\"], main.counter)(err)'.\n"
"For programs without debug information it can be the function's signature:\n"
"'main.handle(w http.ResponseWriter, r *http.Request) (n int, err error)'.\n"
"\n"
"What to trace:\n"
"  -p, --pid PID[,PID...]  running processes; may be given more than once\n"
"  -b, --binary FILE       all processes that run FILE, now or later\n"
"  -- COMMAND [ARG...]     a new process, from its first instruction on; its exit\n"
"                          status becomes goprobectl's\n"
"\n"
"When to end (Ctrl-C always does):\n"
"      --duration TIME     after TIME: 5s, 200ms, 1m\n"
"      --events N          after N lines\n"
"\n"
"What to capture:\n"
"      --no-return         calls only, without results and durations\n"
"      --depth N           pointers followed one after another (default 4)\n"
"      --string-limit N    bytes of a string (default 256)\n"
"      --elements N        elements of a slice, map or channel (default 64)\n"
"      --objects N         things pointed to in one call, all together (default 256)\n"
"      --bytes N           bytes of these things, all together (default 12288)\n"
"      --buffer SIZE       memory for each CPU's records: 64k to 64m (default 1m)\n"
"\n"
"Output:\n"
"  -o, --format FORMAT     text or json\n"
"      --pretty            values that are long in several lines, indented\n"
"      --output FILE       write events to FILE instead of standard output\n"
"  -q, --quiet             no header and no summary\n"
"      --strict            exit with status 3 if records were lost\n"
"\n"
"Examples:\n"
"  Watch one method in a running process:\n"
"      goprobectl attach -p 4121 'shop.(*Cart).Add'\n"
"  Every function of package main, from the start of a program:\n"
"      goprobectl attach 'main.*' -- ./server -listen :8080\n"
"  Ten seconds of all processes that run a binary, for another program to read:\n"
"      goprobectl attach -b /usr/bin/caddy -o json --duration 10s \\\n"
"          '/^net\\/http\\.\\(\\*Server\\)\\.Serve$/' > calls.json\n";

/**
 * struct attach - a run of the command
 * @pids: arguments of -p
 * @npids: their number
 * @file: argument of -b, or NULL
 * @command: what follows "--", or NULL
 * @specs: what to trace
 * @nspecs: their number
 * @options: limits of what is captured
 * @bytes_given: --bytes is among them
 * @format: output format
 * @output: argument of --output, or NULL
 * @duration: ns, or 0
 * @events: lines to print, or 0
 * @ring_bytes: memory for each CPU, or 0
 * @pretty: values in lines, not in one
 * @quiet: no header and no summary
 * @strict: losses are a failure
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
	char **pids;
	size_t npids;
	const char *file;
	char **command;
	struct spec *specs;
	size_t nspecs;
	struct plan_options options;
	bool bytes_given;
	const struct out_format *format;
	const char *output;
	uint64_t duration;
	uint64_t events;
	uint32_t ring_bytes;
	bool pretty;
	bool quiet;
	bool strict;
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

enum {
	OPT_DURATION = 256,
	OPT_EVENTS,
	OPT_NO_RETURN,
	OPT_STRING_LIMIT,
	OPT_ELEMENTS,
	OPT_DEPTH,
	OPT_OBJECTS,
	OPT_BYTES,
	OPT_PRETTY,
	OPT_BUFFER,
	OPT_OUTPUT,
	OPT_STRICT,
};

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "events", required_argument, NULL, OPT_EVENTS },
	{ "no-return", no_argument, NULL, OPT_NO_RETURN },
	{ "string-limit", required_argument, NULL, OPT_STRING_LIMIT },
	{ "elements", required_argument, NULL, OPT_ELEMENTS },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "objects", required_argument, NULL, OPT_OBJECTS },
	{ "bytes", required_argument, NULL, OPT_BYTES },
	{ "pretty", no_argument, NULL, OPT_PRETTY },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* As in the help: the least ring is the kernel's page-wise minimum. */
#define RING_LEAST (64U << 10)
#define RING_MOST (64U << 20)

/* Limits of what is captured, each a number. */
static const struct {
	int opt;
	const char *name;
	size_t offset;
	uint64_t least;
	uint64_t most;
	const char *wanted;
} limits[] = {
#define LIMIT(opt, name, field, least, most, wanted) \
	{ opt, name, offsetof(struct plan_options, field), least, most, wanted }
	LIMIT(OPT_STRING_LIMIT, "--string-limit", string_limit, 0, 16384, "0 to 16384 bytes"),
	LIMIT(OPT_ELEMENTS, "--elements", elements, 0, 16384, "0 to 16384 elements"),
	LIMIT(OPT_DEPTH, "--depth", depth, 0, 31, "0 to 31 references"),
	LIMIT(OPT_OBJECTS, "--objects", objects, 0, 1024, "0 to 1024 objects"),
	LIMIT(OPT_BYTES, "--bytes", bytes, 0, 16384, "0 to 16384 bytes"),
#undef LIMIT
};

_Static_assert(PLAN_DEPTH_MAX == 31 && PLAN_OBJECTS_MAX == 1024 && PLAN_BYTES_MAX == 16384,
	       "limits[] says so");

static int parse_limit(struct attach *a, int opt, struct diag *d)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		uint64_t n;
		uint32_t v;

		if (limits[i].opt != opt)
			continue;
		if (!cmd_parse_number(optarg, limits[i].least, limits[i].most, &n))
			return cmd_bad_value(limits[i].name, optarg, limits[i].wanted, d);
		v = (uint32_t)n;
		memcpy((char *)&a->options + limits[i].offset, &v, sizeof(v));
	}
	return CMD_DONE;
}

static int parse_option(struct attach *a, int opt, struct diag *d)
{
	uint64_t n;

	switch (opt) {
	case 'p':
		if (target_check_pids(optarg, d))
			return CMD_USAGE;
		a->pids[a->npids++] = optarg;
		break;
	case 'b':
		if (a->file) {
			diag_set(d, "-b can be given only once");
			return CMD_USAGE;
		}
		a->file = optarg;
		break;
	case 'o':
		return cmd_parse_format(optarg, &a->format, d);
	case 'q':
		a->quiet = true;
		break;
	case OPT_OUTPUT:
		a->output = optarg;
		break;
	case OPT_DURATION:
		if (!cmd_parse_duration(optarg, &a->duration))
			return cmd_bad_value("--duration", optarg, "a time: 5s, 200ms, 1m", d);
		break;
	case OPT_EVENTS:
		if (!cmd_parse_number(optarg, 1, UINT64_MAX, &a->events))
			return cmd_bad_value("--events", optarg, "a number from 1 on", d);
		break;
	case OPT_NO_RETURN:
		a->options.no_return = true;
		break;
	case OPT_STRING_LIMIT:
	case OPT_ELEMENTS:
	case OPT_DEPTH:
	case OPT_OBJECTS:
	case OPT_BYTES:
		a->bytes_given |= opt == OPT_BYTES;
		return parse_limit(a, opt, d);
	case OPT_PRETTY:
		a->pretty = true;
		break;
	case OPT_BUFFER:
		if (!cmd_parse_size(optarg, &n) || n < RING_LEAST || n > RING_MOST)
			return cmd_bad_value("--buffer", optarg, "a size: 64k to 64m", d);
		a->ring_bytes = n;
		break;
	case OPT_STRICT:
		a->strict = true;
		break;
	}
	return CMD_DONE;
}

/* Cut argv at "--": what follows is the command's, options and all. */
static int split_command(struct attach *a, int argc, char **argv, struct diag *d)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (!argv[i + 1]) {
			diag_set(d, "there is no command after '--'");
			return -1;
		}
		a->command = argv + i + 1;
		argv[i] = NULL;
		return i;
	}
	return argc;
}

static int check_target(const struct attach *a, struct diag *d)
{
	int kinds = !!a->npids + !!a->file + !!a->command;

	if (kinds == 1)
		return CMD_DONE;
	if (kinds)
		diag_set(d, "-p, -b and a command exclude each other");
	else
		diag_set(d, "nothing to trace: give -p PID, -b FILE or -- COMMAND");
	return CMD_USAGE;
}

static int parse(struct attach *a, int argc, char **argv, struct diag *d)
{
	int opt, code = CMD_DONE;

	argc = split_command(a, argc, argv, d);
	if (argc < 0)
		return CMD_USAGE;
	opterr = 0;
	optind = 1;
	while ((opt = getopt_long(argc, argv, ":p:b:o:qh", options, NULL)) != -1) {
		if (opt == 'h')
			return CMD_HELP;
		if (opt == '?' || opt == ':')
			return cmd_bad_option(argv, opt, options, d);
		code = parse_option(a, opt, d);
		if (code)
			return code;
	}
	code = check_target(a, d);
	if (code)
		return code;
	a->nspecs = argc - optind;
	if (!a->nspecs) {
		diag_set(d, "no PATTERN: which functions?");
		return CMD_USAGE;
	}
	if (select_specs_parse(argv + optind, a->nspecs, &a->specs, d)) {
		a->nspecs = 0;
		return CMD_USAGE;
	}
	/* A string that fits the limit should not fail for want of bytes. */
	if (!a->bytes_given && a->options.bytes < a->options.string_limit * 2)
		a->options.bytes = a->options.string_limit * 2 < PLAN_BYTES_MAX ?
				   a->options.string_limit * 2 : PLAN_BYTES_MAX;
	return CMD_DONE;
}

/* --- setting up ------------------------------------------------------ */

static int open_target(struct attach *a, struct diag *d)
{
	size_t older = 0;

	for (size_t i = 0; i < a->npids; i++)
		if (target_add_pids(&a->target, a->pids[i], d))
			return -1;
	if (a->file && target_set_file(&a->target, a->file, &older, d))
		return -1;
	if (older)
		fprintf(stderr, "goprobectl: warning: %zu process%s an older, replaced %s; -p traces %s\n",
			older, older == 1 ? " runs" : "es run", a->file,
			older == 1 ? "it" : "them");
	if (a->command)
		return target_set_command(&a->target, a->command, &a->watch.mask, d);
	return 0;
}

static int make_plan(struct attach *a, struct diag *d)
{
	struct buf skipped = { 0 };

	a->plan = plan_new(&a->options);
	if (!a->plan)
		return diag_set(d, "out of memory");

	int err = select_functions(a->plan, a->target.bins, a->target.nbins, a->specs, a->nspecs,
				   &a->wanted, &skipped, d);

	if (!err)
		err = plan_finish(a->plan, d);
	if (!err && skipped.len && !a->quiet)
		fprintf(stderr, "%.*s\n", (int)skipped.len, skipped.p);
	buf_fini(&skipped);
	return err;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Tell on a terminal; elsewhere only if it takes long. */
static bool progress(void *ctx, size_t points, size_t all)
{
	struct attach *a = ctx;
	bool terminal = isatty(STDERR_FILENO);
	uint64_t every = terminal ? 100000000ULL : 2000000000ULL, t = now();

	if (!a->said)
		a->said = t;
	if (!a->quiet && points < all && t - a->said >= every) {
		fprintf(stderr, terminal ? "\r%zu of %zu breakpoints placed" :
					   "%zu of %zu breakpoints placed\n", points, all);
		a->said = t;
	}
	if (!a->quiet && points == all && terminal && t != a->said && all > 1000)
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
		err = client_session_new(a->client, pids, n, &a->ring_bytes, d);
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

	if (a->output) {
		fd = open(a->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			return diag_errno(d, errno, "can't write %s", a->output);
	}
	out_init(&a->out, a->format, fd);
	a->out.pids = a->file || a->target.nprocesses > 1;
	if (!a->quiet)
		a->format->header(&a->out);
	if (stream_init(&a->stream, a->plan, &a->out, !a->options.no_return))
		return diag_set(d, "out of memory");
	a->stream.most = a->events;
	learn_init(&a->learn, a->plan);
	a->stream.learn = &a->learn;
	a->stream.values.width = a->pretty ? columns() : 0;
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
	a->watch.duration = a->duration;
	return 0;
}

static void summarize(struct attach *a)
{
	struct out_summary *s = &a->stream.sum;
	struct buf talk = { 0 };

	s->lost[GOPROBE_LOST_RING_FULL] = a->watch.stats[GOPROBE_STAT_LOST_RING_FULL];
	s->lost[GOPROBE_LOST_NO_RING] = a->watch.stats[GOPROBE_STAT_LOST_NO_RING];
	/* Losses are told even to those who want quiet. */
	if (!a->quiet || out_lost(s)) {
		a->format->summary(&a->out, s, &talk);
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
	if (!a->quiet)
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

	return !code && a->strict && out_lost(&a->stream.sum) ? CMD_LOST : code;
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
	select_specs_free(a->specs, a->nspecs);
	free(a->pids);
}

static int run(int argc, char **argv, struct diag *d)
{
	struct attach *a = calloc(1, sizeof(*a));

	if (a)
		a->pids = calloc(argc, sizeof(*a->pids));
	if (!a || !a->pids) {
		free(a);
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	a->options = plan_defaults;
	a->format = &out_text;

	int code = parse(a, argc, argv, d);

	if (code == CMD_DONE)
		code = set_up(a, d) ? CMD_FAILED : watch(a, d);
	clean_up(a);
	free(a);
	return code;
}

const struct cmd cmd_attach = {
	.name = "attach",
	.summary = "print calls and returns of functions as they happen",
	.help = help,
	.run = run,
};
