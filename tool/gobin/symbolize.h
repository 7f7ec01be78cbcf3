/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbolizer: names of the calls at an address of a Go program, inlined ones included, in
 * stripped programs, too. Each address is looked up once.
 */
#ifndef GOPROBE_GOBIN_SYMBOLIZE_H
#define GOPROBE_GOBIN_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hmap.h"
#include "gobin/gobin.h"

/* What is asked is a return address: the call before it is meant. */
#define SYMBOL_RETURN		(1U << 0)
/* Report wrappers that the compiler made, too. */
#define SYMBOL_WRAPPERS		(1U << 1)

/**
 * struct symbols - the places of one file
 * @bin: it, or NULL: nothing is known of its functions
 * @name: what it is called where no function's name is known, "/bin/shop"; or NULL
 * @mem: where the places are kept
 * @by_pc: those that have been looked up
 */
struct symbols {
	struct gobin *bin;
	const char *name;
	struct arena mem;
	struct hmap by_pc;
};

/**
 * struct symbol - a place in code
 * @of: the file
 * @pc: link-time address: of the call (of its last byte) if a return address was asked
 * @entry: of the function whose code it is, or 0
 * @frames: calls at this place, innermost first; all but the last one are inlined
 * @n: their number; 0: they are all wrappers, and nobody wants to see these
 * @caller: SYMBOL_* for the address that this one's function returns to
 * @looks: a hash, equal for places that read the same: functions, files and lines
 *
 * Of a place that is in no Go function there is one frame, whose name is NULL.
 */
struct symbol {
	const struct symbols *of;
	uint64_t pc;
	uint64_t entry;
	const struct gobin_frame *frames;
	size_t n;
	unsigned int caller;
	uint64_t looks;
};

/* @bin and @name outlive @s. */
void symbols_init(struct symbols *s, struct gobin *bin, const char *name);
void symbols_fini(struct symbols *s);

/**
 * symbols_at() - the place at an address
 * @s: the file that has it
 * @pc: link-time address
 * @how: SYMBOL_*; of a stack: for the innermost address SYMBOL_WRAPPERS, with SYMBOL_RETURN
 *	unless it is where execution is at; for the others symbol.caller of the one before
 *
 * Return: it, the same each time, good until symbols_fini(); NULL without memory.
 */
const struct symbol *symbols_at(struct symbols *s, uint64_t pc, unsigned int how);

#endif
