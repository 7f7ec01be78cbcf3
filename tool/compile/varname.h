/* SPDX-License-Identifier: GPL-2.0 */
/* Package variables by full and short names. */
#ifndef GOPROBE_COMPILE_VARNAME_H
#define GOPROBE_COMPILE_VARNAME_H

#include "base/arena.h"
#include "base/diag.h"
#include "gobin/variable.h"

/*
 * Find a variable by its full name ("net/http.DefaultClient"), or by another one that
 * shown_name_any() has ("http.DefaultClient") if it is unique. Returns 1, 0 if there is no such
 * variable, or -1 with @d set: there are several, or no memory.
 */
int varname_find(struct gobin *bin, const char *name, struct gobin_variable *ret, struct diag *d);
/* Has the package called @package, in full or in short, any variables? */
bool varname_has_package(struct gobin *bin, const char *package);
/* Does the binary name its package variables? */
bool varname_are_known(struct gobin *bin);
/* "no package variable is called 'x'", with near names; returns -1. */
int varname_unknown(struct gobin *bin, const char *name, struct diag *d);
/* Give @d near names as its hint, or the command that finds others. */
void varname_hint(struct gobin *bin, const char *name, struct diag *d);

#endif
