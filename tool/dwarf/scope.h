/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variables in scope at an instruction, and the locations of their values at that moment, by
 * debug information.
 */
#ifndef GOPROBE_DWARF_SCOPE_H
#define GOPROBE_DWARF_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf.h"

enum dwpiece_kind {
	DWPIECE_NONE,		/* nowhere: optimized out */
	DWPIECE_REG,		/* a register */
	DWPIECE_STACK,		/* memory, from the canonical frame address */
	DWPIECE_STATIC,		/* memory at a link-time address */
};

/* Where a part of a value is. */
struct dwpiece {
	enum dwpiece_kind kind;	/* enum dwpiece_kind */
	uint8_t reg;		/* of DWPIECE_REG: DWARF number */
	uint32_t at;		/* where it belongs in the value */
	uint32_t size;		/* bytes; 0: all of the value */
	/*
	 * Of DWPIECE_STACK, from the frame address: SP at the function's entry + 8; of
	 * DWPIECE_STATIC the address.
	 */
	int64_t offset;
};

/* More than registers; a value of more pieces is not understood. */
#define DWLOCAL_PIECES_MAX 40

/* A variable. */
struct dwlocal {
	/* As DWARF has it; "&x" is a pointer to x, which was moved to the heap. */
	const char *name;
	const struct gotype *type;	/* its type */
	bool param;			/* it is a parameter or a result */
	/* Of inlined calls: 0 for those of the innermost one; the function itself comes last. */
	uint32_t level;
	const struct dwpiece *pieces;	/* where it is */
	size_t npieces;			/* their number; 0: nowhere */
	/*
	 * A list of locations says so: then these are only the parts of the value that the function
	 * uses somewhere, and dwpiece.at counts without the others.
	 */
	bool listed;
	/* The same parts at the function's entry, if it is a parameter of the function itself. */
	const struct dwpiece *entry;
	size_t nentry;			/* their number; 0: not known */
};

/* What can be seen. */
struct dwscope {
	/*
	 * Variables: of the innermost call first, and of one call in the order of their blocks, so
	 * that a later one of two hides the other.
	 */
	struct dwlocal *v;
	size_t n;		/* their number */
};

/*
 * The variables of the function at @entry at the instruction at @pc, which is of line @line;
 * 0, or -1 if the function is not described, or there is no memory.
 */
int dwarf_scope(struct dwarf *dw, uint64_t entry, uint64_t pc, int line,
		struct dwscope *ret);

/* As line_walk() of all units; the first value other than 0 ends it. */
int dwarf_lines(struct dwarf *dw,
		bool (*file)(void *ctx, const char *dir, const char *name),
		int (*row)(void *ctx, uint64_t vaddr, int line, bool prologue_end),
		void *ctx);
/* The end of the prologue of the function at @entry; 0: unknown. */
uint64_t dwarf_prologue_end(struct dwarf *dw, uint64_t entry, uint64_t end);

#endif
