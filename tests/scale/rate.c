// SPDX-License-Identifier: GPL-2.0
/*
 * rate - how fast breakpoints are placed in a process: of each tenth of them, how many in a
 *        second, and how much processor time the process has meanwhile
 *
 *	rate PID PATTERN...
 */
#define _GNU_SOURCE
#include <libgoprobe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TENTHS	10

/**
 * struct rate - a run
 * @pid: the process
 * @begin: when the first was placed, in seconds
 * @used: the process' processor time then, in seconds
 * @tenths: that have been placed
 * @points: when the last of them was
 * @time: when that was, in seconds
 */
struct rate {
	int pid;
	double begin;
	double used;
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

/* Seconds of processor time of the process. */
static double used(int pid)
{
	unsigned long user = 0, system = 0;
	char path[64], line[1024] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f && fgets(line, sizeof(line), f) && strrchr(line, ')'))
		sscanf(strrchr(line, ')') + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
		       &user, &system);
	if (f)
		fclose(f);
	return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static int progress(void *ctx, size_t placed, size_t all)
{
	struct rate *r = ctx;
	double time = now();

	if (!placed) {
		r->time = time;
		r->begin = time;
		r->used = used(r->pid);
	}
	if (!placed || placed * TENTHS / all == r->tenths)
		return 0;
	r->tenths = placed * TENTHS / all;
	printf("%zu of %zu: %.0f points in a second\n", placed, all,
	       (double)(placed - r->points) / (time - r->time));
	r->points = placed;
	r->time = time;
	if (placed == all)
		printf("%.0f %% of a processor\n",
		       100 * (used(r->pid) - r->used) / (time - r->begin));
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
	r.pid = atoi(argv[1]);
	goprobe_trace_on_progress(t, progress, &r);
	err = goprobe_trace_pid(t, r.pid) ||
	      goprobe_trace_set(t, GOPROBE_OPTION_MAX_LOAD, GOPROBE_LOAD_ANY) ||
	      goprobe_trace_set(t, GOPROBE_OPTION_DEPTH, 0);
	for (int i = 2; !err && i < argc; i++)
		err = goprobe_trace_add(t, argv[i]);
	if (err || goprobe_trace_start(t))
		fprintf(stderr, "rate: %s\n", goprobe_trace_error(t));
	goprobe_trace_free(t);
	return r.tenths != TENTHS;
}
