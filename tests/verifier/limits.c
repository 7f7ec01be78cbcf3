// SPDX-License-Identifier: GPL-2.0
/*
 * Limits of programs and plans, from the protocol's description (tests/op_fields.h) and from what
 * the interpreter does with each field. Shares nothing with kmod/control/verify.c.
 */
#include <stddef.h>

#include "../op_fields.h"
#include "prove.h"

static bool is_float_reg(u8 b)
{
	return b >= 17 && b <= 32;
}

static const char *limits_of_registers(const struct goprobe_op *op, unsigned int has)
{
	if (op->a >= (has & OP_A ? GP_OP_REGS : 1))
		return "register a is outside the registers";
	if (has & OP_B_FLOAT ? !is_float_reg(op->b) :
			       op->b >= (has & (OP_B | OP_B_TARGET) ? 16 : 1))
		return "register b is outside the registers";
	if (op->code == GOPROBE_OP_SET && op->b == 7)
		return "the stack pointer is set";
	return NULL;
}

static const char *limits_of_size(const struct goprobe_op *op, unsigned int has)
{
	bool wide = op->size == 4 || op->size == 8;

	if (has & OP_SIZE_FLOAT)
		return wide ? NULL : "a float is not 4 or 8 bytes";
	if (has & OP_SIZE_WORD)
		return wide || op->size == 1 || op->size == 2 ? NULL : "a number has another size";
	if (has & OP_SIZE_BYTES && has & OP_OFFSET_FRAME)
		return op->size && op->size <= GP_FRAME_MAX ? NULL : "bytes are none, or too many";
	if (has & OP_SIZE_BYTES)
		return op->size <= GP_BYTES_MAX ? NULL : "too many bytes are compared";
	return op->size ? "a size has no meaning" : NULL;
}

static const char *limits_of_offset(const struct goprobe_op *op, unsigned int has, u32 left,
				    u32 frame)
{
	if (has & OP_OFFSET_SKIP)
		return op->offset <= left ? NULL : "a jump leaves the program";
	if (has & OP_OFFSET_FRAME)
		return (u64)op->offset + op->size <= frame ? NULL : "the frame is exceeded";
	return op->offset && !(has & OP_OFFSET_PERIOD) ? "an offset has no meaning" : NULL;
}

static bool is_value_right(const struct goprobe_op *op, unsigned int has)
{
	if (has & OP_VALUE_STATUS)
		return op->value > GOPROBE_CHUNK_OK && op->value < __GOPROBE_CHUNK_MAX;
	if (has & OP_VALUE_LENGTH)
		return op->value < GP_OP_REGS;
	if (has & OP_VALUE_NS)
		return op->value && op->value <= 1000000000;
	if (has & OP_VALUE_TASK)
		return op->value < __GOPROBE_TASK_MAX;
	if (has & OP_VALUE_CAUSE)
		return (op->value & ~256ULL) <= GOPROBE_REJECT_MAX;
	if (has & OP_VALUE_HASHED)
		return op->value <= GP_BYTES_MAX;
	if (has & OP_VALUE_FIND)
		return op->value < 1ULL << 49;
	if (has & OP_VALUE_COUNTER)
		return op->value < GP_NUMBERS;
	if (has & OP_VALUE_ID)
		return op->value <= UINT32_MAX;
	if (has & OP_OFFSET_PERIOD)
		return !op->offset || op->value < 1 << 24;
	return has & (OP_VALUE | OP_VALUE_ADDRESS) || !op->value;
}

const char *limits_of_op(const struct goprobe_op *op, u32 left, u32 frame)
{
	unsigned int has;
	const char *why;

	if (op->code == GOPROBE_OP_UNSPEC || op->code >= __GOPROBE_OP_MAX)
		return "there is no such operation";
	has = op_fields[op->code];
	if (has & (frame == UINT32_MAX ? OP_FOR_PLANS : OP_FOR_FILTERS))
		return "an operation is for another kind of programs";
	if (op->pad || op->pad2)
		return "padding is not 0";
	why = limits_of_registers(op, has);
	if (!why)
		why = limits_of_size(op, has);
	if (!why)
		why = limits_of_offset(op, has, left, frame);
	return why ? why : is_value_right(op, has) ? NULL : "a value has no meaning";
}

/**
 * struct path - what a program has done on its way
 * @copies: bytes
 * @looks: at open calls
 * @quotas: without a period, and with one
 * @edits: changes of the program
 * @others: operations that an edit may not have
 */
struct path {
	u32 copies, looks, quotas[2], edits, others;
};

static const char *limits_of_path(const struct path *p)
{
	if (p->copies > GP_COPIES_MAX)
		return "a path copies more than it may";
	if (p->looks > GP_UNDERS_MAX)
		return "a path looks at open calls more often than it may";
	if (p->quotas[0] > 1 || p->quotas[1] > 1)
		return "a path has two quotas of one kind";
	if (p->edits > GP_EDITS_MAX)
		return "a path has more edits than it may";
	return p->edits && p->others ? "an edit has what edits may not have" : NULL;
}

static void walk_op(struct path *p, const struct goprobe_op *op)
{
	unsigned int has = op_fields[op->code];

	if (has & OP_SIZE_BYTES)
		p->copies += op->size;
	if (has & OP_VALUE_HASHED)
		p->copies += (u32)op->value;
	if (op->code == GOPROBE_OP_FIND)
		p->copies += op->size * (GOPROBE_FIND_ELEMENTS - 1);
	p->looks += op->code == GOPROBE_OP_UNDER || op->code == GOPROBE_OP_ROOT;
	p->quotas[!!op->offset] += op->code == GOPROBE_OP_QUOTA;
	p->edits += !!(has & OP_EDITS);
	p->others += has & OP_KEYS || op->code == GOPROBE_OP_DURATION;
}

static bool ends(u8 code)
{
	return code == GOPROBE_OP_END || code == GOPROBE_OP_REJECT || code == GOPROBE_OP_FAIL;
}

/* All paths from operation @at on. @resume: behind the current item, or 0. */
static const char *walk(const struct goprobe_op *ops, u32 n, u32 at, u32 resume, struct path p)
{
	const struct goprobe_op *op = &ops[at];
	const char *why = limits_of_path(&p);
	bool skips;

	if (why || at >= n)
		return at > n ? "a path leaves the program" : why;
	skips = op_fields[op->code] & OP_OFFSET_SKIP;
	walk_op(&p, op);
	if (resume > at)
		why = walk(ops, n, resume, resume, p);
	if (why || (ends(op->code) && (op->code != GOPROBE_OP_FAIL || resume <= at)))
		return why ? why : limits_of_path(&p);
	if (op->code == GOPROBE_OP_TRY)
		return walk(ops, n, at + 1, at + 1 + op->offset, p);
	if (skips)
		why = walk(ops, n, at + 1 + op->offset, resume, p);
	return why || op->code == GOPROBE_OP_JUMP || op->code == GOPROBE_OP_FAIL ? why :
	       walk(ops, n, at + 1, resume, p);
}

const char *limits_of_program(const struct goprobe_op *ops, u32 n, u32 frame)
{
	for (u32 i = 0; i < n; i++) {
		const char *why = limits_of_op(&ops[i], n - 1 - i, frame);

		if (why)
			return why;
	}
	return walk(ops, n, 0, 0, (struct path){ 0 });
}

const char *limits_of_piece(const struct goprobe_piece *p, u32 frame)
{
	if (p->pad)
		return "padding is not 0";
	if (!p->size || (u64)p->frame + p->size > frame)
		return "a piece exceeds its frame";
	switch (p->source) {
	case GOPROBE_FROM_INT_REG:
		return p->reg < 16 && (p->size == 1 || p->size == 2 || p->size == 4 ||
				       p->size == 8) ? NULL : "a piece exceeds its register";
	case GOPROBE_FROM_FLOAT_REG:
		return is_float_reg(p->reg) && (p->size == 4 || p->size == 8 || p->size == 16) ?
		       NULL : "a piece exceeds its float register";
	case GOPROBE_FROM_STACK:
		return p->offset >= -4096 && p->offset < 1 << 20 ? NULL : "a piece is far away";
	case GOPROBE_FROM_STATIC:
		return NULL;
	}
	return "a piece is of nothing";
}

const char *limits_of_plan(const struct goprobe_plan *plan, u32 npieces, u32 nops,
			   const struct gp_types *types, u32 tries)
{
	u64 frame = types->type.size;
	u64 record = sizeof(struct goprobe_record) + (frame + 7) / 8 * 8 +
		     tries * sizeof(struct goprobe_chunk) + plan->bytes;

	if (plan->type >= types->n)
		return "a frame has no type";
	if (frame > GP_FRAME_MAX)
		return "a frame is too large";
	if (plan->npieces > GP_PIECES_MAX || plan->nops > GP_OPS_MAX)
		return "pieces or operations are too many";
	if ((u64)plan->piece + plan->npieces > npieces || (u64)plan->op + plan->nops > nops)
		return "pieces or operations lie outside the message";
	if (record > GP_RECORD_MAX)
		return "a record is too large";
	if (plan->objects > GP_RECORD_MAX / sizeof(struct goprobe_chunk) ||
	    plan->string_limit > GP_RECORD_MAX || plan->elements > GP_RECORD_MAX)
		return "objects exceed a record";
	if (plan->depth > GP_DEPTH_MAX)
		return "references are followed too far";
	if (plan->nstack ? plan->stack % 8 || plan->stack + 8ULL * (plan->nstack + 1ULL) > frame :
			   plan->stack)
		return "a call stack exceeds its frame";
	return NULL;
}
