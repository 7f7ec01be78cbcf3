// SPDX-License-Identifier: GPL-2.0
/* Types and signatures that a user writes, against those of real programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bins.h"
#include "compile/sig_parse.h"
#include "lang/spec.h"
#include "rows.h"

static struct gobin *newest;
static struct arena mem;

/* The text of a type, and its type in the newest program. */
static const struct {
	const char *text, *name;
	enum gotype_kind kind;
	uint64_t size;
	uint32_t align;
} types[] = {
	{ "int", "int", GOTYPE_INT, 8, 8 },
	{ "byte", "uint8", GOTYPE_UINT, 1, 1 },
	{ "rune", "int32", GOTYPE_INT, 4, 4 },
	{ "any", "interface {}", GOTYPE_INTERFACE, 16, 8 },
	{ "error", "error", GOTYPE_INTERFACE, 16, 8 },
	{ "complex64", "complex64", GOTYPE_COMPLEX, 8, 4 },
	{ "complex128", "complex128", GOTYPE_COMPLEX, 16, 8 },
	{ "unsafe.Pointer", "unsafe.Pointer", GOTYPE_POINTER, 8, 8 },
	{ "[]byte", "[]uint8", GOTYPE_SLICE, 24, 8 },
	{ "[3]uint16", "[3]uint16", GOTYPE_ARRAY, 6, 2 },
	{ "*main.Point", "*main.Point", GOTYPE_POINTER, 8, 8 },
	{ "main.Mixed", "main.Mixed", GOTYPE_STRUCT, 40, 8 },
	{ "[]main.Item", "[]main.Item", GOTYPE_SLICE, 24, 8 },
	{ "time.Duration", "time.Duration", GOTYPE_INT, 8, 8 },
	{ "map[string][7]main.Point", "map[string][7]main.Point", GOTYPE_MAP, 8, 8 },
	{ "func(int, ...string) error", "func(int, ...string) error", GOTYPE_FUNC, 8, 8 },
	{ "<-chan main.Point", "<-chan main.Point", GOTYPE_CHAN, 8, 8 },
	{ "struct{ a byte; b int32; c byte }", "struct { a uint8; b int32; c uint8 }",
	  GOTYPE_STRUCT,
	  12, 4 },
	{ "struct{ a int; b struct{} }", "struct { a int; b struct {} }", GOTYPE_STRUCT, 16, 8 },
	{ "interface{ Area() float64 }", "interface { Area() float64 }", GOTYPE_INTERFACE, 16, 8 },
	{ "*text/template.Template", "*text/template.Template", GOTYPE_POINTER, 8, 8 },
	{ "os.FileMode", "io/fs.FileMode", GOTYPE_UINT, 4, 4 },
	{ "*os.PathError", "*os.PathError", GOTYPE_POINTER, 8, 8 },
	{ "*template.Template", "*text/template.Template", GOTYPE_POINTER, 8, 8 },
};

static const struct gotype *parse_type(struct gobin *bin, const char *text, struct diag *d)
{
	struct sigparse s = { .bin = bin, .mem = &mem, .text = text };
	const struct typexpr *t;
	struct lex lx;

	if (lex_scan(&lx, &mem, text, 0, d) || typexpr_parse(&lx, &t, d))
		return NULL;
	return sigparse_type(&s, t, d);
}

TEST(test_types, "types that a user writes")
{
	for (size_t i = 0; i < N(types); i++) {
		struct diag d = { 0 };
		const struct gotype *t = parse_type(newest, types[i].text, &d);

		if (!t)
			fail_msg("%s: %s", types[i].text, d.message);
		assert_string_equal(t->name, types[i].name);
		assert_int_equal(t->kind, types[i].kind);
		assert_int_equal(t->size, types[i].size);
		assert_int_equal(t->align, types[i].align);
	}
}

/* Where programs can import one of the types only, that is meant: since 1.19. */
TEST(test_internal, "a short name is not that of a type which programs can't import")
{
	struct bins_each b = BINS("known", "");
	size_t seen = 0;

	while (bins_next(&b)) {
		struct diag d = { 0 };
		const struct gotype *t;
		char own[64];

		if (b.minor < 19)
			continue;
		seen++;
		t = parse_type(b.bin, "atomic.Int32", &d);
		assert_non_null(t);
		assert_string_equal(t->name, "sync/atomic.Int32");
		t = parse_type(b.bin, "[3]atomic.Int64", &d);
		assert_non_null(t);
		assert_string_equal(t->elem->name, "sync/atomic.Int64");
		/* The other one, by its path. */
		snprintf(own, sizeof(own), "%s/atomic.Int32",
			 b.minor < 23 ? "runtime/internal" : "internal/runtime");
		t = parse_type(b.bin, own, &d);
		assert_non_null(t);
		assert_string_equal(t->name, own);
		assert_null(parse_type(b.bin, "atomic.Int33", &d));
		assert_string_equal(d.message, "the binary has no type 'atomic.Int33'");
		diag_fini(&d);
	}
	assert_int_not_equal(seen, 0);
}

static void same_type(const struct gotype *a, const struct gotype *b, int depth)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->align, b->align);
	assert_int_equal(a->empty, b->empty);
	if (!depth || a == b)
		return;
	if (a->kind == GOTYPE_STRUCT) {
		assert_int_equal(a->nfields, b->nfields);
		for (size_t i = 0; i < a->nfields; i++) {
			assert_string_equal(a->fields[i].name, b->fields[i].name);
			assert_int_equal(a->fields[i].offset, b->fields[i].offset);
			same_type(a->fields[i].type, b->fields[i].type, depth - 1);
		}
	}
	if (a->elem && b->elem)
		same_type(a->elem, b->elem, depth - 1);
}

/*
 * Each function of package main, with the signature that its debug information
 * gives, written out and read back: the same types in the same places.
 */
TEST(test_signatures, "signatures written out are read back")
{
	size_t n, checked = 0;
	const struct gofunc *f = gobin_funcs(newest, &n);

	for (size_t i = 0; i < n; i++) {
		const struct gosig *sig = gobin_sig(newest, &f[i]), *got;
		struct sigparse types = { .bin = newest, .mem = &mem };
		char *text, *spec_text;
		struct diag d = { 0 };
		struct spec s;

		if (strncmp(f[i].name, "main.", 5) || strchr(f[i].name, '[') || sig->incomplete ||
		    f[i].flags & GOFUNC_WRAPPER || strstr(f[i].name, ".func"))
			continue;
		text = gobin_sig_text(newest, &f[i]);
		/* Results that debug information may lack: no type can be written. */
		if (strchr(text, '?')) {
			free(text);
			continue;
		}
		spec_text = arena_printf(&mem, "%s%s : ()", f[i].name, text + strlen("func"));
		if (spec_parse(spec_text, &s, &d))
			fail_msg("%s: %s", spec_text, d.message);
		types.text = s.text;
		got = sigparse_sig(&types, s.sig, &f[i], &d);
		if (!got)
			fail_msg("%s: %s", spec_text, d.message);
		assert_int_equal(got->nparams, sig->nparams);
		assert_int_equal(got->nresults, sig->nresults);
		for (size_t k = 0; k < sig->nparams; k++)
			same_type(got->params[k].type, sig->params[k].type, 4);
		for (size_t k = 0; k < sig->nresults; k++)
			same_type(got->results[k].type, sig->results[k].type, 4);
		assert_int_equal(sigparse_args_bytes(got, f[i].flags & GOFUNC_ABI0),
				 gobin_args_bytes(newest, &f[i]));
		spec_fini(&s);
		free(text);
		checked++;
	}
	assert_true(checked > 30);
}

struct map_walk {
	struct gobin *bin;
	size_t compared;
};

static int compare_map(void *ctx, uint64_t vaddr, const char *name)
{
	struct map_walk *w = ctx;
	const struct gotype *t = gobin_rtype(w->bin, vaddr), *built;
	struct sigparse s = { .bin = w->bin, .mem = &mem, .text = "" };
	/* Named unlike any, so that it is built from its parts. */
	struct typexpr key = { .name = t && t->key ? t->key->name : "" };
	struct typexpr elem = { .name = t && t->elem ? t->elem->name : "" };
	struct typexpr map = { .kind = TYPEXPR_MAP, .name = "?", .key = &key, .elem = &elem };
	struct diag d = { 0 };

	(void)name;
	if (!t || t->kind != GOTYPE_MAP || !t->map ||
	    gobin_find_type(w->bin, key.name) != t->key ||
	    gobin_find_type(w->bin, elem.name) != t->elem)
		return 0;
	built = sigparse_type(&s, &map, &d);
	assert_non_null(built);
	assert_int_equal(built->map->swiss, t->map->swiss);
	assert_int_equal(built->map->size, t->map->size);
	assert_int_equal(built->map->key_at, t->map->key_at);
	assert_int_equal(built->map->key_stride, t->map->key_stride);
	assert_int_equal(built->map->elem_at, t->map->elem_at);
	assert_int_equal(built->map->elem_stride, t->map->elem_stride);
	assert_int_equal(built->map->key_indirect, t->map->key_indirect);
	assert_int_equal(built->map->elem_indirect, t->map->elem_indirect);
	w->compared++;
	return 0;
}

/* All maps of whole programs: from their parts as their descriptors have them. */
TEST(test_map_layouts, "maps from their parts are as the compiler has them")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		struct map_walk w = { .bin = b.bin };

		gobin_each_rtype(w.bin, compare_map, &w);
		if (w.compared < 5)
			fail_msg("%s: %zu maps", b.path, w.compared);
	}
}

static int set_up(void **state)
{
	(void)state;
	newest = bins_newest("");
	return 0;
}

static int take_down(void **state)
{
	(void)state;
	gobin_free(newest);
	arena_fini(&mem);
	return 0;
}

AROUND_ALL(set_up, take_down)
