// SPDX-License-Identifier: GPL-2.0
/* Package variables: from debug information, or as far as the linker names them. */
#include <string.h>

#include "dwarf/dwarf.h"
#include "elf/elffile.h"
#include "gobin/variable.h"

/* A symbol that a Go program's author has named: not "type:int", "main..dict.F". */
static bool is_variable(const char *name, uint64_t value, unsigned int type)
{
	return type == STT_OBJECT && value && strchr(name, '.') &&
	       !strchr(name, ':') && !strstr(name, "..") &&
	       strncmp(name, "type.", 5) && strncmp(name, "go.", 3);
}

struct search {
	const char *name;
	struct gobin_variable *ret;
};

static int match(void *ctx, const char *name, uint64_t value, uint64_t size,
		 unsigned int type)
{
	struct search *s = ctx;

	if (strcmp(name, s->name) || !is_variable(name, value, type))
		return 0;
	s->ret->type = NULL;
	s->ret->vaddr = value;
	s->ret->size = size;
	return 1;
}

struct walk {
	gobin_variable_fn fn;
	void *ctx;
};

static int pass_symbol(void *ctx, const char *name, uint64_t value, uint64_t size,
		       unsigned int type)
{
	const struct gobin_variable v = { .vaddr = value, .size = size };
	const struct walk *w = ctx;

	if (!is_variable(name, value, type))
		return 0;
	return w->fn(w->ctx, &(struct gobin_variable_at){ name, &v, NULL });
}

static int pass_described(void *ctx, const struct dwvar_at *at)
{
	const struct walk *w = ctx;

	return w->fn(w->ctx, &(struct gobin_variable_at){ at->name, NULL, at });
}

int gobin_variable_find(struct gobin *bin, const char *name, struct gobin_variable *ret)
{
	struct dwarf *dw = gobin_dwinfo(bin);
	struct search s = { name, ret };
	struct dwvar v;

	if (dw && !dwarf_variable(dw, name, &v)) {
		*ret = (struct gobin_variable){ v.type, v.vaddr, v.type->size };
		return 0;
	}
	return elffile_symbols(gobin_file(bin), match, &s) == 1 ? 0 : -1;
}

int gobin_variable_address(struct gobin *bin, const char *name, uint64_t *vaddr)
{
	struct gobin_variable v;
	struct search s = { name, &v };

	if (elffile_symbols(gobin_file(bin), match, &s) != 1 && gobin_variable_find(bin, name, &v))
		return -1;
	*vaddr = v.vaddr;
	return 0;
}

int gobin_variable_each(struct gobin *bin, gobin_variable_fn fn, void *ctx)
{
	struct dwarf *dw = gobin_dwinfo(bin);
	struct walk w = { fn, ctx };

	if (dw)
		return dwarf_variables(dw, pass_described, &w);
	return elffile_symbols(gobin_file(bin), pass_symbol, &w);
}

int gobin_variable_get(const struct gobin_variable_at *at, struct gobin_variable *ret)
{
	if (at->symbol) {
		*ret = *at->symbol;
		return 0;
	}
	*ret = (struct gobin_variable){ .type = dwarf_variable_type(at->described),
					.vaddr = at->described->vaddr };
	ret->size = ret->type ? ret->type->size : 0;
	return ret->type ? 0 : -1;
}
