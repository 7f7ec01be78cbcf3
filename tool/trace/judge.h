/* SPDX-License-Identifier: GPL-2.0 */
/* A first reading of a recording, which decides what of it is shown. */
#ifndef GOPROBE_TRACE_JUDGE_H
#define GOPROBE_TRACE_JUDGE_H

#include "trace/replay.h"

/*
 * Choose the calls and places of @r, which is open, that --since and --until of @o leave; sets
 * @r->sift.judged. Without these it does nothing. 0, or -1 with @d set.
 */
int judge(struct replay *r, const struct options *o, struct diag *d);

#endif
