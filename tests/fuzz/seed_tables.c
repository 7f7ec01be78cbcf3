// SPDX-License-Identifier: GPL-2.0
/* Tables of debug information, in both versions: lines, lists of locations and of ranges. */
#include "fuzz.h"

#include <dwarf.h>

#include "sections.h"
#include "seed.h"
#include "synth.h"

#define LINE_BASE (-4)
#define LINE_RANGE 10
#define OPCODE_BASE 11

/* Two words in registers; a word of them and nothing; memory. */
static const uint8_t words[] = { DW_OP_reg0, DW_OP_piece, 8, DW_OP_reg3, DW_OP_piece, 8 };
static const uint8_t half[] = { DW_OP_piece, 8, DW_OP_regx, 17, DW_OP_piece, 8 };
static const uint8_t frame[] = { DW_OP_fbreg, 0x70 };
static const uint8_t cfa[] = { DW_OP_call_frame_cfa, DW_OP_consts, 0x68, DW_OP_plus };
static const uint8_t first[] = { DW_OP_reg0 };

/* --- lists ---------------------------------------------------------------------- */

static void pair(struct synth_bytes *b, uint64_t lo, uint64_t hi)
{
	synth_u64(b, lo);
	synth_u64(b, hi);
}

static void old_location(struct synth_bytes *b, uint64_t lo, uint64_t hi, const uint8_t *p,
			 uint16_t n)
{
	pair(b, lo, hi);
	synth_put(b, &n, sizeof(n));
	synth_put(b, p, n);
}

static void old_lists(struct synth_bytes *s, struct seed_tables *t)
{
	struct synth_bytes *loc = &s[SECTION_LOC], *ranges = &s[SECTION_RANGES];

	t->locations[0] = (uint32_t)loc->n;
	old_location(loc, 0, 4, words, sizeof(words));
	old_location(loc, 4, 0x30, cfa, sizeof(cfa));
	pair(loc, 0, 0);
	t->locations[1] = (uint32_t)loc->n;
	pair(loc, UINT64_MAX, SEED_CODE + 4);
	old_location(loc, 0, 8, half, sizeof(half));
	old_location(loc, 8, 0x40, frame, sizeof(frame));
	pair(loc, 0, 0);
	t->ranges = (uint32_t)ranges->n;
	pair(ranges, 2, 6);
	pair(ranges, UINT64_MAX, SEED_CODE);
	pair(ranges, 8, 0x3c);
	pair(ranges, 0, 0);
}

/* Behind a header, which nobody reads. */
static void new_expression(struct synth_bytes *b, const uint8_t *p, uint8_t n)
{
	synth_u8(b, n);
	synth_put(b, p, n);
}

static void two(struct synth_bytes *b, uint8_t kind, uint8_t lo, uint8_t hi)
{
	synth_u8(b, kind);
	synth_u8(b, lo);
	synth_u8(b, hi);
}

static void new_locations(struct synth_bytes *b, struct seed_tables *t)
{
	synth_zero(b, 12);
	t->locations[0] = (uint32_t)b->n;
	two(b, DW_LLE_offset_pair, 0, 4);
	new_expression(b, words, sizeof(words));
	two(b, DW_LLE_startx_length, 0, 8);
	new_expression(b, cfa, sizeof(cfa));
	synth_u8(b, DW_LLE_default_location);
	new_expression(b, frame, sizeof(frame));
	synth_u8(b, DW_LLE_end_of_list);
	t->locations[1] = (uint32_t)b->n;
	synth_u8(b, DW_LLE_base_addressx);
	synth_u8(b, 1);
	two(b, DW_LLE_offset_pair, 0, 8);
	new_expression(b, half, sizeof(half));
	two(b, DW_LLE_startx_endx, 0, 1);
	new_expression(b, frame, sizeof(frame));
	synth_u8(b, DW_LLE_start_length);
	synth_u64(b, SEED_CODE);
	synth_u8(b, 0x40);
	new_expression(b, first, sizeof(first));
	synth_u8(b, DW_LLE_end_of_list);
}

static void new_ranges(struct synth_bytes *b, struct seed_tables *t)
{
	synth_zero(b, 12);
	t->ranges = (uint32_t)b->n;
	two(b, DW_RLE_offset_pair, 2, 6);
	two(b, DW_RLE_startx_length, 1, 4);
	synth_u8(b, DW_RLE_base_address);
	synth_u64(b, SEED_CODE);
	two(b, DW_RLE_offset_pair, 8, 0x3c);
	synth_u8(b, DW_RLE_start_end);
	pair(b, SEED_CODE, SEED_CODE + 8);
	synth_u8(b, DW_RLE_end_of_list);
}

/* --- lines ---------------------------------------------------------------------- */

static void address(struct synth_bytes *b, uint64_t v)
{
	synth_u8(b, 0);
	synth_u8(b, 9);
	synth_u8(b, DW_LNE_set_address);
	synth_u64(b, v);
}

static void special(struct synth_bytes *b, int lines, unsigned int bytes)
{
	synth_u8(b, (uint8_t)(OPCODE_BASE + (lines - LINE_BASE) + LINE_RANGE * (int)bytes));
}

static void program(struct synth_bytes *b)
{
	for (unsigned int i = 0; i < 4; i++) {
		address(b, SEED_CODE + 16 * i);
		two(b, DW_LNS_set_file, 1 + i % 2, DW_LNS_advance_line);
		synth_u8(b, (uint8_t)(4 + 10 * i));
		synth_u8(b, DW_LNS_copy);
		synth_u8(b, DW_LNS_set_prologue_end);
		special(b, 1, 4);
		two(b, DW_LNS_negate_stmt, DW_LNS_advance_pc, 2);
		special(b, -2, 1);
		two(b, DW_LNS_negate_stmt, DW_LNS_const_add_pc, DW_LNS_fixed_advance_pc);
		synth_u8(b, 1);
		synth_u8(b, 0);
		special(b, 3, 0);
		synth_u8(b, DW_LNS_set_basic_block);
		two(b, 0, 1, DW_LNE_end_sequence);
	}
}

static void old_names(struct synth_bytes *b)
{
	synth_str(b, "/src");
	synth_u8(b, 0);
	for (uint8_t i = 0; i < 2; i++) {
		synth_str(b, i ? "/src/b.go" : "main.go");
		two(b, !i, 0, 0);
	}
	synth_u8(b, 0);
}

static void new_names(struct synth_bytes *b, struct synth_bytes *strings)
{
	two(b, 1, DW_LNCT_path, DW_FORM_line_strp);
	synth_u8(b, 1);
	synth_u32(b, (uint32_t)strings->n);
	synth_str(strings, "/src");
	two(b, 2, DW_LNCT_path, DW_FORM_string);
	two(b, DW_LNCT_directory_index, DW_FORM_udata, 3);
	for (uint8_t i = 0; i < 3; i++) {
		synth_str(b, i == 2 ? "/src/b.go" : "main.go");
		synth_u8(b, 0);
	}
}

static void lines(unsigned int version, struct synth_bytes *b, struct synth_bytes *strings)
{
	static const uint8_t args[OPCODE_BASE - 1] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0 };
	uint16_t of = version >= 5 ? 5 : 2;
	size_t start = b->n, names;

	synth_u32(b, 0);
	synth_put(b, &of, sizeof(of));
	if (of >= 5) {
		synth_u8(b, 8);
		synth_u8(b, 0);
	}
	synth_u32(b, 0);
	names = b->n;
	synth_u8(b, 1);
	if (of >= 4)
		synth_u8(b, 1);
	synth_u8(b, 1);
	synth_u8(b, (uint8_t)LINE_BASE);
	synth_u8(b, LINE_RANGE);
	synth_u8(b, OPCODE_BASE);
	synth_put(b, args, sizeof(args));
	if (of >= 5)
		new_names(b, strings);
	else
		old_names(b);
	synth_set32(b, names - 4, (uint32_t)(b->n - names));
	program(b);
	synth_set32(b, start, (uint32_t)(b->n - start - 4));
}

void seed_tables(unsigned int version, struct synth_bytes *sections, struct seed_tables *ret)
{
	struct synth_bytes *line = &sections[SECTION_LINE];

	ret->line = (uint32_t)line->n;
	lines(version, line, &sections[SECTION_LINE_STR]);
	if (version < 5) {
		old_lists(sections, ret);
		return;
	}
	new_locations(&sections[SECTION_LOCLISTS], ret);
	new_ranges(&sections[SECTION_RNGLISTS], ret);
	synth_zero(&sections[SECTION_ADDR], 8);
	synth_u64(&sections[SECTION_ADDR], SEED_CODE);
	synth_u64(&sections[SECTION_ADDR], SEED_CODE + 8);
}
