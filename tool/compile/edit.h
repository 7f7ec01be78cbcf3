/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From what is to be changed ("set timeout = 5s, s = s[:3]") to programs that the module runs
 * after hits, and to what is shown of them.
 */
#ifndef GOPROBE_COMPILE_EDIT_H
#define GOPROBE_COMPILE_EDIT_H

#include <goprobe.h>

#include "compile/cond.h"
#include "compile/expr.h"
#include "lang/edit_parse.h"

/**
 * struct edit_set - something that is set
 * @name: what was written: "r.timeout"
 * @was: index of edit.show.values: what it was
 * @is: likewise: what it is set to
 */
struct edit_set {
	const char *name;
	size_t was;
	size_t is;
};

/**
 * struct edit - what is changed at one side of a call
 * @ops: the program
 * @nops: its length; 0: nothing is changed
 * @sets: what is set
 * @nsets: their number
 * @delay: ns
 * @show: what was there before, and what will be, as a capture
 */
struct edit {
	const struct goprobe_op *ops;
	size_t nops;
	const struct edit_set *sets;
	size_t nsets;
	uint64_t delay;
	struct plan_capture show;
};

/**
 * struct edit_pair - what is changed of a function's calls
 * @call: when it is called
 * @ret: when it returns
 */
struct edit_pair {
	struct edit call;
	struct edit ret;
};

/*
 * Compile @from, of a call and of a return, for the scope's function; @scope->results is
 * ignored. @filter: the condition, or NULL. All that is made lives in @scope->mem. 0, or -1 with an
 * error that points into the text.
 */
int edit_compile(const struct exprc_scope *scope, const char *text,
		 const struct editexpr from[2], const struct filter_pair *filter,
		 struct edit_pair *ret, struct diag *d);
/* Likewise without a function: package variables, and what they lead to. */
int edit_compile_memory(const struct exprc_scope *scope, const char *text,
			const struct editexpr *from, struct edit *ret, struct diag *d);

#endif
