/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Go's calling convention: registers and stack slots of arguments and results
 * (amd64), by src/cmd/compile/abi-internal.md. Pure.
 */
#ifndef GOPROBE_GOBIN_ABI_H
#define GOPROBE_GOBIN_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gobin/gobin.h"
#include "x86/regs.h"

#define ABI_INT_REGS REGS_INT_ARGS
#define ABI_FLOAT_REGS REGS_FLOAT_ARGS
#define ABI_PARTS_MAX (ABI_INT_REGS + ABI_FLOAT_REGS)

/* One register's share of a value. */
struct abi_part {
	uint8_t reg;	/* DWARF number: RAX is 0, X0 is 17 */
	bool is_float;	/* an XMM register */
	/*
	 * It is no register but memory, at @stack: never in calls, where a value is in registers or
	 * on the stack as a whole.
	 */
	bool on_stack;
	bool guessed;	/* the program has it nowhere; it is one that it can have */
	uint32_t size;	/* bytes: 1, 2, 4, 8; of memory any number */
	uint32_t at;	/* where they belong in the value */
	int64_t stack;	/* from SP at function entry */
};

/* Where one argument or result is. */
struct abi_value {
	bool on_stack;	/* in memory, at @stack; else in registers */
	uint32_t stack;	/* from SP at function entry (the return address is at 0) */
	uint8_t part;	/* its first one in goabi_call.parts */
	uint8_t nparts;	/* their number; 0 for values without bytes */
};

/* The arguments or the results of a call. */
struct abi_side {
	/* In the order of the signature; the caller's array, large enough for all. */
	struct abi_value *values;
	struct abi_part parts[ABI_PARTS_MAX];	/* what is in registers */
	size_t nparts;					/* their number */
};

struct abi_call {
	struct abi_side params;
	struct abi_side results;
	struct abi_value dict;	/* gosig.dict: among the params' parts */
	/*
	 * Bytes of stack arguments, stack results and the registers' spill
	 * area: what the line table says in _func.args if the signature is
	 * right.
	 */
	uint32_t args_bytes;
};

/* What a dictionary is passed as. */
extern const struct gotype goabi_dictionary;

/**
 * abi_assign() - apply the convention to a signature
 * @sig: signature
 * @abi0: everything is on the stack (assembly, and all of Go before 1.17)
 * @ret: filled; @params.values and @results.values are the caller's arrays
 *
 * Return: 0, or -1 if the values are too large to be addressed.
 */
int abi_assign(const struct gosig *sig, bool abi0, struct abi_call *ret);

/* The registers that results can be in: 1 << N for register N of DWARF. */
uint64_t abi_result_registers(void);

#endif
