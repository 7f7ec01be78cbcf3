// SPDX-License-Identifier: GPL-2.0
/* Functions of a Go binary that are not Go. */
#include <elf.h>
#include <string.h>

#include "gobin/foreign.h"

void foreign_init(struct foreign *f, const struct elffile *ef, const struct gofuncs *go,
		  struct arena *mem)
{
	memset(f, 0, sizeof(*f));
	f->ef = ef;
	f->go = go;
	f->mem = mem;
}

void foreign_fini(struct foreign *f)
{
	hmap_fini(&f->names);
}

static bool is_code(const struct elffile *ef, uint64_t vaddr)
{
	const Elf64_Phdr *s = elffile_segment(ef, vaddr, 1);

	return s && s->p_flags & PF_X;
}

/* Compilers make up names of other bytes, too, but none that a terminal would take for orders. */
static bool is_printable(const char *name)
{
	const unsigned char *p = (const unsigned char *)name;

	while (*p > ' ' && *p != 0x7f)
		p++;
	return p > (const unsigned char *)name && !*p;
}

/* Of several names of one function the first one counts. */
static int note(void *ctx, const char *name, uint64_t value, uint64_t size, unsigned int type)
{
	struct foreign *f = ctx;
	char *copy;

	(void)size;
	if (type != STT_FUNC || !is_printable(name) || !is_code(f->ef, value) ||
	    functions_at(f->go, value) || hmap_get(&f->names, value))
		return 0;
	copy = arena_strdup(f->mem, name);
	return copy ? hmap_put(&f->names, value, copy) : -1;
}

const char *foreign_name(struct foreign *f, uint64_t vaddr)
{
	if (!is_code(f->ef, vaddr))
		return NULL;
	if (!f->loaded)
		elffile_symbols(f->ef, note, f);
	f->loaded = true;
	return hmap_get(&f->names, vaddr);
}
