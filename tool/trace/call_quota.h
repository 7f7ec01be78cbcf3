/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions whose calls have been seen as often as they should be: then their breakpoints are of no
 * more use.
 */
#ifndef GOPROBE_TRACE_CALL_QUOTA_H
#define GOPROBE_TRACE_CALL_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

struct call_quota_func;

/* What has been seen of each function. */
struct call_quota {
	uint64_t most;		/* calls of each */
	struct call_quota_func *v;	/* by id of the plan */
	size_t n;		/* number of @v */
	size_t left;		/* functions that are to be seen more often */
	uint32_t *done;		/* ids of those that have been, since it was last asked */
	size_t ndone;		/* their number */
};

/* 0, or -1 without memory; call_quota_fini() in any case. */
int call_quota_init(struct call_quota *t, const struct plan *p, uint64_t most);
void call_quota_fini(struct call_quota *t);
void call_quota_call(struct call_quota *t, uint32_t id);
/* A call has ended, whichever way. */
void call_quota_end(struct call_quota *t, uint32_t id);

#endif
