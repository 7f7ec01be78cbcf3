/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A plan as JSON, for clients that speak to the module themselves: what it is to be told,
 * and what its records mean. docs/plan.md is the promise kept here.
 */
#ifndef GOPROBE_PLAN_EXPORT_H
#define GOPROBE_PLAN_EXPORT_H

#include "base/diag.h"
#include "plan/plan.h"

#define EXPORT_VERSION 1

/**
 * struct export_shown - an address that records have shown
 * @bin: binary
 * @address: link-time address of a descriptor, or of a function's code
 */
struct export_shown {
	struct gobin *bin;
	uint64_t address;
};

/* Write @p, which is finished and was made with @o, to @fd; and what @shown stands for. */
int export_plan(const struct plan *p, const struct plan_options *o,
		const struct export_shown *shown, size_t nshown, int fd, struct diag *d);

#endif
