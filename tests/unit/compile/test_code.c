// SPDX-License-Identifier: GPL-2.0
/*
 * Operations of compiled conditions; their decisions, which are Go's, for random conditions;
 * and refused conditions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "conds.h"
#include "machine.h"
#include "rows.h"

static int compile(struct gobin *bin, const char *text, struct filter_pair *ret, struct diag *d)
{
	return conds_compile(bin, text, &mem, ret, d);
}

/* --- what the module carries out at once ---------------------------------------- */

static const struct {
	uint8_t code;
	const char *name;
} names[] = {
	{ GOPROBE_OP_REG, "reg" }, { GOPROBE_OP_SIGN, "sign" }, { GOPROBE_OP_LOW, "low" },
	{ GOPROBE_OP_JEQ_I, "==" }, { GOPROBE_OP_JNE_I, "!=" }, { GOPROBE_OP_JLT_I, "<" },
	{ GOPROBE_OP_JGE_I, ">=" }, { GOPROBE_OP_JSLT_I, "s<" }, { GOPROBE_OP_JSGE_I, "s>=" },
	{ GOPROBE_OP_REJECT, "reject" }, { GOPROBE_OP_LOAD, "load" },
	{ GOPROBE_OP_NUMBER, "number" }, { GOPROBE_OP_JUMP, "jump" },
};

static void show_op(FILE *f, const struct goprobe_op *o)
{
	size_t i = 0;

	while (i < N(names) && names[i].code != o->code)
		i++;
	assert_true(i < N(names));
	fprintf(f, "%s", names[i].name);
	if (o->code == GOPROBE_OP_REG)
		fprintf(f, " %u,%u", o->a, o->b);
	else if (o->size)
		fprintf(f, " %u,%u/%u", o->a, o->b, o->size);
	if (o->code >= GOPROBE_OP_JEQ_I && o->code <= GOPROBE_OP_JSGE_I)
		fprintf(f, " %u,%ld +%u", o->a, (long)o->value, o->offset);
	fputs("; ", f);
}

static struct code_row {
	const char *claim, *text, *code;
} codes[] = {
	{ "a number is compared in place", "main.Ints if a > 5", "reg 0,0; s>= 0,6 +1; reject; " },
	{ "at most", "main.Ints if a <= 5", "reg 0,0; s< 0,6 +1; reject; " },
	{ "less", "main.Ints if a < 5", "reg 0,0; s< 0,5 +1; reject; " },
	{ "at least", "main.Ints if a >= 5", "reg 0,0; s>= 0,5 +1; reject; " },
	{ "equal", "main.Ints if a == -5", "reg 0,0; == 0,-5 +1; reject; " },
	{ "different", "main.Ints if 5 != a", "reg 0,0; != 0,5 +1; reject; " },
	{ "not greater", "main.Ints if !(a > 5)", "reg 0,0; s< 0,6 +1; reject; " },
	{ "a byte with a sign", "main.Ints if b > 5", "reg 0,3; sign 0,0/1; s>= 0,6 +1; reject; " },
	{ "two bytes without", "main.Ints if c > 5", "reg 0,2; low 0,0/2; >= 0,6 +1; reject; " },
	{ "eight bytes without", "main.Ints if e < 5", "reg 0,4; < 0,5 +1; reject; " },
	{ "true", "main.Ints if g", "reg 0,9; low 0,0/1; != 0,0 +1; reject; " },
	{ "false", "main.Ints if !g", "reg 0,9; low 0,0/1; == 0,0 +1; reject; " },
	{ "nil", "main.Refs if p == nil", "reg 0,5; == 0,0 +1; reject; " },
	{ "not nil", "main.Refs if p != nil", "reg 0,5; != 0,0 +1; reject; " },
	{ "an interface that is not nil", "main.Interfaces if e != nil",
	  "reg 0,2; != 0,0 +1; reject; " },
	{ "a length", "main.Strings if len(s) >= 3", "reg 0,3; s>= 0,3 +1; reject; " },
	{ "several", "main.Ints if a > 5 && (g && e == 1)",
	  "reg 0,0; s>= 0,6 +1; reject; reg 0,9; low 0,0/1; != 0,0 +1; reject; "
	  "reg 0,4; == 0,1 +1; reject; " },
	{ "what always holds is left out",
	  "main.Ints if e >= 0 && a == 1 && b >= -128 && true && 1 < 2",
	  "reg 0,0; == 0,1 +1; reject; " },
	{ "what never holds is the end", "main.Ints if a == 1 && c > 65535 && g",
	  "reg 0,0; == 0,1 +1; reject; reject; " },
	{ "what is certain needs no code", "main.Ints if c <= 65535 || a == 1", "" },
	{ "nor does what can't change it", "main.Ints if a == 1 || false",
	  "reg 0,0; == 0,1 +1; reject; " },
	{ "behind a pointer there is a load", "main.Refs if p.Value > 5",
	  "reg 0,5; load 0,0/8; s>= 0,6 +1; reject; " },
	{ "what a closure has captured", "main.Later[go.shape.*uint8].func1 if len(l) > 5",
	  "reg 0,1; load 0,0/8; s>= 0,6 +1; reject; " },
	{ "either", "main.Ints if a == 1 || a == 2",
	  "reg 0,0; == 0,1 +3; reg 0,0; == 0,2 +1; reject; " },
};

ROWS(test_code, codes)
{
	const struct code_row *row = *state;
	struct filter_pair p;
	struct diag d = { 0 };
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (compile(newest, row->text, &p, &d))
		fail_msg("%s", d.message);
	for (size_t i = 0; i < p.call.nops; i++)
		show_op(f, &p.call.ops[i]);
	fclose(f);
	assert_string_equal(text, row->code);
	assert_false(p.returns);
	free(text);
}

/* --- errors ---------------------------------------- */

static struct error_row {
	const char *claim, *text, *at, *message, *hint;
} errors[] = {
	{ "what is no condition", "main.Ints if a", "a",
	  "'a' is of type int, and a condition is true or false", NULL },
	{ "a numeric constant", "main.Ints if 5", "5", "'5' is neither true nor false", NULL },
	{ "half of what is no condition", "main.Ints if g || a", "a",
	  "'a' is neither true nor false", NULL },
	{ "a constant that does not fit", "main.Ints if b == 300", "300",
	  "'300' does not fit into int8, the type of 'b'", NULL },
	{ "a negative constant that does not fit", "main.Ints if c > -1", "-1",
	  "'-1' does not fit into uint16, the type of 'c'", NULL },
	{ "a constant that is worked out", "main.Ints if b == 1 << 7", "1 << 7",
	  "'1 << 7' does not fit into int8, the type of 'b'", NULL },
	{ "a fraction", "main.Ints if a > 1.5", "1.5",
	  "'1.5' is no whole number, and so no int, the type of 'a'", NULL },
	{ "a string", "main.Ints if a == \"x\"", "\"x\"", "'\"x\"' is no int, the type of 'a'",
	  NULL },
	{ "nil", "main.Ints if a == nil", "nil", "'nil' is no int, the type of 'a'", NULL },
	{ "a number for a string", "main.Strings if s == 5", "5",
	  "'5' is no string, the type of 's'", NULL },
	{ "a duration", "main.Ints if a > 10ms", "10ms",
	  "'10ms' is a time.Duration, and no int, the type of 'a'", NULL },
	{ "different types", "main.Ints if a == b", "a == b",
	  "'a' is of type int, and 'b' of type int8: Go does not mix them", NULL },
	{ "different types in a sum", "main.Ints if a + d > 5", "a + d",
	  "'a' is of type int, and 'd' of type int32: Go does not mix them", NULL },
	{ "strings and an order", "main.Strings if s < \"x\"", "<",
	  "strings are only compared with == and != in a condition", NULL },
	{ "pointers and an order", "main.Refs if p.Left < p.Right", "<", "pointers have no order",
	  NULL },
	{ "structs", "main.Structs if p == p", "==",
	  "structs, arrays and complex numbers can't be compared in a condition", NULL },
	{ "interfaces", "main.Interfaces if e == e", "==",
	  "interfaces, slices, maps and functions can only be compared with nil in a condition",
	  NULL },
	{ "true and an order", "main.Ints if g > false", ">", "true and false have no order",
	  NULL },
	{ "sums of floats", "main.Floats if a + c > 1", "+",
	  "floats can be compared in a condition, and nothing else", NULL },
	{ "sums of strings", "main.Strings if s + \"a\" == \"b\"", "+",
	  "this operator is for numbers only", NULL },
	{ "not a number", "main.Ints if !a", "!", "'!' is for what is true or false", NULL },
	{ "the sign of a string", "main.Strings if -s == \"a\"", "-",
	  "this operator is for whole numbers only", NULL },
	{ "a division by 0", "main.Ints if a / 0 == 1", "0", "this divides by 0", NULL },
	{ "a constant's division by 0", "main.Ints if a == 1 / (2 - 2)", "/", "this divides by 0",
	  NULL },
	{ "a shift by what no uint64 holds", "main.Ints if a >> (1 << 64) == a", "1 << 64",
	  "the count of a shift must fit into uint64", NULL },
	{ "a shift by less than nothing", "main.Ints if a << -1 == 1", "-1",
	  "nothing can be shifted by a negative number", NULL },
	{ "a constant without a type that is shifted", "main.Ints if 1 << e == a", "1",
	  "it is not clear which type this constant has", NULL },
	{ "a constant that is too large", "main.Ints if a == 1 << 120", "<<",
	  "this constant is too large", NULL },
	{ "a part of a string", "main.Strings if s[1:3] == \"abc\"", ":",
	  "a part of a slice can't be captured here",
	  "an edit can cut a slice or string: 'set s = s[:3]'" },
	{ "a field of a sum", "main.Ints if (a + 1).b > 2", "+",
	  "only a variable can be here, or what it leads to", NULL },
	{ "an operator in an index", "main.Slices if a[-len(a)] > 1", "-",
	  "an index has no operators but '+' and '-'", NULL },
	{ "a parameter and a result", "main.Strings if len(s) > 1 || err != nil",
	  "len(s) > 1 || err != nil",
	  "this needs a parameter, known only at the call, and a result, known only at the return",
	  "the two can only be joined by '&&', as in 'x > 5 && err != nil'" },
	{ "a parameter and the duration", "main.Ints if a == 1 && (duration > 1s || a > 5)",
	  "duration > 1s || a > 5",
	  "this needs a parameter, known only at the call, and the duration, known only at the return",
	  NULL },
	{ "a parameter or a panic", "main.Ints if panicked || a > 5", "panicked || a > 5",
	  "this needs a parameter, known only at the call, and whether it panicked, known only at the return",
	  NULL },
	{ "a panic and a result", "main.Strings if panicked && err != nil", "err != nil",
	  "a call that panics does not show this: it has no results, and its duration is not asked for",
	  "next to 'panicked' it can only be joined by '||', as in 'panicked || err != nil'" },
	{ "a panic and the duration", "main.Strings if duration > 1s && panicked", "duration > 1s",
	  "a call that panics does not show this: it has no results, and its duration is not asked for",
	  NULL },
	{ "a panic compared with a result", "main.Strings if panicked == (err != nil)",
	  "panicked == (err != nil)",
	  "a call that panics does not show this: it has no results, and its duration is not asked for",
	  NULL },
	{ "the failure of a function without an error", "main.Ints if !failed", "failed",
	  "main.Ints returns no error", NULL },
	{ "a parameter or a failure", "main.Strings if failed || len(s) > 1", "failed || len(s) > 1",
	  "this needs a parameter, known only at the call, and a result, known only at the return",
	  "the two can only be joined by '&&', as in 'x > 5 && err != nil'" },
	{ "descendants of two", "main.Ints if descendant(5) || descendant(6)", "descendant(6)",
	  "only the descendants of one goroutine can be followed", NULL },
	{ "descendants of nobody", "main.Ints if descendant()", ")",
	  "the id of a goroutine, a number from 1 on, is missing here", NULL },
	{ "descendants of 0", "main.Ints if descendant(0)", "0",
	  "the id of a goroutine, a number from 1 on, is missing here", NULL },
	{ "descendants of a name", "main.Ints if descendant(goid)", "goid",
	  "the id of a goroutine, a number from 1 on, is missing here", NULL },
	{ "descendants of two in one", "main.Ints if descendant(5, 6)", ",",
	  "a ')' is missing here", NULL },
	{ "a number of descendants", "main.Ints if descendant(5) > 1", "1",
	  "'1' is no bool, the type of 'descendant(5)'", NULL },
	{ "an element of a channel", "main.Refs if c[0] == 1", "c[0]",
	  "'c[0]' is found by goprobectl, after the call: too late for operators, conditions and keys",
	  NULL },
	{ "what an interface holds", "main.Interfaces if e.s == \"x\"", "e.s",
	  "'e.s' is found by goprobectl, after the call: too late for operators, conditions and keys",
	  NULL },
	{ "an unknown name", "main.Strings if nn == 5", "nn", "main.Strings has no parameter and no result 'nn'",
	  "it takes s, b, n; it returns out, err; did you mean 'n'?" },
	{ "an unknown name beside an error without a name", "main.Interfaces if errr != nil", "errr",
	  "main.Interfaces has no parameter and no result 'errr'",
	  "it takes s, e, any; it returns ~r0, err; did you mean 'err'?" },
	{ "one of two errors without a name", "main.Ints(a int) (error, error) if err != nil",
	  "err", "main.Ints has no parameter and no result 'err'",
	  "it takes a; it returns ~r0, ~r1; its error is ~r1" },
	{ "an error that has another name", "main.Ints(a int) (e error) if err != nil", "err",
	  "main.Ints has no parameter and no result 'err'",
	  "it takes a; it returns e; its error is e" },
	{ "an unknown name behind what never holds", "main.Ints if false && h == 5", "h",
	  "main.Ints has no parameter and no result 'h'", NULL },
	{ "an unknown field", "main.Refs if p.Valeu == 5", "Valeu",
	  "main.Tree has no field 'Valeu'",
	  "did you mean 'Value'?" },
	{ "no string for a beginning", "main.Ints if hasPrefix(a, \"x\")", "a", "'a' is neither a string nor a []byte",
	  NULL },
	{ "what nothing is known of", "main.Leaf if a == 1", "a", NULL,
	  "write the signature before it: 'main.Leaf(a T) if ...'" },
};

ROWS(test_error, errors)
{
	const struct error_row *row = *state;
	struct filter_pair p;
	struct diag d = { 0 };

	assert_int_equal(compile(row->message ? newest : stripped, row->text, &p, &d), -1);
	rows_expect_diag(&d, row->message, row->text, row->at, row->hint);
	diag_fini(&d);
}

/* --- at random ---------------------------------------- */

/*
 * Conditions on main.Ints's numbers, made up, and worked out here, too, as Go would: on
 * numbers of 128 bits that are cut to the type's width.
 */
struct random {
	uint64_t seed;
	uint64_t regs[6];
	char text[4096];
	bool fails;
};

static const struct {
	const char *name;
	unsigned int bits;
	bool sign;
} params[] = {
	{ "a", 64, true }, { "b", 8, true }, { "c", 16, false }, { "d", 32, true },
	{ "e", 64, false }, { "f", 64, false },
};

static uint64_t next(struct random *r)
{
	r->seed ^= r->seed << 13;
	r->seed ^= r->seed >> 7;
	r->seed ^= r->seed << 17;
	return r->seed;
}

static __int128 cut(size_t type, __int128 v)
{
	unsigned int unused = 64 - params[type].bits;
	uint64_t high = (uint64_t)v << unused;

	return params[type].sign ? (int64_t)high >> unused : (__int128)(high >> unused);
}

/* A number of that type, written at the text's end; its value is only asked for if @live. */
static __int128 number(struct random *r, size_t type, int depth, bool live)
{
	static const char *const ops[] = { "+", "-", "*", "/", "%", "&", "|", "^", "&^" };
	char *to = r->text + strlen(r->text);
	size_t op = next(r) % N(ops);
	__int128 x, y;

	if (!depth || next(r) % 4 == 0) {
		stpcpy(to, params[type].name);
		return cut(type, r->regs[type]);
	}
	if (next(r) % 4 == 0) {
		op = next(r) % 2;
		stpcpy(to, op ? "-(" : "^(");
		x = number(r, type, depth - 1, live);
		strcat(r->text, ")");
		return cut(type, op ? -x : ~x);
	}
	stpcpy(to, "(");
	x = number(r, type, depth - 1, live);
	sprintf(r->text + strlen(r->text), " %s ", ops[op]);
	if (next(r) % 3 == 0) {
		y = 1 + next(r) % 127;
		sprintf(r->text + strlen(r->text), "%d)", (int)y);
	} else {
		y = number(r, type, depth - 1, live);
		strcat(r->text, ")");
	}
	switch (op) {
	case 0:
		return cut(type, x + y);
	case 1:
		return cut(type, x - y);
	case 2:
		return cut(type, (__int128)((uint64_t)x * (uint64_t)y));
	case 3:
	case 4:
		r->fails |= !y && live;
		return y ? cut(type, op == 3 ? x / y : x % y) : 0;
	case 5:
		return x & y;
	case 6:
		return x | y;
	case 7:
		return x ^ y;
	default:
		return x & ~y;
	}
}

static bool truth(struct random *r, int depth, bool live)
{
	static const char *const ops[] = { "<", "<=", ">", ">=", "==", "!=" };
	size_t op = next(r) % N(ops), type = next(r) % N(params);
	__int128 x, y;
	bool l, right;

	if (depth && next(r) % 3) {
		bool both = next(r) % 2, not = next(r) % 4 == 0;

		strcat(r->text, not ? "!(" : "(");
		l = truth(r, depth - 1, live);
		strcat(r->text, both ? " && " : " || ");
		/* After a failure nothing is done any more. */
		right = truth(r, depth - 1, live && l == both && !r->fails);
		strcat(r->text, ")");
		return (both ? l && right : l || right) != not;
	}
	live = live && !r->fails;
	x = number(r, type, depth, live);
	sprintf(r->text + strlen(r->text), " %s ", ops[op]);
	if (next(r) % 2) {
		y = next(r) % 100;
		sprintf(r->text + strlen(r->text), "%d", (int)y);
	} else {
		y = number(r, type, depth, live);
	}
	return op == 0 ? x < y : op == 1 ? x <= y : op == 2 ? x > y : op == 3 ? x >= y :
	       op == 4 ? x == y : x != y;
}

TEST(test_random, "conditions at random decide as Go does")
{
	static const int regs[] = { 0, 3, 2, 5, 4, 8 };
	struct machine *m = calloc(1, sizeof(*m));
	struct random r = { .seed = 88172645463325252ULL };
	size_t decided = 0;

	for (int i = 0; i < 3000; i++) {
		struct filter_pair p;
		struct diag d = { 0 };
		enum machine_verdict v;
		bool is;

		machine_set(m, "");
		for (size_t k = 0; k < N(params); k++) {
			/* Small ones meet each other and the constants. */
			r.regs[k] = next(&r) >> (next(&r) % 64);
			m->regs[regs[k]] = r.regs[k];
		}
		stpcpy(r.text, "main.Ints if ");
		r.fails = false;
		is = truth(&r, 3, true);
		if (compile(newest, r.text, &p, &d)) {
			/* Too many registers at once. */
			if (!strstr(d.message, "more steps"))
				fail_msg("%s: %s", r.text, d.message);
			diag_fini(&d);
			continue;
		}
		v = machine_filter(m, p.call.ops, p.call.nops);
		if (v != (r.fails ? MACHINE_UNDECIDED : is ? MACHINE_PASSES : MACHINE_REJECTED))
			fail_msg("%d: %s", v, r.text);
		decided++;
	}
	assert_true(decided > 2500);
	free(m);
}

TEST(test_notes, "notes about a condition")
{
	struct filter_pair p;
	struct diag d = { 0 };

	if (compile(newest, "main.Strings if len(s) > 1 && under(main.Leaf) && !under(main.Ints) && err != nil && duration > 1s",
		    &p, &d))
		fail_msg("%s", d.message);
	assert_int_equal(p.call.nunders, 2);
	assert_int_equal(p.call.ops[p.call.unders[1].op].code, GOPROBE_OP_UNDER);
	assert_false(p.call.numbers || p.call.results);
	assert_true(p.ret.results && p.returns);
	assert_null(p.unwound);
	if (compile(newest, "main.Strings if len(s) > 1 && (panicked || err != nil)", &p, &d))
		fail_msg("%s", d.message);
	assert_true(p.returns && p.unwound && !p.descendant);
	if (compile(newest, "main.Strings if !panicked && descendant(7)", &p, &d))
		fail_msg("%s", d.message);
	assert_true(p.returns && !p.unwound && p.descendant);
	if (compile(newest, "main.Ints if n % 2 == 0 && duration > 1s", &p, &d))
		fail_msg("%s", d.message);
	assert_true(p.call.numbers && !p.ret.numbers && !p.ret.results && p.returns);
}

AROUND_ALL(conds_open, conds_close)
