/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graphs: stacks as a picture, an SVG file that needs nothing else. A browser shows it; a
 * click on a function makes it as wide as the window. Pure.
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
 * Append the picture of @folded, lines as folded_put() writes them, in any order. Functions that
 * are narrower than a five-thousandth are left out. @b->failed without memory.
 */
void flame_put(const struct buf *folded, const struct flame_about *about, struct buf *b);

/* The picture of call trees: of each path the time of the last calls themselves. */
extern const struct graph_format graph_flame;

#endif
