/* SPDX-License-Identifier: GPL-2.0 */
/* Recipes: files with a command line of goprobectl, and words that say what it answers. */
#ifndef GOPROBE_RECIPE_RECIPE_H
#define GOPROBE_RECIPE_RECIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"

/* Bytes of a file, command lines in it, and words of one. */
#define RECIPE_BYTES_MAX (64U << 10)
#define RECIPE_LINES_MAX 16
#define RECIPE_WORDS_MAX 64

/* A command line. */
struct recipe_line {
	unsigned int number;	/* where it begins in the file, from 1 on */
	char *words[RECIPE_WORDS_MAX + 1];	/* a command, and what follows it; ends with NULL */
	size_t n;		/* their number, 1 at least */
	bool instead;		/* only where no line before it is of use: it began with "else" */
};

/* A recipe. A zeroed one is empty. recipe_fini() frees it. */
struct recipe {
	struct arena mem;	/* all that it points to */
	const char *path;	/* the file */
	const char *text;	/* all of the file, which plain characters make */
	struct recipe_line lines[RECIPE_LINES_MAX];	/* the best first */
	size_t nlines;		/* their number, 1 at least */
};

/* Read @text, the @len bytes of file @path, which nobody trusts. 0, or -1 with @d set. */
int recipe_parse(struct recipe *r, const char *path, const char *text, size_t len, struct diag *d);
/* The first line of comment: what the recipe answers. */
void recipe_put_summary(const struct recipe *r, struct buf *b);
/* Its text, comments without their marks. */
void recipe_put_text(const struct recipe *r, struct buf *b);
void recipe_fini(struct recipe *r);

#endif
