// SPDX-License-Identifier: GPL-2.0
/* goprobectl graph: calls as trees, with their times. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "trace/record_run.h"
#include "trace/sink.h"
#include "trace/trees.h"

static const char about[] =
"Usage: goprobectl graph [OPTION...] -p PID[,PID...] PATTERN...\n"
"       goprobectl graph [OPTION...] -b FILE PATTERN...\n"
"       goprobectl graph [OPTION...] PATTERN... -- COMMAND [ARG...]\n"
"\n"
"Print calls of the functions that a PATTERN names as trees: each call below its caller,\n"
"with its time, and its time without the calls below it. Calls of a new goroutine are\n"
"below the call that started it. A tree is printed when its first call has returned, and\n"
"no other call of it is open. At the end open trees are printed, too. --merge prints one\n"
"tree of all calls, --flat a line for each function; both print at the end.\n"
"\n"
"PATTERNs, and lists behind them, are as those of attach.\n";

static const char examples[] =
"Examples:\n"
"  What do requests spend their time on?\n"
"      goprobectl graph -p 4121 'main.*' 'shop.*'\n"
"  Which functions take most time themselves, and on which paths?\n"
"      goprobectl graph -p 4121 --duration 10s --flat 'main.*' 'shop.*'\n"
"      goprobectl graph -p 4121 --duration 10s --merge 'main.*' 'shop.*'\n"
"  Only the top of it, with one argument of the first function:\n"
"      goprobectl graph -p 4121 --depth 2 'main.handle(r.URL.Path)' 'shop.*'\n";

/* A run of the command. */
struct graphing {
	struct record_run watch;	/* the session, and its run */
	struct options *o;	/* what the user asked for */
	struct graph graph;	/* where events become trees, and trees lines */
	struct learn learn;	/* what values show that the module does not know */
	struct stream stream;	/* records on their way to events */
};

/* Values of --calls: a merged tree is as small as the program has paths. */
#define CALLS_MERGED 1000000

/* --- running --------------------------------------------------------- */

static int set_up(struct graphing *g, struct diag *d)
{
	struct session *t = &g->watch.run.session;
	struct options *o = g->o;
	struct sink_opt how = {
		.options = o, .format = &trees_format(o)->out, .paired = true,
	};

	o->signals = true;
	o->plan.depth = o->follow;
	o->plan.goroutine = true;
	o->plan.brief = true;
	if (session_open(t, o, d) || session_plan(t, d))
		return -1;
	learn_init(&g->learn, t->plan);
	if (trees_merge(o) && !option_given(o, option_find(COMMAND_GRAPH, "calls")))
		o->calls = CALLS_MERGED;
	if (graph_init(&g->graph, t->plan, o->levels, o->calls))
		return diag_set(d, "out of memory");
	if (session_arm(t, d))
		return -1;
	how.pids = !target_is_one(&t->target);
	if (sink_open(&g->graph.out, &g->stream, t->plan, &how, d))
		return -1;
	g->stream.live = true;
	g->stream.learn = &g->learn;
	g->stream.learn_panics = !learn_possible(t->plan);
	g->watch.learn = &g->learn;
	g->watch.stream = &g->stream;
	g->watch.graph = &g->graph;
	g->watch.trees = true;
	g->watch.counts = true;
	record_run_init(&g->watch);
	return 0;
}

static int run(struct options *o, struct diag *d)
{
	int code = trees_check(o, d) ? CMD_USAGE : CMD_DONE;
	struct graphing *g;

	if (code)
		return code;
	g = calloc(1, sizeof(*g));
	if (!g) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	g->o = o;
	code = set_up(g, d) ? CMD_FAILED : run_all(&g->watch.run, d);
	learn_fini(&g->learn);
	run_fini(&g->watch.run);
	stream_fini(&g->stream);
	graph_fini(&g->graph);
	free(g);
	return code;
}

const struct cmd cmd_graph = {
	.name = "graph",
	.summary = "print calls as trees, with times",
	.command = COMMAND_GRAPH,
	.about = about,
	.examples = examples,
	.operands = CMD_SPECS,
	.run = run,
};
