// SPDX-License-Identifier: GPL-2.0
/* Meaning of a spec that ends in "()", with and without known signatures. */
#include <string.h>

#include "bins.h"
#include "plan/request.h"
#include "rows.h"

static const struct row {
	const char *claim, *text;
	bool sig;		/* a signature ... */
	bool call, ret;		/* ... or lists */
	bool known;		/* in a program with signatures */
} rows[] = {
	{ "() is a signature if the program has none", "main.Nothing()", true },
	{ "() is a list if the function takes something", "main.Ints()", false, true },
	{ "()() are lists", "main.Nothing()()", false, true, true },
	{ "() is a list if the pattern has wildcards", "main.Nothin*()", false, true },
	{ "() is a list where the signature is known", "main.Nothing()", false, true, false, true },
};

static void check(const struct row *row, struct gobin *bin)
{
	static const struct plan plain = { .o = &plan_defaults };
	struct arena mem = { 0 };
	struct buf warnings = { 0 };
	struct plan_request req;
	struct diag d = { 0 };
	struct spec s;
	const struct gofunc *fn = bins_func(bin, strstr(row->text, "Ints") ? "main.Ints" :
					    "main.Nothing");

	assert_non_null(fn);
	assert_int_equal(spec_parse(row->text, &s, &d), 0);
	assert_int_equal(request_make(&s, &plain, bin, fn, &mem, &req, &warnings, &d), 0);
	assert_int_equal(!!req.sig, row->sig);
	if (row->sig)
		assert_int_equal(req.sig->nparams, 0);
	assert_int_equal(!!req.call, row->call);
	assert_int_equal(!!req.ret, row->ret);
	assert_int_equal(warnings.len, 0);
	spec_fini(&s);
	buf_fini(&warnings);
	arena_fini(&mem);
}

ROWS(test_row, rows)
{
	const struct row *row = *state;
	struct bins_each b = BINS("shapes", row->known ? "" : "-stripped");

	while (bins_next(&b))
		check(row, b.bin);
}
