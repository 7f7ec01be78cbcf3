/* SPDX-License-Identifier: GPL-2.0 */
/* The time. */
#ifndef GOPROBE_BASE_CLOCK_H
#define GOPROBE_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Times are in ns. */
#define CLOCK_MS	1000000ULL
#define CLOCK_SECOND	(1000 * CLOCK_MS)

static inline uint64_t clock_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * CLOCK_SECOND + ts.tv_nsec;
}

/* What makes CLOCK_MONOTONIC a time since 1970, ns. */
uint64_t clock_epoch(void);
/**
 * clock_follow() - look at the clocks again, at most once a second
 * @epoch: what clock_epoch() said
 * @looked: when it did, CLOCK_MONOTONIC, ns
 *
 * It changes when the system's clock is set, and over a suspend, which CLOCK_MONOTONIC
 * does not count. A change below the precision of the measurement is ignored.
 * Return: whether @epoch has changed.
 */
bool clock_follow(uint64_t *epoch, uint64_t *looked);

#endif
