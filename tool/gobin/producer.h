/* SPDX-License-Identifier: GPL-2.0 */
/* What made a binary: the Go version that debug information names, other compilers, packers. */
#ifndef GOPROBE_GOBIN_PRODUCER_H
#define GOPROBE_GOBIN_PRODUCER_H

#include "elf/elffile.h"

/*
 * "go1.24.4", from a compilation unit's producer; to be freed. NULL if there is
 * none. For binaries without build information: plugins up to 1.25 or so.
 */
char *producer_get(const struct elffile *ef);

/* Why @ef, called @path, has no line table that goprobe can read, and what to do. Returns -1. */
int producer_explain(const struct elffile *ef, const char *path, struct diag *d);

#endif
