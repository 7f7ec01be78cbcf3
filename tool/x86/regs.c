// SPDX-License-Identifier: GPL-2.0
/* Registers of x86-64, by their DWARF numbers: System V psABI, figure 3.36. */
#include <string.h>

#include <Zydis/Zydis.h>

#include "x86/regs.h"

const char goreg_pc[] =
	"$rip";

/* RAX RBX RCX RDI RSI R8 R9 R10 R11 */
const uint8_t goreg_int_args[REGS_INT_ARGS] = { 0, 3, 2, 5, 4, 8, 9, 10, 11 };

const struct regs_name goreg_names[REGS_NAMES] = {
	{ "$rax", 0 }, { "$rbx", 3 }, { "$rcx", 2 }, { "$rdx", 1 },
	{ "$rsi", 4 }, { "$rdi", 5 }, { "$rbp", 6 }, { "$rsp", 7 },
	{ "$r8", 8 }, { "$r9", 9 }, { "$r10", 10 }, { "$r11", 11 },
	{ "$r12", 12 }, { "$r13", 13 }, { "$r14", 14 }, { "$r15", 15 },
	{ "$xmm0", 17 }, { "$xmm1", 18 }, { "$xmm2", 19 }, { "$xmm3", 20 },
	{ "$xmm4", 21 }, { "$xmm5", 22 }, { "$xmm6", 23 }, { "$xmm7", 24 },
	{ "$xmm8", 25 }, { "$xmm9", 26 }, { "$xmm10", 27 }, { "$xmm11", 28 },
	{ "$xmm12", 29 }, { "$xmm13", 30 }, { "$xmm14", 31 }, { "$xmm15", 32 },
	{ "$sp", 7 }, { "$fp", 6 }, { "$pc", REGS_PC }, { goreg_pc, REGS_PC },
};

const struct regs_name *regs_find(const char *name)
{
	for (size_t i = 0; i < REGS_NAMES; i++)
		if (!strcmp(goreg_names[i].name, name))
			return &goreg_names[i];
	return NULL;
}

int regs_of(int zydis)
{
	static const ZydisRegister ints[] = {
		ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_RDX, ZYDIS_REGISTER_RCX, ZYDIS_REGISTER_RBX,
		ZYDIS_REGISTER_RSI, ZYDIS_REGISTER_RDI, ZYDIS_REGISTER_RBP, ZYDIS_REGISTER_RSP,
		ZYDIS_REGISTER_R8, ZYDIS_REGISTER_R9, ZYDIS_REGISTER_R10, ZYDIS_REGISTER_R11,
		ZYDIS_REGISTER_R12, ZYDIS_REGISTER_R13, ZYDIS_REGISTER_R14, ZYDIS_REGISTER_R15,
	};
	ZydisRegister reg;

	if (zydis >= ZYDIS_REGISTER_XMM0 && zydis <= ZYDIS_REGISTER_XMM15)
		return REGS_XMM0 + zydis - ZYDIS_REGISTER_XMM0;
	reg = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, (ZydisRegister)zydis);
	for (int i = 0; i < (int)(sizeof(ints) / sizeof(*ints)); i++)
		if (ints[i] == reg)
			return i;
	return -1;
}
