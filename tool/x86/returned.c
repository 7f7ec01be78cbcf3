// SPDX-License-Identifier: GPL-2.0
/* Analysis of the last writes before a function returns. */
#include <Zydis/Zydis.h>

#include "x86/regs.h"
#include "x86/returned.h"

static uint64_t bit(ZydisRegister reg)
{
	int n = regs_of((int)reg);

	return n < 0 ? 0 : 1ULL << n;
}

/* What the instruction does to @set, the registers that have been set and not used. */
static uint64_t step(uint64_t set, const ZydisDecodedInstruction *in, const ZydisDecodedOperand *op)
{
	uint64_t used = 0, made = 0;

	for (int i = 0; i < in->operand_count; i++) {
		if (op[i].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			used |= bit(op[i].mem.base) | bit(op[i].mem.index);
			continue;
		}
		if (op[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			used |= bit(op[i].reg.value);
		if (op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			made |= bit(op[i].reg.value);
	}
	return (set & ~used) | made;
}

uint64_t returned_registers(const uint8_t *code, size_t len)
{
	const uint64_t frame = bit(ZYDIS_REGISTER_RSP) | bit(ZYDIS_REGISTER_RBP);
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	uint64_t set = 0, ret = 0;
	ZydisDecoder decoder;

	if (!code || ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
						  ZYDIS_STACK_WIDTH_64)))
		return 0;
	while (len && ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, len, &in, op))) {
		code += in.length;
		len -= in.length;
		switch (in.meta.category) {
		case ZYDIS_CATEGORY_RET:
			ret |= set;
			set = 0;
			break;
		case ZYDIS_CATEGORY_CALL:
		case ZYDIS_CATEGORY_COND_BR:
		case ZYDIS_CATEGORY_UNCOND_BR:
			set = 0;
			break;
		default:
			set = step(set, &in, op);
		}
	}
	return ret & ~frame;
}
