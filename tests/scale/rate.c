// SPDX-License-Identifier: GPL-2.0
/*
 * rate - how fast breakpoints are placed in a process: of each tenth of them, how many in a second
 *
 *	rate PID PATTERN...
 */
#define _GNU_SOURCE
#include <libgoprobe.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TENTHS	10

/**
 * struct rate - a run
 * @tenths: that have been placed
 * @points: when the last of them was
 * @time: when that was, in seconds
 */
struct rate {
	size_t tenths;
	size_t points;
	double time;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int progress(void *ctx, size_t placed, size_t all)
{
	struct rate *r = ctx;
	double time = now();

	if (!placed)
		r->time = time;
	if (!placed || placed * TENTHS / all == r->tenths)
		return 0;
	r->tenths = placed * TENTHS / all;
	printf("%zu of %zu: %.0f points in a second\n", placed, all,
	       (double)(placed - r->points) / (time - r->time));
	r->points = placed;
	r->time = time;
	return 0;
}

int main(int argc, char **argv)
{
	struct goprobe_trace *t = goprobe_trace_new();
	struct rate r = { 0 };
	int err;

	if (argc < 3 || !t) {
		fprintf(stderr, "usage: rate PID PATTERN...\n");
		return 2;
	}
	goprobe_trace_on_progress(t, progress, &r);
	err = goprobe_trace_pid(t, atoi(argv[1])) ||
	      goprobe_trace_set(t, GOPROBE_OPTION_MAX_LOAD, GOPROBE_LOAD_ANY) ||
	      goprobe_trace_set(t, GOPROBE_OPTION_DEPTH, 0);
	for (int i = 2; !err && i < argc; i++)
		err = goprobe_trace_add(t, argv[i]);
	if (err || goprobe_trace_start(t))
		fprintf(stderr, "rate: %s\n", goprobe_trace_error(t));
	goprobe_trace_free(t);
	return r.tenths != TENTHS;
}
