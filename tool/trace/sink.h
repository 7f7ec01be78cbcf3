/* SPDX-License-Identifier: GPL-2.0 */
/* Event sink: events become lines, for attach and replay. */
#ifndef GOPROBE_TRACE_SINK_H
#define GOPROBE_TRACE_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "output/format.h"
#include "trace/session.h"
#include "trace/stream.h"

/* How they are to be shown. */
struct lines_opt {
	const struct options *options;		/* of these output, events, pretty and quiet */
	const struct out_format *format;	/* output format */
	bool paired;				/* calls and returns are joined */
	bool pids;				/* there may be more than one process */
};

/* Open the output, print the header, make @s ready for records of @p. */
int lines_open(struct out *o, struct stream *s, const struct plan *p, const struct lines_opt *opt,
	       struct diag *d);
/* Calls are recorded from now on: see tracing_say_started(). JSON has that as its first line. */
void lines_started(struct out *o, const struct tracing *t);
/*
 * Report a breaker that ended the session at @hits, see tracing_say_broken(); in the output, too,
 * if that is JSON.
 */
void lines_broken(struct out *o, const struct tracing *t, uint64_t hits);
/*
 * Print the summary @s->sum, which is complete. Losses are reported even with --quiet.
 */
void lines_summary(struct out *o, const struct stream *s, bool quiet);

/*
 * The same, but what is for a person goes to @talk. False: @talk says what the end waits for; print
 * that, and call again.
 */
bool lines_talk(struct out *o, const struct stream *s, bool quiet, struct buf *talk);
/* Close the output: -1 with @d set if it is not complete, unless nobody reads it any more. */
int lines_close(struct out *o, struct diag *d);

#endif
