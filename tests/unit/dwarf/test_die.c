// SPDX-License-Identifier: GPL-2.0
/* Attributes in a form of the wrong class. */
#include <stdint.h>

#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/constants.h"
#include "dwarf/die.h"
#include "rows.h"
#include "synth.h"

#define LOW_PC 0x1000

struct attr {
	uint8_t form;
	size_t n;
	const char *value;
};

struct row {
	const char *claim;
	struct attr high_pc;
	struct attr addr_base;
	uint64_t high;		/* 0: there are no ranges */
	uint64_t base;
};

static const struct row rows[] = {
	{ "as Go writes them", { DW_FORM_udata, 1, "\x20" },
	  { DW_FORM_sec_offset, 4, "\x08\0\0\0" }, LOW_PC + 0x20, 8 },
	{ "an address", { DW_FORM_addr, 8, "\x40\x10\0\0\0\0\0\0" },
	  { DW_FORM_sec_offset, 4, "\x10\0\0\0" }, LOW_PC + 0x40, 16 },
	{ "blocks", { DW_FORM_block1, 2, "\x01x" }, { DW_FORM_block1, 2, "\x01y" }, 0, 0 },
	{ "strings", { DW_FORM_string, 2, "x\0" }, { DW_FORM_string, 2, "y\0" }, 0, 0 },
	{ "references", { DW_FORM_ref4, 4, "\0\0\x10\0" },
	  { DW_FORM_ref4, 4, "\0\0\x10\0" }, 0, 0 },
};

static void put_spec(struct synth_bytes *abbrev, uint8_t name, uint8_t form)
{
	synth_u8(abbrev, name);
	synth_u8(abbrev, form);
}

/* Fields that are not written have bytes of the stack. */
static void fill_stack(void)
{
	uint8_t a[16384];

	memset(a, 0x7f, sizeof(a));
	/* Not left out, though nobody reads it. */
	__asm__ volatile("" : : "r"(a) : "memory");
}

static int add_range(void *ctx, uint64_t lo, uint64_t hi)
{
	assert_int_equal(lo, LOW_PC);
	*(uint64_t *)ctx = hi;
	return 0;
}

static void check(const struct row *r)
{
	struct synth_bytes file = { .p = NULL }, info = { .p = NULL }, abbrev = { .p = NULL };
	struct synth_section sections[2] = { { ".debug_info" }, { ".debug_abbrev" } };
	struct diag d = { .message = NULL };
	struct elffile ef;
	struct die dw;
	struct dwdie root;
	uint64_t high = 0;
	int fd;

	synth_u8(&abbrev, 1);
	synth_u8(&abbrev, DW_TAG_compile_unit);
	synth_u8(&abbrev, 0);		/* no children */
	put_spec(&abbrev, DW_AT_language, DW_FORM_data1);
	put_spec(&abbrev, DW_AT_addr_base, r->addr_base.form);
	put_spec(&abbrev, DW_AT_low_pc, DW_FORM_addr);
	put_spec(&abbrev, DW_AT_high_pc, r->high_pc.form);
	synth_zero(&abbrev, 3);

	synth_u32(&info, 0);		/* its length, below */
	synth_put(&info, "\x05\0", 2);	/* version */
	synth_u8(&info, DW_UT_compile);
	synth_u8(&info, 8);		/* bytes of an address */
	synth_u32(&info, 0);		/* its abbreviations */
	synth_u8(&info, 1);
	synth_u8(&info, DW_LANG_Go);
	synth_put(&info, r->addr_base.value, r->addr_base.n);
	synth_u64(&info, LOW_PC);
	synth_put(&info, r->high_pc.value, r->high_pc.n);
	synth_set32(&info, 0, (uint32_t)info.n - 4);

	sections[0].bytes = info;
	sections[1].bytes = abbrev;
	synth_sections(sections, 2, &file);
	fd = synth_fd(file.p, file.n);
	assert_int_equal(elffile_open_debug(fd, "it", &ef, &d), 0);
	fill_stack();
	assert_int_equal(die_open(&dw, &ef), 0);
	assert_int_equal(dw.nunits, 1);
	assert_true(dw.units[0].is_go);
	assert_int_equal(dw.units[0].low_pc, LOW_PC);
	assert_int_equal(dw.units[0].addr_base, r->base);
	assert_true(die_root(&dw, &dw.units[0], &root));
	fill_stack();
	assert_int_equal(loclist_ranges(&dw, &root, add_range, &high), 0);
	assert_int_equal(high, r->high);
	die_close(&dw);
	elffile_fini(&ef);
	close(fd);
	synth_fini(&file);
	synth_fini(&info);
	synth_fini(&abbrev);
}

TEST(test_rows, "attributes in forms of another class")
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		print_message("# %s\n", rows[i].claim);
		check(&rows[i]);
	}
}
