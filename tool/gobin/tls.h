/* SPDX-License-Identifier: GPL-2.0 */
/* The place of g in thread-local storage. */
#ifndef GOPROBE_GOBIN_TLS_H
#define GOPROBE_GOBIN_TLS_H

#include "gobin/moduledata.h"

/*
 * Offset of g from the thread pointer in an executable. (In a shared library
 * it is not known before it is loaded.)
 */
int32_t tls_offset(const struct moduledata *l, const struct elffile *ef);

#endif
