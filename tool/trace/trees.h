/* SPDX-License-Identifier: GPL-2.0 */
/* The format of call trees that options ask for: of graph, and of replay. */
#ifndef GOPROBE_TRACE_TREES_H
#define GOPROBE_TRACE_TREES_H

#include "option/option.h"
#include "output/graph.h"

/* How trees are shown. */
const struct graph_format *trees_format(const struct options *o);
/* Are trees of one shape one tree? */
bool trees_merge(const struct options *o);
/* Does replay show trees as graph does? */
bool trees_wanted(const struct options *o);
/* Is there such a format? 0, or -1 with @d set. */
int trees_check(const struct options *o, struct diag *d);

#endif
