/* SPDX-License-Identifier: GPL-2.0 */
/* The order of functions that a search by words finds. */
#ifndef GOPROBE_PLAN_SEARCH_H
#define GOPROBE_PLAN_SEARCH_H

#include <stddef.h>

#include "gobin/gobin.h"

/* Whose code a function is, in the order of likely use. */
enum search_owner {
	SEARCH_OWN,
	SEARCH_DEPENDENCY,
	SEARCH_STD,
	SEARCH_RUNTIME,
};

/* Where the sources of a program are. */
struct search_layout {
	/* The folder of the standard library, "/usr/lib/go/src/"; "" with -trimpath. */
	const char *goroot;
	size_t goroot_len;	/* its length */
	const char *own;	/* the file of main.main, or "" */
	/* Length of the first element of @own; with -trimpath the program's own paths have it. */
	size_t own_len;
};

/* Of the program with the functions @f; the texts are those of @f. */
void search_layout_init(struct search_layout *l, const struct gofunc *f, size_t n);
enum search_owner search_owner(const struct search_layout *l, const struct gofunc *fn);

/* A match that only has the letters of a word, in their order; sums of other ranks are below. */
#define SEARCH_SCATTERED 1000000U
#define SEARCH_NO_MATCH (~0U)

/*
 * How well @words match the name or the file of @fn, case apart: the sum of 0 (equal), 1 (prefix),
 * 2 (the start of a part), 3 (anywhere), 4 (in the file's path) for each word, SEARCH_SCATTERED
 * for letters of the name after the path with others between them; or SEARCH_NO_MATCH if a word
 * does not match.
 */
unsigned int search_rank(const struct gofunc *fn, char *const *words, size_t n);

#endif
