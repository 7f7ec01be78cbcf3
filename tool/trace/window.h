/* SPDX-License-Identifier: GPL-2.0 */
/* A time in a recording, as people write it. Pure. */
#ifndef GOPROBE_TRACE_WINDOW_H
#define GOPROBE_TRACE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

/*
 * "5s", "1m30s", "0": so long after @started, when the recording began (CLOCK_MONOTONIC, ns); or
 * "14:03:20", "14:03:20.5", "14:03": the time of day that is nearest to it. @epoch makes
 * CLOCK_MONOTONIC a time since 1970; @utc: the time of day is UTC, and not local. Sets *@ret, of
 * CLOCK_MONOTONIC. False: @text is no time.
 */
bool window_time(const char *text, uint64_t started, uint64_t epoch, bool utc, uint64_t *ret);

#endif
