/* SPDX-License-Identifier: GPL-2.0 */
/* Watching: from START until there is a reason to end, and the end itself. */
#ifndef GOPROBE_TRACE_LOOP_H
#define GOPROBE_TRACE_LOOP_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "output/format.h"
#include "process/target.h"
#include "recording/writer.h"
#include "trace/call_quota.h"
#include "trace/client.h"
#include "trace/session.h"
#include "trace/signals.h"
#include "trace/stream.h"
#include "trace/upload.h"

/**
 * struct watch_wait - what to wait for
 * @fds: the client, the signals, the output, then processes
 * @n: their number
 * @due: it is time to read
 * @next: when to read at the latest
 * @end: when to end at the latest
 */
struct watch_wait {
	struct pollfd *fds;
	size_t n;
	bool due;
	uint64_t next;
	uint64_t end;
};

/**
 * struct watch - a session being watched
 * @client: its connection
 * @upload: what the module has of the plan
 * @target: what is traced
 * @tracing: what is looked after meanwhile, or NULL
 * @learn: what learns from the records
 * @stream: where records go
 * @out: where lines go
 * @recorder: where records go instead, or NULL
 * @most: of a recording: calls and returns after which it ends; 0: all
 * @interrupt: signals that end it
 * @duration: how long to trace, ns; 0: until something else ends it
 * @counts: @stats are needed after each pass, not only at the end
 * @times: functions whose breakpoints leave when their calls have been seen, or NULL: the stream
 *	reports them to it
 * @started: when it began, CLOCK_MONOTONIC, ns
 * @ns: how long hits were recorded, once it is over
 * @time: GOPROBE_A_TIME of the last pass
 * @stats: the session's counters, after it or at the end
 * @broken: nobody reads the output any more
 * @wait: what it waits for; trace/loop.c's
 */
struct watch {
	struct client *client;
	struct upload *upload;
	struct target *target;
	struct tracing *tracing;
	struct learn *learn;
	struct stream *stream;
	struct out *out;
	struct recorder *recorder;
	uint64_t most;
	struct interrupt *interrupt;
	uint64_t duration;
	bool counts;
	struct times *times;
	uint64_t started;
	uint64_t ns;
	uint64_t time;
	uint64_t stats[__GOPROBE_STAT_MAX];
	bool broken;
	struct watch_wait wait;
};

/* Hits are recorded from now on. */
int watch_start(struct watch *w, struct diag *d);
/* Print the header, let the command go, print until the end, take the breakpoints away. */
int watch_run(struct watch *w, struct diag *d);
/*
 * The same in steps. watch_begin() prints the header and lets the command go. watch_step() waits
 * for @timeout_ms at most (-1: as long as it takes) and prints what there is: 1: to be called
 * again, 0: there is a reason to end, or -1. watch_finish() takes the breakpoints away and
 * prints the rest.
 */
int watch_begin(struct watch *w, struct diag *d);
int watch_step(struct watch *w, int timeout_ms, struct diag *d);
int watch_finish(struct watch *w, struct diag *d);
/* For how long watch_step() can be left uncalled, if there is nothing to read: ms. */
int watch_timeout(const struct watch *w);
void watch_fini(struct watch *w);
/* Hits a second when the module ended it, because they took too much, or 0. */
uint64_t watch_broken(const struct watch *w);
/* Fill in what the session's counters and the clock know of the summary. */
void watch_sum(const struct watch *w, struct out_summary *s);

#endif
