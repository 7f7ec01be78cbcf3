// SPDX-License-Identifier: GPL-2.0
/* A binary's functions, from the line table. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "gofuncs.h"
#include "goversion.h"
#include "insn.h"

#define ARGS_UNKNOWN INT32_MIN
/* The longest instructions, two of them, that load g from TLS: all forms of prologue.c. */
#define G_LOAD_MAX 11

static bool is_code(const struct elffile *ef, const struct pclntab_func *f)
{
	const struct elfseg *s;

	if (f->end <= f->entry)
		return false;
	s = elffile_segment(ef, f->entry, f->end - f->entry);
	if (!s || !(s->flags & PF_X))
		return false;
	/* The linker's own: the build id, marks. Methods of unnamed structs begin alike. */
	if (!strncmp(f->name, "go:", 3) && !strchr(f->name, '.'))
		return false;
	return strcmp(f->name, "go.buildid") != 0;
}

static bool is_assembly(const struct pclntab_func *f, const char *file)
{
	size_t n;

	if (f->flags & PCLNTAB_FLAG_ASM)
		return true;
	/* 1.16 and older have no flag. */
	n = file ? strlen(file) : 0;
	return n > 2 && !strcmp(file + n - 2, ".s");
}

/*
 * What cgo writes for calls of C is Go whose arguments are on the stack. Where no symbol says so,
 * its first instructions do: they load g.
 */
static bool is_cgo_call(const struct elffile *ef, const struct gofunc *fn)
{
	static const char cgo[] = "_cgo_gotypes.go";
	size_t n = fn->file ? strlen(fn->file) : 0;
	uint8_t code[G_LOAD_MAX];
	struct insn_tls tls;

	return n >= strlen(cgo) && !strcmp(fn->file + n - strlen(cgo), cgo) &&
	       !elffile_read_vaddr(ef, fn->entry, code, sizeof(code)) &&
	       !insn_find_tls(code, sizeof(code), fn->entry, &tls);
}

/* Assembly that has no wrapper for the other convention may use either. */
static bool is_abi0(const struct linktab *l, const struct elffile *ef, const struct gofunc *fn)
{
	if (!goversion_regabi(l->minor) || hmap_get(&l->abi0, fn->entry))
		return true;
	if (fn->flags & GOFUNC_ASM)
		return !hmap_get(&l->abi0_names, hmap_hash(0, fn->name, strlen(fn->name)));
	return !l->symbols && is_cgo_call(ef, fn);
}

static int by_entry(const void *key, const void *elem)
{
	uint64_t vaddr = *(const uint64_t *)key;
	const struct gofunc *f = elem;

	return vaddr < f->entry ? -1 : vaddr >= f->end;
}

const struct gofunc *gofuncs_at(const struct gofuncs *f, uint64_t vaddr)
{
	if (!f->ncode)
		return NULL;
	return bsearch(&vaddr, f->v, f->ncode, sizeof(*f->v), by_entry);
}

int32_t gofuncs_args(const struct gofuncs *f, const struct linktab *l,
		     const struct gofunc *fn)
{
	const struct gofunc *own = gofuncs_at(f, fn->entry);
	struct pclntab_func pf;

	if (!own || pclntab_func(&l->tab, f->row[own - f->v], &pf))
		return ARGS_UNKNOWN;
	return pf.args;
}

int gofuncs_load(struct gofuncs *f, const struct linktab *l,
		 const struct elffile *ef)
{
	uint8_t wrapper = goversion_funcid_wrapper(l->minor);
	uint64_t last = 0, room = PCLNTAB_WORK * (uint64_t)l->tab.len;

	memset(f, 0, sizeof(*f));
	f->v = calloc(l->tab.nfunc, sizeof(*f->v));
	f->row = calloc(l->tab.nfunc, sizeof(*f->row));
	if (!f->v || !f->row)
		return -1;
	for (uint32_t i = 0; i < l->tab.nfunc; i++) {
		struct gofunc *g = &f->v[f->n];
		struct pclntab_func pf;
		size_t len;

		if (pclntab_func(&l->tab, i, &pf) || pf.entry < last)
			return -1;
		last = pf.entry;
		len = strlen(pf.name);
		if (len > room)
			return -1;
		room -= len;
		if (!is_code(ef, &pf))
			continue;
		g->name = pf.name;
		g->entry = pf.entry;
		g->end = pf.end;
		g->file = pclntab_file(&l->tab, &pf, &g->line);
		if (is_assembly(&pf, g->file))
			g->flags |= GOFUNC_ASM;
		if (pf.funcid == wrapper)
			g->flags |= GOFUNC_WRAPPER;
		if (is_abi0(l, ef, g))
			g->flags |= GOFUNC_ABI0;
		f->row[f->n++] = i;
	}
	f->ncode = f->n;
	return f->n ? 0 : -1;
}

void gofuncs_fini(struct gofuncs *f)
{
	free(f->v);
	free(f->row);
	free(f->old);
	memset(f, 0, sizeof(*f));
}
