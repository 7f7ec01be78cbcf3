// SPDX-License-Identifier: GPL-2.0
/* Telling a person how far the placing of breakpoints has come. */
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"

void progress_show(uint64_t *said, size_t placed, size_t all)
{
	bool terminal = isatty(STDERR_FILENO);
	uint64_t every = terminal ? 100000000ULL : 2000000000ULL, now = clock_now(CLOCK_MONOTONIC);

	if (!*said)
		*said = now;
	if (placed < all && now - *said >= every) {
		fprintf(stderr, terminal ? "\r%zu of %zu breakpoints placed" :
					   "%zu of %zu breakpoints placed\n", placed, all);
		*said = now;
	}
	if (placed == all && terminal && now != *said && all > 1000)
		fprintf(stderr, "\r\033[K");
}
