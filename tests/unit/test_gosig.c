// SPDX-License-Identifier: GPL-2.0
/* Signatures: what they say, and that they add up. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "bins.h"

/* The sum of a signature's places is what the line table says. */
static void test_adds_up(void **state)
{
	static const char *const forms[] = { "", "-pie", "-noopt" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t k = 0; k < sizeof(forms) / sizeof(*forms); k++) {
		size_t n = bins_list(forms[k], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);
			size_t nf, compiled = 0, told = 0;
			const struct gofunc *f = gobin_funcs(bin, &nf);

			for (size_t j = 0; j < nf; j++) {
				if (f[j].flags & GOFUNC_ASM)
					continue;
				compiled++;
				told += !gobin_sig(bin, &f[j])->incomplete;
			}
			print_message("%s: %zu of %zu compiled functions\n",
				      v[i].path, told, compiled);
			assert_true(told * 1000 >= compiled * 995);
			gobin_free(bin);
		}
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
	{ "main.Strings", "func(s string, b []uint8, n main.Named) (out string, err error)" },
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
	/* Blank and unnamed parameters are told since 1.22. */
	{ "main.Blank",
	  "func(_ int, a string, _ float64, b int) (_ int, err error)",
	  22, 0, "++++++" },
	{ "main.Unnamed", "func(_ int, _ string) int", 22 },
	{ "main.BlankLast", "func(a int, s string, _ bool) string", 22 },
	{ "main.Point.NoReceiverName", "func(k int) int", 22 },
	/* Before that what follows them is found by where it is. */
	{ "main.Blank", "func(_ ?, a string, b int, _ ?) (_ int, err error)", 17, 22, "-++-++" },
	{ "main.Unnamed", "func(_ ?) int", 17, 22, "-+" },
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

static void test_signatures(void **state)
{
	static const char *const forms[] = { "", "-pie", "-plain" };
	struct bins_entry v[BINS_MAX];

	(void)state;
	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++) {
		size_t n = bins_list(forms[f], v);

		for (size_t i = 0; i < n; i++) {
			struct gobin *bin = bins_open(v[i].path);

			for (size_t k = 0; k < sizeof(sigs) / sizeof(*sigs);
			     k++) {
				const struct sig_case *c = &sigs[k];
				const struct gofunc *fn;
				char *text;

				if (v[i].minor < c->since ||
				    (c->before && v[i].minor >= c->before))
					continue;
				fn = bins_func(bin, c->name);
				if (!fn)
					fail_msg("%s: no %s", v[i].path,
						 c->name);
				text = gobin_sig_text(bin, fn);
				if (strcmp(text, c->text))
					fail_msg("%s: %s is %s, not %s",
						 v[i].path, c->name, text,
						 c->text);
				if (c->known)
					check_known(gobin_sig(bin, fn),
						    c->known);
				free(text);
			}
			gobin_free(bin);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "signatures add up with the line table", test_adds_up },
		{ "signatures read as Go writes them", test_signatures },
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
