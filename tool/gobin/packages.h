/* SPDX-License-Identifier: GPL-2.0 */
/* The packages of a binary, and their names. */
#ifndef GOPROBE_GOBIN_PACKAGES_H
#define GOPROBE_GOBIN_PACKAGES_H

#include "dwarf/dwarf.h"
#include "gobin/functions.h"
#include "gobin/pclntab.h"

/*
 * Have names shown short: add all packages by shown_name_add_package(), those of inlined functions,
 * too. @dw: debug information, or NULL.
 */
void packages_show(const struct pclntab *tab, const struct gofuncs *funcs, const struct dwarf *dw);

#endif
