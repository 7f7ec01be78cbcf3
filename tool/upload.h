/* SPDX-License-Identifier: GPL-2.0 */
/* Give the module a plan, in pieces that it takes. */
#ifndef GOPROBE_UPLOAD_H
#define GOPROBE_UPLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "client.h"
#include "diag.h"
#include "plan.h"

/* Called between pieces; false: give up. */
typedef bool (*upload_progress_fn)(void *ctx, size_t points, size_t all);

/* The session is there, and empty. */
int upload_plan(struct client *c, const struct plan *p, const struct goprobe_limits *limits,
		upload_progress_fn progress, void *ctx, struct diag *d);

#endif
