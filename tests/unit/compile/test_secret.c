// SPDX-License-Identifier: GPL-2.0
/* Redacted names in lists, conditions, keys and edits that are compiled against a real program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/edit.h"
#include "compile/expr.h"
#include "compile/group_by.h"
#include "compile/sig_parse.h"
#include "conds.h"
#include "eval/watchvar.h"
#include "lang/spec.h"
#include "rows.h"

static struct secret_list secrets;
static const struct secret_list off = { .off = true };

/* The scope of the function that @s names, with its signature. */
static struct expr_scope scope_of(const struct spec *s, const struct secret_list *redacted)
{
	struct expr_scope scope = { .bin = newest, .mem = &mem, .secrets = redacted };
	struct sigparse types = { .bin = newest, .mem = &mem, .text = s->text };
	struct diag d = { 0 };

	scope.fn = bins_func(newest, s->pattern);
	assert_non_null(scope.fn);
	scope.sig = s->sig ? sigparse_sig(&types, s->sig, scope.fn, &d) :
			     gobin_sig(newest, scope.fn);
	assert_non_null(scope.sig);
	return scope;
}

/* --- lists ------------------------------------------------------------------------------ */

/* "name" has been added to what is redacted, and "left". */
static struct list_row {
	const char *claim, *text, *redacted;	/* of each value: y or n */
} lists[] = {
	{ "a parameter", "main.Strings(password string, b []byte, n string): (password, n)", "yn" },
	{ "a number that is no secret", "main.Ints(token int, b int8): (token, b)", "nn" },
	{ "a number that is", "main.Ints(cardNumber int, b int8): (cardNumber, b)", "yn" },
	{ "a part of a parameter", "main.Strings(password string): (password[0])", "y" },
	{ "a length", "main.Strings(password string, b []byte): (len(password), cap(b))", "nn" },
	{ "the length of one, and another", "main.Strings(p string, token []byte): (len(p), token)",
	  "ny" },
	{ "what is made of it", "main.Ints(cvv int, b int8): (cvv + 1, b + 1)", "yn" },
	{ "how it compares", "main.Ints(cvv int, b int8): (cvv > 5, b > 5)", "yn" },
	{ "a field", "main.Structs(i.Name, i.ID)", "yn" },
	{ "a promoted field", "main.Structs(i.ID)", "n" },
	{ "a value with such a field", "main.Structs(i)", "n" },
	{ "a field of an element", "main.Slices(a[1].Name, a[1].ID)", "yn" },
	{ "what is behind a field", "main.Refs(t.Left.Value, t.Right.Value)", "yn" },
	{ "a length behind a field", "main.Refs(len(t.Left.Kids))", "n" },
	{ "an entry", "main.Refs(m[\"cvv\"], m[\"a\"])", "yn" },
	{ "entries with numbers", "main.Refs(m[\"password\"], m[\"passwordCount\"])", "yn" },
	{ "a field of a dynamic type", "main.Interfaces(any.password, any.a)", "yn" },
	{ "an entry of a dynamic type", "main.Interfaces(any[\"password\"], any[\"a\"])", "yn" },
	{ "an asserted type", "main.Interfaces(any.(main.Named), any.(main.Kind))", "yn" },
	{ "a label", "main.Leaf(label(\"token\"), label(\"tenant\"))", "yn" },
	{ "a register", "main.Strings($rax)", "n" },
};

static void compile_list(const char *text, const struct secret_list *redacted,
			 struct plan_capture *c)
{
	struct diag d = { 0 };
	struct expr_scope scope;
	struct spec s;

	if (spec_parse(text, &s, &d))
		fail_msg("%s: %s", text, d.message);
	scope = scope_of(&s, redacted);
	if (expr_compile(&scope, s.call, c, &d))
		fail_msg("%s: %s", text, d.message);
	spec_fini(&s);
}

ROWS(test_list, lists)
{
	const struct list_row *row = *state;
	struct plan_capture c;

	compile_list(row->text, &secrets, &c);
	assert_int_equal(c.nvalues, strlen(row->redacted));
	for (size_t i = 0; i < c.nvalues; i++) {
		bool is = c.values[i].unavailable == secret_why;

		assert_int_equal(is, row->redacted[i] == 'y');
		assert_true(is || !c.values[i].unavailable);
		/* It has no program. */
		for (size_t k = 0; is && k < c.nops; k++)
			assert_true(c.ops[k].code != GOPROBE_OP_TRY || c.ops[k].value != i);
	}
	compile_list(row->text, &off, &c);
	for (size_t i = 0; i < c.nvalues; i++)
		assert_null(c.values[i].unavailable);
}

/* --- conditions and keys ------------------------------------------------------------------ */

TEST(test_condition, "a condition can test what is redacted")
{
	static const char text[] =
		"main.Strings(password string) if password == \"a\" && len(password) > 0";
	struct filter_pair with, without;
	struct diag d = { 0 };
	struct expr_scope scope;
	struct spec s;

	assert_int_equal(spec_parse(text, &s, &d), 0);
	scope = scope_of(&s, NULL);
	assert_int_equal(cond_compile(&scope, s.text, s.cond, &with, &d), 0);
	scope.secrets = &off;
	assert_int_equal(cond_compile(&scope, s.text, s.cond, &without, &d), 0);
	assert_int_equal(with.call.nops, without.call.nops);
	assert_memory_equal(with.call.ops, without.call.ops,
			    with.call.nops * sizeof(*with.call.ops));
	spec_fini(&s);
}

static struct key_row {
	const char *claim, *function, *expr;
	bool refused, value;	/* of --by, or of --hist */
} keys[] = {
	{ "a parameter", "main.Strings(password string)", "password", true },
	{ "a part of it", "main.Strings(password string)", "password[0]", true },
	{ "a comparison", "main.Strings(password string)", "hasPrefix(password, \"a\")", true },
	{ "a sum", "main.Ints(cvv int)", "cvv / 100", true },
	{ "a length", "main.Strings(password string)", "len(password)", false },
	{ "another parameter", "main.Strings(password string, b []byte, n string)", "n", false },
	{ "a field", "main.Refs", "t.Left.Value", true },
	{ "another field", "main.Refs", "t.Right.Value", false },
	{ "a label", "main.Leaf", "label(\"token\")", true },
	{ "another label", "main.Leaf", "label(\"tenant\")", false },
	{ "a value", "main.Ints(cvv int)", "cvv", true, true },
	{ "another value", "main.Ints(a int)", "a", false, true },
	{ "the value of a length", "main.Strings(password string)", "len(password)", false, true },
};

static int compile_key(const struct key_row *row, const struct secret_list *redacted,
		       struct diag *d)
{
	struct group_by_exprs by = { 0 };
	struct expr_scope scope;
	struct group_by key;
	struct spec s;
	int err;

	assert_int_equal(spec_parse_signature(row->function, &s, d), 0);
	scope = scope_of(&s, redacted);
	assert_int_equal((row->value ? group_by_parse_value : group_by_parse)(&by, row->expr, d),
			 0);
	err = group_by_compile(&scope, &by, &key, d);
	group_by_fini(&by);
	spec_fini(&s);
	return err;
}

ROWS(test_key, keys)
{
	const struct key_row *row = *state;
	struct diag d = { 0 };

	assert_int_equal(compile_key(row, &secrets, &d), row->refused ? -1 : 0);
	if (row->refused) {
		assert_non_null(strstr(d.message, "is redacted, so it can't be a key"));
		assert_non_null(strstr(d.hint, "--no-redact"));
		assert_non_null(strstr(d.message, row->expr));
	}
	diag_fini(&d);
	assert_int_equal(compile_key(row, &off, &d), 0);
}

/* --- edits, and variables ------------------------------------------------------------------- */

static struct edit_row {
	const char *claim, *text;
	bool redacted;
} edits[] = {
	{ "a parameter", "main.Ints(cvv int, b int8) set cvv = 5", true },
	{ "a parameter by a redacted one", "main.Ints(a int, cvv int) set a = cvv", true },
	{ "another parameter", "main.Ints(a int, cvv int) set a = 5", false },
	{ "a field", "main.Refs set t.Left.Value = 7", true },
};

ROWS(test_edit, edits)
{
	const struct edit_row *row = *state;
	struct diag d = { 0 };
	struct edit_pair edit;
	struct spec s;

	assert_int_equal(spec_parse(row->text, &s, &d), 0);
	for (int i = 0; i < 2; i++) {
		struct expr_scope scope = scope_of(&s, i ? &off : &secrets);

		if (edit_compile(&scope, s.text, s.edit, NULL, &edit, &d))
			fail_msg("%s", d.message);
		/* What was, and what is, of the only change. */
		assert_int_equal(edit.call.show.nvalues, 2);
		assert_true(edit.call.nops > 0);
		assert_int_equal(edit.call.show.values[1].unavailable == secret_why,
				 row->redacted && !i);
	}
	spec_fini(&s);
}

TEST(test_variable, "a variable is redacted by its name")
{
	struct expr_scope scope = { .bin = newest, .mem = &mem };
	struct watchvar typed = { .text = "main.on bool" }, found = { .text = "main.on" };
	struct secret_list own = { 0 };
	struct diag d = { 0 };

	assert_int_equal(secret_list_add(&own, "on", &d), 0);
	for (int i = 0; i < 2; i++) {
		scope.secrets = i ? &own : NULL;
		if (watchvar_compile(&typed, &scope, &d) || watchvar_compile(&found, &scope, &d))
			fail_msg("%s", d.message);
		assert_ptr_equal(typed.c.values[0].unavailable, i ? secret_why : NULL);
		assert_ptr_equal(found.c.values[0].unavailable, i ? secret_why : NULL);
	}
	secret_list_fini(&own);
}

static int open_all(void **state)
{
	struct diag d = { 0 };

	return conds_open(state) || secret_list_add(&secrets, "name,left,named", &d);
}

static int close_all(void **state)
{
	secret_list_fini(&secrets);
	return conds_close(state);
}

AROUND_ALL(open_all, close_all)
