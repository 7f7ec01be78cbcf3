/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Line tables of debug information, versions 2 to 5: which instruction begins which
 * statement. Trusts nothing: what is damaged ends a walk.
 */
#ifndef GOPROBE_DWARF_LINE_H
#define GOPROBE_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/die.h"

/* A row of the table. */
struct line_row {
	uint64_t vaddr;		/* link-time address of an instruction */
	uint32_t line;		/* its line */
	uint32_t file;		/* number of its file, for @wanted */
	bool stmt;		/* a statement begins there */
	bool prologue_end;	/* the function's own code begins there */
};

/* Is a file wanted, whose name is @dir, "/" and @name, or @name if @dir is NULL? */
typedef bool (*line_file_fn)(void *ctx, const char *dir, const char *name);
/* Called for each row of a file that is wanted; a value other than 0 ends the walk. */
typedef int (*line_row_fn)(void *ctx, const struct line_row *row);

/*
 * Walk the table of the unit with first entry @root. Returns @row's last result; -1 without
 * memory.
 */
int line_walk(struct die *r, const struct dwdie *root, line_file_fn file,
	      line_row_fn row, void *ctx);

#endif
