// SPDX-License-Identifier: GPL-2.0
/*
 * Sums, extremes and histograms of values. A value is a word: the type of its expression says
 * whether it has a sign, and whether text shows it as a duration.
 */
#include <stdio.h>

#include "output/value_stats.h"

#define SIGN (1ULL << 63)
#define HALF (GOPROBE_BUCKETS / 2)

static const struct column col_sum = { "sum", "SUM", -14 };
static const struct column col_mean = { "mean", "MEAN", -12 };
static const struct column col_min = { "min", "MIN", -12 };
static const struct column col_max = { "max", "MAX", -12 };

static bool is_negative(const struct group_by_value *v, uint64_t word)
{
	return v->is_signed && word & SIGN;
}

static long double number(const struct group_by_value *v, uint64_t word)
{
	return v->is_signed ? (long double)(int64_t)word : (long double)word;
}

static uint64_t extreme(const struct group_by_value *v, uint64_t rank)
{
	return v->is_signed ? rank ^ SIGN : rank;
}

bool valuestats_are_durations(const struct group_by_value *v)
{
	return strcmp(v->type->name, "time.Duration") == 0;
}

static void put_value(const struct group_by_value *v, uint64_t word, bool json, struct buf *b)
{
	bool negative = is_negative(v, word);

	if (negative)
		buf_char(b, '-');
	word = negative ? 0 - word : word;
	if (!json && valuestats_are_durations(v))
		buf_duration(b, word);
	else
		buf_u64(b, word);
}

/* --- buckets ----------------------------------------------------------------------------- */

/* The start of bucket @n of values from 0 on that have a sign: two for each power of two. */
static uint64_t half_from(unsigned int n)
{
	return n < 2 ? n : (uint64_t)(2 + n % 2) << (n / 2 - 1);
}

/* The least value of a bucket; of the first one of a linear histogram, of all. */
static uint64_t bucket_from(const struct tally *t, unsigned int i)
{
	const struct group_by_value *v = t->value;

	if (v->range.step && !i)
		return extreme(v, t->took.min);
	if (v->range.step)
		return i > v->range.n ? (uint64_t)v->range.high :
					v->range.low + (i - 1) * v->range.step;
	if (!v->is_signed)
		return histogram_from(i);
	return i < HALF ? 0 - half_from(HALF - i) : half_from(i - HALF);
}

static unsigned int last_bucket(const struct group_by_value *v)
{
	return v->range.step ? v->range.n + 1 : GOPROBE_BUCKETS - 1;
}

/* Can the sum be as large as it is, or has it exceeded 64 bits? By the buckets, within limits. */
static bool is_sum_known(const struct tally *t)
{
	long double least = number(t->value, extreme(t->value, t->took.min)), low = 0;
	long double greatest = number(t->value, extreme(t->value, t->took.max)), high = 0;
	const struct group_by_value *v = t->value;

	for (unsigned int i = 0; i <= last_bucket(v); i++) {
		long double from = number(v, bucket_from(t, i));
		long double to = i < last_bucket(v) ? number(v, bucket_from(t, i + 1)) - 1 :
						      greatest;

		low += t->took.bucket[i] * (from < least ? least : from);
		high += t->took.bucket[i] * (to > greatest ? greatest : to);
	}
	return v->is_signed ? low >= -0x1p63L && high < 0x1p63L : high < 0x1p64L;
}

bool valuestats_weight(const struct tally *t, uint64_t *ret)
{
	bool fits = t->took.n && is_sum_known(t) && !is_negative(t->value, t->took.sum);

	*ret = fits ? t->took.sum : 0;
	return fits || !t->took.n;
}

/* --- rows -------------------------------------------------------------------------------- */

static void put_word(struct row *r, const struct column *c, const struct tally *t, uint64_t word)
{
	if (row_cell(r, c))
		put_value(t->value, word, row_is_json(r), r->b);
}

static void put_mean(struct row *r, const struct tally *t)
{
	long double mean = number(t->value, t->took.sum) / t->took.n;
	char text[48];

	if (!row_is_json(r) && valuestats_are_durations(t->value)) {
		put_word(r, &col_mean, t, (uint64_t)(int64_t)mean);
		return;
	}
	snprintf(text, sizeof(text), "%.2Lf", mean);
	if (row_cell(r, &col_mean))
		buf_str(r->b, text);
}

void valuestats_put(struct row *r, const struct tally *t)
{
	const struct group_by_value *v = t->value;
	bool any = v && t->took.n, known = any && is_sum_known(t);

	if (v && row_is_json(r)) {
		json_str(r->b, "expr", v->name);
		json_str(r->b, "type", v->type->name);
		json_flag(r->b, "sum_overflow", any && !known);
	}
	if (known) {
		put_word(r, &col_sum, t, t->took.sum);
		put_mean(r, t);
	} else {
		row_none(r, &col_sum);
		row_none(r, &col_mean);
	}
	if (any) {
		put_word(r, &col_min, t, extreme(v, t->took.min));
		put_word(r, &col_max, t, extreme(v, t->took.max));
	} else {
		row_none(r, &col_min);
		row_none(r, &col_max);
	}
}

void valuestats_from(const struct tally *t, unsigned int i, struct buf *b)
{
	const struct group_by_value *v = t->value;
	bool below = v->range.step && !i;

	json_key(b, below ? "below" : "from");
	put_value(v, below ? (uint64_t)v->range.low : bucket_from(t, i), true, b);
}

/* --- histograms -------------------------------------------------------------------------- */

/* Of values with a sign: a row for -1, one for 0, and one for each power of two on both sides. */
static unsigned int signed_row(unsigned int bucket)
{
	bool negative = bucket < HALF;
	uint64_t from = half_from(negative ? HALF - 1 - bucket : bucket - HALF);
	unsigned int bits = from ? 64 - __builtin_clzll(from) : 0;

	return negative ? 63 - bits : 64 + bits;
}

unsigned int valuestats_rows(const struct tally *t, uint64_t rows[GOPROBE_BUCKETS])
{
	const struct group_by_value *v = t->value;

	if (v->range.step) {
		memcpy(rows, t->took.bucket, sizeof(t->took.bucket));
		return last_bucket(v) + 1;
	}
	if (!v->is_signed) {
		histogram_rows(&t->took, rows);
		return HISTOGRAM_ROWS;
	}
	memset(rows, 0, sizeof(t->took.bucket));
	for (unsigned int i = 0; i < GOPROBE_BUCKETS; i++)
		rows[signed_row(i)] += t->took.bucket[i];
	return 128;
}

void valuestats_label(const struct tally *t, unsigned int row, struct buf *b)
{
	const struct group_by_value *v = t->value;
	uint64_t from;

	if (v->range.step) {
		buf_str(b, row ? "" : "< ");
		from = row ? bucket_from(t, row) : (uint64_t)v->range.low;
	} else if (!v->is_signed) {
		from = histogram_row_from(row);
	} else {
		from = row < 64 ? 0 - (1ULL << (63 - row)) : histogram_row_from(row - 64);
	}
	put_value(v, from, false, b);
}
