// SPDX-License-Identifier: GPL-2.0
/* Package variables that patterns and words find in real programs. */
#include "rows.h"

#include <string.h>

#include "bins.h"
#include "plan/variables.h"

static struct row {
	const char *claim;
	const char *form;	/* of the program */
	const char *pattern;	/* what is to match, or NULL: @words */
	char *words[3];
	const char *has;	/* a variable that is found */
	const char *lacks;	/* and one that is not */
	size_t most;		/* variables, or 0: any number */
} rows[] = {
	{ "a name is that variable", "", "main.sink", { 0 }, "main.sink", "main.on", 1 },
	{ "a glob is all of a package", "", "main.*", { 0 }, "main.sink", "os.Args" },
	{ "a name with the last element of its package", "", "poll.ErrFileClosing", { 0 },
	  "internal/poll.ErrFileClosing", "os.Args", 1 },
	{ "a glob with it", "", "poll.Err*", { 0 }, "internal/poll.ErrNoDeadline",
	  "internal/poll.TestHookDidWritev" },
	{ "a regular expression with it", "", "/^poll\\.ErrN/", { 0 },
	  "internal/poll.ErrNoDeadline", "internal/poll.ErrFileClosing" },
	{ "symbols have them, too", "-symbols", "poll.ErrFileClosing", { 0 },
	  "internal/poll.ErrFileClosing", "os.Args", 1 },
	{ "a word is a part of a name, in any case", "", NULL, { "filecl" },
	  "internal/poll.ErrFileClosing", "internal/poll.ErrNoDeadline" },
	{ "all words must match", "", NULL, { "poll", "closing" }, "internal/poll.ErrFileClosing",
	  "internal/poll.ErrNoDeadline" },
	{ "a word with the short name of a package", "", NULL, { "poll.err" },
	  "internal/poll.ErrFileClosing", "main.sink" },
};

static const struct variables_found *find(const struct variables *vars, const char *name)
{
	for (size_t i = 0; i < vars->n; i++)
		if (!strcmp(vars->v[i].name, name))
			return &vars->v[i];
	return NULL;
}

static int run(const struct row *row, struct gobin *bin, struct variables *vars)
{
	struct diag d = { 0 };
	struct spec spec;
	size_t n = 0;
	int err;

	while (n < N(row->words) && row->words[n])
		n++;
	if (!row->pattern)
		return variables_search(vars, &bin, 1, row->words, n);
	assert_int_equal(spec_parse_pattern(row->pattern, &spec, &d), 0);
	err = variables_match(vars, &bin, 1, &spec);
	spec_fini(&spec);
	return err;
}

ROWS(test_row, rows)
{
	const struct row *row = *state;
	struct bins_each b = BINS("shapes", row->form);
	size_t seen = 0;

	for (; bins_next(&b); seen++) {
		struct variables vars = { 0 };
		const struct variables_found *found;

		assert_int_equal(run(row, b.bin, &vars), 0);
		variables_sort(&vars);
		found = find(&vars, row->has);
		if (!found)
			fail_msg("%s: no %s", b.path, row->has);
		assert_true(found->v.vaddr && found->v.size);
		/* The types are in debug information. */
		assert_int_equal(!found->v.type, row->form[0] != 0);
		assert_null(find(&vars, row->lacks));
		if (row->most)
			assert_in_range(vars.n, 1, row->most);
		variables_fini(&vars);
	}
	assert_true(seen);
}

/* Of a function's package and of the variable's the same is said. */
TEST(a_search_knows_whose_a_variable_is)
{
	struct gobin *bin = bins_newest("");
	struct variables vars = { 0 };

	assert_int_equal(variables_search(&vars, &bin, 1, (char *[]){ "args" }, 1), 0);
	assert_int_equal(variables_search(&vars, &bin, 1, (char *[]){ "sink" }, 1), 0);
	assert_int_equal(find(&vars, "os.Args")->owner, SEARCH_STD);
	assert_int_equal(find(&vars, "main.sink")->owner, SEARCH_OWN);
	variables_fini(&vars);
	gobin_free(bin);
}
