// SPDX-License-Identifier: GPL-2.0
/* Variables in scope at an instruction, and their locations, by debug information. */
#include <string.h>

#include "base/array.h"
#include "dwarf/constants.h"
#include "dwarf/internal.h"
#include "dwarf/line.h"
#include "dwarf/scope.h"

/* Bounds against hostile files. */
#define BLOCKS_DEEP_MAX 64U
#define LOCALS_MAX 4096U
#define ENTRIES_MAX (1U << 20)

/* Variables being collected. */
struct scope {
	struct dwarf *dw;	/* where from */
	uint64_t entry;		/* the function */
	uint64_t pc;		/* the instruction */
	int line;		/* its line */
	struct dwlocal *v;	/* those that have been found */
	size_t n;		/* their number */
	size_t cap;		/* capacity of @v */
	unsigned int left;	/* entries that may still be looked at */
};

/* --- places ------------------------------------------------------------------- */

/*
 * One simple location at *@p, which is moved behind it: what Go's compiler makes
 * (cmd/compile/internal/ssa/debug.go, cmd/internal/dwarf). False: not understood.
 */
static bool read_place(struct die *r, const struct dwunit *u, const uint8_t **p,
		       const uint8_t *end, struct dwpiece *ret)
{
	unsigned int op = *(*p)++;
	uint64_t reg = 64, index;

	if (op >= DW_OP_reg0 && op <= DW_OP_reg31)
		reg = op - DW_OP_reg0;
	else if (op == DW_OP_regx)
		reg = dwarf_uleb(p, end);
	if (reg < 33) {
		ret->kind = DWPIECE_REG;
		ret->reg = (uint8_t)reg;
		return true;
	}
	ret->kind = DWPIECE_STACK;
	switch (op) {
	case DW_OP_fbreg:
		ret->offset = dwarf_sleb(p, end);
		return true;
	case DW_OP_call_frame_cfa:
		if (*p < end && **p == DW_OP_consts) {
			(*p)++;
			ret->offset = dwarf_sleb(p, end);
			return *p < end && *(*p)++ == DW_OP_plus;
		}
		if (*p < end && **p == DW_OP_plus_uconst) {
			(*p)++;
			ret->offset = (int64_t)dwarf_uleb(p, end);
		}
		return true;
	case DW_OP_addr:
		ret->kind = DWPIECE_STATIC;
		if (end - *p < 8)
			return false;
		memcpy(&ret->offset, *p, 8);
		*p += 8;
		return true;
	case DW_OP_addrx:
		ret->kind = DWPIECE_STATIC;
		if (!die_addrx(r, u, dwarf_uleb(p, end), &index))
			return false;
		ret->offset = (int64_t)index;
		return true;
	}
	return false;
}

/* All of an expression: one place, or pieces. Their number; 0: nowhere, or not understood. */
static size_t read_places(struct scope *s, const struct dwdie *die, const uint8_t *p, size_t n,
			  struct dwpiece *v)
{
	const uint8_t *end = p + n;
	uint64_t at = 0, size;
	size_t count = 0;
	bool some = false;

	while (p < end && count < DWLOCAL_PIECES_MAX) {
		struct dwpiece *piece = &v[count];

		*piece = (struct dwpiece){ .at = (uint32_t)at };
		if (*p != DW_OP_piece && !read_place(&s->dw->r, die->unit, &p, end, piece))
			return 0;
		some |= piece->kind != DWPIECE_NONE;
		count++;
		if (p == end)
			return count == 1 ? 1 : 0;
		if (*p++ != DW_OP_piece)
			return 0;
		size = dwarf_uleb(&p, end);
		if (!size || size > UINT16_MAX)
			return 0;
		piece->size = (uint32_t)size;
		at += size;
	}
	return some && p == end ? count : 0;
}

/* Where it is at @pc. 0, or -1 without memory. */
static int locate(struct scope *s, const struct dwdie *die, uint64_t pc, const struct dwpiece **v,
		  size_t *n)
{
	struct dwpiece pieces[DWLOCAL_PIECES_MAX], *kept;
	const uint8_t *expr;
	size_t len;

	if (!loclist_location(&s->dw->r, die, pc, &expr, &len))
		return 0;
	*n = read_places(s, die, expr, len, pieces);
	kept = arena_array(s->dw->mem, *n + 1, sizeof(*kept));
	if (!kept)
		return -1;
	memcpy(kept, pieces, *n * sizeof(*kept));
	*v = kept;
	return 0;
}

/* --- variables ------------------------------------------------------------------ */

/*
 * Is the variable there yet? What is declared by the line itself has no value before it, unless
 * a list of locations says that it has.
 */
static bool is_declared(struct scope *s, const struct dwdie *die)
{
	struct dwval line, at;

	if (!die_attr_any(&s->dw->r, die, DW_AT_decl_line, &line) ||
	    line.class != DWVAL_NUMBER || line.u < (uint64_t)s->line)
		return true;
	return line.u == (uint64_t)s->line && die_attr(&s->dw->r, die, DW_AT_location, &at) &&
	       at.class == DWVAL_OFFSET;
}

static int add_local(struct scope *s, const struct dwdie *die, uint32_t level)
{
	struct die *r = &s->dw->r;
	bool param = die->tag == DW_TAG_formal_parameter;
	const char *name = die_name(r, die);
	struct dwlocal *v;
	struct dwval at;

	if (!name || !name[0] || s->n >= LOCALS_MAX || (!param && !is_declared(s, die)))
		return 0;
	if (grow(&s->v, s->n + 1, &s->cap, sizeof(*s->v)))
		return -1;
	v = &s->v[s->n];
	*v = (struct dwlocal){ .name = name, .param = param, .level = level };
	v->type = dwarf_type_get(&s->dw->types, die);
	if (!v->type)
		return 0;
	s->n++;
	v->listed = die_attr(r, die, DW_AT_location, &at) && at.class == DWVAL_OFFSET;
	if (v->listed && param && !level && locate(s, die, s->entry, &v->entry, &v->nentry))
		return -1;
	if (locate(s, die, s->pc, &v->pieces, &v->npieces))
		return -1;
	/* What the compiler keeps whole has a place of its own in the frame, always the same. */
	if (v->npieces == 1 && v->pieces->kind == DWPIECE_STACK && v->pieces->offset < 0)
		v->listed &= loclist_moves(r, die);
	/* Without optimisations it is in registers at first, and then kept whole. */
	if (v->npieces == 1 && v->nentry > 1)
		v->listed = false;
	return 0;
}

static int covers(void *ctx, uint64_t lo, uint64_t hi)
{
	uint64_t pc = *(uint64_t *)ctx;

	return pc >= lo && pc < hi;
}

static bool is_inside(struct scope *s, const struct dwdie *die)
{
	return loclist_ranges(&s->dw->r, die, covers, &s->pc) > 0;
}

/*
 * Variables of the block @die and of the blocks in it that the instruction is in; *@inner is
 * the call inlined there, if there is one.
 */
static int walk_block(struct scope *s, const struct dwdie *die, uint32_t level,
		      unsigned int deep, struct dwdie *inner, bool *has_inner)
{
	struct die *r = &s->dw->r;
	struct dwdie child;
	int err = 0;

	for (bool more = die_child(r, die, &child); more && !err && s->left;
	     more = die_sibling(r, &child, &child)) {
		s->left--;
		switch (child.tag) {
		case DW_TAG_formal_parameter:
		case DW_TAG_variable:
			err = add_local(s, &child, level);
			break;
		case DW_TAG_lexical_block:
			if (deep < BLOCKS_DEEP_MAX && is_inside(s, &child))
				err = walk_block(s, &child, level, deep + 1, inner, has_inner);
			break;
		case DW_TAG_inlined_subroutine:
			if (!is_inside(s, &child))
				break;
			*inner = child;
			*has_inner = true;
			break;
		}
	}
	return err;
}

/* Is a parameter called @name of that call among the variables already? */
static bool has_param(const struct scope *s, const char *name, uint32_t level)
{
	for (size_t i = s->n; i-- > 0 && s->v[i].level == level;)
		if (s->v[i].param && !strcmp(s->v[i].name, name))
			return true;
	return false;
}

/* An inlined call lists only variables with a location; all of them are in its origin. */
static int add_absent(struct scope *s, const struct dwdie *die, uint32_t level)
{
	struct die *r = &s->dw->r;
	struct dwdie origin, child;
	int err = 0;

	if (!die_ref(r, die, DW_AT_abstract_origin, &origin))
		return 0;
	for (bool more = die_child(r, &origin, &child); more && !err && s->left;
	     more = die_sibling(r, &child, &child)) {
		const char *name = child.tag == DW_TAG_formal_parameter ?
				   die_name(r, &child) : NULL;

		s->left--;
		if (name && !has_param(s, name, level))
			err = add_local(s, &child, level);
	}
	return err;
}

/* Calls are found from the outermost one on; the innermost shall be level 0, and first. */
static void turn(struct scope *s, uint32_t levels, struct dwlocal *to)
{
	size_t n = 0;

	for (uint32_t level = levels; level-- > 0;) {
		for (size_t i = 0; i < s->n; i++) {
			if (s->v[i].level != level)
				continue;
			to[n] = s->v[i];
			to[n++].level = levels - 1 - level;
		}
	}
}

/* The line of a call that is inlined matters to what is declared around it. */
static int call_line(struct scope *s, const struct dwdie *die, int line)
{
	uint64_t v;

	return die_number(&s->dw->r, die, DW_AT_call_line, &v) && v <= INT32_MAX ? (int)v : line;
}

int dwarf_scope(struct dwarf *dw, uint64_t entry, uint64_t pc, int line,
		struct dwscope *ret)
{
	struct scope s = { .dw = dw, .entry = entry, .pc = pc, .left = ENTRIES_MAX };
	struct dwdie chain[BLOCKS_DEEP_MAX];
	uint32_t levels = 0;
	int err = 0;
	bool more;

	memset(ret, 0, sizeof(*ret));
	if (!dwarf_file_func(dw, entry, &chain[0]))
		return -1;
	/* First which calls are inlined, as a block's line is that of the call in it. */
	do {
		size_t n = s.n;

		more = false;
		err = levels + 1 < BLOCKS_DEEP_MAX ?
		      walk_block(&s, &chain[levels], levels, 0, &chain[levels + 1], &more) : 0;
		s.n = n;
		levels++;
	} while (!err && more);
	for (uint32_t i = 0; !err && i < levels; i++) {
		struct dwdie inner;

		s.line = i + 1 < levels ? call_line(&s, &chain[i + 1], line) : line;
		err = walk_block(&s, &chain[i], i, 0, &inner, &more);
		if (!err && i)
			err = add_absent(&s, &chain[i], i);
	}
	ret->v = err ? NULL : arena_array(dw->mem, s.n + 1, sizeof(*ret->v));
	if (ret->v) {
		turn(&s, levels, ret->v);
		ret->n = s.n;
	}
	free(s.v);
	return ret->v ? 0 : -1;
}

/* --- lines ------------------------------------------------------------------------ */

struct lines {
	bool (*file)(void *ctx, const char *dir, const char *name);
	int (*row)(void *ctx, uint64_t vaddr, int line, bool prologue_end);
	void *ctx;
};

static bool pass_file(void *ctx, const char *dir, const char *name)
{
	const struct lines *l = ctx;

	return l->file(l->ctx, dir, name);
}

static int pass_row(void *ctx, const struct line_row *row)
{
	const struct lines *l = ctx;

	if (!row->stmt || !row->line || row->line > INT32_MAX)
		return 0;
	return l->row(l->ctx, row->vaddr, (int)row->line, row->prologue_end);
}

int dwarf_lines(struct dwarf *dw,
		bool (*file)(void *ctx, const char *dir, const char *name),
		int (*row)(void *ctx, uint64_t vaddr, int line, bool prologue_end),
		void *ctx)
{
	struct lines l = { file, row, ctx };
	int ret = 0;

	for (size_t i = 0; !ret && i < dw->r.nunits; i++) {
		struct dwdie root;

		if (dw->r.units[i].is_go && die_root(&dw->r, &dw->r.units[i], &root))
			ret = line_walk(&dw->r, &root, pass_file, pass_row, &l);
	}
	return ret;
}

struct prologue_search {
	uint64_t entry;
	uint64_t end;
	uint64_t found;
};

static bool any_file(void *ctx, const char *dir, const char *name)
{
	(void)ctx;
	(void)dir;
	return name;
}

static int find_prologue_end(void *ctx, const struct line_row *row)
{
	struct prologue_search *p = ctx;

	if (!row->prologue_end || row->vaddr < p->entry || row->vaddr >= p->end)
		return 0;
	p->found = row->vaddr;
	return 1;
}

uint64_t dwarf_prologue_end(struct dwarf *dw, uint64_t entry, uint64_t end)
{
	struct prologue_search p = { .entry = entry, .end = end };
	struct dwdie func, root;

	if (dwarf_file_func(dw, entry, &func) &&
	    die_root(&dw->r, (struct dwunit *)(uintptr_t)func.unit, &root))
		line_walk(&dw->r, &root, any_file, find_prologue_end, &p);
	return p.found;
}
