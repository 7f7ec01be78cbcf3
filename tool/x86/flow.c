// SPDX-License-Identifier: GPL-2.0
/* Control flow of a function: which instructions follow which, and what cannot be moved. */
#include <Zydis/Zydis.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "x86/flow.h"

#define PADDING 0xcc
/* Functions with more instructions take too long to look at. */
#define FLOW_MAX 65536U

static bool is_stack(const ZydisDecodedOperand *op)
{
	return op->mem.base == ZYDIS_REGISTER_RSP || op->mem.base == ZYDIS_REGISTER_RBP;
}

/* What it does to memory. */
static void look_at_operands(struct flow_insn *insn, const ZydisDecodedInstruction *in,
			     const ZydisDecodedOperand *ops)
{
	for (unsigned int i = 0; i < in->operand_count; i++) {
		const ZydisDecodedOperand *op = &ops[i];

		/* An address that is only computed reads no memory. */
		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op->mem.type != ZYDIS_MEMOP_TYPE_MEM || is_stack(op))
			continue;
		insn->effect |= !!(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE);
		/* Constants are read by their distance, and are no memory to a compiler. */
		insn->load |= op->actions & ZYDIS_OPERAND_ACTION_MASK_READ &&
			      (op->mem.base != ZYDIS_REGISTER_RIP ||
			       in->mnemonic == ZYDIS_MNEMONIC_CMP);
	}
}

/* Unsigned comparisons are what is made of two signed ones. */
static bool is_unsigned(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_JB || mnemonic == ZYDIS_MNEMONIC_JBE ||
	       mnemonic == ZYDIS_MNEMONIC_JNB || mnemonic == ZYDIS_MNEMONIC_JNBE;
}

/* Sets *@to to where it leads, from the function's entry; UINT64_MAX: nowhere in it. */
static void look_at(const struct insn_code *c, const ZydisDecodedInstruction *in,
		    const ZydisDecodedOperand *ops, struct flow_insn *insn, uint64_t *to)
{
	bool jump = in->meta.category == ZYDIS_CATEGORY_UNCOND_BR;

	*to = UINT64_MAX;
	insn->branch = in->meta.category == ZYDIS_CATEGORY_COND_BR;
	insn->fused = is_unsigned(in->mnemonic);
	insn->effect = in->meta.category == ZYDIS_CATEGORY_CALL;
	insn->falls = !jump && in->meta.category != ZYDIS_CATEGORY_RET &&
		      in->mnemonic != ZYDIS_MNEMONIC_UD2 && in->mnemonic != ZYDIS_MNEMONIC_INT3;
	if (!jump && !insn->branch) {
		look_at_operands(insn, in, ops);
		return;
	}
	if (!in->raw.imm[0].is_relative) {
		insn->anywhere = true;
		return;
	}
	*to = insn->at + insn->len + (uint64_t)in->raw.imm[0].value.s;
	insn->jumps = *to < c->len;
}

static int decode(const struct insn_code *c, struct flow *f, uint64_t **targets)
{
	ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	size_t cap = 0, tcap = 0;
	ZydisDecoder dec;

	if (ZYAN_FAILED(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)))
		return -1;
	for (size_t at = 0; at < c->len; at += in.length) {
		struct flow_insn *insn;

		if (ZYAN_FAILED(ZydisDecoderDecodeFull(&dec, c->bytes + at, c->len - at, &in, ops)))
			return c->bytes[at] ? -1 : 0;
		if (f->n == FLOW_MAX || grow(&f->v, f->n + 1, &cap, sizeof(*f->v)) ||
		    grow(targets, f->n + 1, &tcap, sizeof(**targets)))
			return -1;
		insn = &f->v[f->n];
		*insn = (struct flow_insn){ .at = (uint32_t)at, .len = in.length };
		look_at(c, &in, ops, insn, &(*targets)[f->n]);
		f->tables |= insn->anywhere;
		f->n++;
	}
	return 0;
}

size_t flow_find(const struct flow *f, uint64_t at)
{
	size_t low = 0, high = f->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (f->v[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->n && f->v[low].at == at ? low : f->n;
}

/* Instructions instead of addresses. */
static int link_targets(struct flow *f, const uint64_t *targets)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t to = f->v[i].jumps ? flow_find(f, targets[i]) : 0;

		if (to == f->n)
			return -1;
		f->v[i].target = (uint32_t)to;
		if (f->v[i].jumps)
			f->v[to].target_of = true;
	}
	return 0;
}

int flow_init(struct flow *f, const struct insn_code *code)
{
	uint64_t *targets = NULL;
	int err;

	memset(f, 0, sizeof(*f));
	err = decode(code, f, &targets);
	if (!err)
		err = f->n ? link_targets(f, targets) : -1;
	free(targets);
	if (err)
		flow_fini(f);
	return err;
}

void flow_fini(struct flow *f)
{
	free(f->v);
	memset(f, 0, sizeof(*f));
}

/* Instructions being reached. */
struct reaching {
	const struct flow *f;
	const uint8_t *closed;
	uint8_t *reached;
	uint32_t *stack;
	size_t n;
	bool anywhere;		/* all that a table can lead to has been reached */
};

static void reach(struct reaching *r, size_t i)
{
	if (i >= r->f->n || r->reached[i] || r->closed[i])
		return;
	r->reached[i] = 1;
	r->stack[r->n++] = (uint32_t)i;
}

/* Where a table can lead: to what nothing runs into, and to what others jump to. */
static void reach_anywhere(struct reaching *r)
{
	const struct flow *f = r->f;

	if (r->anywhere)
		return;
	r->anywhere = true;
	for (size_t i = 1; i < f->n; i++)
		if (f->v[i].target_of || !f->v[i - 1].falls || f->v[i - 1].branch)
			reach(r, i);
}

static void follow(struct reaching *r, size_t i)
{
	const struct flow_insn *insn = &r->f->v[i];

	if (insn->falls)
		reach(r, i + 1);
	if (insn->jumps)
		reach(r, insn->target);
	if (insn->anywhere)
		reach_anywhere(r);
}

void flow_reach(const struct flow *f, size_t from, const uint8_t *closed, uint8_t *reached,
		uint32_t *stack)
{
	struct reaching r = { .f = f, .closed = closed, .reached = reached, .stack = stack };

	memset(reached, 0, f->n);
	if (from == SIZE_MAX)
		reach(&r, 0);
	else
		follow(&r, from);
	while (r.n)
		follow(&r, r.stack[--r.n]);
}
