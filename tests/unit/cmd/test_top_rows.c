// SPDX-License-Identifier: GPL-2.0
/* Rows of the live table: rates and durations between snapshots, order, selection, lines. */
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "cmd/top_rows.h"
#include "rows.h"

#define SECOND 1000000000ULL
#define MS 1000000ULL

static const char *const names[] = { "main.b", "main.a", "main.c" };

struct state {
	struct toprows rows;
	struct tallies now;
	struct buf text;
};

static int begin(void **state)
{
	struct state *s = calloc(1, sizeof(*s));

	*state = s;
	if (!s || toprows_init(&s->rows, N(names)) || tallies_init(&s->now, N(names)))
		return -1;
	for (size_t i = 0; i < N(names); i++)
		s->rows.v[i].name = names[i];
	return 0;
}

static int end(void **state)
{
	struct state *s = *state;

	toprows_fini(&s->rows);
	tallies_fini(&s->now);
	buf_fini(&s->text);
	free(s);
	return 0;
}

/* More calls of function @id that take @ns each. */
static void call(struct state *s, size_t id, uint64_t n, uint64_t ns)
{
	struct tally *t = &s->now.v[id];
	unsigned int bucket = 0;

	while (histogram_from(bucket + 1) <= ns)
		bucket++;
	t->calls += n;
	t->took.bucket[bucket] += n;
	t->took.n += n;
	t->took.min = !t->took.min || ns < t->took.min ? ns : t->took.min;
	t->took.max = ns > t->took.max ? ns : t->took.max;
}

static void look(struct state *s, uint64_t ns)
{
	toprows_add(&s->rows, &s->now, ns);
}

static void ordered(const struct state *s, const char *want)
{
	char got[64] = "";

	for (size_t i = 0; i < s->rows.norder; i++)
		strcat(got, s->rows.v[s->rows.order[i]].name + strlen("main."));
	assert_string_equal(got, want);
}

static void selected(const struct state *s, const char *want)
{
	assert_string_equal(toprows_selected(&s->rows)->name, want);
}

/* --- numbers ----------------------------------------------------------------- */

TEST(a_rate_is_of_the_calls_between_two_snapshots)
{
	struct state *s = *state;

	call(s, 0, 10, MS);
	look(s, SECOND);
	assert_int_equal(s->rows.v[0].rates[0], 10);
	call(s, 0, 50, MS);
	look(s, SECOND / 2);
	assert_int_equal(s->rows.v[0].rates[0], 100);
	assert_int_equal(s->rows.v[0].rates[1], 10);
	assert_int_equal(s->rows.v[0].calls, 60);
	look(s, SECOND);
	assert_int_equal(s->rows.v[0].rates[0], 0);
	look(s, 0);
	assert_int_equal(s->rows.v[0].rates[0], 0);
}

static bool is_near(uint64_t got, uint64_t want)
{
	return got > want - want / 4 && got < want + want / 4;
}

TEST(durations_are_those_of_new_calls)
{
	struct state *s = *state;
	const struct toprow *row = &s->rows.v[0];

	look(s, SECOND);
	assert_false(row->timed);
	call(s, 0, 1000, 100 * MS);
	look(s, SECOND);
	assert_true(row->timed);
	assert_true(is_near(row->p50, 100 * MS));
	call(s, 0, 90, MS);
	call(s, 0, 10, 10 * MS);
	look(s, SECOND);
	assert_true(is_near(row->p50, MS));
	assert_true(is_near(row->p99, 10 * MS));
	/* Without new calls the last ones stay. */
	look(s, SECOND);
	assert_true(is_near(row->p99, 10 * MS));
}

TEST(durations_are_not_outside_of_what_was_seen)
{
	struct state *s = *state;

	call(s, 0, 1, 1234567);
	look(s, SECOND);
	assert_int_equal(s->rows.v[0].p50, 1234567);
	assert_int_equal(s->rows.v[0].p99, 1234567);
}

TEST(a_tally_that_shrinks_is_no_call)
{
	struct state *s = *state;

	call(s, 0, 10, MS);
	look(s, SECOND);
	s->now.v[0].calls = 8;
	look(s, SECOND);
	assert_int_equal(s->rows.v[0].rates[0], 0);
	assert_int_equal(s->rows.v[0].calls, 10);
}

TEST(old_rates_are_forgotten)
{
	struct state *s = *state;

	for (size_t i = 1; i <= TOPROW_HISTORY + 5; i++) {
		call(s, 0, i, MS);
		look(s, SECOND);
	}
	assert_int_equal(s->rows.snapshots, TOPROW_HISTORY);
	assert_int_equal(s->rows.v[0].rates[TOPROW_HISTORY - 1], 6);
}

/* --- order and selection ----------------------------------------------------- */

/* main.b: 10 slow calls, main.a: 30 fast ones, main.c: 20, and more before. */
static void three(struct state *s)
{
	call(s, 2, 100, MS);
	look(s, SECOND);
	call(s, 0, 10, 100 * MS);
	call(s, 1, 30, MS);
	call(s, 2, 9, 5 * MS);
	call(s, 2, 11, 20 * MS);
	look(s, SECOND);
}

TEST(each_order_has_its_own_first_row)
{
	static const char *const want[TOPROWS_ORDERS] = {
		[TOPROWS_BY_RATE] = "acb", [TOPROWS_BY_P50] = "bca", [TOPROWS_BY_P99] = "bca",
		[TOPROWS_BY_ERRORS] = "bac", [TOPROWS_BY_CALLS] = "cab", [TOPROWS_BY_NAME] = "abc",
	};
	static const uint64_t errors[] = { 4, 3 };
	struct state *s = *state;

	three(s);
	s->rows.v[0].errors = &errors[0];
	s->rows.v[1].errors = &errors[1];
	for (size_t i = 0; i < TOPROWS_ORDERS; i++) {
		toprows_sort(&s->rows, i);
		ordered(s, want[i]);
	}
}

TEST(equal_rows_are_in_the_order_of_their_names)
{
	struct state *s = *state;

	for (size_t i = 0; i < N(names); i++)
		call(s, i, 5, MS);
	look(s, SECOND);
	ordered(s, "abc");
}

TEST(functions_without_calls_have_no_row)
{
	struct state *s = *state;

	look(s, SECOND);
	ordered(s, "");
	assert_null(toprows_selected(&s->rows));
	toprows_move(&s->rows, 1, 10);
	assert_int_equal(s->rows.selected, 0);
	call(s, 2, 1, MS);
	look(s, SECOND);
	ordered(s, "c");
}

TEST(the_selected_function_stays_selected)
{
	struct state *s = *state;

	three(s);
	selected(s, "main.a");
	toprows_move(&s->rows, 1, 10);
	selected(s, "main.c");
	toprows_sort(&s->rows, TOPROWS_BY_CALLS);
	selected(s, "main.c");
	toprows_sort(&s->rows, TOPROWS_BY_NAME);
	selected(s, "main.c");
	toprows_move(&s->rows, -INT32_MAX, 10);
	selected(s, "main.a");
	toprows_move(&s->rows, INT32_MAX, 10);
	selected(s, "main.c");
	/* Back at the top, the first row is selected, whatever function it is. */
	toprows_move(&s->rows, -INT32_MAX, 10);
	toprows_sort(&s->rows, TOPROWS_BY_CALLS);
	selected(s, "main.c");
	toprows_sort(&s->rows, TOPROWS_BY_P99);
	selected(s, "main.b");
}

TEST(the_screen_follows_the_selection)
{
	struct state *s = *state;

	three(s);
	toprows_move(&s->rows, 2, 2);
	assert_int_equal(s->rows.first, 1);
	toprows_move(&s->rows, -1, 2);
	assert_int_equal(s->rows.first, 1);
	toprows_move(&s->rows, -1, 2);
	assert_int_equal(s->rows.first, 0);
	/* The terminal has become smaller. */
	toprows_move(&s->rows, 2, 10);
	toprows_move(&s->rows, 0, 1);
	assert_int_equal(s->rows.first, 2);
}

/* --- lines ------------------------------------------------------------------- */

#define LONG_NAME "example.org/shop/cart.(*Cart).AddAllOfTheseItems"

static const struct line_case {
	const char *claim;
	const char *name;	/* NULL: the head */
	size_t columns;
	enum toprows_by by;
	const char *want;
} lines[] = {
	{ "a wide head has all columns", NULL, 100, TOPROWS_BY_RATE,
	  " CALLS/S▼      P50      P99   ERRORS      TOTAL  TREND      FUNCTION" },
	{ "the order is marked", NULL, 100, TOPROWS_BY_CALLS,
	  "  CALLS/S      P50      P99   ERRORS     TOTAL▼  TREND      FUNCTION" },
	{ "that of errors, too", NULL, 100, TOPROWS_BY_ERRORS,
	  "  CALLS/S      P50      P99  ERRORS▼      TOTAL  TREND      FUNCTION" },
	{ "the order of names is marked, too", NULL, 100, TOPROWS_BY_NAME,
	  "  CALLS/S      P50      P99   ERRORS      TOTAL  TREND      FUNCTION▲" },
	{ "the total goes first", NULL, 70, TOPROWS_BY_RATE,
	  " CALLS/S▼      P50      P99   ERRORS  TREND      FUNCTION" },
	{ "then the trend", NULL, 60, TOPROWS_BY_P99,
	  "  CALLS/S      P50     P99▼   ERRORS  FUNCTION" },
	{ "a narrow head has the rate and one duration", NULL, 40, TOPROWS_BY_RATE,
	  " CALLS/S▼      P99  FUNCTION" },
	{ "a wide row has all columns", "main.f", 100, 0,
	  "        4   1.50ms   20.0ms       55       1234      ▄█ ▁▄  main.f" },
	{ "a narrow row has the rate and one duration", "main.f", 40, 0,
	  "        4   20.0ms  main.f" },
	{ "a long name is cut in its middle", LONG_NAME, 40, 0,
	  "        4   20.0ms  example…OfTheseItems" },
	{ "a wide character takes two columns, and none is cut in half", "main.世界世界世界世界世界",
	  40, 0, "        4   20.0ms  main.世…世界世界世界" },
	{ "a name can't control the terminal", "main.\x1b[2J", 40, 0,
	  "        4   20.0ms  main.?[2J" },
};

ROWS(line, lines)
{
	const struct line_case *c = *state;
	const uint64_t errors = 55;
	const struct toprow row = {
		.name = c->name, .calls = 1234, .timed = true, .p50 = 1500000, .p99 = 20 * MS,
		.errors = &errors, .rates = { 4, 1, 0, 8, 4 },
	};
	struct buf b = { 0 };

	if (c->name)
		toprows_row(&b, &row, 5, c->columns);
	else
		toprows_head(&b, c->by, c->columns);
	assert_false(b.failed);
	assert_int_equal(plain_columns(b.p, b.len), c->columns);
	while (b.len && b.p[b.len - 1] == ' ')
		b.len--;
	buf_char(&b, 0);
	assert_string_equal(b.p, c->want);
	buf_fini(&b);
}

TEST(every_width_is_filled_exactly)
{
	struct state *s = *state;
	const struct toprow row = {
		.name = LONG_NAME, .calls = UINT64_MAX, .rates = { UINT64_MAX },
	};

	for (size_t columns = 40; columns < 200; columns++) {
		s->text.len = 0;
		toprows_row(&s->text, &row, TOPROW_HISTORY, columns);
		assert_int_equal(plain_columns(s->text.p, s->text.len), columns);
		s->text.len = 0;
		toprows_head(&s->text, TOPROWS_BY_P99, columns);
		assert_int_equal(plain_columns(s->text.p, s->text.len), columns);
	}
}

AROUND_EACH(begin, end)
