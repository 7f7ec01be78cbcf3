/* SPDX-License-Identifier: GPL-2.0 */
/* Labels of runtime/pprof that a goroutine of a running process has. */
#ifndef GOPROBE_PROCESS_GOROUTINE_LABELS_H
#define GOPROBE_PROCESS_GOROUTINE_LABELS_H

#include "gobin/pprof_labels.h"
#include "process/goroutine.h"

/* More labels, or longer ones, are unknown. */
#define GOROUTINE_LABELS_MAX 64
#define GOROUTINE_LABELS_BYTES 8192

/**
 * struct goroutine_labels - the labels of a goroutine
 * @n: their number
 * @unknown: there may be some, but they can't be read, or exceed the limits
 * @v: keys and values in @text, in the order of their keys
 * @used: bytes of @text
 * @text: strings with a NUL at their end
 */
struct goroutine_labels {
	size_t n;
	bool unknown;
	struct gorlabel {
		const char *key;
		const char *value;
	} v[GOROUTINE_LABELS_MAX];
	size_t used;
	char text[GOROUTINE_LABELS_BYTES];
};

/* Read the set of labels at address @at (0: none), which has layout @layout. */
void goroutine_labels_read(const struct goroutine_reader *r, enum pprof_labels layout, uint64_t at,
			   struct goroutine_labels *ret);

#endif
