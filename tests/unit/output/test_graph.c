// SPDX-License-Identifier: GPL-2.0
/*
 * Trees: text names a goroutine once while it stays the same, and fits the screen; JSON nests.
 * Merged trees have numbers and times of each path, or of each function.
 */
#include <stdlib.h>
#include <string.h>

#include "output/profile_print.h"
#include "output/screen.h"
#include "output/graph.h"
#include "rows.h"

#define EVENTS 12
#define WHY "the binary has no debug information"

static const struct gofunc fns[] = {
	{ .name = "main.a" }, { .name = "main.b" },
	{ .name = "api.(*ServerOfEverythingThatIs).Put" },
};

static struct plan_func funcs[] = {
	{ .fn = &fns[0], .call.unavailable = WHY },
	{ .fn = &fns[1], .id = 1, .call.unavailable = WHY },
	{ .fn = &fns[2], .id = 2, .call.unavailable = WHY },
};

static struct plan_func *list[] = { &funcs[0], &funcs[1], &funcs[2] };
static const struct plan plan = { .o = &plan_defaults, .funcs = list, .nfuncs = 3 };

#define A	"{'func':'main.a','tid':8,'goid':1,'started_by':null"
#define B	"{'func':'main.b','tid':8,'goid':1"
#define ENDED	",'ended':'return'"
#define VALUES	",'args_unavailable':'" WHY "','results':[]"
#define RET	",'ended':'return','args_unavailable':'" WHY "','results':[]"

#define SPLIT	",'split':{'running_ns':0,'runnable_ns':0,'syscall_ns':0,'chan_ns':0,'select_ns':0," \
		"'sync_ns':0,'net_ns':0,'sleep_ns':0,'gc_ns':0,'other_ns':0}"

#define PATH(sum, self, rest) \
	"{'kind':'call_path','sum_ns':" #sum "000,'self_ns':" #self "000,'calls':2," rest "}\n"

/* main.a calls main.b and itself; main.b is called alone; main.a calls main.b. */
#define RECURSIVE \
	">a1", ">b1", "<b1", ">a1", "<a1", "<a1", ">b1", "<b1", ">a1", ">b1", "<b1", "<a1"

/*
 * ">a1": goroutine 1 calls main.a; "<a1": and returns from it; "<a1=1100": the same, and the module
 * measured 1100 ns. A microsecond passes each time.
 */
static const struct tree_case {
	const char *claim;
	const char *events[EVENTS];
	unsigned int columns;
	const char *want;
	const struct graph_format *format;
	bool heads;
} cases[] = {
	{
		"trees of one goroutine, one behind the other",
		{ ">a1", "<a1", ">b1", "<b1", ">a2", "<a2", ">a1", "<a1" }, 0,
		"goroutine 1\n"
		"    1.00us    1.00us  main.a(<" WHY ">)\n"
		"    1.00us    1.00us  main.b(<" WHY ">)\n"
		"goroutine 2\n"
		"    1.00us    1.00us  main.a(<" WHY ">)\n"
		"goroutine 1\n"
		"    1.00us    1.00us  main.a(<" WHY ">)\n",
	}, {
		"a call in a call, on a narrow screen",
		{ ">a1", ">b1", "<b1", "<a1" }, 50,
		"goroutine 1\n"
		"    3.00us    2.00us  main.a(<the binary has no …)\n"
		"    1.00us    1.00us  └─ main.b(<the binary has …)\n",
	}, {
		"a name that leaves half of a narrow screen to values",
		{ ">c1", "<c1" }, 60,
		"goroutine 1\n"
		"    1.00us    1.00us  api.(*Serv…erythingThatIs).Put(<the …)\n",
	}, {
		"two calls in a call, as JSON",
		{ ">a1", ">b1", "<b1", ">b1", "<b1", "<a1" }, 0,
		"{'kind':'call_tree','pid':7,'goid':1,'left_out':0,'call':" A
		",'time_ns':1000,'duration_ns':5000,'self_ns':3000" RET ",'calls':["
		B ",'time_ns':2000,'duration_ns':1000,'self_ns':1000" RET ",'calls':[]},"
		B ",'time_ns':4000,'duration_ns':1000,'self_ns':1000" RET ",'calls':[]}]}}\n",
		&graph_json,
	}, {
		"measured durations, rather than the differences of the records' times, as JSON",
		{ ">a1", ">b1", "<b1=1100", "<a1=2500" }, 0,
		"{'kind':'call_tree','pid':7,'goid':1,'left_out':0,'call':" A
		",'time_ns':1000,'duration_ns':2500,'self_ns':1400" ENDED SPLIT VALUES ",'calls':["
		B ",'time_ns':2000,'duration_ns':1100,'self_ns':1100" ENDED SPLIT VALUES ",'calls':[]}]}}\n",
		&graph_json,
	}, {
		"functions: measured durations",
		{ ">a1", ">b1", "<b1=1100", "<a1=2500" }, 0,
		"{'kind':'function_time','self_ns':1400,'sum_ns':2500,'calls':1,'func':'main.a'}\n"
		"{'kind':'function_time','self_ns':1100,'sum_ns':1100,'calls':1,'func':'main.b'}\n",
		&flat_json,
	}, {
		"merged trees: paths with their calls, the most time first",
		{ RECURSIVE }, 0,
		"     TOTAL      SELF     CALLS  FUNCTION\n"
		"    8.00us    5.00us         2  main.a\n"
		"    2.00us    2.00us         2  ├─ main.b\n"
		"    1.00us    1.00us         1  └─ main.a\n"
		"    1.00us    1.00us         1  main.b\n",
		&merged_text, true,
	}, {
		"merged trees as JSON, with a call that is open",
		{ ">a1", ">b1", "<b1", "<a1", ">a2", ">b2", "<b2" }, 0,
		PATH(3, 2, "'untimed':1,'path':['main.a']")
		PATH(2, 2, "'path':['main.a','main.b']"),
		&merged_json,
	}, {
		"functions: the most time of their own first, and calls within each other timed once",
		{ RECURSIVE }, 0,
		"      SELF   SELF %     TOTAL     CALLS  FUNCTION\n"
		"    6.00us   66.6 %    8.00us         3  main.a\n"
		"    3.00us   33.3 %    3.00us         3  main.b\n",
		&flat_text, true,
	}, {
		"functions as JSON",
		{ ">a1", ">b1", "<b1", "<a1" }, 0,
		"{'kind':'function_time','self_ns':2000,'sum_ns':3000,'calls':1,'func':'main.a'}\n"
		"{'kind':'function_time','self_ns':1000,'sum_ns':1000,'calls':1,'func':'main.b'}\n",
		&flat_json,
	}, {
		"a function that was never seen to end has no time",
		{ ">a1" }, 0,
		"         -    0.0 %         -         1  main.a\n",
		&flat_text,
	}, {
		"stacks for flame graphs: each path with its own time",
		{ ">a1", ">b1", "<b1", "<a1", ">a2", ">b2", "<b2", "<a2" }, 0,
		"main.a 4000\n"
		"main.a;main.b 2000\n",
		&graph_folded,
	},
};

static void event(struct graph *g, const char *what, uint64_t n, uint64_t depth)
{
	struct record rec = { .h.depth = depth };
	const uint64_t split[__GOSTATES_MAX] = { 0 };
	const char *took = strchr(what, '=');
	struct output_event e = {
		.kind = *what == '>' ? OUTPUT_CALL : OUTPUT_RETURN, .fn = &funcs[what[1] - 'a'],
		.rec = &rec, .tgid = 7, .tid = 8, .goid = (uint64_t)(what[2] - '0'),
		.time = 1000 + n * 1000,
		.split = took ? split : NULL, .duration = took ? strtoull(took + 1, NULL, 10) : 0,
	};

	g->out.format->event(&g->out, &e);
}

ROWS(test_tree, cases)
{
	const struct tree_case *c = *state;
	struct graph g;
	uint64_t depth = 100;

	assert_int_equal(graph_init(&g, &plan, 50, 1000), 0);
	output_init(&g.out, c->format ? &c->format->out : &graph_text.out, -1);
	g.out.epoch = 0;
	screen.columns = c->columns;
	if (c->heads)
		g.out.format->header(&g.out);
	for (size_t i = 0; i < EVENTS && c->events[i]; i++) {
		depth += *c->events[i] == '>' ? 100 : 0;
		event(&g, c->events[i], i, depth);
		depth -= *c->events[i] == '<' ? 100 : 0;
	}
	graph_finish(&g);
	screen.columns = 0;
	/* Expected JSON is written with ' for ", to be legible. */
	for (size_t i = 0; i < g.out.buf.len; i++)
		if (g.out.buf.p[i] == '"')
			g.out.buf.p[i] = '\'';
	buf_char(&g.out.buf, 0);
	assert_string_equal(g.out.buf.p, c->want);
	graph_fini(&g);
}
