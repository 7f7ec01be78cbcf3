/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that were inlined: where to, and which have no code of their own. */
#ifndef GOPROBE_GOBIN_INLINED_H
#define GOPROBE_GOBIN_INLINED_H

#include "gobin/functions.h"

struct data_cache;

/*
 * Set gofunc.ninlined of all functions and append those without code, from the
 * line table's inlining trees: DWARF knows no others. What left no instruction
 * anywhere is in neither. 0, or -1 without memory.
 */
int inlined_load(struct gofuncs *f, const struct moduledata *l,
		 const struct elffile *ef);

/* gobin_sites() of the function whose row of the line table is @f. */
int inlined_sites(const struct moduledata *l, struct data_cache *trees,
		  const struct pclntab_func *f, const struct gofunc *fn,
		  int (*site)(void *ctx, const struct gobin_site *site), void *ctx);

/* gobin_inlining() of the function whose row of the line table is @f. */
int inlined_map(const struct moduledata *l, struct data_cache *trees, const struct pclntab_func *f,
		struct gobin_inlining *ret);

#endif
