/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of a trace, as operations behind a condition: samples, calls in a second, calls
 * altogether. They count calls that have passed the condition. Part of plan.
 */
#ifndef GOPROBE_PLAN_LIMIT_H
#define GOPROBE_PLAN_LIMIT_H

#include "plan/filter.h"

#define PLAN_LIMIT_OPS_MAX 24

/* Are there any? */
bool plan_limit_any(const struct plan_limits *l);
/*
 * Compile the limits at a function's call, and those at its return. @later: the condition is
 * decided at the return, and so are limits that count calls. @ops holds PLAN_LIMIT_OPS_MAX.
 */
struct plan_filter_more plan_limit_call(const struct plan_limits *l, bool later,
					struct goprobe_op *ops);
struct plan_filter_more plan_limit_return(const struct plan_limits *l, bool later,
					  struct goprobe_op *ops);

#endif
