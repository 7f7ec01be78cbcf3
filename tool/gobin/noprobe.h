/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that must not be probed, above all of the Go runtime. Pure. */
#ifndef GOPROBE_GOBIN_NOPROBE_H
#define GOPROBE_GOBIN_NOPROBE_H

#include "gobin/gobin.h"

/* Why @fn must not be probed (static string), or NULL if it may. */
const char *noprobe_reason(const struct gofunc *fn);
/* What to do instead, of a function with that reason; or NULL. */
const char *noprobe_hint(const char *reason);

#endif
