// SPDX-License-Identifier: GPL-2.0
/* Conditions of functions that tests name in the text itself. */
#include "bins.h"
#include "compile/sig_parse.h"
#include "conds.h"
#include "lang/spec.h"
#include "rows.h"

struct gobin *newest, *oldest, *stripped, *row_bin;
struct arena mem;

int conds_open(void **state)
{
	struct bins_entry v[BINS_MAX];

	(void)state;
	bins_list("", v);
	oldest = v[0].minor < 17 ? bins_open(v[0].path) : NULL;
	newest = bins_newest("");
	stripped = bins_newest("-stripped");
	row_bin = newest;
	return 0;
}

int conds_close(void **state)
{
	(void)state;
	gobin_free(newest);
	gobin_free(oldest);
	gobin_free(stripped);
	arena_fini(&mem);
	return 0;
}

int conds_compile(struct gobin *bin, const char *text, struct arena *mem,
		  struct filter_pair *ret, struct diag *d)
{
	struct expr_scope scope = { .bin = bin, .mem = mem };
	struct sigparse types = { .bin = bin, .mem = mem };
	struct spec s;
	int err;

	if (spec_parse(text, &s, d))
		return -1;
	scope.fn = bins_func(bin, s.pattern);
	if (!scope.fn)
		fail_msg("no function %s", s.pattern);
	scope.abi0 = scope.fn->flags & GOFUNC_ABI0;
	scope.sig = gobin_sig(bin, scope.fn);
	types.text = s.text;
	if (s.sig)
		scope.sig = sigparse_sig(&types, s.sig, scope.fn, d);
	err = scope.sig ? cond_compile(&scope, s.text, s.cond, ret, d) : -1;
	/* The text is not needed any more, except by messages about "under". */
	spec_fini(&s);
	return err;
}
