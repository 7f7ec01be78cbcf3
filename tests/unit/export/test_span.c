// SPDX-License-Identifier: GPL-2.0
/*
 * Call trees as trace events, as a timeline, and as OTLP traces: times, tracks and parents of
 * calls, across go statements, panics and lost records. tests/readers gives the same output to
 * other programs.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bins.h"
#include "export/span.h"
#include "plan/runtime_probe.h"
#include "rows.h"
#include "samples.h"

#define EVENTS 8
#define WANT 12

static const struct gofunc fns[] = { { .name = "main.a" }, { .name = "main.b<\"é\">" } };
static struct plan_func funcs[] = {
	{ .fn = &fns[0], .call.unavailable = "not known", .ret.unavailable = "not known" },
	{ .fn = &fns[1], .id = 1, .call.unavailable = "not known", .ret.unavailable = "not known" },
};

static struct plan_func *list[] = { &funcs[0], &funcs[1] };
static const struct plan plan = { .funcs = list, .nfuncs = 2 };

/*
 * ">a1": goroutine 1 calls main.a; "<a1": and returns from it; "<a1=2000": the same, and the
 * module measured 2000 ns; "!a1": that panics; "+12": goroutine 1 starts goroutine 2; "L": records
 * are lost. main.b is called in main.a. Each takes 1500 ns.
 */
static const struct span_case {
	const char *claim;
	const struct graph_format *format;
	const char *events[EVENTS];
	const char *want[WANT];
} cases[] = {
	{
		"trace events: a call in a call, with tracks that have names",
		&graph_chrome, { ">a1", ">b1", "<b1", "<a1" },
		{
			"{'displayTimeUnit':'ns','traceEvents':[",
			"{'ph':'M','name':'process_name','pid':7,'tid':1,'args':{'name':'shapes-1.27'}}",
			"{'ph':'M','name':'thread_name','pid':7,'tid':1,'args':{'name':'goroutine 1: main.a'}}",
			"{'ph':'X','name':'main.a','pid':7,'tid':1,'cat':'call','ts':1.500,'dur':4.500",
			"{'ph':'X','name':'main.b<\\'é\\'>','pid':7,'tid':1,'cat':'call','ts':3.000,'dur':1.500",
			"\n],'otherData':{'ns_from_ts_to_1970':'1000000000000000000'}}\n",
		},
	}, {
		"trace events: a track has the name of its outermost call, also behind another track",
		&graph_chrome, { ">a1", "+12", ">b2", "<b2", ">b1", "<b1", "<a1" },
		{
			"'tid':1,'args':{'name':'goroutine 1: main.a'}}",
			"'tid':2,'args':{'name':'goroutine 2: main.b<\\'é\\'>'}}",
			"'tid':1,'args':{'name':'goroutine 1: main.a'}}",
		},
	}, {
		"trace events: an arrow from the go statement to the first call of the goroutine",
		&graph_chrome, { ">a1", "+12", ">b2", "<b2", "<a1" },
		{
			"'name':'main.a','pid':7,'tid':1,'cat':'call','ts':1.500,'dur':6.000",
			"{'ph':'X','name':'main.b<\\'é\\'>','pid':7,'tid':2",
			"{'ph':'s','name':'go','pid':7,'tid':1,'cat':'go','id':'7.2.4500','ts':4.500}",
			"{'ph':'f','name':'go','pid':7,'tid':2,'cat':'go','id':'7.2.4500','ts':4.500,'bp':'e'}",
		},
	}, {
		"trace events: measured durations, even if the records' times are closer together",
		&graph_chrome, { ">a1", ">b1", "<b1=2000", "<a1=4000" },
		{
			"'name':'main.a','pid':7,'tid':1,'cat':'call','ts':1.500,'dur':4.000",
			"'name':'main.b<\\'é\\'>','pid':7,'tid':1,'cat':'call','ts':2.500,'dur':2.000",
		},
	}, {
		"trace events: a call with a measured duration begins earlier rather than end after its caller",
		&graph_chrome, { ">a1", ">b1", "<b1=900", ">b1", "<b1=1400", "<a1=5000" },
		{
			"'name':'main.a','pid':7,'tid':1,'cat':'call','ts':1.500,'dur':5.000",
			"'name':'main.b<\\'é\\'>','pid':7,'tid':1,'cat':'call','ts':3.000,'dur':0.900",
			"'name':'main.b<\\'é\\'>','pid':7,'tid':1,'cat':'call','ts':5.100,'dur':1.400",
		},
	}, {
		"trace events: calls with measured durations do not overlap",
		&graph_chrome, { ">a1", ">b1", "<b1=1400", ">b1", "<b1=1500", "<a1=3000" },
		{
			"'name':'main.a','pid':7,'tid':1,'cat':'call','ts':1.500,'dur':3.000",
			"'name':'main.b<\\'é\\'>','pid':7,'tid':1,'cat':'call','ts':1.600,'dur':1.400",
			"'name':'main.b<\\'é\\'>','pid':7,'tid':1,'cat':'call','ts':3.000,'dur':1.500",
		},
	}, {
		"trace events: a call that was seen to end after its caller did is cut",
		&graph_chrome, { ">a1", ">b1", "!b1", "<a1=1000" },
		{
			"'name':'main.a','pid':7,'tid':1,'cat':'call','ts':1.500,'dur':1.000",
			"'name':'main.b<\\'é\\'>','pid':7,'tid':1,'cat':'call','ts':1.500,'dur':1.000",
		},
	}, {
		"trace events: how calls ended, and what is not known of their ends",
		&graph_chrome, { ">a1", ">b1", "!b1", "L", ">b1", "<a1", ">a2", ">b1" },
		{
			"'name':'main.a'", "'dur':7.500", "'ended':'return'",
			"'name':'main.b", "'dur':1.500", "'ended':'panic'", "'panic':'boom \\'1\\''",
			"'name':'main.b", "'ts':7.500,'dur':0.000", "'ended':'unseen'",
			"'ended':'open'",
			"\n]",
		},
	}, {
		"trace events: lost records are a moment",
		&graph_chrome, { "L" },
		{
			"{'ph':'i','s':'g','name':'records lost','pid':0,'tid':0,'ts':1.500",
			"'args':{'count':3,'cause':'ring_full'}}",
		},
	}, {
		"trace events: of no call it is a whole object, too",
		&graph_chrome, { NULL },
		{ "{'displayTimeUnit':'ns','traceEvents':[\n],'otherData':{" },
	}, {
		"timeline: a page with trace events, whose texts do not end the script",
		&graph_timeline, { ">a1", "+12", ">b2", "L", "<b2", "!a1" },
		{
			"<!DOCTYPE html>", "default-src \'none\'",
			"id='events'>{'displayTimeUnit':'ns','traceEvents':[",
			"{'ph':'i','s':'g','name':'records lost'",
			"'name':'main.a'", "'name':'main.b\\u003c\\'é\\'>'",
			"'otherData':{", "}}\n</script>\n<script>\n", "</html>\n",
		},
	}, {
		"timeline: of no call it is a whole page, too",
		&graph_timeline, { NULL },
		{ "<!DOCTYPE html>", "[\n],'otherData'", "</html>\n" },
	}, {
		"OTLP: a span in a span",
		&graph_otlp, { ">a1", ">b1", "<b1", "<a1" },
		{
			"{'resourceSpans':[{'resource':{'attributes':[{'key':'service.name','value':{'stringValue':'shapes-1.27'}},",
			"{'key':'process.pid','value':{'intValue':'7'}}]},",
			"'name':'main.a','kind':1,'startTimeUnixNano':'1000000000000001500',",
			"'endTimeUnixNano':'1000000000000006000','attributes':[",
			"{'key':'code.function.name','value':{'stringValue':'main.a'}}",
			"{'key':'thread.id','value':{'intValue':'8'}},",
			"{'key':'goprobe.goroutine.id','value':{'intValue':'1'}},",
			"{'key':'goprobe.ended','value':{'stringValue':'return'}}]}",
			"'parentSpanId':'",
			"'name':'main.b<\\'é\\'>'",
			"]}]}]}\n",
		},
	}, {
		"OTLP: measured durations",
		&graph_otlp, { ">a1", ">b1", "<b1=2000", "<a1=4000" },
		{
			"'name':'main.a','kind':1,'startTimeUnixNano':'1000000000000001500',",
			"'endTimeUnixNano':'1000000000000005500'",
			"'startTimeUnixNano':'1000000000000002500',",
			"'endTimeUnixNano':'1000000000000004500'",
		},
	}, {
		"OTLP: a goroutine's first call is below the one that started it",
		&graph_otlp, { ">a1", "+12", ">b2", "<b2", "<a1" },
		{
			"'name':'main.a'", "'parentSpanId':'", "'name':'main.b",
			"{'key':'goprobe.started_by.goroutine.id','value':{'intValue':'1'}}",
			"{'key':'goprobe.goroutine.id','value':{'intValue':'2'}}",
		},
	}, {
		"OTLP: a panic is an error with an exception; a tree is a trace of its own",
		&graph_otlp, { ">a1", "!a1", ">a1", "<a1" },
		{
			"{'key':'error.type','value':{'stringValue':'panic'}}]",
			"'events':[{'name':'exception','timeUnixNano':'1000000000000003000','attributes':[",
			"{'key':'exception.type','value':{'stringValue':'panic'}},",
			"{'key':'exception.message','value':{'stringValue':'boom \\'1\\''}}]}]",
			"'status':{'code':2}",
			"\n{'resourceSpans':",
		},
	},
};

static void lose(struct graph *g, uint64_t time)
{
	const struct goprobe_lost lost = { .count = 3, .cause = GOPROBE_LOST_RING_FULL };

	g->out.format->lost(&g->out, &lost, time);
}

static void event(struct graph *g, const char *what, uint64_t time)
{
	struct record rec = { .h.depth = what[1] == 'b' ? 200 : 100 };
	const uint64_t split[__GOSTATES_MAX] = { 0 };
	const char *took = strchr(what, '=');
	struct output_event e = {
		.kind = *what == '<' ? OUTPUT_RETURN : *what == '!' ? OUTPUT_UNWOUND : OUTPUT_CALL,
		.fn = &funcs[what[1] == 'b'], .rec = &rec, .tgid = 7, .tid = 8,
		.goid = (uint64_t)(*what == '+' ? what[1] - '0' : what[2] - '0'), .time = time,
	};

	if (took) {
		e.duration = strtoull(took + 1, NULL, 10);
		e.split = split;
	}
	if (*what == '+') {
		g->out.format->started(&g->out, &e, &(struct runtime_probe_go){
			.goid = (uint64_t)(what[2] - '0'),
		});
	} else if (*what == '!') {
		e.rec = NULL;
		e.time = time - 1500;
		e.seen = time;
		e.end = CALLEND_PANIC;
		e.panic = "boom \"1\"";
		g->out.format->event(&g->out, &e);
	} else {
		g->out.format->event(&g->out, &e);
	}
}

/* Expected JSON is written with ' for ", to be legible. */
static void check(char *got, const char *const want[WANT])
{
	for (char *c = got; *c; c++)
		*c = *c == '"' ? '\'' : *c;
	for (size_t i = 0; i < WANT && want[i]; i++) {
		char *at = strstr(got, want[i]);

		if (!at)
			print_error("no %s in %s\n", want[i], got);
		assert_non_null(at);
		got = at + strlen(want[i]);
	}
}

/* The bytes written to the file so far. */
static void read_back(int fd, struct buf *b)
{
	char part[4096];
	ssize_t n;

	while ((n = pread(fd, part, sizeof(part), (off_t)b->len)) > 0)
		buf_mem(b, part, (size_t)n);
	assert_int_equal(n, 0);
}

ROWS(test_span, cases)
{
	const struct span_case *c = *state;
	struct buf b = { 0 };
	struct graph g;
	char name[64];

	funcs[0].bin = bins_newest("");
	funcs[1].bin = funcs[0].bin;
	assert_int_equal(graph_init(&g, &plan, 50, 1000), 0);
	output_init(&g.out, &c->format->out, memfd_create("spans", MFD_CLOEXEC));
	g.out.epoch = 1000000000000000000ULL;
	for (size_t i = 0; i < EVENTS && c->events[i]; i++) {
		if (*c->events[i] == 'L')
			lose(&g, 1500 + i * 1500);
		else
			event(&g, c->events[i], 1500 + i * 1500);
		assert_int_equal(output_flush(&g.out, true), 0);
	}
	graph_finish(&g);
	assert_int_equal(output_flush(&g.out, true), 0);
	read_back(g.out.fd, &b);
	snprintf(name, sizeof(name), "spans-%zu.%s", (size_t)(c - cases), g.out.format->name);
	sample_write(name, &b);
	buf_char(&b, 0);
	check(b.p, c->want);
	buf_fini(&b);
	close(g.out.fd);
	graph_fini(&g);
	gobin_free(funcs[0].bin);
}
