// SPDX-License-Identifier: GPL-2.0
/* Go's line table in a file whose sections do not name it. */
#include <elf.h>
#include <string.h>

#include "elf/scan.h"
#include "gobin/pclntab_search.h"

/* More of them come from a hostile file only. */
#define CANDIDATES_MAX 4096U

struct search {
	const struct elffile *ef;
	pclntab_search_fn fn;
	void *ctx;
	unsigned int candidates;
};

/* Bytes of code, all segments together. */
static uint64_t code_bytes(const struct elffile *ef)
{
	uint64_t n = 0;

	for (size_t i = 0; i < ef->nsegs; i++) {
		const Elf64_Phdr *s = &ef->segs[i];

		if (s->p_type == PT_LOAD && (s->p_flags & PF_X))
			n += s->p_filesz;
	}
	return n;
}

static bool is_code(const struct elffile *ef, uint64_t vaddr)
{
	const Elf64_Phdr *s = elffile_segment(ef, vaddr, 1);

	return s && (s->p_flags & PF_X);
}

/* The row of function @i, zero where the table ends before it does. */
static int read_row(const struct elffile *ef, const struct pclntab_search *c,
		    uint32_t i, uint8_t *row)
{
	uint64_t at = pclntab_row_at(&c->tab, i), left = c->len - at;

	memset(row, 0, PCLNTAB_ROW_MAX);
	return elffile_read_vaddr(ef, c->vaddr + at, row,
				  left < PCLNTAB_ROW_MAX ? left :
				  PCLNTAB_ROW_MAX);
}

/* Is it a table? @c->len is what is left of the segment, or the table's. */
static bool is_table(const struct elffile *ef, struct pclntab_search *c)
{
	uint8_t header[PCLNTAB_HEADER], rows[PCLNTAB_ROWS] = { 0 };
	uint8_t first[PCLNTAB_ROW_MAX], last[PCLNTAB_ROW_MAX],
		end[PCLNTAB_ROW_MAX];
	struct pclntab_extent x;
	uint64_t left;

	if (c->len < sizeof(header) ||
	    elffile_read_vaddr(ef, c->vaddr, header, sizeof(header)) ||
	    pclntab_check(&c->tab, header, c->len))
		return false;
	left = c->len - c->tab.rows;
	if (elffile_read_vaddr(ef, c->vaddr + c->tab.rows, rows,
			       left < sizeof(rows) ? left : sizeof(rows)) ||
	    !pclntab_check_rows(&c->tab, rows) ||
	    read_row(ef, c, 0, first) ||
	    read_row(ef, c, c->tab.nfunc - 1, last) ||
	    read_row(ef, c, c->tab.nfunc, end))
		return false;
	pclntab_extent(&c->tab, first, last, end, &x);
	c->len = x.bytes;
	if (x.hi <= x.lo)
		return false;
	/* Since 1.26, only the module data has the address of the text. */
	if (c->tab.format >= PCLNTAB_GO118 && !c->tab.text)
		return x.hi - x.lo <= code_bytes(ef);
	return is_code(ef, x.lo);
}

static int try(void *ctx, const Elf64_Phdr *seg, uint64_t vaddr)
{
	struct pclntab_search c = {
		.vaddr = vaddr, .len = seg->p_filesz - (vaddr - seg->p_vaddr),
	};
	struct search *s = ctx;

	if (s->candidates == CANDIDATES_MAX)
		return 0;
	s->candidates++;
	return is_table(s->ef, &c) ? s->fn(s->ctx, &c) : 0;
}

int pclntab_search_run(const struct elffile *ef, pclntab_search_fn fn, void *ctx)
{
	struct search s = { .ef = ef, .fn = fn, .ctx = ctx };
	struct scan what = {
		.without = PF_X, .shift = PCLNTAB_MAGIC_SHIFT,
		.value = PCLNTAB_MAGIC, .fn = try, .ctx = &s,
	};
	int ret = scan_words(ef, &what);

	if (ret)
		return ret;
	/* Some linkers put constants and code into one segment. */
	what.without = 0;
	what.with = PF_X;
	return scan_words(ef, &what);
}
