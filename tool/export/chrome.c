// SPDX-License-Identifier: GPL-2.0
/*
 * Call trees as trace events, for Perfetto and chrome://tracing. "Trace Event Format" of the
 * Chromium project says what is written: X is a call, M names a track, s and f are the ends of an
 * arrow, i is a moment.
 */
#include "base/json.h"
#include "export/span.h"
#include "gotype/shown_name.h"
#include "output/state_print.h"

/* Tracks of threads outside any goroutine stand behind those of goroutines. */
#define THREADS (1ULL << 31)

/* Times are those of CLOCK_MONOTONIC: since 1970 they would exceed a double's digits. */
static void put_us(struct buf *b, const char *key, uint64_t ns)
{
	json_key(b, key);
	buf_u64(b, ns / 1000);
	buf_char(b, '.');
	buf_digits(b, ns % 1000, 3);
}

static void begin(struct graph *g)
{
	if (!g->begun)
		buf_str(&g->out.buf, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	g->begun = true;
}

/* The events before may be in the file already: the buffer does not show whether there are any. */
static void begin_event(struct graph *g)
{
	bool first = !g->begun;

	begin(g);
	buf_str(&g->out.buf, first ? "\n{" : ",\n{");
}

static uint64_t track(const struct calltree_who *who)
{
	return who->goid ? who->goid : THREADS + who->tid;
}

/* An event of @who, without its end: {"ph":"X","name":"main.foo","pid":7,"tid":1 */
static void open_event(struct graph *g, const char *kind, const char *name,
		       const struct calltree_who *who)
{
	struct buf *b = &g->out.buf;

	begin_event(g);
	json_str(b, "ph", kind);
	json_str(b, "name", name);
	json_u64(b, "pid", who->tgid);
	json_u64(b, "tid", track(who));
}

static bool is_same_track(const struct calltree_who *a, const struct calltree_who *b)
{
	return a->tgid == b->tgid && track(a) == track(b);
}

/* The name of a track: "goroutine 7: main.worker", by the outermost call that was seen on it. */
static void put_track(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf, name = { 0 };

	while (c->parent && is_same_track(&c->parent->who, &c->who))
		c = c->parent;
	if (c->who.goid)
		buf_number(&name, "goroutine ", c->who.goid);
	else
		buf_number(&name, "thread ", c->who.tid);
	buf_str(&name, ": ");
	if (g->brief)
		shown_name_put(&name, graph_name(g, c));
	else
		buf_str(&name, graph_name(g, c));
	buf_char(&name, 0);
	open_event(g, "M", "thread_name", &c->who);
	json_raw(b, "args", "{");
	json_str(b, "name", name.failed ? NULL : name.p);
	buf_str(b, "}}");
	buf_fini(&name);
}

static void put_names(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;

	if (c->who.tgid != g->shown.tgid) {
		open_event(g, "M", "process_name", &c->who);
		json_raw(b, "args", "{");
		json_str(b, "name", span_program(g, c));
		buf_str(b, "}}");
	}
	if (is_same_track(&c->who, &g->shown))
		return;
	put_track(g, c);
	g->shown = c->who;
}

/* An end of the arrow from a go statement to the first call of the goroutine. */
static void put_arrow(struct graph *g, const char *kind, const struct calltree_call *at,
		      const struct calltree_call *to, uint64_t ns)
{
	struct buf *b = &g->out.buf;

	open_event(g, kind, "go", &at->who);
	json_str(b, "cat", "go");
	json_key(b, "id");
	buf_number(b, "\"", to->who.tgid);
	buf_number(b, ".", to->who.goid);
	buf_number(b, ".", to->time);
	buf_char(b, '"');
	put_us(b, "ts", ns);
	buf_str(b, *kind == 'f' ? ",\"bp\":\"e\"}" : "}");
}

static void put_arrows(struct graph *g, const struct calltree_call *c)
{
	uint64_t end;

	if (!c->started)
		return;
	end = c->parent->until;
	put_arrow(g, "s", c->parent, c, c->from < end ? c->from : end);
	put_arrow(g, "f", c, c, c->from);
}

/* @members: each behind a comma; or NULL */
static void put_object(struct buf *b, const char *key, const char *members)
{
	if (!members || !*members)
		return;
	json_raw(b, key, "{");
	buf_str(b, members + 1);
	buf_char(b, '}');
}

static void put_texts(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;
	struct graph_origin from;

	put_object(b, "args", c->text[GRAPH_ARGS]);
	if (graph_panic(c))
		json_str(b, "panic", graph_panic(c));
	put_object(b, "results", graph_results(c));
	buf_str(b, c->text[GRAPH_SPLIT] ?: "");
	graph_origin(g, c, &from);
	if (from.placed) {
		json_str(b, "started_in", from.at.func);
		json_str(b, "started_file", from.at.file);
		json_u64(b, "started_line", from.at.line);
	}
	if (!c->parent && from.parent)
		json_u64(b, "started_by_goroutine", from.parent);
}

/* Begin the event of a call. Returns whether its name is not the function's whole one. */
static bool open_call(struct graph *g, const struct calltree_call *c)
{
	const char *name = graph_name(g, c);
	struct buf brief = { 0 };
	bool differs;

	if (g->brief)
		shown_name_put(&brief, name);
	buf_char(&brief, 0);
	differs = g->brief && !brief.failed && strcmp(brief.p, name) != 0;
	open_event(g, "X", differs ? brief.p : name, &c->who);
	buf_fini(&brief);
	return differs;
}

static void put_call(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;
	bool brief;

	put_names(g, c);
	brief = open_call(g, c);
	json_str(b, "cat", "call");
	put_us(b, "ts", c->from);
	put_us(b, "dur", c->until - c->from);
	json_raw(b, "args", "{");
	if (brief)
		json_str(b, "func", graph_name(g, c));
	json_u64(b, "thread", c->who.tid);
	json_str(b, "ended", callend_key(c->end));
	if (c->below)
		json_u64(b, "calls_below", c->below);
	put_texts(g, c);
	buf_str(b, "}}");
	put_arrows(g, c);
	for (c = c->child; c; c = c->next)
		put_call(g, c);
}

static void put_tree(struct graph *g, const struct calltree_root *r)
{
	span_place(g, r);
	put_call(g, r->call);
}

static void put_lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	struct buf *b = &o->buf;

	begin_event(graph_of(o));
	buf_str(b, "\"ph\":\"i\",\"s\":\"g\",\"name\":\"records lost\",\"pid\":0,\"tid\":0");
	put_us(b, "ts", time);
	json_raw(b, "args", "{");
	json_u64(b, "count", l->count);
	json_str(b, "cause", counters_cause(l->cause));
	buf_str(b, "}}");
}

static void finish(struct graph *g)
{
	struct buf *b = &g->out.buf;

	begin(g);
	buf_str(b, "\n],\"otherData\":{");
	/* As a string: it has more digits than a double. */
	json_key(b, "ns_from_ts_to_1970");
	buf_number(b, "\"", g->out.epoch);
	buf_str(b, "\"}}\n");
}

static void put_value(struct buf *b, void *ctx, const struct span_value *v)
{
	(void)ctx;
	json_name(b, v->name);
	quote_json(b, (const uint8_t *)v->text, v->len);
}

static void values(struct output *o, const struct output_event *e)
{
	span_values(o, e, put_value, NULL);
}

const struct graph_format graph_chrome = {
	.out = {
		.name = "chrome", GRAPH_EVENTS, .header = graph_no_header,
		.panic = output_text_panic, .lost = put_lost, .summary = graph_text_summary,
	},
	.values = values,
	.split = state_print_json,
	.tree = put_tree,
	.finish = finish,
};
