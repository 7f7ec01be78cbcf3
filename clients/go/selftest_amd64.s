// SPDX-License-Identifier: GPL-2.0
// Code to try breakpoints with.

#include "textflag.h"

// GOPROBE_SELF_TEST_CODE, with the argument in both registers, stands behind the two instructions that put it there.
TEXT ·selfTestRun(SB), NOSPLIT|NOFRAME, $0-4
	BYTE $0x8b; BYTE $0x4c; BYTE $0x24; BYTE $0x08 // mov ecx, [rsp+8]
	BYTE $0x89; BYTE $0xca           // mov edx, ecx
	BYTE $0xff; BYTE $0xc9           // dec ecx
	BYTE $0xff; BYTE $0xca           // dec edx
	BYTE $0x75; BYTE $0xfa           // jnz, to the first dec
	BYTE $0xc3                       // ret

TEXT ·selfTestAddress(SB), NOSPLIT, $0-8
	LEAQ ·selfTestRun+6(SB), AX
	MOVQ AX, ret+0(FP)
	RET

TEXT ·selfTestCall(SB), NOSPLIT|NOFRAME, $0-0
	BYTE $0x90                       // nop
	BYTE $0xc3                       // ret

TEXT ·selfTestCallAddress(SB), NOSPLIT, $0-8
	LEAQ ·selfTestCall(SB), AX
	MOVQ AX, ret+0(FP)
	RET
