/* SPDX-License-Identifier: GPL-2.0 */
/* Counted and timed calls as OpenMetrics text, for Prometheus and others. Pure. */
#ifndef GOPROBE_EXPORT_OPENMETRICS_H
#define GOPROBE_EXPORT_OPENMETRICS_H

#include "output/stats_print.h"

/* A tallyshow.put: one exposition of @items, whose keys are labels (tallyshow.labels). */
void openmetrics_put(const struct stats_print *s, const struct stats_print_when *when,
		     const struct stats_print_items *items, struct buf *b);

/* What metrics are of; what is empty is no label. */
struct openmetrics_whose {
	struct buf host;	/* the machine's name */
	struct buf programs;	/* names of the programs, with commas */
	struct buf pids;	/* ids of the processes, if some were chosen, with commas */
	const char *container;	/* the container's name that was chosen, or its id; or NULL */
	const char *pod;	/* the pod's, with its namespace; or NULL */
};

/* Make stats_print.whose, with a zero at its end. @b: empty. */
void openmetrics_whose(const struct openmetrics_whose *w, struct buf *b);

#endif
