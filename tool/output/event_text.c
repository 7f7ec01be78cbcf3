// SPDX-License-Identifier: GPL-2.0
/* Events as lines of text. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/plain.h"
#include "gotype/shown_name.h"
#include "x86/regs.h"
#include "output/fast_value.h"
#include "output/row.h"
#include "output/screen.h"
#include "output/state_print.h"
#include "value/std.h"
#include "value/text.h"
#include "output/stack_print.h"
#include "plan/missing.h"

/* The column where a duration ends, unless its line is longer. */
#define DURATION_END 94

static void header(struct output *o)
{
	size_t start = o->buf.len;

	screen_style(&o->buf, STYLE_DIM);
	buf_str(&o->buf, "TIME");
	plain_pad(&o->buf, start, screen_time_width(6));
	buf_str(&o->buf, o->pids ? "     PID  GOID  EVENT" : "  GOID  EVENT");
	screen_style(&o->buf, STYLE_PLAIN);
	buf_char(&o->buf, '\n');
}

/* "15:04:05.123456", into a buffer of at least that size. */
static char *put_clock(struct output *o, char *to, uint64_t monotonic)
{
	uint64_t ns = monotonic + o->epoch;
	uint32_t us;

	if (ns - o->second >= CLOCK_SECOND) {
		time_t t = ns / CLOCK_SECOND;
		struct tm tm;

		localtime_r(&t, &tm);
		strftime(o->clock, sizeof(o->clock), "%H:%M:%S.", &tm);
		o->second = ns - ns % CLOCK_SECOND;
	}
	us = (ns - o->second) / 1000;
	memcpy(to, o->clock, 9);
	to = buf_pair(to + 9, us / 10000);
	to = buf_pair(to, us / 100 % 100);
	return buf_pair(to, us % 100);
}

/* "before 15:04:06", which has the same width: at that time or earlier. */
static char *put_before(struct output *o, char *to, uint64_t monotonic)
{
	char *at = mempcpy(to, "before ", 7);

	put_clock(o, at, monotonic + CLOCK_SECOND - 1);
	return at + 8;
}

static void clock_time(struct output *o, uint64_t monotonic)
{
	if (screen.time == SCREEN_UTC || screen.time == SCREEN_ISO)
		screen_time(&o->buf, monotonic + o->epoch, 6);
	else if (buf_room(&o->buf, 15))
		o->buf.len = put_clock(o, o->buf.p + o->buf.len, monotonic) - o->buf.p;
}

/* A number at the right end of a column, or "-". The buffer has space for the widest one. */
static char *put_column(char *to, bool there, uint64_t v, unsigned int width)
{
	char digits[BUF_U64_MAX];
	size_t n = there ? buf_put_u64(digits, v) - digits : 1;

	if (!there)
		digits[0] = '-';
	for (*to++ = ' '; width > n + 1; width--)
		*to++ = ' ';
	for (size_t i = 0; i < n; i++)
		*to++ = digits[i];
	return to;
}

/* The longest of what begins a line. */
#define BEGIN_MAX 80

static void begin(struct output *o, uint64_t time, const struct output_event *e)
{
	bool before = e && e->open && e->open->before;
	struct buf *b = &o->buf;
	char *to;

	screen_style(b, STYLE_DIM);
	if (screen.time != SCREEN_LOCAL && !before)
		screen_time(b, time + o->epoch, 6);
	if (!buf_room(b, BEGIN_MAX))
		return;
	to = b->p + b->len;
	if (before)
		to = put_before(o, to, time);
	else if (screen.time == SCREEN_LOCAL)
		to = put_clock(o, to, time);
	if (o->pids)
		to = put_column(to, e, e ? e->tgid : 0, 8);
	to = put_column(to, e && !e->no_g, e ? e->goid : 0, 6);
	to = mempcpy(to, "  ", 2);
	b->len = to - b->p;
	screen_style(b, STYLE_PLAIN);
}

/* Has the source a name for it? "_", "~r0" and "~p1" are names by the compiler. */
static bool has_name(const struct plan_value *val)
{
	return val->name && val->name[0] && val->name[0] != '~' && strcmp(val->name, "_") != 0;
}

static void missing(struct buf *b, const struct output_shown *s)
{
	if (s->has_length)
		value_text_name(b, value_type_name(s->type));
	value_text_missing(b, s->why);
	if (s->has_length)
		value_text_length(b, s->length);
}

static void shown(struct buf *b, const struct output_event *e, const struct plan_value *val,
		  bool lines)
{
	struct output_shown s;

	value_start(e->v, b);
	e->v->indent = lines;
	output_value(e, output_frame(e), val, &s);
	if (s.why)
		missing(b, &s);
	else
		value_text(e->v, b, s.at.type, s.at.p, s.at.len);
}

void output_text_value(struct buf *b, const struct output_event *e, const struct plan_value *val)
{
	shown(b, e, val, false);
}

static void value(struct buf *b, const struct output_event *e, const struct plan_value *val,
		  bool lines)
{
	if (has_name(val)) {
		buf_str(b, val->name);
		buf_char(b, '=');
	}
	shown(b, e, val, lines);
}

/* @lines: each on lines of its own. Where they are goes to @pieces, unless that is NULL. */
static void list(struct buf *b, const struct output_event *e, bool lines,
		 struct screen_piece *pieces)
{
	const struct plan_frame *f = output_frame(e);

	buf_char(b, '(');
	for (size_t i = 0; i < f->nvalues; i++) {
		size_t at, nth;

		if (lines)
			buf_str(b, "\n    ");
		else if (i)
			buf_str(b, ", ");
		at = b->len;
		nth = output_nth(f, i);
		value(b, e, &f->values[nth], lines);
		if (pieces)
			pieces[i] = (struct screen_piece){
				at, b->len - at, f->nvalues > 1 && output_yields(f, nth),
			};
		if (lines)
			buf_char(b, ',');
	}
	buf_str(b, lines ? "\n)" : ")");
}

void output_text_panic(struct output *o, const struct output_event *e)
{
	if (e->fn->call.nvalues)
		shown(&o->buf, e, &e->fn->call.values[0], false);
}

void output_text_values(struct output *o, const struct output_event *e)
{
	const char *why = output_no_values(e);

	if (!why) {
		list(&o->buf, e, false, NULL);
		return;
	}
	buf_char(&o->buf, '(');
	value_text_missing(&o->buf, why);
	buf_char(&o->buf, ')');
}

/* "> main.foo" and the other text before the values; @columns: the most of a name. */
static void put_title(struct buf *b, const struct output_event *e, size_t columns)
{
	size_t at;

	buf_str(b, e->kind == OUTPUT_AT ? "@ " : e->kind == OUTPUT_CALL ? "> " : "< ");
	screen_style(b, STYLE_BOLD);
	at = b->len;
	shown_name_put(b, output_name(e));
	screen_shorten_name(b, at, b->len - at, columns);
	screen_style(b, STYLE_PLAIN);
	if (e->kind != OUTPUT_CALL)
		buf_str(b, e->kind == OUTPUT_AT ? " " : " => ");
}

static void title(struct buf *b, const struct output_event *e)
{
	put_title(b, e, SIZE_MAX);
}

static void quick_open(struct buf *b, const struct output_event *e)
{
	title(b, e);
	buf_char(b, '(');
}

static void quick_before(struct buf *b, const struct plan_value *val)
{
	if (!has_name(val))
		return;
	buf_str(b, val->name);
	buf_char(b, '=');
}

static bool quick_plain(struct value_ctx *v, const struct gotype *t)
{
	struct buf none = { 0 };
	bool convert = value_text_convert(&none, t, VALUE_TOP);

	buf_fini(&none);
	return !convert && !value_known(v, t) && !(t->name && strcmp(t->name, "uintptr") == 0);
}

static void quick_value(struct buf *b, const struct output_event *e, const struct plan_value *val)
{
	value(b, e, val, false);
}

static const struct fast_value_form form = {
	.open = quick_open,
	.separator = ", ",
	.receiver_last = true,
	.before = quick_before,
	.after = "",
	.close = ")",
	.plain = quick_plain,
	.quote = quote_go,
	.value = quick_value,
};

/* The line begins at @start. Returns whether more lines follow. */
static bool values(struct output *o, const struct output_event *e, size_t start)
{
	const struct plan_frame *f = output_frame(e);
	const char *why = output_no_values(e);
	struct buf *b = &o->buf;
	size_t at;

	if (!why && !e->v->width) {
		fast_value_values(o, &form, e);
		return false;
	}
	title(b, e);
	at = b->len;
	if (why) {
		output_text_values(o, e);
		return false;
	}
	list(b, e, false, NULL);
	if (b->failed)
		return false;

	bool broken = memchr(b->p + at, '\n', b->len - at);

	if (f->nvalues < 2 || (!broken && b->len - start <= e->v->width))
		return broken;
	b->len = at;
	list(b, e, true, NULL);
	return true;
}

/* Parts of the line at hand. */
struct parts {
	size_t start;	/* where it begins in the buffer */
	size_t values;	/* where title and values begin */
	size_t end;	/* where they end */
};

/*
 * If the line is wider than the screen, its values are written again, so that each of them can be
 * shortened.
 */
static void fit(struct buf *b, const struct parts *at, const struct output_event *e)
{
	const struct plan_frame *f = output_frame(e);
	struct screen_piece *pieces = NULL;
	struct buf tail = { 0 };
	size_t n = 0;

	if (!screen.columns || b->failed || b->len - at->start <= screen.columns ||
	    memchr(b->p + at->start, '\n', b->len - at->start))
		return;
	if (e->kind != OUTPUT_UNWOUND && !output_no_values(e))
		pieces = calloc(f->nvalues + 1, sizeof(*pieces));
	if (pieces) {
		n = f->nvalues;
		buf_mem(&tail, b->p + at->end, b->len - at->end);
		b->len = at->values;
		put_title(b, e, screen.columns / 2);
		list(b, e, false, pieces);
		buf_mem(b, tail.p, tail.len);
	}
	b->failed |= tail.failed;
	screen_fit(b, at->start, pieces, n);
	buf_fini(&tail);
	free(pieces);
}

/* " {rax=0x1 ...}", if they are there. */
static void registers(struct buf *b, const struct output_event *e)
{
	uint64_t v;

	if (!output_register(e, 0, &v))
		return;
	buf_str(b, "  {");
	for (size_t i = 0; i < REGS_INTS && output_register(e, i, &v); i++) {
		buf_str(b, goreg_names[i].name + 1);
		buf_char(b, '=');
		buf_hex(b, v);
		buf_char(b, ' ');
	}
	buf_str(b, goreg_pc + 1);
	buf_char(b, '=');
	buf_hex(b, e->rec->h.ip);
	buf_char(b, '}');
}

/* Right-aligned, unless the line that begins at @start is too long. */
static void duration(struct buf *b, size_t start, const struct output_event *e, bool lines)
{
	size_t at = b->len;

	buf_str(b, "  ");
	screen_style(b, STYLE_TIME);
	if (e->no_duration)
		buf_str(b, e->no_duration);
	else
		buf_duration(b, e->duration);
	screen_style(b, STYLE_PLAIN);

	size_t width = b->len - start, most = DURATION_END, pad;

	if (b->failed || lines)
		return;
	if (screen.colored)
		width = plain_columns(b->p + start, width);
	if (screen.columns && screen.columns < most)
		most = screen.columns;
	pad = width < most ? most - width : 0;
	if (!pad || !buf_room(b, pad))
		return;
	memmove(b->p + at + pad, b->p + at, b->len - at);
	memset(b->p + at, ' ', pad);
	b->len += pad;
}

/* "  (chan 80.1 % 8.01ms, running 19.9 % 1.99ms)" */
static void split(struct buf *b, const struct output_event *e)
{
	if (!e->split || !e->duration)
		return;
	buf_str(b, "  (");
	state_print_text(e->split, b);
	buf_char(b, ')');
}

/* The state of a call that has not returned, without its stack. */
static void open_call(struct buf *b, const struct output_open *open)
{
	buf_str(b, open->before ? "  open for at least " : "  open for ");
	buf_duration(b, open->age);
	if (open->status) {
		buf_str(b, ", ");
		buf_str(b, open->status);
	}
	if (open->reason) {
		buf_str(b, ": ");
		buf_str(b, open->reason);
	}
}

static void unwound(struct output *o, const struct output_event *e)
{
	struct buf *b = &o->buf;

	screen_style(b, STYLE_BAD);
	buf_str(b, "! ");
	shown_name_put(b, e->fn->fn->name);
	buf_str(b, " did not return: ");
	/* A panic ends several calls, usually one after the other. */
	callend_put(b, e->end, e->panic, e->panic_id && e->panic_id == o->panic_shown);
	o->panic_shown = e->panic_id;
	screen_style(b, STYLE_PLAIN);
	buf_str(b, "; called ");
	clock_time(o, e->time);
}

static void event(struct output *o, const struct output_event *e)
{
	struct buf *b = &o->buf;
	struct parts at = { .start = b->len };
	bool lines;

	begin(o, e->kind == OUTPUT_UNWOUND ? e->seen : e->time, e);
	at.values = b->len;
	if (e->kind == OUTPUT_UNWOUND) {
		unwound(o, e);
	} else {
		lines = values(o, e, at.start);
		at.end = b->len;
		if (output_has_duration(e)) {
			duration(b, at.start, e, lines);
			split(b, e);
		}
		output_text_edit(b, e);
		registers(b, e);
	}
	if (e->open)
		open_call(b, e->open);
	fit(b, &at, e);
	buf_char(b, '\n');
	if (output_stack(e))
		stack_print_frames_text(output_stack(e), b);
}

/* "ring_full" to "ring full" */
static void cause(struct buf *b, uint32_t which)
{
	for (const char *s = counters_cause(which); *s; s++)
		buf_char(b, *s == '_' ? ' ' : *s);
}

static void lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	struct buf *b = &o->buf;

	begin(o, time, NULL);
	screen_style(b, STYLE_BAD);
	buf_str(b, "! ");
	row_count(b, l->count, "record");
	buf_number(b, " lost on CPU ", l->cpu);
	buf_str(b, ": ");
	cause(b, l->cause);
	screen_style(b, STYLE_PLAIN);
	buf_char(b, '\n');
}

static void lost_by_cause(struct buf *talk, const struct output_summary *s)
{
	struct fact facts[OUTPUT_FACTS];
	size_t n = output_lost_facts(s, facts);
	const char *before = " lost (";

	for (size_t i = 0; i < n; i++) {
		if (!facts[i].n && !(facts[i].flags & FACT_SAID))
			continue;
		buf_number(talk, before, facts[i].n);
		buf_char(talk, ' ');
		buf_str(talk, facts[i].text);
		before = ", ";
	}
	buf_str(talk, ")\n");
	if (s->stats[GOPROBE_STAT_LOST_RING_FULL])
		buf_str(talk, "the buffers were full: --buffer 16m makes them larger, --lossless makes the program wait instead\n");
}

static void summary(struct output *o, const struct output_summary *s, struct buf *talk)
{
	struct fact facts[OUTPUT_FACTS];

	(void)o;
	row_count(talk, s->events, "event");
	buf_str(talk, " in ");
	row_tenths(talk, s->ns);
	buf_number(talk, ", ", output_lost(s));
	lost_by_cause(talk, s);
	row_facts_text(talk, facts, output_facts(s, facts));
	if (s->plan)
		missing_put(s->plan, talk);
	if (!s->unknown)
		return;
	buf_str(talk, "made by an older goprobectl, which did not record these counters: ");
	counters_put_unknown(s->unknown, output_about(s), talk);
	buf_char(talk, '\n');
}

const struct output_format out_text = {
	.name = "text",
	.header = header,
	.event = event,
	.panic = output_text_panic,
	.lost = lost,
	.summary = summary,
};
