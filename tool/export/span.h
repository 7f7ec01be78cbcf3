/* SPDX-License-Identifier: GPL-2.0 */
/* Calls of trees as spans of time, and their values as texts: for chrome and otlp. */
#ifndef GOPROBE_EXPORT_SPAN_H
#define GOPROBE_EXPORT_SPAN_H

#include "output/graph.h"

/* A value of a call or a return. */
struct span_value {
	const char *name;	/* its name; "_2" if it has none and is the third one */
	const char *text;	/* what text output shows of it, not terminated */
	size_t len;		/* bytes of @text */
	bool is_error;		/* it is an error, and not nil */
};

/* Give each value of @e, a call or a return, to @put, with @ctx. */
void span_values(struct output *o, const struct output_event *e,
		 void (*put)(struct buf *b, void *ctx, const struct span_value *v), void *ctx);
/*
 * Set calltree_call.from and .until of all calls of @r: CLOCK_MONOTONIC, ns. A call whose end was
 * not seen ends when it was last known to be open. A measured duration counts from before the
 * record of the call was written to before that of its end was: a span can begin earlier than its
 * record, so that it is as long as the call was, and lies within its caller's.
 */
void span_place(const struct graph *g, const struct calltree_root *r);
/* The name of the program, or library, that has the function of @c: "shop". */
const char *span_program(const struct graph *g, const struct calltree_call *c);

/* Trace events as JSON, for Perfetto and chrome://tracing. */
extern const struct graph_format graph_chrome;
/* The same in a page that shows them: HTML, in one file. */
extern const struct graph_format graph_timeline;
/* OTLP traces as JSON, an object a line for each tree, which begins and ends like this. */
#define OTLP_OPEN "{\"resourceSpans\":["
#define OTLP_CLOSE "]}"
extern const struct graph_format graph_otlp;

#endif
