// SPDX-License-Identifier: GPL-2.0

#include "textflag.h"

// A signal handler that stays until it is released. DX: the interrupted thread's ucontext.
TEXT ·linger(SB),NOSPLIT|NOFRAME,$0
	MOVQ 168(DX), AX
	MOVQ AX, ·interrupted(SB)
	MOVL $1, ·lingers(SB)
wait:
	PAUSE
	MOVL ·released(SB), AX
	TESTL AX, AX
	JEQ wait
	MOVL $0, ·lingers(SB)
	RET

TEXT ·restore(SB),NOSPLIT|NOFRAME,$0
	MOVQ $15, AX
	SYSCALL
	INT $3

// func entries() (linger, restore uintptr)
TEXT ·entries(SB),NOSPLIT,$0-16
	LEAQ ·linger(SB), AX
	MOVQ AX, linger+0(FP)
	LEAQ ·restore(SB), AX
	MOVQ AX, restore+8(FP)
	RET
