// SPDX-License-Identifier: GPL-2.0
/* Kinds of types. */
#include <string.h>

#include "gotype/kind.h"

enum gotype_kind kind_type(enum go_rkind kind)
{
	switch (kind) {
	case RKIND_BOOL:
		return GOTYPE_BOOL;
	case RKIND_INT ... RKIND_INT64:
		return GOTYPE_INT;
	case RKIND_UINT ... RKIND_UINTPTR:
		return GOTYPE_UINT;
	case RKIND_FLOAT32:
	case RKIND_FLOAT64:
		return GOTYPE_FLOAT;
	case RKIND_COMPLEX64:
	case RKIND_COMPLEX128:
		return GOTYPE_COMPLEX;
	case RKIND_ARRAY:
		return GOTYPE_ARRAY;
	case RKIND_CHAN:
		return GOTYPE_CHAN;
	case RKIND_FUNC:
		return GOTYPE_FUNC;
	case RKIND_INTERFACE:
		return GOTYPE_INTERFACE;
	case RKIND_MAP:
		return GOTYPE_MAP;
	case RKIND_POINTER:
	case RKIND_UNSAFE_POINTER:
		return GOTYPE_POINTER;
	case RKIND_SLICE:
		return GOTYPE_SLICE;
	case RKIND_STRING:
		return GOTYPE_STRING;
	case RKIND_STRUCT:
		return GOTYPE_STRUCT;
	}
	return GOTYPE_UNKNOWN;
}

bool kind_size_ok(enum gotype_kind kind, uint64_t size)
{
	switch (kind) {
	case GOTYPE_BOOL:
		return size == 1;
	case GOTYPE_INT:
	case GOTYPE_UINT:
		return size == 1 || size == 2 || size == 4 || size == 8;
	case GOTYPE_FLOAT:
		return size == 4 || size == 8;
	case GOTYPE_COMPLEX:
		return size == 8 || size == 16;
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		return size == 16;
	case GOTYPE_SLICE:
		return size == 24;
	case GOTYPE_POINTER:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		return size == 8;
	case GOTYPE_ARRAY:
	case GOTYPE_STRUCT:
	case GOTYPE_UNKNOWN:
		return true;
	}
	return false;
}

bool kind_is_vector(const struct gotype *t)
{
	static const char *const marks[] = {
		"simd/archsimd.v128", "simd/archsimd.v256", "simd/archsimd.v512",
	};
	const struct gotype *first = t->kind == GOTYPE_STRUCT && t->nfields ?
				     t->fields[0].type : NULL;

	for (size_t i = 0; first && !first->size && i < sizeof(marks) / sizeof(*marks); i++)
		if (!strcmp(first->name, marks[i]))
			return true;
	return false;
}

/* Deeper types hold no values that are passed in registers. */
#define DEEP_MAX 16

static bool has_wide_vector(const struct gotype *t, int deep)
{
	if (kind_is_vector(t))
		return t->size > KIND_VECTOR_READ;
	if (deep == DEEP_MAX)
		return false;
	if (t->kind == GOTYPE_ARRAY)
		return t->elem && has_wide_vector(t->elem, deep + 1);
	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < t->nfields; i++)
		if (has_wide_vector(t->fields[i].type, deep + 1))
			return true;
	return false;
}

bool kind_has_wide_vector(const struct gotype *t)
{
	return has_wide_vector(t, 0);
}
