/* SPDX-License-Identifier: GPL-2.0 */
/* The memory that breakpoints take of programs whose control groups limit it. */
#ifndef GOPROBE_TRACE_BREAKPOINT_MEMORY_H
#define GOPROBE_TRACE_BREAKPOINT_MEMORY_H

#include "host/host.h"
#include "trace/session.h"

/* The number of pages of code that have points of the file, or -1: out of memory. */
long breakpoint_memory_pages(const struct plan_points *file);
/*
 * Refuse breakpoints that would have the kernel kill a traced program. 0, or -1 with the reason in
 * @d.
 */
int breakpoint_memory_check(const struct session *t, const struct host *h, struct diag *d);

#endif
