// SPDX-License-Identifier: GPL-2.0
/* Timeline of call trees: trace events, as graph_chrome has them, in a page that shows them. */
#include <string.h>

#include "export/span.h"
#include "export/timeline_page.h"

/* In a page JSON ends at "</script>". A '<' of JSON is always in a string. */
static void escape(struct buf *b, size_t from)
{
	struct buf rest = { 0 };

	if (b->failed || !memchr(b->p + from, '<', b->len - from))
		return;
	for (size_t i = from; i < b->len; i++) {
		if (b->p[i] == '<')
			buf_str(&rest, "\\u003c");
		else
			buf_char(&rest, b->p[i]);
	}
	b->len = from;
	buf_mem(b, rest.p, rest.len);
	b->failed |= rest.failed;
	buf_fini(&rest);
}

/* Begin the page, if that has not been done: what graph_chrome writes next begins there. */
static size_t begin(struct graph *g)
{
	g->brief = true;
	if (!g->begun)
		buf_str(&g->out.buf, timeline_head);
	return g->out.buf.len;
}

static void put_tree(struct graph *g, const struct calltree_root *r)
{
	size_t from = begin(g);

	graph_chrome.tree(g, r);
	escape(&g->out.buf, from);
}

static void put_lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	size_t from = begin(graph_of(o));

	graph_chrome.out.lost(o, l, time);
	escape(&o->buf, from);
}

static void values(struct output *o, const struct output_event *e)
{
	graph_chrome.values(o, e);
}

static void split(const uint64_t ns[__GOSTATES_MAX], struct buf *b)
{
	graph_chrome.split(ns, b);
}

static void finish(struct graph *g)
{
	size_t from = begin(g);

	graph_chrome.finish(g);
	escape(&g->out.buf, from);
	buf_str(&g->out.buf, timeline_tail);
}

const struct graph_format graph_timeline = {
	.out = {
		.name = "timeline", GRAPH_EVENTS, .header = graph_no_header,
		.panic = output_text_panic, .lost = put_lost, .summary = graph_text_summary,
	},
	.values = values,
	.split = split,
	.tree = put_tree,
	.finish = finish,
};
