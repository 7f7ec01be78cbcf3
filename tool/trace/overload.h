/* SPDX-License-Identifier: GPL-2.0 */
/* How much of the programs' time tracing may take, and what is said when it was too much. */
#ifndef GOPROBE_TRACE_OVERLOAD_H
#define GOPROBE_TRACE_OVERLOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "base/buf.h"

/**
 * struct maxload - what was asked for
 * @off: any load
 * @percent: of one processor's time; 0: not said
 */
struct maxload {
	bool off;
	uint32_t percent;
};

/* Of each processor that there is, unless something is said. */
#define MAXLOAD_DEFAULT 50U

/* What the module is told, when a hit takes @hit_ns and there are so many processors. */
struct goprobe_breaker maxload_breaker(const struct maxload *m, uint64_t hit_ns,
				       unsigned int processors);
/* Percent of one processor's time that so many hits a second take. */
uint64_t maxload_percent(const struct goprobe_breaker *b, uint64_t hits);
/* The sentence: there were @hits a second, so it ended. */
void maxload_say(const struct goprobe_breaker *b, uint64_t hits, struct buf *to);
/* A line of JSON about that. */
void maxload_json(const struct goprobe_breaker *b, uint64_t hits, struct buf *to);

#endif
