/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks as flame graphs are made of: "root;child;leaf 12", a line for each. Pure. */
#ifndef GOPROBE_OUTPUT_FOLDED_H
#define GOPROBE_OUTPUT_FOLDED_H

#include "output/stacks.h"

/*
 * Append a line for each stack whose value @which is not 0, sorted by names. First come the parts
 * of its key, then the creator of the goroutine. Other labels are left out: stacks that differ only
 * in these are one line.
 * A semicolon in a name becomes a comma and white space an underscore, so that all readers can
 * split a line.
 */
void folded_put(const struct stacks *s, size_t which, struct buf *b);
/* What begins at @at is a name: write it as folded_put() does. */
void folded_clean(struct buf *b, size_t at);

#endif
