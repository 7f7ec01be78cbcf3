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
 * @end: behind the last operation
 * @item: number of the item that is being worked on
 * @resume: the operation behind the item's; NULL if there has been no item
 * @err: result
 */
struct gp_program {
	struct gp_capture *c;
	u64 r[GP_OP_REGS];
	const struct gp_op *end;
	u64 item;
	const struct gp_op *resume;
	int err;
};

/*
 * Copy from the target. What can't be had is 0. Return: enum goprobe_chunk_status,
 * or -EAGAIN as gp_capture_copy().
 */
static noinline int gp_program_copy(struct gp_program *p, const struct gp_op *op, u8 *to)
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

/* A number of any size, or one that can't be had. Return: as gp_program_copy(). */
static noinline int gp_program_load_any(struct gp_program *p, const struct gp_op *op)
{
	u64 word = 0;
	int status = gp_program_copy(p, op, (u8 *)&word);

	p->r[op->a] = word;
	return status;
}

static __always_inline int gp_program_load(struct gp_program *p, const struct gp_op *op)
{
	u64 base = p->r[op->b], address = base + op->value;

	if (likely(op->size == 8 && min(base, address) >= GP_NIL_END) &&
	    gp_user_load(&p->r[op->a], address))
		return GOPROBE_CHUNK_OK;
	return gp_program_load_any(p, op);
}

/*
 * The operation has failed, with @status, and so has its item; if there is none, the
 * program ends, as it does with an error. Return: the next operation.
 */
static noinline const struct gp_op *
gp_program_failed(struct gp_program *p, const struct gp_op *op, int status)
{
	struct gp_capture *c = p->c;
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);

	if (status < 0) {
		p->err = status;
		return p->end;
	}
	if (!p->resume || op >= p->resume) {
		c->flags |= GOPROBE_RECORD_F_FAULT;
		return p->end;
	}
	if (c->room - c->used < sizeof(*chunk)) {
		p->err = -ENOSPC;
		return p->end;
	}
	*chunk = (struct goprobe_chunk){
		.address = p->item, .type = GOPROBE_TYPE_MISSED, .status = status,
	};
	c->used += sizeof(*chunk);
	return p->resume;
}

/* The operation behind those that are skipped, if @taken, else the next one. */
static __always_inline const struct gp_op *gp_program_jump(const struct gp_op *op,
							   bool taken)
{
	return op + 1 + (taken ? op->offset : 0);
}

/* Carry out one operation. Return: the next one. */
static __always_inline const struct gp_op *
gp_program_step(struct gp_program *p, const struct gp_op *op)
{
	const struct gp_capture *c = p->c;
	int status = GOPROBE_CHUNK_OK;
	u64 *r = p->r;

	switch (op->code) {
	case GOPROBE_OP_IMM:
		r[op->a] = op->value;
		break;
	case GOPROBE_OP_REG:
		r[op->a] = gp_load((const u8 *)c->regs + op->b);
		break;
	case GOPROBE_OP_FRAME:
		r[op->a] = gp_load_low(c->to + op->offset, op->size);
		break;
	case GOPROBE_OP_SP:
		r[op->a] = c->sp + op->value;
		break;
	case GOPROBE_OP_STATIC:
		r[op->a] = c->bias + op->value;
		break;
	case GOPROBE_OP_LOAD:
		status = gp_program_load(p, op);
		break;
	case GOPROBE_OP_SIGN:
		r[op->a] = sign_extend64(r[op->b], 8 * op->size - 1);
		break;
	case GOPROBE_OP_MOVE:
		r[op->a] = r[op->b];
		break;
	case GOPROBE_OP_ADD:
		r[op->a] += r[op->b];
		break;
	case GOPROBE_OP_ADD_I:
		r[op->a] += op->value;
		break;
	case GOPROBE_OP_MUL_I:
		r[op->a] *= op->value;
		break;
	case GOPROBE_OP_JUMP:
		return gp_program_jump(op, true);
	case GOPROBE_OP_JEQ:
		return gp_program_jump(op, r[op->a] == r[op->b]);
	case GOPROBE_OP_JNE:
		return gp_program_jump(op, r[op->a] != r[op->b]);
	case GOPROBE_OP_JLT:
		return gp_program_jump(op, r[op->a] < r[op->b]);
	case GOPROBE_OP_JGE:
		return gp_program_jump(op, r[op->a] >= r[op->b]);
	case GOPROBE_OP_JSLT:
		return gp_program_jump(op, (s64)r[op->a] < (s64)r[op->b]);
	case GOPROBE_OP_JSGE:
		return gp_program_jump(op, (s64)r[op->a] >= (s64)r[op->b]);
	case GOPROBE_OP_TRY:
		p->item = op->value;
		p->resume = gp_program_jump(op, true);
		break;
	case GOPROBE_OP_FAIL:
		status = op->value;
		break;
	case GOPROBE_OP_STORE:
		gp_copy_low(c->to + op->offset, (const u8 *)&r[op->a], op->size);
		break;
	case GOPROBE_OP_COPY:
		status = gp_program_copy(p, op, c->to + op->offset);
		break;
	case GOPROBE_OP_END:
		return p->end;
	}
	return likely(status == GOPROBE_CHUNK_OK) ? op + 1 : gp_program_failed(p, op, status);
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
	const struct gp_op *op = c->plan->ops;
	struct gp_program p = { .c = c, .end = op + c->plan->w.nops };

	while (op < p.end)
		op = gp_program_step(&p, op);
	return p.err;
}
