/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of a Go binary that are not Go: the C that is linked in, by the symbol table. */
#ifndef GOPROBE_GOBIN_FOREIGN_H
#define GOPROBE_GOBIN_FOREIGN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hmap.h"
#include "elf/elffile.h"
#include "gobin/functions.h"

/* Their names. */
struct foreign {
	const struct elffile *ef;	/* the file */
	const struct gofuncs *go;	/* the functions that are Go, and so not among them */
	struct arena *mem;		/* where names are kept */
	struct hmap names;		/* by link-time address of the first instruction */
	bool loaded;			/* the symbol table has been read */
};

/* All three outlive @f. */
void foreign_init(struct foreign *f, const struct elffile *ef, const struct gofuncs *go,
		  struct arena *mem);
void foreign_fini(struct foreign *f);

/* The symbol of the function that begins at link-time address @vaddr, or NULL. */
const char *foreign_name(struct foreign *f, uint64_t vaddr);

#endif
