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
/* When @c ended, CLOCK_MONOTONIC, ns; if that was not seen, when it was last known to be open. */
uint64_t span_end(const struct graph *g, const struct calltree_call *c);
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
