// SPDX-License-Identifier: GPL-2.0
/* Precedence of specs that match the same function or place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "plan/plan.h"
#include "plan/select.h"
#include "rows.h"

/* "main.Leaf(a) filtered; ", or the error; and what to do. */
static struct row {
	const char *claim;
	const char *specs[4];
	const char *want;
	const char *hint;
	bool inlined;
} cases[] = {
	{ "a name", { "main.Leaf" }, "main.Leaf(a b); " },
	{ "twice the same is once", { "main.Leaf(a) if a > 5", "main.Leaf (a) if a>5" },
	  "main.Leaf(a) filtered; " },
	{ "also by a pattern", { "main.Lea?(a)", "/Leaf/(a)" }, "main.Leaf(a); " },
	{ "who asks for something counts more than who does not", { "main.Leaf", "main.Leaf(b)" },
	  "main.Leaf(b); " },
	{ "among patterns as well", { "main.Lea*(b)", "/^main.Leaf$/" }, "main.Leaf(b); " },
	{ "a name counts more than a pattern", { "main.Lea*(b) if a > 5", "main.Leaf(a)" },
	  "main.Leaf(a); " },
	{ "also if it asks for nothing", { "main.Lea*(b) if a > 5", "main.Leaf" },
	  "main.Leaf(a b); " },
	{ "what a pattern finds otherwise is as it wants it", { "/^main.(Leaf|Deep)$/(n)", "main.*af",
	},
	  "main.Leaf(a b); main.Deep(n); " },
	{ "of two patterns only one may have what the function lacks",
	  { "/^main.(Leaf|Deep)$/(n)", "/^main.(Leaf|Deep)$/(b)" }, "main.Leaf(b); main.Deep(n); ",
	},
	{ "two conditions", { "main.Leaf if a > 5", "main.Leaf if b < 2" },
	  "'main.Leaf if a > 5' and 'main.Leaf if b < 2' both mean main.Leaf, and want different things of it",
	  "write one: 'main.Leaf if (a > 5) || (b < 2)'" },
	{ "of the same list", { "main.Leaf(a)() if a > 5 || b > 1", "main.Leaf (a) () if b < 2" },
	  "'main.Leaf(a)() if a > 5 || b > 1' and 'main.Leaf (a) () if b < 2' both mean main.Leaf, and want different things of it",
	  "write one: 'main.Leaf(a)() if (a > 5 || b > 1) || (b < 2)'" },
	{ "two lists", { "main.Leaf(a)", "main.Leaf(b)" },
	  "'main.Leaf(a)' and 'main.Leaf(b)' both mean main.Leaf, and want different things of it",
	  "write one that says what is shown, 'if' and 'set'; or leave one out" },
	{ "a list and a condition", { "main.Leaf(a)", "main.Leaf if a > 5" },
	  "'main.Leaf(a)' and 'main.Leaf if a > 5' both mean main.Leaf, and want different things of it",
	  "write one that says what is shown, 'if' and 'set'; or leave one out" },
	{ "a condition and none, of the same list", { "main.Leaf(a)", "main.Leaf(a) if a > 5" },
	  "'main.Leaf(a)' and 'main.Leaf(a) if a > 5' both mean main.Leaf, and want different things of it",
	  "write one that says what is shown, 'if' and 'set'; or leave one out" },
	{ "two changes", { "main.Leaf set a = 5", "main.Leaf delay 5ms" },
	  "'main.Leaf set a = 5' and 'main.Leaf delay 5ms' both mean main.Leaf, and want different things of it",
	  "write one that says what is shown, 'if' and 'set'; or leave one out" },
	{ "two changes with conditions", { "main.Leaf set a = 5 if b > 1", "main.Leaf set a = 5 if b < 1",
	},
	  "'main.Leaf set a = 5 if b > 1' and 'main.Leaf set a = 5 if b < 1' both mean main.Leaf, and want different things of it",
	  "write one that says what is shown, 'if' and 'set'; or leave one out" },
	{ "conditions of patterns", { "main.L*f if a > 5", "main.Le* if b < 2" },
	  "'main.L*f if a > 5' and 'main.Le* if b < 2' both mean main.Leaf, and want different things of it",
	  "what names it alone counts more; add 'main.Leaf if (a > 5) || (b < 2)'" },
	{ "which that settles", { "main.L*f if a > 5", "main.Le* if b < 2",
	  "main.Leaf if (a > 5) || (b < 2)" }, "main.Leaf(a b) filtered; " },
	{ "lists of patterns", { "main.L*f(a)", "main.Le*(b)" },
	  "'main.L*f(a)' and 'main.Le*(b)' both mean main.Leaf, and want different things of it",
	  "what names it alone counts more; add a spec for main.Leaf" },
	{ "who is named must have all that is asked for", { "main.Leaf(a)", "main.Leaf(nosuch)" },
	  "main.Leaf has no parameter 'nosuch'", "it takes a, b" },
	{ "whichever comes first", { "main.Leaf(nosuch)", "main.Leaf(a)" },
	  "main.Leaf has no parameter 'nosuch'", "it takes a, b" },
	{ "a place twice", { "main.Leaf+0()", "main.Leaf+0x0 ()" }, "main.Leaf(); " },
	{ "a place that is wanted otherwise", { "main.Leaf+0", "main.Leaf+0()" }, "main.Leaf(); " },
	{ "a place with two conditions", { "main.Leaf+0 if goid > 5", "main.Leaf+0() if goid < 5" },
	  "'main.Leaf+0 if goid > 5' and 'main.Leaf+0() if goid < 5' both mean main.Leaf+0x0, and want different things of it",
	  "write one that says what is shown, 'if' and 'set'; or leave one out" },
	{ "a place where a function was inlined, for it and by a pattern",
	  { "main.inlin* if goid > 5", "main.inlined if goid < 5" }, "main.CallsInlined(*) filtered; ",
	  .inlined = true },
	{ "a place where a function was inlined, and two patterns",
	  { "main.inlin* if goid > 5", "/main.inlined$/ if goid < 5" },
	  "'main.inlin* if goid > 5' and '/main.inlined$/ if goid < 5' both mean main.CallsInlined+*, and want different things of it",
	  "what names it alone counts more; add 'main.CallsInlined+* if (goid > 5) || (goid < 5)'",
	  true },
};

static void show(FILE *f, const struct plan *p)
{
	for (size_t i = 0; i < p->nfuncs; i++) {
		const struct plan_func *pf = p->funcs[i];

		fprintf(f, "%s(", pf->fn->name);
		for (size_t k = 0; k < pf->call.nvalues; k++)
			fprintf(f, "%s%s", k ? " " : "", pf->call.values[k].name);
		fprintf(f, ")%s; ", pf->call_filter ? " filtered" : "");
	}
}

static int make(struct gobin *bin, const struct row *row, struct plan **p, struct arena *mem,
		struct diag *d)
{
	struct plan_options opt = plan_defaults;
	struct buf skipped = { 0 };
	struct spec *specs;
	size_t n = 0;
	int err;

	while (n < N(row->specs) && row->specs[n])
		n++;
	assert_int_equal(select_specs_parse((char **)(uintptr_t)row->specs, n, &specs, d), 0);
	opt.inlined = row->inlined;
	*p = plan_new(&opt);
	assert_non_null(*p);
	err = select_functions(*p, &bin, 1, specs, n, mem, &skipped, d) || plan_finish(*p, d);
	select_specs_free(specs, n);
	buf_fini(&skipped);
	return err;
}

/* A '*' in @want is anything up to the next thing that is as it should be. */
static bool matches(const char *got, const char *want)
{
	if (*want != '*')
		return *got == *want && (!*got || matches(got + 1, want + 1));
	for (; ; got++) {
		if (matches(got, want + 1))
			return true;
		if (!*got)
			return false;
	}
}

ROWS(test_row, cases)
{
	const struct row *row = *state;
	struct gobin *bin = bins_newest("");
	struct arena mem = { 0 };
	struct diag d = { 0 };
	struct plan *p = NULL;
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (make(bin, row, &p, &mem, &d))
		fputs(d.message, f);
	else
		show(f, p);
	fclose(f);
	if (!matches(text, row->want))
		assert_string_equal(text, row->want);
	assert_int_equal(!d.hint, !row->hint);
	if (d.hint && !matches(d.hint, row->hint))
		assert_string_equal(d.hint, row->hint);
	free(text);
	diag_fini(&d);
	plan_free(p);
	arena_fini(&mem);
	gobin_free(bin);
}
