// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of captures and of edits, on the memory of a process: what kmod/capture/program.c
 * does, as far as there is neither a function nor a thread.
 */
#include <string.h>

#include "eval/eval.h"

/* As the module: what lies below is a nil pointer, or a field of one. */
#define NIL_END 4096U
/* Bytes of strings that are compared. */
#define SAME_MAX 4096U

#define REGS 16

/**
 * struct run - a program under way
 * @g: the process
 * @r: registers
 * @ended: it has come to its end
 * @writes: of an edit: what is to be written
 * @nwrites: their number
 */
struct run {
	struct globals *g;
	uint64_t r[REGS];
	bool ended;
	struct globals_write *writes;
	size_t nwrites;
};

static uint32_t load(struct globals *g, uint64_t base, const struct goprobe_op *o, void *to)
{
	uint64_t at = base + o->value;

	if (base < NIL_END || at < NIL_END)
		return GOPROBE_CHUNK_NIL;
	return g->read(g->read_ctx, at, to, o->size) ? GOPROBE_CHUNK_OK : GOPROBE_CHUNK_FAULT;
}

static uint64_t low(uint64_t v, uint32_t size)
{
	return size < 8 ? v & ((1ULL << 8 * size) - 1) : v;
}

static int64_t sign_extended(uint64_t v, uint32_t size)
{
	return (int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size);
}

/* --- jumps -------------------------------------------------------------------------- */

static bool compares(uint8_t code, uint64_t a, uint64_t b)
{
	switch (code) {
	case GOPROBE_OP_JEQ:
		return a == b;
	case GOPROBE_OP_JNE:
		return a != b;
	case GOPROBE_OP_JLT:
		return a < b;
	case GOPROBE_OP_JGE:
		return a >= b;
	case GOPROBE_OP_JSLT:
		return (int64_t)a < (int64_t)b;
	default:
		return (int64_t)a >= (int64_t)b;
	}
}

/* kmod/capture/program.c says why. */
static bool orders(struct run *p, const struct goprobe_op *o)
{
	const uint64_t sign = 1ULL << (8 * o->size - 1);
	const uint64_t infinite = o->size == 8 ? 0x7ffULL << 52 : 0xffULL << 23;
	uint64_t bits = low(p->r[o->b], o->size), magnitude = bits & ~sign;

	p->r[o->a] = bits & sign ? -magnitude : magnitude;
	return magnitude <= infinite;
}

/* Does the operation skip others? */
static bool jumps(struct run *p, const struct goprobe_op *o)
{
	if (o->code == GOPROBE_OP_JUMP)
		return true;
	if (o->code == GOPROBE_OP_ORDER)
		return !orders(p, o);
	if (o->code >= GOPROBE_OP_JEQ && o->code <= GOPROBE_OP_JSGE)
		return compares(o->code, p->r[o->a], p->r[o->b]);
	if (o->code >= GOPROBE_OP_JEQ_I && o->code <= GOPROBE_OP_JSGE_I)
		return compares(o->code - GOPROBE_OP_JEQ_I + GOPROBE_OP_JEQ, p->r[o->a], o->value);
	return false;
}

/* --- arithmetic ----------------------------------------------------------------------- */

static uint32_t divide(uint8_t code, uint64_t *a, uint64_t b)
{
	if (!b)
		return GOPROBE_CHUNK_RANGE;
	if (code == GOPROBE_OP_DIV)
		*a /= b;
	else if (code == GOPROBE_OP_MOD)
		*a %= b;
	else if (code == GOPROBE_OP_SDIV)
		*a = b == UINT64_MAX ? -*a : (uint64_t)((int64_t)*a / (int64_t)b);
	else
		*a = b == UINT64_MAX ? 0 : (uint64_t)((int64_t)*a % (int64_t)b);
	return GOPROBE_CHUNK_OK;
}

static uint64_t shift(uint8_t code, uint64_t a, uint64_t by)
{
	if (code == GOPROBE_OP_SAR)
		return (uint64_t)((int64_t)a >> (by > 63 ? 63 : by));
	return by > 63 ? 0 : code == GOPROBE_OP_SHL ? a << by : a >> by;
}

static uint32_t calculate(struct run *p, const struct goprobe_op *o)
{
	uint64_t *a = &p->r[o->a], b = p->r[o->b];

	switch (o->code) {
	case GOPROBE_OP_ADD:
		*a += b;
		break;
	case GOPROBE_OP_SUB:
		*a -= b;
		break;
	case GOPROBE_OP_MUL:
		*a *= b;
		break;
	case GOPROBE_OP_AND:
		*a &= b;
		break;
	case GOPROBE_OP_OR:
		*a |= b;
		break;
	case GOPROBE_OP_XOR:
		*a ^= b;
		break;
	case GOPROBE_OP_SHL:
	case GOPROBE_OP_SHR:
	case GOPROBE_OP_SAR:
		*a = shift(o->code, *a, b);
		break;
	case GOPROBE_OP_ADD_I:
		*a += o->value;
		break;
	case GOPROBE_OP_MUL_I:
		*a *= o->value;
		break;
	default:
		return divide(o->code, a, b);
	}
	return GOPROBE_CHUNK_OK;
}

/* --- memory ------------------------------------------------------------------------------ */

/* Two strings. */
static uint32_t same(struct run *p, const struct goprobe_op *o)
{
	uint8_t l[SAME_MAX], r[SAME_MAX];
	uint64_t a = p->r[o->a], b = p->r[o->b], n = p->r[o->value % REGS];

	if (n > o->size)
		n = o->size;
	if (n > SAME_MAX)
		n = SAME_MAX;
	if (n && (a < NIL_END || b < NIL_END))
		return GOPROBE_CHUNK_NIL;
	if (!p->g->read(p->g->read_ctx, a, l, n) || !p->g->read(p->g->read_ctx, b, r, n))
		return GOPROBE_CHUNK_FAULT;
	p->r[o->a] = !memcmp(l, r, n);
	return GOPROBE_CHUNK_OK;
}

static uint32_t collect(struct run *p, const struct goprobe_op *o)
{
	uint64_t base = p->r[o->b], at = base + o->value;

	if (base < NIL_END || at < NIL_END)
		return GOPROBE_CHUNK_NIL;
	if (!p->writes || p->nwrites == GLOBALS_WRITES_MAX)
		return GOPROBE_CHUNK_BAD;
	p->writes[p->nwrites++] = (struct globals_write){
		.at = at, .value = p->r[o->a], .size = o->size,
	};
	return GOPROBE_CHUNK_OK;
}

static uint32_t memory(struct run *p, const struct goprobe_op *o)
{
	uint64_t word = 0;
	uint32_t status;

	switch (o->code) {
	case GOPROBE_OP_LOAD:
		status = load(p->g, p->r[o->b], o, &word);
		p->r[o->a] = word;
		return status;
	case GOPROBE_OP_STORE:
		memcpy(p->g->frame + o->offset, &p->r[o->a], o->size);
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_COPY:
		status = load(p->g, p->r[o->b], o, p->g->frame + o->offset);
		if (status)
			memset(p->g->frame + o->offset, 0, o->size);
		return status;
	case GOPROBE_OP_SAME:
		return same(p, o);
	default:
		return collect(p, o);
	}
}

/* --- programs ------------------------------------------------------------------------------ */

/* Status of the operation: enum goprobe_chunk_status. */
static uint32_t step(struct run *p, const struct goprobe_op *o)
{
	uint64_t b = p->r[o->b];

	switch (o->code) {
	case GOPROBE_OP_IMM:
		p->r[o->a] = o->value;
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_STATIC:
		p->r[o->a] = o->value + p->g->bias;
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_SIGN:
		p->r[o->a] = (uint64_t)sign_extended(b, o->size);
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_LOW:
		p->r[o->a] = low(b, o->size);
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_MOVE:
		p->r[o->a] = b;
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_FAIL:
		return (uint32_t)o->value;
	case GOPROBE_OP_END:
		p->ended = true;
		return GOPROBE_CHUNK_OK;
	case GOPROBE_OP_LOAD:
	case GOPROBE_OP_STORE:
	case GOPROBE_OP_COPY:
	case GOPROBE_OP_SAME:
	case GOPROBE_OP_WRITE:
		return memory(p, o);
	}
	if (o->code >= GOPROBE_OP_ADD && o->code <= GOPROBE_OP_MUL_I)
		return calculate(p, o);
	/* A jump that is not taken; what needs a thread is not compiled without one. */
	return o->code >= GOPROBE_OP_JUMP && o->code <= GOPROBE_OP_JSGE_I ? GOPROBE_CHUNK_OK :
	       o->code == GOPROBE_OP_ORDER ? GOPROBE_CHUNK_OK : GOPROBE_CHUNK_BAD;
}

void globals_run(struct globals *g, const struct plan_capture *c)
{
	struct run p = { .g = g };
	uint64_t item = 0;
	size_t resume = 0;

	for (size_t i = 0; i < c->nops && !p.ended; i++) {
		const struct goprobe_op *o = &c->ops[i];
		uint32_t status;

		if (o->code == GOPROBE_OP_TRY) {
			item = o->value;
			resume = i + 1 + o->offset;
		} else if (jumps(&p, o)) {
			i += o->offset;
		} else {
			status = step(&p, o);
			if (status == GOPROBE_CHUNK_OK)
				continue;
			globals_missed(g, item, status);
			i = resume - 1;
		}
	}
}

uint32_t globals_edit(struct globals *g, const struct goprobe_op *ops, size_t nops,
		      struct globals_write *writes, size_t *n)
{
	struct run p = { .g = g, .writes = writes };
	uint32_t status = GOPROBE_CHUNK_OK;

	for (size_t i = 0; i < nops && !p.ended && status == GOPROBE_CHUNK_OK; i++) {
		if (jumps(&p, &ops[i]))
			i += ops[i].offset;
		else
			status = step(&p, &ops[i]);
	}
	*n = status == GOPROBE_CHUNK_OK ? p.nwrites : 0;
	return status;
}
