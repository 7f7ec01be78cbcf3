/* SPDX-License-Identifier: GPL-2.0 */
/* A package variable that is watched, or what is made of it. */
#ifndef GOPROBE_EVAL_WATCHVAR_H
#define GOPROBE_EVAL_WATCHVAR_H

#include "compile/expr.h"
#include "eval/eval.h"
#include "plan/plan.h"
#include "value/path.h"

/* What a variable is worth. */
struct watchvar_number {
	unsigned int bits;	/* of an integer; 0: a float */
	int64_t i;		/* the integer, sign-extended */
	double f;		/* the float */
};

/* A variable, or what is made of it. */
struct watchvar {
	const char *text;		/* as it was given */
	struct plan_capture c;		/* how to read it */
	struct watchvar_number last;	/* its value before, if it is a number */
	bool known;			/* @last is there */
};

/* Make @v->c of @v->text, in @scope, which has no function. 0, or -1. */
int watchvar_compile(struct watchvar *v, const struct expr_scope *scope, struct diag *d);

/* A text that names nothing to read. */
struct watchvar_wrong {
	const char *text;	/* as it was given */
	struct diag why;	/* what is wrong with it */
};

/* What was given to a command. A zeroed list is empty. */
struct watchvar_list {
	struct watchvar *v;	/* what can be read */
	size_t n;		/* their number */
	struct watchvar_wrong *wrong;	/* what can't be */
	size_t nwrong;		/* their number */
};

/*
 * As watchvar_compile(), for @n texts, each by itself; @l->v and @l->wrong are in the scope's
 * memory. 0; -1 if none can be read: @d is about the last one, or about memory.
 */
int watchvar_list_compile(struct watchvar_list *l, char **texts, size_t n,
			  const struct expr_scope *scope, struct diag *d);
void watchvar_list_fini(struct watchvar_list *l);
/* Print what is wrong, as errors of the command. */
void watchvar_list_print(const struct watchvar_list *l, FILE *to);
/* "not_read":[...], unless nothing is wrong. */
void watchvar_list_json(const struct watchvar_list *l, struct buf *b);

/* Where a value was found, or why not. */
struct watchvar_value {
	struct value_at at;
	const char *why;
	uint8_t number[8];
};

/* Read it; good until the next one is. 0, or -1: no memory. */
int watchvar_read(const struct watchvar *v, struct eval *g, struct value_ctx *values,
		  struct watchvar_value *ret);
/* "name":N,"type":T,"value":V and what else there is to say of it. */
void watchvar_json(const struct watchvar *v, struct value_ctx *values,
		   const struct watchvar_value *at, struct buf *b);
/* The value, or <why not>. */
void watchvar_text(struct value_ctx *values, const struct watchvar_value *at, struct buf *b);

/*
 * Read it and append it to the line @b, with what it changed by in a second if it
 * is a number that was read @ns before; 0 if it was not. Returns 0, or -1: no memory.
 */
int watchvar_put(struct watchvar *v, struct eval *g, struct value_ctx *values, struct buf *b,
		 bool json, uint64_t ns);

#endif
