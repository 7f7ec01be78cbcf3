/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kinds of types: what Go calls them, in descriptors and in debug information, and
 * how large their values are. Pure.
 */
#ifndef GOPROBE_GOTYPE_KIND_H
#define GOPROBE_GOTYPE_KIND_H

#include "gotype/type.h"

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
enum gotype_kind kind_type(enum go_rkind kind);

/* Are there types of this kind whose values have @size bytes? */
bool kind_size_ok(enum gotype_kind kind, uint64_t size);

/*
 * Is it a SIMD vector? Its first field marks it, which has a type of simd/archsimd and no bytes:
 * src/cmd/compile/internal/types/size.go, simdify().
 */
bool kind_is_vector(const struct gotype *t);
/* The bytes of a vector of which all can be read from its register. */
#define KIND_VECTOR_READ 16
/* Has it a larger vector in it? */
bool kind_has_wide_vector(const struct gotype *t);

#endif
