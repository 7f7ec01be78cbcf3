// SPDX-License-Identifier: GPL-2.0
/*
 * Interpreter of verified programs. filter.c has the operations that only filters have.
 *
 * Context: as capture.c. Jumps go forward only, so each operation runs at most once. A program
 * writes only its registers and the frame. It reads only these and the target's memory.
 *
 * Leaf: includes nothing that does I/O. Also compiled into goprobectl, where tool/eval/kernel.h
 * stands for the kernel.
 */
#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "capture/capture.h"
#include "capture/faultin.h"
#endif
#include "capture/program.h"

/*
 * Copy from the target; unreadable bytes become 0. Return: enum goprobe_chunk_status, or -EAGAIN
 * as gp_capture_copy().
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

/* Load a number of any size, or an unreadable one. Return: as gp_program_copy(). */
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

/**
 * gp_program_failed() - an operation has failed, and so has its item
 * @p: the program; it ends outside of an item, if it is a filter's, and on an error
 * @op: the operation
 * @status: enum goprobe_chunk_status, or an error
 *
 * Return: the next operation.
 */
noinline const struct gp_op *gp_program_failed(struct gp_program *p, const struct gp_op *op,
					       int status)
{
	struct gp_capture *c = p->c;
	struct goprobe_chunk *chunk = (void *)(c->to + c->used);

	if (status < 0) {
		p->err = status;
		return p->end;
	}
	if (p->filters) {
		p->status = status;
		return p->end;
	}
	if (!p->resume || op >= p->resume) {
		c->flags |= GOPROBE_RECORD_F_FAULT;
		return p->end;
	}
	if (c->space - c->used < sizeof(*chunk)) {
		p->err = -ENOSPC;
		return p->end;
	}
	*chunk = (struct goprobe_chunk){
		.address = p->item, .type = GOPROBE_TYPE_MISSED, .status = status,
	};
	c->used += sizeof(*chunk);
	return p->resume;
}

/* A separate function: float registers are rare, and their buffer is large. */
static noinline void gp_program_float(struct gp_program *p, const struct gp_op *op)
{
	struct gp_float_regs floats GP_UNINITIALIZED;

	gp_arch_float_regs(&floats, 1 << op->b);
	p->r[op->a] = gp_load_low(floats.reg[op->b], op->size);
}

/*
 * The signed number that orders like a float (IEEE 754: sign, exponent and fraction, as a
 * number, rise with the magnitude). Return: false if it is NaN.
 */
static bool gp_program_order(struct gp_program *p, const struct gp_op *op)
{
	const u64 sign = BIT_ULL(8 * op->size - 1);
	const u64 infinite = op->size == 8 ? 0x7ffULL << 52 : 0xffULL << 23;
	u64 bits = p->r[op->b] & (sign | (sign - 1)), magnitude = bits & ~sign;

	p->r[op->a] = bits & sign ? -magnitude : magnitude;
	return magnitude <= infinite;
}

/* Go's division: rounds towards 0; the lowest number divided by -1 is itself. */
static noinline int gp_program_divide(struct gp_program *p, const struct gp_op *op)
{
	u64 a = p->r[op->a], b = p->r[op->b];

	if (!b)
		return GOPROBE_CHUNK_RANGE;
	switch (op->code) {
	case GOPROBE_OP_DIV:
		p->r[op->a] = a / b;
		break;
	case GOPROBE_OP_MOD:
		p->r[op->a] = a % b;
		break;
	case GOPROBE_OP_SDIV:
		p->r[op->a] = b == U64_MAX ? -a : (u64)((s64)a / (s64)b);
		break;
	case GOPROBE_OP_SMOD:
		p->r[op->a] = b == U64_MAX ? 0 : (u64)((s64)a % (s64)b);
		break;
	}
	return GOPROBE_CHUNK_OK;
}

static u64 gp_program_shift(u8 code, u64 a, u64 by)
{
	if (code == GOPROBE_OP_SAR)
		return (s64)a >> min_t(u64, by, 63);
	if (by > 63)
		return 0;
	return code == GOPROBE_OP_SHL ? a << by : a >> by;
}

/* The operation behind the skipped ones if @taken, else the next one. */
static __always_inline const struct gp_op *gp_program_jump(const struct gp_op *op,
							   bool taken)
{
	return op + 1 + (taken ? op->offset : 0);
}

/* Run one operation. Return: the next one. */
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
	case GOPROBE_OP_LOW:
		r[op->a] = gp_load_low((const u8 *)&r[op->b], op->size);
		break;
	case GOPROBE_OP_FLOAT:
		gp_program_float(p, op);
		break;
	case GOPROBE_OP_ORDER:
		return gp_program_jump(op, !gp_program_order(p, op));
	case GOPROBE_OP_MOVE:
		r[op->a] = r[op->b];
		break;
	case GOPROBE_OP_ADD:
		r[op->a] += r[op->b];
		break;
	case GOPROBE_OP_SUB:
		r[op->a] -= r[op->b];
		break;
	case GOPROBE_OP_MUL:
		r[op->a] *= r[op->b];
		break;
	case GOPROBE_OP_AND:
		r[op->a] &= r[op->b];
		break;
	case GOPROBE_OP_OR:
		r[op->a] |= r[op->b];
		break;
	case GOPROBE_OP_XOR:
		r[op->a] ^= r[op->b];
		break;
	case GOPROBE_OP_DIV:
	case GOPROBE_OP_MOD:
	case GOPROBE_OP_SDIV:
	case GOPROBE_OP_SMOD:
		status = gp_program_divide(p, op);
		break;
	case GOPROBE_OP_SHL:
	case GOPROBE_OP_SHR:
	case GOPROBE_OP_SAR:
		r[op->a] = gp_program_shift(op->code, r[op->a], r[op->b]);
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
	case GOPROBE_OP_JEQ_I:
		return gp_program_jump(op, r[op->a] == op->value);
	case GOPROBE_OP_JNE_I:
		return gp_program_jump(op, r[op->a] != op->value);
	case GOPROBE_OP_JLT_I:
		return gp_program_jump(op, r[op->a] < op->value);
	case GOPROBE_OP_JGE_I:
		return gp_program_jump(op, r[op->a] >= op->value);
	case GOPROBE_OP_JSLT_I:
		return gp_program_jump(op, (s64)r[op->a] < (s64)op->value);
	case GOPROBE_OP_JSGE_I:
		return gp_program_jump(op, (s64)r[op->a] >= (s64)op->value);
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
 * gp_program_go() - run a filter's program up to an operation that only filters have
 * @p: the program
 * @op: where to begin
 *
 * Return: the first such operation, or p->end.
 */
noinline const struct gp_op *gp_program_go(struct gp_program *p, const struct gp_op *op)
{
	while (op < p->end && op->class & GP_OP_PLAIN)
		op = gp_program_step(p, op);
	return op;
}

/**
 * gp_program_run() - run the program of the capture's plan
 * @c: its frame is filled, c->used covers it; gets a chunk for each item that failed
 *
 * Return: 0; -EAGAIN: bring c->faultin->address in; -ENOSPC: the ring has not enough space.
 */
noinline int gp_program_run(struct gp_capture *c)
{
	const struct gp_op *op = c->plan->ops;
	struct gp_program p = { .c = c, .end = op + c->plan->w.nops };

	while (op < p.end)
		op = gp_program_step(&p, op);
	return p.err;
}
