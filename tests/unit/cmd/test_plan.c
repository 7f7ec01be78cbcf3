// SPDX-License-Identifier: GPL-2.0
/* What "goprobectl plan" reads and writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "bins.h"
#include "cmd/cmd.h"
#include "rows.h"

/* goprobectl plan, with what @in has on standard input. Ends @in. */
static int plan(FILE *in, const char *output, struct diag *d)
{
	static char words[5][16] = { "plan", "-b", "--output", "--learned", "main.main" };
	struct bins_each e = BINS("shapes", "");
	char *argv[8] = { words[0], words[1], NULL, words[2], (char *)(uintptr_t)output, words[3],
			  words[4] };
	FILE *before = stdin;
	int code;

	assert_true(bins_next_path(&e));
	argv[2] = (char *)(uintptr_t)e.path;
	rewind(in);
	stdin = in;
	code = cmd_plan.run(N(argv) - 1, argv, d);
	stdin = before;
	fclose(in);
	return code;
}

static void lines_are_numbers_in_their_bounds(void **state)
{
	static const char none[] =
		"standard input has no FILE, 'type' or 'func', ADDRESS and LEVEL in a line: ";
	/* With an error of their own, or @none and the line. */
	static const struct {
		const char *in;
		const char *error;
		bool is_none;
	} rows[] = {
		{ "0 type 1000 2\n0 func 0x1000 1 \r\n\n", NULL },
		{ "0 type ffffffffffffffff 256\n", NULL },
		{ "", NULL },
		{ "1 type 1000 2\n", "no type can be learned of file 1 at level 2" },
		{ "4294967296 type 1000 2\n", NULL, true },
		{ "0 type 10000000000000000 2\n", NULL, true },
		{ "0 type 1000 4294967297\n", NULL, true },
		{ "-0 type 1000 2\n", NULL, true },
		{ "0 type -1 2\n", NULL, true },
		{ "0 types 1000 2\n", NULL, true },
		{ "0 type 1000\n", NULL, true },
		{ "0 type 1000 2 3\n", NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < N(rows); i++) {
		struct diag d = { 0 };
		FILE *in = tmpfile();
		int code;

		assert_non_null(in);
		fputs(rows[i].in, in);
		code = plan(in, "/dev/null", &d);
		assert_int_equal(code, rows[i].error || rows[i].is_none ? CMD_FAILED : CMD_DONE);
		if (rows[i].error)
			assert_string_equal(d.message, rows[i].error);
		if (rows[i].is_none) {
			assert_memory_equal(d.message, none, sizeof(none) - 1);
			assert_memory_equal(d.message + sizeof(none) - 1, rows[i].in,
					    strlen(rows[i].in) - 1);
		}
		diag_fini(&d);
	}
}

static void any_number_may_go_together(void **state)
{
	struct diag d = { 0 };
	FILE *in = tmpfile();

	(void)state;
	assert_non_null(in);
	for (int i = 0; i < 5000; i++)
		fprintf(in, "0 type %x 1\n", 0x1000 + i);
	assert_int_equal(plan(in, "/dev/null", &d), CMD_DONE);
	diag_fini(&d);
}

static void what_can_not_be_read_is_said(void **state)
{
	struct diag d = { 0 };
	FILE *in = fopen("/", "r");

	(void)state;
	assert_non_null(in);
	assert_int_equal(plan(in, "/dev/null", &d), CMD_FAILED);
	assert_string_equal(d.message, "can't read standard input: Is a directory");
	diag_fini(&d);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_numbers_in_their_bounds),
		cmocka_unit_test(any_number_may_go_together),
		cmocka_unit_test(what_can_not_be_read_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
