/* SPDX-License-Identifier: GPL-2.0 */
/* Names of registers, by architecture. */
#ifndef GOPROBE_X86_REGS_H
#define GOPROBE_X86_REGS_H

#include <stddef.h>
#include <stdint.h>

/* DWARF numbers. */
#define REGS_RDX 1
#define REGS_RBX 3
#define REGS_XMM0 17
/* The closure's address at the entry of its code. */
#define REGS_CLOSURE REGS_RDX
/* What Go passes arguments and results in: integers in these, in their order, floats in X0-X14. */
#define REGS_INT_ARGS 9
#define REGS_FLOAT_ARGS 15
extern const uint8_t goreg_int_args[REGS_INT_ARGS];
/* goreg_name.reg of the program counter, which a DWARF piece cannot name. */
#define REGS_PC 0xfe

/* A name. */
struct regs_name {
	const char *name;	/* with its '$' */
	uint8_t reg;		/* DWARF number, or REGS_PC */
};

/* All names; the first REGS_INTS are the integer registers, in the order of output. */
#define REGS_NAMES 36
#define REGS_INTS 16
extern const struct regs_name goreg_names[REGS_NAMES];

/* NULL if there is no such register. */
const struct regs_name *regs_find(const char *name);

/* DWARF number of the register @zydis (enum ZydisRegister_), or of what it is part of; or -1. */
int regs_of(int zydis);

/* The program counter's name in output. */
extern const char goreg_pc[];

#endif
