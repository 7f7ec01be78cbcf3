// SPDX-License-Identifier: GPL-2.0
/* What is shown of a recording: patterns for functions that were traced. */
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "plan/select.h"
#include "rows.h"
#include "trace/sift.h"

/* What was traced. */
static const char *const traced[] = {
	"main.Ints", "main.Leaf", "main.(*Point).Pointer", "sync.(*Mutex).Unlock", "encoding/json.(*MarshalerError).Error",
};

static struct sift_row {
	const char *claim;
	const char *specs[3];
	const char *shown;	/* names, each with a blank behind it; NULL: an error */
	const char *message;	/* part of it */
	const char *hint;	/* part of it */
} rows[] = {
	{ "a name", { "main.Leaf" }, "main.Leaf " },
	{ "two names", { "main.Leaf", "main.Ints" }, "main.Ints main.Leaf " },
	{ "a glob, of what was traced alone", { "main.*" },
	  "main.Ints main.Leaf main.(*Point).Pointer " },
	{ "a regular expression", { "/L.af|Ints$/" }, "main.Ints main.Leaf " },
	{ "a name without brackets", { "main.Point.Pointer" }, "main.(*Point).Pointer " },
	{ "a method that the program has twice, and the recording once", { "Mutex.Unlock" },
	  "sync.(*Mutex).Unlock " },
	{ "the same by a pattern", { "Mutex.*" }, "sync.(*Mutex).Unlock " },
	{ "the last element of a package's path", { "json.MarshalerError.Error" },
	  "encoding/json.(*MarshalerError).Error " },
	{ "a typing error", { "main.Itns" }, NULL, "x.rec has nothing that matches 'main.Itns'",
	  "did you mean 'main.Ints'?" },
	{ "one of two", { "main.Ints", "main.Laef" }, NULL, "matches 'main.Laef'",
	  "did you mean 'main.Leaf'?" },
	{ "a function of the program that was not traced", { "main.Arrays" }, NULL,
	  "x.rec has nothing that matches 'main.Arrays'", "it has '" },
	{ "nothing near", { "nope.*" }, NULL, "matches 'nope.*'", "it has '" },
	{ "a line that was not traced", { "main.go:76" }, NULL, "matches 'main.go:76'", "it has" },
	{ "a list", { "main.Ints(a)" }, NULL, "'main.Ints(a)' has a list of values",
	  "give the pattern alone: 'main.Ints'" },
	{ "a change", { "main.Ints set a = 1" }, NULL, "those of a recording are over",
	  "give the pattern alone: 'main.Ints'" },
};

static void make_plan(struct plan *p, struct gobin *bin, struct arena *mem)
{
	struct spec *specs;
	struct buf skipped = { 0 };
	struct diag d = { 0 };

	assert_int_equal(select_specs_parse((char **)traced, N(traced), &specs, &d), 0);
	assert_int_equal(select_functions(p, &bin, 1, specs, N(traced), mem, &skipped, &d), 0);
	assert_int_equal(plan_finish(p, &d), 0);
	select_specs_free(specs, N(traced));
	buf_fini(&skipped);
}

static void check_shown(const struct sift_row *row, const struct sift *s, const struct plan *p)
{
	char names[4096] = "";

	for (size_t i = 0; i < p->nfuncs; i++)
		if (s->shown[i] && !strstr(names, p->funcs[i]->fn->name)) {
			strcat(names, p->funcs[i]->fn->name);
			strcat(names, " ");
		}
	assert_string_equal(names, row->shown);
}

ROWS(test_patterns, rows)
{
	const struct sift_row *row = *state;
	struct gobin *bin = bins_newest("");
	struct plan *p = plan_new(&plan_defaults);
	struct arena mem = { 0 };
	struct sift s = { 0 };
	struct diag d = { 0 };
	struct spec *specs;
	size_t n = 0;

	while (row->specs[n])
		n++;
	make_plan(p, bin, &mem);
	assert_int_equal(select_specs_parse((char **)row->specs, n, &specs, &d), 0);
	assert_int_equal(sift_init(&s, p, specs, n, "x.rec", &d), row->shown ? 0 : -1);
	if (row->shown) {
		check_shown(row, &s, p);
	} else {
		assert_non_null(strstr(d.message, row->message));
		assert_non_null(strstr(d.hint, row->hint));
	}
	diag_fini(&d);
	sift_fini(&s);
	select_specs_free(specs, n);
	plan_free(p);
	arena_fini(&mem);
	gobin_free(bin);
}

TEST(test_all, "without patterns all is shown")
{
	struct plan p = { .o = &plan_defaults };
	struct sift s = { 0 };
	struct diag d = { 0 };

	assert_int_equal(sift_init(&s, &p, NULL, 0, "x.rec", &d), 0);
	assert_null(s.shown);
	sift_fini(&s);
}
