// SPDX-License-Identifier: GPL-2.0
/*
 * Keys that are compiled against real programs, made of registers
 * and memory that the rows give, kept and shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/group_by.h"
#include "compile/sig_parse.h"
#include "lang/spec.h"
#include "machine.h"
#include "output/key_print.h"
#include "rows.h"

static struct gobin *bin, *stripped;
static struct arena mem;

/* The function's text can have a signature. */
static int compile_parsed(struct gobin *of, const char *function, struct group_by_exprs *by,
			  struct group_by *ret, const struct gofunc **fn, struct diag *d)
{
	struct expr_scope scope = { .bin = of, .mem = &mem };
	struct sigparse types = { .bin = of, .mem = &mem };
	struct spec s;
	int err;

	assert_int_equal(spec_parse_signature(function, &s, d), 0);
	scope.fn = *fn = bins_func(of, s.pattern);
	assert_non_null(scope.fn);
	types.text = s.text;
	scope.sig = s.sig ? sigparse_sig(&types, s.sig, scope.fn, d) : gobin_sig(of, scope.fn);
	err = group_by_compile(&scope, by, ret, d);
	spec_fini(&s);
	return err;
}

/* The expressions are @exprs, with " | " in between. */
static int compile(struct gobin *of, const char *function, const char *exprs, struct group_by *ret,
		   const struct gofunc **fn, struct diag *d)
{
	struct group_by_exprs *by = arena_alloc(&mem, sizeof(*by));
	char *text = arena_strdup(&mem, exprs), *next;
	int err = 0;

	for (; !err && text; text = next) {
		next = strstr(text, " | ");
		if (next) {
			*next = 0;
			next += 3;
		}
		err = group_by_parse(by, text, d);
	}
	if (!err)
		err = compile_parsed(of, function, by, ret, fn, d);
	assert_true(err || ret->nops * 8 > 0);
	/* The parsed form is not needed any more, except types and texts. */
	group_by_fini(by);
	return err;
}

/* A value, with a linear histogram if @range is not NULL. */
static int compile_value(const char *function, const char *expr, const char *range,
			 struct group_by *ret, struct diag *d)
{
	struct group_by_exprs *by = arena_alloc(&mem, sizeof(*by));
	const struct gofunc *fn;
	int err = range ? group_by_parse_range(by, range, d) : 0;

	if (!err)
		err = group_by_parse_value(by, expr, d);
	if (!err)
		err = compile_parsed(bin, function, by, ret, &fn, d);
	group_by_fini(by);
	return err;
}

/* The line of "count" for the key in @m, with that many calls. */
static char *shown(struct machine *m, const struct group_by *key, const struct gofunc *fn,
		   bool json)
{
	struct goprobe_key_stats keyed = { .tally.hits = 7, .key_bytes = (uint32_t)m->nkey * 8 };
	struct plan_func pf = { .bin = bin, .fn = fn, .key = key }, *funcs[] = { &pf };
	struct plan plan = { .funcs = funcs, .nfuncs = 1 };
	struct stats_print show = { .plan = &plan, .json = json };
	const struct stats_print_when when = { .real = 5 };
	struct key_stats rows = { .nfuncs = 1 };
	struct key_print *k = key_print_new(&show);
	struct buf b = { 0 };
	char *line, *copy;

	assert_non_null(k);
	assert_int_equal(key_stats_add(&rows, &keyed, m->key), 0);
	key_stats_sort(&rows, TALLIES_BY_CALLS);
	assert_int_equal(rows.called, 1);
	key_print_table(k, &rows, &when, &b);
	buf_char(&b, 0);
	assert_false(b.failed);
	line = json ? strstr(b.p, "\"key\":") : strstr(b.p, " 7  ");
	assert_non_null(line);
	copy = strdup(line + (json ? 6 : 4));
	*strstr(copy, json ? ",\"time_ns\":5,\"calls\":7}\n" : "\n") = 0;
	key_print_free(k);
	key_stats_fini(&rows);
	buf_fini(&b);
	return copy;
}

static struct key_row {
	const char *claim, *function, *exprs, *setup, *text;
} keys[] = {
	{ "a number", "main.Ints", "a", "ax=5", "a=5" },
	{ "a negative number", "main.Ints", "a", "ax=ffffffffffffffff", "a=-1" },
	{ "a byte with a sign", "main.Ints", "b", "bx=5580", "b=-128" },
	{ "two bytes without a sign", "main.Ints", "c", "cx=5ffff", "c=65535" },
	{ "a large number without a sign", "main.Ints", "e", "si=ffffffffffffffff",
	  "e=18446744073709551615" },
	{ "true", "main.Ints", "g", "r9=5501", "g=true" },
	{ "false", "main.Ints", "g", "r9=5500", "g=false" },
	{ "several", "main.Ints", "a | g | b", "ax=1 r9=1 bx=2", "a=1 g=true b=2" },
	{ "a result", "main.Ints", "~r0", "ax=9", "~r0=9" },
	{ "two results", "main.Ints", "~r0 | ~r1", "ax=9 bx=1", "~r0=9 ~r1=true" },
	{ "a string", "main.Strings", "s", "ax=20000 bx=3 @20000=636261", "s=\"abc\"" },
	{ "a string without bytes", "main.Strings", "s", "ax=0 bx=0", "s=\"\"" },
	{ "a string that is no text", "main.Strings", "s", "ax=20000 bx=2 @20000=ff0a",
	  "s=\"\\n\\xff\"" },
	{ "a length", "main.Strings", "len(s) | cap(b)", "bx=64 si=7", "len(s)=100 cap(b)=7" },
	{ "a string between numbers", "main.Strings", "len(b) | n | len(s)",
	  "di=1 r8=20000 r9=8 @20000=6867666564636261 bx=2",
	  "len(b)=1 n=\"abcdefgh\" len(s)=2" },
	{ "the goroutine, the process and the thread", "main.Leaf", "goid | pid | tid",
	  "goid=5 pid=10 tid=11", "goid=5 pid=16 tid=17" },
	{ "a sum", "main.Ints", "a / 10 * 10 + 1 | b - 1", "ax=2b bx=80",
	  "a / 10 * 10 + 1=41 b - 1=127" },
	{ "a comparison", "main.Ints", "a > 5 && !g", "ax=6 r9=0", "a > 5 && !g=true" },
	{ "a beginning of a string", "main.Strings", "hasPrefix(s, \"ab\")",
	  "ax=20000 bx=3 @20000=636261", "hasPrefix(s, \"ab\")=true" },
	{ "a failure", "main.Strings", "failed", "cx=5", "failed=true" },
	{ "a division by nothing", "main.Ints", "a / (a - 6)", "ax=6", "?" },
	{ "a pointer", "main.Refs", "p", "di=c000010000", "p=0xc000010000" },
	{ "nil", "main.Refs", "p", "di=0", "p=nil" },
	{ "a channel", "main.Refs", "c", "bx=c000010000", "c=0xc000010000" },
	{ "what a pointer points to", "main.Refs", "p.Value", "di=20000 @20028=2a", "p.Value=42" },
	{ "nil on the way", "main.Refs", "p.Value", "di=0", "?" },
	{ "memory that is not there", "main.Strings", "s", "ax=30000 bx=3", "?" },
	{ "an interface without a value", "main.Interfaces", "e", "cx=0", "e=nil" },
	{ "an empty interface without a value", "main.Interfaces", "any", "si=0", "any=nil" },
	{ "a type that the program does not have", "main.Interfaces", "any", "si=c000010000",
	  "any=0xc000010000" },
	{ "an itab leads to a type", "main.Interfaces", "e", "cx=20000 @20008=c000010000",
	  "e=0xc000010000" },
	{ "what a closure has captured", "main.Later[go.shape.*uint8].func1", "len(l)",
	  "dx=20000 @20010=2a", "len(l)=42" },
	{ "an itab that is not there", "main.Interfaces", "e", "cx=20000", "?" },
};

ROWS(test_key, keys)
{
	const struct key_row *row = *state;
	const struct gofunc *fn;
	struct diag d = { 0 };
	struct machine m;
	struct group_by key;
	char *text;

	if (compile(bin, row->function, row->exprs, &key, &fn, &d))
		fail_msg("%s", d.message);
	machine_set(&m, row->setup);
	if (machine_filter(&m, key.ops, key.nops) != MACHINE_PASSES) {
		assert_string_equal("?", row->text);
		return;
	}
	text = shown(&m, &key, fn, false);
	assert_string_equal(text, row->text);
	free(text);
}

static void check_text(struct machine *m, const char *function, const char *exprs, bool json,
		       const char *want)
{
	const struct gofunc *fn;
	struct diag d = { 0 };
	struct group_by key;
	char *text;

	if (compile(bin, function, exprs, &key, &fn, &d))
		fail_msg("%s", d.message);
	assert_int_equal(machine_filter(m, key.ops, key.nops), MACHINE_PASSES);
	text = shown(m, &key, fn, json);
	m->nkey = 0;
	assert_string_equal(text, want);
	free(text);
}

/* A string of 70 bytes, the last ones of which are those of @last. */
static void set_long(struct machine *m, uint64_t last)
{
	machine_set(m, "ax=20000 bx=46");
	for (uint64_t i = 0; i < 8; i++)
		machine_put(m, 0x20000 + 8 * i, 0x6161616161616161);
	machine_put(m, 0x20000 + 8 * 8, last);
}

TEST(test_long, "strings of which the key has the beginning")
{
	struct machine m;
	char want[200];

	set_long(&m, 0x6161616161616161);
	snprintf(want, sizeof(want), "s=\"%064d\"...+6#79be047f", 0);
	memset(want + 3, 'a', 64);
	check_text(&m, "main.Strings", "s", false, want);
	set_long(&m, 0x6161616161616161);
	snprintf(want, sizeof(want), "[{\"expr\":\"s\",\"type\":\"string\",\"value\":\"%064d\",\"len\":70,\"truncated\":true,\"hash\":\"79be047f18cd745d\"}]",
		 0);
	memset(strchr(want, '0'), 'a', 64);
	check_text(&m, "main.Strings", "s", true, want);
	/* Another string with the same beginning and length. */
	set_long(&m, 0x6161626161616161);
	snprintf(want, sizeof(want), "s=\"%064d\"...+6#79be077f", 0);
	memset(want + 3, 'a', 64);
	check_text(&m, "main.Strings", "s", false, want);
}

/* Of this one the hash does not cover all. */
TEST(test_too_long, "strings that are longer than what the hash covers")
{
	struct machine m;
	char want[200];

	machine_set(&m, "ax=20000 bx=1001");
	for (uint64_t i = 0; i < 20; i++)
		machine_put(&m, 0x20000 + 8 * i, 0x6161616161616161);
	snprintf(want, sizeof(want), "s=\"%064d\"...+4033#197c67b3<perhaps several values>", 0);
	memset(want + 3, 'a', 64);
	check_text(&m, "main.Strings", "s", false, want);
}

TEST(test_json, "keys in JSON")
{
	struct machine m;

	machine_set(&m, "ax=5 r9=1 goid=7");
	check_text(&m, "main.Ints", "a | g | goid", true,
		   "[{\"expr\":\"a\",\"type\":\"int\",\"value\":5},{\"expr\":\"g\",\"type\":\"bool\",\"value\":true},{\"expr\":\"goid\",\"type\":\"int\",\"value\":7}]");
	machine_set(&m, "di=c000010000");
	check_text(&m, "main.Refs", "p", true,
		   "[{\"expr\":\"p\",\"type\":\"*main.Tree\",\"value\":\"0xc000010000\"}]");
	machine_set(&m, "cx=0");
	check_text(&m, "main.Interfaces", "e", true,
		   "[{\"expr\":\"e\",\"type\":\"error\",\"value\":null}]");
}

static int take_square(void *ctx, uint64_t vaddr, const char *name)
{
	uint64_t *to = ctx;

	if (!strcmp(name, "main.Square"))
		*to = vaddr;
	return 0;
}

/* Two types of one name: of packages with one name, or of functions. */
struct namesakes {
	struct hmap first;
	char name[100];
	uint64_t type[2];
};

static int take_namesakes(void *ctx, uint64_t vaddr, const char *name)
{
	struct namesakes *n = ctx;
	uint64_t hash = hmap_hash(0, name, strlen(name));
	uint64_t first = (uintptr_t)hmap_get(&n->first, hash);

	if (first && !n->type[0] && strlen(name) < sizeof(n->name)) {
		memcpy(n->name, name, strlen(name) + 1);
		n->type[0] = first;
		n->type[1] = vaddr;
	}
	return first ? 0 : hmap_put(&n->first, hash, (void *)(uintptr_t)vaddr);
}

TEST(test_namesakes, "types of one name")
{
	struct namesakes n = { .name = "" };
	char setup[100], want[300];
	struct machine m;

	gobin_each_rtype(bin, take_namesakes, &n);
	hmap_fini(&n.first);
	if (!n.type[0])
		fail_msg("the program has no two types of one name");
	snprintf(setup, sizeof(setup), "ax=20000 si=%llx @20008=%llx",
		 (unsigned long long)n.type[1], (unsigned long long)n.type[0]);
	machine_set(&m, setup);
	snprintf(want, sizeof(want), "s=%s any=%s@0x%llx", n.name, n.name,
		 (unsigned long long)n.type[1]);
	check_text(&m, "main.Interfaces", "s | any", false, want);
}

TEST(test_types, "types that interfaces hold")
{
	uint64_t square = 0;
	struct machine m;
	char setup[100];

	gobin_each_rtype(bin, take_square, &square);
	assert_true(square);
	snprintf(setup, sizeof(setup), "ax=20000 si=%llx @20008=%llx", (unsigned long long)square,
		 (unsigned long long)square);
	machine_set(&m, setup);
	check_text(&m, "main.Interfaces", "s | any", false, "s=main.Square any=main.Square");
}

TEST(test_floats, "floats")
{
	struct machine m;
	double x = -0.5;
	float y = 0.1f;

	machine_set(&m, "");
	memset(&m.regs[17], 0, 16);
	memcpy(&m.regs[17], &x, sizeof(x));
	memcpy(&m.regs[18], &y, sizeof(y));
	check_text(&m, "main.Floats", "a | b", false, "a=-0.5 b=0.1");
}

static struct error_row {
	const char *claim, *function, *exprs, *message, *marked, *hint;
} errors[] = {
	{ "a struct", "main.Structs", "p",
	  "'p' is of type main.Point, which can't be a key",
	  "p",
	  "name one of its fields, such as 'p.X'",
	},
	{ "what is behind a pointer", "main.Refs", "*p",
	  "'*p' is of type main.Tree, which can't be a key",
	  "*p",
	  "name one of its fields, such as 'p.Value'",
	},
	{ "a slice", "main.Slices", "a",
	  "'a' is of type []main.Item, which can't be a key",
	  "a",
	  "its length can be one: 'len(a)'",
	},
	{ "a map", "main.Refs", "m",
	  "'m' is of type map[string]int, which can't be a key",
	  "m",
	  "its length can be one: 'len(m)'",
	},
	{ "an array", "main.Arrays", "b",
	  "'b' is of type [2]int, which can't be a key",
	  "b",
	  "name one of its elements, such as 'b[0]'",
	},
	{ "a function", "main.Refs", "f",
	  "'f' is of type func(int) error, which can't be a key",
	  "f",
	  "numbers, strings, booleans and pointers can, and the types that interfaces hold",
	},
	{ "an element of a channel", "main.Refs", "c[0]",
	  "'c[0]' is found by goprobectl, after the call: too late for operators, conditions and keys",
	  "c[0]",
	  "elements of channels can only be shown, and entries of maps whose keys are neither strings nor integers; what an interface holds needs its type, as in x.(T)",
	},
	{ "a parameter and a result", "main.Ints", "a | ~r0",
	  "parameters are known only at the call, results only at the return: a key can't have both",
	  "~r0",
	  "-",
	},
	{ "nothing of that name", "main.Leaf", "x",
	  "main.Leaf has no parameter and no result 'x'",
	  "x",
	  "it takes a, b; it returns ~r0",
	},
	{ "a number that is written", "main.Leaf", "5",
	  "'5' is the same for all calls",
	  "5",
	  "-",
	},
	{ "two expressions", "main.Leaf", "a, b",
	  "nothing can follow here",
	  ",",
	  "each expression has its own --by",
	},
	{ "no operand", "main.Leaf", "a +",
	  "an expression is missing here",
	  "",
	  "-",
	},
	{ "what is worked out", "main.Leaf", "len(\"abc\") + 5",
	  "a string in quotes can only be a key",
	  "\"abc\"",
	  "-",
	},
	{ "the number of the hit", "main.Leaf", "n",
	  "'n', 'duration', 'panicked', 'under' and 'descendant' are for conditions, not for keys",
	  "n",
	  "-",
	},
	{ "the calls further up", "main.Leaf", "under(main.main) == (a > 5)",
	  "'n', 'duration', 'panicked', 'under' and 'descendant' are for conditions, not for keys",
	  "under(main.main) == (a > 5)",
	  "-",
	},
	{ "types that Go does not mix", "main.Ints", "a + b",
	  "'a' is of type int, and 'b' of type int8: Go does not mix them",
	  "a + b",
	  "-",
	},
	{ "too many", "main.Ints", "a | b | c | d | e",
	  "--by can be given 4 times at most",
	  "",
	  "-",
	},
};

ROWS(test_error, errors)
{
	const struct error_row *row = *state;
	const struct gofunc *fn;
	struct diag d = { 0 };
	struct group_by key;
	char marked[50];

	assert_int_equal(compile(bin, row->function, row->exprs, &key, &fn, &d), -1);
	snprintf(marked, sizeof(marked), "%.*s", (int)d.len, d.text ? d.text + d.at : "");
	assert_string_equal(d.message, row->message);
	assert_string_equal(marked, row->marked);
	assert_string_equal(d.hint ? d.hint : "-", row->hint);
	diag_fini(&d);
}

static struct value_row {
	const char *claim, *function, *expr, *range, *setup;
	int64_t value;
	bool is_signed;
	uint64_t bucket;
} values[] = {
	{ "a number", "main.Ints", "a", NULL, "ax=5", 5, true, GOPROBE_BUCKETS },
	{ "a negative number", "main.Ints", "a", NULL, "ax=ffffffffffffffff", -1, true,
	  GOPROBE_BUCKETS },
	{ "a byte with a sign", "main.Ints", "b", NULL, "bx=5580", -128, true, GOPROBE_BUCKETS },
	{ "two bytes without a sign", "main.Ints", "c", NULL, "cx=5ffff", 65535, false,
	  GOPROBE_BUCKETS },
	{ "the largest number", "main.Ints", "e", NULL, "si=ffffffffffffffff", -1, false,
	  GOPROBE_BUCKETS },
	{ "a length", "main.Strings", "len(s)", NULL, "bx=64", 100, true, GOPROBE_BUCKETS },
	{ "a result", "main.Ints", "~r0", NULL, "ax=9", 9, true, GOPROBE_BUCKETS },
	{ "a sum that wraps", "main.Ints", "b + 1", NULL, "bx=7f", -128, true, GOPROBE_BUCKETS },
	{ "below the steps", "main.Ints", "a", "-10,20,10", "ax=fffffffffffffff5", -11, true, 0 },
	{ "in the first step", "main.Ints", "a", "-10,20,10", "ax=fffffffffffffff6", -10, true,
	  1 },
	{ "at the end of it", "main.Ints", "a", "-10,20,10", "ax=ffffffffffffffff", -1, true, 1 },
	{ "in the next one", "main.Ints", "a", "-10,20,10", "ax=0", 0, true, 2 },
	{ "in the last one", "main.Ints", "a", "-10,20,10", "ax=13", 19, true, 3 },
	{ "above the steps", "main.Ints", "a", "-10,20,10", "ax=14", 20, true, 4 },
	{ "the greatest number above them", "main.Ints", "a", "0,250,1", "ax=7fffffffffffffff",
	  INT64_MAX, true, 251 },
	{ "the last of many steps", "main.Ints", "a", "0,250,1", "ax=f9", 249, true, 250 },
	{ "a last step that is shorter", "main.Ints", "a", "0,25,10", "ax=18", 24, true, 3 },
	{ "steps as far as numbers go", "main.Ints", "a",
	  "-9223372036854775808,9223372036854775807,9223372036854775807", "ax=0", 0, true, 2 },
	{ "a large number without a sign is above", "main.Ints", "e", "0,10,1",
	  "si=ffffffffffffffff", -1, false, 11 },
	{ "one in a step", "main.Ints", "e", "5,10,1", "si=9", 9, false, 5 },
};

ROWS(test_value, values)
{
	const struct value_row *row = *state;
	struct diag d = { 0 };
	struct machine m;
	struct group_by key;

	if (compile_value(row->function, row->expr, row->range, &key, &d))
		fail_msg("%s", d.message);
	assert_int_equal(key.nops, 0);
	assert_string_equal(key.value.name, row->expr);
	assert_int_equal(key.value.is_signed, row->is_signed);
	machine_set(&m, row->setup);
	assert_int_equal(machine_filter(&m, key.value.ops, key.value.nops), MACHINE_PASSES);
	assert_int_equal(m.nkey, 0);
	assert_int_equal(m.value, row->value);
	assert_int_equal(m.is_signed, row->is_signed);
	assert_int_equal(m.bucket, row->bucket);
}

static struct value_error_row {
	const char *claim, *function, *expr, *range, *message, *hint;
} value_errors[] = {
	{ "a string", "main.Strings", "s", NULL, "'s' is of type string, which is no integer",
	  "did you mean 'len(s)'?" },
	{ "a map", "main.Refs", "m", NULL, "'m' is of type map[string]int, which is no integer",
	  "did you mean 'len(m)'?" },
	{ "a boolean", "main.Ints", "g", NULL, "'g' is of type bool, which is no integer",
	  "--by g counts both values" },
	{ "a struct", "main.Structs", "p", NULL, "'p' is of type main.Point, which is no integer",
	  "name one of its fields, such as 'p.X'" },
	{ "a float", "main.Floats", "a", NULL, "'a' is of type float64, which is no integer",
	  "integers and lengths have a sum and a histogram" },
	{ "how long it took", "main.Ints", "duration", NULL,
	  "how long calls take is no value to be summed",
	  "'goprobectl latency' shows durations, with a histogram" },
	{ "the number of the hit", "main.Leaf", "n", NULL,
	  "'n', 'panicked', 'under' and 'descendant' are for conditions, not for values", "-" },
	{ "a number that is written", "main.Ints", "5", NULL, "'5' is the same for all calls",
	  "-" },
	{ "both sides of the call", "main.Ints", "a - ~r0", NULL,
	  "parameters are known only at the call, results only at the return: a value can't have both",
	  "-" },
	{ "two values", "main.Ints", "a, b", NULL, "nothing can follow here",
	  "calls have one value; --by groups them" },
	{ "steps below what a type can be", "main.Ints", "e", "-1,10,1",
	  "'e' is of type uint64, so no value is below 0", "--linear can begin at 0" },
	{ "too many steps", "main.Ints", "a", "0,251,1",
	  "'0,251,1' makes 251 buckets, and a histogram has 250 at most", "make STEP larger" },
	{ "no step", "main.Ints", "a", "0,100", "'0,100' is no value for --linear",
	  "it takes LO,HI,STEP: 0,1000,100 makes ten buckets from 0 to below 1000" },
	{ "a step of nothing", "main.Ints", "a", "0,100,0", "'0,100,0' is no value for --linear",
	  "it takes LO,HI,STEP: 0,1000,100 makes ten buckets from 0 to below 1000" },
	{ "an end before the start", "main.Ints", "a", "5,5,1", "'5,5,1' is no value for --linear",
	  "it takes LO,HI,STEP: 0,1000,100 makes ten buckets from 0 to below 1000" },
	{ "more behind it", "main.Ints", "a", "0,5,1x", "'0,5,1x' is no value for --linear",
	  "it takes LO,HI,STEP: 0,1000,100 makes ten buckets from 0 to below 1000" },
};

ROWS(test_value_error, value_errors)
{
	const struct value_error_row *row = *state;
	struct diag d = { 0 };
	struct group_by key;

	assert_int_equal(compile_value(row->function, row->expr, row->range, &key, &d), -1);
	assert_string_equal(d.message, row->message);
	assert_string_equal(d.hint ? d.hint : "-", row->hint);
	diag_fini(&d);
}

TEST(test_second_value, "a second value")
{
	struct group_by_exprs by = { .n = 0 };
	struct diag d = { 0 };

	assert_int_equal(group_by_parse_value(&by, "a", &d), 0);
	assert_int_equal(group_by_parse_value(&by, "b", &d), -1);
	assert_string_equal(d.message,
			    "--hist and --sum are about one value: give one of them, once");
	diag_fini(&d);
	group_by_fini(&by);
}

TEST(test_stripped, "without debug information")
{
	const struct gofunc *fn;
	struct diag d = { 0 };
	struct group_by key;

	assert_int_equal(compile(stripped, "main.Leaf", "goid", &key, &fn, &d), 0);
	assert_int_equal(compile(stripped, "main.Leaf(a, b int) int", "b", &key, &fn, &d), 0);
	assert_int_equal(compile(stripped, "main.Leaf", "b", &key, &fn, &d), -1);
	assert_string_equal(d.hint, "write its signature behind the pattern: 'main.Leaf(x T)'");
	diag_fini(&d);
}

static void add(struct key_stats *rows, uint32_t id, uint64_t key, uint64_t hits, uint64_t sum)
{
	struct goprobe_key_stats keyed = {
		.tally = { .id = id, .hits = hits, .sum = sum, .first = 4, .nbuckets = 1 },
		.key_bytes = 8,
	};

	assert_int_equal(key_stats_add(rows, &keyed, (uint64_t[]){ key, hits }), 0);
}

TEST(test_rows, "rows are kept, and put in order")
{
	struct key_stats rows = { .nfuncs = 2 };
	struct tally t;

	add(&rows, 0, 7, 3, 100);
	add(&rows, 1, 7, 4, 50);
	add(&rows, 0, 8, 0, 0);
	add(&rows, 2, 7, 9, 9);
	assert_int_equal(rows.n, 3);
	key_stats_sort(&rows, TALLIES_BY_CALLS);
	assert_int_equal(rows.called, 2);
	assert_int_equal(rows.v[0]->id, 1);
	key_stats_sort(&rows, TALLIES_BY_TIME);
	assert_int_equal(rows.v[0]->id, 0);
	key_stats_begin(&rows);
	add(&rows, 0, 7, 5, 100);
	key_stats_sort(&rows, TALLIES_BY_NEW);
	assert_int_equal(rows.v[0]->new, 2);
	assert_int_equal(rows.v[1]->new, 0);
	key_stats_row_tally(rows.v[0], &t);
	assert_int_equal(t.calls, 5);
	assert_int_equal(t.took.n, 5);
	assert_int_equal(t.took.bucket[4], 5);
	assert_int_equal(t.took.sum, 100);
	key_stats_fini(&rows);
}

static int open_all(void **state)
{
	(void)state;
	bin = bins_newest("");
	stripped = bins_newest("-stripped");
	return 0;
}

static int close_all(void **state)
{
	(void)state;
	gobin_free(bin);
	gobin_free(stripped);
	arena_fini(&mem);
	return 0;
}

AROUND_ALL(open_all, close_all)
