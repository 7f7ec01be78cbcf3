// SPDX-License-Identifier: GPL-2.0
/* Flame graphs: stacks as an SVG file. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/hmap.h"
#include "export/flame.h"
#include "export/flame_tree.h"
#include "gotype/shown_name.h"
#include "output/profile_print.h"
#include "output/row.h"
#include "output/stacks.h"

/* Pixels of a level, and above and below all of them. */
#define LEVEL 18
#define MARGIN 24
/* In thousandths of a percent: parts of the picture's width, and the narrowest that is drawn. */
#define WHOLE 100000
#define NARROW 20

/* A picture under construction. */
struct picture {
	struct buf *b;				/* where it goes */
	const struct flame_about *about;	/* what it shows */
	uint64_t all;				/* the value of the whole */
	size_t levels;				/* above each other */
};

/* Text of XML, which has no U+FFFE and U+FFFF; other controls are in no folded line. */
static void put_xml(struct buf *b, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '&') {
			buf_str(b, "&amp;");
		} else if (s[i] == '<') {
			buf_str(b, "&lt;");
		} else if (s[i] == '>') {
			buf_str(b, "&gt;");
		} else if (i + 2 < n && !memcmp(s + i, "\xef\xbf", 2) &&
			   (uint8_t)s[i + 2] >= 0xbe) {
			buf_char(b, '?');
			i += 2;
		} else {
			buf_char(b, s[i]);
		}
	}
}

/* 12.345 */
static void put_percent(struct buf *b, uint64_t part)
{
	buf_u64(b, part / 1000);
	buf_char(b, '.');
	buf_digits(b, part % 1000, 3);
}

/* Functions of a package have one colour. Its name ends at the first dot behind the last slash. */
static void put_color(struct buf *b, const struct flame_frame *f)
{
	const char *slash = memrchr(f->name, '/', f->len);
	const char *from = slash ? slash : f->name;
	const char *dot = memchr(from, '.', f->name + f->len - from);
	uint64_t hash = hmap_hash(0, f->name, dot ? (size_t)(dot - f->name) : f->len);

	buf_number(b, "rgb(", 205 + hash % 50);
	buf_number(b, ",", 90 + hash / 64 % 130);
	buf_number(b, ",", 40 + hash / 8192 % 60);
	buf_char(b, ')');
}

/* The label of a function: its name as people have it. The title has the whole one. */
static void put_label(struct buf *b, const struct flame_frame *f)
{
	char *name = strndup(f->name, f->len);
	struct buf text = { 0 };

	if (name)
		shown_name_put_text(&text, name);
	if (name && !text.failed)
		put_xml(b, text.p ?: "", text.len);
	else
		put_xml(b, f->name, f->len);
	buf_fini(&text);
	free(name);
}

/* "main.foo: 12.3ms, 45.0 %" */
static void put_title(const struct picture *p, const struct flame_frame *f)
{
	buf_str(p->b, "<title>");
	put_xml(p->b, f->name, f->len);
	buf_str(p->b, ": ");
	if (p->about->unit)
		row_count(p->b, f->value, p->about->unit);
	else
		buf_duration(p->b, f->value);
	buf_str(p->b, ", ");
	row_share(p->b, f->value, p->all);
	buf_str(p->b, "</title>");
}

static void put_frame(const struct picture *p, const struct flame_frame *f, uint64_t x,
		      uint64_t width, size_t level)
{
	struct buf *b = p->b;

	buf_str(b, "<svg class=\"f\" x=\"");
	put_percent(b, x);
	buf_str(b, "%\" width=\"");
	put_percent(b, width);
	buf_number(b, "%\" height=\"17\" y=\"", MARGIN + (p->levels - 1 - level) * LEVEL);
	buf_str(b, "\">");
	put_title(p, f);
	buf_str(b, "<rect width=\"100%\" height=\"100%\" fill=\"");
	put_color(b, f);
	buf_str(b, "\"/><text x=\"4\" y=\"13\">");
	put_label(b, f);
	buf_str(b, "</text></svg>\n");
}

static uint64_t part(const struct picture *p, uint64_t value)
{
	return (uint64_t)((long double)value / p->all * WHOLE);
}

/* @before: the value of what stands to its left. */
static void put_frames(const struct picture *p, const struct flame_frame *f, uint64_t before,
		       size_t level)
{
	uint64_t x = part(p, before), end = part(p, stacks_plus(before, f->value));

	if (end - x < NARROW)
		return;
	put_frame(p, f, x, end - x, level);
	for (f = f->child; f; f = f->next) {
		put_frames(p, f, before, level + 1);
		before = stacks_plus(before, f->value);
	}
}

/* A click on a function shows it and what is above it in the whole width. */
static const char script[] =
	"<script><![CDATA[\n"
	"var all = Array.from(document.querySelectorAll('svg.f')).map(function (e) {\n"
	"  return {e: e, x: parseFloat(e.getAttribute('x')), w: parseFloat(e.getAttribute('width'))};\n"
	"});\n"
	"function zoom(to) {\n"
	"  all.forEach(function (f) {\n"
	"    var x = Math.max(0, (f.x - to.x) / to.w * 100);\n"
	"    var end = Math.min(100, (f.x + f.w - to.x) / to.w * 100);\n"
	"    f.e.style.display = end - x > 0.02 ? '' : 'none';\n"
	"    if (end > x) { f.e.setAttribute('x', x + '%'); f.e.setAttribute('width', end - x + '%'); }\n"
	"  });\n"
	"}\n"
	"all.forEach(function (f) { f.e.addEventListener('click', function () { zoom(f); }); });\n"
	"]]></script>\n";

static void put_picture(const struct picture *p, const struct flame_frame *top)
{
	struct buf *b = p->b;

	buf_str(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"");
	buf_u64(b, 2 * MARGIN + p->levels * LEVEL);
	buf_str(b, "\" font-family=\"monospace\" font-size=\"12\">\n"
		   "<style>.f { cursor: pointer } .f rect { stroke: white }</style>\n"
		   "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
		   "<text x=\"4\" y=\"16\">");
	put_xml(b, p->about->title, strlen(p->about->title));
	buf_str(b, "</text>\n");
	if (p->all)
		put_frames(p, top, 0, 0);
	buf_str(b, script);
	buf_str(b, "</svg>\n");
}

void flame_put(const struct buf *folded, const struct flame_about *about, struct buf *b)
{
	struct picture p = { .b = b, .about = about, .levels = 1 };
	struct flame_frame top = { .name = "all", .len = 3 };
	struct arena mem = { 0 };

	if (folded->failed || flametree_add(&mem, &top, folded, &p.levels))
		b->failed = true;
	p.all = top.value;
	put_picture(&p, &top);
	arena_fini(&mem);
}

static void finish(struct graph *g)
{
	struct buf folded = { 0 };

	profile_folded(g, &folded);
	flame_put(&folded, &(struct flame_about){ .title = "time of calls" }, &g->out.buf);
	buf_fini(&folded);
}

const struct graph_format graph_flame = {
	.out = {
		.name = "flamegraph", GRAPH_EVENTS, .header = graph_no_header,
		.lost = graph_no_lost, .summary = graph_text_summary,
	},
	.tree = profile_tree, .finish = finish,
};
