// SPDX-License-Identifier: GPL-2.0
/*
 * Run a verified program of a plan.
 *
 * Context: as capture.c. Jumps only go forward, so each operation is carried out
 * once at most. Nothing but its registers and the frame is written, nothing but these
 * and the target's memory is read.
 *
 * Leaf: includes nothing that does I/O.
 */
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "capture.h"
#include "program.h"

/* No program has anything mapped there: such an address is nil and an offset. */
#define GP_NIL_END	4096

/**
 * struct gp_program - a program under way
 * @c: the capture that it is part of
 * @r: registers
 * @item: number of the item that is being worked on
 * @resume: the operation behind the item's; NULL if there has been no item
 */
struct gp_program {
	struct gp_capture *c;
	u64 r[GP_OP_REGS];
	u64 item;
	const struct gp_op *resume;
};

/* Does the operation jump? */
static bool gp_program_jumps(const struct gp_op *op, u64 a, u64 b)
{
	switch (op->code) {
	case GOPROBE_OP_JUMP:
		return true;
	case GOPROBE_OP_JEQ:
		return a == b;
	case GOPROBE_OP_JNE:
		return a != b;
	case GOPROBE_OP_JLT:
		return a < b;
	case GOPROBE_OP_JGE:
		return a >= b;
	case GOPROBE_OP_JSLT:
		return (s64)a < (s64)b;
	case GOPROBE_OP_JSGE:
		return (s64)a >= (s64)b;
	}
	return false;
}

/* What becomes of register a, if nothing can fail. */
static u64 gp_program_value(const struct gp_program *p, const struct gp_op *op)
{
	const struct gp_capture *c = p->c;
	u64 a = p->r[op->a];

	switch (op->code) {
	case GOPROBE_OP_IMM:
		return op->value;
	case GOPROBE_OP_REG:
		return gp_load((const u8 *)c->regs + op->b);
	case GOPROBE_OP_FRAME:
		return gp_load_low(c->to + op->offset, op->size);
	case GOPROBE_OP_SP:
		return c->sp + op->value;
	case GOPROBE_OP_STATIC:
		return c->bias + op->value;
	case GOPROBE_OP_SIGN:
		return sign_extend64(p->r[op->b], 8 * op->size - 1);
	case GOPROBE_OP_MOVE:
		return p->r[op->b];
	case GOPROBE_OP_ADD:
		return a + p->r[op->b];
	case GOPROBE_OP_ADD_I:
		return a + op->value;
	case GOPROBE_OP_MUL_I:
		return a * op->value;
	}
	return a;
}

/*
 * Copy from the target. What can't be had is 0. Return: enum goprobe_chunk_status,
 * or -EAGAIN as gp_capture_copy().
 */
static int gp_program_copy(struct gp_program *p, const struct gp_op *op, u8 *to)
{
	u64 base = p->r[op->b], address = base + op->value;
	u32 size = op->size;
	int status = GOPROBE_CHUNK_NIL;

	if (likely(min(base, address) >= GP_NIL_END))
		status = gp_capture_copy(p->c, to, address, &size);
	else
		size = 0;
	if (unlikely(status > GOPROBE_CHUNK_OK))
		memset(to + size, 0, op->size - size);
	return status;
}

static int gp_program_load(struct gp_program *p, const struct gp_op *op)
{
	u64 word = 0;
	int status = gp_program_copy(p, op, (u8 *)&word);

	p->r[op->a] = word;
	return status;
}

/*
 * The item has failed. Return: 0; 1 if there is none, so that the program ends;
 * -ENOSPC if the ring has no room.
 */
static noinline int gp_program_missed(struct gp_program *p, const struct gp_op *op,
				      int status)
{
	struct gp_capture *c = p->c;
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);

	if (!p->resume || op >= p->resume) {
		c->flags |= GOPROBE_RECORD_F_FAULT;
		return 1;
	}
	if (c->room - c->used < sizeof(*chunk))
		return -ENOSPC;
	*chunk = (struct goprobe_chunk){
		.address = p->item, .type = GOPROBE_TYPE_MISSED, .status = status,
	};
	c->used += sizeof(*chunk);
	return 0;
}

/* Carry out one operation that does not jump. Return: as gp_program_copy(). */
static int gp_program_step(struct gp_program *p, const struct gp_op *op)
{
	switch (op->code) {
	case GOPROBE_OP_LOAD:
		return gp_program_load(p, op);
	case GOPROBE_OP_COPY:
		return gp_program_copy(p, op, p->c->to + op->offset);
	case GOPROBE_OP_STORE:
		gp_copy_low(p->c->to + op->offset, (u8 *)&p->r[op->a], op->size);
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_TRY:
		p->item = op->value;
		p->resume = op + 1 + op->offset;
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_FAIL:
		return op->value;
	}
	p->r[op->a] = gp_program_value(p, op);
	return GOPROBE_CHUNK_OK;
}

/**
 * gp_program_run() - run the program of the capture's plan
 * @c: its frame is filled and c->used says so; chunks of items that failed are added
 *
 * Return: 0; -EAGAIN if c->faultin->address must be brought in; -ENOSPC if there is
 * no room.
 */
noinline int gp_program_run(struct gp_capture *c)
{
	const struct gp_op *op = c->plan->ops, *end = op + c->plan->w.nops;
	struct gp_program p = { .c = c };
	int status;

	while (op < end && op->code != GOPROBE_OP_END) {
		if (gp_program_jumps(op, p.r[op->a], p.r[op->b & (GP_OP_REGS - 1)])) {
			op += 1 + op->offset;
			continue;
		}
		status = gp_program_step(&p, op);
		if (likely(status == GOPROBE_CHUNK_OK)) {
			op++;
			continue;
		}
		if (status > GOPROBE_CHUNK_OK)
			status = gp_program_missed(&p, op, status);
		if (status < 0)
			return status;
		if (status)
			break;
		op = p.resume;
	}
	return 0;
}
