/* SPDX-License-Identifier: GPL-2.0 */
/* Names of registers, by architecture. */
#ifndef GOPROBE_X86_REGS_H
#define GOPROBE_X86_REGS_H

#include <stddef.h>
#include <stdint.h>

/* DWARF numbers. */
#define GOREG_RDX 1
#define GOREG_RBX 3
/* What has the closure's address when its code is entered. */
#define GOREG_CLOSURE GOREG_RDX
/* goreg_name.reg of the program counter, which is no register that a piece can name. */
#define GOREG_PC 0xfe

/**
 * struct goreg_name - a name
 * @name: with its '$'
 * @reg: DWARF number, or GOREG_PC
 */
struct goreg_name {
	const char *name;
	uint8_t reg;
};

#define GOREG_NAMES 36
extern const struct goreg_name goreg_names[GOREG_NAMES];

/* NULL if there is no such register. */
const struct goreg_name *goreg_find(const char *name);

/* The integer registers, in the order in which they are shown. */
#define GOREG_INTS 16
extern const struct goreg_name goreg_ints[GOREG_INTS];
/* What the program counter is called there. */
extern const char goreg_pc[];

#endif
