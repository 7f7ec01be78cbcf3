/* SPDX-License-Identifier: GPL-2.0 */
/* Package variables that patterns or words find, in the files of a target. */
#ifndef GOPROBE_PLAN_VARIABLES_H
#define GOPROBE_PLAN_VARIABLES_H

#include "gobin/variable.h"
#include "lang/spec.h"
#include "plan/search.h"

/* A variable that was found. */
struct variables_found {
	struct gobin *bin;		/* where it is */
	const char *name;		/* its whole name */
	struct gobin_variable v;	/* its type, address and size */
	unsigned int rank;		/* how well words match: search_rank() */
	enum search_owner owner;	/* whose it is; of a search only */
};

/* All of them. A zeroed one is empty. */
struct variables {
	struct variables_found *v;
	size_t n;
	size_t cap;		/* of @v */
	struct arena mem;	/* names */
};

/*
 * Add those that a pattern names: by their whole names, else by other ones that shown_name_any()
 * has. 0, or -1 without memory.
 */
int variables_match(struct variables *vars, struct gobin *const *bins, size_t nbins,
		    struct spec *spec);
/* Add those that all words match. 0, or -1 without memory. */
int variables_search(struct variables *vars, struct gobin *const *bins, size_t nbins,
		     char *const *words, size_t nwords);
/* By name, each once. */
void variables_sort(struct variables *vars);
void variables_fini(struct variables *vars);

#endif
