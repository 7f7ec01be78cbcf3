// SPDX-License-Identifier: GPL-2.0
/* Statistics of numbers from the buckets of a histogram. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/histogram.h"
#include "rows.h"

/* The bucket of a number, by the words of goprobe.h. */
static unsigned int bucket_of(uint64_t n)
{
	unsigned int b;

	if (n < 4)
		return n;
	b = 63 - __builtin_clzll(n);
	return 4 * (b - 1) + (n >> (b - 2) & 3);
}

static void put(struct histogram *h, uint64_t n)
{
	h->bucket[bucket_of(n)]++;
	h->min = !h->n || n < h->min ? n : h->min;
	h->max = !h->n || n > h->max ? n : h->max;
	h->sum += n;
	h->n++;
}

TEST(buckets_begin_where_numbers_change_theirs)
{
	for (unsigned int i = 0; i < GOPROBE_BUCKETS; i++) {
		uint64_t from = histogram_from(i);

		assert_int_equal(bucket_of(from), i);
		if (from)
			assert_int_equal(bucket_of(from - 1), i - 1);
	}
	assert_int_equal(bucket_of(UINT64_MAX), GOPROBE_BUCKETS - 1);
	assert_true(histogram_from(GOPROBE_BUCKETS) == UINT64_MAX);
}

TEST(nothing_has_no_quantile)
{
	static const struct histogram none;

	assert_int_equal(histogram_quantile(&none, 500), 0);
	assert_int_equal(histogram_quantile_floor(&none, 500), 0);
}

TEST(one_number_is_every_quantile)
{
	static const uint64_t numbers[] = { 0, 1, 3, 4, 5, 1000, 123456789, UINT64_MAX };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct histogram h = { 0 };

		put(&h, numbers[i]);
		for (unsigned int permille = 0; permille <= 1000; permille += 250)
			assert_true(histogram_quantile(&h, permille) == numbers[i]);
	}
}

TEST(small_numbers_are_exact)
{
	struct histogram h = { 0 };

	for (unsigned int i = 0; i < 100; i++)
		put(&h, i / 25);	/* 25 of each of 0, 1, 2, 3 */
	assert_int_equal(histogram_quantile(&h, 250), 0);
	assert_int_equal(histogram_quantile(&h, 260), 1);
	assert_int_equal(histogram_quantile(&h, 500), 1);
	assert_int_equal(histogram_quantile(&h, 510), 2);
	assert_int_equal(histogram_quantile(&h, 990), 3);
	assert_int_equal(histogram_quantile(&h, 1000), 3);
}

static int order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* With any numbers, a quantile lies in the bucket of the real one. */
TEST(quantiles_are_off_by_a_bucket_at_most)
{
	enum { N = 1000, ROUNDS = 200 };
	static uint64_t numbers[N];
	uint64_t seed = 88172645463325252ULL;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		struct histogram h = { 0 };
		unsigned int n = 1 + round * 5, shift = round % 60;

		for (unsigned int i = 0; i < n; i++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			numbers[i] = seed >> shift >> (seed & 7);
			put(&h, numbers[i]);
		}
		qsort(numbers, n, sizeof(*numbers), order);
		for (unsigned int permille = 0; permille <= 1000; permille += 10) {
			unsigned int rank = (n * permille + 999) / 1000;
			uint64_t real = numbers[rank ? rank - 1 : 0];
			uint64_t got = histogram_quantile(&h, permille);

			assert_int_equal(bucket_of(got), bucket_of(real));
			assert_true(histogram_quantile_floor(&h, permille) ==
				    histogram_from(bucket_of(real)));
			assert_true(got >= numbers[0] && got <= numbers[n - 1]);
		}
		assert_true(histogram_quantile(&h, 1000) == numbers[n - 1]);
	}
}

TEST(quantiles_rise)
{
	struct histogram h = { 0 };
	uint64_t last = 0;

	for (uint64_t i = 0; i < 5000; i++)
		put(&h, i * i);
	for (unsigned int permille = 0; permille <= 1000; permille++) {
		uint64_t now = histogram_quantile(&h, permille);

		assert_true(now >= last);
		last = now;
	}
}

TEST(numbers_whose_product_would_overflow)
{
	struct histogram h = { .n = UINT64_MAX, .min = 5, .max = 700 };

	h.bucket[bucket_of(5)] = UINT64_MAX / 2;
	h.bucket[bucket_of(700)] = UINT64_MAX - UINT64_MAX / 2;
	assert_int_equal(histogram_quantile(&h, 400), 5);
	assert_int_equal(bucket_of(histogram_quantile(&h, 900)), bucket_of(700));
}

TEST(rows_are_powers_of_two)
{
	uint64_t rows[HISTOGRAM_ROWS], all = 0;
	struct histogram h = { 0 };

	for (uint64_t i = 0; i < 1000; i++)
		put(&h, i);
	put(&h, UINT64_MAX);
	histogram_rows(&h, rows);
	for (unsigned int r = 0; r < HISTOGRAM_ROWS; r++)
		all += rows[r];
	assert_int_equal(all, 1001);
	assert_int_equal(rows[0], 1);
	assert_int_equal(rows[1], 1);
	assert_int_equal(rows[2], 2);
	assert_int_equal(rows[9], 256);
	assert_int_equal(rows[10], 1000 - 512);
	assert_int_equal(rows[64], 1);
	assert_int_equal(histogram_row_from(0), 0);
	assert_int_equal(histogram_row_from(1), 1);
	assert_int_equal(histogram_row_from(10), 512);
	assert_true(histogram_row_from(64) == 1ULL << 63);
}
