/* SPDX-License-Identifier: GPL-2.0 */
/* Goroutines that run already, and which of them descend from one. */
#ifndef GOPROBE_PROCESS_KIN_H
#define GOPROBE_PROCESS_KIN_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "process/procmem.h"

struct gobin;
struct runtime_layout_g;
struct goprobe_runtime;

/* Does a goroutine descend from another one? While searching, its ancestors are marked visited. */
enum kin_verdict { KIN_UNDECIDED, KIN_VISITED, KIN_OTHER, KIN_DESCENDS };

/* A goroutine. */
struct kin_gor {
	uint64_t goid;			/* its id */
	uint64_t parent;		/* id of the one that started it */
	enum kin_verdict verdict;	/* kin_descendants() sets it */
};

/*
 * Move the descendants of goroutine @of to the front of @v. Returns their number; @of itself
 * does not count.
 */
size_t kin_descendants(struct kin_gor *v, size_t n, uint64_t of);
/* The goroutine at @g. False: no goroutine is there now, or @rt is impossible. */
bool kin_gor_read(const struct procmem *m, const struct runtime_layout_g *l,
		  const struct goprobe_runtime *rt, uint64_t g, struct kin_gor *ret);
/*
 * The goroutines of a running process that descend from @of: *@ret, from malloc(), *@n of
 * them. 0; 1 if the program does not keep them, with @d saying why; or -1 with @d set.
 */
int kin_read(const struct procmem *m, struct gobin *bin, uint64_t of, struct kin_gor **ret,
	     size_t *n, struct diag *d);

#endif
