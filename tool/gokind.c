// SPDX-License-Identifier: GPL-2.0
/* What Go calls a type's kind. */
#include "gokind.h"

enum gotype_kind gokind_type(enum go_rkind kind)
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
