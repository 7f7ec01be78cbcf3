/* SPDX-License-Identifier: GPL-2.0 */
/* Control flow of a function: which instructions follow which, and what cannot be moved. Pure. */
#ifndef GOPROBE_X86_FLOW_H
#define GOPROBE_X86_FLOW_H

#include "x86/insn.h"

/* An instruction. */
struct flow_insn {
	uint32_t at;		/* from the function's entry */
	uint32_t len;		/* bytes */
	bool falls;		/* the next one can follow it */
	bool jumps;		/* @target can follow it */
	bool anywhere;		/* it jumps to a target that is not known */
	bool branch;		/* it is a conditional jump */
	bool fused;		/* one whose condition a compiler makes of two comparisons */
	/* It calls, or writes to memory other than the stack: a compiler leaves it where it is. */
	bool effect;
	bool load;		/* it reads memory other than the stack */
	bool target_of;		/* a jump leads to it */
	uint32_t target;	/* index of an instruction */
};

/* Of a function, by rising address. */
struct flow {
	struct flow_insn *v;
	size_t n;
	bool tables;		/* some jump anywhere */
};

/* 0; -1: there is no memory, or the function is not understood. */
int flow_init(struct flow *f, const struct insn_code *code);
void flow_fini(struct flow *f);

/* The index of the instruction at @at; f->n if none begins there. */
size_t flow_find(const struct flow *f, uint64_t at);

/*
 * Which instructions can follow @from, one step or more, without passing those of @closed (by
 * index, 1: closed): @reached[i] becomes 1. With SIZE_MAX: from the entry on, itself included.
 * @stack has space for the indexes of all instructions.
 */
void flow_reach(const struct flow *f, size_t from, const uint8_t *closed, uint8_t *reached,
		uint32_t *stack);

#endif
