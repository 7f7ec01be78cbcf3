/* SPDX-License-Identifier: GPL-2.0 */
/* Folded stacks as a tree of functions. Pure. */
#ifndef GOPROBE_EXPORT_FLAME_TREE_H
#define GOPROBE_EXPORT_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/* A function, as it was reached by one path. */
struct flame_frame {
	struct flame_frame *child;	/* first of those that it has called */
	struct flame_frame *last;	/* the last of them */
	struct flame_frame *next;	/* the next one that was called from the same */
	const char *name;	/* its name */
	size_t len;	/* bytes of @name */
	uint64_t value;	/* what was counted there and above */
};

/*
 * Add the lines of @folded, "a;b;c 12", below @top, whose name is the caller's. Names stay in
 * @folded, frames live in @mem. *@levels: raised to those of the tree. 0, or -1 without memory.
 */
int flametree_add(struct arena *mem, struct flame_frame *top, const struct buf *folded,
		  size_t *levels);

#endif
