/* SPDX-License-Identifier: GPL-2.0 */
/* Runs whose records become lines, or go to a file. */
#ifndef GOPROBE_TRACE_RECORD_RUN_H
#define GOPROBE_TRACE_RECORD_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "output/graph.h"
#include "recording/recorder.h"
#include "trace/call_quota.h"
#include "trace/run.h"
#include "trace/stream.h"

/* Such a run. What it points to is the user's. */
struct record_run {
	struct run run;		/* the session */
	struct learn *learn;	/* what learns from the records */
	struct stream *stream;	/* where records go */
	struct graph *graph;	/* where lines go: graph.out */
	bool trees;		/* the lines are trees, and open ones are printed at the end */
	struct recorder *recorder;	/* where records go instead, or NULL */
	bool counts;		/* run.stats are needed after each pass, not only at the end */
	/*
	 * Functions whose breakpoints leave when their calls have been seen, or NULL: the stream
	 * reports them to it.
	 */
	struct call_quota *times;
	bool due;		/* it is time to read */
	uint64_t time;		/* GOPROBE_A_TIME of the last pass */
};

/* Make @w ready for run_start(): its session has its breakpoints, and the output is open. */
void record_run_init(struct record_run *w);
/* Fill in what the session's counters and the clock know of the summary. */
void record_run_sum(const struct record_run *w, struct output_summary *s);

#endif
