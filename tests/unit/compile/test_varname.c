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
	{ "a part of a name in that package", "", "poll.FileClos",
	  "no package variable is called 'poll.FileClos'",
	  "did you mean 'internal/poll.ErrFileClosing'?" },
	{ "the name in another package", "", "fs.ErrFileClosing",
	  "no package variable is called 'fs.ErrFileClosing'",
	  "did you mean 'internal/poll.ErrFileClosing'?" },
};

ROWS(test_unknown, rows)
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

/* Nothing is near: what finds it. */
TEST(a_search_is_proposed)
{
	struct gobin *bin = bins_newest("");
	struct diag d = { 0 };

	assert_int_equal(varname_unknown(bin, "main.nothingOfThisName", &d), -1);
	assert_non_null(strstr(d.hint, " --vars nothingOfThisName' finds package variables"));
	diag_fini(&d);
	gobin_free(bin);
}

static struct called {
	const char *claim, *name;
	int found;
} calls[] = {
	{ "a whole name", "internal/poll.ErrFileClosing", 1 },
	{ "the last element of its package", "poll.ErrFileClosing", 1 },
	{ "half of it", "oll.ErrFileClosing", 0 },
	{ "no package", "ErrFileClosing", 0 },
};

ROWS(test_call, calls)
{
	const struct called *row = *state;
	struct gobin *bin = bins_newest("");
	struct gobin_variable v;
	struct diag d = { 0 };

	assert_int_equal(varname_find(bin, row->name, &v, &d), row->found);
	gobin_free(bin);
}
