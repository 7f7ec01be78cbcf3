// SPDX-License-Identifier: GPL-2.0
/* Go's line table in a file whose sections do not name it. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "pclnsearch.h"

#define WINDOW_WORDS (32U << 10)
/* More of them come from a hostile file only. */
#define CANDIDATES_MAX 4096U

struct search {
	const struct elffile *ef;
	pclnsearch_fn fn;
	void *ctx;
	unsigned int candidates;
	uint64_t words[WINDOW_WORDS];
};

/* Bytes of code, all segments together. */
static uint64_t code_bytes(const struct elffile *ef)
{
	uint64_t n = 0;

	for (size_t i = 0; i < ef->nsegs; i++) {
		const struct elfseg *s = &ef->segs[i];

		if (s->type == PT_LOAD && (s->flags & PF_X))
			n += s->filesz;
	}
	return n;
}

static bool is_code(const struct elffile *ef, uint64_t vaddr)
{
	const struct elfseg *s = elffile_segment(ef, vaddr, 1);

	return s && (s->flags & PF_X);
}

/* The row of function @i, zero where the table ends before it does. */
static int read_row(const struct elffile *ef, const struct pclnsearch *c,
		    uint32_t i, uint8_t *row)
{
	uint64_t at = pclntab_row_at(&c->tab, i), left = c->len - at;

	memset(row, 0, PCLNTAB_ROW_MAX);
	return elffile_read_vaddr(ef, c->vaddr + at, row,
				  left < PCLNTAB_ROW_MAX ? left :
				  PCLNTAB_ROW_MAX);
}

/* Is it a table? @c->len is what is left of the segment, or the table's. */
static bool is_table(const struct elffile *ef, struct pclnsearch *c)
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
	/* Since 1.26 only the module data tells where the text begins. */
	if (c->tab.format >= PCLNTAB_GO118 && !c->tab.text)
		return x.hi - x.lo <= code_bytes(ef);
	return is_code(ef, x.lo);
}

static int try(struct search *s, const struct elfseg *seg, uint64_t vaddr)
{
	struct pclnsearch c = {
		.vaddr = vaddr, .len = seg->filesz - (vaddr - seg->vaddr),
	};

	if (s->candidates == CANDIDATES_MAX)
		return 0;
	s->candidates++;
	return is_table(s->ef, &c) ? s->fn(s->ctx, &c) : 0;
}

static int search_segment(struct search *s, const struct elfseg *seg)
{
	/* It is 8-aligned in memory. */
	uint64_t at = -seg->vaddr & 7;

	while (at < seg->filesz && seg->filesz - at >= PCLNTAB_HEADER) {
		uint64_t n = (seg->filesz - at) / 8;
		int err;

		if (n > WINDOW_WORDS)
			n = WINDOW_WORDS;
		if (elffile_read(s->ef, seg->off + at, s->words, n * 8))
			return 0;
		for (uint64_t i = 0; i < n; i++) {
			if (!pclntab_is_magic(s->words[i]))
				continue;
			err = try(s, seg, seg->vaddr + at + i * 8);
			if (err)
				return err;
		}
		at += n * 8;
	}
	return 0;
}

int pclnsearch_run(const struct elffile *ef, pclnsearch_fn fn, void *ctx)
{
	struct search *s = calloc(1, sizeof(*s));
	int ret = 0;

	if (!s)
		return 0;
	s->ef = ef;
	s->fn = fn;
	s->ctx = ctx;
	/* Some linkers put constants and code into one segment. */
	for (int code = 0; code < 2 && !ret; code++) {
		for (size_t i = 0; i < ef->nsegs && !ret; i++) {
			const struct elfseg *seg = &ef->segs[i];

			if (seg->type == PT_LOAD &&
			    !(seg->flags & PF_X) == !code)
				ret = search_segment(s, seg);
		}
	}
	free(s);
	return ret;
}
