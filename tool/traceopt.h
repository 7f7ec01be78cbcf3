/* SPDX-License-Identifier: GPL-2.0 */
/* The options of attach as a trace of libgoprobe. */
#ifndef GOPROBE_TRACEOPT_H
#define GOPROBE_TRACEOPT_H

#include "attachopt.h"
#include "libgoprobe.h"

/* A trace of what @a asks for, whose notices go to standard error; NULL, and @d says why. */
struct goprobe_trace *traceopt_new(const struct attachopt *a, struct diag *d);
/* What has gone wrong with it, for main.c to print: CMD_FAILED. */
int traceopt_failed(const struct goprobe_trace *t, struct diag *d);

#endif
