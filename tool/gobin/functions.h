/* SPDX-License-Identifier: GPL-2.0 */
/* A binary's functions, from the line table. */
#ifndef GOPROBE_GOBIN_FUNCTIONS_H
#define GOPROBE_GOBIN_FUNCTIONS_H

#include "gobin/gobin.h"
#include "gobin/moduledata.h"

/* All functions. */
struct gofuncs {
	struct gofunc *v;	/* by rising entry, then those without code */
	size_t n;		/* their number */
	size_t ncode;		/* how many have code */
	uint32_t *row;		/* for each with code: its row of the line table */
	struct gofunc *old;	/* what @v was before inlined_load(): users have pointers to it */
};

/* 0, or -1 if the line table is damaged. */
int gofuncs_load(struct gofuncs *f, const struct linktab *l,
		 const struct elffile *ef);
void gofuncs_fini(struct gofuncs *f);

const struct gofunc *gofuncs_at(const struct gofuncs *f, uint64_t vaddr);
int32_t gofuncs_args(const struct gofuncs *f, const struct linktab *l,
		     const struct gofunc *fn);

#endif
