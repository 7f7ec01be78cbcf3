// SPDX-License-Identifier: GPL-2.0
/*
 * Call trees as OTLP traces in JSON: an object TracesData a line for each tree, as OpenTelemetry's
 * "OTLP File Exporter" has it. Names of attributes are those of its semantic conventions 1.44; what
 * these have no name for begins with "goprobe.". A call is a span below the one that it was made
 * in, or in which its goroutine was started.
 */
#include <stdio.h>
#include <string.h>

#include "base/hmap.h"
#include "base/json.h"
#include "export/otlp_attribute.h"
#include "export/span.h"
#include "version.h"

#define SCHEMA "https://opentelemetry.io/schemas/1.44.0"

/* Numbers of the protocol: opentelemetry/proto/trace/v1/trace.proto. */
#define SPAN_KIND_INTERNAL 1
#define STATUS_CODE_ERROR 2

/* A tree under construction. */
struct tree {
	struct graph *g;	/* its output */
	uint64_t trace[2];	/* its id */
	uint64_t spans;	/* written so far */
};

/* --- attributes ------------------------------------------------------ */

/* Where the function is, and where its goroutine was started. */
static void put_places(struct graph *g, const struct calltree_call *c)
{
	const struct plan_func *pf = g->plan->funcs[c->fn];
	struct buf *b = &g->out.buf;
	struct graph_origin from;
	struct goline at;

	otlp_attribute_string(b, "code.function.name", pf->fn->name);
	if (gobin_line(pf->bin, pf->fn->entry, &at) && at.file) {
		otlp_attribute_string(b, "code.file.path", at.file);
		otlp_attribute_number(b, "code.line.number", (uint64_t)at.line);
	}
	graph_origin(g, c, &from);
	if (from.parent)
		otlp_attribute_number(b, "goprobe.started_by.goroutine.id", from.parent);
	if (from.placed) {
		otlp_attribute_string(b, "goprobe.started_in", from.at.func);
		otlp_attribute_string(b, "goprobe.started_file", from.at.file);
		otlp_attribute_number(b, "goprobe.started_line", (uint64_t)from.at.line);
	}
}

static void put_attributes(struct graph *g, const struct calltree_call *c)
{
	struct buf *b = &g->out.buf;

	json_raw(b, "attributes", "[");
	put_places(g, c);
	otlp_attribute_number(b, "thread.id", c->who.tid);
	otlp_attribute_number(b, "goprobe.goroutine.id", c->who.goid);
	otlp_attribute_string(b, "goprobe.ended", callend_key(c->end));
	if (c->below)
		otlp_attribute_number(b, "goprobe.calls_below", c->below);
	buf_str(b, c->text[GRAPH_ARGS] ?: "");
	buf_str(b, c->text[GRAPH_SPLIT] ?: "");
	if (c->end == CALLEND_PANIC)
		otlp_attribute_string(b, OTLP_ERROR_TYPE, "panic");
	buf_str(b, graph_results(c) ?: "");
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
	put_time(g, "timeUnixNano", c->until);
	json_raw(b, "attributes", "[");
	otlp_attribute_string(b, "exception.type", "panic");
	otlp_attribute_string(b, "exception.message", graph_panic(c) ?: "");
	buf_str(b, "]}]");
}

static bool has_failed(const struct calltree_call *c)
{
	const char *results = graph_results(c);

	/* In a value the quotes have a backslash before them. */
	return c->end == CALLEND_PANIC ||
	       (results && strstr(results, "{\"key\":\"" OTLP_ERROR_TYPE "\""));
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
	put_time(t->g, "startTimeUnixNano", c->from);
	put_time(t->g, "endTimeUnixNano", c->until);
	put_attributes(t->g, c);
	if (c->end == CALLEND_PANIC)
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

	span_place(g, r);
	t.trace[0] = id_of(when, c->who.tgid);
	t.trace[1] = id_of(when ^ c->who.tid, c->who.goid);
	buf_str(b, OTLP_OPEN "{\"resource\":{\"attributes\":[");
	otlp_attribute_string(b, "service.name", span_program(g, c));
	otlp_attribute_number(b, "process.pid", c->who.tgid);
	/* A recording may be of another machine. */
	if (*g->out.host)
		otlp_attribute_string(b, "host.name", g->out.host);
	buf_str(b, "]},\"schemaUrl\":\"" SCHEMA "\",\"scopeSpans\":[{\"scope\":{"
		   "\"name\":\"goprobe\",\"version\":\"" GOPROBECTL_VERSION "\"},\"spans\":[");
	put_span(&t, c, 0);
	buf_str(b, "]}]}" OTLP_CLOSE "\n");
}

const struct graph_format graph_otlp = {
	.out = {
		.name = "otlp", GRAPH_EVENTS, .header = graph_no_header, .panic = output_text_panic,
		.lost = graph_no_lost, .summary = graph_text_summary,
	},
	.values = otlp_attribute_values,
	.split = otlp_attribute_split,
	.tree = put_tree,
};
