/* SPDX-License-Identifier: GPL-2.0 */
/* The variables in scope at an instruction, and their places. */
#ifndef GOPROBE_COMPILE_SCOPE_H
#define GOPROBE_COMPILE_SCOPE_H

#include "base/arena.h"
#include "gobin/abi.h"
#include "gobin/gobin.h"

/* Where a variable is. */
struct scope_place {
	bool memory;			/* it is in one piece of memory, at @at, else in @parts */
	/* @at is a link-time address, else it counts from SP at the function's entry. */
	bool is_static;
	int64_t at;			/* see @memory */
	const struct abi_part *parts;	/* its parts; bytes of no part are nowhere */
	size_t nparts;			/* their number */
	bool moved;			/* that is only a pointer to it: it was moved to the heap */
};

/* The variables of an instruction. */
struct goscope {
	/*
	 * Its parameters are the variables, each name once: the innermost call's first; a variable
	 * that is nowhere is unavailable, @sig.incomplete says why none is known.
	 */
	struct gosig sig;
	size_t own;				/* how many of them are of the innermost call */
	const struct scope_place *places;	/* of each of them */
};

/*
 * The variables at the instruction at @vaddr of @fn; lives in @mem. With @inlined it is meant as
 * the beginning of that function, which was inlined there, and @own are its parameters. NULL
 * without memory.
 */
const struct goscope *scope_make(struct gobin *bin, const struct gofunc *fn, uint64_t vaddr,
				 const char *inlined, struct arena *mem);

/* Why something is not there that is in the source (static string). */
extern const char goscope_nowhere[];
/* Are all bytes of a value of type @t that begins at @at among the @n @parts? */
bool scope_covers(const struct abi_part *parts, size_t n, uint64_t at,
		  const struct gotype *t);

#endif
