/* SPDX-License-Identifier: GPL-2.0 */
/* Labels of runtime/pprof that a goroutine of a running process has. */
#ifndef GOPROBE_PROCESS_GOROUTINE_LABELS_H
#define GOPROBE_PROCESS_GOROUTINE_LABELS_H

#include "gobin/pprof_labels.h"
#include "process/goroutine.h"

/* More labels, or longer ones, are unknown. */
#define GORLABELS_MAX 64
#define GORLABELS_BYTES 8192

/**
 * struct gorlabels - the labels of a goroutine
 * @n: their number
 * @unknown: there may be some, but they can't be read, or exceed the limits
 * @v: keys and values in @text, in the order of their keys
 * @used: bytes of @text
 * @text: strings with a NUL at their end
 */
struct gorlabels {
	size_t n;
	bool unknown;
	struct gorlabel {
		const char *key;
		const char *value;
	} v[GORLABELS_MAX];
	size_t used;
	char text[GORLABELS_BYTES];
};

/* Read the set of labels at address @at (0: none), which has layout @layout. */
void gorlabels_read(const struct goreader *r, enum golabels layout, uint64_t at,
		    struct gorlabels *ret);

#endif
