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

#define GOABI_INT_REGS 9
#define GOABI_FLOAT_REGS 15
#define GOABI_PARTS_MAX (GOABI_INT_REGS + GOABI_FLOAT_REGS)

/**
 * struct goabi_part - one register's share of a value
 * @reg: DWARF number: RAX is 0, X0 is 17
 * @is_float: an XMM register
 * @on_stack: it is no register but memory, at @stack: never in calls, where a value is in
 *	registers or on the stack as a whole
 * @guessed: the program has it nowhere; it is one that it can have
 * @size: bytes: 1, 2, 4, 8; of memory any number
 * @at: where they belong in the value
 * @stack: from SP at function entry
 */
struct goabi_part {
	uint8_t reg;
	bool is_float;
	bool on_stack;
	bool guessed;
	uint32_t size;
	uint32_t at;
	int64_t stack;
};

/**
 * struct goabi_value - where one argument or result is
 * @on_stack: in memory, at @stack; else in registers
 * @stack: from SP at function entry (the return address is at 0)
 * @part: its first one in goabi_call.parts
 * @nparts: their number; 0 for values without bytes
 */
struct goabi_value {
	bool on_stack;
	uint32_t stack;
	uint8_t part;
	uint8_t nparts;
};

/**
 * struct goabi_side - the arguments or the results of a call
 * @values: in the order of the signature; the caller's array, large enough for all
 * @parts: what is in registers
 * @nparts: their number
 */
struct goabi_side {
	struct goabi_value *values;
	struct goabi_part parts[GOABI_PARTS_MAX];
	size_t nparts;
};

struct goabi_call {
	struct goabi_side params;
	struct goabi_side results;
	struct goabi_value dict;	/* gosig.dict: among the params' parts */
	/*
	 * Bytes of stack arguments, stack results and the registers' spill
	 * area: what the line table says in _func.args if the signature is
	 * right.
	 */
	uint32_t args_bytes;
};

/**
 * goabi_assign() - apply the convention to a signature
 * @sig: signature
 * @abi0: everything is on the stack (assembly, and all of Go before 1.17)
 * @ret: filled; @params.values and @results.values are the caller's arrays
 *
 * Return: 0, or -1 if the values are too large to be addressed.
 */
int goabi_assign(const struct gosig *sig, bool abi0, struct goabi_call *ret);

/* The registers that results can be in: 1 << N for register N of DWARF. */
uint64_t goabi_result_registers(void);

#endif
