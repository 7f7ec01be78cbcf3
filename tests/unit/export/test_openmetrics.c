// SPDX-License-Identifier: GPL-2.0
/* OpenMetrics: samples of counted, timed and grouped calls, and labels that can be any text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/openmetrics.h"
#include "output/metric_label.h"
#include "rows.h"
#include "samples.h"

#define WANT 10
#define WHOSE "{host=\"node-1\",program=\"shop\",pid=\"12\""

/**
 * struct metrics_case - an exposition of one or two items
 * @claim: what it shows
 * @timed: of latency
 * @split: with --split
 * @keys: labels of the items; NULL: they are functions
 * @want: texts that it has, in this order
 * @absent: a text that it does not have
 * @program: its name, or NULL: nothing says what the metrics are of
 * @pids: ids of processes, or NULL
 */
static const struct metrics_case {
	const char *claim;
	bool timed;
	bool split;
	const char *keys[2];
	const char *want[WANT];
	const char *absent;
	const char *program;
	const char *pids;
	const char *container;
	const char *pod;
} cases[] = {
	{
		"counted functions",
		.want = {
			"# TYPE goprobe_calls counter\n# HELP goprobe_calls Calls of the function.\n"
			"goprobe_calls_total{func=\"main.a\"} 7\ngoprobe_calls_total{func=\"main.b[\\\"é\\\\\"} 8\n"
			"# EOF\n",
		},
		.absent = "goprobe_call_duration_seconds",
	}, {
		"timed functions: buckets have all that is below them, and the last has all",
		.timed = true,
		.want = {
			"goprobe_calls_total{func=\"main.a\"} 7",
			"# TYPE goprobe_calls_unwound counter\n",
			"goprobe_calls_unwound_total{func=\"main.a\"} 1\n",
			"goprobe_calls_open{func=\"main.a\"} 2\n",
			"# TYPE goprobe_call_duration_seconds histogram\n"
			"# UNIT goprobe_call_duration_seconds seconds\n",
			"goprobe_call_duration_seconds_bucket{func=\"main.a\",le=\"0.000000511\"} 0\n"
			"goprobe_call_duration_seconds_bucket{func=\"main.a\",le=\"0.000001023\"} 1\n"
			"goprobe_call_duration_seconds_bucket{func=\"main.a\",le=\"0.000002047\"} 3\n",
			"le=\"68.719476735\"} 3\n"
			"goprobe_call_duration_seconds_bucket{func=\"main.a\",le=\"+Inf\"} 4\n"
			"goprobe_call_duration_seconds_count{func=\"main.a\"} 4\n"
			"goprobe_call_duration_seconds_sum{func=\"main.a\"} 100.000004000\n",
			"func=\"main.b", "# EOF\n",
		},
		.absent = "state",
	}, {
		"time by state", .timed = true, .split = true,
		.want = {
			"goprobe_call_state_seconds_total{func=\"main.a\",state=\"running\"} 1.500000000\n",
		},
	}, {
		"keys are labels, and functions have no samples of their own",
		.timed = true,
		.keys = { "key1_r_Method=\"GET\"", "key1_r_Method=\"PUT\",key2_goid=\"5\"" },
		.want = {
			"goprobe_calls_total{func=\"main.a\",key1_r_Method=\"GET\"} 7\n",
			"{func=\"main.b[\\\"é\\\\\",key1_r_Method=\"PUT\",key2_goid=\"5\",le=\"+Inf\"}",
		},
		.absent = "open",
	}, {
		"samples say of which host, program and process they are", .timed = true,
		.keys = { "key1_n=\"1\"" }, .program = "shop", .pids = "12",
		.want = {
			"goprobe_calls_total" WHOSE ",func=\"main.a\",key1_n=\"1\"} 7\n",
			"_total" WHOSE ",func=\"main.b",
			"_seconds_bucket" WHOSE ",func=\"main.a\",key1_n=\"1\",le=",
		},
		.absent = "total{func",
	}, {
		"several processes", .program = "sh\"op", .pids = "12,13",
		.want = { "program=\"sh\\\"op\",pid=\"12,13\",func=\"main.a\"} 7\n" },
	}, {
		"a container of a pod", .program = "shop", .container = "app", .pod = "shop/web-0",
		.want = { ",container=\"app\",pod=\"shop/web-0\",func=\"main.a\"} 7\n" },
		.absent = "pid",
	}, {
		"all that run a file", .program = "shop",
		.want = { "{host=\"node-1\",program=\"shop\",func=\"main.a\"} 7\n" },
		.absent = "pid",
	},
};

static void item(void *ctx, size_t i, struct stats_print_item *ret)
{
	const struct metrics_case *c = ctx;

	*ret = (struct stats_print_item){
		.func = i ? "main.b[\"é\\" : "main.a", .key = c->keys[i],
		.tally = {
			.calls = 7 + i, .unwound = 1, .is_split = c->split,
			.took = { .n = 4, .sum = 100000004000 },
		},
	};
	ret->tally.split[SCHED_STATE_RUNNING] = 1500000000;
	/* 768 ns, 1024 ns twice, 2 minutes. */
	ret->tally.took.bucket[34] = 1;
	ret->tally.took.bucket[36] = 2;
	ret->tally.took.bucket[140] = 1;
}

ROWS(test_metrics, cases)
{
	const struct metrics_case *c = *state;
	struct stats_print show = { .timed = c->timed, .labels = true };
	struct openmetrics_whose w = { .host = { 0 } };
	struct buf b = { 0 }, whose = { 0 };
	char name[64];
	const char *at;

	buf_str(&w.host, c->program ? "node-1" : "");
	buf_str(&w.programs, c->program ? c->program : "");
	buf_str(&w.pids, c->pids ? c->pids : "");
	w.container = c->container;
	w.pod = c->pod;
	openmetrics_whose(&w, &whose);
	show.whose = whose.p;
	openmetrics_put(&show, &(struct stats_print_when){ 0 }, &(struct stats_print_items){
		.n = 2, .item = item, .ctx = (void *)c,
	}, &b);
	snprintf(name, sizeof(name), "metrics-%zu.openmetrics", (size_t)(c - cases));
	sample_write(name, &b);
	buf_char(&b, 0);
	at = b.p;
	for (size_t i = 0; i < WANT && c->want[i]; i++) {
		const char *found = strstr(at, c->want[i]);

		if (!found)
			print_error("no %s in %s\n", c->want[i], at);
		assert_non_null(found);
		at = found + strlen(c->want[i]);
	}
	if (c->absent)
		assert_null(strstr(b.p, c->absent));
	buf_fini(&b);
	buf_fini(&whose);
	buf_fini(&w.host);
	buf_fini(&w.programs);
	buf_fini(&w.pids);
}

static const struct label_case {
	const char *claim;
	const char *name;
	const char *value;
	const char *want;
} labels[] = {
	{ "a label", "func", "main.foo", "func=\"main.foo\"" },
	{ "a name that is an expression", "r.URL.Path[0]", "x", "r_URL_Path_0_=\"x\"" },
	{ "a name that begins with a digit", "1x", "y", "_1x=\"y\"" },
	{ "what ends a value, or a line", "k", "a\"b\\c\nd", "k=\"a\\\"b\\\\c\\nd\"" },
	{ "bytes that are no text", "k", "a\xff\x1b[0m\xc2\x85",
	  "k=\"a\\\\xff\\\\x1b[0m\\\\xc2\\\\x85\"" },
	{ "other languages", "k", "é日", "k=\"é日\"" },
	{ "nothing", "k", "", "k=\"\"" },
};

ROWS(test_label, labels)
{
	const struct label_case *c = *state;
	struct buf b = { 0 };

	metriclabel_put(&b, c->name, c->value, strlen(c->value));
	buf_char(&b, 0);
	assert_string_equal(b.p, c->want);
	buf_fini(&b);
}
