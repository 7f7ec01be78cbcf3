/* SPDX-License-Identifier: GPL-2.0 */
/* The stack check that most Go functions begin with. Part of insn. */
#ifndef GOPROBE_X86_STACK_CHECK_H
#define GOPROBE_X86_STACK_CHECK_H

#include <Zydis/Zydis.h>

#include "x86/insn.h"

/* A stack check. */
struct stack_check {
	struct insn_point branch;	/* the JBE that is taken when the stack is too small */
	uint32_t grows;			/* where it leads to, from the function's entry */
	/*
	 * Where the function goes on after morestack, if that path keeps no argument that is in a
	 * register: the function uses none of them; from its entry, else 0.
	 */
	uint32_t again;
	bool abi0;	/* g was loaded from TLS: the function takes its arguments on the stack */
};

/* 0, or -1 if the function does not begin with one of the known forms. */
int stack_check_find(const struct insn_code *c, const ZydisDecoder *dec,
		     struct stack_check *ret);

#endif
