/* SPDX-License-Identifier: GPL-2.0 */
/* Names of registers, by architecture. */
#ifndef GOPROBE_X86_REGS_H
#define GOPROBE_X86_REGS_H

#include <stddef.h>
#include <stdint.h>

/* DWARF numbers. */
#define GOREG_RDX 1
#define GOREG_RBX 3
#define GOREG_XMM0 17
/* The closure's address at the entry of its code. */
#define GOREG_CLOSURE GOREG_RDX
/* What Go passes arguments and results in: integers in these, in their order, floats in X0-X14. */
#define GOREG_INT_ARGS 9
#define GOREG_FLOAT_ARGS 15
extern const uint8_t goreg_int_args[GOREG_INT_ARGS];
/* goreg_name.reg of the program counter, which a DWARF piece cannot name. */
#define GOREG_PC 0xfe

/* A name. */
struct goreg_name {
	const char *name;	/* with its '$' */
	uint8_t reg;		/* DWARF number, or GOREG_PC */
};

/* All names; the first GOREG_INTS are the integer registers, in the order of output. */
#define GOREG_NAMES 36
#define GOREG_INTS 16
extern const struct goreg_name goreg_names[GOREG_NAMES];

/* NULL if there is no such register. */
const struct goreg_name *goreg_find(const char *name);

/* DWARF number of the register @zydis (enum ZydisRegister_), or of what it is part of; or -1. */
int goreg_of(int zydis);

/* The program counter's name in output. */
extern const char goreg_pc[];

#endif
