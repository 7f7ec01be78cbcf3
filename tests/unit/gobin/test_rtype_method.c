// SPDX-License-Identifier: GPL-2.0
/* Signatures of methods in stripped programs. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "rows.h"

static const struct {
	const char *func;
	const char *receiver;
	const char *text;
} methods[] = {
	{ "main.Item.Sum", "main.Item", "func(p0 int8, p1 string, p2 float64) (int, error)" },
	{ "main.(*Item).Sum", "*main.Item", "func(p0 int8, p1 string, p2 float64) (int, error)" },
	{ "main.(*Item).Grow", "*main.Item", "func(p0 ...int)" },
	{ "main.Name.Join", "main.Name", "func(p0 []main.Name, p1 int32) main.Name" },
	{ "main.Code.Both", "main.Code",
	  "func(p0 complex128, p1 interface {}) (uint8, uint8, error)" },
	{ "main.Narrow.At", "main.Narrow", "func(p0 int) *int" },
	{ "main.Large.Byte", "main.Large", "func(p0 int) uint8" },
	{ "main.Flag.None", "main.Flag", "func()" },
	{ "example.com/kinds/dotted%2ev2.(*Node).Walk", "*example.com/kinds/dotted%2ev2.Node",
	  "func(p0 *example.com/kinds/dotted%2ev2.Node) (int, error)" },
};

TEST(test_methods, "methods have their signatures")
{
	struct bins_each b = BINS("kinds", "-stripped");

	while (bins_next(&b)) {
		for (size_t k = 0; k < sizeof(methods) / sizeof(*methods); k++) {
			const struct gofunc *fn = bins_func(b.bin, methods[k].func);
			const struct gosig *sig;
			char *text;

			if (!fn)
				fail_msg("1.%d: no %s", b.minor, methods[k].func);
			sig = gobin_sig(b.bin, fn);
			assert_null(sig->incomplete);
			assert_true(sig->receiver);
			assert_string_equal(sig->params[0].name, "recv");
			assert_string_equal(sig->params[0].type->name, methods[k].receiver);
			text = gobin_sig_text(b.bin, fn);
			assert_string_equal(text, methods[k].text);
			free(text);
		}
		/* Functions that are no methods have an error, or no signature. */
		assert_non_null(gobin_sig(b.bin, bins_func(b.bin, "runtime.mallocgc"))->incomplete);
		assert_null(gobin_sig(b.bin, bins_func(b.bin, "main.main"))->incomplete);
		assert_null(gobin_sig(b.bin, bins_func(b.bin, "runtime.init.0"))->incomplete);
	}
}

static bool is_whole(const struct gosig *sig)
{
	if (sig->incomplete)
		return false;
	for (size_t i = 0; i < sig->nparams; i++) {
		if (sig->params[i].unavailable)
			return false;
	}
	for (size_t i = 0; i < sig->nresults; i++) {
		if (sig->results[i].unavailable)
			return false;
	}
	return true;
}

static void same_types(const char *func, const struct goparam *a, const struct goparam *b,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(a[i].type->name, b[i].type->name) ||
		    a[i].type->kind != b[i].type->kind || a[i].type->size != b[i].type->size)
			fail_msg("%s: %s of debug information is %s", func, a[i].type->name,
				 b[i].type->name);
	}
}

/* Each method that is described at all is what debug information says. */
TEST(test_debug, "they are what debug information says")
{
	struct bins_each b = BINS("kinds", "");

	while (bins_next(&b)) {
		struct gobin *bare = bins_open(bins_twin(&b, "-stripped"));
		const struct gofunc *fa, *fb;
		size_t na, nb, both = 0, all = 0, odd = 0;

		fa = gobin_funcs(b.bin, &na);
		fb = gobin_funcs(bare, &nb);
		assert_int_equal(na, nb);
		for (size_t k = 0; k < na; k++) {
			const struct gosig *sa = gobin_sig(b.bin, &fa[k]);
			const struct gosig *sb = gobin_sig(bare, &fb[k]);

			all += is_whole(sb);
			if (!is_whole(sa) || !is_whole(sb))
				continue;
			both++;
			assert_string_equal(fa[k].name, fb[k].name);
			assert_true(sb->receiver || (!sb->nparams && !sb->nresults));
			if (sa->nparams != sb->nparams)
				fail_msg("1.%d: %s has %zu parameters; debug information %zu",
					 b.minor, fa[k].name, sb->nparams, sa->nparams);
			same_types(fa[k].name, sb->params, sa->params, sa->nparams);
			/* It lacks unnamed results of some inlinable functions. */
			if (sa->nresults < sb->nresults)
				odd++;
			else
				same_types(fa[k].name, sb->results, sa->results,
					   sa->nresults);
		}
		assert_in_range(odd, 0, both / 20);
		assert_in_range(all, 200, 10000);
		assert_in_range(both, 150, 10000);
		gobin_free(bare);
	}
}
