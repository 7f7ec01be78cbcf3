/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Relocations whose results are not in the file. For a position-independent
 * program the linkers of Go, GNU ld and gold also write the pointer into the
 * file; lld leaves zeros there, so the pointer has to come from the relocation.
 */
#ifndef GOPROBE_ELF_RELOC_H
#define GOPROBE_ELF_RELOC_H

#include <stddef.h>
#include <stdint.h>

struct elffile;

/* A word that the dynamic linker will write. */
struct reloc {
	uint64_t vaddr;	/* where */
	uint64_t value;	/* link-time address that it will be, less where the file is loaded */
};

/*
 * The relocations of @ef, whose segments are known, that are not in place, by
 * rising address; to be freed. Returns their number; none if the table makes no
 * sense.
 */
size_t reloc_load(const struct elffile *ef, struct reloc **ret);

/* Put into @buf, the @len bytes at @vaddr, what @v says of them. */
void reloc_apply(const struct reloc *v, size_t n, uint64_t vaddr, void *buf,
		 size_t len);

#endif
