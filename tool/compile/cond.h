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

/**
 * struct filter_under - an "under(pkg.Func)"
 * @op: the operation whose value is to be the id of the function
 * @e: what was written; @e->s is the function's name
 */
struct filter_under {
	size_t op;
	const struct expr *e;
};

/**
 * struct filter - one side's part of a condition
 * @text: all of the user's text, for errors
 * @ops: the program
 * @nops: its length; 0: all pass
 * @numbers: it counts its hits, so it can't be shared
 * @results: it needs results
 * @duration: it needs how long the call took
 * @unders: functions that a call is to be inside of
 * @nunders: their number
 */
struct filter {
	const char *text;
	struct goprobe_op *ops;
	size_t nops;
	bool numbers;
	bool results;
	bool duration;
	const struct filter_under *unders;
	size_t nunders;
};

/**
 * struct filter_pair - a condition
 * @call: what is decided when the function is called
 * @ret: what is decided when it returns
 * @returns: something is decided there
 * @descendant: "descendant(N)" in it, or NULL
 * @unwound: "panicked" in it, if calls that a panic ends fulfil it; or NULL
 */
struct filter_pair {
	struct filter call;
	struct filter ret;
	bool returns;
	const struct expr *descendant;
	const struct expr *unwound;
};

/*
 * Compile @cond of @text for the scope's function; @scope->results is ignored. All that is
 * made lives in @scope->mem. 0, or -1 with an error that points into the text.
 */
int filter_compile(const struct exprc_scope *scope, const char *text, const struct expr *cond,
		   struct filter_pair *ret, struct diag *d);

#endif
