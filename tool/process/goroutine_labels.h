/* SPDX-License-Identifier: GPL-2.0 */
/* Labels of runtime/pprof that a goroutine of a running process has. */
#ifndef GOPROBE_PROCESS_GOROUTINE_LABELS_H
#define GOPROBE_PROCESS_GOROUTINE_LABELS_H

#include "gobin/pprof_labels.h"
#include "process/goroutine.h"

/* More labels, or longer ones, are unknown. */
#define GOROUTINE_LABELS_MAX 64
#define GOROUTINE_LABELS_BYTES 8192

/* The labels of a goroutine. */
struct goroutine_labels {
	size_t n;	/* their number */
	bool unknown;	/* there may be some, but they can't be read, or exceed the limits */
	struct gorlabel {
		const char *key;
		const char *value;
	} v[GOROUTINE_LABELS_MAX];	/* keys and values in @text, in the order of their keys */
	size_t used;	/* bytes of @text */
	char text[GOROUTINE_LABELS_BYTES];	/* strings with a NUL at their end */
};

/* Read the set of labels at address @at (0: none), which has layout @layout. */
void goroutine_labels_read(const struct goroutine_reader *r, enum pprof_labels layout, uint64_t at,
			   struct goroutine_labels *ret);

#endif
