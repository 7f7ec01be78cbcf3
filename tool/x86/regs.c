// SPDX-License-Identifier: GPL-2.0
/* Registers of x86-64, by their DWARF numbers: System V psABI, figure 3.36. */
#include <string.h>

#include "x86/regs.h"

const char goreg_pc[] =
	"$rip";

const struct goreg_name goreg_names[GOREG_NAMES] = {
	{ "$rax", 0 }, { "$rbx", 3 }, { "$rcx", 2 }, { "$rdx", 1 },
	{ "$rsi", 4 }, { "$rdi", 5 }, { "$rbp", 6 }, { "$rsp", 7 },
	{ "$r8", 8 }, { "$r9", 9 }, { "$r10", 10 }, { "$r11", 11 },
	{ "$r12", 12 }, { "$r13", 13 }, { "$r14", 14 }, { "$r15", 15 },
	{ "$xmm0", 17 }, { "$xmm1", 18 }, { "$xmm2", 19 }, { "$xmm3", 20 },
	{ "$xmm4", 21 }, { "$xmm5", 22 }, { "$xmm6", 23 }, { "$xmm7", 24 },
	{ "$xmm8", 25 }, { "$xmm9", 26 }, { "$xmm10", 27 }, { "$xmm11", 28 },
	{ "$xmm12", 29 }, { "$xmm13", 30 }, { "$xmm14", 31 }, { "$xmm15", 32 },
	{ "$sp", 7 }, { "$fp", 6 }, { "$pc", GOREG_PC }, { goreg_pc, GOREG_PC },
};

const struct goreg_name *goreg_find(const char *name)
{
	for (size_t i = 0; i < GOREG_NAMES; i++)
		if (!strcmp(goreg_names[i].name, name))
			return &goreg_names[i];
	return NULL;
}
