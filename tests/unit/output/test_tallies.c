// SPDX-License-Identifier: GPL-2.0
/* Statistics of functions, kept and sorted. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/tallies.h"
#include "rows.h"

static struct tallies all;

static int setup(void **state)
{
	(void)state;
	memset(&all, 0, sizeof(all));
	return tallies_init(&all, 4);
}

static int teardown(void **state)
{
	(void)state;
	tallies_fini(&all);
	return 0;
}

static void add(uint32_t id, uint64_t hits)
{
	assert_int_equal(tallies_add(&all, &(struct goprobe_tally){ .id = id, .hits = hits }, NULL),
			 0);
}

TEST(test_new)
{
	add(1, 10);
	assert_int_equal(all.v[1].new, 10);
	tallies_begin(&all);
	add(1, 25);
	add(2, 1);
	assert_int_equal(all.v[1].calls, 25);
	assert_int_equal(all.v[1].new, 15);
	assert_int_equal(all.v[2].new, 1);
	/* Not reported: it has not been called since. */
	tallies_begin(&all);
	assert_int_equal(all.v[1].new, 0);
	assert_int_equal(all.v[1].calls, 25);
}

TEST(test_unknown_ids)
{
	add(4, 10);
	add(UINT32_MAX, 10);
	tallies_sort(&all, TALLIES_BY_CALLS);
	assert_int_equal(all.norder, 0);
}

TEST(test_durations)
{
	static const uint64_t buckets[] = { 2, 0, 3 };
	const struct goprobe_tally t = {
		.id = 3, .first = 20, .nbuckets = 3, .calls = 9, .unwound = 1, .exited = 1,
		.sum = 500, .min = 70, .max = 130,
	};

	tallies_add(&all, &t, buckets);
	assert_int_equal(all.v[3].calls, 9);
	assert_int_equal(all.v[3].took.n, 5);
	assert_int_equal(all.v[3].took.bucket[20], 2);
	assert_int_equal(all.v[3].took.bucket[22], 3);
	assert_int_equal(tallies_open(&all.v[3]), 2);
	/* A report replaces the previous one. */
	tallies_add(&all, &t, buckets);
	assert_int_equal(all.v[3].took.n, 5);
	/* Its numbers are not read in one moment. */
	all.v[3].calls = 6;
	assert_int_equal(tallies_open(&all.v[3]), 0);
}

TEST(test_last_bucket)
{
	static const uint64_t one = 1;

	tallies_add(&all, &(struct goprobe_tally){
		.id = 0, .first = GOPROBE_BUCKETS - 1, .nbuckets = 1, .calls = 1 }, &one);
	assert_int_equal(all.v[0].took.bucket[GOPROBE_BUCKETS - 1], 1);
}

static void expect_order(enum tallies_by by, const char *want)
{
	char got[16] = "";

	tallies_sort(&all, by);
	for (size_t i = 0; i < all.norder; i++)
		got[i] = '0' + all.order[i];
	assert_string_equal(got, want);
}

TEST(test_order)
{
	add(0, 5);
	add(2, 50);
	tallies_begin(&all);
	add(0, 20);
	add(2, 50);
	add(3, 20);
	all.v[0].took.sum = 1;
	all.v[3].took.sum = 7;
	/* 1 has not been called; equals come in the order in which they were named. */
	expect_order(TALLIES_BY_CALLS, "203");
	expect_order(TALLIES_BY_NEW, "302");
	expect_order(TALLIES_BY_TIME, "302");
}

/* Calls whose end did not pass are none; or only those count whose end did. */
TEST(test_filtered)
{
	static const uint64_t buckets[] = { 2, 0, 3 };
	const struct goprobe_tally t = {
		.id = 3, .first = 20, .nbuckets = 3, .calls = 10, .filtered = 4,
		.sum = 500, .min = 70, .max = 130,
	};

	assert_int_equal(tallies_add(&all, &t, buckets), 0);
	assert_int_equal(all.v[3].calls, 6);
	assert_int_equal(tallies_open(&all.v[3]), 1);
	all.v[3].ends = true;
	tallies_begin(&all);
	assert_int_equal(tallies_add(&all, &t, buckets), 0);
	assert_int_equal(all.v[3].calls, 5);
	assert_int_equal(tallies_open(&all.v[3]), 0);
}

AROUND_EACH(setup, teardown)
