// SPDX-License-Identifier: GPL-2.0
/*
 * Call trees as OTLP traces in JSON: an object TracesData a line for each tree, as OpenTelemetry's
 * "OTLP File Exporter" has it. Names of attributes are those of its semantic conventions 1.44; what
 * these have no name for begins with "goprobe.". A call is a span below the one that it was made
 * in, or in which its goroutine was started.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hmap.h"
#include "base/json.h"
#include "export/span.h"
#include "version.h"

#define SCHEMA "https://opentelemetry.io/schemas/1.44.0"

/* Numbers of the protocol: opentelemetry/proto/trace/v1/trace.proto. */
#define SPAN_KIND_INTERNAL 1
#define STATUS_CODE_ERROR 2

/* What the attributes of a call have that returned an error. */
#define ERROR_TYPE "error.type"

/**
 * struct tree - a tree under construction
 * @g: its output
 * @trace: its id
 * @spans: written so far
 */
struct tree {
	struct graph *g;
	uint64_t trace[2];
	uint64_t spans;
};

/* --- attributes ------------------------------------------------------ */

static void open_attribute(struct buf *b, const char *group, const char *name, const char *kind)
{
	json_element(b);
	buf_str(b, "{\"key\":");
	if (*group) {
		/* Names are the program's. */
		char *key = NULL;

		if (asprintf(&key, "%s%s", group, name) < 0)
			key = NULL;
		buf_json_str(b, key ?: "?");
		b->failed |= !key;
		free(key);
	} else {
		buf_json_str(b, name);
	}
	buf_str(b, ",\"value\":{\"");
	buf_str(b, kind);
	buf_str(b, "\":");
}

static void put_text(struct buf *b, const char *group, const char *name, const char *s, size_t n)
{
	open_attribute(b, group, name, "stringValue");
	buf_json(b, (const uint8_t *)s, n);
	buf_str(b, "}}");
}

static void put_string(struct buf *b, const char *name, const char *s)
{
	put_text(b, "", name, s, strlen(s));
}

/* A 64-bit number is a string there. */
static void put_number(struct buf *b, const char *name, uint64_t n)
{
	open_attribute(b, "", name, "intValue");
	buf_number(b, "\"", n);
	buf_str(b, "\"}}");
}

/* "*fs.PathError" of what text shows of such an error. */
static void put_error_type(struct buf *b, const struct span_value *v)
{
	bool pointer = v->text[0] == '&';
	const char *from = v->text + pointer;
	size_t n = 0;

	while (n < v->len - pointer && !memchr("({ <", from[n], 4))
		n++;
	open_attribute(b, "", ERROR_TYPE, "stringValue");
	buf_str(b, pointer ? "\"*" : "\"");
	/* It has no quotes: it ends before a bracket. */
	buf_mem(b, n ? from : "_OTHER", n ? n : 6);
	buf_str(b, "\"}}");
}

static void put_argument(struct buf *b, void *ctx, const struct span_value *v)
{
	(void)ctx;
	put_text(b, "goprobe.args.", v->name, v->text, v->len);
}

static void put_result(struct buf *b, void *ctx, const struct span_value *v)
{
	bool *failed = ctx;

	put_text(b, "goprobe.results.", v->name, v->text, v->len);
	if (v->is_error && !*failed)
		put_error_type(b, v);
	*failed |= v->is_error;
}

static void values(struct out *o, const struct out_event *e)
{
	bool failed = false;

	span_values(o, e, e->kind == OUT_CALL ? put_argument : put_result, &failed);
}

static void split(const uint64_t ns[__GOSTATES_MAX], struct buf *b)
{
	char name[64];

	for (int i = 0; i < __GOSTATES_MAX; i++) {
		snprintf(name, sizeof(name), "goprobe.split.%s_ns", gostates_names[i]);
		put_number(b, name, ns[i]);
	}
}

/* Where the function is, and where its goroutine was started. */
static void put_places(struct graph *g, const struct calltree_call *c)
{
	const struct plan_func *pf = g->plan->funcs[c->fn];
	struct buf *b = &g->out.buf;
	struct goline at;

	put_string(b, "code.function.name", pf->fn->name);
	if (gobin_line(pf->bin, pf->fn->entry, &at) && at.file) {
		put_string(b, "code.file.path", at.file);
		put_number(b, "code.line.number", (uint64_t)at.line);
	}
	if (c->parent && !c->started)
		return;
	if (c->origin.parent)
		put_number(b, "goprobe.started_by.goroutine.id", c->origin.parent);
	if (graph_place(g, &c->origin, &at)) {
		put_string(b, "goprobe.started_in", at.func);
		put_string(b, "goprobe.started_file", at.file ?: "");
		put_number(b, "goprobe.started_line", (uint64_t)at.line);
	}
}

static void put_attributes(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;

	json_raw(b, "attributes", "[");
	put_places(g, c);
	put_number(b, "thread.id", c->who.tid);
	put_number(b, "goprobe.goroutine.id", c->who.goid);
	put_string(b, "goprobe.ended", graph_end(c));
	if (c->below)
		put_number(b, "goprobe.calls_below", c->below);
	buf_str(b, c->text[GRAPH_ARGS] ?: "");
	buf_str(b, c->text[GRAPH_SPLIT] ?: "");
	if (c->end == CALLTREE_PANIC)
		put_string(b, ERROR_TYPE, "panic");
	else if (!graph_is_unwound(c))
		buf_str(b, c->text[GRAPH_RESULTS] ?: "");
	buf_char(b, ']');
}

/* --- spans ----------------------------------------------------------- */

/* The same recording gives the same ids. An id is not 0. */
static uint64_t id_of(uint64_t a, uint64_t b)
{
	return hmap_hash(a, &b, sizeof(b)) | 1;
}

static void put_id(struct buf *b, const char *key, const uint64_t *id, size_t n)
{
	char hex[17];

	json_key(b, key);
	buf_char(b, '"');
	for (size_t i = 0; i < n; i++) {
		snprintf(hex, sizeof(hex), "%016llx", (unsigned long long)id[i]);
		buf_str(b, hex);
	}
	buf_char(b, '"');
}

static void put_time(struct graph *g, const char *key, uint64_t monotonic)
{
	json_key(&g->out.buf, key);
	buf_number(&g->out.buf, "\"", monotonic + g->out.epoch);
	buf_char(&g->out.buf, '"');
}

static void put_panic(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;

	json_raw(b, "events", "[{\"name\":\"exception\"");
	put_time(g, "timeUnixNano", span_end(g, c));
	json_raw(b, "attributes", "[");
	put_string(b, "exception.type", "panic");
	put_string(b, "exception.message", c->text[GRAPH_RESULTS] ?: "");
	buf_str(b, "]}]");
}

static bool has_failed(const struct calltree_call *c)
{
	const char *results = c->text[GRAPH_RESULTS];

	/* In a value the quotes have a backslash before them. */
	return c->end == CALLTREE_PANIC ||
	       (!graph_is_unwound(c) && results && strstr(results, "{\"key\":\"" ERROR_TYPE "\""));
}

static void put_span(struct tree *t, const struct calltree_call *c, uint64_t parent)
{
	uint64_t id = id_of(t->trace[1], ++t->spans);
	struct buf *b = &t->g->out.buf;

	json_element(b);
	buf_char(b, '{');
	put_id(b, "traceId", t->trace, 2);
	put_id(b, "spanId", &id, 1);
	if (parent)
		put_id(b, "parentSpanId", &parent, 1);
	json_str(b, "name", graph_name(t->g, c));
	json_u64(b, "kind", SPAN_KIND_INTERNAL);
	put_time(t->g, "startTimeUnixNano", c->time);
	put_time(t->g, "endTimeUnixNano", span_end(t->g, c));
	put_attributes(t->g, c);
	if (c->end == CALLTREE_PANIC)
		put_panic(t->g, c);
	if (has_failed(c)) {
		json_raw(b, "status", "{");
		json_u64(b, "code", STATUS_CODE_ERROR);
		buf_char(b, '}');
	}
	buf_char(b, '}');
	for (c = c->child; c; c = c->next)
		put_span(t, c, id);
}

static void put_tree(struct graph *g, const struct calltree_root *r)
{
	const struct calltree_call *c = r->call;
	uint64_t when = c->time + g->out.epoch;
	struct tree t = { .g = g };
	struct buf *b = &g->out.buf;

	t.trace[0] = id_of(when, c->who.tgid);
	t.trace[1] = id_of(when ^ c->who.tid, c->who.goid);
	buf_str(b, "{\"resourceSpans\":[{\"resource\":{\"attributes\":[");
	put_string(b, "service.name", span_program(g, c));
	put_number(b, "process.pid", c->who.tgid);
	buf_str(b, "]},\"schemaUrl\":\"" SCHEMA "\",\"scopeSpans\":[{\"scope\":{"
		   "\"name\":\"goprobe\",\"version\":\"" GOPROBECTL_VERSION "\"},\"spans\":[");
	put_span(&t, c, 0);
	buf_str(b, "]}]}]}\n");
}

const struct graph_format graph_otlp = {
	.out = {
		.name = "otlp", GRAPH_EVENTS, .header = graph_no_header, .panic = out_text_panic,
		.lost = graph_no_lost, .summary = graph_text_summary,
	},
	.values = values,
	.split = split,
	.tree = put_tree,
};
