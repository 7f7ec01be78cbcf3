/* SPDX-License-Identifier: GPL-2.0 */
/* Breakpoints, and how the instructions below them are executed: lines of "list --points". */
#ifndef GOPROBE_OUTPUT_POINT_LIST_H
#define GOPROBE_OUTPUT_POINT_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "gobin/gobin.h"
#include "plan/place.h"
#include "x86/insn.h"

/* What the module says about carrying out instructions. */
enum point_list_ability {
	POINT_LIST_NOT_ASKED,	/* the module can't be asked */
	POINT_LIST_UNABLE,
	POINT_LIST_ABLE,
};

/* All points of a list. */
struct point_list_total {
	size_t funcs;				/* functions that can be probed */
	size_t refused;				/* functions that can't */
	size_t no_insns;			/* instructions that can't */
	size_t n[INSN_HOW_EMULATED + 1];	/* points, by how they are executed */
};

void point_list_header(struct buf *b);
/* The points of a function; none if it can't be probed. Counts them in @total. */
void point_list_function(struct buf *b, struct gobin *bin, const struct gofunc *fn,
			 enum point_list_ability ability, struct point_list_total *total,
			 bool json);
/* Each instruction of a function, whether it can get a breakpoint or not. */
void point_list_instructions(struct buf *b, struct gobin *bin, const struct gofunc *fn,
			     enum point_list_ability ability, struct point_list_total *total,
			     bool json);

/* A single instruction that can get a breakpoint. */
struct point_list_place {
	struct place at;	/* where */
	const char *inlined;	/* a function that begins there, inlined, or NULL */
	const char *caller;	/* of @inlined: who calls it */
	const char *file;	/* source file: of @inlined that of the call; or NULL */
	int line;		/* its line */
};

/*
 * It, if it can be probed: NULL; or why not (static string). Counts it in @total, unless it is
 * there for what was inlined: only --inlined sets that.
 */
const char *point_list_place(struct buf *b, const struct point_list_place *place,
			     enum point_list_ability ability, struct point_list_total *total,
			     bool json);
/* The same, but the line says why it can't be probed. */
void point_list_instruction(struct buf *b, const struct point_list_place *place,
			    enum point_list_ability ability, struct point_list_total *total,
			    bool json);
void point_list_end(struct buf *b, const struct point_list_total *total,
		    enum point_list_ability ability, bool json);

#endif
