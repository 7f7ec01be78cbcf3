// SPDX-License-Identifier: GPL-2.0
/* Descriptions of the instructions under breakpoints. */
#include <Zydis/Zydis.h>
#include <stdio.h>

#include "x86/insn.h"

static const char unknown[] = "not decoded";

static bool decode(const uint8_t *code, size_t len, ZydisDecodedInstruction *in,
		   ZydisDecodedOperand *op)
{
	ZydisDecoder dec;

	return ZYAN_SUCCESS(ZydisDecoderInit(&dec, ZYDIS_MACHINE_MODE_LONG_64,
					     ZYDIS_STACK_WIDTH_64)) &&
	       ZYAN_SUCCESS(ZydisDecoderDecodeFull(&dec, code, len, in, op));
}

void insn_text(const uint8_t *code, size_t len, uint64_t vaddr, char *to)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;
	ZydisFormatter f;

	if (!decode(code, len, &in, op) ||
	    ZYAN_FAILED(ZydisFormatterInit(&f, ZYDIS_FORMATTER_STYLE_INTEL)) ||
	    ZYAN_FAILED(ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_ADDR_PADDING_ABSOLUTE,
						  ZYDIS_PADDING_DISABLED)) ||
	    ZYAN_FAILED(ZydisFormatterSetProperty(&f, ZYDIS_FORMATTER_PROP_HEX_UPPERCASE,
						  ZYAN_FALSE)) ||
	    ZYAN_FAILED(ZydisFormatterFormatInstruction(&f, &in, op,
							in.operand_count_visible, to,
							INSN_TEXT_MAX, vaddr, NULL)))
		snprintf(to, INSN_TEXT_MAX, "%s", unknown);
}

static const char *why_operand(const ZydisDecodedOperand *op)
{
	const ZydisMemoryOperandType mem = ZYDIS_MEMOP_TYPE_MEM;

	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    ZydisRegisterGetClass(op->reg.value) >= ZYDIS_REGCLASS_X87)
		return "floating point or vectors";
	if (op->type == ZYDIS_OPERAND_TYPE_REGISTER && op->reg.value == ZYDIS_REGISTER_RSP &&
	    op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		return "changes SP";
	if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.type != mem)
		return NULL;
	if (op->mem.segment == ZYDIS_REGISTER_FS || op->mem.segment == ZYDIS_REGISTER_GS)
		return "thread-local storage";
	if (op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
		return "writes memory";
	return NULL;
}

const char *insn_why_stepped(const uint8_t *code, size_t len)
{
	ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction in;

	if (!decode(code, len, &in, op))
		return unknown;
	if (in.meta.category == ZYDIS_CATEGORY_UNCOND_BR)
		return "an indirect jump";
	for (int i = 0; i < in.operand_count_visible; i++) {
		const char *why = why_operand(&op[i]);

		if (why)
			return why;
	}
	return "not a simple instruction";
}
