/* SPDX-License-Identifier: GPL-2.0 */
/* Labels of metrics, as OpenMetrics writes them. */
#ifndef GOPROBE_OUTPUT_METRIC_LABEL_H
#define GOPROBE_OUTPUT_METRIC_LABEL_H

#include "base/buf.h"

/*
 * name="value". What can't be in a name becomes "_": r.Method is r_Method. A byte of @value that
 * can't be shown becomes "\x9f". @value has @n bytes.
 */
void metriclabel_put(struct buf *b, const char *name, const char *value, size_t n);

#endif
