/* SPDX-License-Identifier: GPL-2.0 */
/* Progress of placing breakpoints, for a person. */
#ifndef GOPROBE_TRACE_PROGRESS_H
#define GOPROBE_TRACE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The placing of breakpoints. */
struct progress {
	uint64_t began;	/* when, ns of CLOCK_MONOTONIC; 0: not yet */
	uint64_t said;	/* when something was last said */
	bool announced;	/* how long it takes has been estimated, and said if it is long */
};

/*
 * @placed of @all breakpoints are placed, @now. Appends to @text what there is to say: first how
 * long it will take, if that is more than a second; then, on a @terminal over and over in
 * one line, how many there are and how much time is left.
 */
void progress_add(struct progress *p, size_t placed, size_t all, uint64_t now, bool terminal,
		  struct buf *text);
/* The same, at this moment, to standard error. */
void progress_show(struct progress *p, size_t placed, size_t all);

#endif
