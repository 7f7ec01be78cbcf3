/* SPDX-License-Identifier: GPL-2.0 */
/* Layout of the labels that runtime/pprof gives to goroutines. */
#ifndef GOPROBE_GOBIN_PPROF_LABELS_H
#define GOPROBE_GOBIN_PPROF_LABELS_H

struct gobin;

enum golabels {
	GOLABELS_MAP,		/* map[string]string with buckets: to 1.23 */
	GOLABELS_SLICE,		/* []struct{key, value string}: since 1.24 */
	GOLABELS_UNKNOWN,
};

/* The layout behind g.labels, by the program's own type, or by its release. */
enum golabels golabels_of(struct gobin *bin);

#endif
