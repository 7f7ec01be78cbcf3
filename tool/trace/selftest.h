/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does the kernel let goprobe execute instructions? Tried once after the module was loaded. And
 * what does a hit take?
 */
#ifndef GOPROBE_TRACE_SELFTEST_H
#define GOPROBE_TRACE_SELFTEST_H

#include "trace/client.h"

/*
 * client_get_info(), after the module has been given the chance to find out. If that
 * fails the abilities keep GOPROBE_ABILITY_UNTESTED, and @why says why.
 */
int selftest_get_info(struct client *c, struct client_info *ret, struct diag *why,
		      struct diag *d);

/*
 * What a hit takes on this machine, ns: a call and a return of our own, with breakpoints and
 * without. -1 with @d set if that can't be found out.
 */
int64_t selftest_hit_ns(struct diag *d);

#endif
