/* SPDX-License-Identifier: GPL-2.0 */
/* A function's signature from its debug information. Pure. */
#ifndef GOPROBE_GOBIN_SIGNATURE_H
#define GOPROBE_GOBIN_SIGNATURE_H

#include "base/arena.h"
#include "dwarf/dwarf.h"
#include "gotype/arg_info.h"
#include "gobin/gobin.h"
#include "x86/insn_saved.h"

/* What is known about a function beside its parameters. */
struct signature_facts {
	int minor;	/* Go version, 1.@minor */
	bool abi0;	/* everything is passed on the stack */
	int32_t args;	/* bytes of arguments and results by the line table; negative: unknown */
	/* It has the body of a range loop over a function, and no result without a name. */
	bool ranges;
	const uint8_t *code;	/* then its code, or NULL */
	size_t len;	/* bytes of @code */
	/* Before Go 1.22, which does not describe all parameters: see dwblank_call. */
	struct arginfo info;
	const struct insn_saved *saved;
	size_t nsaved;
};

/**
 * signature_build() - signature of a function
 * @mem: where it is kept
 * @df: its debug information
 * @facts: see there
 *
 * The result's places for values add up to what the line table says, or are
 * confirmed by the debug information's own locations; else @incomplete is set.
 *
 * Return: the signature, or NULL if there is no memory.
 */
struct gosig *signature_build(struct arena *mem, const struct dwfunc *df,
			      const struct signature_facts *facts);

/* "func(x int, y int) (z int)"; the receiver is left out; to be freed. */
char *signature_text(const struct gosig *sig);

#endif
