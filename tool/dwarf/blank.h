/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Places of parameters among others that are not described: before Go 1.22, debug information
 * leaves out those that are blank or have no name. Pure.
 */
#ifndef GOPROBE_DWARF_BLANK_H
#define GOPROBE_DWARF_BLANK_H

#include "base/arena.h"
#include "gotype/arg_info.h"
#include "gotype/type.h"
#include "x86/regs.h"
#include "x86/insn_saved.h"

/* A register's share of a parameter. */
struct blank_part {
	bool is_float;	/* it is a register for floats */
	uint32_t size;	/* bytes */
	uint32_t at;	/* where they belong in the value */
};

/* A parameter that is described. */
struct blank_param {
	const struct gotype *type;	/* its type */
	const struct blank_part *parts;	/* what it takes if it is passed in registers */
	size_t nparts;			/* their number; 0: it is passed on the stack in any case */
	int reg;			/* as dwparam.reg */
	int32_t stack;			/* as dwparam.stack */
};

/* What is known of a function. */
struct blank_call {
	const struct blank_param *params;	/* what is described, in order */
	size_t nparams;				/* their number */
	bool abi0;				/* everything is passed on the stack */
	uint32_t args;		/* bytes of arguments, results and the registers' spill area */
	uint32_t results;	/* those of results on the stack */
	int64_t results_at;	/* where these begin, by the debug information; or -1 */
	struct arginfo info;	/* what tracebacks know of the arguments; without bytes: nothing */
	bool info_skips;	/* but for the first one */
	const struct insn_saved *saved;	/* register arguments, all of them, if any is known */
	size_t nsaved;			/* their number */
};

/* One of the parameters as they really are. */
struct blank_step {
	int param;		/* which of the described ones it is, or -1 */
	unsigned int ints;	/* of one that is not described: registers that it takes */
	unsigned int floats;	/* ... for floats */
	uint32_t stack;		/* ... and bytes of the stack, with what aligns them */
	bool whole;		/* ... and tracebacks describe it: it is one parameter */
	/* Of one on the stack: bytes that are skipped before it, with those that align it. */
	uint32_t gap;
};

/* A list of parameters that agrees with all that is known. */
struct blank_layout {
	const struct blank_step *steps;	/* the parameters in order */
	size_t nsteps;				/* their number */
	uint32_t gap;	/* bytes of the stack behind the last one, with what aligns the results */
	const bool *sure;	/* of each described one: it has its place in all such lists */
	bool results_sure;	/* the results on the stack have */
};

/* Find one. 0; -1: no list agrees, or without memory; 1: there are too many to look at. */
int blank_solve(const struct blank_call *call, struct arena *mem, struct blank_layout *ret);

#endif
