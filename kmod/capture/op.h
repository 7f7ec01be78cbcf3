/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A verified operation of a program, and loads of a few bytes. Compiles in the kernel and in
 * user space, where the tool runs programs on the memory of other processes.
 */
#ifndef GP_OP_H
#define GP_OP_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include "eval/kernel.h"
#endif
#include <goprobe.h>

#include "capture/op_class.h"

/* Registers of a program. */
#define GP_OP_REGS	16

/* No program has memory mapped below: such an address is nil plus an offset. */
#define GP_NIL_END	4096

/**
 * struct gp_op - a verified goprobe_op
 * @code: enum goprobe_op_code
 * @a: register
 * @b: register; of GOPROBE_OP_REG and _SET the offset in struct pt_regs, of _FLOAT and
 *	_SET_FLOAT the float register's number
 * @class: enum gp_op_class
 * @size: bytes
 * @offset: in the frame; or operations to skip
 * @value: immediate
 */
struct gp_op {
	u8 code;
	u8 a;
	u8 b;
	u8 class;
	u16 size;
	u16 offset;
	u64 value;
};

/* The operation as the protocol has it: registers of the target by their DWARF numbers. */
static inline struct gp_op gp_op_of(const struct goprobe_op *op)
{
	return (struct gp_op){
		.code = op->code, .a = op->a, .b = op->b, .class = gp_op_class(op->code),
		.size = op->size, .offset = op->offset, .value = op->value,
	};
}

static __always_inline u64 gp_load(const void *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/*
 * Copy the low @size bytes (1, 2, 4, 8) of a number in memory or in a register. A copy of fixed
 * size is a move; a variable size would be a call.
 */
static __always_inline void gp_copy_low(u8 *to, const u8 *from, u32 size)
{
	if (likely(size == 8))
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else if (size == 1)
		memcpy(to, from, 1);
	else
		memcpy(to, from, 2);
}

static __always_inline u64 gp_load_low(const u8 *at, u32 size)
{
	u64 word = 0;

	gp_copy_low((u8 *)&word, at, size);
	return word;
}

#endif
