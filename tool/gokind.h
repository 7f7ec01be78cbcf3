/* SPDX-License-Identifier: GPL-2.0 */
/* What Go calls a type's kind, in descriptors and in debug information. Pure. */
#ifndef GOPROBE_GOKIND_H
#define GOPROBE_GOKIND_H

#include "gotype.h"

/* reflect.Kind */
enum go_rkind {
	RKIND_BOOL = 1,
	RKIND_INT,
	RKIND_INT64 = 6,
	RKIND_UINT,
	RKIND_UINT8,
	RKIND_UINTPTR = 12,
	RKIND_FLOAT32,
	RKIND_FLOAT64,
	RKIND_COMPLEX64,
	RKIND_COMPLEX128,
	RKIND_ARRAY,
	RKIND_CHAN,
	RKIND_FUNC,
	RKIND_INTERFACE,
	RKIND_MAP,
	RKIND_POINTER,
	RKIND_SLICE,
	RKIND_STRING,
	RKIND_STRUCT,
	RKIND_UNSAFE_POINTER,
	RKIND_MAX = RKIND_UNSAFE_POINTER,
};

/* In the type model; GOTYPE_UNKNOWN if there is no such kind. */
enum gotype_kind gokind_type(enum go_rkind kind);

#endif
