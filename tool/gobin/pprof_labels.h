/* SPDX-License-Identifier: GPL-2.0 */
/* Layout of the labels that runtime/pprof gives to goroutines. */
#ifndef GOPROBE_GOBIN_PPROF_LABELS_H
#define GOPROBE_GOBIN_PPROF_LABELS_H

struct gobin;

enum pprof_labels {
	PPROF_LABELS_MAP,		/* map[string]string with buckets: to 1.23 */
	PPROF_LABELS_SLICE,		/* []struct{key, value string}: since 1.24 */
	PPROF_LABELS_UNKNOWN,
};

/* The layout behind g.labels, by the program's own type, or by its release. */
enum pprof_labels pprof_labels_of(struct gobin *bin);

#endif
