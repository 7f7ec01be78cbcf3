/* SPDX-License-Identifier: GPL-2.0 */
/* The Go version that debug information names. */
#ifndef GOPROBE_GOBIN_PRODUCER_H
#define GOPROBE_GOBIN_PRODUCER_H

#include "elf/elf.h"

/*
 * "go1.24.4", from a compilation unit's producer; to be freed. NULL if there is
 * none. For binaries without build information: plugins up to 1.25 or so.
 */
char *dwversion_get(const struct elffile *ef);

#endif
