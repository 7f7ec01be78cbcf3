// SPDX-License-Identifier: GPL-2.0
/*
 * Debug information as Go's linker writes it, small: one unit with types of all
 * kinds, some functions, runtime.g. Each entry has an abbreviation of its own.
 */
#include "fuzz.h"

#include <dwarf.h>

#include "sections.h"
#include "seed.h"
#include "synth.h"

#define GO_KIND 0x2900
#define GO_KEY 0x2901
#define GO_ELEM 0x2902
#define GO_EMBEDDED 0x2903
#define GO_RUNTIME_TYPE 0x2904
#define GO_CLOSURE_OFFSET 0x2907
#define GO_LANGUAGE 0x16

/* Entries that others refer to. */
enum { E_INT, E_STRING, E_POINTER, E_SLICE, E_ARRAY, E_STRUCT, E_IFACE, E_EFACE,
	E_MAP, E_HMAP, E_HMAP_POINTER, E_CHAN, E_FUNC, E_G, E_M, E_M_POINTER, E_STACK,
	E_INLINED, E_INLINED_P, E_N };

struct unit {
	struct synth_bytes abbrev;
	struct synth_bytes info;
	struct seed_tables tables;
	uint32_t code;
	uint32_t at[E_N];
};

static void uleb(struct synth_bytes *b, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		synth_u8(b, (uint8_t)v | 0x80);
	synth_u8(b, (uint8_t)v);
}

/* Begin an entry; its attributes follow, then end(). */
static void entry(struct unit *u, unsigned int tag, bool children)
{
	uleb(&u->abbrev, ++u->code);
	uleb(&u->abbrev, tag);
	synth_u8(&u->abbrev, children);
	uleb(&u->info, u->code);
}

static void end(struct unit *u)
{
	synth_u8(&u->abbrev, 0);
	synth_u8(&u->abbrev, 0);
}

static void attribute(struct unit *u, unsigned int name, unsigned int form)
{
	uleb(&u->abbrev, name);
	uleb(&u->abbrev, form);
}

static void text(struct unit *u, unsigned int name, const char *s)
{
	attribute(u, name, DW_FORM_string);
	synth_str(&u->info, s);
}

static void number(struct unit *u, unsigned int name, uint32_t v)
{
	attribute(u, name, DW_FORM_udata);
	uleb(&u->info, v);
}

static void flag(struct unit *u, unsigned int name)
{
	attribute(u, name, DW_FORM_flag);
	synth_u8(&u->info, 1);
}

static void address(struct unit *u, unsigned int name, uint64_t v)
{
	attribute(u, name, DW_FORM_addr);
	synth_u64(&u->info, v);
}

static void reference(struct unit *u, unsigned int name, unsigned int to)
{
	attribute(u, name, DW_FORM_ref_addr);
	synth_u32(&u->info, u->at[to]);
}

static void offset(struct unit *u, unsigned int name, uint32_t v)
{
	attribute(u, name, DW_FORM_sec_offset);
	synth_u32(&u->info, v);
}

static void location(struct unit *u, uint8_t op)
{
	attribute(u, DW_AT_location, DW_FORM_exprloc);
	uleb(&u->info, op == DW_OP_fbreg ? 2 : 1);
	synth_u8(&u->info, op);
	if (op == DW_OP_fbreg)
		synth_u8(&u->info, 8);
}

static void type(struct unit *u, unsigned int which, unsigned int tag, const char *name,
		 unsigned int size, unsigned int kind, bool children)
{
	u->at[which] = (uint32_t)u->info.n;
	entry(u, tag, children);
	text(u, DW_AT_name, name);
	if (size)
		number(u, DW_AT_byte_size, size);
	if (kind)
		number(u, GO_KIND, kind);
	number(u, GO_RUNTIME_TYPE, 0x40 * which);
}

static void field(struct unit *u, const char *name, unsigned int offset, unsigned int of)
{
	entry(u, DW_TAG_member, false);
	text(u, DW_AT_name, name);
	number(u, DW_AT_data_member_location, offset);
	reference(u, DW_AT_type, of);
	if (offset)
		flag(u, GO_EMBEDDED);
	end(u);
}

static void types(struct unit *u)
{
	type(u, E_INT, DW_TAG_base_type, "int", 8, 2, false);
	number(u, DW_AT_encoding, DW_ATE_signed);
	end(u);
	type(u, E_STRING, DW_TAG_structure_type, "string", 16, 24, true);
	end(u);
	field(u, "str", 0, E_POINTER);
	field(u, "len", 8, E_INT);
	synth_u8(&u->info, 0);
	type(u, E_POINTER, DW_TAG_pointer_type, "*main.T", 0, 22, false);
	reference(u, DW_AT_type, E_STRUCT);
	end(u);
	type(u, E_SLICE, DW_TAG_structure_type, "[]string", 24, 23, true);
	reference(u, GO_ELEM, E_STRING);
	end(u);
	field(u, "array", 0, E_POINTER);
	field(u, "len", 8, E_INT);
	field(u, "cap", 16, E_INT);
	synth_u8(&u->info, 0);
	type(u, E_ARRAY, DW_TAG_array_type, "[3]int", 24, 17, true);
	reference(u, DW_AT_type, E_INT);
	end(u);
	entry(u, DW_TAG_subrange_type, false);
	number(u, DW_AT_count, 3);
	end(u);
	synth_u8(&u->info, 0);
	type(u, E_STRUCT, DW_TAG_structure_type, "main.T", 56, 25, true);
	end(u);
	field(u, "a", 0, E_INT);
	field(u, "next", 8, E_POINTER);
	field(u, "list", 16, E_SLICE);
	field(u, "s", 40, E_STRING);
	synth_u8(&u->info, 0);
	for (unsigned int i = E_IFACE; i <= E_EFACE; i++) {
		type(u, i, DW_TAG_typedef, i == E_IFACE ? "main.I" : "interface {}", 0, 20,
		     false);
		reference(u, DW_AT_type, E_STRING);
		end(u);
	}
	type(u, E_MAP, DW_TAG_typedef, "map[string]int", 0, 21, false);
	reference(u, DW_AT_type, E_HMAP_POINTER);
	reference(u, GO_KEY, E_STRING);
	reference(u, GO_ELEM, E_INT);
	end(u);
	type(u, E_HMAP_POINTER, DW_TAG_pointer_type, "*map<string,int>", 0, 0, false);
	reference(u, DW_AT_type, E_HMAP);
	end(u);
	type(u, E_HMAP, DW_TAG_structure_type, "hash<string,int>", 48, 0, true);
	end(u);
	field(u, "count", 0, E_INT);
	field(u, "buckets", 16, E_POINTER);
	synth_u8(&u->info, 0);
	type(u, E_CHAN, DW_TAG_typedef, "chan int", 0, 18, false);
	reference(u, DW_AT_type, E_POINTER);
	reference(u, GO_ELEM, E_INT);
	end(u);
	type(u, E_FUNC, DW_TAG_subroutine_type, "func(int) string", 8, 19, false);
	end(u);
	type(u, E_STACK, DW_TAG_structure_type, "runtime.stack", 16, 25, true);
	end(u);
	field(u, "lo", 0, E_INT);
	field(u, "hi", 8, E_INT);
	synth_u8(&u->info, 0);
	type(u, E_M, DW_TAG_structure_type, "runtime.m", 256, 25, true);
	end(u);
	field(u, "curg", 0xb8, E_INT);
	synth_u8(&u->info, 0);
	type(u, E_M_POINTER, DW_TAG_pointer_type, "*runtime.m", 0, 22, false);
	reference(u, DW_AT_type, E_M);
	end(u);
	type(u, E_G, DW_TAG_structure_type, "runtime.g", 400, 25, true);
	end(u);
	field(u, "stack", 0, E_STACK);
	field(u, "m", 0x30, E_M_POINTER);
	field(u, "goid", 0x98, E_INT);
	synth_u8(&u->info, 0);
}

static void parameter(struct unit *u, const char *name, unsigned int of, uint8_t op,
		      bool result)
{
	entry(u, DW_TAG_formal_parameter, false);
	text(u, DW_AT_name, name);
	reference(u, DW_AT_type, of);
	location(u, op);
	if (result)
		flag(u, DW_AT_variable_parameter);
	end(u);
}

/* A local variable, whose locations are a list; declared at a line. */
static void local(struct unit *u, const char *name, unsigned int of, unsigned int list,
		  unsigned int line)
{
	entry(u, DW_TAG_variable, false);
	text(u, DW_AT_name, name);
	number(u, DW_AT_decl_line, line);
	offset(u, DW_AT_location, u->tables.locations[list]);
	reference(u, DW_AT_type, of);
	end(u);
}

/* A function of which there is no code: it has one parameter that its calls have, and one more. */
static void abstract(struct unit *u)
{
	u->at[E_INLINED] = (uint32_t)u->info.n;
	entry(u, DW_TAG_subprogram, true);
	text(u, DW_AT_name, "main.twice");
	number(u, DW_AT_inline, 1);
	end(u);
	for (unsigned int i = 0; i < 2; i++) {
		if (!i)
			u->at[E_INLINED_P] = (uint32_t)u->info.n;
		entry(u, DW_TAG_formal_parameter, false);
		text(u, DW_AT_name, i ? "q" : "p");
		reference(u, DW_AT_type, i ? E_STRING : E_INT);
		end(u);
	}
	synth_u8(&u->info, 0);
}

/* A call of it, in code from @lo to @hi, or in the list of ranges. */
static void inlined(struct unit *u, uint64_t lo, uint64_t hi)
{
	entry(u, DW_TAG_inlined_subroutine, true);
	reference(u, DW_AT_abstract_origin, E_INLINED);
	if (hi) {
		address(u, DW_AT_low_pc, lo);
		address(u, DW_AT_high_pc, hi);
	} else {
		offset(u, DW_AT_ranges, u->tables.ranges);
	}
	number(u, DW_AT_call_file, 1);
	number(u, DW_AT_call_line, 8);
	end(u);
	entry(u, DW_TAG_formal_parameter, false);
	reference(u, DW_AT_abstract_origin, E_INLINED_P);
	offset(u, DW_AT_location, u->tables.locations[1]);
	end(u);
	if (hi)
		inlined(u, 0, 0);
	synth_u8(&u->info, 0);
}

/* Blocks in blocks, one of them with a call in it. */
static void blocks(struct unit *u, uint64_t at)
{
	local(u, "y", E_STRING, 0, 5);
	entry(u, DW_TAG_lexical_block, true);
	address(u, DW_AT_low_pc, at);
	address(u, DW_AT_high_pc, at + 12);
	end(u);
	local(u, "y", E_INT, 1, 9);
	entry(u, DW_TAG_lexical_block, true);
	offset(u, DW_AT_ranges, u->tables.ranges);
	end(u);
	local(u, "&z", E_POINTER, 0, 11);
	inlined(u, at, at + 8);
	synth_u8(&u->info, 0);
	synth_u8(&u->info, 0);
}

static void functions(struct unit *u)
{
	for (unsigned int i = 0; i < 4; i++) {
		static const char *const names[] = {
			"main.f", "main.(*T).Get", "main.Map[go.shape.int]", "main.g",
		};

		entry(u, DW_TAG_subprogram, true);
		text(u, DW_AT_name, names[i]);
		address(u, DW_AT_low_pc, SEED_CODE + i * 16);
		address(u, DW_AT_high_pc, SEED_CODE + 16 + i * 16);
		end(u);
		parameter(u, "t", E_POINTER, DW_OP_reg0, false);
		parameter(u, "s", i & 1 ? E_SLICE : E_STRUCT, DW_OP_reg3, false);
		parameter(u, "m", i & 2 ? E_MAP : E_EFACE, DW_OP_fbreg, false);
		parameter(u, "a", i & 1 ? E_ARRAY : E_CHAN, DW_OP_fbreg, false);
		parameter(u, "~r0", i & 2 ? E_FUNC : E_IFACE, DW_OP_fbreg, true);
		entry(u, DW_TAG_variable, false);
		text(u, DW_AT_name, "x");
		reference(u, DW_AT_type, E_INT);
		number(u, GO_CLOSURE_OFFSET, 8);
		end(u);
		blocks(u, SEED_CODE + i * 16);
		synth_u8(&u->info, 0);
	}
}

static void variable(struct unit *u)
{
	entry(u, DW_TAG_variable, false);
	text(u, DW_AT_name, "main.v");
	attribute(u, DW_AT_location, DW_FORM_exprloc);
	uleb(&u->info, 9);
	synth_u8(&u->info, DW_OP_addr);
	synth_u64(&u->info, 0x500100);
	reference(u, DW_AT_type, E_STRUCT);
	flag(u, DW_AT_external);
	end(u);
}

static void make(struct unit *u, unsigned int version)
{
	u->abbrev.n = 0;
	u->info.n = 0;
	u->code = 0;
	synth_u32(&u->info, 0);
	synth_u8(&u->info, (uint8_t)version);
	synth_u8(&u->info, 0);
	if (version >= 5) {
		synth_u8(&u->info, DW_UT_compile);
		synth_u8(&u->info, 8);
		synth_u32(&u->info, 0);
	} else {
		synth_u32(&u->info, 0);
		synth_u8(&u->info, 8);
	}
	entry(u, DW_TAG_compile_unit, true);
	text(u, DW_AT_name, "runtime");
	number(u, DW_AT_language, GO_LANGUAGE);
	address(u, DW_AT_low_pc, SEED_CODE);
	address(u, DW_AT_high_pc, 0x402000);
	offset(u, DW_AT_stmt_list, u->tables.line);
	if (version >= 5)
		offset(u, DW_AT_addr_base, 8);
	end(u);
	types(u);
	abstract(u);
	functions(u);
	variable(u);
	synth_u8(&u->info, 0);
	synth_u8(&u->abbrev, 0);
	synth_set32(&u->info, 0, (uint32_t)u->info.n - 4);
}

void seed_dwarf(void)
{
	static const uint8_t minors[] = { 15, 19, 21, 24, 27 };

	for (unsigned int i = 0; i < sizeof(minors); i++) {
		struct synth_bytes seed = { .p = NULL }, sections[SECTIONS] = { { .p = NULL } };
		unsigned int version = minors[i] >= 25 ? 5 : 4;
		struct unit u = { .code = 0 };

		seed_tables(version, sections, &u.tables);
		/* Twice: first to see where entries are. */
		make(&u, version);
		make(&u, version);
		sections[SECTION_ABBREV] = u.abbrev;
		sections[SECTION_INFO] = u.info;
		synth_u8(&seed, minors[i] - 13);
		synth_u32(&seed, 0);
		for (unsigned int s = 0; s < SECTIONS; s++) {
			uint16_t n = (uint16_t)sections[s].n;

			synth_put(&seed, &n, sizeof(n));
			synth_put(&seed, sections[s].p, n);
			synth_fini(&sections[s]);
		}
		seed_save("dwarf", i, seed.p, seed.n);
		synth_fini(&seed);
	}
}
