/* SPDX-License-Identifier: GPL-2.0 */
/* Durations of calls in two recordings, by function, compared. Pure. */
#ifndef GOPROBE_EXPORT_COMPARE_H
#define GOPROBE_EXPORT_COMPARE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hmap.h"

/* The recordings. */
enum compare_side { COMPARE_OLD, COMPARE_NEW, COMPARE_SIDES };

struct compare_func;

/*
 * All durations. All zero is an empty one. Each duration takes 8 bytes, so that percentiles are
 * exact.
 */
struct compare {
	struct compare_func **v;	/* functions */
	size_t n;			/* their number */
	size_t cap;			/* capacity of @v */
	struct hmap by_name;		/* the same by a hash of their names */
	struct arena mem;		/* memory of functions */
};

/* A call of @func took @ns. 0, or -1 without memory. */
int compare_add(struct compare *c, enum compare_side side, const char *func, uint64_t ns);
/*
 * Append the functions, those first whose calls have gained or lost most time together: as a table,
 * or as JSON. No duration can be added afterwards.
 */
void compare_put(struct compare *c, bool json, struct buf *b);
void compare_fini(struct compare *c);

#endif
