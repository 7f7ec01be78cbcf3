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

/**
 * struct dwpiece - where a part of a value is
 * @kind: enum dwpiece_kind
 * @reg: of DWPIECE_REG: DWARF number
 * @at: where it belongs in the value
 * @size: bytes; 0: all of the value
 * @offset: of DWPIECE_STACK, from the frame address: SP at the function's entry + 8; of
 *	DWPIECE_STATIC the address
 */
struct dwpiece {
	enum dwpiece_kind kind;
	uint8_t reg;
	uint32_t at;
	uint32_t size;
	int64_t offset;
};

/* More than registers; a value of more pieces is not understood. */
#define DWLOCAL_PIECES_MAX 40

/**
 * struct dwlocal - a variable
 * @name: as DWARF has it; "&x" is a pointer to x, which was moved to the heap
 * @type: its type
 * @param: it is a parameter or a result
 * @level: of inlined calls: 0 for those of the innermost one; the function itself comes last
 * @pieces: where it is
 * @npieces: their number; 0: nowhere
 */
struct dwlocal {
	const char *name;
	const struct gotype *type;
	bool param;
	uint32_t level;
	const struct dwpiece *pieces;
	size_t npieces;
};

/**
 * struct dwscope - what can be seen
 * @v: variables: of the innermost call first, and of one call in the order of their blocks, so
 *	that a later one of two hides the other
 * @n: their number
 */
struct dwscope {
	struct dwlocal *v;
	size_t n;
};

/*
 * The variables of the function at @entry at the instruction at @pc, which is of line @line;
 * 0, or -1 if the function is not described, or there is no memory.
 */
int dwinfo_scope(struct dwinfo *dw, uint64_t entry, uint64_t pc, int line,
		 struct dwscope *ret);

/* As dwline_walk() of all units; the first value other than 0 ends it. */
int dwinfo_lines(struct dwinfo *dw,
		 bool (*file)(void *ctx, const char *dir, const char *name),
		 int (*row)(void *ctx, uint64_t vaddr, int line, bool prologue_end),
		 void *ctx);
/* The end of the prologue of the function at @entry; 0: unknown. */
uint64_t dwinfo_prologue_end(struct dwinfo *dw, uint64_t entry, uint64_t end);

#endif
