/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of what is traced, as operations behind a condition: samples, so many calls in a second,
 * so many calls at all. They count what has passed the condition. Part of plan.
 */
#ifndef GOPROBE_PLAN_LIMIT_H
#define GOPROBE_PLAN_LIMIT_H

#include "plan/filter.h"

#define PLANLIMIT_OPS_MAX 24

/* Are there any? */
bool planlimit_any(const struct plan_limits *l);
/*
 * What is decided when a function is called, and what when it returns. @later: the condition is
 * decided when it returns, and so is what counts calls. @ops has room for PLANLIMIT_OPS_MAX.
 */
struct planfilter_more planlimit_call(const struct plan_limits *l, bool later,
				      struct goprobe_op *ops);
struct planfilter_more planlimit_return(const struct plan_limits *l, bool later,
					struct goprobe_op *ops);

#endif
