/* SPDX-License-Identifier: GPL-2.0 */
/* The error about a pattern that matches no function, and what may have been meant. */
#ifndef GOPROBE_PLAN_NO_MATCH_H
#define GOPROBE_PLAN_NO_MATCH_H

#include <stddef.h>

#include "base/diag.h"
#include "gobin/gobin.h"
#include "lang/spec.h"

/* "no function of main matches 'foo'", with the nearest names; -1, always. */
int nomatch(struct gobin **bins, size_t nbins, const struct spec *spec, struct diag *d);

#endif
