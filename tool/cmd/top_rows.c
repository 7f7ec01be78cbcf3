// SPDX-License-Identifier: GPL-2.0
/* Rows of the live table of functions: numbers between snapshots, order, selection, lines. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "cmd/top_rows.h"
#include "output/screen.h"

/* Columns of a name, at least: fields are left out until it has them. */
#define NAME_MIN 20
/* Columns between two columns of the table. */
#define GAP 2

enum field { RATE, P50, P99, ERRORS, TOTAL, TREND, FIELDS };

/* Fields in the order of their places. A narrow terminal lacks those with a high @rank. */
static const struct {
	const char *head;
	size_t width;
	unsigned int rank;
	enum toprows_by by;
} fields[FIELDS] = {
	[RATE] = { "CALLS/S", 9, 0, TOPROWS_BY_RATE },
	[P50] = { "P50", 7, 3, TOPROWS_BY_P50 },
	[P99] = { "P99", 7, 1, TOPROWS_BY_P99 },
	[ERRORS] = { "ERRORS", 7, 2, TOPROWS_BY_ERRORS },
	[TOTAL] = { "TOTAL", 9, 5, TOPROWS_BY_CALLS },
	[TREND] = { "TREND", 9, 4, TOPROWS_ORDERS },
};

_Static_assert(TOPROW_HISTORY >= 9, "a trend shows only rates that are kept");

/* --- numbers ----------------------------------------------------------------- */

int toprows_init(struct toprows *t, size_t n)
{
	t->n = n;
	t->v = calloc(n + 1, sizeof(*t->v));
	t->order = calloc(n + 1, sizeof(*t->order));
	return t->v && t->order ? 0 : -1;
}

void toprows_fini(struct toprows *t)
{
	free(t->v);
	free(t->order);
}

/* The durations that @now has, and @before has not. */
static void subtract(const struct histogram *now, const struct histogram *before,
		     struct histogram *ret)
{
	*ret = (struct histogram){ .min = UINT64_MAX };
	for (unsigned int i = 0; i < GOPROBE_BUCKETS; i++) {
		if (now->bucket[i] <= before->bucket[i])
			continue;
		ret->bucket[i] = now->bucket[i] - before->bucket[i];
		ret->n += ret->bucket[i];
		if (ret->min == UINT64_MAX)
			ret->min = histogram_from(i);
		ret->max = histogram_from(i + 1);
	}
	ret->sum = now->sum - before->sum;
	/* A bucket's bounds can lie outside of all durations. */
	if (ret->min < now->min)
		ret->min = now->min;
	if (ret->max > now->max)
		ret->max = now->max;
}

static void add(struct toprow *row, const struct tally *now, uint64_t ns)
{
	uint64_t more = now->calls > row->calls ? now->calls - row->calls : 0;
	struct histogram took;

	memmove(row->rates + 1, row->rates, sizeof(row->rates) - sizeof(*row->rates));
	row->rates[0] = ns ? (uint64_t)(more * 1e9 / ns + 0.5) : 0;
	row->calls += more;
	subtract(&now->took, &row->took, &took);
	row->took = now->took;
	if (!took.n)
		return;
	row->timed = true;
	row->p50 = histogram_quantile(&took, 500);
	row->p99 = histogram_quantile(&took, 990);
}

void toprows_add(struct toprows *t, const struct tallies *now, uint64_t ns)
{
	for (size_t i = 0; i < t->n && i < now->n; i++)
		add(&t->v[i], &now->v[i], ns);
	if (t->snapshots < TOPROW_HISTORY)
		t->snapshots++;
	toprows_sort(t, t->by);
}

/* --- order and selection ----------------------------------------------------- */

static uint64_t key(const struct toprow *row, enum toprows_by by)
{
	switch (by) {
	case TOPROWS_BY_P50:
		return row->p50;
	case TOPROWS_BY_P99:
		return row->p99;
	case TOPROWS_BY_ERRORS:
		return row->errors ? *row->errors : 0;
	case TOPROWS_BY_CALLS:
		return row->calls;
	default:
		return row->rates[0];
	}
}

/* Rows with the same number are in the order of their names, so that they stay where they are. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct toprows *t = ctx;
	const struct toprow *x = &t->v[*(const uint32_t *)a], *y = &t->v[*(const uint32_t *)b];
	uint64_t p = key(x, t->by), q = key(y, t->by);

	if (t->by != TOPROWS_BY_NAME && p != q)
		return p < q ? 1 : -1;
	return strcmp(x->name, y->name);
}

void toprows_sort(struct toprows *t, enum toprows_by by)
{
	uint32_t id = t->norder ? t->order[t->selected] : 0;

	t->by = by;
	t->norder = 0;
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].calls)
			t->order[t->norder++] = i;
	qsort_r(t->order, t->norder, sizeof(*t->order), compare, t);
	for (size_t i = 0; t->chosen && i < t->norder; i++) {
		if (t->order[i] == id) {
			t->selected = i;
			break;
		}
	}
}

void toprows_move(struct toprows *t, long by, size_t height)
{
	size_t last = t->norder ? t->norder - 1 : 0, up = by < 0 ? -by : 0;

	if (by < 0)
		t->selected -= up < t->selected ? up : t->selected;
	else
		t->selected += by;
	if (t->selected > last)
		t->selected = last;
	if (by)
		t->chosen = t->selected;
	if (t->selected < t->first)
		t->first = t->selected;
	if (height && t->selected >= t->first + height)
		t->first = t->selected - height + 1;
}

const struct toprow *toprows_selected(const struct toprows *t)
{
	return t->norder ? &t->v[t->order[t->selected]] : NULL;
}

/* --- lines ------------------------------------------------------------------- */

/* Columns that the name has beside the fields up to @rank. */
static long left_by(unsigned int rank, size_t columns)
{
	long left = columns;

	for (size_t i = 0; i < FIELDS; i++)
		if (fields[i].rank <= rank)
			left -= fields[i].width + GAP;
	return left;
}

/* The highest rank that is shown. */
static unsigned int shown_rank(size_t columns)
{
	unsigned int rank = FIELDS - 1;

	while (rank && left_by(rank, columns) < NAME_MIN)
		rank--;
	return rank;
}

/* The text that begins at @at is the last one of a line: give it @columns columns. */
static void fit(struct buf *b, size_t at, size_t columns)
{
	screen_shorten(b, at, columns);
	if (!b->failed)
		buf_fill(b, ' ', columns - plain_columns(b->p + at, b->len - at));
}

static void right(struct buf *b, size_t at, size_t width)
{
	if (!b->failed && plain_columns(b->p + at, b->len - at) < width)
		plain_pad_left(b, at, width);
}

void toprows_head(struct buf *b, enum toprows_by by, size_t columns)
{
	unsigned int rank = shown_rank(columns);
	size_t at;

	for (size_t i = 0; i < FIELDS; i++) {
		if (fields[i].rank > rank)
			continue;
		at = b->len;
		buf_str(b, fields[i].head);
		if (fields[i].by == by)
			buf_str(b, "▼");
		if (i == TREND)
			fit(b, at, fields[i].width);
		else
			right(b, at, fields[i].width);
		buf_fill(b, ' ', GAP);
	}
	at = b->len;
	buf_str(b, by == TOPROWS_BY_NAME ? "FUNCTION▲" : "FUNCTION");
	fit(b, at, left_by(rank, columns));
}

/* The oldest rate first; each in eighths of the greatest. No call has a blank. */
static void put_trend(struct buf *b, const struct toprow *row, size_t snapshots, size_t width)
{
	static const char *const bars[] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█",
	};
	size_t n = snapshots < width ? snapshots : width;
	uint64_t most = 1;

	for (size_t i = 0; i < n; i++)
		most = row->rates[i] > most ? row->rates[i] : most;
	buf_fill(b, ' ', width - n);
	for (size_t i = n; i--;) {
		size_t bar = (size_t)((double)row->rates[i] * 8 / most + 0.5);

		buf_str(b, bars[row->rates[i] && !bar ? 1 : bar]);
	}
}

static void put_field(struct buf *b, const struct toprow *row, enum field f, size_t snapshots)
{
	if (f == RATE)
		buf_u64(b, row->rates[0]);
	else if (f == TOTAL)
		buf_u64(b, row->calls);
	else if (f == TREND)
		put_trend(b, row, snapshots, fields[f].width);
	else if (f == ERRORS && row->errors)
		buf_u64(b, *row->errors);
	else if (f != ERRORS && row->timed)
		buf_duration(b, f == P50 ? row->p50 : row->p99);
	else
		buf_char(b, '-');
}

void toprows_row(struct buf *b, const struct toprow *row, size_t snapshots, size_t columns)
{
	unsigned int rank = shown_rank(columns);
	size_t start = b->len, at, used;

	for (size_t i = 0; i < FIELDS; i++) {
		if (fields[i].rank > rank)
			continue;
		at = b->len;
		put_field(b, row, i, snapshots);
		right(b, at, fields[i].width);
		buf_fill(b, ' ', GAP);
	}
	at = b->len;
	plain_add(b, row->shown ?: row->name);
	if (b->failed)
		return;
	/* Numbers that are wider than their columns take them from the name. */
	used = plain_columns(b->p + start, at - start);
	if (used < columns)
		screen_shorten_name(b, at, b->len - at, columns - used);
	if (used < columns)
		fit(b, at, columns - used);
	else
		screen_shorten(b, start, columns);
}
