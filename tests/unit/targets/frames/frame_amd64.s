// SPDX-License-Identifier: GPL-2.0

#include "textflag.h"

// func framePointer() uintptr
TEXT ·framePointer(SB), NOSPLIT, $0-8
	MOVQ BP, ret+0(FP)
	RET
