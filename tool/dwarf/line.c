// SPDX-License-Identifier: GPL-2.0
/*
 * Line tables: a header with the names of files, and a program that makes rows (DWARF 5,
 * 6.2; version 2 is what Go wrote up to 1.24).
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf/abbrev.h"
#include "dwarf/constants.h"
#include "dwarf/line.h"

/* Bounds against hostile files. */
#define NAMES_MAX 65536U
#define FORMATS_MAX 8U
#define NAME_BYTES_MAX 4096U

/* The header of a line table. */
struct header {
	uint16_t version;	/* of the table */
	bool wide;		/* 64-bit DWARF */
	uint8_t min_len;	/* bytes of the shortest instruction */
	bool stmt;		/* statements begin unless the program says otherwise */
	int8_t line_base;	/* the least that a special opcode adds to the line */
	uint8_t line_range;	/* how many different ones there are */
	uint8_t opcode_base;	/* the first special opcode */
	const uint8_t *args;	/* operands of the opcodes before it */
	const char **dirs;	/* directories */
	size_t ndirs;		/* their number */
	bool *wanted;		/* of each file: is it wanted */
	size_t nfiles;		/* their number; from 1 on, up to version 4 */
};

struct walk {
	struct die *r;
	line_file_fn file;
	line_row_fn row;
	void *ctx;
	struct header h;
};

/* A string that ends before @c does, or NULL. */
static const char *take_string(struct dwarf_cursor *c)
{
	const uint8_t *p = c->p, *nul = memchr(p, 0, (size_t)(c->end - p));

	if (!nul || nul - p > NAME_BYTES_MAX) {
		c->bad = true;
		return NULL;
	}
	c->p = nul + 1;
	return (const char *)p;
}

static const char *string_at(struct walk *w, enum dwsect_id id, uint64_t off)
{
	const struct dwsect *s = sections_get(&w->r->sects, id);
	struct dwarf_cursor c;

	if (off >= s->n)
		return NULL;
	c = (struct dwarf_cursor){ s->p + off, s->p + s->n, false };
	return take_string(&c);
}

/* --- names of files ---------------------------------------------------------- */

static int make_space(struct header *h)
{
	h->dirs = calloc(NAMES_MAX, sizeof(*h->dirs));
	h->wanted = calloc(NAMES_MAX, sizeof(*h->wanted));
	return h->dirs && h->wanted ? 0 : -1;
}

static void add_file(struct walk *w, const char *name, uint64_t dir)
{
	struct header *h = &w->h;
	const char *in = dir < h->ndirs && name && name[0] != '/' ? h->dirs[dir] : NULL;

	if (h->nfiles < NAMES_MAX)
		h->wanted[h->nfiles++] = name && w->file(w->ctx, in, name);
}

static void add_dir(struct header *h, const char *name)
{
	if (h->ndirs < NAMES_MAX)
		h->dirs[h->ndirs++] = name;
}

/* Up to version 4: directories and files are counted from 1. */
static void read_names(struct walk *w, struct dwarf_cursor *c)
{
	const char *name;

	add_dir(&w->h, NULL);
	add_file(w, NULL, 0);
	while ((name = take_string(c)) && *name)
		add_dir(&w->h, name);
	while (!c->bad && (name = take_string(c)) && *name) {
		uint64_t dir = dwarf_cursor_uleb(c);

		dwarf_cursor_uleb(c);
		dwarf_cursor_uleb(c);
		add_file(w, name, dir);
	}
}

/* One value of a name's description. */
static void take_value(struct walk *w, struct dwarf_cursor *c, uint64_t form, const char **s,
		       uint64_t *n)
{
	*s = NULL;
	*n = 0;
	switch (form) {
	case DW_FORM_string:
		*s = take_string(c);
		break;
	case DW_FORM_line_strp:
		*s = string_at(w, DWSECT_LINE_STR, dwarf_cursor_uint(c, w->h.wide ? 8 : 4));
		break;
	case DW_FORM_strp:
		*s = string_at(w, DWSECT_STR, dwarf_cursor_uint(c, w->h.wide ? 8 : 4));
		break;
	case DW_FORM_udata:
		*n = dwarf_cursor_uleb(c);
		break;
	case DW_FORM_data1:
		*n = dwarf_cursor_uint(c, 1);
		break;
	case DW_FORM_data2:
		*n = dwarf_cursor_uint(c, 2);
		break;
	case DW_FORM_data4:
		*n = dwarf_cursor_uint(c, 4);
		break;
	case DW_FORM_data8:
		*n = dwarf_cursor_uint(c, 8);
		break;
	case DW_FORM_data16:
		dwarf_cursor_take(c, 16);
		break;
	case DW_FORM_block:
		dwarf_cursor_take(c, dwarf_cursor_uleb(c));
		break;
	default:
		c->bad = true;
	}
}

/* Version 5: how names are described, and the names. */
static void read_table(struct walk *w, struct dwarf_cursor *c, bool files)
{
	uint64_t format[FORMATS_MAX][2], nformats = dwarf_cursor_uint(c, 1), n;

	if (nformats > FORMATS_MAX) {
		c->bad = true;
		return;
	}
	for (uint64_t i = 0; i < nformats; i++) {
		format[i][0] = dwarf_cursor_uleb(c);
		format[i][1] = dwarf_cursor_uleb(c);
	}
	n = dwarf_cursor_uleb(c);
	/* Without a description names would take no bytes, and no end. */
	for (uint64_t i = 0; nformats && i < n && !c->bad && c->p < c->end; i++) {
		const char *name = NULL, *s;
		uint64_t dir = 0, v;

		for (uint64_t k = 0; k < nformats; k++) {
			take_value(w, c, format[k][1], &s, &v);
			if (format[k][0] == DW_LNCT_path)
				name = s;
			else if (format[k][0] == DW_LNCT_directory_index)
				dir = v;
		}
		if (files)
			add_file(w, name, dir);
		else
			add_dir(&w->h, name);
	}
}

/* The header at @c, which is left where the program begins. 0, or -1. */
static int read_header(struct walk *w, struct dwarf_cursor *c)
{
	struct header *h = &w->h;
	struct dwarf_cursor names;
	uint64_t len = dwarf_cursor_uint(c, 4);
	const uint8_t *p;

	h->wide = len == 0xffffffff;
	if (h->wide)
		len = dwarf_cursor_uint(c, 8);
	if (c->bad || len > (uint64_t)(c->end - c->p))
		return -1;
	c->end = c->p + len;
	h->version = (uint16_t)dwarf_cursor_uint(c, 2);
	if (h->version < 2 || h->version > 5)
		return -1;
	if (h->version >= 5 && dwarf_cursor_uint(c, 2) != 8)
		return -1;
	len = dwarf_cursor_uint(c, h->wide ? 8 : 4);
	names = *c;
	p = dwarf_cursor_take(c, len);
	if (!p)
		return -1;
	names.end = c->p;
	h->min_len = (uint8_t)dwarf_cursor_uint(&names, 1);
	if (h->version >= 4)
		dwarf_cursor_uint(&names, 1);
	h->stmt = dwarf_cursor_uint(&names, 1);
	h->line_base = (int8_t)dwarf_cursor_uint(&names, 1);
	h->line_range = (uint8_t)dwarf_cursor_uint(&names, 1);
	h->opcode_base = (uint8_t)dwarf_cursor_uint(&names, 1);
	if (names.bad || !h->line_range || !h->opcode_base)
		return -1;
	h->args = dwarf_cursor_take(&names, h->opcode_base - 1U);
	if (!h->args)
		return -1;
	if (h->version < 5) {
		read_names(w, &names);
	} else {
		read_table(w, &names, false);
		read_table(w, &names, true);
	}
	return 0;
}

/* --- rows -------------------------------------------------------------------- */

static struct line_row first_row(const struct header *h)
{
	return (struct line_row){ .line = 1, .file = 1, .stmt = h->stmt };
}

static int emit(struct walk *w, struct line_row *row)
{
	int ret = 0;

	if (row->file < w->h.nfiles && w->h.wanted[row->file])
		ret = w->row(w->ctx, row);
	row->prologue_end = false;
	return ret;
}

/* Behind a 0: its length, what it is, and its operands. */
static void extended(struct walk *w, struct dwarf_cursor *c, struct line_row *row)
{
	uint64_t len = dwarf_cursor_uleb(c);
	const uint8_t *p = dwarf_cursor_take(c, len);

	if (!p || !len)
		return;
	if (*p == DW_LNE_end_sequence)
		*row = first_row(&w->h);
	else if (*p == DW_LNE_set_address && len == 9)
		memcpy(&row->vaddr, p + 1, 8);
}

/* An opcode that makes no row, or DW_LNS_copy: whether it does. */
static bool standard(struct walk *w, struct dwarf_cursor *c, unsigned int op,
		     struct line_row *row)
{
	const struct header *h = &w->h;

	switch (op) {
	case DW_LNS_copy:
		return true;
	case DW_LNS_advance_pc:
		row->vaddr += dwarf_cursor_uleb(c) * h->min_len;
		break;
	case DW_LNS_advance_line:
		row->line += (uint32_t)dwarf_sleb(&c->p, c->end);
		break;
	case DW_LNS_set_file:
		row->file = (uint32_t)dwarf_cursor_uleb(c);
		break;
	case DW_LNS_negate_stmt:
		row->stmt = !row->stmt;
		break;
	case DW_LNS_const_add_pc:
		row->vaddr += (255U - h->opcode_base) / h->line_range * h->min_len;
		break;
	case DW_LNS_fixed_advance_pc:
		row->vaddr += dwarf_cursor_uint(c, 2);
		break;
	case DW_LNS_set_prologue_end:
		row->prologue_end = true;
		break;
	default:
		for (uint8_t i = 0; i < h->args[op - 1]; i++)
			dwarf_cursor_uleb(c);
	}
	return false;
}

static int run(struct walk *w, struct dwarf_cursor *c)
{
	const struct header *h = &w->h;
	struct line_row row = first_row(h);
	int ret = 0;

	while (!ret && !c->bad && c->p < c->end) {
		unsigned int op = *c->p++, special;

		if (op >= h->opcode_base) {
			special = op - h->opcode_base;
			row.vaddr += special / h->line_range * h->min_len;
			row.line += (uint32_t)(h->line_base + (int)(special % h->line_range));
			ret = emit(w, &row);
		} else if (!op) {
			extended(w, c, &row);
		} else if (standard(w, c, op, &row)) {
			ret = emit(w, &row);
		}
	}
	return ret;
}

int line_walk(struct die *r, const struct dwdie *root, line_file_fn file,
	      line_row_fn row, void *ctx)
{
	const struct dwsect *s = sections_get(&r->sects, DWSECT_LINE);
	struct walk w = { .r = r, .file = file, .row = row, .ctx = ctx };
	struct dwarf_cursor c;
	struct dwval at;
	int ret = 0;

	if (!die_attr(r, root, DW_AT_stmt_list, &at) ||
	    (at.class != DWVAL_OFFSET && at.class != DWVAL_NUMBER) || at.u >= s->n)
		return 0;
	c = (struct dwarf_cursor){ s->p + at.u, s->p + s->n, false };
	if (make_space(&w.h))
		ret = -1;
	else if (!read_header(&w, &c))
		ret = run(&w, &c);
	free(w.h.dirs);
	free(w.h.wanted);
	return ret;
}
