/* SPDX-License-Identifier: GPL-2.0 */
/* The Go version and the modules that a binary carries. */
#ifndef GOPROBE_GOBIN_BUILDINFO_H
#define GOPROBE_GOBIN_BUILDINFO_H

#include "elf/elffile.h"

/*
 * "go1.24.4", from .go.buildinfo, else from the string constants of a binary
 * without one; to be freed. NULL: not found.
 * @minor_lo, @minor_hi: what the line table's format allows.
 */
char *buildinfo_version(const struct elffile *ef, int minor_lo, int minor_hi);

/*
 * The modules that it was built from, as "go version -m" shows them: lines of a word and
 * values, with tabs between them. "path" is the package of main, "mod" the module and its version.
 * To be freed. NULL: not found.
 */
char *buildinfo_modules(const struct elffile *ef);

#endif
