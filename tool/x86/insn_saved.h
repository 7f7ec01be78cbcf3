/* SPDX-License-Identifier: GPL-2.0 */
/* The register arguments that a function saves before its stack grows. Pure. */
#ifndef GOPROBE_X86_INSN_SAVED_H
#define GOPROBE_X86_INSN_SAVED_H

#include "x86/insn.h"

/* Registers that arguments can be in. */
#define INSN_SAVED_MAX 24

/* A part of an argument. */
struct insn_saved {
	uint8_t reg;	/* DWARF number */
	uint8_t size;	/* bytes */
	int32_t at;	/* where it is saved, from the first argument on the stack */
};

/*
 * What the function at @code saves: all of its register arguments, blank ones too, in their order;
 * or none of them, if it uses none. Their number.
 */
size_t insn_saved(const struct insn_code *code, struct insn_saved v[INSN_SAVED_MAX]);

#endif
