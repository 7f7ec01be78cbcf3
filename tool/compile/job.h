/* SPDX-License-Identifier: GPL-2.0 */
/* The state of the compiler of expressions, and its errors. */
#ifndef GOPROBE_COMPILE_JOB_H
#define GOPROBE_COMPILE_JOB_H

#include "base/suggest.h"
#include "compile/cond.h"
#include "compile/expr.h"
#include "compile/operand.h"

/* Steps that one expression can leave to the other side. */
#define JOB_STEPS_MAX 64

/* A capture list, condition, edit or key that is being compiled. */
struct job {
	const struct expr_scope *scope;	/* what names mean */
	const char *text;	/* the user's text */
	struct diag *d;	/* where errors go */
	struct abi_call call;	/* where arguments and results are; of a scope with a signature */
	struct operand code;	/* the program so far */
	struct goprobe_op ops[OPERAND_OPS_MAX];	/* memory of @code.ops */
	struct goprobe_piece pieces[OPERAND_PIECES_MAX];	/* memory of @code.pieces */
	/* Steps of the value at hand: only one place in it has any. */
	struct exprstep steps[JOB_STEPS_MAX];
	const char *unavailable;	/* why the value at hand is not available */
	/* A name or type in the value at hand is redacted, so that the value is not shown. */
	bool secret;
	bool cond;	/* it runs as a filter of the module, not in its capture of a record */
	uint8_t base;	/* first register that a term may use */
	bool numbers;	/* the first register has the hit's number */
	/* The under() calls of the program. */
	struct filter_under unders[EXPR_OPERATORS_MAX + 1];
	size_t nunders;	/* their number */
	const struct expr *descendant;	/* the descendant() call, or NULL */
};

extern const struct gotype exprjob_int;	/* int */
extern const struct gotype exprjob_string;	/* string */

/*
 * A job for @scope, which free() ends; @text may be set later. NULL, and an error, without memory.
 * Where arguments and results are is known after job_assign().
 */
struct job *job_new(const struct expr_scope *scope, const char *text, bool cond,
		    struct diag *d);
/* Where arguments and results are: first of all. 0, or -1 and an error. */
int job_assign(struct job *j);
/* A copy of @n objects of @size bytes in the scope's memory; NULL without memory. */
void *job_keep(struct job *j, const void *v, size_t n, size_t size);
/* The program and the pieces of @j as a capture of @n values. 0, or -1 without memory. */
int job_keep_capture(struct job *j, const struct plan_value *v, size_t n,
		     struct plan_capture *ret);

/* Where the program of a value begins. */
struct job_item {
	size_t op;	/* index of its first operation */
	size_t piece;	/* index of its first piece */
};

/* Begin and end the program of item @i of a capture, which can fail alone. */
struct job_item job_begin_item(struct job *j, size_t i);
/* If the value is not available, nothing of the item stays. */
void job_end_item(struct job *j, struct job_item item, const struct plan_value *v);

/* What was written, or its beginning, for a message. */
const char *job_text(const struct job *j, const struct expr *e);
/* Errors; all return -1. */
int job_no_memory(struct job *j);
/* About all of @e. */
int job_wrong_all(struct job *j, const struct expr *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* About the name or the operator of @e. */
int job_wrong(struct job *j, const struct expr *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* About the operand of @e: "'x' is of type int, @what" */
int job_wrong_type(struct job *j, const struct expr *e, const struct expr *operand,
		   const struct gotype *t, const char *what);
/* Hint: "@it @names; did you mean ...?"; @names may be NULL. */
void job_hint(struct job *j, const char *it, const char *names, const struct suggest *near);

/* The type that is known of the value after all steps, or NULL. */
const struct gotype *job_type_of(const struct operand_place *p);
/* Defer @step to goprobectl; it leads to type @inner, or NULL: unknown. */
int job_add_step(struct job *j, const struct expr *e, struct operand_place *p,
		 struct exprstep step, const struct gotype *inner);

#endif
