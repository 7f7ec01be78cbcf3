/* SPDX-License-Identifier: GPL-2.0 */
/* The time. */
#ifndef GOPROBE_CLOCK_H
#define GOPROBE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* ns */
static inline uint64_t clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* What makes CLOCK_MONOTONIC a time since 1970, ns. */
uint64_t clock_epoch(void);

#endif
