/* SPDX-License-Identifier: GPL-2.0 */
/* Watching: from START until there is a reason to end, and the end itself. */
#ifndef GOPROBE_WATCH_H
#define GOPROBE_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "client.h"
#include "diag.h"
#include "out.h"
#include "stream.h"
#include "target.h"
#include "upload.h"

/**
 * struct watch - a session being watched
 * @client: its connection
 * @upload: what the module has of the plan
 * @target: what is traced
 * @stream: where records go
 * @out: where lines go
 * @signals: signalfd of SIGINT, SIGTERM and SIGHUP, which are blocked
 * @mask: signal mask of before, for after the first of them
 * @duration: how long to trace, ns; 0: until something else ends it
 * @started: when it began, CLOCK_MONOTONIC, ns
 * @stats: the session's counters after the last pass
 * @interrupted: a signal came
 * @broken: nobody reads the output any more
 */
struct watch {
	struct client *client;
	struct upload *upload;
	struct target *target;
	struct stream *stream;
	struct out *out;
	int signals;
	sigset_t mask;
	uint64_t duration;
	uint64_t started;
	uint64_t stats[__GOPROBE_STAT_MAX];
	bool interrupted;
	bool broken;
};

/* Block the signals that end tracing. Fills @signals and @mask. */
int watch_signals(struct watch *w, struct diag *d);
/* Has a signal come? Takes it; passes on to a command what it has not got itself. */
bool watch_interrupted(struct watch *w);
/* Record from now on; print the header. */
int watch_start(struct watch *w, struct diag *d);
/* Let the command go, print until the end, take the breakpoints away. */
int watch_run(struct watch *w, struct diag *d);
/* Wait until the command has ended. */
void watch_command(struct watch *w);

#endif
