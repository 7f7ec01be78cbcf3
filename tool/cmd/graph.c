// SPDX-License-Identifier: GPL-2.0
/* goprobectl graph: which calls were made in which, and how long each took. */
#include <stdio.h>
#include <stdlib.h>

#include "base/argument.h"
#include "cmd/cmd.h"
#include "cmd/target_options.h"
#include "libgoprobe/limit_options.h"
#include "libgoprobe/option_value.h"
#include "output/tree.h"
#include "trace/loop.h"
#include "trace/session.h"
#include "trace/sink.h"
#include "trace/stream.h"

static const char help[] =
"Usage: goprobectl graph [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl graph [OPTION...] -b FILE PATTERN...\n"
"       goprobectl graph [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Print calls of the functions that a PATTERN names as trees: each call below the one\n"
"that it was made in, with the time it took in all, and in itself, without the calls\n"
"below. What a goroutine calls is below the call in which it was started. A tree is\n"
"printed when its first call has returned, and no other call of it is open.\n"
"\n"
"PATTERNs, and lists behind them, are as those of attach.\n"
"\n"
TARGETOPT_HELP
"\n"
"When to end (Ctrl-C always does; what is open then is printed, too):\n"
"      --duration TIME     after TIME: 5s, 200ms, 1m\n"
MAXLOAD_HELP
"\n"
"What to show:\n"
"      --sample 1/N        every N-th tree, of those that begin with the same function;\n"
"                          what other goroutines do for it are trees of their own\n"
"      --sample-by WHAT    root, as above, or goroutine: one of N, with all its trees\n"
"      --rate N            trees in a second, that begin with the same function\n"
"      --depth N           levels of a tree, 1 to 1000 (default 50)\n"
"      --calls N           calls of one tree, 1 to 1000000 (default 10000)\n"
"      --follow N          pointers followed in values (default 0: only those of\n"
"                          strings and errors)\n"
"      --split             how each call's time divides: running, waiting for what\n"
"      --buffer SIZE       memory for each CPU's records: 64k to 64m (default 1m)\n"
"      --lossless          when it is full, have the program wait, not lose records\n"
"\n"
"Output:\n"
"  -o, --format FORMAT     text or json\n"
"      --output FILE       write trees to FILE instead of standard output\n"
"  -q, --quiet             no header and no summary\n"
"      --strict            exit with status 3 if records were lost\n"
"\n"
"Examples:\n"
"  What do requests spend their time on?\n"
"      goprobectl graph -p 4121 'main.*' 'shop.*'\n"
"  Only the top of it, with one argument of the first function:\n"
"      goprobectl graph -p 4121 --depth 2 'main.handle(r.URL.Path)' 'shop.*'\n";

/**
 * struct graphing - a run of the command
 * @what: what is traced
 * @plan: limits of what is captured
 * @lines: how trees are shown
 * @levels: of a tree
 * @calls: of a tree
 * @ring_bytes: memory for each CPU, or 0
 * @lossless: the program waits rather than that records are lost
 * @strict: losses are a failure
 * @limit: how much is traced
 * @tracing: the session
 * @graph: where events become trees, and trees lines
 * @learn: what values show that the module does not know
 * @stream: records on their way to events
 * @watch: the session being watched
 */
struct graphing {
	struct target_spec what;
	struct plan_options plan;
	struct lines_opt lines;
	uint64_t levels;
	uint64_t calls;
	uint32_t ring_bytes;
	bool lossless;
	bool strict;
	struct limitopt limit;
	struct tracing tracing;
	struct graph graph;
	struct learn learn;
	struct stream stream;
	struct watch watch;
};

/* --- options --------------------------------------------------------- */

enum {
	OPT_DURATION = 256,
	OPT_DEPTH,
	OPT_CALLS,
	OPT_FOLLOW,
	OPT_SPLIT,
	OPT_BUFFER,
	OPT_LOSSLESS,
	OPT_OUTPUT,
	OPT_STRICT,
};

static const struct option options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "binary", required_argument, NULL, 'b' },
	{ "format", required_argument, NULL, 'o' },
	{ "output", required_argument, NULL, OPT_OUTPUT },
	{ "duration", required_argument, NULL, OPT_DURATION },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "calls", required_argument, NULL, OPT_CALLS },
	{ "follow", required_argument, NULL, OPT_FOLLOW },
	{ "split", no_argument, NULL, OPT_SPLIT },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "lossless", no_argument, NULL, OPT_LOSSLESS },
	LIMITOPT_ROW_SAMPLE,
	LIMITOPT_ROW_BY,
	LIMITOPT_ROW_RATE,
	MAXLOAD_ROW,
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static int parse_format(struct graphing *g, struct diag *d)
{
	const struct out_format *format;

	if (cmd_parse_format(optarg, &format, d))
		return CMD_USAGE;
	g->lines.format = format == &out_json ? &graph_json : &graph_text;
	return CMD_DONE;
}

static int parse_option(struct graphing *g, int opt, struct diag *d)
{
	uint64_t n;

	switch (opt) {
	case 'p':
	case 'b':
		return targetopt_option(&g->what, opt, optarg, d);
	case 'o':
		return parse_format(g, d);
	case 'q':
		g->lines.quiet = true;
		break;
	case OPT_OUTPUT:
		g->lines.output = optarg;
		break;
	case OPT_DURATION:
		if (!argument_duration(optarg, &g->watch.duration))
			return argument_fail("--duration", optarg, "a time: 5s, 200ms, 1m", d);
		break;
	case OPT_DEPTH:
		if (!argument_number(optarg, 1, 1000, &g->levels))
			return argument_fail("--depth", optarg, "1 to 1000 levels", d);
		break;
	case OPT_CALLS:
		if (!argument_number(optarg, 1, 1000000, &g->calls))
			return argument_fail("--calls", optarg, "1 to 1000000 calls", d);
		break;
	case OPT_FOLLOW:
		if (!argument_number(optarg, 0, PLAN_DEPTH_MAX, &n))
			return argument_fail("--follow", optarg, "0 to 31 references", d);
		g->plan.depth = (uint32_t)n;
		break;
	case OPT_SPLIT:
		g->plan.split = true;
		break;
	case OPT_BUFFER:
		if (optvalue_parse(GOPROBE_OPTION_RING_BYTES, optarg, &n, d))
			return CMD_USAGE;
		g->ring_bytes = (uint32_t)n;
		break;
	case LIMITOPT_SAMPLE:
	case LIMITOPT_SAMPLE_BY:
	case LIMITOPT_RATE:
		return limitopt_option(&g->limit, opt, optarg, d);
	case MAXLOAD_OPT:
		return cmd_parse_max_load(&g->tracing.load, optarg, d);
	case OPT_LOSSLESS:
		g->lossless = true;
		break;
	case OPT_STRICT:
		g->strict = true;
		break;
	}
	return CMD_DONE;
}

static int parse(struct graphing *g, int argc, char **argv, struct diag *d)
{
	int opt, code = targetopt_begin(&g->what, &argc, argv, d);

	g->plan = plan_defaults;
	g->plan.goroutine = true;
	g->plan.depth = 0;
	g->plan.brief = true;
	g->lines.format = &graph_text;
	g->lines.paired = true;
	g->levels = 50;
	g->calls = 10000;
	g->limit.trees = true;
	opterr = 0;
	optind = 1;
	while (!code &&
	       (opt = getopt_long(argc, argv, ":" TARGETOPT_SHORT "o:qh", options, NULL)) != -1) {
		if (opt == 'h')
			return CMD_HELP;
		if (opt == '?' || opt == ':')
			return cmd_bad_option(argv, opt, options, d);
		code = parse_option(g, opt, d);
	}
	if (!code)
		code = limitopt_end(&g->limit, false, d);
	g->plan.limits = g->limit.limits;
	return code ? code : targetopt_end(&g->what, argc, argv, false, d);
}

/* --- running --------------------------------------------------------- */

static int set_up(struct graphing *g, struct diag *d)
{
	struct tracing *t = &g->tracing;

	t->quiet = g->lines.quiet;
	if (tracing_open(t, &g->what, d) || tracing_plan(t, &g->what, &g->plan, d))
		return -1;
	learn_init(&g->learn, t->plan);
	if (graph_init(&g->graph, t->plan, (uint32_t)g->levels, g->calls))
		return diag_set(d, "out of memory");
	if (tracing_arm(t, g->lossless ? GOPROBE_SESSION_F_LOSSLESS : 0, g->ring_bytes, d))
		return -1;
	g->lines.pids = t->target.nprocesses != 1;
	if (lines_open(&g->graph.out, &g->stream, t->plan, &g->lines, d))
		return -1;
	g->stream.learn = &g->learn;
	g->stream.learn_panics = !learn_possible(t->plan);
	g->watch.client = t->client;
	g->watch.target = &t->target;
	g->watch.tracing = t;
	g->watch.upload = &t->upload;
	g->watch.interrupt = &t->interrupt;
	g->watch.learn = &g->learn;
	g->watch.stream = &g->stream;
	g->watch.out = &g->graph.out;
	g->watch.counts = true;
	return 0;
}

static int watch(struct graphing *g, struct diag *d)
{
	struct target *target = &g->tracing.target;
	int code, err;

	if (watch_start(&g->watch, d))
		return CMD_FAILED;
	lines_started(&g->graph.out, &g->tracing);
	if (watch_run(&g->watch, d))
		return CMD_FAILED;
	graph_finish(&g->graph);
	lines_broken(&g->graph.out, &g->tracing, watch_broken(&g->watch));
	lines_summary(&g->graph.out, &g->stream, g->lines.quiet);
	err = out_close(&g->graph.out);
	if (err && !g->watch.broken) {
		diag_errno(d, -err, "can't write the output");
		return CMD_FAILED;
	}
	/* Whatever is left of the session goes before the command is waited for. */
	tracing_disarm(&g->tracing);
	tracing_await_command(&g->tracing);
	code = target->command ? target_exit_status(target) : CMD_DONE;
	if (code)
		return code;
	return watch_broken(&g->watch) ? CMD_BROKEN :
	       g->strict && out_lost(&g->stream.sum) ? CMD_LOST : CMD_DONE;
}

static int run(int argc, char **argv, struct diag *d)
{
	struct graphing *g = calloc(1, sizeof(*g));
	int code;

	if (!g) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	code = parse(g, argc, argv, d);
	if (code == CMD_DONE)
		code = set_up(g, d) ? CMD_FAILED : watch(g, d);
	learn_fini(&g->learn);
	tracing_fini(&g->tracing);
	stream_fini(&g->stream);
	graph_fini(&g->graph);
	targetopt_fini(&g->what);
	free(g);
	return code;
}

const struct cmd cmd_graph = {
	.name = "graph",
	.summary = "print which calls were made in which, as trees with times",
	.help = help,
	.run = run,
};
