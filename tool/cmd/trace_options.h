/* SPDX-License-Identifier: GPL-2.0 */
/* The options of attach as a trace of libgoprobe. */
#ifndef GOPROBE_CMD_TRACE_OPTIONS_H
#define GOPROBE_CMD_TRACE_OPTIONS_H

#include "cmd/attach_options.h"
#include "libgoprobe/libgoprobe.h"

/* A trace of what @a asks for, whose notices go to standard error; NULL, and @d says why. */
struct goprobe_trace *traceopt_new(const struct attachopt *a, struct diag *d);
/* A trace whose notices go to standard error; NULL, and @d says why. */
struct goprobe_trace *traceopt_begin(struct diag *d);
/* The options that were given: 0, or -1 and the trace says why. */
int traceopt_set(struct goprobe_trace *t, const struct optvalues *set);
/* Lines of @format, or of text if that is NULL, to @path, or to standard output; likewise. */
int traceopt_output(struct goprobe_trace *t, const struct out_format *format, const char *path);
/* What has gone wrong with it, for main.c to print: CMD_FAILED. */
int traceopt_failed(const struct goprobe_trace *t, struct diag *d);

#endif
