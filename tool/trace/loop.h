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
#include "recording/recorder.h"
#include "trace/call_quota.h"
#include "trace/client.h"
#include "trace/session.h"
#include "trace/interrupt.h"
#include "trace/stream.h"
#include "trace/upload.h"

/* What to wait for. */
struct loop_wait {
	struct pollfd *fds;	/* the client, the signals, the output, then processes */
	size_t n;		/* their number */
	bool due;		/* it is time to read */
	uint64_t next;		/* when to read at the latest */
	uint64_t end;		/* when to end at the latest */
};

/* A session being watched. */
struct loop {
	struct client *client;	/* its connection */
	struct upload *upload;	/* what the module has of the plan */
	struct target *target;	/* what is traced */
	struct session *tracing;	/* what is looked after meanwhile, or NULL */
	struct learn *learn;	/* what learns from the records */
	struct stream *stream;	/* where records go */
	struct output *out;	/* where lines go */
	struct recorder *recorder;	/* where records go instead, or NULL */
	uint64_t most;		/* of a recording: calls and returns after which it ends; 0: all */
	struct interrupt *interrupt;	/* signals that end it */
	uint64_t duration;	/* how long to trace, ns; 0: until something else ends it */
	bool counts;		/* @stats are needed after each pass, not only at the end */
	/*
	 * Functions whose breakpoints leave when their calls have been seen, or NULL: the stream
	 * reports them to it.
	 */
	struct call_quota *times;
	uint64_t started;	/* when it began, CLOCK_MONOTONIC, ns */
	uint64_t ns;		/* how long hits were recorded, once it is over */
	uint64_t time;		/* GOPROBE_A_TIME of the last pass */
	uint64_t stats[__GOPROBE_STAT_MAX];	/* the session's counters, after it or at the end */
	bool broken;		/* nobody reads the output any more */
	struct loop_wait wait;	/* what it waits for; trace/loop.c's */
};

/* Hits are recorded from now on. */
int loop_start(struct loop *w, struct diag *d);
/* Print the header, let the command go, print until the end, take the breakpoints away. */
int loop_run(struct loop *w, struct diag *d);
/*
 * The same in steps. loop_begin() prints the header and lets the command go. loop_step() waits
 * for @timeout_ms at most (-1: as long as it takes) and prints what there is: 1: to be called
 * again, 0: there is a reason to end, or -1. loop_finish() takes the breakpoints away and
 * prints the rest.
 */
int loop_begin(struct loop *w, struct diag *d);
int loop_step(struct loop *w, int timeout_ms, struct diag *d);
int loop_finish(struct loop *w, struct diag *d);
/* For how long loop_step() can be left uncalled, if there is nothing to read: ms. */
int loop_timeout(const struct loop *w);
void loop_fini(struct loop *w);
/* Hits a second when the module ended it, because they took too much, or 0. */
uint64_t loop_broken(const struct loop *w);
/* Fill in what the session's counters and the clock know of the summary. */
void loop_sum(const struct loop *w, struct output_summary *s);

#endif
