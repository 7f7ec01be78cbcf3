/* SPDX-License-Identifier: GPL-2.0 */
/* How a program keeps the labels that runtime/pprof gives to goroutines. */
#ifndef GOPROBE_GOBIN_PPROF_LABELS_H
#define GOPROBE_GOBIN_PPROF_LABELS_H

struct gobin;

enum golabels {
	GOLABELS_MAP,		/* map[string]string with buckets: to 1.23 */
	GOLABELS_SLICE,		/* []struct{key, value string}: since 1.24 */
	GOLABELS_UNKNOWN,
};

/* g.labels is a pointer to it. The program's own type tells, or its release. */
enum golabels golabels_of(struct gobin *bin);

#endif
