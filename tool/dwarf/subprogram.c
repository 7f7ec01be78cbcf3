// SPDX-License-Identifier: GPL-2.0
/* Parameters and captured variables of a function, by debug information. */
#include <string.h>

#include "x86/captured.h"
#include "gotype/funcname.h"
#include "dwarf/constants.h"
#include "dwarf/internal.h"

/*
 * Where the debug information says that a parameter is at function entry. It
 * may be wrong (docs/go-facts.md); good only to find what is missing.
 */
static void locate(struct dwarf *dw, const struct dwdie *die, uint64_t entry,
		   struct dwparam *p)
{
	const uint8_t *e, *end;
	unsigned int op;
	uint64_t reg;
	size_t n;

	p->reg = DWLOC_NONE;
	if (!loclist_location(&dw->r, die, entry, &e, &n))
		return;
	end = e + n;
	op = *e++;
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		p->reg = (int)(op - DW_OP_reg0);
	} else if (op == DW_OP_regx) {
		reg = dwarf_uleb(&e, end);
		p->reg = reg < 64 ? (int)reg : DWLOC_NONE;
	} else if (op == DW_OP_fbreg) {
		p->reg = DWLOC_STACK;
		p->stack = (int32_t)dwarf_sleb(&e, end);
	} else if (op == DW_OP_call_frame_cfa) {
		p->reg = DWLOC_STACK;
		op = e < end ? *e++ : 0;
		if (op == DW_OP_consts)
			p->stack = (int32_t)dwarf_sleb(&e, end);
		else if (op == DW_OP_plus_uconst)
			p->stack = (int32_t)dwarf_uleb(&e, end);
	}
}

/*
 * Since 1.22 debug information lists all parameters, but not the location of a dictionary.
 * In all other cases the locations are not needed, and lists of locations stay unread.
 */
static bool needs_places(const struct dwarf *dw, const char *name)
{
	return dw->minor < 22 || strstr(name, "[go.shape.");
}

/* The word of the dictionary that has the type of @die, counted from 1; 0: none. */
static uint32_t dict_word(struct dwarf *dw, const struct dwdie *die)
{
	struct dwdie type;
	uint64_t word;

	if (!die_ref(&dw->r, die, DW_AT_type, &type) ||
	    type.tag != DW_TAG_typedef ||
	    !die_number(&dw->r, &type, DW_AT_go_dict_index, &word) ||
	    word >= UINT16_MAX)
		return 0;
	return (uint32_t)word + 1;
}

/* Results may be listed twice (seen in 1.24: time.tzsetRule). */
static bool is_duplicate(const struct dwfunc *f, const struct dwparam *p)
{
	for (size_t i = 0; p->result && i < f->nparams; i++) {
		if (f->params[i].result && strcmp(p->name, "_") &&
		    !strcmp(f->params[i].name, p->name))
			return true;
	}
	return false;
}

static int read_param(struct dwarf *dw, const struct dwdie *die, struct dwparam *p)
{
	p->name = die_name(&dw->r, die);
	if (!p->name)
		p->name = "_";
	p->result = die_flag(&dw->r, die, DW_AT_variable_parameter);
	p->reg = DWLOC_NONE;
	p->dict_word = dict_word(dw, die);
	p->type = dwarf_type_get(&dw->types, die);
	return p->type ? 0 : -1;
}

/* A unit's producer has the compiler's flags: "Go cmd/compile go1.27.1; -dwarf=false regabi". */
bool dwarf_is_bare(struct dwarf *dw, uint64_t entry)
{
	struct dwdie die, root;
	struct dwval v;

	return dwarf_file_func(dw, entry, &die) &&
	       die_root(&dw->r, (struct dwunit *)(uintptr_t)die.unit, &root) &&
	       die_attr(&dw->r, &root, DW_AT_producer, &v) && v.class == DWVAL_STRING &&
	       strstr((const char *)v.p, " -dwarf=false");
}

int dwarf_func(struct dwarf *dw, uint64_t entry, struct dwfunc *ret)
{
	struct dwdie die, child;
	bool more, places;
	size_t n = 0;

	if (!dwarf_file_func(dw, entry, &die))
		return -1;
	memset(ret, 0, sizeof(*ret));
	ret->name = die_name(&dw->r, &die);
	if (!ret->name)
		return -1;
	for (more = die_child(&dw->r, &die, &child); more;
	     more = die_sibling(&dw->r, &child, &child))
		n += child.tag == DW_TAG_formal_parameter;
	if (n > DWARF_PARAMS_MAX)
		return -1;
	ret->params = arena_array(dw->mem, n, sizeof(*ret->params));
	if (!ret->params)
		return -1;
	places = needs_places(dw, ret->name);
	for (more = die_child(&dw->r, &die, &child); more && ret->nparams < n;
	     more = die_sibling(&dw->r, &child, &child)) {
		struct dwparam *p = &ret->params[ret->nparams];

		if (child.tag != DW_TAG_formal_parameter)
			continue;
		if (read_param(dw, &child, p))
			return -1;
		if (places)
			locate(dw, &child, entry, p);
		if (!is_duplicate(ret, p))
			ret->nparams++;
	}
	return 0;
}

static const struct gotype code_word = {
	.kind = GOTYPE_UINT, .name = "uintptr", .size = 8, .align = 8,
};

static const struct gofield code_field = { .name = "F", .type = &code_word };

/* A struct of @f, sorted here; NULL if they overlap. */
static const struct gotype *closure_of(struct dwarf *dw, uint64_t entry,
				       const char *name, struct gofield *f,
				       size_t n, bool more)
{
	struct gotype *t = arena_alloc(dw->mem, sizeof(*t));

	if (!t)
		return NULL;
	t->kind = GOTYPE_STRUCT;
	t->name = name;
	t->align = 8;
	t->fields = f;
	t->more = more;
	for (size_t i = 0; i < n; i++) {
		struct gofield *g = &f[i];

		if (g->offset < t->size || g->type->size > UINT16_MAX ||
		    g->offset > UINT16_MAX)
			return NULL;
		t->size = g->offset + g->type->size;
	}
	t->size = (t->size + 7) & ~7ULL;
	t->nfields = n;
	return hmap_put(&dw->closures, entry, t) ? NULL : t;
}

/* Put a field among @n others, by offset. */
static void insert(struct gofield *f, size_t n, struct gofield one)
{
	size_t i = n;

	for (; i && f[i - 1].offset > one.offset; i--)
		f[i] = f[i - 1];
	f[i] = one;
}

static const struct gotype not_known = {
	.kind = GOTYPE_UNKNOWN, .name = "unsafe.Pointer", .size = 8, .align = 8,
};

/* What the compiler leaves in a closure at most, and what it does not call "&x". */
#define BY_VALUE_MAX 128
#define BY_VALUE_PLAIN (2 * 8)
#define PLAIN_FIELDS 4
#define PLAIN_DEPTH 8

/*
 * Can the compiler keep such a variable in registers (cmd/compile/internal/ssa, CanSSA)? No array
 * of two, for one. @depth bounds types within types.
 */
static bool is_plain(const struct gotype *t, int depth)
{
	if (!t || t->size > BY_VALUE_PLAIN || !depth)
		return false;
	if (t->kind == GOTYPE_ARRAY)
		return !t->count || (t->count == 1 && t->elem && is_plain(t->elem, depth - 1));
	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < t->nfields; i++)
		if (i == PLAIN_FIELDS || !is_plain(t->fields[i].type, depth - 1))
			return false;
	return true;
}

/*
 * "&x" is called what the closure addresses: x itself if it was captured by value, its address if
 * not. A plain variable of up to two words that is kept by value is called "x".
 */
static void settle(struct dwarf *dw, struct gofield *f, const struct gofield *next,
		   const uint8_t *code, size_t len)
{
	const struct gotype *to = f->type->kind == GOTYPE_POINTER ? f->type->elem : NULL;
	enum captured how;

	if (f->name[0] != '&' || !to || to->size > BY_VALUE_MAX || is_plain(to, PLAIN_DEPTH))
		return;
	if (next && next->offset < f->offset + to->size)
		return;
	how = captured_how(code, len, f->offset);
	if (how == CAPTURED_REFERENCE)
		return;
	if (how == CAPTURED_UNKNOWN) {
		f->type = &not_known;
		return;
	}
	f->name = arena_strdup(dw->mem, f->name + 1) ?: f->name;
	f->type = to;
}

/* What is between two fields is a variable that is not described, if it is no padding. */
static bool has_gap(const struct gofield *f, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t end = f[i - 1].offset + f[i - 1].type->size;
		uint64_t align = f[i].type->align ? f[i].type->align : 8;

		if (f[i - 1].type != &not_known && f[i].offset >= end + align)
			return true;
	}
	return false;
}

/*
 * Has the closure captured a variable that its @n @f lack? The optimiser makes many of them vanish
 * from debug information. The last ones are seen where the code uses them.
 */
static bool has_more(const struct dwarf *dw, const char *name, const struct gofield *f, size_t n,
		     const uint8_t *code, size_t len)
{
	struct captured_span known[DWARF_PARAMS_MAX];

	/* The compiler's own variables, such as dictionaries, are never described. */
	if (dw->minor < DWARF_CAPTURED_MINOR || !funcname_is_literal(name))
		return false;
	for (size_t i = 0; i < n; i++) {
		known[i].from = f[i].offset;
		known[i].to = f[i].offset + f[i].type->size;
		if (f[i].type == &not_known)
			known[i].to = i + 1 < n ? f[i + 1].offset : UINT64_MAX;
	}
	return has_gap(f, n) || captured_outside(code, len, known, n);
}

const struct gotype *dwarf_closure(struct dwarf *dw, uint64_t entry, const uint8_t *code,
				   size_t len)
{
	const struct gotype *known = hmap_get(&dw->closures, entry);
	struct dwdie die, child;
	struct gofield *f;
	const char *name;
	uint64_t offset;
	size_t n = 1;
	bool more;

	if (known || !dwarf_file_func(dw, entry, &die))
		return known;
	name = die_name(&dw->r, &die);
	/* Functions that capture nothing are looked up often: that must not cost memory. */
	for (more = die_child(&dw->r, &die, &child); more && n < DWARF_PARAMS_MAX;
	     more = die_sibling(&dw->r, &child, &child))
		n += child.tag == DW_TAG_variable &&
		     die_number(&dw->r, &child, DW_AT_go_closure_offset, &offset);
	if (!name || (n == 1 && !has_more(dw, name, &code_field, 1, code, len)))
		return NULL;
	f = arena_array(dw->mem, n, sizeof(*f));
	if (!f)
		return NULL;
	f[0] = code_field;
	n = 1;
	for (more = die_child(&dw->r, &die, &child); more && n < DWARF_PARAMS_MAX;
	     more = die_sibling(&dw->r, &child, &child)) {
		struct gofield one = { .name = die_name(&dw->r, &child) };

		if (child.tag != DW_TAG_variable || !one.name ||
		    !die_number(&dw->r, &child, DW_AT_go_closure_offset,
				&one.offset))
			continue;
		one.type = dwarf_type_get(&dw->types, &child);
		if (one.type)
			insert(f, n++, one);
	}
	for (size_t i = 1; i < n; i++)
		settle(dw, &f[i], i + 1 < n ? &f[i + 1] : NULL, code, len);
	more = has_more(dw, name, f, n, code, len);
	return n > 1 || more ? closure_of(dw, entry, name, f, n, more) : NULL;
}

const struct gotype *dwarf_closure_of(struct dwarf *dw, uint64_t entry,
				      const char *name, const struct gotype *type)
{
	const struct gotype *known = hmap_get(&dw->closures, entry);
	const char *func;
	struct gofield *f;
	struct dwdie die;

	if (known || !dwarf_file_func(dw, entry, &die))
		return known;
	func = die_name(&dw->r, &die);
	f = arena_array(dw->mem, 2, sizeof(*f));
	if (!f || !func)
		return NULL;
	f[0] = code_field;
	f[1] = (struct gofield){ .name = name, .type = type, .offset = 8 };
	return closure_of(dw, entry, func, f, 2, false);
}
