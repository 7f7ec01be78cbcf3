// SPDX-License-Identifier: GPL-2.0
/*
 * A fuzzer of one function (FUZZ), for libFuzzer. An input that takes more than a
 * second of processor time is a fault like a crash: inputs are small.
 */
#include <time.h>

#include "fuzz.h"

#define SECONDS_MAX 1.0

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	double from = cpu_seconds(), took;
	int ret = FUZZ(data, size);

	took = cpu_seconds() - from;
	if (took > SECONDS_MAX) {
		fprintf(stderr, "an input of %zu bytes took %.1f s\n", size,
			took);
		abort();
	}
	return ret;
}
