/* SPDX-License-Identifier: GPL-2.0 */
/* Where recipes are: the user's folder, and the one that was installed. */
#ifndef GOPROBE_RECIPE_SHELF_H
#define GOPROBE_RECIPE_SHELF_H

#include "recipe/recipe.h"

/* The folders; a recipe of the first one replaces another of its name. NULL: not known. */
struct shelf {
	char *own;		/* of the user who called */
	char *installed;	/* beside the program */
};

void shelf_init(struct shelf *s);
void shelf_fini(struct shelf *s);
/* Read the recipe called @name; or, if that has a slash, the file. 0, or -1 with @d set. */
int shelf_read(const struct shelf *s, const char *name, struct recipe *r, struct diag *d);
/* The names of all recipes, in order, each once. 0, or -1 without memory. */
struct shelf_names {
	char **v;	/* the names */
	size_t n;	/* their number */
	size_t cap;	/* capacity of @v */
};

int shelf_names(const struct shelf *s, struct shelf_names *ret);
/* A line for each recipe, and where they are. */
void shelf_put_list(struct buf *b);
void shelf_names_fini(struct shelf_names *names);

#endif
