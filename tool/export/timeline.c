// SPDX-License-Identifier: GPL-2.0
/* Timeline of call trees: trace events, as graph_chrome has them, in a page that shows them. */
#include <string.h>

#include "export/page.h"
#include "export/span.h"
#include "export/timeline.h"

/* Before and behind the trace events. The page loads nothing. */
static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>goprobe: timeline</title>\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<style>\n";
static const char body[] =
	"</style></head><body>\n"
	"<div id=\"bar\"><input id=\"find\" type=\"search\" list=\"names\" placeholder=\"search: /\"\n"
	"  title=\"a text or a regular expression; Enter: the next match\"><datalist id=\"names\"></datalist>\n"
	"<button id=\"next\" title=\"n\">next</button> <button id=\"in\" title=\"+\">+</button>\n"
	"<button id=\"out\" title=\"-\">&#8722;</button> <button id=\"all\" title=\"Escape\">all</button>\n"
	"<label title=\"hide goroutines without calls in the shown time\"><input id=\"fold\" type=\"checkbox\" checked>fold</label>\n"
	"<span id=\"about\"></span></div>\n"
	"<canvas id=\"map\" tabindex=\"0\"></canvas><pre id=\"detail\"></pre>\n"
	"<script type=\"application/json\" id=\"events\">";

void timeline_begin(struct buf *b)
{
	buf_str(b, head);
	buf_str(b, page_timeline_css);
	buf_str(b, body);
}

void timeline_end(struct buf *b)
{
	buf_str(b, "</script>\n<script>\n");
	buf_str(b, page_js);
	buf_str(b, page_timeline_js);
	buf_str(b, "</script></body></html>\n");
}

/* In a page JSON ends at "</script>". A '<' of JSON is always in a string. */
void timeline_escape(struct buf *b, size_t from)
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
		timeline_begin(&g->out.buf);
	return g->out.buf.len;
}

static void put_tree(struct graph *g, const struct calltree_root *r)
{
	size_t from = begin(g);

	graph_chrome.tree(g, r);
	timeline_escape(&g->out.buf, from);
}

static void put_lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	size_t from = begin(graph_of(o));

	graph_chrome.out.lost(o, l, time);
	timeline_escape(&o->buf, from);
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
	timeline_escape(&g->out.buf, from);
	timeline_end(&g->out.buf);
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
