// SPDX-License-Identifier: GPL-2.0
/*
 * The compiler of conditions. A condition is split at its outermost "&&" into terms, which are
 * decided in the order of the text: at the return if they need a result or the duration, all
 * others at the call.
 */
#include <stdlib.h>
#include <string.h>

#include "compile/typed.h"

#define TERMS_MAX (EXPR_OPERATORS_MAX + 1)

/* A condition in parts. */
struct terms {
	const struct expr *v[TERMS_MAX];	/* terms */
	size_t n;				/* their number */
	unsigned int needs[TERMS_MAX];		/* of each: EXPR_NEEDS_* */
};

static void split(const struct job *j, const struct expr *e, struct terms *t)
{
	if (e->kind == EXPR_BINARY && e->op == EXPR_AND) {
		split(j, e->x, t);
		split(j, e->index, t);
		return;
	}
	t->needs[t->n] = typed_word_needs(j, e);
	t->v[t->n++] = e;
}

static bool at_return(unsigned int needs)
{
	return needs & (EXPR_NEEDS_RESULT | EXPR_NEEDS_DURATION | EXPR_NEEDS_PANICKED);
}

/* No term may need both a value of the call and one of the return. */
static int check_sides(struct job *j, const struct terms *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct expr *e = t->v[i];

		if (!(t->needs[i] & EXPR_NEEDS_PARAM) || !at_return(t->needs[i]))
			continue;
		job_wrong_all(j, e,
			      "this needs a parameter, known only at the call, and %s, known only at the return",
			      t->needs[i] & EXPR_NEEDS_RESULT	  ? "a result"
			      : t->needs[i] & EXPR_NEEDS_DURATION ? "the duration"
								  : "whether it panicked");
		diag_hint(j->d, "the two can only be joined by '&&', as in 'x > 5 && err != nil'");
		return -1;
	}
	return 0;
}

/* --- code ---------------------------------------------------------------------- */

/* 0; 1 if no hit passes it; -1 */
static int compile_term(struct job *j, const struct expr *e, unsigned int needs)
{
	struct operand *c = &j->code;
	const struct typed *n = typed_condition(j, e);
	struct jump_label passes = { 0 };
	bool constant;

	if (!n)
		return -1;
	constant = n->kind == TYPED_CONST;
	if (constant && n->value.b)
		return 0;
	if (!constant) {
		/* Once for the program: the operation counts hits. */
		if (needs & EXPR_NEEDS_NUMBER && !j->numbers) {
			operand_op2(c, GOPROBE_OP_NUMBER, 0, 0);
			j->numbers = true;
		}
		c->reg = j->base;
		if (code_test(j, n, true, &passes))
			return -1;
	}
	operand_op2(c, GOPROBE_OP_REJECT, 0, 0);
	jump_here(c, &passes);
	return c->full ? job_wrong_all(j, e, "this takes more steps than a condition can") :
			 constant;
}

static int keep(struct job *j, struct filter *ret)
{
	const struct operand *c = &j->code;

	ret->ops = job_keep(j, c->ops, c->nops, sizeof(*c->ops));
	ret->nops = c->nops;
	ret->numbers = j->numbers;
	ret->unders = job_keep(j, j->unders, j->nunders, sizeof(*j->unders));
	ret->nunders = j->nunders;
	return ret->ops && ret->unders ? 0 : -1;
}

static int compile_side(struct job *j, const struct terms *t, bool returns,
			struct filter *ret)
{
	struct operand *c = &j->code;
	int done = 0;

	c->nops = 0;
	c->full = false;
	j->numbers = false;
	j->nunders = 0;
	j->base = 0;
	for (size_t i = 0; i < t->n; i++)
		if (at_return(t->needs[i]) == returns && t->needs[i] & EXPR_NEEDS_NUMBER)
			j->base = 1;
	*ret = (struct filter){ .text = j->text };
	/* Terms behind one that never holds are compiled, too: they can have errors. */
	for (size_t i = 0; i < t->n; i++) {
		size_t nops = c->nops, nunders = j->nunders;
		int never;

		if (at_return(t->needs[i]) != returns)
			continue;
		never = compile_term(j, t->v[i], t->needs[i]);
		if (never < 0)
			return -1;
		ret->results |= !!(t->needs[i] & EXPR_NEEDS_RESULT);
		ret->duration |= !!(t->needs[i] & EXPR_NEEDS_DURATION);
		if (done) {
			c->nops = nops;
			j->nunders = nunders;
		}
		done |= never;
	}
	return keep(j, ret);
}

/* --- calls that a panic ends --------------------------------------------------- */

/* The value of a condition when a panic ends the call. */
enum truth { NO, YES, UNKNOWN };

static enum truth word_when_panicked(const struct job *j, const struct expr *e)
{
	enum exprword word = typed_word_of(j, e);

	return word == EXPRWORD_PANICKED || word == EXPRWORD_TRUE ? YES :
	       word == EXPRWORD_FALSE ? NO : UNKNOWN;
}

static enum truth when_panicked(const struct job *j, const struct expr *e)
{
	enum truth l, r;

	if (e->kind == EXPR_NAME)
		return word_when_panicked(j, e);
	if (e->kind == EXPR_UNARY && e->op == EXPR_NOT) {
		l = when_panicked(j, e->x);
		return l == UNKNOWN ? l : l == YES ? NO : YES;
	}
	if (e->kind != EXPR_BINARY)
		return UNKNOWN;
	l = when_panicked(j, e->x);
	r = when_panicked(j, e->index);
	switch (e->op) {
	case EXPR_OR:
		return l == YES || r == YES ? YES : l == NO && r == NO ? NO : UNKNOWN;
	case EXPR_AND:
		return l == NO || r == NO ? NO : l == YES && r == YES ? YES : UNKNOWN;
	case EXPR_EQ:
	case EXPR_NE:
		return l == UNKNOWN || r == UNKNOWN ? UNKNOWN :
		       (l == r) == (e->op == EXPR_EQ) ? YES : NO;
	default:
		return UNKNOWN;
	}
}

static int unknown_when_panicked(struct job *j, const struct expr *e)
{
	job_wrong_all(j, e,
		      "a call that panics does not show this: it has no results, and its duration is not asked for");
	diag_hint(j->d, "next to 'panicked' it can only be joined by '||', as in 'panicked || err != nil'");
	return -1;
}

/* Do calls that a panic ends fulfil the condition? */
static int decide_panics(struct job *j, const struct terms *t, struct filter_pair *ret)
{
	const struct expr *asked = NULL, *unknown = NULL;

	for (size_t i = 0; i < t->n; i++) {
		enum truth truth = at_return(t->needs[i]) ? when_panicked(j, t->v[i]) : YES;

		if (t->needs[i] & EXPR_NEEDS_PANICKED)
			asked = t->v[i];
		if (truth == NO) {
			/* The return decides only if a term has "panicked". */
			ret->returns |= t->needs[i] & EXPR_NEEDS_PANICKED;
			return 0;
		}
		if (truth == UNKNOWN && !unknown)
			unknown = t->v[i];
	}
	if (!asked)
		return 0;
	ret->returns = true;
	ret->unwound = asked;
	return unknown ? unknown_when_panicked(j, unknown) : 0;
}

static int compile(struct job *j, struct expr_scope *scope, const struct expr *cond,
		   struct filter_pair *ret)
{
	struct terms t = { .n = 0 };

	if (job_assign(j))
		return -1;
	split(j, cond, &t);
	if (check_sides(j, &t))
		return -1;
	scope->results = false;
	if (compile_side(j, &t, false, &ret->call))
		return -1;
	scope->results = true;
	if (compile_side(j, &t, true, &ret->ret))
		return -1;
	/* A part that always holds needs no return. */
	ret->returns = ret->ret.nops;
	ret->descendant = j->descendant;
	return decide_panics(j, &t, ret);
}

int cond_compile(const struct expr_scope *scope, const char *text, const struct expr *cond,
		 struct filter_pair *ret, struct diag *d)
{
	struct expr_scope sides = *scope;
	struct job *j = job_new(&sides, text, true, d);
	int err = j ? 0 : -1;

	*ret = (struct filter_pair){ 0 };
	if (!err)
		err = compile(j, &sides, cond, ret);
	free(j);
	return err;
}
