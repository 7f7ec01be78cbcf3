/* SPDX-License-Identifier: GPL-2.0 */
/* Order of values. Pure. */
#ifndef GOPROBE_VALUE_COMPARE_H
#define GOPROBE_VALUE_COMPARE_H

#include "value/decode.h"

/*
 * Compare two values of type @t, with @t->size bytes each, in the order in which
 * Go prints a map's keys (internal/fmtsort): < 0, 0, > 0.
 */
int value_order(struct value_ctx *v, const struct gotype *t, const uint8_t *a, const uint8_t *b);

#endif
