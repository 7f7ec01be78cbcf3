// SPDX-License-Identifier: GPL-2.0
/*
 * DWARF as Go's linker writes it. A compilation unit is a package; it is walked
 * when one of its functions is looked up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dwarf/constants.h"
#include "dwarf/internal.h"

#define DWARF_RANGES_MAX (1U << 22)

struct adding {
	struct dwarf *dw;
	size_t unit;
};

static int add_range(void *ctx, uint64_t lo, uint64_t hi)
{
	const struct adding *a = ctx;
	struct dwarf *dw = a->dw;

	if (dw->nranges >= DWARF_RANGES_MAX ||
	    grow(&dw->ranges, dw->nranges + 1, &dw->ranges_cap, sizeof(*dw->ranges)))
		return -1;
	dw->ranges[dw->nranges++] = (struct dwrange){ lo, hi, a->unit };
	return 0;
}

static int by_lo(const void *a, const void *b)
{
	const struct dwrange *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static int load_ranges(struct dwarf *dw)
{
	bool any = false;

	for (size_t i = 0; i < dw->r.nunits; i++) {
		struct adding a = { dw, i };
		struct dwdie root;

		if (!dw->r.units[i].is_go)
			continue;
		any = true;
		if (die_root(&dw->r, &dw->r.units[i], &root) &&
		    loclist_ranges(&dw->r, &root, add_range, &a))
			return -1;
	}
	if (dw->nranges)
		qsort(dw->ranges, dw->nranges, sizeof(*dw->ranges), by_lo);
	return any ? 0 : -1;
}

static int open_file(struct dwarf *dw, int fd)
{
	struct diag ignored = { .message = NULL };

	if (elffile_open_debug(fd, "", &dw->ef, &ignored)) {
		diag_fini(&ignored);
		return -1;
	}
	dw->opened = true;
	return die_open(&dw->r, &dw->ef);
}

struct dwarf *dwarf_open(int fd, int minor, uint64_t types, struct arena *mem)
{
	struct dwarf *dw = calloc(1, sizeof(*dw));

	if (!dw)
		return NULL;
	dw->minor = minor;
	dw->mem = mem;
	dwarf_type_init(&dw->types, &dw->r, minor, types, mem);
	if (open_file(dw, fd) || load_ranges(dw)) {
		dwarf_free(dw);
		return NULL;
	}
	return dw;
}

void dwarf_free(struct dwarf *dw)
{
	if (!dw)
		return;
	hmap_fini(&dw->by_entry);
	hmap_fini(&dw->closures);
	dwarf_type_fini(&dw->types);
	free(dw->ranges);
	if (dw->opened) {
		die_close(&dw->r);
		elffile_fini(&dw->ef);
	}
	free(dw);
}

static void index_unit(struct dwarf *dw, struct dwunit *u)
{
	struct dwdie die;

	u->indexed = true;
	if (!die_root(&dw->r, u, &die))
		return;
	for (bool more = die_child(&dw->r, &die, &die); more;
	     more = die_sibling(&dw->r, &die, &die)) {
		uint64_t lo;

		/* An offset is never 0: a unit's header stands there. */
		if (die.tag == DW_TAG_subprogram &&
		    die_address(&dw->r, &die, DW_AT_low_pc, &lo))
			hmap_put(&dw->by_entry, lo, (void *)(uintptr_t)die.off);
	}
}

/* The ranges of a file made by one linker do not overlap. */
static struct dwunit *unit_at(struct dwarf *dw, uint64_t pc)
{
	size_t lo = 0, hi = dw->nranges;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (dw->ranges[mid].lo <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || pc >= dw->ranges[lo - 1].hi)
		return NULL;
	return &dw->r.units[dw->ranges[lo - 1].unit];
}

bool dwarf_file_func(struct dwarf *dw, uint64_t entry, struct dwdie *ret)
{
	struct dwunit *u = unit_at(dw, entry);
	void *off;

	if (!u)
		return false;
	if (!u->indexed)
		index_unit(dw, u);
	off = hmap_get(&dw->by_entry, entry);
	return off && die_at(&dw->r, (uintptr_t)off, ret);
}

/* The structure @name; all types stand in the last unit called runtime. */
static const struct gotype *find_struct(struct dwarf *dw, const char *name)
{
	for (size_t i = dw->r.nunits; i-- > 0;) {
		struct dwunit *u = &dw->r.units[i];
		struct dwdie die;

		if (!u->name || strcmp(u->name, "runtime") ||
		    !die_root(&dw->r, u, &die))
			continue;
		for (bool more = die_child(&dw->r, &die, &die); more;
		     more = die_sibling(&dw->r, &die, &die)) {
			const char *s;

			if (die.tag != DW_TAG_structure_type)
				continue;
			s = die_name(&dw->r, &die);
			if (s && !strcmp(s, name))
				return dwarf_type_at(&dw->types, &die);
		}
	}
	return NULL;
}

static int field_offset(const struct gotype *t, const char *name, uint32_t *ret)
{
	for (size_t i = 0; t && i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (strcmp(f->name, name))
			continue;
		if (f->offset >= 4096 || f->offset % 8)
			return -1;
		*ret = (uint32_t)f->offset;
		return 0;
	}
	return -1;
}

static const struct gotype *field_type(const struct gotype *t, const char *name)
{
	for (size_t i = 0; t && i < t->nfields; i++) {
		if (!strcmp(t->fields[i].name, name))
			return t->fields[i].type;
	}
	return NULL;
}

int dwarf_runtime(struct dwarf *dw, struct goprobe_runtime *rt)
{
	struct goprobe_runtime r = *rt;
	const struct gotype *g = find_struct(dw, "runtime.g"), *m, *stack;
	uint32_t at, lo, hi;

	stack = field_type(g, "stack");
	m = field_type(g, "m");		/* *runtime.m */
	m = m ? m->elem : NULL;
	if (field_offset(g, "stack", &at) || field_offset(stack, "lo", &lo) ||
	    field_offset(stack, "hi", &hi) ||
	    field_offset(g, "goid", &r.g_goid) ||
	    field_offset(g, "m", &r.g_m) ||
	    field_offset(m, "curg", &r.m_curg) ||
	    field_offset(m, "procid", &r.m_procid))
		return -1;
	r.g_stack_lo = at + lo;
	r.g_stack_hi = at + hi;
	*rt = r;
	return 0;
}

int dwarf_field(struct dwarf *dw, const char *name, const char *field, uint32_t *offset)
{
	const struct gotype *t = find_struct(dw, name);

	for (size_t i = 0; t && i < t->nfields; i++) {
		if (strcmp(t->fields[i].name, field) || t->fields[i].offset >= 4096)
			continue;
		*offset = (uint32_t)t->fields[i].offset;
		return 0;
	}
	return -1;
}

static const char *without_path(const char *name)
{
	const char *slash = NULL;

	for (const char *p = name; *p && *p != '['; p++)
		if (*p == '/')
			slash = p;
	return slash ? slash + 1 : name;
}

static bool is_type(const struct dwdie *die)
{
	switch (die->tag) {
	case DW_TAG_array_type:
	case DW_TAG_base_type:
	case DW_TAG_pointer_type:
	case DW_TAG_structure_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_typedef:
		return true;
	}
	return false;
}

/* A unit's types called @name: how many, counted to 2. */
static int find_type(struct dwarf *dw, struct dwunit *u, const char *name,
		     bool whole, struct dwdie *ret)
{
	struct dwdie die;
	int n = 0;

	if (!u->is_go || !die_root(&dw->r, u, &die))
		return 0;
	for (bool more = die_child(&dw->r, &die, &die); more && n < 2;
	     more = die_sibling(&dw->r, &die, &die)) {
		const char *s = is_type(&die) ? die_name(&dw->r, &die) : NULL;
		size_t stars = s ? strspn(s, "*") : 0;

		if (!s || strncmp(s, name, stars))
			continue;
		s = dwarf_type_unmarked(s + stars);
		if (strcmp(whole ? s : without_path(s), name + stars))
			continue;
		*ret = die;
		n++;
	}
	return n;
}

const struct gotype *dwarf_type(struct dwarf *dw, const char *name)
{
	for (int whole = 1; whole >= 0; whole--) {
		struct dwdie die;
		int n = 0;

		for (size_t i = 0; i < dw->r.nunits && n < 2; i++)
			n += find_type(dw, &dw->r.units[i], name, whole, &die);
		if (n == 1 || (n && whole))
			return dwarf_type_at(&dw->types, &die);
	}
	return NULL;
}

/* Where a variable is if its location is a plain address. */
static bool address_of(struct dwarf *dw, const struct dwdie *die, uint64_t *ret)
{
	struct dwval v;

	if (!die_attr(&dw->r, die, DW_AT_location, &v) ||
	    v.class != DWVAL_BLOCK || v.n != 1 + sizeof(*ret) ||
	    v.p[0] != DW_OP_addr)
		return false;
	memcpy(ret, v.p + 1, sizeof(*ret));
	return true;
}

/* A value other than 0 ends the walk. */
typedef int (*variable_fn)(void *ctx, const struct dwdie *die, const char *name,
			   uint64_t vaddr);

/* Call @fn for each variable of a unit. Returns what it returned last. */
static int each_variable(struct dwarf *dw, struct dwunit *u, variable_fn fn,
			 void *ctx)
{
	struct dwdie die;
	int ret = 0;
	bool more;

	if (!u->is_go || !die_root(&dw->r, u, &die))
		return 0;
	for (more = die_child(&dw->r, &die, &die); more && !ret;
	     more = die_sibling(&dw->r, &die, &die)) {
		const char *name;
		uint64_t vaddr;

		if (die.tag != DW_TAG_variable ||
		    !address_of(dw, &die, &vaddr))
			continue;
		name = die_name(&dw->r, &die);
		if (name)
			ret = fn(ctx, &die, name, vaddr);
	}
	return ret;
}

/* Is the unit called as the package of the variable @name is? */
static bool is_package_of(const struct dwunit *u, const char *name)
{
	size_t n = u->name ? strlen(u->name) : 0;

	return u->name && !strncmp(u->name, name, n) && name[n] == '.';
}

struct wanted {
	struct dwarf *dw;
	const char *name;
	struct dwvar *ret;
};

static int match(void *ctx, const struct dwdie *die, const char *name,
		 uint64_t vaddr)
{
	struct wanted *w = ctx;

	if (strcmp(name, w->name))
		return 0;
	w->ret->vaddr = vaddr;
	w->ret->type = dwarf_type_get(&w->dw->types, die);
	return w->ret->type ? 1 : 0;
}

int dwarf_variable(struct dwarf *dw, const char *name, struct dwvar *ret)
{
	struct wanted w = { dw, name, ret };

	/* Nearly always in its package's unit; the linker may choose another. */
	for (int own = 1; own >= 0; own--) {
		for (size_t i = 0; i < dw->r.nunits; i++) {
			struct dwunit *u = &dw->r.units[i];

			if (is_package_of(u, name) == own &&
			    each_variable(dw, u, match, &w))
				return 0;
		}
	}
	return -1;
}

struct passing {
	struct dwarf *dw;
	int (*fn)(void *ctx, const struct dwvar_at *at);
	void *ctx;
};

static int pass_on(void *ctx, const struct dwdie *die, const char *name,
		   uint64_t vaddr)
{
	const struct passing *p = ctx;

	return p->fn(p->ctx, &(struct dwvar_at){ name, vaddr, p->dw, die });
}

int dwarf_variables(struct dwarf *dw, int (*fn)(void *ctx, const struct dwvar_at *at), void *ctx)
{
	struct passing p = { dw, fn, ctx };
	int ret = 0;

	for (size_t i = 0; i < dw->r.nunits && !ret; i++)
		ret = each_variable(dw, &dw->r.units[i], pass_on, &p);
	return ret;
}

const struct gotype *dwarf_variable_type(const struct dwvar_at *at)
{
	return dwarf_type_get(&at->dw->types, at->die);
}

void dwarf_packages(const struct dwarf *dw,
		    void (*fn)(void *ctx, const char *path, const char *name), void *ctx)
{
	for (size_t i = 0; i < dw->r.nunits; i++) {
		const struct dwunit *u = &dw->r.units[i];

		if (u->is_go && u->name && u->package && *u->package)
			fn(ctx, u->name, u->package);
	}
}
