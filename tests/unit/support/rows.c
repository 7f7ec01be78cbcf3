// SPDX-License-Identifier: GPL-2.0
/* Tests that register themselves, tables whose rows are tests, and main() of each test program. */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "rows.h"

struct test {
	int line;		/* in the program's file */
	size_t at;		/* among those of its line */
	struct CMUnitTest t;
};

static struct test *tests;
static size_t ntests;
static struct {
	CMFixtureFunction set_up, tear_down;
} all, each;

void rows_add(int line, const char *claim, CMUnitTestFunction func, const void *state)
{
	tests = reallocarray(tests, ntests + 1, sizeof(*tests));
	if (!tests)
		abort();
	tests[ntests] = (struct test){
		.line = line, .at = ntests,
		.t = {
			.name = claim, .test_func = func,
			.initial_state = (void *)(uintptr_t)state,
		},
	};
	ntests++;
}

void rows_add_all(int line, const void *rows, size_t bytes, size_t row_bytes,
		  CMUnitTestFunction func)
{
	const char *row = rows, *end = row + bytes;

	for (; row < end; row += row_bytes)
		rows_add(line, *(const char *const *)row, func, row);
}

void rows_around_all(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	all.set_up = set_up;
	all.tear_down = tear_down;
}

void rows_around_each(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	each.set_up = set_up;
	each.tear_down = tear_down;
}

static int by_place(const void *a, const void *b)
{
	const struct test *s = a, *t = b;

	return s->line != t->line ? s->line - t->line : (s->at > t->at) - (s->at < t->at);
}

int main(void)
{
	struct CMUnitTest *v = calloc(ntests + 1, sizeof(*v));
	int failed;

	if (!v)
		abort();
	qsort(tests, ntests, sizeof(*tests), by_place);
	for (size_t i = 0; i < ntests; i++) {
		v[i] = tests[i].t;
		if (v[i].initial_state)
			continue;
		v[i].setup_func = each.set_up;
		v[i].teardown_func = each.tear_down;
	}
	failed = _cmocka_run_group_tests("tests", v, ntests, all.set_up, all.tear_down);
	free(v);
	free(tests);
	return failed;
}

void rows_expect_diag(const struct diag *d, const char *message, const char *text, const char *at,
		      const char *hint)
{
	if (message)
		assert_string_equal(d->message, message);
	if (at) {
		assert_string_equal(d->text, text);
		assert_int_equal(d->len, strlen(at));
		assert_memory_equal(d->text + d->at, at, d->len);
	}
	if (hint)
		assert_string_equal(d->hint ? d->hint : "(none)", hint);
}
