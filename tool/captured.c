// SPDX-License-Identifier: GPL-2.0
/*
 * How a closure keeps a captured variable, by the closure's code. The compiler calls a variable
 * "&x" if the closure addresses it, although it may be kept by value
 * (cmd/compile/internal/ssagen, "captured by value"). The code tells: it takes the address
 * of what is kept by value, with LEA, and loads the address of what is kept by reference.
 */
#include <stdbool.h>
#include <string.h>
#include <Zydis/Zydis.h>

#include "captured.h"

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

static void follow(struct holders *h, const ZydisDecodedInstruction *in,
		   const ZydisDecodedOperand *op)
{
	bool copy = copies(h, in, op);

	if (in->meta.category == ZYDIS_CATEGORY_CALL)
		memset(h->reg, 0, sizeof(h->reg));
	for (int i = 0; i < in->operand_count; i++)
		if (op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			h->reg[whole(op[i].reg.value)] = false;
	if (!copy)
		return;
	if (op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
		h->reg[op[0].reg.value] = true;
	else if (op[0].type == ZYDIS_OPERAND_TYPE_MEMORY && !is_slot(h, &op[0]) &&
		 op[0].mem.base == ZYDIS_REGISTER_RSP && h->nslots < SLOTS_MAX)
		h->slot[h->nslots++] = op[0].mem.disp.value;
}

/* "ADD offset, register", in place of LEA. */
static bool adds(const struct holders *h, const ZydisDecodedInstruction *in,
		 const ZydisDecodedOperand *op, uint64_t offset)
{
	return in->mnemonic == ZYDIS_MNEMONIC_ADD && in->operand_width == 64 &&
	       op[0].type == ZYDIS_OPERAND_TYPE_REGISTER && h->reg[op[0].reg.value] &&
	       op[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && op[1].imm.value.u == offset;
}

/* What the instruction does with the variable, if it does anything. */
static enum captured use(const struct holders *h, const ZydisDecodedInstruction *in,
			 const ZydisDecodedOperand *op, uint64_t offset)
{
	if (adds(h, in, op, offset))
		return CAPTURED_VALUE;
	for (int i = 0; i < in->operand_count_visible; i++) {
		const ZydisDecodedOperand *o = &op[i];

		if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || !h->reg[o->mem.base] ||
		    (uint64_t)o->mem.disp.value != offset)
			continue;
		/* A single load of a word is of an address. */
		return in->mnemonic == ZYDIS_MNEMONIC_MOV && in->operand_width == 64 && i == 1 &&
		       o->mem.index == ZYDIS_REGISTER_NONE ? CAPTURED_REFERENCE : CAPTURED_VALUE;
	}
	return CAPTURED_UNKNOWN;
}

enum captured captured_how(const uint8_t *code, size_t len, uint64_t offset)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	struct holders h = { .reg[ZYDIS_REGISTER_RDX] = true };
	ZydisDecodedInstruction in;
	ZydisDecoder dec;
	enum captured how;

	if (!code || ZYAN_FAILED(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
						  ZYDIS_STACK_WIDTH_64)))
		return CAPTURED_UNKNOWN;
	for (int n = 0; n < INSNS_MAX && len; n++) {
		if (ZYAN_FAILED(ZydisDecoderDecodeFull(&dec, code, len, &in, op)))
			break;
		how = use(&h, &in, op, offset);
		if (how)
			return how;
		if (in.meta.category == ZYDIS_CATEGORY_RET ||
		    in.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
			break;
		follow(&h, &in, op);
		code += in.length;
		len -= in.length;
	}
	return CAPTURED_UNKNOWN;
}
