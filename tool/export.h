/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan as JSON, for clients that speak to the module themselves: what it is to be told,
 * and what its records mean. docs/plan.md is the promise kept here.
 */
#ifndef GOPROBE_EXPORT_H
#define GOPROBE_EXPORT_H

#include "diag.h"
#include "plan.h"

#define EXPORT_VERSION 1

/* Write @p, which is finished and was made with @o, to @fd. */
int export_plan(const struct plan *p, const struct plan_options *o, int fd, struct diag *d);

#endif
