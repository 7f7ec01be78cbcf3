/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which x86-64 instructions a handler can carry out in the program's place, so
 * that the kernel need not single-step them. Pure: compiles in the kernel and in
 * user space, where the tool tells beforehand what the module will do.
 */
#ifndef GP_STEP_H
#define GP_STEP_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/*
 * What functions without a stack check begin with, and what ends all of them; see
 * docs/performance.md for how many. Only CMP and TEST take an operand that they
 * do not write from memory, besides MOV; only MOV writes memory, and only that of
 * the stack: [RSP + disp].
 */
enum gp_step_kind {
	GP_STEP_NONE,
	GP_STEP_RET,		/* near, without operand */
	GP_STEP_NOP,		/* of any length */
	GP_STEP_MOV,		/* also MOVZX: see @from_width */
	GP_STEP_LEA,		/* the address of @ea to register @to_reg */
	GP_STEP_ADD,		/* from here on the flags are set */
	GP_STEP_OR,
	GP_STEP_AND,
	GP_STEP_SUB,
	GP_STEP_XOR,
	GP_STEP_CMP,		/* as SUB, nothing else is written */
	GP_STEP_TEST,		/* as AND, nothing else is written */
};

/* Where an operand is. */
enum gp_step_operand {
	GP_STEP_NO_OPERAND,
	GP_STEP_REG,
	GP_STEP_IMM,
	GP_STEP_MEM,		/* at @ea, in the segment without a base */
};

#define GP_STEP_RSP	4
#define GP_STEP_NO_REG	0xff

/**
 * struct gp_step_ea - an effective address
 * @disp: displacement
 * @base: register, or GP_STEP_NO_REG
 * @index: register, or GP_STEP_NO_REG
 * @shift: @index counts shifted left by so much
 * @rip: the next instruction's address is added
 *
 * The sum is taken modulo 2^64.
 */
struct gp_step_ea {
	__s32 disp;
	__u8 base;
	__u8 index;
	__u8 shift;
	bool rip;
};

/**
 * struct gp_step - an instruction
 * @kind: enum gp_step_kind
 * @length: its bytes
 * @width: bytes that it works with: 8, 4 or, of CMP and TEST, 1. With 4 the upper
 *	half of a register that is written becomes 0
 * @from_width: bytes that are read of operand @from, extended with zeros: @width,
 *	but 1 or 2 for MOVZX
 * @to: enum gp_step_operand: the first operand, REG or MEM
 * @to_reg: the register, if it is one
 * @from: the second: REG, IMM or MEM; only one of both is MEM
 * @from_reg: the register, if it is one
 * @imm: the immediate, sign-extended to 64 bits, of which @width bytes count
 * @ea: where the operand in memory is; what LEA computes
 *
 * Registers have their hardware numbers: 0 RAX, 1 RCX, 2 RDX, 3 RBX, 4 RSP, 5 RBP,
 * 6 RSI, 7 RDI, 8 to 15 R8 to R15. AH, CH, DH and BH do not occur.
 */
struct gp_step {
	__u8 kind;
	__u8 length;
	__u8 width;
	__u8 from_width;
	__u8 to;
	__u8 to_reg;
	__u8 from;
	__u8 from_reg;
	__s64 imm;
	struct gp_step_ea ea;
};

/**
 * gp_step_decode - is it an instruction that a handler can carry out?
 * @code: its first byte
 * @len: bytes that can be read there; the instruction may be shorter
 * @ret: the instruction, if it is
 *
 * Return: whether it is. Other instructions, such as @len cuts off, and those that
 * change RSP, but for RET, are not.
 */
bool gp_step_decode(const __u8 *code, __u32 len, struct gp_step *ret);

#endif
