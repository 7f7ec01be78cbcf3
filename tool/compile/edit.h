/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of edits ("set timeout = 5s, s = s[:3]"): programs that the module runs after
 * hits, and captures of the old and new values.
 */
#ifndef GOPROBE_COMPILE_EDIT_H
#define GOPROBE_COMPILE_EDIT_H

#include <goprobe.h>

#include "compile/cond.h"
#include "compile/expr.h"
#include "lang/edit_parse.h"

/* An assignment. */
struct edit_set {
	const char *name;	/* its left side as written: "r.timeout" */
	size_t was;		/* index in edit.show.values of the old value */
	size_t is;		/* index in edit.show.values of the new value */
};

/* The edit of one side of a call. */
struct edit {
	const struct goprobe_op *ops;	/* the program */
	size_t nops;			/* its length; 0: there is no edit */
	const struct edit_set *sets;	/* assignments */
	size_t nsets;			/* their number */
	uint64_t delay;			/* ns */
	struct plan_capture show;	/* the capture of old and new values */
};

/* The edits of a function. */
struct edit_pair {
	struct edit call;	/* at the call */
	struct edit ret;	/* at the return */
};

/*
 * Compile @from, of a call and of a return, for the scope's function; @scope->results is
 * ignored. @filter: the condition, or NULL. All that is made lives in @scope->mem. 0, or -1 with an
 * error that points into the text.
 */
int edit_compile(const struct expr_scope *scope, const char *text,
		 const struct editexpr from[2], const struct filter_pair *filter,
		 struct edit_pair *ret, struct diag *d);
/* The same without a function: of package variables, and of memory that they lead to. */
int edit_compile_memory(const struct expr_scope *scope, const char *text,
			const struct editexpr *from, struct edit *ret, struct diag *d);

#endif
