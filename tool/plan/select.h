/* SPDX-License-Identifier: GPL-2.0 */
/* Selection of functions of binaries by probe specs. */
#ifndef GOPROBE_PLAN_SELECT_H
#define GOPROBE_PLAN_SELECT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "gobin/gobin.h"
#include "lang/spec.h"
#include "plan/plan.h"

/* Parse @n texts. *@ret is to be given to select_specs_free(). */
int select_specs_parse(char **texts, size_t n, struct spec **ret, struct diag *d);
/* The same, where only patterns make sense. */
int select_patterns_parse(char **texts, size_t n, struct spec **ret, struct diag *d);
/* The same, where only patterns and conditions make sense. */
int select_conditions_parse(char **texts, size_t n, struct spec **ret, struct diag *d);
/* The same, where signatures make sense, too. */
int select_signatures_parse(char **texts, size_t n, struct spec **ret, struct diag *d);
void select_specs_free(struct spec *specs, size_t n);

/* The same, where only patterns and places make sense, without lists. */
int select_places_parse(char **texts, size_t n, struct spec **ret, struct diag *d);

/*
 * Add the functions that the specs name to @p, and the places. With plan_options.inlined also
 * where the functions were inlined. A function that a plain name
 * names must be probeable, and have what its spec requests. Functions that a glob or
 * regular expression finds and that are not so are left out, and @skipped gets their number
 * and the reasons. Of several specs for a function those of the highest rank
 * (plan/claim.h) apply, and must agree. Names in other spellings are replaced, see
 * plan/loose_name.h. @mem must outlive @p.
 */
int select_functions(struct plan *p, struct gobin **bins, size_t nbins,
		     struct spec *specs, size_t nspecs, struct arena *mem,
		     struct buf *skipped, struct diag *d);

#endif
