// SPDX-License-Identifier: GPL-2.0
/* Report of the sent messages, in numbers. */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "kept.h"
#include "report.h"
#include "totals.h"
#include "../spec_tables.h"

double report_elapsed(const struct report_run *r)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - r->began.tv_sec + (now.tv_nsec - r->began.tv_nsec) / 1e9;
}

void report_begin(struct report_run *r)
{
	clock_gettime(CLOCK_MONOTONIC, &r->began);
}

static unsigned long hits(void)
{
	unsigned long n = 0;

	for (int i = 0; i < __GOPROBE_STAT_MAX; i++)
		n += spec_of_hits[i] ? totals.stat[i] : 0;
	return n;
}

void report_progress(struct report_run *r, unsigned long runs)
{
	unsigned long messages = atomic_load(&totals.messages);
	double elapsed = report_elapsed(r);

	printf("%.0f s: %lu messages, %.0f a second, %lu sessions, %lu hits, %lu runs of stress, %u inputs kept, %u places of the module executed, %lu faults\n",
	       elapsed, messages, (messages - r->messages) / (elapsed - r->elapsed),
	       totals.sessions, hits(), runs, kept_count(), cover_places(), totals.faults);
	r->messages = messages;
	r->elapsed = elapsed;
}

static const char *name(unsigned int cmd)
{
	return cmd == TOTALS_OTHER ? "others" : spec_commands[cmd] ?: "0";
}

static void report_commands(void)
{
	printf("%-12s %10s %10s %10s %10s %8s\n", "command", "sent", "accepted", "refused",
	       "by netlink", "ms each");
	for (unsigned int i = 0; i <= TOTALS_OTHER; i++) {
		const struct totals_command *c = &totals.command[i];

		printf("%-12s %10lu %10lu %10lu %10lu %8.1f\n", name(i), c->sent, c->accepted,
		       c->refused, c->netlink, c->sent ? c->us / 1e3 / c->sent : 0);
	}
}

static double seconds(struct timeval t)
{
	return t.tv_sec + t.tv_usec / 1e6;
}

static void report_time(void)
{
	struct rusage own, others;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &others);
	printf("processor time: %.1f s in netfuzz, %.1f s in the kernel on its behalf, %.1f s and %.1f s of the programs\n",
	       seconds(own.ru_utime), seconds(own.ru_stime), seconds(others.ru_utime),
	       seconds(others.ru_stime));
}

void report_end(const struct report_run *r, unsigned long runs, bool refusals)
{
	double elapsed = report_elapsed(r);

	printf("seed %llu, %u sockets at once, %.0f s: %lu sessions, %lu messages, %.0f a second, %lu accepted, %lu refused with a message (%u different), %lu by generic netlink without one\n",
	       (unsigned long long)r->seed, r->sockets, elapsed, totals.sessions, totals.messages,
	       totals.messages / elapsed, totals.accepted, totals.refused,
	       totals_refusals(refusals), totals.netlink);
	printf("%lu hits, %lu in records, %lu filtered, %lu undecided, %lu counted, %lu timed, %lu let go, %lu edited, %lu lost; %lu records read, %lu of them with a plan, with %lu chunks; %lu rows of numbers, %lu open calls\n",
	       hits(), totals.stat[GOPROBE_STAT_CALLS] + totals.stat[GOPROBE_STAT_RETURNS],
	       totals.stat[GOPROBE_STAT_FILTERED], totals.stat[GOPROBE_STAT_UNDECIDED],
	       totals.stat[GOPROBE_STAT_COUNTED], totals.stat[GOPROBE_STAT_TIMED],
	       totals.stat[GOPROBE_STAT_RELEASED], totals.stat[GOPROBE_STAT_EDITED],
	       totals.stat[GOPROBE_STAT_LOST_RING_FULL], totals.records, totals.programs,
	       totals.chunks, totals.tallies, totals.open);
	printf(r->covered ? "%u inputs kept, %u places of the module executed\n" :
	       "%u inputs kept, by answers: this kernel has no /sys/kernel/debug/kcov\n",
	       kept_count(), cover_places());
	printf("stress: %lu runs with the right output\n", runs);
	if (r->again)
		printf("%u inputs of tests/netfuzz/crashes were carried out first\n", r->again);
	report_commands();
	report_time();
}
