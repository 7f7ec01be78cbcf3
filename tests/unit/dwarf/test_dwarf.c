// SPDX-License-Identifier: GPL-2.0
/* Types and functions from debug information of versions 4 and 5. */
#include <stdint.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "bins.h"
#include "dwarf/dwarf.h"
#include "rows.h"

static void show(FILE *f, const struct gotype *t, int depth)
{
	static const char *const kinds[] = {
		[GOTYPE_UNKNOWN] = "unknown", [GOTYPE_BOOL] = "bool",
		[GOTYPE_INT] = "int", [GOTYPE_UINT] = "uint",
		[GOTYPE_FLOAT] = "float", [GOTYPE_COMPLEX] = "complex",
		[GOTYPE_STRING] = "string", [GOTYPE_SLICE] = "slice",
		[GOTYPE_ARRAY] = "array", [GOTYPE_STRUCT] = "struct",
		[GOTYPE_POINTER] = "pointer",
		[GOTYPE_INTERFACE] = "interface", [GOTYPE_MAP] = "map",
		[GOTYPE_CHAN] = "chan", [GOTYPE_FUNC] = "func",
	};

	fprintf(f, "%s:%s%s/%u/%u", t->name, t->empty ? "empty " : "",
		kinds[t->kind], (unsigned int)t->size, t->align);
	if (t->kind == GOTYPE_ARRAY)
		fprintf(f, "*%u", (unsigned int)t->count);
	if (!depth)
		return;
	if (t->elem) {
		fputs(" of ", f);
		show(f, t->elem, depth - 1);
	}
	for (size_t i = 0; i < t->nfields; i++) {
		const struct gofield *m = &t->fields[i];

		fprintf(f, "%s%u %s%s ", i ? "; " : " {",
			(unsigned int)m->offset, m->name,
			m->embedded ? "(embedded)" : "");
		show(f, m->type, depth - 1);
	}
	if (t->nfields)
		fputs("}", f);
}

struct type_case {
	const char *func;
	size_t param;		/* results are counted on from parameters */
	int depth;
	const char *want;
};

static const struct type_case types[] = {
	{ "main.Ints", 1, 1, "int8:int/1/1" },
	{ "main.Ints", 2, 1, "uint16:uint/2/2" },
	{ "main.Ints", 5, 1, "uintptr:uint/8/8" },
	{ "main.Ints", 6, 1, "bool:bool/1/1" },
	{ "main.Floats", 1, 1, "float32:float/4/4" },
	{ "main.Complexes", 0, 1, "complex128:complex/16/8" },
	{ "main.Complexes", 1, 1, "complex64:complex/8/4" },
	{ "main.Strings", 0, 1, "string:string/16/8" },
	{ "main.Strings", 1, 1, "[]uint8:slice/24/8 of uint8:uint/1/1" },
	{ "main.Strings", 2, 1, "main.Named:string/16/8" },
	{ "main.Strings", 4, 1, "error:interface/16/8" },
	{ "main.Arrays", 0, 1, "[1]int:array/8/8*1 of int:int/8/8" },
	{ "main.Arrays", 3, 2,
	  "[1]main.Point:array/16/8*1 of main.Point:struct/16/8 {0 X int:int/8/8; 8 Y int:int/8/8}",
	},
	{ "main.Structs", 0, 1,
	  "main.Mixed:struct/40/8 {0 A int8:int/1/1; 8 B float64:float/8/8; 16 C string:string/16/8; 32 _ int16:int/2/2; 34 D bool:bool/1/1}",
	},
	{ "main.Structs", 2, 1, "main.Empty:struct/0/1" },
	{ "main.Structs", 3, 2,
	  "main.Item:struct/48/8 {0 Base(embedded) main.Base:struct/8/8 {0 ID int:int/8/8}; 8 Name string:string/16/8; 24 Tags []string:slice/24/8 of string:string/16/8}",
	},
	{ "main.Interfaces", 0, 1, "main.Shape:interface/16/8" },
	{ "main.Interfaces", 2, 1, "interface {}:empty interface/16/8" },
	{ "main.Refs", 0, 1, "map[string]int:map/8/8 of int:int/8/8" },
	{ "main.Refs", 1, 1, "chan int:chan/8/8 of int:int/8/8" },
	{ "main.Refs", 2, 1, "func(int) error:func/8/8" },
	{ "main.Refs", 3, 0, "*main.Tree:pointer/8/8" },
	{ "main.Refs", 4, 1,
	  "main.Tree:struct/48/8 {0 Left *main.Tree:pointer/8/8; 8 Right *main.Tree:pointer/8/8; 16 Kids []main.Tree:slice/24/8; 40 Value int:int/8/8}",
	},
	{ "main.Refs", 5, 1, "main.Callback:func/8/8" },
	{ "main.Slices", 1, 2, "[][]int:slice/24/8 of []int:slice/24/8 of int:int/8/8" },
	{ "main.Slices", 4, 1, "[]main.Empty:slice/24/8 of main.Empty:struct/0/1" },
	{ "main.Times", 0, 0, "time.Time:struct/24/8" },
	{ "main.Times", 1, 1, "time.Duration:int/8/8" },
	{ "main.Times", 2, 1, "main.Kind:uint/1/1" },
	{ "main.Loop", 0, 1, "*int:pointer/8/8 of int:int/8/8" },
};

static const struct gotype *type_of(struct gobin *bin, const struct type_case *c)
{
	const struct gofunc *fn = bins_func(bin, c->func);
	const struct gosig *sig;

	assert_non_null(fn);
	sig = gobin_sig(bin, fn);
	if (c->param < sig->nparams)
		return sig->params[c->param].type;
	assert_in_range(c->param - sig->nparams, 0, sig->nresults - 1);
	return sig->results[c->param - sig->nparams].type;
}

TEST(test_types, "types are what Go says they are")
{
	struct bins_each b = BINS("shapes", "", "-plain", "-pie", "-noopt");

	while (bins_next(&b)) {
		for (size_t j = 0; j < sizeof(types) / sizeof(*types); j++) {
			size_t len;
			char *got;
			FILE *f;

			/* 1.15 lists [0]int after what follows it. */
			if (b.minor < 17 && !strcmp(types[j].func, "main.Arrays"))
				continue;
			f = open_memstream(&got, &len);
			show(f, type_of(b.bin, &types[j]), types[j].depth);
			fclose(f);
			assert_string_equal(got, types[j].want);
			free(got);
		}
	}
}

TEST(test_shared, "a type exists once, cycles included")
{
	struct bins_each b = BINS("shapes", "");
	const struct type_case pointer = { "main.Refs", 3, 0, NULL };
	const struct type_case value = { "main.Refs", 4, 0, NULL };

	while (bins_next(&b)) {
		const struct gotype *p = type_of(b.bin, &pointer);
		const struct gotype *t = type_of(b.bin, &value);

		assert_ptr_equal(p->elem, t);
		assert_ptr_equal(t->fields[0].type, p);
		assert_ptr_equal(t->fields[2].type->elem, t);
	}
}

/* low_pc of DWARF is the entry of the line table. */
TEST(test_entries, "functions are found by the line table's entries")
{
	struct bins_each b = BINS("shapes", "", "-plain", "-pie");

	while (bins_next(&b)) {
		struct arena mem = { .head = NULL };
		struct dwarf *dw;
		size_t nf, found = 0, compiled = 0;
		const struct gofunc *f = gobin_funcs(b.bin, &nf);

		dw = dwarf_open(gobin_fd(b.bin), b.minor, 0, &mem);
		assert_non_null(dw);
		for (size_t j = 0; j < nf; j++) {
			struct dwfunc df;

			if (f[j].flags & GOFUNC_ASM)
				continue;
			compiled++;
			if (dwarf_func(dw, f[j].entry, &df))
				continue;
			found++;
			/* Up to 1.20 the line table shortens these. */
			if (!strchr(f[j].name, '['))
				assert_string_equal(df.name,
						    f[j].name);
			/* Not a byte beside the entry. */
			assert_int_equal(dwarf_func(dw, f[j].entry + 1,
						    &df), -1);
		}
		assert_int_equal(found, compiled);
		dwarf_free(dw);
		arena_fini(&mem);
	}
}

/* Funcs are printed again and again: also to find that one captures nothing takes no memory. */
TEST(test_closures, "what a func captures is found once, and kept once")
{
	struct bins_each b = BINS("shapes", "", "-plain", "-noopt");

	while (bins_next(&b)) {
		struct arena mem = { .head = NULL };
		size_t nf, some = 0, none = 0;
		const struct gofunc *f = gobin_funcs(b.bin, &nf);
		struct dwarf *dw = dwarf_open(gobin_fd(b.bin), b.minor, 0, &mem);

		assert_non_null(dw);
		for (size_t i = 0; i < nf; i++) {
			const struct gotype *t = dwarf_closure(dw, f[i].entry, NULL, 0);
			struct arena before = mem;

			some += !!t;
			none += !t;
			assert_ptr_equal(dwarf_closure(dw, f[i].entry, NULL, 0), t);
			assert_ptr_equal(mem.head, before.head);
			assert_int_equal(mem.used, before.used);
		}
		/* Since 1.23 debug information describes captured variables. */
		assert_true(none && (some || b.minor < 23));
		dwarf_free(dw);
		arena_fini(&mem);
	}
}

/* The compiler's own: who asks for them does not write the compiler's mark. */
TEST(test_marked, "a type is found without the compiler's mark")
{
	static const struct {
		int minor;
		const char *name;
	} rows[] = {
		{ 15, "[4]string" }, { 19, "[8]*sync.entry" },
		{ 27, "map.group[int32]unsafe.Pointer" },
		{ 27, "*map.group[int32]unsafe.Pointer" },
	};
	struct bins_each b = BINS("shapes", "");

	while (bins_next(&b)) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
			const struct gotype *t;

			if (rows[i].minor != b.minor)
				continue;
			t = gobin_find_type(b.bin, rows[i].name);
			assert_non_null(t);
			assert_string_equal(t->name, rows[i].name);
		}
	}
}

TEST(test_none, "a program without debug information has no types")
{
	struct bins_each b = BINS("shapes", "-stripped");
	struct arena mem = { .head = NULL };
	int fd;

	while (bins_next_path(&b)) {
		fd = open(b.path, O_RDONLY | O_CLOEXEC);
		assert_null(dwarf_open(fd, b.minor, 0, &mem));
		close(fd);
	}
	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	assert_null(dwarf_open(fd, 24, 0, &mem));
	close(fd);
	assert_null(dwarf_open(-1, 24, 0, &mem));
	arena_fini(&mem);
}

/* Inlined calls in @die, and of these, those of which no instruction is left. */
static void count_inlined(Dwarf_Die *die, size_t *all, size_t *without)
{
	Dwarf_Die child;
	int end = dwarf_child(die, &child);

	for (; !end; end = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine) {
			Dwarf_Addr base, from, until;

			++*all;
			if (dwarf_ranges(&child, 0, &base, &from, &until) <= 0 || from >= until)
				++*without;
		}
		if (dwarf_tag(&child) == DW_TAG_inlined_subroutine ||
		    dwarf_tag(&child) == DW_TAG_lexical_block ||
		    dwarf_tag(&child) == DW_TAG_subprogram)
			count_inlined(&child, all, without);
	}
}

/* So nothing says where a call was whose result the compiler computed. */
TEST(test_inlined, "each inlined call that debug information names has code")
{
	struct bins_each b = BINS("shapes", "");

	while (bins_next_path(&b)) {
		int fd = open(b.path, O_RDONLY | O_CLOEXEC);
		Dwarf *dw = dwarf_begin(fd, DWARF_C_READ);
		size_t all = 0, without = 0;
		Dwarf_CU *cu = NULL;
		Dwarf_Die unit;

		assert_non_null(dw);
		while (!dwarf_get_units(dw, cu, &cu, NULL, NULL, &unit, NULL))
			count_inlined(&unit, &all, &without);
		assert_true(all > 1000);
		assert_int_equal(without, 0);
		dwarf_end(dw);
		close(fd);
	}
}
