// SPDX-License-Identifier: GPL-2.0
/*
 * DWARF as Go's linker writes it. A compilation unit is a package; it is walked
 * when one of its functions is asked for.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <endian.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dwinfo.h"
#include "dwtype.h"
#include "hmap.h"

#ifndef DW_LANG_Go
#define DW_LANG_Go 0x16
#endif

/* Nobody writes a function of more; a bound against hostile files. */
#define DWINFO_PARAMS_MAX 512
#define DWINFO_RANGES_MAX (1U << 22)
/* Real debug information shrinks to a quarter or so. */
#define DWINFO_EXPANSION_MAX 64

struct dwunit {
	Dwarf_Die die;
	bool indexed;
};

struct dwrange {
	uint64_t lo;
	uint64_t hi;
	size_t unit;
};

struct dwinfo {
	Elf *elf;
	Dwarf *dw;
	struct arena *mem;
	struct dwtype types;
	struct dwunit *units;
	size_t nunits;
	struct dwrange *ranges;
	size_t nranges;
	size_t ranges_cap;
	struct hmap by_entry;		/* low_pc to entry offset */
	struct hmap closures;		/* low_pc to struct gotype */
};

static int add_range(struct dwinfo *dw, uint64_t lo, uint64_t hi, size_t unit)
{
	if (dw->nranges == dw->ranges_cap) {
		size_t cap = dw->ranges_cap ? dw->ranges_cap * 2 : 256;
		void *p = NULL;

		if (cap <= DWINFO_RANGES_MAX)
			p = reallocarray(dw->ranges, cap, sizeof(*dw->ranges));
		if (!p)
			return -1;
		dw->ranges = p;
		dw->ranges_cap = cap;
	}
	dw->ranges[dw->nranges++] = (struct dwrange){ lo, hi, unit };
	return 0;
}

static int by_lo(const void *a, const void *b)
{
	const struct dwrange *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static int load_units(struct dwinfo *dw)
{
	Dwarf_CU *cu = NULL;
	size_t cap = 0;
	Dwarf_Die die;

	while (!dwarf_get_units(dw->dw, cu, &cu, NULL, NULL, &die, NULL)) {
		Dwarf_Addr base, lo, hi;
		ptrdiff_t off = 0;

		if (dwarf_srclang(&die) != DW_LANG_Go)
			continue;
		if (dw->nunits == cap) {
			void *p;

			cap = cap ? cap * 2 : 256;
			p = reallocarray(dw->units, cap, sizeof(*dw->units));
			if (!p)
				return -1;
			dw->units = p;
		}
		dw->units[dw->nunits] = (struct dwunit){ .die = die };
		while ((off = dwarf_ranges(&die, off, &base, &lo, &hi)) > 0) {
			if (lo < hi && add_range(dw, lo, hi, dw->nunits))
				return -1;
		}
		dw->nunits++;
	}
	if (dw->nranges)
		qsort(dw->ranges, dw->nranges, sizeof(*dw->ranges), by_lo);
	return dw->nunits ? 0 : -1;
}

/* Bytes of a section once it is decompressed. */
static uint64_t expanded(Elf_Scn *scn, const GElf_Shdr *sh, const char *name)
{
	uint64_t size = sh->sh_size;
	GElf_Chdr ch;
	Elf_Data *raw;

	if (sh->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &ch) ? ch.ch_size : size;
	if (strncmp(name, ".zdebug", 7))
		return size;
	/* "ZLIB", then the size, big endian. */
	raw = elf_rawdata(scn, NULL);
	if (raw && raw->d_size >= 12) {
		memcpy(&size, (const char *)raw->d_buf + 4, sizeof(size));
		size = be64toh(size);
	}
	return size;
}

/* Would libdw take far more memory than the file is large? */
static bool is_bomb(Elf *elf, uint64_t file)
{
	uint64_t total = 0;
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name || !strstr(name, "debug_"))
			continue;
		if (__builtin_add_overflow(total, expanded(scn, &sh, name),
					   &total))
			return true;
	}
	return total / DWINFO_EXPANSION_MAX > file;
}

struct dwinfo *dwinfo_open(int fd, int minor, uint64_t types, struct arena *mem)
{
	struct dwinfo *dw = calloc(1, sizeof(*dw));
	struct stat st;

	if (!dw)
		return NULL;
	elf_version(EV_CURRENT);
	dw->mem = mem;
	dwtype_init(&dw->types, minor, types, mem);
	/* Not ELF_C_READ_MMAP: the file may shrink while it is looked at. */
	dw->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (dw->elf && !fstat(fd, &st) && !is_bomb(dw->elf, (uint64_t)st.st_size))
		dw->dw = dwarf_begin_elf(dw->elf, DWARF_C_READ, NULL);
	if (!dw->dw || load_units(dw)) {
		dwinfo_free(dw);
		return NULL;
	}
	return dw;
}

void dwinfo_free(struct dwinfo *dw)
{
	if (!dw)
		return;
	hmap_fini(&dw->by_entry);
	hmap_fini(&dw->closures);
	dwtype_fini(&dw->types);
	free(dw->units);
	free(dw->ranges);
	if (dw->dw)
		dwarf_end(dw->dw);
	if (dw->elf)
		elf_end(dw->elf);
	free(dw);
}

static void index_unit(struct dwinfo *dw, struct dwunit *u)
{
	Dwarf_Die die;

	u->indexed = true;
	for (int end = dwarf_child(&u->die, &die); !end;
	     end = dwarf_siblingof(&die, &die)) {
		Dwarf_Addr lo;

		if (dwarf_tag(&die) != DW_TAG_subprogram ||
		    dwarf_lowpc(&die, &lo))
			continue;
		/* An offset is never 0: a unit's header stands there. */
		hmap_put(&dw->by_entry, lo,
			 (void *)(uintptr_t)dwarf_dieoffset(&die));
	}
}

/* The ranges of a file made by one linker do not overlap. */
static struct dwunit *unit_at(struct dwinfo *dw, uint64_t pc)
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
	return &dw->units[dw->ranges[lo - 1].unit];
}

static bool is_result(Dwarf_Die *die)
{
	Dwarf_Attribute a;
	bool v;

	return dwarf_attr_integrate(die, DW_AT_variable_parameter, &a) &&
	       !dwarf_formflag(&a, &v) && v;
}

/*
 * Where the debug information says that a parameter is at function entry. It
 * may be wrong (docs/go-facts.md); good only to find what is missing.
 */
static void locate(Dwarf_Die *die, uint64_t entry, struct dwparam *p)
{
	Dwarf_Attribute a;
	Dwarf_Op *ops;
	size_t n;

	p->reg = DWLOC_NONE;
	if (!dwarf_attr(die, DW_AT_location, &a) ||
	    dwarf_getlocation_addr(&a, entry, &ops, &n, 1) != 1 || !n)
		return;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		p->reg = ops[0].atom - DW_OP_reg0;
	} else if (ops[0].atom == DW_OP_regx && ops[0].number < 64) {
		p->reg = (int)ops[0].number;
	} else if (ops[0].atom == DW_OP_call_frame_cfa) {
		p->reg = DWLOC_STACK;
		if (n >= 3 && ops[1].atom == DW_OP_consts)
			p->stack = (int32_t)ops[1].number;
		else if (n >= 2 && ops[1].atom == DW_OP_plus_uconst)
			p->stack = (int32_t)ops[1].number;
	} else if (ops[0].atom == DW_OP_fbreg) {
		p->reg = DWLOC_STACK;
		p->stack = (int32_t)ops[0].number;
	}
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

/* The entry of the function at @entry. */
static int find_func(struct dwinfo *dw, uint64_t entry, Dwarf_Die *ret)
{
	struct dwunit *u = unit_at(dw, entry);
	void *off;

	if (!u)
		return -1;
	if (!u->indexed)
		index_unit(dw, u);
	off = hmap_get(&dw->by_entry, entry);
	return off && dwarf_offdie(dw->dw, (uintptr_t)off, ret) ? 0 : -1;
}

int dwinfo_func(struct dwinfo *dw, uint64_t entry, struct dwfunc *ret)
{
	Dwarf_Die die, child;
	size_t n = 0;
	int end;

	if (find_func(dw, entry, &die))
		return -1;
	memset(ret, 0, sizeof(*ret));
	ret->name = dwarf_diename(&die);
	if (!ret->name)
		return -1;
	for (end = dwarf_child(&die, &child); !end;
	     end = dwarf_siblingof(&child, &child))
		n += dwarf_tag(&child) == DW_TAG_formal_parameter;
	if (n > DWINFO_PARAMS_MAX)
		return -1;
	ret->params = arena_array(dw->mem, n, sizeof(*ret->params));
	if (!ret->params)
		return -1;
	for (end = dwarf_child(&die, &child); !end && ret->nparams < n;
	     end = dwarf_siblingof(&child, &child)) {
		struct dwparam *p = &ret->params[ret->nparams];

		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		p->name = dwarf_diename(&child);
		if (!p->name)
			p->name = "_";
		p->result = is_result(&child);
		p->type = dwtype_get(&dw->types, &child);
		if (!p->type)
			return -1;
		locate(&child, entry, p);
		if (!is_duplicate(ret, p))
			ret->nparams++;
	}
	return 0;
}

/* The structure @name; all types stand in the last unit called runtime. */
static const struct gotype *find_struct(struct dwinfo *dw, const char *name)
{
	for (size_t i = dw->nunits; i-- > 0;) {
		const char *unit = dwarf_diename(&dw->units[i].die);
		Dwarf_Die die;

		if (!unit || strcmp(unit, "runtime"))
			continue;
		for (int end = dwarf_child(&dw->units[i].die, &die); !end;
		     end = dwarf_siblingof(&die, &die)) {
			const char *s;

			if (dwarf_tag(&die) != DW_TAG_structure_type)
				continue;
			s = dwarf_diename(&die);
			if (s && !strcmp(s, name))
				return dwtype_at(&dw->types, &die);
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

int dwinfo_runtime(struct dwinfo *dw, struct goprobe_runtime *rt)
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
	    field_offset(m, "curg", &r.m_curg))
		return -1;
	r.g_stack_lo = at + lo;
	r.g_stack_hi = at + hi;
	*rt = r;
	return 0;
}

/* Where a variable is if its location is a plain address. */
static int address_of(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute a;
	Dwarf_Block b;

	/* Go writes it as a block, which dwarf_getlocation() does not take. */
	if (!dwarf_attr(die, DW_AT_location, &a) || dwarf_formblock(&a, &b) ||
	    b.length != 1 + sizeof(*ret) || b.data[0] != DW_OP_addr)
		return -1;
	memcpy(ret, b.data + 1, sizeof(*ret));
	return 0;
}

/* Is the unit called as the package of the variable @name is? */
static bool is_package_of(Dwarf_Die *unit, const char *name)
{
	const char *u = dwarf_diename(unit);
	size_t n = u ? strlen(u) : 0;

	return u && !strncmp(u, name, n) && name[n] == '.';
}

static int find_variable(struct dwinfo *dw, Dwarf_Die *unit, const char *name,
			 struct dwvar *ret)
{
	Dwarf_Die die;

	for (int end = dwarf_child(unit, &die); !end;
	     end = dwarf_siblingof(&die, &die)) {
		const char *s;

		if (dwarf_tag(&die) != DW_TAG_variable)
			continue;
		s = dwarf_diename(&die);
		if (!s || strcmp(s, name) || address_of(&die, &ret->vaddr))
			continue;
		ret->type = dwtype_get(&dw->types, &die);
		return ret->type ? 0 : -1;
	}
	return -1;
}

int dwinfo_variable(struct dwinfo *dw, const char *name, struct dwvar *ret)
{
	/* Nearly always in its package's unit; the linker may choose another. */
	for (int own = 1; own >= 0; own--) {
		for (size_t i = 0; i < dw->nunits; i++) {
			Dwarf_Die *unit = &dw->units[i].die;

			if (is_package_of(unit, name) == own &&
			    !find_variable(dw, unit, name, ret))
				return 0;
		}
	}
	return -1;
}

int dwinfo_variables(struct dwinfo *dw, int (*fn)(void *ctx, const char *name),
		     void *ctx)
{
	for (size_t i = 0; i < dw->nunits; i++) {
		Dwarf_Die die;

		for (int end = dwarf_child(&dw->units[i].die, &die); !end;
		     end = dwarf_siblingof(&die, &die)) {
			const char *s;
			uint64_t at;
			int err;

			if (dwarf_tag(&die) != DW_TAG_variable)
				continue;
			s = dwarf_diename(&die);
			err = s && !address_of(&die, &at) ? fn(ctx, s) : 0;
			if (err)
				return err;
		}
	}
	return 0;
}

static const char *without_path(const char *name)
{
	const char *slash = NULL;

	for (const char *p = name; *p && *p != '['; p++)
		if (*p == '/')
			slash = p;
	return slash ? slash + 1 : name;
}

static bool is_type(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
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

/* Its types called @name: how many, counted to 2. */
static int find_type(Dwarf_Die *unit, const char *name, bool whole, Dwarf_Die *ret)
{
	Dwarf_Die die;
	int n = 0;

	for (int end = dwarf_child(unit, &die); !end && n < 2;
	     end = dwarf_siblingof(&die, &die)) {
		const char *s = is_type(&die) ? dwarf_diename(&die) : NULL;

		if (!s || strcmp(whole ? s : without_path(s), name))
			continue;
		*ret = die;
		n++;
	}
	return n;
}

const struct gotype *dwinfo_type(struct dwinfo *dw, const char *name)
{
	for (int whole = 1; whole >= 0; whole--) {
		Dwarf_Die die;
		int n = 0;

		for (size_t i = 0; i < dw->nunits && n < 2; i++)
			n += find_type(&dw->units[i].die, name, whole, &die);
		if (n == 1 || (n && whole))
			return dwtype_at(&dw->types, &die);
	}
	return NULL;
}

static const struct gotype code_word = {
	.kind = GOTYPE_UINT, .name = "uintptr", .size = 8, .align = 8,
};

/* A struct of @f, sorted here; NULL if they overlap. */
static const struct gotype *closure_of(struct dwinfo *dw, uint64_t entry,
				       const char *name, struct gofield *f,
				       size_t n)
{
	struct gotype *t = arena_alloc(dw->mem, sizeof(*t));

	if (!t)
		return NULL;
	t->kind = GOTYPE_STRUCT;
	t->name = name;
	t->align = 8;
	t->fields = f;
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

const struct gotype *dwinfo_closure(struct dwinfo *dw, uint64_t entry)
{
	const struct gotype *known = hmap_get(&dw->closures, entry);
	struct gofield *f;
	Dwarf_Die die, child;
	size_t n = 1;
	int end;

	if (known || find_func(dw, entry, &die) || !dwarf_diename(&die))
		return known;
	for (end = dwarf_child(&die, &child); !end && n < DWINFO_PARAMS_MAX;
	     end = dwarf_siblingof(&child, &child))
		n += dwarf_hasattr(&child, DW_AT_go_closure_offset);
	f = n > 1 ? arena_array(dw->mem, n, sizeof(*f)) : NULL;
	if (!f)
		return NULL;
	f[0] = (struct gofield){ .name = "F", .type = &code_word };
	n = 1;
	for (end = dwarf_child(&die, &child); !end;
	     end = dwarf_siblingof(&child, &child)) {
		struct gofield one = { .name = dwarf_diename(&child) };

		if (!dwtype_number(&child, DW_AT_go_closure_offset, &one.offset))
			continue;
		one.type = dwtype_get(&dw->types, &child);
		if (one.name && one.type)
			insert(f, n++, one);
	}
	return closure_of(dw, entry, dwarf_diename(&die), f, n);
}

const struct gotype *dwinfo_closure_of(struct dwinfo *dw, uint64_t entry,
				       const char *name, const struct gotype *type)
{
	const struct gotype *known = hmap_get(&dw->closures, entry);
	struct gofield *f;
	Dwarf_Die die;

	if (known || find_func(dw, entry, &die) || !dwarf_diename(&die))
		return known;
	f = arena_array(dw->mem, 2, sizeof(*f));
	if (!f)
		return NULL;
	f[0] = (struct gofield){ .name = "F", .type = &code_word };
	f[1] = (struct gofield){ .name = name, .type = type, .offset = 8 };
	return closure_of(dw, entry, dwarf_diename(&die), f, 2);
}
