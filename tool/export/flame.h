/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graphs: stacks as a picture, an SVG file that needs nothing else. Image viewers show it;
 * in a browser it can be zoomed and searched, which flame.js does. Pure.
 */
#ifndef GOPROBE_EXPORT_FLAME_H
#define GOPROBE_EXPORT_FLAME_H

#include "output/graph.h"

/* What the picture shows. */
struct flame_about {
	const char *title;	/* its title */
	const char *unit;	/* what is counted, "call"; NULL: time, in ns */
};

/*
 * Append the picture of @folded, lines as folded_put() writes them, in any order. Of very
 * many functions the narrowest are left out, and the picture says so. @b->failed without memory.
 */
void flame_put(const struct buf *folded, const struct flame_about *about, struct buf *b);

/* The picture of call trees: of each path the time of the last calls themselves. */
extern const struct graph_format graph_flame;

#endif
