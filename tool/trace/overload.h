/* SPDX-License-Identifier: GPL-2.0 */
/* The limit of the programs' time that tracing may take, and the message when it was exceeded. */
#ifndef GOPROBE_TRACE_OVERLOAD_H
#define GOPROBE_TRACE_OVERLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "base/buf.h"

/* Of each processor that there is, unless something is said. */
#define OVERLOAD_DEFAULT 50U

/* The module's breaker, for hits that take @hit_ns on this number of processors. */
struct goprobe_breaker overload_breaker(uint64_t max_load, uint64_t hit_ns,
					unsigned int processors);
/* Percent of one processor's time that this number of hits a second takes. */
uint64_t overload_percent(const struct goprobe_breaker *b, uint64_t hits);
/* The message that tracing ended at @hits a second. */
void overload_say(const struct goprobe_breaker *b, uint64_t hits, struct buf *to);
/* A line of JSON about that. */
void overload_json(const struct goprobe_breaker *b, uint64_t hits, struct buf *to);

#endif
