/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decoder of the x86-64 instructions that a handler can emulate, so that the kernel need not
 * single-step them. Pure: the kernel and user space compile it, so the tool can predict what the
 * module will do.
 */
#ifndef GP_STEP_H
#define GP_STEP_H

#include <linux/types.h>
#ifndef __KERNEL__
#include <stdbool.h>
#endif

/*
 * The instructions with which functions without a stack check begin, and those that end all
 * functions; docs/measurements.md has their shares. Besides MOV, only CMP and TEST, which write no
 * operand, take an operand from memory. Only MOV writes memory, and only the stack: [RSP + disp].
 */
enum gp_step_kind {
	GP_STEP_NONE,
	GP_STEP_RET,		/* near, without operand */
	GP_STEP_NOP,		/* of any length */
	GP_STEP_MOV,		/* also MOVZX: see @from_width */
	GP_STEP_LEA,		/* the address of @ea to register @to_reg */
	GP_STEP_ADD,		/* this and the following kinds set the flags */
	GP_STEP_OR,
	GP_STEP_AND,
	GP_STEP_SUB,
	GP_STEP_XOR,
	GP_STEP_CMP,		/* as SUB, but only the flags are written */
	GP_STEP_TEST,		/* as AND, but only the flags are written */
};

/* Location of an operand. */
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
 * @shift: left shift of @index
 * @rip: the address of the next instruction is added
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
 * @length: bytes of the instruction
 * @width: operand size in bytes: 8, 4 or, for CMP and TEST, 1. With 4, the upper half of a
 *	register that is written becomes 0
 * @from_width: bytes that are read from operand @from and extended with zeros: @width,
 *	but 1 or 2 for MOVZX
 * @to: enum gp_step_operand: the first operand, REG or MEM
 * @to_reg: its register, for REG
 * @from: the second operand: REG, IMM or MEM; at most one of both is MEM
 * @from_reg: its register, for REG
 * @imm: the immediate, sign-extended to 64 bits; its low @width bytes count
 * @ea: address of the operand in memory; for LEA, the result
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
 * gp_step_decode - decode an instruction that a handler can emulate
 * @code: its first byte
 * @len: bytes that can be read there; the instruction may be shorter
 * @ret: the instruction, on success
 *
 * Return: whether a handler can emulate the instruction. It cannot if the instruction is unknown,
 * cut off by @len, or changes RSP and is not a RET.
 */
bool gp_step_decode(const __u8 *code, __u32 len, struct gp_step *ret);

#endif
