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
int functions_load(struct gofuncs *f, const struct moduledata *l,
		   const struct elffile *ef);
void functions_fini(struct gofuncs *f);

const struct gofunc *functions_at(const struct gofuncs *f, uint64_t vaddr);
int32_t functions_args(const struct gofuncs *f, const struct moduledata *l,
		       const struct gofunc *fn);

#endif
