/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a condition ("if n > 5 && err != nil") to programs that the module runs at each hit:
 * which calls count, and which returns.
 *
 * Types are Go's: both operands have the same one, constants fit it, and numbers wrap at its
 * width. An operation that fails (nil is dereferenced, an index is out of range, a number is
 * divided by 0) ends the program: the hit does not pass.
 */
#ifndef GOPROBE_COMPILE_COND_H
#define GOPROBE_COMPILE_COND_H

#include <goprobe.h>

#include "compile/expr.h"

/* An "under(pkg.Func)". */
struct filter_under {
	size_t op;		/* the operation whose value is to be the id of the function */
	const struct expr *e;	/* what was written; @e->s is the function's name */
};

/* One side's part of a condition. */
struct filter {
	const char *text;			/* all of the user's text, for errors */
	struct goprobe_op *ops;			/* the program */
	size_t nops;				/* its length; 0: all pass */
	bool numbers;				/* it counts its hits, so it can't be shared */
	bool results;				/* it needs results */
	bool duration;				/* it needs how long the call took */
	const struct filter_under *unders;	/* functions that a call is to be inside of */
	size_t nunders;				/* their number */
};

/* A condition. */
struct filter_pair {
	struct filter call;		/* what is decided when the function is called */
	struct filter ret;		/* what is decided when it returns */
	bool returns;			/* something is decided there */
	const struct expr *descendant;	/* "descendant(N)" in it, or NULL */
	/* "panicked" in it, if calls that a panic ends fulfil it; or NULL. */
	const struct expr *unwound;
};

/*
 * Compile @cond of @text for the scope's function; @scope->results is ignored. All that is
 * made lives in @scope->mem. 0, or -1 with an error that points into the text.
 */
int cond_compile(const struct expr_scope *scope, const char *text, const struct expr *cond,
		 struct filter_pair *ret, struct diag *d);

#endif
