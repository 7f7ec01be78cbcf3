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
struct sink_opt {
	const struct options *options;		/* of these output, events, pretty and quiet */
	const struct output_format *format;	/* output format */
	bool paired;				/* calls and returns are joined */
	bool pids;				/* there may be more than one process */
};

/* Open the output, print the header, make @s ready for records of @p. */
int sink_open(struct output *o, struct stream *s, const struct plan *p, const struct sink_opt *opt,
	      struct diag *d);
/* Where what is said besides of a trace goes, too: its buffer, if it is JSON, or NULL. */
struct buf *sink_json(struct output *o);
/*
 * Append the summary @s->sum, which is complete, to @talk as far as it is for a person. Losses are
 * reported even with --quiet. False: @talk says what the end waits for; print that, and call again.
 */
bool sink_talk(struct output *o, const struct stream *s, bool quiet, struct buf *talk);
/* Close the output: -1 with @d set if it is not complete, unless nobody reads it any more. */
int sink_close(struct output *o, struct diag *d);

#endif
