/* SPDX-License-Identifier: GPL-2.0 */
/* A binary's functions, from the line table. */
#ifndef GOPROBE_GOBIN_FUNCTIONS_H
#define GOPROBE_GOBIN_FUNCTIONS_H

#include "gobin/gobin.h"
#include "gobin/moduledata.h"

/**
 * struct gofuncs - all functions
 * @v: by rising entry, then those without code
 * @n: their number
 * @ncode: how many have code
 * @row: for each with code: its row of the line table
 * @old: what @v was before inlined_load(): users have pointers to it
 */
struct gofuncs {
	struct gofunc *v;
	size_t n;
	size_t ncode;
	uint32_t *row;
	struct gofunc *old;
};

/* 0, or -1 if the line table is damaged. */
int gofuncs_load(struct gofuncs *f, const struct linktab *l,
		 const struct elffile *ef);
void gofuncs_fini(struct gofuncs *f);

const struct gofunc *gofuncs_at(const struct gofuncs *f, uint64_t vaddr);
int32_t gofuncs_args(const struct gofuncs *f, const struct linktab *l,
		     const struct gofunc *fn);

#endif
