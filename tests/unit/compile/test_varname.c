// SPDX-License-Identifier: GPL-2.0
/* Messages about variables that do not exist, or cannot be found. */
#include "rows.h"

#include <string.h>

#include "bins.h"
#include "compile/varname.h"

static struct row {
	const char *claim, *form, *name, *message, *hint;
} rows[] = {
	{ "where there is no symbol table that is the reason", "-stripped", "main.on",
	  "it is not known where 'main.on' is: ", "a build without -ldflags=-s has one" },
	{ "with a symbol table a name can be near", "-symbols", "main.sinc",
	  "no package variable is called 'main.sinc'", "did you mean 'main.sink'?" },
	{ "with debug information, too", "", "main.sinc",
	  "no package variable is called 'main.sinc'", "did you mean 'main.sink'?" },
};

static void test_unknown(void **state)
{
	const struct row *row = *state;
	struct bins_each b = BINS("shapes", row->form);

	while (bins_next(&b)) {
		struct diag d = { 0 };

		assert_int_equal(varname_unknown(b.bin, row->name, &d), -1);
		assert_memory_equal(d.message, row->message, strlen(row->message));
		assert_non_null(d.hint);
		assert_string_equal(d.hint, row->hint);
		diag_fini(&d);
	}
}

int main(void)
{
	struct CMUnitTest tests[N(rows)];

	ROWS(tests, rows, test_unknown);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
