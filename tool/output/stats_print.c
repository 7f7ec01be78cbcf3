// SPDX-License-Identifier: GPL-2.0
/* Tables and summaries of counted and timed calls. */
#define _GNU_SOURCE
#include "base/plain.h"
#include "output/counters.h"
#include "output/row.h"
#include "output/screen.h"
#include "output/state_print.h"
#include "output/stats_print.h"
#include "output/value_stats.h"
#include "plan/copies.h"
#include "plan/missing.h"

/* Columns of a duration ("1.23ms") with two blanks, and of the bar of a histogram. */
#define DURATION_WIDTH 10
#define BAR_WIDTH 40

void stats_print_names(const struct stats_print *s, struct shown_names *names)
{
	for (uint32_t i = 0; i < s->plan->nfuncs; i++)
		shown_names_add(names, plan_row_name(s->plan, s->plan->funcs[i]));
}

/* --- a row ------------------------------------------------------------- */

enum unit {
	COUNT,
	TIME,	/* a duration, ns; it is known if a call has returned */
};

/* A number of a row. */
struct number {
	/* Without a key text alone shows it, without a head JSON does. */
	struct column column;
	bool shown;	/* rows like this one have it */
	enum unit unit;	/* what it counts */
	uint64_t n;	/* it */
};

#define NUMBERS 22

/* The numbers of a row about all calls, or about those of the last @ns, in their order. */
static void numbers(const struct stats_print *s, const struct stats_print_item *item, uint64_t ns,
		    struct number ret[NUMBERS])
{
	const struct tally *t = &item->tally;
	const struct histogram *h = &t->took;
	bool timed = s->timed, func = timed && !item->key;
	/* Where lines have to fit a terminal, text leaves these out. */
	bool wide = timed && (s->json || screen.wide);
	const struct number all[NUMBERS] = {
		{ { "calls", "CALLS", -10 }, !ns, COUNT, t->calls },
		{ { "new", "CALLS", -10 }, ns, COUNT, t->new },
		{ { NULL, "PER SECOND", -12 }, ns, COUNT,
		  ns ? (uint64_t)(t->new * 1e9 / ns + 0.5) : 0 },
		{ { "calls", "ALL", -12 }, ns, COUNT, t->calls },
		{ { "new_ns", NULL, 0 }, ns, COUNT, ns },
		{ { "inlined_places", NULL, 0 }, t->places, COUNT, t->places },
		{ { "inlined_calls", NULL, 0 }, t->places, COUNT, t->inlined },
		{ { "inlined_unsure", NULL, 0 }, t->unsure, COUNT, t->unsure },
		{ { "inlined_left_out", NULL, 0 }, item->copies, COUNT, item->copies },
		{ { "returned", NULL, 0 }, func, COUNT, h->n },
		{ { "open", NULL, 0 }, func, COUNT, tallies_open(t) },
		{ { "unwound", NULL, 0 }, func, COUNT, t->unwound },
		{ { "gone", NULL, 0 }, func, COUNT, t->gone },
		{ { "sum_ns", "SUM", -DURATION_WIDTH }, timed, TIME, h->sum },
		{ { "mean_ns", "MEAN", -DURATION_WIDTH }, timed, TIME, h->n ? h->sum / h->n : 0 },
		{ { "min_ns", NULL, 0 }, timed, TIME, h->min },
		{ { "p50_ns", "P50", -DURATION_WIDTH }, timed, TIME, histogram_quantile(h, 500) },
		{ { "p90_ns", "P90", -DURATION_WIDTH }, timed, TIME, histogram_quantile(h, 900) },
		{ { "p95_ns", "P95", -DURATION_WIDTH }, wide, TIME, histogram_quantile(h, 950) },
		{ { "p99_ns", "P99", -DURATION_WIDTH }, timed, TIME, histogram_quantile(h, 990) },
		{ { "p999_ns", "P99.9", -DURATION_WIDTH }, wide, TIME, histogram_quantile(h, 999) },
		{ { "max_ns", "MAX", -DURATION_WIDTH }, timed, TIME, h->max },
	};

	memcpy(ret, all, sizeof(all));
}

bool stats_print_number(const struct stats_print *s, const struct stats_print_item *item,
			const char *key, uint64_t *ret)
{
	struct number v[NUMBERS];
	size_t i = 0;

	numbers(s, item, 0, v);
	while (i < NUMBERS && !(v[i].shown && v[i].column.key && !strcmp(v[i].column.key, key)))
		i++;
	*ret = i < NUMBERS ? v[i].n : 0;
	return i < NUMBERS;
}

static void put_numbers(const struct number v[NUMBERS], bool returned, struct row *r)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		if (!v[i].shown || (!v[i].column.head && !row_is_json(r)))
			continue;
		if (v[i].unit == TIME)
			row_ns(r, &v[i].column, returned, v[i].n);
		else
			row_u64(r, &v[i].column, v[i].n);
	}
}

static void json_buckets(const struct tally *t, struct buf *b)
{
	json_raw(b, "buckets", "[");
	for (unsigned int i = 0; i < GOPROBE_BUCKETS; i++) {
		if (!t->took.bucket[i])
			continue;
		json_element(b);
		buf_char(b, '{');
		if (t->value)
			valuestats_from(t, i, b);
		else
			json_u64(b, "from_ns", histogram_from(i));
		json_u64(b, "calls", t->took.bucket[i]);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_row(const struct stats_print *s, const struct stats_print_when *when,
		    const struct column *label, const struct stats_print_item *item, struct row *r)
{
	static const char *const kinds[][2] = {
		{ "count", "latency" }, { "count_key", "latency_key" },
	};
	const struct tally *t = &item->tally;
	struct number v[NUMBERS];	/* a row refers to its columns */
	bool json = row_is_json(r);

	numbers(s, item, when->ns, v);
	row_begin(r, kinds[!!item->key][s->timed]);
	if (json) {
		json_str(r->b, "func", item->func);
		if (item->key)
			json_raw(r->b, "key", item->key);
		json_u64(r->b, "time_ns", when->real);
	}
	put_numbers(v, t->took.n, r);
	if (json && t->is_split)
		state_print_json(t->split, r->b);
	if (s->valued)
		valuestats_put(r, t);
	if (json && s->histogram && (s->timed || s->valued))
		json_buckets(t, r->b);
	if (row_cell(r, label))
		row_name(r, item->label);
	row_end(r);
	if (json || !t->is_split || !t->took.n)
		return;
	buf_fill(r->b, ' ', 12);
	state_print_text(t->split, r->b);
	buf_char(r->b, '\n');
}

/* --- a table ------------------------------------------------------------ */

static void put_duration(const struct tally *t, unsigned int row, struct buf *b)
{
	(void)t;
	buf_duration(b, histogram_row_from(row));
}

/* Rows of a histogram, without the empty ones at both ends; @label writes where a row begins. */
static void put_rows(const struct tally *t, const uint64_t *rows, unsigned int n, struct buf *b,
		     void (*label)(const struct tally *t, unsigned int row, struct buf *b))
{
	unsigned int first = n, last = 0;
	uint64_t most = 0;

	for (unsigned int r = 0; r < n; r++) {
		if (!rows[r])
			continue;
		first = first < r ? first : r;
		last = r;
		most = rows[r] > most ? rows[r] : most;
	}
	for (unsigned int r = first; r <= last; r++) {
		unsigned int bar = (unsigned int)((double)rows[r] * BAR_WIDTH / most + 0.5);
		size_t at = b->len;

		label(t, r, b);
		plain_pad_left(b, at, DURATION_WIDTH);
		buf_u64_right(b, rows[r], 11);
		buf_str(b, " |");
		buf_fill(b, '@', bar);
		buf_fill(b, ' ', BAR_WIDTH - bar);
		buf_str(b, "|\n");
	}
}

static void put_histogram(const struct tally *t, const char *what, struct buf *b)
{
	uint64_t rows[GOPROBE_BUCKETS];

	if (!t->took.n)
		return;
	buf_char(b, '\n');
	buf_str(b, what);
	buf_char(b, '\n');
	if (t->value) {
		put_rows(t, rows, valuestats_rows(t, rows), b, valuestats_label);
		return;
	}
	histogram_rows(&t->took, rows);
	put_rows(t, rows, HISTOGRAM_ROWS, b, put_duration);
}

/* The functions of a table. */
struct functions {
	const struct stats_print *show;
	const struct tallies *tallies;
	struct shown_names names;
};

static void function(void *ctx, size_t i, struct stats_print_item *ret)
{
	const struct functions *f = ctx;
	uint32_t id = f->tallies->order[i];

	ret->tally = *tallies_row(f->tallies, id);
	ret->func = plan_row_name(f->show->plan, f->show->plan->funcs[id]);
	ret->copies = f->show->plan->funcs[id]->copies;
	ret->label = shown_names_get(&f->names, ret->func);
}

void stats_print_items(const struct stats_print *s, const struct stats_print_when *when,
		       const struct stats_print_items *items, struct buf *b)
{
	const struct column label = { NULL, items->head, 0 };
	struct row r = { .b = b, .mode = row_mode(s->json) };
	struct stats_print_item item = { .func = "", .label = "" };
	size_t n = s->top && s->top < items->n ? s->top : items->n;

	if (!s->json && when->ns) {
		screen_time(b, when->real, 3);
		buf_char(b, '\n');
	}
	if (!s->json && n) {
		r.mode = ROW_HEADS;
		put_row(s, when, &label, &item, &r);
		r.mode = ROW_TEXT;
	}
	for (size_t i = 0; i < n; i++) {
		items->item(items->ctx, i, &item);
		put_row(s, when, &label, &item, &r);
	}
	for (size_t i = 0; !s->json && s->histogram && i < n; i++) {
		items->item(items->ctx, i, &item);
		put_histogram(&item.tally, item.label, b);
	}
	if (!s->json && when->ns)
		buf_char(b, '\n');
}

void stats_print_table(const struct stats_print *s, const struct tallies *t,
		       const struct stats_print_when *when, struct buf *b)
{
	struct functions f = { .show = s, .tallies = t };

	stats_print_names(s, &f.names);
	(s->put ?: stats_print_items)(s, when, &(struct stats_print_items){
		.head = "FUNCTION", .n = t->norder, .item = function, .ctx = &f,
	}, b);
	shown_names_fini(&f.names);
}

/* --- the end --------------------------------------------------------- */

static uint64_t calls(const struct tallies *t)
{
	uint64_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		n += t->v[i].calls;
	return n;
}

/* Calls that are not in the tables, or have no duration, and why. */
static size_t facts(const struct stats_print *s, const struct stats_print_end *end, struct fact *f)
{
	const uint64_t *n = end->stats;
	unsigned int in = COUNTERS_CALLS;
	struct fact *to = f;

	in |= s->timed ? COUNTERS_TIMES : 0;
	in |= s->keys ? COUNTERS_KEYS : 0;
	in |= s->trapless ? COUNTERS_JUMPS : 0;
	*to++ = (struct fact){ "inlined_left_out", s->plan->copies.places, NULL, NULL, 0 };
	*to++ = (struct fact){ "inlined_unsure", s->plan->copies.unsure, NULL, NULL, 0 };
	if (s->keys)
		*to++ = (struct fact){ "keys", s->keys->called, NULL, NULL, FACT_ALWAYS };
	if (s->trapless)
		*to++ = (struct fact){
			"with_trap",
			n[GOPROBE_STAT_COUNTED] + n[GOPROBE_STAT_OPENED] + n[GOPROBE_STAT_TIMED] +
				n[GOPROBE_STAT_FILTERED] + n[GOPROBE_STAT_UNDECIDED] -
				n[GOPROBE_STAT_JUMPED],
			"hit", "with a trap", FACT_ALWAYS,
		};
	to += counters_facts(n, 0, in, to);
	return to - f;
}

#define FACTS_MAX (4 + COUNTERS_MAX)

/* Was the function, which has no row, perhaps called at an inlined place that may miss calls? */
static bool is_not_called_here(const struct stats_print *s, const struct tallies *t, size_t i)
{
	const struct tally *row = tallies_row(t, i);

	return (s->plan->funcs[i]->copies || row->unsure) && !row->calls;
}

/* Nothing if there are none. */
static void json_not_called_here(const struct stats_print *s, const struct tallies *t,
				 struct buf *b)
{
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		if (!is_not_called_here(s, t, i))
			continue;
		if (!any)
			json_raw(b, "not_called_here", "[");
		any = true;
		json_element(b);
		quote_json_str(b, plan_row_name(s->plan, s->plan->funcs[i]));
	}
	buf_str(b, any ? "]" : "");
}

void stats_print_summary(const struct stats_print *s, const struct tallies *t,
			 const struct stats_print_end *end, struct buf *b)
{
	struct fact f[FACTS_MAX];
	size_t n = facts(s, end, f);

	json_line(b, "summary");
	json_u64(b, "functions", t->nrows);
	json_u64(b, "called", t->norder);
	json_u64(b, "calls", calls(t));
	json_key(b, "seconds");
	buf_seconds(b, end->ns);
	row_facts_json(b, f, n);
	json_not_called_here(s, t, b);
	missing_json(s->plan, b);
	json_end_line(b);
}

/*
 * "; 3 not called; 1 not called here, but perhaps where inlined": nobody knows of calls of inlined
 * copies that are not counted.
 */
static void say_uncalled(const struct stats_print *s, const struct tallies *t, struct buf *b)
{
	size_t copied = 0;

	for (size_t i = 0; i < t->n; i++)
		copied += is_not_called_here(s, t, i);
	if (t->norder + copied < t->nrows) {
		buf_number(b, "; ", t->nrows - t->norder - copied);
		buf_str(b, " not called");
	}
	if (copied) {
		buf_number(b, "; ", copied);
		buf_str(b, " not called here, but perhaps where inlined");
	}
}

void stats_print_say(const struct stats_print *s, const struct tallies *t,
		     const struct stats_print_end *end, struct buf *b)
{
	uint64_t all = s->keys ? s->keys->called : t->norder;
	struct fact f[FACTS_MAX];
	size_t n = facts(s, end, f);

	row_count(b, calls(t), "call");
	buf_str(b, " of ");
	row_count(b, t->norder, "function");
	if (s->keys) {
		buf_str(b, " by ");
		row_count(b, s->keys->called, "key");
	}
	buf_str(b, " in ");
	buf_duration(b, end->ns);
	say_uncalled(s, t, b);
	if (s->top && s->top < all) {
		buf_number(b, "; ", all - s->top);
		buf_str(b, " not shown");
	}
	buf_char(b, '\n');
	row_facts_text(b, f, n);
	copies_put(&s->plan->copies, s->timed ? "timed" : "counted",
		   s->plan->o->inlined ? NULL : s->timed ? COPIES_COUNT : "--inlined", b);
	if (s->plan->copies.places)
		buf_char(b, '\n');
	copies_put_unsure(&s->plan->copies, b);
	if (s->plan->copies.unsure)
		buf_char(b, '\n');
	missing_put(s->plan, b);
}
