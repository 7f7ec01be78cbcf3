/* SPDX-License-Identifier: GPL-2.0 */
/* Traces of libgoprobe, for the commands that use them. */
#ifndef GOPROBE_CMD_TRACE_H
#define GOPROBE_CMD_TRACE_H

#include "libgoprobe/internal.h"

/*
 * A trace with these options, whose notices go to standard error. NULL, and @d has a message. The
 * trace owns what @o owned.
 */
struct goprobe_trace *cmd_trace(struct options *o, struct diag *d);
/* Copy the trace's error to @d: CMD_FAILED. */
int cmd_trace_failed(const struct goprobe_trace *t, struct diag *d);

#endif
