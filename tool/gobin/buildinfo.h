/* SPDX-License-Identifier: GPL-2.0 */
/* The Go version that a binary carries. */
#ifndef GOPROBE_GOBIN_BUILDINFO_H
#define GOPROBE_GOBIN_BUILDINFO_H

#include "elf/elf.h"

/*
 * "go1.24.4", from .go.buildinfo, else from the string constants of a binary
 * without one; to be freed. NULL: not found.
 * @minor_lo, @minor_hi: what the line table's format allows.
 */
char *buildinfo_version(const struct elffile *ef, int minor_lo, int minor_hi);

#endif
