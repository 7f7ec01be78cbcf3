/* SPDX-License-Identifier: GPL-2.0 */
/* Formats of graph that show many call trees as one. */
#ifndef GOPROBE_OUTPUT_PROFILE_PRINT_H
#define GOPROBE_OUTPUT_PROFILE_PRINT_H

#include "output/graph.h"

/* One tree, a line for each path. */
extern const struct graph_format merged_text, merged_json;
/* A table, a line for each function. */
extern const struct graph_format flat_text, flat_json;
/* Paths as flame graphs are made of; the value is the time of the last calls themselves, in ns. */
extern const struct graph_format graph_folded;

/* A graph_format.tree: add a tree to @g->profile. */
void profile_tree(struct graph *g, const struct calltree_root *r);
/* The lines of graph_folded. */
void profile_folded(const struct graph *g, struct buf *b);

#endif
