// SPDX-License-Identifier: GPL-2.0
/* Debug information of programs that were built in different ways. */
#include <stdint.h>

#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "dwarf/dwarf.h"
#include "gobin/closure.h"
#include "gobin/variable.h"
#include "rows.h"

/* All that have debug information; -cgo, -shared and -plugin are another program. */
static const char *const forms[] = {
	"", "-plain", "-pie", "-noopt", "-flat", "-cgo", "-shared", "-plugin",
};

enum { NFORMS = sizeof(forms) / sizeof(*forms), NSHAPES = 5 };

typedef void (*check_fn)(struct gobin *bin, int minor, bool optimised);

static void each(size_t nforms, check_fn fn)
{
	for (size_t f = 0; f < nforms; f++) {
		struct bins_each b = BINS("shapes", forms[f]);

		while (bins_next(&b)) {
			assert_true(gobin_has_types(b.bin));
			fn(b.bin, b.minor, strcmp(b.form, "-noopt") != 0);
		}
	}
}

/* The sums of types and places are the line table's, nearly everywhere. */
static void signatures(struct gobin *bin, int minor, bool optimised)
{
	size_t compiled, complete = bins_complete(bin, &compiled);

	(void)minor;
	(void)optimised;
	if (complete * 1000 < compiled * 990)
		fail_msg("%s: %zu of %zu", gobin_path(bin), complete, compiled);
}

TEST(test_signatures, "signatures add up in every build")
{
	each(NFORMS, signatures);
}

/* Each type's descriptor is where it is said to be, and says the same name. */
static void descriptors(struct gobin *bin, int minor, bool optimised)
{
	size_t n, seen = 0;
	const struct gofunc *f = gobin_funcs(bin, &n);

	(void)minor;
	(void)optimised;
	for (size_t i = 0; i < n; i++) {
		const struct gosig *sig = gobin_sig(bin, &f[i]);

		for (size_t k = 0; k < sig->nparams; k++) {
			const struct gotype *t = sig->params[k].type;
			const char *name;

			/* Literals, and types in functions, are spelled otherwise. */
			if (!t->rtype || strpbrk(t->name, " {[\302"))
				continue;
			name = gobin_rtype_name(bin, t->rtype);
			if (!name || strcmp(name, t->name))
				fail_msg("%s: %s has a descriptor called %s",
					 gobin_path(bin), t->name, name);
			seen++;
		}
	}
	assert_in_range(seen, 300, n * 16);
}

TEST(test_descriptors, "descriptors are where types say")
{
	/* A plugin's refer to each other by symbol: names are not to be had. */
	each(NFORMS - 1, descriptors);
}

struct closure_case {
	const char *name;
	int since;
	bool unoptimised;	/* the optimiser makes them vanish */
	const char *fields[3];
	const char *types[3];
};

static const struct closure_case closures[] = {
	{ "main.MakeClosure.func1", 23, true, { "F", "a", "s" }, { "uintptr", "int", "string" } },
	{ "main.Recovers.func1", 23, false, { "F", "&err" }, { "uintptr", "*error" } },
	{ "main.MakePair.func1", 23, true, { "F", "pair" }, { "uintptr", "[2]*int" } },
	/* All pointers are *uint8 there: what they point to is not known. */
	{ "main.Later[go.shape.*uint8].func1", 23, false, { "F", "l" },
	  { "uintptr", "[]unsafe.Pointer" } },
	{ "main.Point.Value-fm", 15, false, { "F", "recv" }, { "uintptr", "main.Point" } },
	{ "main.(*Point).Pointer-fm", 15, false, { "F", "recv" }, { "uintptr", "*main.Point" } },
};

/* A variable missing in debug information does not count as an empty one. */
static void whether_all(struct gobin *bin, bool optimised)
{
	const struct gofunc *fn = bins_func(bin, "main.MakeClosure.func1");
	const struct gotype *t = gobin_closure_type(bin, fn->entry);
	size_t n, more = 0, all = 0;
	const struct gofunc *f = gobin_funcs(bin, &n);

	assert_int_equal(t->more, optimised);
	assert_in_range(t->nfields, 1, optimised ? 2 : 3);
	for (size_t i = 0; i < n; i++) {
		if (!f[i].entry || strncmp(f[i].name, "main.", 5))
			continue;
		t = gobin_closure_type(bin, f[i].entry);
		more += t && t->more;
		all += t && !t->more;
	}
	assert_true(optimised ? more : !more);
	assert_true(all);
}

static void captured(struct gobin *bin, int minor, bool optimised)
{
	for (size_t i = 0; i < sizeof(closures) / sizeof(*closures); i++) {
		const struct closure_case *c = &closures[i];
		const struct gofunc *fn = bins_func(bin, c->name);
		const struct gotype *t;

		/* 1.15 and 1.16 number some closures differently. */
		if (minor < c->since || (c->unoptimised && optimised))
			continue;
		if (!fn)
			fail_msg("%s: no %s", gobin_path(bin), c->name);
		t = gobin_closure_type(bin, fn->entry);
		assert_non_null(t);
		assert_ptr_equal(gobin_closure_type(bin, fn->entry), t);
		assert_string_equal(t->name, c->name);
		for (size_t k = 0; k < 3 && c->fields[k]; k++) {
			assert_in_range(k, 0, t->nfields - 1);
			assert_string_equal(t->fields[k].name, c->fields[k]);
			assert_string_equal(t->fields[k].type->name, c->types[k]);
		}
		assert_int_equal(t->fields[1].offset, 8);
		assert_null(gobin_closure_type(bin, fn->entry + 1));
	}
	if (minor >= 23)
		whether_all(bin, optimised);
	/* A closure without captured variables. */
	assert_null(gobin_closure_type(bin, bins_func(bin, "main.Ints")->entry));
}

struct range_case {
	const char *name;
	size_t nresults;
	bool unavailable;
};

/* Results of functions with a range loop: where one may be missing, none is shown. */
static const struct range_case ranges[] = {
	{ "main.RangeNamed", 2, false }, { "main.RangeInlined", 2, false },
	{ "main.RangeOnly", 2, false },
	{ "main.RangeBlank", 1, true }, { "main.RangeBlankInlined", 1, true },
	{ "main.RangeUnnamed", 1, true }, { "main.RangeUnnamedInlined", 1, true },
};

static void range_results(struct gobin *bin, int minor, bool optimised)
{
	(void)optimised;
	for (size_t i = 0; minor >= 23 && i < sizeof(ranges) / sizeof(*ranges); i++) {
		const struct range_case *c = &ranges[i];
		const struct gosig *sig = gobin_sig(bin, bins_func(bin, c->name));

		assert_null(sig->incomplete);
		if (sig->nresults != c->nresults || !sig->results[0].unavailable == c->unavailable)
			fail_msg("%s: %s: %zu results, the first one %s", gobin_path(bin), c->name,
				 sig->nresults, sig->results[0].unavailable ?: "is known");
	}
}

TEST(test_ranges, "results of functions that range over functions")
{
	each(NSHAPES, range_results);
}

TEST(test_closures, "what funcs capture")
{
	each(NSHAPES, captured);
}

/* The binary that is walked. */
static struct gobin *walked;

static int count(void *ctx, const struct gobin_variable_at *at)
{
	struct gobin_variable found, here;
	size_t *n = ctx;

	assert_non_null(at->name);
	n[0]++;
	if (strcmp(at->name, "main.sink") != 0)
		return 0;
	n[1]++;
	/* It is what its name finds. */
	assert_int_equal(gobin_variable_get(at, &here), 0);
	assert_int_equal(gobin_variable_find(walked, at->name, &found), 0);
	assert_ptr_equal(here.type, found.type);
	assert_int_equal(here.vaddr, found.vaddr);
	assert_int_equal(here.size, found.size);
	return 0;
}

static int stop_at(void *ctx, const struct gobin_variable_at *at)
{
	(void)ctx;
	(void)at;
	return 7;
}

/* A walk meets all variables, one of them main.sink, and ends on request. */
static void check_each(struct gobin *bin)
{
	size_t n[2] = { 0, 0 };

	walked = bin;
	assert_int_equal(gobin_variable_each(bin, count, n), 0);
	assert_in_range(n[0], 100, 100000);
	assert_int_equal(n[1], 1);
	assert_int_equal(gobin_variable_each(bin, stop_at, NULL), 7);
}

static void variables(struct gobin *bin, int minor, bool optimised)
{
	struct gobin_variable v, w;

	(void)minor;
	(void)optimised;
	assert_int_equal(gobin_variable_find(bin, "main.sink", &v), 0);
	assert_string_equal(v.type->name, "interface {}");
	assert_int_equal(v.size, 16);
	assert_int_equal(gobin_variable_find(bin, "main.on", &w), 0);
	assert_string_equal(w.type->name, "bool");
	assert_int_not_equal(v.vaddr, w.vaddr);
	assert_int_equal(gobin_variable_find(bin, "encoding/json.nothing", &v), -1);
	assert_int_equal(gobin_variable_find(bin, "", &v), -1);
	assert_int_equal(gobin_variable_find(bin, "main.Ints", &v), -1);
	check_each(bin);
}

TEST(test_variables, "package variables")
{
	each(NSHAPES, variables);
}

/* Without debug information the linker's symbols have names and places. */
TEST(test_symbols, "package variables by symbol")
{
	struct bins_each b = BINS("shapes", "-symbols");

	while (bins_next(&b)) {
		struct gobin *twin = bins_open(bins_twin(&b, ""));
		struct gobin_variable v, w;

		assert_false(gobin_has_types(b.bin));
		assert_int_equal(gobin_variable_find(b.bin, "main.sink", &v), 0);
		assert_int_equal(gobin_variable_find(twin, "main.sink", &w), 0);
		assert_null(v.type);
		assert_int_equal(v.size, 16);
		assert_int_equal(v.vaddr, w.vaddr);
		assert_int_equal(gobin_variable_find(b.bin, "main.Ints", &v), -1);
		assert_int_equal(gobin_variable_find(b.bin, "main.nothing", &v), -1);
		check_each(b.bin);
		gobin_free(twin);
	}
}

/* A map's layout, where the runtime has it by its own rules. */
static void maps(struct gobin *bin, int minor, bool optimised)
{
	const struct gofunc *fn = bins_func(bin, "main.Refs");
	const struct gotype *t = gobin_sig(bin, fn)->params[0].type;
	const struct gomap *m = t->map;

	(void)optimised;
	assert_int_equal(t->kind, GOTYPE_MAP);
	assert_string_equal(t->key->name, "string");
	assert_string_equal(t->elem->name, "int");
	assert_non_null(m);
	assert_false(m->key_indirect || m->elem_indirect);
	assert_int_equal(m->swiss, minor >= 24);
	assert_int_equal(m->key_at, 8);
	if (m->swiss) {
		/* 8 control bytes, 8 slots. */
		assert_int_equal(m->size, 8 + 8 * 24);
		assert_int_equal(m->elem_at, 8 + 16);
		assert_int_equal(m->key_stride, 24);
		assert_int_equal(m->elem_stride, 24);
	} else {
		/* 8 hash bytes, 8 keys, 8 elements, overflow. */
		assert_int_equal(m->size, 8 + 8 * 16 + 8 * 8 + 8);
		assert_int_equal(m->elem_at, 8 + 8 * 16);
		assert_int_equal(m->key_stride, 16);
		assert_int_equal(m->elem_stride, 8);
	}
}

TEST(test_maps, "maps")
{
	each(NSHAPES, maps);
}
