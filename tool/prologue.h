/* SPDX-License-Identifier: GPL-2.0 */
/* The stack check that most Go functions begin with. Part of insn. */
#ifndef GOPROBE_PROLOGUE_H
#define GOPROBE_PROLOGUE_H

#include <Zydis/Zydis.h>

#include "insn.h"

/**
 * struct prologue - a stack check
 * @branch: the JBE that is taken when the stack is too small
 * @abi0: g was loaded from TLS: the function takes its arguments on the stack
 */
struct prologue {
	struct insn_point branch;
	bool abi0;
};

/* 0, or -1 if the function does not begin with one of the known forms. */
int prologue_find(const struct insn_code *c, const ZydisDecoder *dec,
		  struct prologue *ret);

#endif
