/* SPDX-License-Identifier: GPL-2.0 */
/* Libraries that few commands need: they are loaded when they are used first. */
#ifndef GOPROBE_BASE_LIBRARY_H
#define GOPROBE_BASE_LIBRARY_H

#include "base/diag.h"

/*
 * The first of @names, which NULL ends, that is installed. It stays; dlsym() finds its functions.
 * NULL with @d set, whose hint names the @packages to install.
 */
void *library_load(const char *const *names, const char *packages, struct diag *d);

#endif
