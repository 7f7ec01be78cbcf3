/* SPDX-License-Identifier: GPL-2.0 */
/* Go's line table in a file whose sections do not name it. */
#ifndef GOPROBE_GOBIN_PCLNTAB_SEARCH_H
#define GOPROBE_GOBIN_PCLNTAB_SEARCH_H

#include "elf/elffile.h"
#include "gobin/pclntab.h"

/* What looks like a line table. */
struct pclntab_search {
	uint64_t vaddr;		/* its link-time address */
	uint64_t len;		/* bytes to load; a little more than it has */
	struct pclntab tab;	/* from its header, without data */
};

/* Called for each; a value other than 0 ends the search. */
typedef int (*pclntab_search_fn)(void *ctx, const struct pclntab_search *found);

/*
 * Search all loaded bytes. A table is recognised by its header, by its first rows,
 * and by its functions being code of this file. A program that carries another
 * program in its data may have several: the module data points to the right
 * one. Returns @fn's last result, or 0.
 */
int pclntab_search_run(const struct elffile *ef, pclntab_search_fn fn, void *ctx);

#endif
