// SPDX-License-Identifier: GPL-2.0
/* Flame graphs: stacks as an SVG file. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/hmap.h"
#include "export/flame.h"
#include "export/flame_tree.h"
#include "export/page.h"
#include "gotype/shown_name.h"
#include "output/profile_print.h"
#include "output/row.h"
#include "output/stacks.h"

/* Pixels of a level, and above all of them. */
#define LEVEL 18
#define TOP 70
/* The picture's width, in millionths of a percent. */
#define WHOLE 100000000
/* Browsers are slow with more frames than that. */
#define FRAMES_MOST 5000
/* Classes of flame.css. */
#define COLORS 12

/* A picture under construction. */
struct picture {
	struct buf *b;				/* where it goes */
	const struct flame_about *about;	/* what it shows */
	uint64_t all;				/* the value of the whole */
	size_t levels;				/* below each other */
	uint64_t least;				/* frames with less are left out */
	size_t nout;				/* how many are */
	uint64_t out;				/* the value of all that these have */
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

/* 12.345678 */
static void put_percent(struct buf *b, uint64_t part)
{
	buf_u64(b, part / 1000000);
	buf_char(b, '.');
	buf_digits(b, part % 1000000, 6);
}

/* Functions of a package have one colour. Its name ends at the first dot behind the last slash. */
static uint64_t color(const struct flame_frame *f)
{
	const char *slash = memrchr(f->name, '/', f->len);
	const char *from = slash ? slash : f->name;
	const char *dot = memchr(from, '.', f->name + f->len - from);

	return hmap_hash(0, f->name, dot ? (size_t)(dot - f->name) : f->len) % COLORS;
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

static void put_value(const struct picture *p, uint64_t value)
{
	if (p->about->unit)
		row_count(p->b, value, p->about->unit);
	else
		buf_duration(p->b, value);
}

/* "main.foo: 12.3ms, 45.0 %" */
static void put_title(const struct picture *p, const struct flame_frame *f)
{
	buf_str(p->b, "<title>");
	put_xml(p->b, f->name, f->len);
	buf_str(p->b, ": ");
	put_value(p, f->value);
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
	buf_number(b, "%\" height=\"17\" y=\"", TOP + level * LEVEL);
	buf_number(b, "\" data-v=\"", f->value);
	buf_str(b, "\">");
	put_title(p, f);
	buf_number(b, "<rect class=\"c", color(f));
	buf_str(b, "\" width=\"100%\" height=\"100%\"/><text x=\"4\" y=\"13\">");
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

	if (f->value < p->least || end == x)
		return;
	put_frame(p, f, x, end - x, level);
	for (f = f->child; f; f = f->next) {
		put_frames(p, f, before, level + 1);
		before = stacks_plus(before, f->value);
	}
}

/* --- what is left out ------------------------------------------------------- */

static int greatest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* The values of @f and all below it to @to, which may be NULL; their number. */
static size_t values(const struct flame_frame *f, uint64_t *to)
{
	size_t n = 1;

	if (to)
		*to = f->value;
	for (f = f->child; f; f = f->next)
		n += values(f, to ? to + n : NULL);
	return n;
}

/* Count what is left out. @shown: the caller of @f is not. */
static void leave_out(struct picture *p, const struct flame_frame *f, bool shown)
{
	bool out = f->value < p->least;

	p->nout += out;
	if (out && shown)
		p->out = stacks_plus(p->out, f->value);
	for (f = f->child; f; f = f->next)
		leave_out(p, f, !out);
}

/*
 * The widest frames stay, so with each its caller. What has no width in the file would have none
 * when it is zoomed, either. 0, or -1 without memory.
 */
static int choose(struct picture *p, const struct flame_frame *top)
{
	size_t n = values(top, NULL);
	uint64_t *all;

	p->least = top->value / WHOLE + (top->value >= WHOLE);
	if (n > FRAMES_MOST) {
		all = calloc(n, sizeof(*all));
		if (!all)
			return -1;
		values(top, all);
		qsort(all, n, sizeof(*all), greatest_first);
		if (all[FRAMES_MOST] >= p->least)
			p->least = stacks_plus(all[FRAMES_MOST], 1);
		free(all);
	}
	leave_out(p, top, true);
	return 0;
}

/* "left out: 40 frames of less than 12 calls, with 1.2 % of all" */
static void put_note(const struct picture *p)
{
	struct buf *b = p->b;

	if (!p->nout)
		return;
	buf_str(b, "<text class=\"note\" x=\"4\" y=\"62\">left out: ");
	row_count(b, p->nout, "frame");
	buf_str(b, " of less than ");
	put_value(p, p->least);
	buf_str(b, ", with ");
	row_share(b, p->out, p->all);
	buf_str(b, " of all</text>\n");
}

/* --- the file --------------------------------------------------------------- */

static void put_picture(const struct picture *p, const struct flame_frame *top)
{
	struct buf *b = p->b;

	buf_str(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" height=\"");
	buf_u64(b, TOP + (p->levels + 1) * LEVEL);
	buf_number(b, "\" data-top=\"", TOP);
	buf_number(b, "\" data-level=\"", LEVEL);
	buf_str(b, "\">\n<style>");
	buf_str(b, page_flame_css);
	buf_str(b, "</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>\n"
		   "<text class=\"head\" x=\"4\" y=\"16\">");
	put_xml(b, p->about->title, strlen(p->about->title));
	buf_str(b, p->all ? "</text>\n" : ": nothing was counted</text>\n");
	put_note(p);
	if (p->all)
		put_frames(p, top, 0, 0);
	buf_str(b, "<script><![CDATA[\n");
	buf_str(b, page_js);
	buf_str(b, page_flame_js);
	buf_str(b, "]]></script>\n</svg>\n");
}

void flame_put(const struct buf *folded, const struct flame_about *about, struct buf *b)
{
	struct picture p = { .b = b, .about = about, .levels = 1 };
	struct flame_frame top = { .name = "all", .len = 3 };
	struct arena mem = { 0 };

	if (folded->failed || flametree_add(&mem, &top, folded, &p.levels) || choose(&p, &top))
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
