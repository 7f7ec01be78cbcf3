// SPDX-License-Identifier: GPL-2.0
/*
 * What a function does when its stack check has failed: it saves its register arguments in the
 * space that its caller has left for them, and calls morestack.
 */
#include "x86/regs.h"
#include "x86/insn_saved.h"
#include "x86/stack_check.h"

/* The return address is between SP and the arguments. */
#define RETURN_ADDRESS 8

size_t insn_saved(const struct insn_code *code, struct insn_saved v[INSN_SAVED_MAX])
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	ZydisDecoder dec;
	struct stack_check p;
	size_t n = 0, at;
	int reg;

	if (!code->bytes ||
	    ZYAN_FAILED(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64)) ||
	    stack_check_find(code, &dec, &p))
		return 0;
	for (at = p.grows; at < code->len; at += in.length) {
		if (ZYAN_FAILED(ZydisDecoderDecodeFull(&dec, code->bytes + at, code->len - at, &in,
						       op)))
			return 0;
		if (in.meta.category == ZYDIS_CATEGORY_CALL)
			return n;
		if (in.mnemonic == ZYDIS_MNEMONIC_NOP)
			continue;
		reg = op[1].type == ZYDIS_OPERAND_TYPE_REGISTER ?
		      regs_of((int)op[1].reg.value) : -1;
		if (n == INSN_SAVED_MAX || reg < 0 || op[0].type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op[0].mem.base != ZYDIS_REGISTER_RSP)
			return 0;
		v[n++] = (struct insn_saved){
			.reg = (uint8_t)reg, .size = (uint8_t)(op[0].size / 8),
			.at = (int32_t)op[0].mem.disp.value - RETURN_ADDRESS,
		};
	}
	return 0;
}
