/* SPDX-License-Identifier: GPL-2.0 */
/* A command line of a recipe, for one program: the words of it that are of use there. */
#ifndef GOPROBE_CMD_RECIPE_LINE_H
#define GOPROBE_CMD_RECIPE_LINE_H

#include "cmd/cmd.h"
#include "process/target.h"
#include "recipe/recipe.h"

/* The command of the line; NULL with @d set, if recipes may not run it. */
const struct cmd *recipe_line_command(const struct recipe *r, const struct recipe_line *line,
				      struct diag *d);

/* What a line becomes. A zeroed one is empty. */
struct recipe_line_made {
	const struct cmd *cmd;		/* its command */
	char **argv;			/* all words, those of the user behind; ends with NULL */
	size_t argc;			/* their number */
	bool quiet;			/* -q is among them */
	bool applies;			/* the program has something that it asks for */
	const char **lacks;		/* what it asks for and the program lacks */
	size_t nlacks;			/* their number */
};

/*
 * Make a command of @line and of @user, @n words that follow. @t becomes its target, unless it is
 * one already. All of @ret is in @mem. CMD_DONE, or another CMD_* with @d set.
 */
int recipe_line_make(const struct recipe *r, const struct recipe_line *line, char **user, size_t n,
		     struct target *t, struct arena *mem, struct recipe_line_made *ret,
		     struct diag *d);

#endif
