// SPDX-License-Identifier: GPL-2.0
/*
 * Run-time type descriptors, of programs of all toolchains: held against the
 * debug information of the same program, and against stripped twins.
 */
#define _GNU_SOURCE	/* memmem() */
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hmap.h"
#include "base/plain.h"
#include "bins.h"
#include "dwarf/constants.h"
#include "dwarf/type.h"
#include "gobin/moduledata.h"
#include "rows.h"

/* A binary, its debug information, and types made of that. */
struct both {
	struct gobin *bin;
	struct arena mem;
	struct elffile ef;
	struct die dw;
	struct dwarf_type types;
	int minor;
};

static void both_open(struct both *b, const struct bins_each *e)
{
	struct diag d = { .message = NULL };
	struct moduledata link;

	memset(b, 0, sizeof(*b));
	b->bin = bins_open(e->path);
	b->minor = e->minor;
	assert_int_equal(elffile_open(gobin_fd(b->bin), e->path, &b->ef, &d), 0);
	assert_int_equal(moduledata_load(&link, &b->ef, e->path, &d), 0);
	assert_int_equal(die_open(&b->dw, &b->ef), 0);
	dwarf_type_init(&b->types, &b->dw, e->minor, link.types, &b->mem);
	moduledata_fini(&link);
}

static void both_close(struct both *b)
{
	dwarf_type_fini(&b->types);
	die_close(&b->dw);
	elffile_fini(&b->ef);
	arena_fini(&b->mem);
	gobin_free(b->bin);
}

/*
 * One line that says all of a type but what is inside other types. A type that
 * a function declares has a number in debug information that its descriptor lacks.
 */
static void describe(FILE *f, const struct gotype *t)
{
	fprintf(f, "%s kind %d size %llu align %u%s", t->name, t->kind,
		(unsigned long long)t->size, t->align, t->empty ? " empty" : "");
	if (t->elem)
		fprintf(f, " of %s", t->elem->name);
	if (t->key)
		fprintf(f, " by %s", t->key->name);
	if (t->kind == GOTYPE_ARRAY)
		fprintf(f, " times %llu", (unsigned long long)t->count);
	for (size_t i = 0; i < t->nfields; i++)
		fprintf(f, "; %llu %s%s %s",
			(unsigned long long)t->fields[i].offset,
			t->fields[i].name,
			t->fields[i].embedded ? " (embedded)" : "",
			t->fields[i].type->name);
	if (t->map)
		fprintf(f, " in %s of %u, keys %u+%u%s, elements %u+%u%s",
			t->map->swiss ? "groups" : "buckets", t->map->size,
			t->map->key_at, t->map->key_stride,
			t->map->key_indirect ? " indirect" : "",
			t->map->elem_at, t->map->elem_stride,
			t->map->elem_indirect ? " indirect" : "");
}

static char *line_of(const struct gotype *t)
{
	static const char dot[] = "\302\267";	/* "·" */
	char *s, *r, *w;
	size_t len;
	FILE *f = open_memstream(&s, &len);

	describe(f, t);
	fclose(f);
	for (r = w = s; *r;) {
		if (!strncmp(r, dot, 2)) {
			r += 2;
			r += strspn(r, "0123456789");
		} else {
			*w++ = *r++;
		}
	}
	*w = 0;
	return s;
}

struct tally {
	size_t types;
	size_t maps;
	size_t unlisted;
};

static int note(void *ctx, uint64_t vaddr, const char *name)
{
	assert_non_null(name);
	return hmap_put(ctx, vaddr, ctx);
}

/* Types of the compiler's own, which values that a program sees never have. */
static bool is_internal(const char *line)
{
	return strstr(line, "map.bucket[") ||
	       strstr(line, "map.hdr[") || strstr(line, "map.iter[") ||
	       strstr(line, "map.group[") ||
	       /* Its alignment is said in no other way than the descriptor's. */
	       strstr(line, "atomic.align64 ");
}

static void compare(struct both *b, const struct dwdie *die, const struct hmap *listed,
		    struct tally *t)
{
	const struct gotype *want = dwarf_type_at(&b->types, die), *have;
	const char *name;
	char *w, *h;

	assert_non_null(want);
	if (!want->rtype)
		return;
	have = gobin_rtype(b->bin, want->rtype);
	if (!have)
		fail_msg("1.%d: no descriptor of %s at %#llx", b->minor,
			 want->name, (unsigned long long)want->rtype);
	assert_ptr_equal(gobin_rtype(b->bin, want->rtype), have);
	assert_int_equal(have->rtype, want->rtype);
	w = line_of(want);
	h = line_of(have);
	/* The compiler's mark is in the debug information alone: our types drop it. */
	name = die_name(&b->dw, die);
	if (!is_internal(w) && !(name && strstr(name, "noalg."))) {
		if (strcmp(w, h))
			fail_msg("1.%d:\n%s is said, but the descriptor has\n%s",
				 b->minor, w, h);
		t->unlisted += !hmap_get(listed, want->rtype);
	}
	free(w);
	free(h);
	t->types++;
	t->maps += !!have->map;
}

static void compare_all(const struct bins_each *e, struct tally *t)
{
	struct hmap listed = { .n = 0 };
	struct dwdie die;
	struct dwval v;
	struct both b;

	memset(t, 0, sizeof(*t));
	both_open(&b, e);
	assert_int_equal(gobin_each_rtype(b.bin, note, &listed), 0);
	for (size_t i = 0; i < b.dw.nunits; i++) {
		bool more = die_root(&b.dw, &b.dw.units[i], &die) &&
			    die_child(&b.dw, &die, &die);

		for (; more; more = die_sibling(&b.dw, &die, &die)) {
			if (die_attr(&b.dw, &die, DW_AT_go_runtime_type, &v))
				compare(&b, &die, &listed, t);
		}
	}
	hmap_fini(&listed);
	both_close(&b);
}

static const struct {
	const char *program;
	const char *form;
} programs[] = {
	{ "kinds", "" }, { "kinds", "-pie" }, { "shapes", "" },
	{ "shapes", "-noopt" }, { "shapes", "-cgo" },
	{ "shapes", "-shared" },
};

TEST(test_debug, "each type is what the debug information says")
{
	struct tally t;

	for (size_t p = 0; p < N(programs); p++) {
		struct bins_each b = BINS(programs[p].program, programs[p].form);

		while (bins_next_path(&b)) {
			compare_all(&b, &t);
			assert_in_range(t.types, 400, 100000);
			assert_in_range(t.maps, 5, 1000);
			/* Interfaces that only type switches mention. */
			assert_in_range(t.unlisted, 0, 5);
		}
	}
}

struct lines {
	struct gobin *bin;
	char **v;
	size_t n;
	size_t cap;
};

static int add_line(void *ctx, uint64_t vaddr, const char *name)
{
	struct lines *l = ctx;
	const struct gotype *t = gobin_rtype(l->bin, vaddr);

	assert_non_null(t);
	assert_string_equal(t->name, name);
	if (l->n == l->cap) {
		l->cap = l->cap * 2 + 64;
		l->v = reallocarray(l->v, l->cap, sizeof(*l->v));
		assert_non_null(l->v);
	}
	l->v[l->n++] = line_of(t);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_of(const char *path, struct lines *l)
{
	memset(l, 0, sizeof(*l));
	l->bin = bins_open(path);
	assert_int_equal(gobin_each_rtype(l->bin, add_line, l), 0);
	qsort(l->v, l->n, sizeof(*l->v), by_text);
}

static void lines_fini(struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	gobin_free(l->bin);
}

TEST(test_stripped, "a stripped program's types are the same")
{
	struct bins_each each = BINS("kinds", "");

	while (bins_next_path(&each)) {
		struct lines a, b;

		lines_of(each.path, &a);
		lines_of(bins_twin(&each, "-stripped"), &b);
		assert_int_equal(a.n, b.n);
		for (size_t k = 0; k < a.n; k++)
			assert_string_equal(a.v[k], b.v[k]);
		lines_fini(&a);
		lines_fini(&b);
	}
}

#define GENERICS 18
#define QUALIFIED 16	/* "_" in place of "main._" before */
#define DOTTED "example.com/kinds/dotted%2ev2."

static const struct {
	const char *name;
	const char *whole;	/* or NULL: there is no such type, or several */
	enum gotype_kind kind;
	int since;		/* 1.N */
} names[] = {
	{ "main.Item", "main.Item", GOTYPE_STRUCT },
	{ "*main.Item", "*main.Item", GOTYPE_POINTER },
	{ "[]main.Name", "[]main.Name", GOTYPE_SLICE },
	{ "main.Grid", "main.Grid", GOTYPE_ARRAY },
	{ "int8", "int8", GOTYPE_INT },
	{ "error", "error", GOTYPE_INTERFACE },
	{ "dotted.Node", DOTTED "Node", GOTYPE_STRUCT },
	{ DOTTED "Node", DOTTED "Node", GOTYPE_STRUCT },
	{ "*dotted.Node", "*" DOTTED "Node", GOTYPE_POINTER },
	{ "kinds.Only", "example.com/kinds/other/kinds.Only", GOTYPE_STRUCT },
	{ "kinds.Pair", NULL },
	{ "example.com/kinds/other/kinds.Pair",
	  "example.com/kinds/other/kinds.Pair", GOTYPE_STRUCT },
	{ "map[main.Item2]bool", "map[main.Item2]bool", GOTYPE_MAP },
	{ "chan (<-chan int)", "chan (<-chan int)", GOTYPE_CHAN },
	{ "func(int, ...string) error", "func(int, ...string) error",
	  GOTYPE_FUNC },
	{ "struct { a int; B string \"x:\\\"y\\\"\"; _ int }",
	  "struct { main.a int; B string \"x:\\\"y\\\"\"; main._ int }",
	  GOTYPE_STRUCT, QUALIFIED },
	{ "main.List[int]", "main.List[int]", GOTYPE_STRUCT, GENERICS },
	{ "main.Duo[" DOTTED "Node,map[main.Name]int]",
	  "main.Duo[" DOTTED "Node,map[main.Name]int]", GOTYPE_STRUCT, GENERICS },
	{ "main.Inner", NULL },		/* two functions have one */
	{ "main.item", NULL },
	{ "Item", NULL },
	{ "", NULL },
};

TEST(test_find, "types are found by whole and by short names")
{
	struct bins_each b = BINS("kinds", "", "-stripped", "-pie");

	while (bins_next(&b)) {
		for (size_t k = 0; k < N(names); k++) {
			const struct gotype *t;

			if (b.minor < names[k].since)
				continue;
			t = gobin_find_type(b.bin, names[k].name);
			if (!names[k].whole && !t)
				continue;
			if (!names[k].whole || !t)
				fail_msg("1.%d: %s gives %s", b.minor,
					 names[k].name,
					 t ? t->name : "nothing");
			assert_string_equal(t->name, names[k].whole);
			assert_int_equal(t->kind, names[k].kind);
		}
	}
}

static int is_item(void *ctx, uint64_t vaddr, const char *name)
{
	(void)ctx;
	assert_true(vaddr);
	return strcmp(name, "main.Item") ? 0 : 7;
}

TEST(test_itabs, "itabs list the types that an interface may hold")
{
	struct bins_each b = BINS("kinds", "", "-stripped", "-pie");

	while (bins_next(&b)) {
		const struct gotype *t;
		size_t all = 0, own = 0;

		t = gobin_find_type(b.bin, "main.Summer");
		assert_non_null(t);
		assert_int_equal(gobin_itabs(b.bin, t->rtype, is_item, NULL), 7);
		assert_int_equal(gobin_itabs(b.bin, t->rtype, bins_count_type, &own), 0);
		assert_int_equal(own, 1);
		assert_int_equal(gobin_itabs(b.bin, 0, bins_count_type, &all), 0);
		assert_in_range(all, 5, 1000);
	}
}

TEST(test_direct, "what an interface holds directly is known")
{
	static const struct {
		const char *name;
		bool direct;
	} cases[] = {
		{ "*main.Item", true }, { "map[string]int", true },
		{ "chan int", true }, { "func()", true },
		{ "main.Narrow", true }, { "unsafe.Pointer", true },
		{ "main.Item", false }, { "int", false }, { "string", false },
		{ "uintptr", false }, { "error", false },
	};
	struct bins_each b = BINS("kinds", "-stripped");

	while (bins_next(&b)) {
		for (size_t k = 0; k < N(cases); k++) {
			const struct gotype *t;

			t = gobin_find_type(b.bin, cases[k].name);
			if (!t)
				fail_msg("1.%d: no %s", b.minor, cases[k].name);
			assert_int_equal(gobin_rtype_is_direct(b.bin, t->rtype),
					 cases[k].direct);
		}
		assert_false(gobin_rtype_is_direct(b.bin, 0));
		assert_null(gobin_rtype(b.bin, 0));
		assert_null(gobin_rtype(b.bin, UINT64_MAX - 7));
	}
}

TEST(test_errors, "errors are known by their method")
{
	static const struct {
		const char *name;
		bool error;
	} cases[] = {
		{ "*errors.errorString", true }, { "runtime.errorString", true },
		{ "*runtime.TypeAssertionError", true }, { "runtime.boundsError", true },
		{ "errors.errorString", false }, { "*main.Item", false }, { "main.Item", false },
		{ "int", false }, { "error", false },
	};
	struct bins_each b = BINS("kinds", "-stripped");

	while (bins_next(&b)) {
		for (size_t k = 0; k < N(cases); k++) {
			const struct gotype *t = gobin_find_type(b.bin, cases[k].name);

			if (t && gobin_rtype_is_error(b.bin, t->rtype) != cases[k].error)
				fail_msg("1.%d: %s", b.minor, cases[k].name);
			/* The others may have no descriptor. */
			if (!t)
				assert_false(strstr(cases[k].name, "*"));
		}
		assert_false(gobin_rtype_is_error(b.bin, 0));
	}
}

/* An unlinked copy of @path; where its types are in it. */
static int copy_of(const char *path, uint64_t *from, uint64_t *len)
{
	int fd = bins_copy(path);
	struct diag d = { .message = NULL };
	const Elf64_Phdr *s;
	struct moduledata link;
	struct elffile ef;

	assert_int_equal(elffile_open(fd, path, &ef, &d), 0);
	assert_int_equal(moduledata_load(&link, &ef, path, &d), 0);
	s = elffile_segment(&ef, link.types, 1);
	assert_non_null(s);
	*from = s->p_offset + (link.types - s->p_vaddr);
	*len = link.etypes - link.types;
	moduledata_fini(&link);
	elffile_fini(&ef);
	return fd;
}

/* Nothing is expected of them but that the sanitizers stay silent. */
static int look_at(void *ctx, uint64_t vaddr, const char *name)
{
	const struct gotype *t = gobin_rtype(ctx, vaddr);
	char *line = t ? line_of(t) : NULL;

	assert_non_null(name);
	free(line);
	return 0;
}

TEST(test_damaged, "damaged descriptors do no harm")
{
	struct bins_each b = BINS("kinds", "-stripped");
	uint32_t seed = 11;

	while (bins_next_path(&b)) {
		uint64_t from, len;
		int fd = copy_of(b.path, &from, &len);

		/* The damage adds up. */
		for (int round = 0; round < 8; round++) {
			struct diag d = { .message = NULL };
			struct gobin *bin;

			for (int k = 0; k < 16 << round; k++) {
				uint8_t byte;

				seed = seed * 1664525 + 1013904223;
				byte = (uint8_t)(seed >> 24);
				assert_int_equal(pwrite(fd, &byte, 1, (off_t)
							(from + seed % len)), 1);
			}
			if (gobin_open(fd, "it", &bin, &d)) {
				diag_fini(&d);
				break;
			}
			gobin_each_rtype(bin, look_at, bin);
			gobin_itabs(bin, 0, look_at, bin);
			gobin_find_type(bin, "main.Item");
			gobin_free(bin);
		}
		close(fd);
	}
}

/* Wherever @what is among the types: @len bytes of @with, behind @behind of its own. */
static size_t patch(int fd, uint64_t from, uint64_t len, const char *what, size_t behind,
		    const char *with)
{
	char *p = malloc(len), *at;
	size_t n = 0;

	assert_int_equal(pread(fd, p, len, (off_t)from), len);
	for (at = p; (at = memmem(at, len - (at - p), what, strlen(what))); at++, n++)
		assert_int_equal(pwrite(fd, with, strlen(with),
					(off_t)(from + (at - p) + behind)), strlen(with));
	free(p);
	return n;
}

static bool all_plain(const char *s)
{
	return plain_name(s, strlen(s));
}

/**
 * struct seen - what was seen of a program's types
 * @bin: the program
 * @nitem: types whose names end like the one that is patched
 * @tags: with a tag that has been patched
 */
struct seen {
	struct gobin *bin;
	size_t nitem;
	size_t tags;
};

static int look_for_controls(void *ctx, uint64_t vaddr, const char *name)
{
	struct seen *s = ctx;
	const struct gotype *t = gobin_rtype(s->bin, vaddr);

	assert_true(all_plain(name));
	s->nitem += !strcmp(name, "main.Narrow");
	s->tags += !!strstr(name, "; B string \"\\u009b\\\"y\\\"\";") ||
		   !!strstr(name, "; B string \"\\x9b:\\\"y\\\"\";");
	for (size_t i = 0; t && i < t->nfields; i++)
		assert_true(all_plain(t->fields[i].name));
	return 0;
}

/*
 * Of a program whose names are a stranger's: those that would control a terminal are none, tags
 * are quoted.
 */
TEST(test_controls, "names that would control a terminal are none")
{
	static const char *const controls[] = { "\xc2\x9b", "\x9b" };
	struct bins_each b = BINS("kinds", "-stripped");

	while (bins_next_path(&b)) {
		for (size_t i = 0; i < N(controls); i++) {
			struct diag d = { 0 };
			struct seen s = { 0 };
			uint64_t from, len;
			int fd = copy_of(b.path, &from, &len);

			assert_int_equal(gobin_open(fd, "it", &s.bin, &d), 0);
			gobin_each_rtype(s.bin, look_for_controls, &s);
			gobin_free(s.bin);
			assert_int_equal(s.nitem, 1);
			assert_int_equal(s.tags, 0);

			assert_true(patch(fd, from, len, "main.Narrow", 5, controls[i]));
			assert_true(patch(fd, from, len, "x:\"y\"", 0, controls[i]));
			/* A field of main.Item. */
			assert_true(patch(fd, from, len, "kids", 0, controls[i]));
			s = (struct seen){ 0 };
			assert_int_equal(gobin_open(fd, "it", &s.bin, &d), 0);
			gobin_each_rtype(s.bin, look_for_controls, &s);
			gobin_free(s.bin);
			assert_int_equal(s.nitem, 0);
			assert_int_equal(s.tags, 1);
			close(fd);
		}
	}
}
