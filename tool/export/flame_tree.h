/* SPDX-License-Identifier: GPL-2.0 */
/* Folded stacks as a tree of functions. Pure. */
#ifndef GOPROBE_EXPORT_FLAME_TREE_H
#define GOPROBE_EXPORT_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

/**
 * struct flame_frame - a function, as it was reached by one path
 * @child: first of those that it has called
 * @last: the last of them
 * @next: the next one that was called from the same
 * @name: its name
 * @len: bytes of @name
 * @value: what was counted there and above
 */
struct flame_frame {
	struct flame_frame *child, *last, *next;
	const char *name;
	size_t len;
	uint64_t value;
};

/*
 * Add the lines of @folded, "a;b;c 12", below @top, whose name is the caller's. Names stay in
 * @folded, frames live in @mem. *@levels: raised to those of the tree. 0, or -1 without memory.
 */
int flametree_add(struct arena *mem, struct flame_frame *top, const struct buf *folded,
		  size_t *levels);

#endif
