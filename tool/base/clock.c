// SPDX-License-Identifier: GPL-2.0
/* The time. */
#include "base/clock.h"

/* ns */
#define CLOCK_SAME CLOCK_MS

uint64_t clock_epoch(void)
{
	uint64_t best = UINT64_MAX, epoch = 0;

	/* The tightest of some tries: we may be interrupted between the clocks. */
	for (int i = 0; i < 5; i++) {
		uint64_t before = clock_now(CLOCK_MONOTONIC);
		uint64_t real = clock_now(CLOCK_REALTIME);
		uint64_t took = clock_now(CLOCK_MONOTONIC) - before;

		if (took >= best)
			continue;
		best = took;
		epoch = real - (before + took / 2);
	}
	return epoch;
}

bool clock_follow(uint64_t *epoch, uint64_t *looked)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC), then = *epoch;

	if (now - *looked < CLOCK_SECOND)
		return false;
	*looked = now;
	now = clock_epoch();
	/* The same, but for how exactly it can be measured: times must not jump for that. */
	if (now - then + CLOCK_SAME <= 2 * CLOCK_SAME)
		return false;
	*epoch = now;
	return true;
}
