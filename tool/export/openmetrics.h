/* SPDX-License-Identifier: GPL-2.0 */
/* Counted and timed calls as OpenMetrics text, for Prometheus and others. Pure. */
#ifndef GOPROBE_EXPORT_OPENMETRICS_H
#define GOPROBE_EXPORT_OPENMETRICS_H

#include "output/stats_print.h"

/* A tallyshow.put: one exposition of @items, whose keys are labels (tallyshow.labels). */
void openmetrics_put(const struct stats_print *s, const struct stats_print_when *when,
		     const struct stats_print_items *items, struct buf *b);

#endif
