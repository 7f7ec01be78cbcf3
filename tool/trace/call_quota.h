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

struct times_func;

/* What has been seen of each function. */
struct times {
	uint64_t most;		/* calls of each */
	struct times_func *v;	/* by id of the plan */
	size_t n;		/* number of @v */
	size_t left;		/* functions that are to be seen more often */
	uint32_t *done;		/* ids of those that have been, since it was last asked */
	size_t ndone;		/* their number */
};

/* 0, or -1 without memory; times_fini() in any case. */
int times_init(struct times *t, const struct plan *p, uint64_t most);
void times_fini(struct times *t);
void times_call(struct times *t, uint32_t id);
/* A call has ended, whichever way. */
void times_end(struct times *t, uint32_t id);

#endif
