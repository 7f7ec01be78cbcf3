/* SPDX-License-Identifier: GPL-2.0 */
/* Events to call trees, and these to lines: the output of goprobectl graph. */
#ifndef GOPROBE_OUTPUT_TREE_H
#define GOPROBE_OUTPUT_TREE_H

#include "event/call_tree.h"
#include "output/format.h"

/**
 * struct graph - an output of trees
 * @out: where lines go; first, as formats are given this
 * @plan: what is traced
 * @tree: what has been seen
 * @scratch: a text under construction
 * @shown: whose tree was printed last, if there are @trees
 * @trees: printed so far
 * @calls: printed so far
 * @outside: calls and returns outside any goroutine, which are in no tree
 * @unknown: returns of calls that began before tracing, or whose record was lost, or whose tree
 *	was printed early, since trees took too much memory
 */
struct graph {
	struct out out;
	const struct plan *plan;
	struct calltree *tree;
	struct buf scratch;
	struct calltree_who shown;
	uint64_t trees;
	uint64_t calls;
	uint64_t outside;
	uint64_t unknown;
};

extern const struct out_format graph_text;
extern const struct out_format graph_json;

/* @levels and @calls: of one tree. Before lines_open(), which fills @out. 0 or -1. */
int graph_init(struct graph *g, const struct plan *plan, uint32_t levels, uint64_t calls);
void graph_fini(struct graph *g);
/* No more events will come: print what is open. */
void graph_finish(struct graph *g);

#endif
