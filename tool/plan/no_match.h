/* SPDX-License-Identifier: GPL-2.0 */
/* The error about a pattern that matches no function, and what may have been meant. */
#ifndef GOPROBE_PLAN_NO_MATCH_H
#define GOPROBE_PLAN_NO_MATCH_H

#include "base/diag.h"
#include "lang/spec.h"
#include "plan/name_set.h"

/* "no function of main matches 'foo'", with the nearest names; -1, always. */
int nomatch(const struct name_set *names, const struct spec *spec, struct diag *d);
/* The same of the recording at @path, whose functions @names chooses. */
int nomatch_recorded(const struct name_set *names, const char *path, const struct spec *spec,
		     struct diag *d);

#endif
