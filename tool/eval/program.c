// SPDX-License-Identifier: GPL-2.0
/*
 * The runner of programs on the memory of a process. kmod/capture/program.c has most operations;
 * here are those that the module has elsewhere: edits, and comparisons of strings.
 */
#include <string.h>

#include "capture/program.h"
#include "capture/search.h"
#include "compile/operand.h"
#include "eval/eval.h"

/* The most bytes of strings that are compared. */
#define SAME_MAX 4096U

/* Programs of goprobectl use no registers; an operation has the offset of one in a byte. */
static const u8 no_registers[UINT8_MAX + sizeof(u64)];

/* A program under way. */
struct run {
	struct gp_program p;			/* state of program.c */
	struct gp_capture c;			/* the process */
	struct gp_op ops[OPERAND_OPS_MAX];	/* the program */
	struct eval_write *writes;		/* of an edit: its writes; or NULL */
	size_t nwrites;				/* their number */
};

static int compare(struct run *r, const struct gp_op *op)
{
	u8 left[SAME_MAX], right[SAME_MAX];
	u64 a = r->p.r[op->a], b = r->p.r[op->b];
	u64 n = min(r->p.r[op->value % GP_OP_REGS], min(op->size, SAME_MAX));

	if (n && min(a, b) < GP_NIL_END)
		return GOPROBE_CHUNK_NIL;
	if (!r->c.read(r->c.read_ctx, a, left, n) || !r->c.read(r->c.read_ctx, b, right, n))
		return GOPROBE_CHUNK_FAULT;
	r->p.r[op->a] = !memcmp(left, right, n);
	return GOPROBE_CHUNK_OK;
}

static int collect(struct run *r, const struct gp_op *op)
{
	u64 base = r->p.r[op->b], at = base + op->value;

	if (min(base, at) < GP_NIL_END)
		return GOPROBE_CHUNK_NIL;
	if (!r->writes || r->nwrites == EVAL_WRITES_MAX)
		return GOPROBE_CHUNK_BAD;
	r->writes[r->nwrites++] = (struct eval_write){
		.at = at, .value = r->p.r[op->a], .size = op->size,
	};
	return GOPROBE_CHUNK_OK;
}

static void load(struct run *r, const struct goprobe_op *ops, size_t n)
{
	n = min(n, OPERAND_OPS_MAX);
	for (size_t i = 0; i < n; i++)
		r->ops[i] = gp_op_of(&ops[i]);
	r->p.c = &r->c;
	r->p.end = r->ops + n;
}

/* No other operation is compiled where there is no thread. */
static int step(struct run *r, const struct gp_op *op)
{
	switch (op->code) {
	case GOPROBE_OP_SAME:
		return compare(r, op);
	case GOPROBE_OP_MATCH:
		return gp_search_match(&r->c, op, r->p.r);
	case GOPROBE_OP_FIND:
		return gp_search_find(&r->c, op, r->p.r);
	case GOPROBE_OP_WRITE:
		return collect(r, op);
	}
	return GOPROBE_CHUNK_BAD;
}

static void run(struct run *r)
{
	const struct gp_op *op = r->ops;

	while ((op = gp_program_go(&r->p, op)) < r->p.end) {
		int status = step(r, op);

		/* Only searches skip what is behind them. */
		op = status == GOPROBE_CHUNK_OK ? op + 1 + op->offset :
						  gp_program_failed(&r->p, op, status);
	}
}

void eval_run(struct eval *g, const struct plan_capture *c)
{
	u32 first = (c->size + 7) & ~7U;
	struct run r = { .c = {
		.regs = no_registers, .bias = g->bias, .to = g->frame, .space = sizeof(g->frame),
		.used = first, .read = g->read, .read_ctx = g->read_ctx,
	} };

	load(&r, c->ops, c->nops);
	run(&r);
	for (u32 at = first; at < r.c.used; at += sizeof(struct goprobe_chunk)) {
		const struct goprobe_chunk *chunk = (const void *)(g->frame + at);

		eval_missed(g, chunk->address, chunk->status);
	}
}

uint32_t eval_edit(struct eval *g, const struct goprobe_op *ops, size_t nops,
		   struct eval_write *writes, size_t *n)
{
	struct run r = { .writes = writes, .p.filters = true, .c = {
		.regs = no_registers, .bias = g->bias, .read = g->read, .read_ctx = g->read_ctx,
	} };

	load(&r, ops, nops);
	run(&r);
	*n = r.p.status == GOPROBE_CHUNK_OK ? r.nwrites : 0;
	return r.p.status;
}
