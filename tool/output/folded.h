/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks as flame graphs are made of: "root;child;leaf 12", a line for each. Pure. */
#ifndef GOPROBE_OUTPUT_FOLDED_H
#define GOPROBE_OUTPUT_FOLDED_H

#include "output/stacks.h"

/*
 * Append a line for each stack whose value @which is not 0, by rising names. Labels are
 * not told: stacks that differ in nothing else are one. Who has created the goroutine comes
 * first. So that every reader can take a
 * line apart, a semicolon in a name becomes a comma, white space an underscore.
 */
void folded_put(const struct stacks *s, size_t which, struct buf *b);

#endif
