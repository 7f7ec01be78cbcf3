// SPDX-License-Identifier: GPL-2.0
/*
 * Analysis of how a closure's code uses the closure. It answers two questions.
 *
 * How is a variable captured? The compiler calls a variable "&x" if the closure addresses it,
 * although it may be kept by value (cmd/compile/internal/ssagen, "captured by value"). The code
 * takes the address of a variable kept by value, with LEA or ADD, and loads the address of one
 * kept by reference.
 *
 * Has the closure captured more than debug information says?
 */
#include <stdbool.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "x86/captured.h"

/* What is captured is looked up at the beginning. */
#define INSNS_MAX 400
#define SLOTS_MAX 8

/* Where the closure's address is: in registers, and in the stack's words at RSP + slot. */
struct holders {
	bool reg[ZYDIS_REGISTER_MAX_VALUE + 1];
	int64_t slot[SLOTS_MAX];
	size_t nslots;
};

static ZydisRegister whole(ZydisRegister reg)
{
	return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
}

static bool is_slot(const struct holders *h, const ZydisDecodedOperand *o)
{
	if (o->mem.base != ZYDIS_REGISTER_RSP || o->mem.index != ZYDIS_REGISTER_NONE)
		return false;
	for (size_t i = 0; i < h->nslots; i++)
		if (h->slot[i] == o->mem.disp.value)
			return true;
	return false;
}

/* Does the instruction make its first operand the closure's address? */
static bool copies(const struct holders *h, const ZydisDecodedInstruction *in,
		   const ZydisDecodedOperand *op)
{
	if (in->mnemonic != ZYDIS_MNEMONIC_MOV || in->operand_width != 64)
		return false;
	return op[1].type == ZYDIS_OPERAND_TYPE_REGISTER ? h->reg[op[1].reg.value] :
	       op[1].type == ZYDIS_OPERAND_TYPE_MEMORY && is_slot(h, &op[1]);
}

/* What @o is written to is the closure's address no more. */
static void forget(struct holders *h, const ZydisDecodedOperand *o)
{
	int64_t from = o->mem.disp.value, to = from + o->size / 8;
	size_t n = 0;

	if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
		h->reg[whole(o->reg.value)] = false;
	if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.base != ZYDIS_REGISTER_RSP)
		return;
	for (size_t i = 0; i < h->nslots; i++)
		if (to <= h->slot[i] || h->slot[i] + 8 <= from)
			h->slot[n++] = h->slot[i];
	h->nslots = n;
}

static void follow(struct holders *h, const ZydisDecodedInstruction *in,
		   const ZydisDecodedOperand *op)
{
	bool copy = copies(h, in, op);

	if (in->meta.category == ZYDIS_CATEGORY_CALL)
		memset(h->reg, 0, sizeof(h->reg));
	for (int i = 0; i < in->operand_count; i++)
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			forget(h, &op[i]);
	if (!copy)
		return;
	if (op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		h->reg[op[0].reg.value] = true;
	else if (op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && op[0].mem.base == ZYDIS_REGISTER_RSP &&
		 op[0].mem.index == ZYDIS_REGISTER_NONE && h->nslots < SLOTS_MAX)
		h->slot[h->nslots++] = op[0].mem.disp.value;
}

/*
 * A function's instructions, from its entry on: one way through it, on which no branch is taken,
 * until it leaves. @closure is what has its address before the current one.
 */
struct way {
	ZydisDecoder decoder;
	struct holders closure;
	ZydisDecodedInstruction in;
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	const uint8_t *code;
	size_t len;
	int n;
};

static bool begin(struct way *w, const uint8_t *code, size_t len)
{
	*w = (struct way){ .code = code, .len = len };
	w->closure.reg[ZYDIS_REGISTER_RDX] = true;
	return code && ZYAN_SUCCESS(ZydisDecoderInit(&w->decoder, ZYDIS_MACHINE_MODE_LONG_64,
						     ZYDIS_STACK_WIDTH_64));
}

static bool next(struct way *w)
{
	if (w->n) {
		if (w->in.meta.category == ZYDIS_CATEGORY_RET ||
		    w->in.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
			return false;
		follow(&w->closure, &w->in, w->op);
		w->code += w->in.length;
		w->len -= w->in.length;
	}
	return w->n++ < INSNS_MAX && w->len &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&w->decoder, w->code, w->len, &w->in, w->op));
}

/* Operand @i is at *@offset of the closure, or is added to its address. */
static bool is_in_closure(const struct way *w, int i, uint64_t *offset)
{
	const ZydisDecodedOperand *o = &w->op[i];

	if (o->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		*offset = (uint64_t)o->mem.disp.value;
		return w->closure.reg[o->mem.base];
	}
	*offset = o->imm.value.u;
	return o->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && w->in.mnemonic == ZYDIS_MNEMONIC_ADD &&
	       w->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       w->in.operand_width == 64 && w->closure.reg[w->op[0].reg.value];
}

/* A single load of a word is of an address. */
static bool is_load(const struct way *w, int i)
{
	return w->in.mnemonic == ZYDIS_MNEMONIC_MOV && w->in.operand_width == 64 && i == 1 &&
	       w->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
	       w->op[i].mem.index == ZYDIS_REGISTER_NONE;
}

enum captured captured_how(const uint8_t *code, size_t len, uint64_t offset)
{
	struct way w;
	uint64_t at;

	if (!begin(&w, code, len))
		return CAPTURED_UNKNOWN;
	while (next(&w))
		for (int i = 0; i < w.in.operand_count_visible; i++)
			if (is_in_closure(&w, i, &at) && at == offset)
				return is_load(&w, i) ? CAPTURED_REFERENCE : CAPTURED_VALUE;
	return CAPTURED_UNKNOWN;
}

static bool is_known(const struct captured_span *v, size_t n, uint64_t at)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].from <= at && at < v[i].to)
			return true;
	return false;
}

bool captured_outside(const uint8_t *code, size_t len, const struct captured_span *v, size_t n)
{
	struct way w;
	uint64_t at;

	if (!begin(&w, code, len))
		return false;
	while (next(&w))
		for (int i = 0; i < w.in.operand_count_visible; i++)
			if (is_in_closure(&w, i, &at) && !is_known(v, n, at))
				return true;
	return false;
}
