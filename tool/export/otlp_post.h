/* SPDX-License-Identifier: GPL-2.0 */
/* OTLP traces on their way to a collector (OTLP/HTTP with JSON), which never hold up the trace. */
#ifndef GOPROBE_EXPORT_OTLP_POST_H
#define GOPROBE_EXPORT_OTLP_POST_H

#include "output/format.h"

/* Where a collector takes traces, if the URL has no path. */
#define OTLPPOST_PATH "/v1/traces"

/* How much may wait, and for how long. */
struct otlppost_limits {
	size_t queue;	/* bytes of trees that wait; further trees are dropped */
	size_t batch;	/* bytes of a request, unless one tree has more */
	unsigned int gather_ms;	/* a tree waits so long for others */
	unsigned int request_ms;	/* time of a request */
	unsigned int tries;	/* of a request */
	/* between the first two; it doubles up to @backoff_most_ms */
	unsigned int backoff_ms;
	/* see @backoff_ms; if a collector asks for longer, no request is sent before */
	unsigned int backoff_most_ms;
	/*
	 * at the end, what is left is dropped after so long without a success, counted from the
	 * time that the collector asks to wait for
	 */
	unsigned int idle_ms;
	/* and after so long in all, or at once if the collector asks for longer */
	unsigned int finish_ms;
};

extern const struct otlppost_limits otlppost_limits;

/* Does @text begin as a URL of http or https? */
bool otlppost_is_url(const char *text);
/*
 * Have the lines of @o, whose format is graph_otlp, sent to @url. Finds its host and connects once,
 * which may wait. 0, or -1 with @d set. @limits stay.
 */
int otlppost_open(struct output *o, const char *url, const struct otlppost_limits *limits,
		  struct diag *d);

#endif
