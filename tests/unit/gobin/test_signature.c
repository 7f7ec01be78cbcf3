// SPDX-License-Identifier: GPL-2.0
/* Signatures: their text, and the sums of their sizes. */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "bins.h"
#include "gobin/abi.h"
#include "gobin/signature.h"
#include "rows.h"

/* The sum of a signature's places is what the line table says. */
TEST(test_adds_up, "signatures add up with the line table")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-noopt");

	while (bins_next(&b)) {
		size_t compiled, complete = bins_complete(b.bin, &compiled);

		print_message("%s: %zu of %zu compiled functions\n", b.path, complete, compiled);
		assert_true(complete * 1000 >= compiled * 995);
	}
}

struct sig_case {
	const char *name;
	const char *text;
	int since;		/* Go 1.N */
	int before;		/* 0: any */
	/* Which parameters and results are in their place: '+' and '-'. */
	const char *known;
};

static const struct sig_case sigs[] = {
	{ "main.Ints",
	  "func(a int, b int8, c uint16, d int32, e uint64, f uintptr, g bool) (int, bool)",
	},
	{ "main.Floats", "func(a float64, b float32, i int, c float64) (float64, int)" },
	{ "main.Complexes", "func(a complex128, b complex64) complex128" },
	{ "main.Strings", "func(s string, b []byte, n main.Named) (out string, err error)" },
	{ "main.TenInts",
	  "func(a int, b int, c int, d int, e int, f int, g int, h int, i int, j int) int",
	},
	{ "main.SmallAfterBig", "func(a int, big main.Big, b int, c int) (int, main.Big)" },
	{ "main.Structs",
	  "func(m main.Mixed, p main.Point, e main.Empty, i main.Item) (main.Mixed, main.Item)",
	},
	{ "main.Interfaces", "func(s main.Shape, e error, any interface {}) (main.Shape, error)" },
	{ "main.Refs",
	  "func(m map[string]int, c chan int, f func(int) error, p *main.Tree, t main.Tree) main.Callback",
	},
	{ "main.Slices",
	  "func(a []main.Item, b [][]int, c []main.Tree, d []interface {}, e []main.Empty) int",
	},
	{ "main.Times", "func(t time.Time, d time.Duration, k main.Kind) time.Time" },
	{ "main.Results", "func() (a int, b string, c float64, d []int, e error, f [2]int)", 17 },
	{ "main.Unused", "func(a int, b int, c string, d int) int" },
	{ "main.Variadic", "func(format string, args []interface {}) int" },
	{ "main.Nothing", "func()" },
	{ "main.Recovers", "func(n int) (result int, err error)" },
	{ "main.Recovers.func1", "func()", 17 },
	{ "main.Point.Value", "func(k int) int" },
	{ "main.(*Point).Pointer", "func(k int) int" },
	{ "main.MakeClosure", "func(a int, s string) func(int, string) int" },
	{ "main.MakeClosure.func1", "func(b int, t string) int" },
	/* Blank and unnamed parameters are described since 1.22. */
	{ "main.Blank",
	  "func(_ int, a string, _ float64, b int) (_ int, err error)",
	  22, 0, "++++++" },
	{ "main.Unnamed", "func(_ int, _ string) int", 22 },
	{ "main.BlankLast", "func(a int, s string, _ bool) string", 22 },
	{ "main.Point.NoReceiverName", "func(k int) int", 22 },
	/* Before that what follows them is found by where it is. */
	{ "main.Blank", "func(_ ?, a string, b int, _ ?) (_ int, err error)", 17, 22, "-++-++" },
	{ "main.Unnamed", "func(_ ?, _ ?) int", 17, 22, "--+" },
	{ "main.BlankLast", "func(a int, s string, _ ?) string", 17, 22, "++-+" },
	{ "main.Point.NoReceiverName", "func(_ ?, k int) int", 17, 22, "-++" },
	/* Generics: a hidden dictionary, and shapes instead of types. */
	{ "main.Sum[go.shape.int]", "func(first int, rest []int) int", 21 },
	{ "main.Sum[go.shape.float64]", "func(first float64, rest []float64) float64", 21 },
	{ "main.Map[go.shape.int,go.shape.string]",
	  "func(in []int, f func(int) string) []string",
	  21 },
	{ "main.Swap[go.shape.string,go.shape.int]",
	  "func(p main.Pair[string,int]) main.Pair[int,string]",
	  21 },
	{ "main.(*List[go.shape.string]).Push", "func(v string) int", 21 },
	/* Real types where only one instantiation has the shape. */
	{ "main.Keep[go.shape.string]", "func(v main.Named, n int) main.Named", 21 },
	{ "main.Keep[go.shape.int]", "func(v int, n int) int", 21 },
	{ "main.(*List[go.shape.struct { X int; Y int }]).Push", "func(v main.Point) int", 21 },
	{ "main.Map[...]", "func(in []int, f func(int) string) []string", 18, 21 },
	{ "main.Swap[...]", "func(p main.Pair[string,int]) main.Pair[int,string]", 18, 21 },
	{ "runtime.memmove", "func(?)" },
};

static void check_known(const struct gosig *sig, const char *want)
{
	char got[64] = "";
	size_t n = 0;

	for (size_t i = 0; i < sig->nparams; i++)
		got[n++] = sig->params[i].unavailable ? '-' : '+';
	for (size_t i = 0; i < sig->nresults; i++)
		got[n++] = sig->results[i].unavailable ? '-' : '+';
	assert_string_equal(got, want);
}

TEST(test_signatures, "signatures read as Go writes them")
{
	struct bins_each b = BINS("shapes", "", "-pie", "-plain");

	while (bins_next(&b)) {
		for (size_t k = 0; k < N(sigs); k++) {
			const struct sig_case *c = &sigs[k];
			const struct gofunc *fn;
			char *text;

			if (b.minor < c->since || (c->before && b.minor >= c->before))
				continue;
			fn = bins_func(b.bin, c->name);
			if (!fn)
				fail_msg("%s: no %s", b.path, c->name);
			text = gobin_sig_text(b.bin, fn);
			if (strcmp(text, c->text))
				fail_msg("%s: %s is %s, not %s", b.path, c->name, text, c->text);
			if (c->known)
				check_known(gobin_sig(b.bin, fn), c->known);
			free(text);
		}
	}
}

/* Signatures from debug information that is made up. */
static const struct gotype t_int = {
	.kind = GOTYPE_INT, .name = "int", .size = 8, .align = 8,
};

static const struct gotype t_bool = {
	.kind = GOTYPE_BOOL, .name = "bool", .size = 1, .align = 1,
};

static const struct gotype t_float = {
	.kind = GOTYPE_FLOAT, .name = "float64", .size = 8, .align = 8,
};

static const struct gotype t_float32 = {
	.kind = GOTYPE_FLOAT, .name = "float32", .size = 4, .align = 4,
};

static const struct gotype t_string = {
	.kind = GOTYPE_STRING, .name = "string", .size = 16, .align = 8,
};

static const struct gotype t_cart = {
	.kind = GOTYPE_POINTER, .name = "*main.Cart", .size = 8, .align = 8,
};

static const struct gotype t_list = {
	.kind = GOTYPE_POINTER, .name = "*main.List[int]", .size = 8,
	.align = 8,
};

static const struct gotype t_what = {
	.kind = GOTYPE_UNKNOWN, .name = "what", .size = 8, .align = 1,
};

enum { AX, DX, CX, BX, SI, DI, X0 = 17 };

struct made_case {
	const char *claim;
	const char *name;
	struct dwparam params[6];
	size_t nparams;
	struct signature_facts facts;
	const char *want;
	/* Of what is available: registers' numbers, or "@" and the stack's. */
	const char *places;
};

static const struct gofield f_pair[] = {
	{ .name = "M", .type = &t_cart }, { .name = "F", .type = &t_float32, .offset = 8 },
};

static const struct gotype t_pair = {
	.kind = GOTYPE_STRUCT, .name = "main.Pair", .size = 16, .align = 8, .fields = f_pair,
	.nfields = 2,
};

static const struct gotype t_floats = {
	.kind = GOTYPE_ARRAY, .name = "[3]float64", .size = 24, .align = 8, .elem = &t_float,
	.count = 3,
};

static const struct gotype t_bytes = {
	.kind = GOTYPE_ARRAY, .name = "[3]int8", .size = 3, .align = 1, .elem = &t_bool, .count = 3,
};

static const struct gotype t_mark128 = {
	.kind = GOTYPE_STRUCT, .name = "simd/archsimd.v128", .align = 8,
};

static const struct gotype t_mark512 = {
	.kind = GOTYPE_STRUCT, .name = "simd/archsimd.v512", .align = 8,
};

static const struct gotype t_numbers = {
	.kind = GOTYPE_ARRAY, .name = "[2]int64", .size = 16, .align = 8, .elem = &t_int,
	.count = 2,
};

static const struct gofield f_vector[] = {
	{ .name = "int64x2", .type = &t_mark128 }, { .name = "vals", .type = &t_numbers },
};

static const struct gofield f_wide[] = {
	{ .name = "int64x8", .type = &t_mark512 }, { .name = "vals", .type = &t_numbers },
};

static const struct gotype t_vector = {
	.kind = GOTYPE_STRUCT, .name = "simd/archsimd.Int64x2", .size = 16, .align = 8,
	.fields = f_vector, .nfields = 2,
};

static const struct gotype t_wide = {
	.kind = GOTYPE_STRUCT, .name = "simd/archsimd.Int64x8", .size = 64, .align = 8,
	.fields = f_wide, .nfields = 2,
};

/* FUNCDATA_ArgInfo; its end is that of the array. */
#define INFO(...) \
	{ .data = (const uint8_t[]){ __VA_ARGS__, 0xff }, \
	  .len = sizeof((const uint8_t[]){ __VA_ARGS__, 0xff }) }
#define SAVED(...) \
	.saved = (const struct insn_saved[]){ __VA_ARGS__ }, \
	.nsaved = N(((const struct insn_saved[]){ __VA_ARGS__ }))

#define NOWHERE DWLOC_NONE

/* mov rax, rdx; mov rbx, rdx; mov rcx, rdx; ret */
static const uint8_t three_results[] = {
	0x48, 0x89, 0xd0, 0x48, 0x89, 0xd3, 0x48, 0x89, 0xd1, 0xc3,
};

static const struct made_case made[] = {
	{
		"plain", "main.F",
		{ { "x", &t_int, false, AX }, { "s", &t_string, false, BX },
		  { "~r0", &t_int, true, NOWHERE } }, 3,
		{ 27, false, 24 }, "func(x int, s string) int",
	}, {
		"a pointer receiver", "main.(*Cart).Add",
		{ { "c", &t_cart, false, AX }, { "x", &t_int, false, BX } }, 2,
		{ 27, false, 16 }, "receiver func(x int)",
	}, {
		"a closure in a method has none", "main.(*Cart).Add.func1",
		{ { "c", &t_cart, false, AX } }, 1,
		{ 27, false, 8 }, "func(c *main.Cart)",
	}, {
		"a dictionary with an entry stands first, wherever it is listed",
		"main.F[go.shape.int]",
		{ { "x", &t_int, false, BX }, { ".dict", &t_int, false, NOWHERE } },
		2, { 27, false, 16 }, "dict@0 func(x int)",
	}, {
		"a dictionary without an entry does as well", "main.F[go.shape.int]",
		{ { "x", &t_int, false, BX } }, 1,
		{ 26, false, 16 }, "dict@0 func(x int)",
	}, {
		"in a method it follows the receiver", "main.(*List[go.shape.int]).Push",
		{ { "l", &t_list, false, AX }, { "x", &t_int, false, CX } }, 2,
		{ 26, false, 24 }, "receiver dict@1 func(x int)",
	}, {
		"and before 1.20 comes before it", "main.(*List[go.shape.int_0]).Push",
		{ { "l", &t_list, false, BX }, { "x", &t_int, false, CX } }, 2,
		{ 19, false, 24 }, "receiver dict@0 func(x int)",
	}, {
		"a closure in generic code has none", "main.F[go.shape.int].func1",
		{ { "x", &t_int, false, AX } }, 1,
		{ 26, false, 8 }, "func(x int)",
	}, {
		"unless the line table says otherwise", "main.F[go.shape.int].func1",
		{ { "x", &t_int, false, BX } }, 1,
		{ 26, false, 16 }, "dict@0 func(x int)",
	}, {
		"results without names", "main.F",
		{ { "~r0", &t_int, true, NOWHERE }, { "~r1", &t_int, true, NOWHERE } },
		2, { 24, false, 0 }, "func() (int, int)",
	}, {
		"results without names beside some with", "main.F",
		{ { "~r0", &t_int, true, NOWHERE }, { "err", &t_int, true, NOWHERE } },
		2, { 24, false, 0 }, "func() (_ int, err int)",
	}, {
		"a sum that does not agree is reported", "main.F",
		{ { "x", &t_int, false, AX } }, 1,
		{ 24, false, 16 }, "incomplete func(x int)",
	}, {
		"one that is not known is not held against it", "main.F",
		{ { "x", &t_int, false, AX } }, 1,
		{ 24, false, INT32_MIN }, "func(x int)",
	}, {
		"a type that is not described", "main.F",
		{ { "x", &t_what, false, AX } }, 1,
		{ 24, false, 8 }, "incomplete func(x what)",
	}, {
		"before 1.22: a hole in front", "main.F",
		{ { "x", &t_int, false, BX } }, 1,
		{ 19, false, 16 }, "func(_! ?, x int)",
	}, {
		"a hole of two words", "main.F",
		{ { "a", &t_int, false, AX }, { "x", &t_int, false, DI } }, 2,
		{ 19, false, 32 }, "func(a int, _! ?, x int)",
	}, {
		"a hole among floats", "main.F",
		{ { "a", &t_float, false, X0 }, { "b", &t_int, false, AX },
		  { "c", &t_float, false, 19 } }, 3,
		{ 19, false, 32 }, "func(a float64, b int, _! ?, c float64)",
	}, {
		"what stands before a hole without a place may stand behind it",
		"main.F",
		{ { "a", &t_int, false, NOWHERE }, { "b", &t_int, false, CX } },
		2, { 19, false, 24 }, "func(a! int, _! ?, b int)",
	}, {
		"a hole behind the last", "main.F",
		{ { "a", &t_int, false, AX } }, 1,
		{ 19, false, 24 }, "func(a int, _! ?)",
	}, {
		"nothing but a hole", "main.F", { { NULL } }, 0,
		{ 19, false, 16 }, "func(_! ?)",
	}, {
		"nothing is sure without any place", "main.F",
		{ { "a", &t_int, false, NOWHERE } }, 1,
		{ 19, false, 16 }, "func(a! int, _! ?)",
	}, {
		"a small one that alignment swallows", "main.F",
		{ { "a", &t_int, false, AX }, { "b", &t_bool, false, CX } }, 2,
		{ 19, false, 16 }, "func(a int, _! ?, b bool)",
	}, {
		"since 1.22 the convention is right and the place is not", "main.F",
		{ { "a", &t_int, false, AX }, { "b", &t_bool, false, CX } }, 2,
		{ 22, false, 16 }, "func(a int, b bool)",
	}, {
		"results of a function with a range loop are those that its code sets", "main.F",
		{ { "n", &t_int, true, NOWHERE }, { "s", &t_string, true, NOWHERE } }, 2,
		{ 27, false, 0, true, three_results, sizeof(three_results) },
		"func() (n int, s string)",
	}, {
		"if it sets more, one without a name is missing", "main.F",
		{ { "s", &t_string, true, NOWHERE } }, 1,
		{ 27, false, 0, true, three_results, sizeof(three_results) },
		"func() (s! string)",
	}, {
		"if it sets fewer, who knows", "main.F",
		{ { "n", &t_int, true, NOWHERE }, { "s", &t_string, true, NOWHERE } }, 2,
		{ 27, false, 0, true, three_results + 3, sizeof(three_results) - 3 },
		"func() (n! int, s! string)",
	}, {
		"none is described", "main.F", { { NULL } }, 0,
		{ 27, false, 0, true, three_results, sizeof(three_results) }, "func() ?",
	}, {
		"on the stack places are exact", "main.F",
		{ { "a", &t_int, false, DWLOC_STACK, 8 },
		  { "~r1", &t_int, true, DWLOC_STACK, 24 } }, 2,
		{ 15, true, 32 }, "func(_! ?, a int, _! ?) int",
	}, {
		"a hole with a float moves the floats behind it", "main.F",
		{ { "p", &t_pair, false, BX }, { "x", &t_int, false, DI } }, 2,
		{ 19, false, 40, SAVED({ AX, 8, 0 }, { X0, 8, 8 }, { BX, 8, 16 }, { X0 + 1, 4, 24 },
				       { CX, 8, 32 }),
		  .info = INFO(0xfe, 0, 8, 8, 8, 0xfd, 0xfe, 16, 8, 24, 4, 0xfd, 32, 8) },
		"func(_! ?, p main.Pair, x int)", "p=3,18 x=2",
	}, {
		"the registers behind it show that it has a float", "main.F",
		{ { "p", &t_pair, false, BX }, { "x", &t_int, false, CX } }, 2,
		{ 19, false, 40,
		  .info = INFO(0xfe, 0, 8, 8, 8, 0xfd, 0xfe, 16, 8, 24, 4, 0xfd, 32, 8) },
		"func(_! ?, p main.Pair, x int)", "p=3,18 x=2",
	}, {
		"without any, nothing is known", "main.F",
		{ { "p", &t_pair, false, NOWHERE }, { "x", &t_int, false, NOWHERE } }, 2,
		{ 19, false, 40,
		  .info = INFO(0xfe, 0, 8, 8, 8, 0xfd, 0xfe, 16, 8, 24, 4, 0xfd, 32, 8) },
		"func(_! ?, p! main.Pair, x! int)", "",
	}, {
		"a hole on the stack", "main.F",
		{ { "p", &t_floats, false, NOWHERE }, { "x", &t_int, false, AX } }, 2,
		{ 19, false, 48,
		  .info = INFO(0xfe, 0, 8, 8, 8, 0xfd, 0xfe, 16, 8, 24, 8, 32, 8, 0xfd, 40, 8) },
		"func(_! ?, p [3]float64, x int)", "p=@24 x=0",
	}, {
		"results on the stack are behind it", "main.F",
		{ { "x", &t_int, false, AX }, { "r", &t_bytes, true, NOWHERE } }, 2,
		{ 19, false, 40, .info = INFO(0xfe, 0, 8, 8, 8, 16, 8, 0xfd, 32, 8) },
		"func(_! ?, x int) (r [3]int8)", "x=0 r=@32",
	}, {
		"also if it is larger than what is described of it", "main.F",
		{ { "x", &t_int, false, AX }, { "r", &t_bytes, true, NOWHERE } }, 2,
		{ 19, false, 112, SAVED({ AX, 8, 104 }),
		  .info = INFO(0xfe, 0, 8, 8, 8, 16, 8, 24, 8, 32, 8, 40, 8, 48, 8, 56, 8, 64, 8,
			       72, 8, 0xfc, 0xfd, 0xfc) },
		"func(_! ?, x int) (r [3]int8)", "x=0 r=@104",
	}, {
		"but where are they if nothing else is known?", "main.F",
		{ { "r", &t_bytes, true, NOWHERE } }, 1,
		{ 19, false, 32 }, "func(_! ?) (r! [3]int8)", "",
	}, {
		"a small hole that alignment swallows moves floats, too", "main.F",
		{ { "a", &t_float32, false, X0 }, { "b", &t_float, false, NOWHERE } }, 2,
		{ 19, false, 16, .info = INFO(0, 4, 4, 4, 8, 8) },
		"func(a float32, _! ?, b! float64)", "a=17",
	}, {
		"behind the tenth part the saved registers show what is missing", "main.F",
		{ { "s", &t_string, false, AX }, { "t", &t_string, false, CX },
		  { "u", &t_string, false, SI }, { "f", &t_floats, false, NOWHERE },
		  { "x", &t_int, false, 10 }, { "y", &t_float, false, NOWHERE } }, 6,
		{ 19, false, 96,
		  SAVED({ AX, 8, 24 }, { BX, 8, 32 }, { CX, 8, 40 }, { DI, 8, 48 }, { SI, 8, 56 },
			{ 8, 8, 64 }, { 9, 1, 72 }, { 10, 8, 80 }, { X0, 8, 88 }),
		  .info = INFO(0xfe, 24, 8, 32, 8, 0xfd, 0xfe, 40, 8, 48, 8, 0xfd, 0xfe, 56, 8, 64,
			       8, 0xfd, 0xfe, 0, 8, 8, 8, 16, 8, 0xfd, 72, 1, 0xfc) },
		"func(s string, t string, u string, f [3]float64, _! ?, x int, y float64)",
		"s=0,3 t=2,5 u=4,8 f=@8 x=10 y=17",
	}, {
		"with optimisation off the debug information has the place where it is saved", "main.F",
		{ { "a", &t_bool, false, DWLOC_STACK, 2 },
		  { "b", &t_int, false, DWLOC_STACK, 8 } }, 2,
		{ 19, false, 16,
		  SAVED({ AX, 1, 0 }, { BX, 1, 1 }, { CX, 1, 2 }, { DI, 8, 8 }),
		  .info = INFO(0, 1, 1, 1, 2, 1, 8, 8) },
		"func(_! ?, _! ?, a bool, b int)", "a=2 b=5",
	}, {
		"a vector is in a float register, and a wide one can't be read", "main.F",
		{ { "n", &t_int, false, AX }, { "v", &t_vector, false, X0 },
		  { "w", &t_wide, false, X0 + 1 }, { "f", &t_float, false, X0 + 2 },
		  { "m", &t_int, false, BX }, { "~r0", &t_vector, true, NOWHERE } }, 6,
		{ 27, false, 104 },
		"func(n int, v simd/archsimd.Int64x2, w! simd/archsimd.Int64x8, f float64, m int) simd/archsimd.Int64x2",
		"n=0 v=17 f=19 m=3 ~r0=17",
	}, {
		"a damaged description says nothing", "main.F",
		{ { "x", &t_int, false, BX } }, 1,
		{ 19, false, 16, .info = INFO(0xfe, 0, 8, 0xfc) }, "incomplete func(x int)",
	},
};

static void put_place(char *to, size_t size, const struct goparam *p, const struct abi_side *side,
		      const struct abi_value *v)
{
	size_t n = strlen(to);

	if (p->unavailable)
		return;
	n += (size_t)snprintf(to + n, size - n, "%s%s=", n ? " " : "", p->name);
	if (v->on_stack)
		snprintf(to + n, size - n, "@%u", v->stack);
	for (size_t i = 0; i < v->nparts; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%d", i ? "," : "",
				      side->parts[v->part + i].reg);
}

static void check_places(const struct gosig *sig, bool abi0, const char *want)
{
	struct abi_value values[16];
	struct abi_call call = {
		.params.values = values, .results.values = values + sig->nparams,
	};
	char got[256] = "";

	if (!want)
		return;
	assert_int_equal(abi_assign(sig, abi0, &call), 0);
	for (size_t i = 0; i < sig->nparams; i++)
		put_place(got, sizeof(got), &sig->params[i], &call.params, &values[i]);
	for (size_t i = 0; i < sig->nresults; i++)
		put_place(got, sizeof(got), &sig->results[i], &call.results,
			  &call.results.values[i]);
	assert_string_equal(got, want);
}

ROWS(test_made, made)
{
	const struct made_case *c = *state;
	struct arena mem = { .head = NULL };
	struct dwfunc df = {
		.name = c->name,
		.params = (struct dwparam *)(uintptr_t)c->params,
		.nparams = c->nparams,
	};
	const struct gosig *sig = signature_build(&mem, &df, &c->facts);
	struct goparam *p;
	char got[256], *text;

	assert_non_null(sig);
	check_places(sig, c->facts.abi0, c->places);
	/* A mark at the name of what is not available; results are behind parameters. */
	p = (struct goparam *)(uintptr_t)sig->params;
	for (size_t i = 0; i < sig->nparams + sig->nresults; i++) {
		if (p[i].unavailable)
			p[i].name = arena_printf(&mem, "%s!", p[i].name);
	}
	text = signature_text(sig);
	snprintf(got, sizeof(got), "%s%s%s%s", sig->incomplete ? "incomplete " : "",
		 sig->receiver ? "receiver " : "",
		 sig->dict ? sig->dict_at ? "dict@1 " : "dict@0 " : "", text);
	assert_string_equal(got, c->want);
	free(text);
	arena_fini(&mem);
}

/* A receiver is the first parameter: if there are none, nothing is left out. */
TEST(test_nothing, "a signature without anything is one")
{
	static const struct gosig none, receiver = { .receiver = true };

	for (int i = 0; i < 2; i++) {
		char *text = signature_text(i ? &receiver : &none);

		assert_string_equal(text, "func()");
		free(text);
	}
}
