/* SPDX-License-Identifier: GPL-2.0 */
/* Give the module a plan, in pieces that it takes. */
#ifndef GOPROBE_TRACE_UPLOAD_H
#define GOPROBE_TRACE_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "plan/plan.h"
#include "trace/client.h"

/* Called between pieces; false: give up. */
typedef bool (*upload_progress_fn)(void *ctx, size_t points, size_t all);

/* What the module has of a plan. */
struct upload {
	struct client *client;		/* connection with a session of its own */
	const struct plan *plan;	/* the plan; it may grow after upload_plan() */
	struct goprobe_limits limits;	/* of the module */
	size_t ntypes;			/* types it has */
	size_t *ndynamic;		/* dynamic types it has, by file */
};

/*
 * Give the module a plan. @progress is called with the number of points placed and
 * to be placed. Returns 0 or -1; then the session is unfinished and only good to
 * be closed.
 */
int upload_plan(struct upload *u, upload_progress_fn progress, void *ctx, struct diag *d);
/* Give it the types, also dynamic ones, that it has not got yet. 0 or -1. */
int upload_more(struct upload *u, struct diag *d);
void upload_fini(struct upload *u);

#endif
