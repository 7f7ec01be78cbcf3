// SPDX-License-Identifier: GPL-2.0
/*
 * Expressions compiled against real programs. What comes out is held
 * against the module's rules for programs and then run, on registers and memory
 * that the rows give.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "bins.h"
#include "compile/deferred_step.h"
#include "compile/expr.h"
#include "compile/sig_parse.h"
#include "conds.h"
#include "gobin/abi.h"
#include "gotype/selector.h"
#include "lang/spec.h"
#include "machine.h"
#include "rows.h"

/* --- compiling ---------------------------------------- */

static struct gobin *noopt;
static struct spec specs[256];
static size_t nspecs;

/* 0, or -1 and @d is set. @side is 0 for the call's list. */
static int compile(struct gobin *bin, const char *text, int side, struct plan_capture *c,
		   struct diag *d)
{
	struct expr_scope scope = { .bin = bin, .mem = &mem, .results = side };
	struct sigparse types = { .bin = bin, .mem = &mem };
	struct spec *s = &specs[nspecs];

	assert_true(nspecs < N(specs));
	if (spec_parse(text, s, d))
		return -1;
	nspecs++;
	scope.fn = bins_func(bin, s->pattern);
	if (!scope.fn)
		fail_msg("no function %s", s->pattern);
	scope.abi0 = scope.fn->flags & GOFUNC_ABI0;
	scope.sig = gobin_sig(bin, scope.fn);
	if (s->sig) {
		types.text = s->text;
		scope.sig = sigparse_sig(&types, s->sig, scope.fn, d);
		if (!scope.sig)
			return -1;
	}
	return expr_compile(&scope, side ? s->ret : s->call, c, d);
}

/* "7 type" of value @i; "!range" if it failed; "?reason" if it is unavailable */
static void show(FILE *f, const struct machine *m, const struct plan_capture *c, size_t i)
{
	static const char *const statuses[] = {
		[GOPROBE_CHUNK_FAULT] = "!fault", [GOPROBE_CHUNK_NIL] = "!nil",
		[GOPROBE_CHUNK_RANGE] = "!range", [GOPROBE_CHUNK_TYPE] = "!type",
	};
	const struct plan_value *v = &c->values[i];

	fputs(i ? " | " : "", f);
	if (v->unavailable) {
		fprintf(f, "?%s", v->unavailable);
		return;
	}
	if (m->failed[i]) {
		fputs(statuses[m->failed[i]], f);
		return;
	}
	assert_true(v->offset + v->type->size <= c->size);
	for (size_t k = 0; k < v->type->size; k += 8) {
		uint64_t word = 0;

		memcpy(&word, m->frame + v->offset + k,
		       v->type->size - k < 8 ? v->type->size - k : 8);
		fprintf(f, "%lx ", word);
	}
	fputs(v->type->name, f);
	for (size_t k = 0; v->steps && k < v->steps->n; k++)
		fprintf(f, " >%d", v->steps->v[k].kind);
}

/* --- values ---------------------------------------- */

static struct value_row {
	const char *claim, *text, *setup, *shown;
	int side;
} values[] = {
	{ "a parameter in a register", "main.Ints(a)", "ax=7", "7 int" },
	{ "of a byte only the byte", "main.Ints(b, g)", "bx=1234ff r9=5501", "ff int8 | 1 bool" },
	{ "in any order, twice", "main.Ints(e, a, e)", "ax=7 si=9", "9 uint64 | 7 int | 9 uint64" },
	{ "a float", "main.Floats(b, i)", "x1=40400000 ax=5", "40400000 float32 | 5 int" },
	{ "both parts of a string", "main.Strings(s)", "ax=20000 bx=5", "20000 5 string" },
	{ "the length of a string is a part of it", "main.Strings(len(s), len(b), cap(b))",
	  "ax=20000 bx=5 di=6 si=7", "5 int | 6 int | 7 int" },
	{ "what is on the stack", "main.TenInts(j, a)", "ax=1 @8008=a", "a int | 1 int" },
	{ "a field in a register", "main.Structs(m.B, m.C, p.Y)",
	  "x0=3ff0000000000000 bx=20000 cx=3 r9=8",
	  "3ff0000000000000 float64 | 20000 3 string | 8 int" },
	{ "a field on the stack", "main.Structs(i.Name)", "@8010=20000 @8018=4", "20000 4 string" },
	{ "a promoted field", "main.Structs(i.ID)", "@8008=2a", "2a int" },
	{ "a type without bytes", "main.Structs(e)", "", "main.Empty" },
	{ "a field behind a pointer", "main.Refs(p.Value)", "di=20000 @20028=7", "7 int" },
	{ "behind several", "main.Refs(p.Left.Right.Value)",
	  "di=20000 @20000=30000 @30008=40000 @40028=7", "7 int" },
	{ "a field of a value on the stack, behind a pointer", "main.Refs(t.Left.Value)",
	  "@8008=20000 @20028=7", "7 int" },
	{ "nil at the start", "main.Refs(p.Value)", "di=0", "!nil" },
	{ "nil on the way", "main.Refs(p.Left.Value)", "di=20000 @20000=0", "!nil" },
	{ "nothing readable", "main.Refs(p.Left.Value)", "di=20000", "!fault" },
	{ "a failure is one value's own", "main.Refs(p.Value, len(t.Kids), p.Left.Value)",
	  "di=20000 @20000=0 @20028=7 @8020=3", "7 int | 3 int | !nil" },
	{ "a value that is pointed to", "main.Refs(*p.Left)",
	  "di=20000 @20000=30000 @30000=1 @30008=2 @30010=3 @30018=4 @30020=5 @30028=6",
	  "1 2 3 4 5 6 main.Tree" },
	{ "the value of a pointer to a number", "main.Loop(*p)", "ax=20000 @20000=9", "9 int" },
	{ "an element", "main.Slices(a[1].Name)", "ax=20000 bx=2 cx=2 @20038=30000 @20040=4",
	  "30000 4 string" },
	{ "the first element", "main.Slices(a[0].ID)", "ax=20000 bx=1 @20000=2a", "2a int" },
	{ "an element that is not there", "main.Slices(a[2].Name)", "ax=20000 bx=2 cx=9",
	  "!range" },
	{ "an element of nil", "main.Slices(a[0])", "ax=0 bx=0 cx=0", "!range" },
	{ "an element of an element", "main.Slices(b[1][2])",
	  "di=20000 si=2 @20018=30000 @20020=3 @30010=7", "7 int" },
	{ "the second index is checked too", "main.Slices(b[1][2])",
	  "di=20000 si=2 @20018=30000 @20020=2", "!range" },
	{ "elements of a slice in memory", "main.Refs(p.Kids[1].Kids[0].Value)",
	  "di=20000 @20010=30000 @20018=2 @30040=40000 @30048=1 @40028=7", "7 int" },
	{ "the length of a slice in memory", "main.Refs(len(p.Kids), cap(p.Kids))",
	  "di=20000 @20018=2 @20020=4", "2 int | 4 int" },
	{ "the last element", "main.Slices(a[len(a)-1].ID)", "ax=20000 bx=2 cx=2 @20030=2a",
	  "2a int" },
	{ "a sum that is no index", "main.Slices(a[1+len(a)-1])", "ax=20000 bx=2 cx=2", "!range" },
	{ "the last element of nothing", "main.Slices(a[len(a)-1])", "ax=20000 bx=0 cx=2",
	  "!range" },
	{ "an index that is a sum in brackets", "main.Slices(a[0 + (1 + 0)].ID)",
	  "ax=20000 bx=2 cx=2 @20030=2a", "2a int" },
	{ "an index that is a parameter", "main.BlankLast(s[a])",
	  "ax=2 bx=20000 cx=3 @20000=636261",
	  "63 uint8" },
	{ "sums, comparisons and predicates", "main.Ints(a * 2 - 1, b + 1, a > 5 && !g, -c)",
	  "ax=7 bx=7f r9=0 cx=1", "d int | 80 int8 | 1 bool | ffff uint16" },
	{ "a beginning of a string", "main.Strings(hasPrefix(s, \"ab\"), s == \"abd\")",
	  "ax=20000 bx=3 @20000=636261", "1 bool | 0 bool" },
	{ "a division by nothing", "main.Ints(a, a / (a - 7), -a)", "ax=7",
	  "7 int | !range | fffffffffffffff9 int" },
	{ "a sum behind nil", "main.Refs(p.Value + 1)", "di=0", "!nil" },
	{ "a sum of elements", "main.Slices(a[0].ID * 2 + a[1].ID)",
	  "ax=20000 bx=2 @20000=2a @20030=1", "55 int" },
	{ "a negative index", "main.BlankLast(s[a])", "ax=ffffffffffffffff bx=20000 cx=3",
	  "!range" },
	{ "an index from the stack", "main.Vast(v[0])", "@8008=ff", "ff uint8" },
	{ "an index into what is on the stack", "main.Vast(v[b])", "bx=2 @8008=aabbcc",
	  "aa uint8" },
	{ "an index out of an array", "main.Vast(v[b])", "bx=1388", "!range" },
	{ "an array in a register", "main.Arrays(a[0], d[0].Y)", "ax=5 cx=6", "5 int | 6 int" },
	{ "an array on the stack", "main.Arrays(e[1], b[1])", "@8028=20000 @8030=3 @8010=8",
	  "20000 3 string | 8 int" },
	{ "the length of an array", "main.Arrays(len(b), cap(e), len(c))", "",
	  "2 int | 3 int | 0 int" },
	{ "a nil map has no entries, a nil channel no elements",
	  "main.Refs(len(m), len(c), cap(c))",
	  "ax=0 bx=0", "0 int | 0 int | 0 int" },
	{ "the length of a channel", "main.Refs(len(c), cap(c))",
	  "bx=20000 @20000=3 @20008=5 @20020=0", "3 int | 5 int" },
	{ "a timer's channel has no buffer to the program", "main.Refs(len(c), cap(c), len(m))",
	  "ax=30000 bx=20000 @20000=1 @20008=1 @20020=40000 @30000=3", "0 int | 0 int | 3 int" },
	{ "the length of a map", "main.Refs(len(m))", "ax=20000 @20000=3", "3 int" },
	{ "the entry of a map is found later", "main.Refs(m[\"a\"])", "ax=20000",
	  "20000 map[string]int >2" },
	{ "what an interface holds is found later", "main.Interfaces(e.s)", "cx=1 di=2",
	  "1 2 error >0" },
	{ "the elements of a variadic parameter", "main.Variadic(len(args), args[0])",
	  "cx=20000 di=1 @20000=1 @20008=2", "1 int | 1 2 interface {}" },
	{ "a receiver", "main.(*Point).Pointer(p.X, k)", "ax=20000 @20000=5 bx=6",
	  "5 int | 6 int" },
	{ "a result in a register", "main.Ints()(~r0)", "ax=3", "3 int", 1 },
	{ "an error without a name", "main.Interfaces()(err, ~r1)", "cx=3 di=4",
	  "3 4 error | 3 4 error", 1 },
	{ "results by name", "main.Results()(c, f[1], d[0])",
	  "x0=4008000000000000 @8010=9 di=20000 si=1 @20000=4",
	  "4008000000000000 float64 | 9 int | 4 int", 1 },
	{ "a variable that a closure has captured by reference", "main.Recovers.func1(err)",
	  "dx=20000 @20008=30000 @30000=1 @30008=2", "1 2 error" },
	{ "by value", "main.Later[go.shape.*uint8].func1(len(l), cap(l))",
	  "dx=20000 @20008=30000 @20010=2 @20018=3", "2 int | 3 int" },
	{ "of a closure that is called where it is made", "main.Direct.func1(shared, k)",
	  "ax=20000 bx=3 @20000=7", "7 int | 3 int" },
	{ "a closure that is not there", "main.Recovers.func1(err)", "dx=0", "!nil" },
	{ "a method value's receiver", "main.(*Point).Pointer-fm(recv.Y, k)",
	  "ax=4 dx=20000 @20008=30000 @30008=7", "7 int | 4 int" },
	{ "a signature that is given", "main.Ints(x *main.Point, y []string) : (x.Y, y[0])",
	  "ax=20000 @20008=5 bx=30000 cx=1 @30000=40000 @30008=2", "5 int | 40000 2 string" },
};

ROWS(test_value, values)
{
	const struct value_row *row = *state;
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c = { 0 };
	struct diag d = { 0 };
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	machine_set(m, row->setup);
	if (compile(row_bin, row->text, row->side, &c, &d))
		fail_msg("%s", d.message);
	machine_run(m, &c);
	for (size_t i = 0; i < c.nvalues; i++)
		show(f, m, &c, i);
	fclose(f);
	assert_string_equal(text, row->shown);
	free(text);
	free(m);
}

/* The same on the oldest: all on the stack. */
static struct value_row old_values[] = {
	{ "before 1.17 all is on the stack", "main.Ints(b, e)", "@8010=aa @8018=bb",
	  "aa int8 | bb uint64" },
	{ "pointers too", "main.Refs(p.Left.Value)", "@8020=20000 @20000=30000 @30028=7", "7 int" },
	{ "slices too", "main.Slices(a[1].Name)", "@8008=20000 @8010=2 @20038=30000 @20040=4",
	  "30000 4 string" },
	{ "results too", "main.Ints()(~r7)", "@8030=3", "3 int", 1 },
};

ROWS(test_old_value, old_values)
{
	if (!oldest) {
		print_message("no program of Go 1.16 or older\n");
		skip();
	}
	row_bin = oldest;
	test_value(state);
	row_bin = newest;
}

/* Without optimisations debug information has all that is captured. */
static struct value_row noopt_values[] = {
	{ "captured numbers and strings", "main.MakeClosure.func1(a, b, len(s), s[1])",
	  "ax=5 dx=20000 @20008=7 @20010=30000 @20018=2 @30001=63",
	  "7 int | 5 int | 2 int | 63 uint8" },
};

ROWS(test_noopt_value, noopt_values)
{
	row_bin = noopt;
	test_value(state);
	row_bin = newest;
}

/* --- errors ---------------------------------------- */

static struct error_row {
	const char *claim, *text, *at, *message, *hint;
	int side;
} errors[] = {
	{ "an unknown parameter", "main.Strings(s, nn)", "nn", "main.Strings has no parameter 'nn'",
	  "it takes s, b, n; did you mean 'n'?" },
	{ "a parameter that is far from any", "main.Strings(configuration)", "configuration",
	  "main.Strings has no parameter 'configuration'", "it takes s, b, n" },
	{ "an unknown result", "main.Strings()(outt)", "outt", "main.Strings has no result 'outt'",
	  "it returns out, err; did you mean 'out'?", 1 },
	{ "a result at the call", "main.Strings(err)", "err",
	  "'err' is a result: it is known only when main.Strings returns",
	  "the first list is of the call, the second one of the return: 'main.Strings()(err)'" },
	{ "an error without a name at the call", "main.Interfaces(err)", "err",
	  "'err' is a result: it is known only when main.Interfaces returns",
	  "the first list is of the call, the second one of the return: 'main.Interfaces()(err)'" },
	{ "a parameter at the return", "main.Strings()(n)", "n",
	  "'n' is a parameter: it is known only when main.Strings is called",
	  "the first list is of the call, the second one of the return: 'main.Strings(n)()'", 1 },
	{ "an unknown variable of a closure", "main.Recovers.func1(er)", "er",
	  "main.Recovers.func1 has no parameter 'er'",
	  "it takes nothing; it has captured err; did you mean 'err'?" },
	{ "a captured variable at the return", "main.Recovers.func1()(err)", "err",
	  "'err' is a captured variable: it is known only when main.Recovers.func1 is called",
	  "the first list is of the call, the second one of the return: 'main.Recovers.func1(err)()'",
	  1 },
	{ "an unknown field", "main.Refs(p.Valeu)", "Valeu", "main.Tree has no field 'Valeu'",
	  "did you mean 'Value'?" },
	{ "an unknown field, nothing near", "main.Refs(p.Left.Colour)", "Colour",
	  "main.Tree has no field 'Colour'", "it has Left, Right, Kids, Value" },
	{ "a field of a number", "main.Ints(a.b)", "b", "'a' is of type int, which has no fields",
	  NULL },
	{ "not a pointer", "main.Ints(*a)", "*", "'a' is of type int, not a pointer",
	  NULL },
	{ "an element of a number", "main.Ints(a[0])", "[",
	  "'a' is of type int, which has no elements",
	  NULL },
	{ "an element of a struct's field", "main.Refs(p.Value[1])", "[",
	  "'p.Value' is of type int, which has no elements", NULL },
	{ "an index that is a string", "main.Slices(a[\"x\"])", "\"x\"",
	  "an index is a whole number", NULL },
	{ "an index that is a fraction", "main.Slices(a[1.5])", "1.5", "an index is a whole number",
	  NULL },
	{ "an index with an operator", "main.Slices(a[-len(a)])", "-",
	  "an index has no operators but '+' and '-'",
	  NULL },
	{ "an index that is negative", "main.Slices(a[-1])", "-1", "an index is not negative",
	  NULL },
	{ "an index that is no number", "main.Strings(b[s])", "s",
	  "'s' is of type string, and an index is a whole number", NULL },
	{ "an index beyond an array", "main.Arrays(b[2])", "2",
	  "index 2 is out of the range of [2]int",
	  NULL },
	{ "a key of another type", "main.Refs(m[1])", "1", "this is no key of map[string]int",
	  "a key is written out: a string in quotes, or a number" },
	{ "a key that is a parameter", "main.Refs(m[p])", "p", "this is no key of map[string]int",
	  "a key is written out: a string in quotes, or a number" },
	{ "a key with an operator", "main.Refs(m[-p])", "-p", "this is no key of map[string]int",
	  "a key is written out: a string in quotes, or a number" },
	{ "a key that is a duration", "main.Refs(m[10ms])", "10ms",
	  "this is no key of map[string]int",
	  "a key is written out: a string in quotes, or a number" },
	{ "a part of a slice", "main.Slices(a[1:2])", ":", "a part of a slice can't be captured here",
	  "--elements says how many elements are copied" },
	{ "types that Go does not mix", "main.Ints(a + b)", "a + b",
	  "'a' is of type int, and 'b' of type int8: Go does not mix them", NULL },
	{ "a sum of numbers", "main.Ints(1 + 2)", "1 + 2", "'1 + 2' is the same for all calls",
	  NULL },
	{ "a field of a sum", "main.Ints((a + 1).b)", "+",
	  "only a variable can be here, or what it leads to", NULL },
	{ "two strings", "main.Strings(s == s)", "s == s",
	  "two strings can be compared in a condition only", NULL },
	{ "a text in a string", "main.Strings(contains(s, \"a\"))", "contains(s, \"a\")",
	  "contains() and matches() are for conditions and keys", NULL },
	{ "the calls further up", "main.Ints(under(main.main))", "under(main.main)",
	  "what is said of the call itself, as 'n', 'goid' or 'under', is for conditions", NULL },
	{ "a sum with an entry of a map", "main.Refs(m[\"a\"] + 1)", "m[\"a\"]",
	  "'m[\"a\"]' is found by goprobectl, after the call: too late for operators, conditions and keys",
	  "entries of maps and elements of channels can only be shown; what an interface holds needs its type, as in x.(T)"
	},
	{ "the length of a number", "main.Ints(len(a))", "len",
	  "'a' is of type int, which has no length",
	  NULL },
	{ "the capacity of a string", "main.Strings(cap(s))", "cap",
	  "'s' is of type string, which has no capacity", NULL },
	{ "a type of what is no interface", "main.Ints(a.(int))", "(",
	  "'a' is of type int, not an interface",
	  NULL },
	{ "a type that is an interface", "main.Interfaces(s.(error))", "error",
	  "an interface never holds an interface, such as error", NULL },
	{ "a type that is not there", "main.Interfaces(s.(*main.Squaer))", "main.Squaer",
	  "the binary has no type 'main.Squaer'", "did you mean 'main.Square'?" },
	{ "an unknown variable of a package", "main.Ints(main.snik)", "main.snik",
	  "no package variable is called 'main.snik'", "did you mean 'main.sink'?" },
	{ "an unknown variable with a path", "main.Ints(encoding/json.x)", "encoding/json.x",
	  "no package variable is called 'encoding/json.x'", NULL },
	{ "a number", "main.Ints(a, 5)", "5", "a number is no value of the program", NULL },
	{ "a fraction", "main.Ints(a, 1.5)", "1.5", "a number is no value of the program", NULL },
	{ "a string", "main.Ints(a, \"x\")", "\"x\"", "a string in quotes can only be a key",
	  NULL },
	{ "an unknown type in a signature", "main.Ints(x *main.Nope) : (x)", "main.Nope",
	  "the binary has no type 'main.Nope'", NULL },
	{ "a type of another package that is not there", "main.Ints(x xml.Delim) : (x)", "xml.Delim",
	  "the binary has no type 'xml.Delim'",
	  "write what it is made of, such as int64 for time.Duration; unsafe.Pointer stands for any pointer, uintptr for any word"
	},
	{ "a type without its package", "main.Ints(x Point) : (x)", "Point",
	  "the binary has no type 'Point'", NULL },
	{ "a pointer to no slice", "main.Loop(p[0])", "[",
	  "'p' is of type *int, which has no elements",
	  NULL },
};

ROWS(test_error, errors)
{
	const struct error_row *row = *state;
	struct plan_capture c;
	struct diag d = { 0 };

	assert_int_equal(compile(newest, row->text, row->side, &c, &d), -1);
	rows_expect_diag(&d, row->message, row->text, row->at, row->hint);
	diag_fini(&d);
}

/* --- variables, assertions ---------------------------------------- */

TEST(test_variables, "package variables, with and without their package")
{
	static const char *const texts[] = {
		"main.Ints(main.on)", "main.Ints(on)", "main.Leaf(on, a)",
	};
	struct machine *m = calloc(1, sizeof(*m));

	for (size_t i = 0; i < N(texts); i++) {
		struct plan_capture c;
		struct diag d = { 0 };

		if (compile(newest, texts[i], 0, &c, &d))
			fail_msg("%s", d.message);
		assert_int_equal(c.pieces[0].source, GOPROBE_FROM_STATIC);
		assert_int_equal(c.pieces[0].size, 1);
		machine_set(m, "ax=3");
		machine_put(m, c.pieces[0].address, 1);
		machine_run(m, &c);
		assert_int_equal(m->frame[c.values[0].offset], 1);
		assert_string_equal(c.values[0].type->name, "bool");
	}
	free(m);
}

/* Links are followed from a variable too; its short name will do. */
TEST(test_variable_path, "what package variables point to")
{
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture whole, c;
	struct diag d = { 0 };
	uint64_t at;

	if (compile(newest, "main.Ints(os.Stdout)", 0, &whole, &d) ||
	    compile(newest, "main.Ints(os.Stdout.name)", 0, &c, &d))
		fail_msg("%s", d.message);
	at = whole.pieces[0].address;
	assert_string_equal(whole.values[0].type->name, "*os.File");
	machine_set(m, "");
	machine_put(m, at, 0x20000);
	machine_put(m, 0x20000, 0x30000);
	/* os.File embeds *os.file, whose name is a string. */
	for (uint64_t k = 0; k < 0x60; k += 8)
		machine_put(m, 0x30000 + k, 0x1000 + k);
	machine_run(m, &c);
	assert_int_equal(m->failed[0], 0);
	assert_string_equal(c.values[0].type->name, "string");
	assert_int_equal(m->frame[c.values[0].offset + 1], 0x10);
	free(m);
}

TEST(test_assertions, "type assertions are compared where it happens")
{
	const struct gotype *square = gobin_find_type(newest, "main.Square");
	const struct gotype *pointer = gobin_find_type(newest, "*errors.errorString");
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c;
	struct diag d = { 0 };

	assert_non_null(square);
	assert_non_null(pointer);
	if (compile(newest, "main.Interfaces(s.(main.Square).Side, e.(*errors.errorString).s, any.(main.Square))",
		    0, &c, &d))
		fail_msg("%s", d.message);
	machine_set(m, "ax=20000 bx=30000 @30000=40 cx=21000 di=31000 @31000=5 @31008=6 r8=30000");
	m->regs[4] = square->rtype;
	machine_put(m, 0x20008, square->rtype);
	machine_put(m, 0x21008, pointer->rtype);
	machine_run(m, &c);
	for (int i = 0; i < 3; i++)
		assert_int_equal(m->failed[i], 0);
	assert_int_equal(m->frame[c.values[0].offset], 0x40);
	assert_int_equal(m->frame[c.values[1].offset], 5);
	assert_int_equal(m->frame[c.values[2].offset], 0x40);

	/* Other types, and none. */
	machine_set(m, "ax=20000 bx=30000 @30000=40 @20008=1234 cx=0 di=0 si=0 r8=0");
	machine_run(m, &c);
	assert_int_equal(m->failed[0], GOPROBE_CHUNK_TYPE);
	assert_int_equal(m->failed[1], GOPROBE_CHUNK_NIL);
	assert_int_equal(m->failed[2], GOPROBE_CHUNK_TYPE);
	free(m);

	/* What is found later is asked for by its whole name, however it was typed. */
	static const char *const names[][2] = {
		{ "*fs.PathError", "*io/fs.PathError" }, { "**fs.PathError", "**io/fs.PathError" },
		{ "[]*fs.PathError", "[]*io/fs.PathError" },
		{ "[2]fs.PathError", "[2]io/fs.PathError" },
		{ "map[string]fs.PathError", "map[string]io/fs.PathError" },
		{ "chan<- fs.PathError", "chan<- io/fs.PathError" },
	};

	for (size_t i = 0; i < N(names); i++) {
		char text[80];

		snprintf(text, sizeof(text), "main.Interfaces(e.x.(%s))", names[i][0]);
		if (compile(newest, text, 0, &c, &d))
			fail_msg("%s", d.message);
		assert_string_equal(c.values[0].steps->v[1].name, names[i][1]);
	}
}

/* --- stripped ---------------------------------------- */

TEST(test_stripped, "signatures make stripped programs readable")
{
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c = { 0 };
	struct diag d = { 0 };

	assert_int_equal(compile(stripped, "main.Leaf(a)", 0, &c, &d), -1);
	assert_string_equal(d.hint, "write the signature before it: 'main.Leaf(a T): (a)'");
	diag_fini(&d);
	if (compile(stripped,
		    "main.Structs(m struct { A int8; B float64; C string; _ int16; D bool }, p main.Point) : (m.C, p.Y)",
		    0, &c, &d))
		fail_msg("%s", d.message);
	machine_set(m, "bx=20000 cx=3 r9=8");
	machine_run(m, &c);
	assert_int_equal(m->frame[c.values[0].offset + 8], 3);
	assert_int_equal(m->frame[c.values[1].offset], 8);
	free(m);
}

TEST(test_registers, "registers, of functions that nothing is known of")
{
	static const struct {
		int32_t bytes;
		size_t n;
	} rows[] = { { 0, 0 }, { 8, 1 }, { 12, 2 }, { 72, 9 }, { 4000, 9 }, { -1, 9 } };
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c;

	for (size_t i = 0; i < N(rows); i++) {
		assert_int_equal(expr_registers(&mem, rows[i].bytes, &c), 0);
		assert_int_equal(c.nvalues, rows[i].n);
	}
	machine_set(m, "ax=1 bx=2 cx=3 di=4 si=5 r8=6 r9=7 r10=8 r11=9");
	machine_run(m, &c);
	for (uint64_t i = 0; i < 9; i++)
		assert_int_equal(m->frame[c.values[i].offset], i + 1);
	assert_string_equal(c.values[0].name, "$rax");
	assert_string_equal(c.values[8].name, "$r11");
	free(m);
}

/* A slice at an instruction where its capacity is nowhere any more. */
TEST(test_guessed, "a capacity that is nowhere is not taken for the length")
{
	static const struct abi_part parts[] = {
		{ .reg = 0, .size = 8, .at = 0 }, { .reg = 3, .size = 8, .at = 8 },
		{ .reg = 3, .size = 8, .at = 16, .guessed = true },
	};
	static const struct scope_place place = { .parts = parts, .nparts = N(parts) };
	struct goparam param = { .name = "s", .type = gobin_find_type(newest, "[]int") };
	struct goscope at = {
		.sig = { .params = &param, .nparams = 1 }, .own = 1, .places = &place,
	};
	struct expr_scope scope = {
		.bin = newest, .fn = bins_func(newest, "main.Slices"), .sig = &at.sig, .at = &at,
		.mem = &mem,
	};
	struct machine *m = calloc(1, sizeof(*m));
	struct plan_capture c;
	struct diag d = { 0 };
	struct spec s;

	assert_non_null(param.type);
	assert_int_equal(spec_parse("main.Slices(s, len(s), cap(s))", &s, &d), 0);
	if (expr_compile(&scope, s.call, &c, &d))
		fail_msg("%s", d.message);
	machine_set(m, "ax=20000 bx=5");
	machine_run(m, &c);
	assert_null(c.values[0].unavailable);
	assert_null(c.values[1].unavailable);
	assert_int_equal(m->frame[c.values[1].offset], 5);
	assert_ptr_equal(c.values[2].unavailable, goscope_nowhere);
	spec_fini(&s);
	free(m);
}

/* Values that exceed a record or a program are refused, or marked. */
TEST(test_limits, "limits")
{
	struct plan_capture c;
	struct diag d = { 0 };
	char text[4000] = "main.Refs(p";

	for (int i = 0; i < 15; i++)
		strcat(text, ".Kids[0]");
	strcat(text, ".Value)");
	if (compile(newest, text, 0, &c, &d))
		fail_msg("%s", d.message);
	assert_true(c.nops < 512);
	stpcpy(text, "main.Refs(");
	for (int i = 0; i < 8; i++)
		strcat(text, "p.Kids[len(");
	strcat(text, "p.Kids");
	for (int i = 0; i < 8; i++)
		strcat(text, ")].Kids");
	strcat(text, ")");
	assert_int_equal(compile(newest, text, 0, &c, &d), -1);
	assert_string_equal(d.message, "this takes more steps than a record can");
	diag_fini(&d);
	/* 5000 bytes of the stack. */
	if (compile(newest, "main.Vast(v, a)", 0, &c, &d))
		fail_msg("%s", d.message);
	assert_string_equal(c.values[0].unavailable, "larger than a record can hold");
	assert_null(c.values[1].unavailable);
}

static int open_all(void **state)
{
	noopt = bins_newest("-noopt");
	return conds_open(state);
}

static int close_all(void **state)
{
	gobin_free(noopt);
	while (nspecs)
		spec_fini(&specs[--nspecs]);
	return conds_close(state);
}

AROUND_ALL(open_all, close_all)
