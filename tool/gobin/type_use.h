/* SPDX-License-Identifier: GPL-2.0 */
/* Types that code names: what it makes interfaces of. */
#ifndef GOPROBE_GOBIN_TYPE_USE_H
#define GOPROBE_GOBIN_TYPE_USE_H

#include "base/hmap.h"
#include "gobin/gobin.h"

/*
 * The types that are named by the code of functions at @entries, and of functions that call these;
 * @entries has link-time addresses for keys. A type can be found more than once. @fn must not read
 * code. Returns what @fn returned last, or 0.
 */
int type_use_each(struct gobin *bin, const struct hmap *entries, gobin_rtype_fn fn, void *ctx);

#endif
