// SPDX-License-Identifier: GPL-2.0
/* libgoprobe.c: what a trace may be told, when, and what it says if not. Without the module. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libgoprobe.h"
#include "rows.h"

static int setup(void **state)
{
	*state = goprobe_trace_new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	goprobe_trace_free(*state);
	return 0;
}

static void says(const struct goprobe_trace *t, const char *want)
{
	assert_non_null(goprobe_trace_error(t));
	assert_string_equal(goprobe_trace_error(t), want);
}

static void options_are_within_their_bounds(void **state)
{
	static const struct {
		unsigned int option;
		uint64_t value;
		const char *error;
	} rows[] = {
		{ GOPROBE_OPTION_DEPTH, 31, NULL },
		{ GOPROBE_OPTION_DEPTH, 32, "the depth is from 0 to 31, not 32" },
		{ GOPROBE_OPTION_STRING_LIMIT, 16385,
		  "the limit of strings is from 0 to 16384, not 16385" },
		{ GOPROBE_OPTION_OBJECTS, 1024, NULL },
		{ GOPROBE_OPTION_OBJECTS, 1025,
		  "the number of objects is from 0 to 1024, not 1025" },
		{ GOPROBE_OPTION_RING_BYTES, 1,
		  "the memory of a CPU is from 65536 to 67108864, not 1" },
		{ GOPROBE_OPTION_LOSSLESS, 2, "losslessness is from 0 to 1, not 2" },
		{ GOPROBE_OPTION_EVENTS, UINT64_MAX, NULL },
		{ GOPROBE_OPTION_PRETTY, 1, NULL },
		{ 0, 1, "there is no option 0" },
		{ GOPROBE_OPTION_MAX_LOAD, GOPROBE_LOAD_ANY, NULL },
		{ GOPROBE_OPTION_MAX_LOAD, 1000001, "the load is from 0 to 1000000, not 1000001" },
		{ GOPROBE_OPTION_SPLIT, 1, NULL },
		{ GOPROBE_OPTION_DRY_RUN, 2, "a dry run is from 0 to 1, not 2" },
		{ GOPROBE_OPTION_DRY_RUN + 1, 1, "there is no option 24" },
	};

	for (size_t i = 0; i < N(rows); i++) {
		int err = goprobe_trace_set(*state, rows[i].option, rows[i].value);

		assert_int_equal(err, rows[i].error ? -1 : 0);
		if (err)
			says(*state, rows[i].error);
	}
}

static void there_is_one_kind_of_target(void **state)
{
	static const char *const command[] = { "true", NULL }, *const nothing[] = { NULL };
	static const char excluded[] = "processes, a file and a command exclude each other";

	assert_int_equal(goprobe_trace_pid(*state, -1), -1);
	assert_int_equal(goprobe_trace_command(*state, nothing), -1);
	says(*state, "the command is empty");
	assert_int_equal(goprobe_trace_pid(*state, 1), 0);
	assert_int_equal(goprobe_trace_pid(*state, 2), 0);
	assert_int_equal(goprobe_trace_file(*state, "/bin/true"), -1);
	says(*state, excluded);
	assert_int_equal(goprobe_trace_command(*state, command), -1);
	says(*state, excluded);
}

static void events_go_one_way(void **state)
{
	assert_int_equal(goprobe_trace_output(*state, 3, NULL), -1);
	says(*state, "there is no format 3");
	assert_int_equal(goprobe_trace_record(*state, "x"), 0);
	assert_int_equal(goprobe_trace_output(*state, GOPROBE_FORMAT_JSON, NULL), -1);
	says(*state, "events go one way only: it has been said which");
}

static void a_spec_that_is_none_is_pointed_into(void **state)
{
	size_t at, len;
	const char *place;

	assert_int_equal(goprobe_trace_add(*state, "main.f(n)"), 0);
	assert_int_equal(goprobe_trace_add(*state, "main.f if"), -1);
	place = goprobe_trace_place(*state, &at, &len);
	assert_non_null(place);
	assert_string_equal(place, "main.f if");
	assert_true(at <= strlen(place));
}

static void what_is_missing_is_said(void **state)
{
	struct goprobe_counts n;

	memset(&n, 0xff, sizeof(n));
	goprobe_trace_counts(*state, &n, sizeof(n));
	assert_int_equal(n.events, 0);
	assert_int_equal(goprobe_trace_poll(*state, 0), -1);
	says(*state, "it is not being traced");
	assert_int_equal(goprobe_trace_plan(*state), -1);
	says(*state, "nothing to trace: no process, no file, no command");
	assert_int_equal(goprobe_trace_file(*state, "/nonexistent"), 0);
	assert_int_equal(goprobe_trace_plan(*state), -1);
	says(*state, "no spec: which functions?");
	assert_int_equal(goprobe_trace_add(*state, "main.f"), 0);
	assert_int_equal(goprobe_trace_start(*state), -1);
	assert_non_null(strstr(goprobe_trace_error(*state), "/nonexistent"));
	assert_int_equal(goprobe_trace_exit_status(*state), 0);
}

/* A caller that was compiled with a smaller struct. */
static void counts_are_no_larger_than_the_caller_says(void **state)
{
	uint64_t some[2] = { 7, 7 };

	goprobe_trace_counts(*state, (struct goprobe_counts *)some, sizeof(some[0]));
	assert_int_equal(some[0], 0);
	assert_int_equal(some[1], 7);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	static const struct CMUnitTest tests[] = {
		CASE(options_are_within_their_bounds),
		CASE(there_is_one_kind_of_target),
		CASE(events_go_one_way),
		CASE(a_spec_that_is_none_is_pointed_into),
		CASE(what_is_missing_is_said),
		CASE(counts_are_no_larger_than_the_caller_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
