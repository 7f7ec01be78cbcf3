/* SPDX-License-Identifier: GPL-2.0 */
/* The variables in scope at an instruction, and their places. */
#ifndef GOPROBE_COMPILE_SCOPE_H
#define GOPROBE_COMPILE_SCOPE_H

#include "base/arena.h"
#include "gobin/abi.h"
#include "gobin/gobin.h"

/**
 * struct goscope_place - where a variable is
 * @memory: it is in one piece of memory, at @at, else in @parts
 * @is_static: @at is a link-time address, else it counts from SP at the function's entry
 * @at: see @memory
 * @parts: its parts; bytes of no part are nowhere
 * @nparts: their number
 * @moved: that is only a pointer to it: it was moved to the heap
 */
struct goscope_place {
	bool memory;
	bool is_static;
	int64_t at;
	const struct goabi_part *parts;
	size_t nparts;
	bool moved;
};

/**
 * struct goscope - the variables of an instruction
 * @sig: its parameters are the variables, each name once: the innermost call's first; a
 *	variable that is nowhere is unavailable, @sig.incomplete says why none is known
 * @own: how many of them are of the innermost call
 * @places: of each of them
 */
struct goscope {
	struct gosig sig;
	size_t own;
	const struct goscope_place *places;
};

/*
 * The variables at the instruction at @vaddr of @fn; lives in @mem. With @inlined it is meant as
 * the beginning of that function, which was inlined there, and @own are its parameters. NULL
 * without memory.
 */
const struct goscope *goscope_make(struct gobin *bin, const struct gofunc *fn, uint64_t vaddr,
				   const char *inlined, struct arena *mem);

/* Why something is not there that is in the source (static string). */
extern const char goscope_nowhere[];
/* Are all bytes of a value of type @t that begins at @at among the @n @parts? */
bool goscope_covers(const struct goabi_part *parts, size_t n, uint64_t at,
		    const struct gotype *t);

#endif
