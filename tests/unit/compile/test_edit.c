// SPDX-License-Identifier: GPL-2.0
/*
 * What is to be changed, compiled against real programs, held against the module's rules,
 * and run on registers and memory that the rows give: by the module, and to be shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/edit.h"
#include "compile/sig_parse.h"
#include "conds.h"
#include "lang/spec.h"
#include "machine.h"
#include "rows.h"

static int compile(struct gobin *bin, const char *text, struct edit_pair *ret, struct diag *d)
{
	struct expr_scope scope = { .bin = bin, .mem = &mem };
	struct sigparse types = { .bin = bin, .mem = &mem };
	struct filter_pair filter = { .returns = false };
	struct spec s;
	int err;

	if (spec_parse(text, &s, d))
		return -1;
	assert_true(spec_edits(&s));
	scope.fn = bins_func(bin, s.pattern);
	if (!scope.fn)
		fail_msg("no function %s", s.pattern);
	scope.abi0 = scope.fn->flags & GOFUNC_ABI0;
	scope.sig = gobin_sig(bin, scope.fn);
	types.text = s.text;
	if (s.sig)
		scope.sig = sigparse_sig(&types, s.sig, scope.fn, d);
	err = scope.sig ? 0 : -1;
	if (!err && s.cond)
		err = cond_compile(&scope, s.text, s.cond, &filter, d);
	if (!err)
		err = edit_compile(&scope, s.text, s.edit, s.cond ? &filter : NULL, ret, d);
	/* The text is not needed any more. */
	spec_fini(&s);
	return err;
}

/* --- what is set ---------------------------------------- */

static const char *const regs[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp", "r8", "r9", "r10", "r11", "r12",
};

static void put_edit(FILE *f, const struct machine_edit *e)
{
	uint64_t value = e->size && e->size < 8 ? e->value & ((1ULL << 8 * e->size) - 1) : e->value;

	switch (e->code) {
	case GOPROBE_OP_SET:
		assert_true(e->to < N(regs));
		fprintf(f, "%s=%lx", regs[e->to], value);
		return;
	case GOPROBE_OP_SET_FLOAT:
		fprintf(f, "x%lu=%lx/%u", e->to - 17, value, e->size);
		return;
	default:
		fprintf(f, "@%lx=%lx/%u", e->to, value, e->size);
	}
}

/* The words of a value in the frame. */
static void put_value(FILE *f, const struct machine *m, const struct plan_value *v, size_t i)
{
	if (v->unavailable || m->failed[i]) {
		fprintf(f, "%s", v->unavailable ? "-" : "?");
		if (!v->unavailable)
			fprintf(f, "%d", m->failed[i]);
		return;
	}
	for (uint64_t at = 0; at < v->type->size; at += 8) {
		uint64_t word = 0;
		size_t n = v->type->size - at < 8 ? v->type->size - at : 8;

		memcpy(&word, m->frame + v->offset + at, n);
		fprintf(f, "%s%lx", at ? "," : "", word);
	}
}

/* "bx=5 | 1>5": what the module does, and what is shown of it. */
static void put_side(FILE *f, const char *setup, const struct edit *e)
{
	struct machine *m = calloc(1, sizeof(*m));

	machine_set(m, setup);
	if (machine_filter(m, e->ops, e->nops) != MACHINE_PASSES) {
		fputs("?", f);
	} else {
		for (size_t i = 0; i < m->nedits; i++) {
			fputs(i ? " " : "", f);
			put_edit(f, &m->edits[i]);
		}
		if (m->delay)
			fprintf(f, "%sdelay %lu", m->nedits ? " " : "", m->delay);
	}
	machine_set(m, setup);
	machine_run(m, &e->show);
	for (size_t i = 0; i < e->nsets; i++) {
		fputs(i ? "; " : " | ", f);
		put_value(f, m, &e->show.values[e->sets[i].was], e->sets[i].was);
		fputs(">", f);
		put_value(f, m, &e->show.values[e->sets[i].is], e->sets[i].is);
	}
	free(m);
}

static struct set_row {
	const char *claim, *text, *setup, *shown;
} sets[] = {
	{ "a number", "main.Ints set a = 5", "ax=1", "ax=5 | 1>5" },
	{ "a negative number", "main.Ints set b = -2", "bx=1", "bx=fffffffffffffffe | 1>fe" },
	{ "the least and the greatest", "main.Ints set b = -128, c = 65535", "bx=1 cx=2",
	  "bx=ffffffffffffff80 cx=ffff | 1>80; 2>ffff" },
	{ "a rune", "main.Ints set d = 'x'", "di=1", "di=78 | 1>78" },
	{ "true", "main.Ints set g = true", "r9=0", "r9=1 | 0>1" },
	{ "not", "main.Ints set g = !g", "r9=5501", "r9=0 | 1>0" },
	{ "a comparison", "main.Ints set g = a > 5", "ax=6 r9=0", "r9=1 | 0>1" },
	{ "a sum", "main.Ints set a = a * 2 + 1", "ax=5", "ax=b | 5>b" },
	{ "a sum that wraps", "main.Ints set c = c + 1", "cx=5ffff", "cx=0 | ffff>0" },
	{ "a difference of a byte", "main.Ints set b = b - 1", "bx=80", "bx=7f | 80>7f" },
	{ "another parameter", "main.Leaf set a = b", "ax=1 bx=2", "ax=2 | 1>2" },
	{ "two that change places", "main.Leaf set a = b, b = a", "ax=1 bx=2",
	  "ax=2 bx=1 | 1>2; 2>1" },
	{ "a division by nothing", "main.Leaf set a = 1 / b, b = 5", "ax=1 bx=0",
	  "? | 1>?6; 0>5" },
	{ "a duration", "main.Ints(t time.Duration) set t = 5s", "ax=3b9aca00",
	  "ax=12a05f200 | 3b9aca00>12a05f200" },
	{ "on the stack", "main.TenInts set j = 7, a = 3", "@8008=a ax=1",
	  "@8008=7/8 ax=3 | a>7; 1>3" },
	{ "an element on the stack", "main.Arrays set b[1] = 7", "@8008=1 @8010=2",
	  "@8010=7/8 | 2>7" },
	{ "a float", "main.Floats set a = 1.5",
	  "x0=1", "x0=3ff8000000000000/8 | 1>3ff8000000000000" },
	{ "a small float", "main.Floats set b = 0.5", "x1=1", "x1=3f000000/4 | 1>3f000000" },
	{ "a whole float", "main.Floats set a = -2", "x0=1",
	  "x0=c000000000000000/8 | 1>c000000000000000" },
	{ "another float", "main.Floats set a = c", "x0=1 x2=2", "x0=2/8 | 1>2" },
	{ "a field in a register", "main.Structs set m.A = -1, m.B = 2, p.Y = 3",
	  "ax=1 x0=0 r9=0",
	  "ax=ffffffffffffffff x0=4000000000000000/8 r9=3 | 1>ff; 0>4000000000000000; 0>3" },
	{ "nil", "main.Refs set p = nil, m = nil, c = nil, f = nil", "ax=1 bx=2 cx=3 di=4",
	  "di=0 ax=0 bx=0 cx=0 | 4>0; 1>0; 2>0; 3>0" },
	{ "no error", "main.Interfaces set e = nil", "cx=1 di=2", "cx=0 di=0 | 1,2>0,0" },
	{ "a nil slice", "main.Slices set a = nil",
	  "ax=1 bx=2 cx=3", "ax=0 bx=0 cx=0 | 1,2,3>0,0,0" },
	{ "a string without bytes", "main.Strings set s = \"\"", "ax=20000 bx=5",
	  "ax=0 bx=0 | 20000,5>0,0" },
	{ "a beginning of a string", "main.Strings set s = s[:3]", "ax=20000 bx=5",
	  "bx=3 | 20000,5>20000,3" },
	{ "all of it", "main.Strings set s = s[0:]", "ax=20000 bx=5", "bx=5 | 20000,5>20000,5" },
	{ "an end", "main.Strings set s = s[2:]",
	  "ax=20000 bx=5", "ax=20002 bx=3 | 20000,5>20002,3" },
	{ "nothing at the end: the address stays inside", "main.Strings set s = s[5:]",
	  "ax=20000 bx=5", "ax=20000 bx=0 | 20000,5>20000,0" },
	{ "more than there is", "main.Strings set s = s[:6]", "ax=20000 bx=5", "? | 20000,5>?6" },
	{ "from behind the end", "main.Strings set s = s[6:]", "ax=20000 bx=5", "? | 20000,5>?6" },
	{ "the wrong way around", "main.Strings set s = s[3:2]",
	  "ax=20000 bx=5", "? | 20000,5>?6" },
	{ "from 2^63 on", "main.Strings(s string, i int) set s = s[i:]",
	  "ax=20000 bx=5 cx=8000000000000000", "? | 20000,5>?6" },
	{ "as many as a parameter says", "main.Strings(s string, i int8) set s = s[:i]",
	  "ax=20000 bx=5 cx=1204", "bx=4 | 20000,5>20000,4" },
	{ "a part of a slice", "main.Strings set b = b[1:3]", "cx=20000 di=5 si=8",
	  "cx=20001 di=2 si=7 | 20000,5,8>20001,2,7" },
	{ "elements have their size", "main.Slices set b = b[2:]", "di=20000 si=5 r8=8",
	  "di=20030 si=3 r8=6 | 20000,5,8>20030,3,6" },
	{ "an empty slice, with capacity behind it", "main.Strings set b = b[5:]",
	  "cx=20000 di=5 si=8", "cx=20005 di=0 si=3 | 20000,5,8>20005,0,3" },
	{ "nothing of a slice, with none", "main.Strings set b = b[5:]", "cx=20000 di=5 si=5",
	  "cx=20000 di=0 si=0 | 20000,5,5>20000,0,0" },
	{ "no more than its length, whatever its capacity", "main.Strings set b = b[:6]",
	  "cx=20000 di=5 si=8", "? | 20000,5,8>?6" },
	{ "a field behind a pointer", "main.Refs set p.Value = p.Value + 1",
	  "di=20000 @20028=7", "@20028=8/8 | 7>8" },
	{ "far behind pointers", "main.Refs set p.Left.Right.Value = 1",
	  "di=20000 @20000=30000 @30008=40000 @40028=7", "@40028=1/8 | 7>1" },
	{ "behind nil", "main.Refs set p.Value = 1", "di=0", "? | ?5>1" },
	{ "an element of a slice", "main.Slices set b[1][2] = 7",
	  "di=20000 si=2 @20018=30000 @20020=3 @30010=1", "@30010=7/8 | 1>7" },
	{ "an element that is not there", "main.Slices set b[2][0] = 7", "di=20000 si=2",
	  "? | ?6>7" },
	{ "a byte of a slice", "main.Strings set b[1] = 'x'", "cx=20000 di=5 si=8 @20000=4141",
	  "@20001=78/1 | 41>78" },
	{ "a string behind a pointer gets shorter", "main.Slices set a[0].Name = a[0].Name[:2]",
	  "ax=20000 bx=1 @20008=30000 @20010=5 @30000=1",
	  "@20010=2/8 | 30000,5>30000,2" },
	{ "a string behind a pointer without bytes", "main.Slices set a[0].Name = \"\"",
	  "ax=20000 bx=1 @20008=30000 @20010=5 @30000=1", "@20010=0/8 | 30000,5>30000,0" },
	{ "a delay", "main.Ints delay 50ms", "", "delay 50000000" },
	{ "a delay, and something", "main.Ints set a = 1 delay 1s if b > 5", "ax=2",
	  "ax=1 delay 1000000000 | 2>1" },
	{ "a condition first", "main.Ints if b > 5 set a = 1", "ax=2", "ax=1 | 2>1" },
	{ "behind lists", "main.Ints(a, b)(~r0) set a = 1", "ax=2", "ax=1 | 2>1" },
	{ "behind a signature and a list", "main.Ints(x int) error : (x) set x = 1", "ax=2",
	  "ax=1 | 2>1" },
	{ "a result", "main.Strings on return set err = nil", "cx=5 di=6", "cx=0 di=0 | 5,6>0,0" },
	{ "a result that is a string", "main.Strings on return set out = out[:1]",
	  "ax=20000 bx=3", "bx=1 | 20000,3>20000,1" },
	{ "results in registers and on the stack",
	  "main.Results on return set a = 1, c = 0.5, d = d[:1], f[1] = 3 if a > 5",
	  "ax=9 x0=0 di=20000 si=2 r8=2 @8008=1 @8010=2",
	  "ax=1 x0=3fe0000000000000/8 si=1 @8010=3/8 | 9>1; 0>3fe0000000000000; 20000,2,2>20000,1,2; 2>3",
	},
	{ "a result that depends on another", "main.Results on return set a = len(b)", "ax=9 cx=3",
	  "ax=3 | 9>3" },
};

ROWS(test_set, sets)
{
	const struct set_row *row = *state;
	struct edit_pair p;
	struct diag d = { 0 };
	char *shown;
	size_t len;
	FILE *f = open_memstream(&shown, &len);

	if (compile(row_bin, row->text, &p, &d))
		fail_msg("%s", d.message);
	if (p.call.nops)
		put_side(f, row->setup, &p.call);
	if (p.ret.nops)
		put_side(f, row->setup, &p.ret);
	fclose(f);
	assert_string_equal(shown, row->shown);
	free(shown);
}

static struct set_row old_sets[] = {
	{ "before 1.17 all is on the stack", "main.Ints set b = 5, e = 6", "@8010=1 @8018=2",
	  "@8010=5/1 @8018=6/8 | 1>5; 2>6" },
	{ "strings too", "main.Strings set s = s[1:3]", "@8008=20000 @8010=5",
	  "@8008=20001/8 @8010=2/8 | 20000,5>20001,2" },
};

ROWS(test_old_set, old_sets)
{
	if (!oldest) {
		print_message("no program of Go 1.16 or older\n");
		skip();
	}
	row_bin = oldest;
	test_set(state);
	row_bin = newest;
}

/* --- what is not ---------------------------------------- */

static struct error_row {
	const char *claim, *text, *at, *message;
} errors[] = {
	{ "what does not fit", "main.Ints set b = 300", "300",
	  "'300' does not fit into int8, the type of 'b'" },
	{ "a sign that is not there", "main.Ints set c = -1", "-1",
	  "'-1' does not fit into uint16, the type of 'c'" },
	{ "a fraction", "main.Ints set a = 1.5", "1.5",
	  "'1.5' is no whole number, and so no int, the type of 'a'" },
	{ "a duration", "main.Ints set a = 5s", "5s",
	  "'5s' is a time.Duration, and no int, the type of 'a'" },
	{ "another type", "main.Ints set a = b", "b",
	  "'b' is of type int8, and 'a' of type int: Go does not mix them" },
	{ "a number for true", "main.Ints set g = 1", "1", "'1' is no bool, the type of 'g'" },
	{ "true for a number", "main.Ints set a = true",
	  "true", "'true' is no int, the type of 'a'" },
	{ "a comparison for a number", "main.Ints set a = b > 1", "b > 1",
	  "'b > 1' is of type bool, and 'a' of type int: Go does not mix them" },
	{ "an address", "main.Refs set p = 0", "p",
	  "'p' is of type *main.Tree, and can be set to nil only" },
	{ "another pointer", "main.Refs set p = p.Left", "p",
	  "'p' is of type *main.Tree, and can be set to nil only" },
	{ "a pointer behind a pointer", "main.Refs set p.Left = nil", "p.Left",
	  "'p.Left' is of type *main.Tree, and no pointer is taken away where the garbage collector looks",
	},
	{ "a slice behind a pointer", "main.Refs set p.Kids = nil", "p.Kids",
	  "'p.Kids' is of type []main.Tree, and no pointer is taken away where the garbage collector looks",
	},
	{ "the beginning of what others see", "main.Slices set a[0].Name = a[0].Name[1:]", "1",
	  "the beginning can't be cut off where other goroutines can see it half done" },
	{ "another string", "main.Strings set s = \"x\"", "\"x\"",
	  "a string can only be cut: 's = s[:3]', or 's = \"\"'" },
	{ "a part of something else", "main.Strings set s = b[:3]", "b",
	  "a slice or string can only become a part of itself" },
	{ "a part of a number", "main.Ints set a = a[:3]", "a",
	  "'a' is of type int, which has no parts" },
	{ "a part by a float", "main.Floats(s string, f float64) set s = s[:f]", "f",
	  "an index is a whole number that the module finds" },
	{ "less than nothing", "main.Strings set s = s[:-1]", "-1", "an index is not negative" },
	{ "another slice", "main.Strings set b = 5", "5",
	  "a slice can only be cut, 's = s[:3]', or be nil" },
	{ "a byte of a string", "main.Strings set s[0] = 'x'", "s[0]",
	  "the bytes of a string can't be changed" },
	{ "a byte of a string behind a pointer", "main.Slices set a[0].Name[1] = 'x'",
	  "a[0].Name[1]", "the bytes of a string can't be changed" },
	{ "a struct", "main.Structs set m = p", "m",
	  "'m' is of type main.Mixed, which is set field by field" },
	{ "an array", "main.Arrays set b = 1", "b",
	  "'b' is of type [2]int, which is set element by element" },
	{ "a length", "main.Strings set len(s) = 3", "len(s)",
	  "only variables, and what they are made of, can be set" },
	{ "what is in a map", "main.Refs set m[\"a\"] = 1", "m[\"a\"]",
	  "only variables, and what they are made of, can be set" },
	{ "what an interface holds", "main.Interfaces set any.(main.Point).X = 1",
	  "any.(main.Point)",
	  "what an interface holds can't be changed" },
	{ "an assertion", "main.Interfaces set any.(*main.Point) = nil", "any.(*main.Point)",
	  "only variables, and what they are made of, can be set" },
	{ "a result at the call", "main.Strings set err = nil", "err",
	  "'err' is a result: it is known only when main.Strings returns" },
	{ "a parameter at the return", "main.Strings on return set s = s[:1]", "s",
	  "'s' is a parameter: it is known only when main.Strings is called" },
	{ "a parameter for a result", "main.Results(a int) (b int) on return set b = a", "a",
	  "'a' is a parameter: it is known only when main.Results is called" },
	{ "what is decided later", "main.Strings set s = \"\" if err != nil", "s",
	  "whether the condition holds is known when the call returns: too late to change it" },
	{ "what is decided by how long it took", "main.Ints delay 5ms if duration > 1s", NULL,
	  "whether the condition holds is known when the call returns: too late to change it" },
	{ "the goroutine", "main.Ints set a = goid", "goid",
	  "what is said of the call itself, as 'n', 'goid' or 'under', is for conditions" },
	{ "the number of the hit", "main.Ints set a = n", "n",
	  "what is said of the call itself, as 'n', 'goid' or 'under', is for conditions" },
	{ "inside of what", "main.Ints set g = under(main.Leaf)", "under(main.Leaf)",
	  "what is said of the call itself, as 'n', 'goid' or 'under', is for conditions" },
	{ "the same twice", "main.Ints set a = 1, a = 2", "a", "'a' is set twice" },
	{ "a copy that a closure has", "main.Later[go.shape.*uint8].func1 set l = l[:1]", "l",
	  "a variable that is captured by value never changes: it can't be set" },
	{ "no such thing", "main.Ints set z = 1", "z",
	  "main.Ints has no parameter and no result 'z'" },
	{ "a comparison in place of an assignment", "main.Ints set a == 1", "=",
	  "'==' compares: a value is set with '='" },
	{ "no value", "main.Ints set a = ", NULL, "an expression is missing here" },
	{ "no assignment", "main.Ints set a", NULL, "a '=' and a value are missing here" },
	{ "a delay without a unit", "main.Ints delay 5", "5", "a delay has a unit: 'delay 50ms'" },
	{ "too long a delay", "main.Ints delay 2s", "2s", "a delay is between 1ns and 1s" },
	{ "two delays", "main.Ints delay 2ms delay 3ms", "3ms", "there is a delay already" },
	{ "neither set nor delay", "main.Ints on return if a > 5", "if",
	  "only 'set' or 'delay' can follow 'on return'" },
	{ "two conditions", "main.Ints if a > 1 set a = 1 if a > 2", "if",
	  "there is a condition already: '&&' joins two" },
};

ROWS(test_error, errors)
{
	const struct error_row *row = *state;
	struct edit_pair p;
	struct diag d = { 0 };

	assert_int_equal(compile(newest, row->text, &p, &d), -1);
	rows_expect_diag(&d, row->message, row->text, row->at, NULL);
	diag_fini(&d);
}

/* --- commands that change nothing ------------------------------------------------ */

TEST(test_only_attach, "only attach changes anything")
{
	struct diag d = { 0 };
	struct spec s;

	assert_int_equal(spec_parse_condition("main.Ints set a = 5", &s, &d), -1);
	assert_string_equal(d.message,
			    "nothing is changed here: that is for 'goprobectl attach'");
	diag_fini(&d);
	assert_int_equal(spec_parse_pattern("main.Ints delay 5ms", &s, &d), -1);
	diag_fini(&d);
	/* A package, a type or a parameter may be called so. */
	assert_int_equal(spec_parse("main.Ints(set int, delay set.Set) set.Set", &s, &d), 0);
	assert_non_null(s.sig);
	assert_int_equal(s.sig->nresults, 1);
	assert_false(spec_edits(&s));
	spec_fini(&s);
	assert_int_equal(spec_parse("/ on return set/ on return set a = 1", &s, &d), 0);
	assert_string_equal(s.pattern, " on return set");
	assert_int_equal(s.edit[1].n, 1);
	spec_fini(&s);
}

AROUND_ALL(conds_open, conds_close)
