/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbolizer: names of the calls at an address of a Go program, inlined ones included, in
 * stripped programs, too. Each address is looked up once.
 */
#ifndef GOPROBE_GOBIN_SYMBOLS_H
#define GOPROBE_GOBIN_SYMBOLS_H

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

/* The places of one file. */
struct symbols {
	struct gobin *bin;	/* it, or NULL: nothing is known of its functions */
	/* What it is called where no function's name is known, "/bin/shop"; or NULL. */
	const char *name;
	struct arena mem;	/* where the places are kept */
	struct hmap by_pc;	/* those that have been looked up */
};

/* A place in code. Of a place that is in no Go function there is one frame, whose name is NULL. */
struct symbol {
	const struct symbols *of;	/* the file */
	/* Link-time address: of the call (of its last byte) if a return address was asked. */
	uint64_t pc;
	uint64_t entry;	/* of the function whose code it is, or 0 */
	/* Calls at this place, innermost first; all but the last one are inlined. */
	const struct gobin_frame *frames;
	size_t n;	/* their number; 0: they are all wrappers, and nobody wants to see these */
	unsigned int caller;	/* SYMBOL_* for the address that this one's function returns to */
	/* A hash, equal for places that read the same: functions, files and lines. */
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
