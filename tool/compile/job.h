/* SPDX-License-Identifier: GPL-2.0 */
/* A list of capture expressions while it is compiled. Part of exprc. */
#ifndef GOPROBE_COMPILE_JOB_H
#define GOPROBE_COMPILE_JOB_H

#include "base/suggest.h"
#include "compile/expr.h"
#include "compile/operand.h"

/* Steps that one expression can leave to the other side. */
#define EXPRJOB_STEPS_MAX 64

/**
 * struct exprjob - a list being compiled
 * @scope: what names mean
 * @text: the user's text
 * @d: where errors go
 * @call: where arguments and results are; of a scope with a signature
 * @code: what has been made
 * @ops: room for it
 * @pieces: likewise
 * @steps: room for those of the value at hand: only one place in it has any
 * @unavailable: why the value at hand can't be had
 * @cond: it is a condition
 */
struct exprjob {
	const struct exprc_scope *scope;
	const char *text;
	struct diag *d;
	struct goabi_call call;
	struct exprcode code;
	struct goprobe_op ops[EXPRCODE_OPS_MAX];
	struct goprobe_piece pieces[EXPRCODE_PIECES_MAX];
	struct exprstep steps[EXPRJOB_STEPS_MAX];
	const char *unavailable;
	bool cond;
};

extern const struct gotype exprjob_int;	/* int */
extern const struct gotype exprjob_string;	/* string */

/* Errors; all return -1. */
int exprjob_no_memory(struct exprjob *j);
/* About a name or an operator. */
int exprjob_wrong(struct exprjob *j, const struct expr *e, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* About the operand of @e: "'x' is of type int, @what" */
int exprjob_wrong_type(struct exprjob *j, const struct expr *e, const struct expr *operand,
		       const struct gotype *t, const char *what);
/* Hint: "@it @names; did you mean ...?"; @names may be NULL. */
void exprjob_hint(struct exprjob *j, const char *it, const char *names, const struct near *near);

/* The type that is known of the value after all steps, or NULL. */
const struct gotype *exprjob_type_of(const struct exprplace *p);
/* Leave @step to the other side; it leads to type @inner, if that is known. */
int exprjob_add_step(struct exprjob *j, const struct expr *e, struct exprplace *p,
		     struct exprstep step, const struct gotype *inner);

/* Where arguments and results are: first of all. 0, or -1 and an error. */
int exprjob_assign(struct exprjob *j);
/* Where the value of an expression is. 0, or -1 and an error. */
int exprjob_compile(struct exprjob *j, const struct expr *e, struct exprplace *p);
int exprname_compile(struct exprjob *j, const struct expr *e, struct exprplace *p);
int exprname_variable(struct exprjob *j, const struct expr *e, struct exprplace *p);
/* Variable @i of the scope's instruction. */
void exprname_local(struct exprjob *j, size_t i, struct exprplace *p);
/* What a register has: compile/register.c. */
int exprreg_compile(struct exprjob *j, const struct expr *e, struct exprplace *p);
int exprlabel_compile(struct exprjob *j, const struct expr *e, struct exprplace *p);
/* Can @e be an index, as far as its form shows? 0, or -1 and an error. */
int exprindex_check(struct exprjob *j, const struct expr *e);
int exprindex_compile(struct exprjob *j, const struct expr *e, struct exprplace *p);
/*
 * Is @name one of the function's parameters, or of the variables that its closure has captured; or
 * with @results one of its results?
 */
bool exprname_is_param(const struct exprjob *j, const char *name, bool results);
/* x.name, if x is no parameter but a package: 1 if it is a variable; 0, or -1. */
int exprname_qualified(struct exprjob *j, const struct expr *e, struct exprplace *p);

#endif
