// SPDX-License-Identifier: GPL-2.0
/*
 * A condition is split at its outermost "&&" into terms, which are decided in the order in
 * which they were written: those that need a result, or how long the call took, when it
 * returns, all others when it is made.
 */
#include <stdlib.h>
#include <string.h>

#include "compile/cond_tree.h"

#define TERMS_MAX (EXPR_OPERATORS_MAX + 1)

/**
 * struct terms - a condition in parts
 * @v: terms
 * @n: their number
 * @needs: of each: FILTER_NEEDS_*
 */
struct terms {
	const struct expr *v[TERMS_MAX];
	size_t n;
	unsigned int needs[TERMS_MAX];
};

static unsigned int needs_of_name(const struct exprjob *j, const struct expr *e)
{
	if (exprname_is_param(j, e->s, false))
		return FILTER_NEEDS_PARAM;
	if (exprname_is_param(j, e->s, true))
		return FILTER_NEEDS_RESULT;
	return filtertype_is_word(j, e, "panicked") ? FILTER_NEEDS_PANICKED :
	       filtertype_is_word(j, e, "duration") ? FILTER_NEEDS_DURATION :
	       filtertype_is_word(j, e, "n") ? FILTER_NEEDS_NUMBER : 0;
}

unsigned int filter_needs(const struct exprjob *j, const struct expr *e)
{
	unsigned int needs = 0;

	if (e->kind == EXPR_NAME)
		return needs_of_name(j, e);
	/* What a dot follows is no word of conditions, but may be a package. */
	if (e->x && e->kind == EXPR_FIELD && e->x->kind == EXPR_NAME)
		needs |= needs_of_name(j, e->x) & (FILTER_NEEDS_PARAM | FILTER_NEEDS_RESULT);
	else if (e->x)
		needs |= filter_needs(j, e->x);
	if (e->index)
		needs |= filter_needs(j, e->index);
	return needs;
}

static void split(const struct exprjob *j, const struct expr *e, struct terms *t)
{
	if (e->kind == EXPR_BINARY && e->op == EXPR_AND) {
		split(j, e->x, t);
		split(j, e->index, t);
		return;
	}
	t->needs[t->n] = filter_needs(j, e);
	t->v[t->n++] = e;
}

static bool at_return(unsigned int needs)
{
	return needs & (FILTER_NEEDS_RESULT | FILTER_NEEDS_DURATION | FILTER_NEEDS_PANICKED);
}

/* What is known only at the call must not meet what is known only at the return. */
static int check_sides(const struct exprjob *j, const struct terms *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct expr *e = t->v[i];

		if (!(t->needs[i] & FILTER_NEEDS_PARAM) || !at_return(t->needs[i]))
			continue;
		diag_set(j->d, "this needs a parameter, known only at the call, and %s, known only at the return",
			 t->needs[i] & FILTER_NEEDS_RESULT ? "a result" :
			 t->needs[i] & FILTER_NEEDS_DURATION ? "the duration" :
			 "whether it panicked");
		diag_span(j->d, j->text, e->at, e->len);
		diag_hint(j->d, "the two can only be joined by '&&', as in 'x > 5 && err != nil'");
		return -1;
	}
	return 0;
}

/* --- code ---------------------------------------------------------------------- */

static int too_long(const struct exprjob *j, const struct expr *e)
{
	diag_set(j->d, "this takes more steps than a condition can");
	diag_span(j->d, j->text, e->at, e->len);
	return -1;
}

/* 0; 1 if no hit passes it; -1 */
static int compile_term(struct filterjob *f, const struct expr *e, unsigned int needs)
{
	struct exprcode *c = &f->j->code;
	const struct filternode *n = filtertype_bool(f, e);
	struct filterlabel passes = { 0 };
	bool constant;

	if (!n)
		return -1;
	constant = n->kind == FILTERNODE_CONST;
	if (constant && n->value.b)
		return 0;
	if (!constant) {
		/* Once, however often it is mentioned: it counts. */
		if (needs & FILTER_NEEDS_NUMBER && !f->numbers) {
			exprcode_op2(c, GOPROBE_OP_NUMBER, 0, 0);
			f->numbers = true;
		}
		c->reg = f->base;
		if (filtercode_test(f, n, true, &passes))
			return -1;
	}
	exprcode_op2(c, GOPROBE_OP_REJECT, 0, 0);
	filtercode_here(c, &passes);
	return c->full ? too_long(f->j, e) : constant;
}

static int keep(struct filterjob *f, struct filter *ret)
{
	struct arena *mem = f->j->scope->mem;
	struct filter_under *unders = arena_array(mem, f->nunders + 1, sizeof(*unders));
	const struct exprcode *c = &f->j->code;

	ret->ops = arena_array(mem, c->nops + 1, sizeof(*ret->ops));
	if (!ret->ops || !unders)
		return exprjob_no_memory(f->j);
	if (c->nops)
		memcpy(ret->ops, c->ops, c->nops * sizeof(*ret->ops));
	if (f->nunders)
		memcpy(unders, f->unders, f->nunders * sizeof(*unders));
	ret->nops = c->nops;
	ret->numbers = f->numbers;
	ret->unders = unders;
	ret->nunders = f->nunders;
	return 0;
}

static int compile_side(struct filterjob *f, const struct terms *t, bool returns,
			struct filter *ret)
{
	struct exprcode *c = &f->j->code;
	int done = 0;

	c->nops = 0;
	c->full = false;
	f->numbers = false;
	f->nunders = 0;
	f->base = 0;
	for (size_t i = 0; i < t->n; i++)
		if (at_return(t->needs[i]) == returns && t->needs[i] & FILTER_NEEDS_NUMBER)
			f->base = 1;
	*ret = (struct filter){ .text = f->j->text };
	/* What is behind a term that never holds is looked at, too: it may be wrong. */
	for (size_t i = 0; i < t->n; i++) {
		size_t nops = c->nops, nunders = f->nunders;
		int never;

		if (at_return(t->needs[i]) != returns)
			continue;
		never = compile_term(f, t->v[i], t->needs[i]);
		if (never < 0)
			return -1;
		ret->results |= !!(t->needs[i] & FILTER_NEEDS_RESULT);
		ret->duration |= !!(t->needs[i] & FILTER_NEEDS_DURATION);
		if (done) {
			c->nops = nops;
			f->nunders = nunders;
		}
		done |= never;
	}
	return keep(f, ret);
}

/* --- calls that a panic ends --------------------------------------------------- */

/* What is known of a condition when a panic ends the call. */
enum truth { NO, YES, UNKNOWN };

static enum truth word_when_panicked(const struct exprjob *j, const struct expr *e)
{
	return filtertype_is_word(j, e, "panicked") || filtertype_is_word(j, e, "true") ? YES :
	       filtertype_is_word(j, e, "false") ? NO : UNKNOWN;
}

static enum truth when_panicked(const struct exprjob *j, const struct expr *e)
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

static int not_told(const struct exprjob *j, const struct expr *e)
{
	diag_set(j->d, "of a call that panics this can't be told: there are no results, and its duration is not asked for");
	diag_span(j->d, j->text, e->at, e->len);
	diag_hint(j->d, "next to 'panicked' it can only be joined by '||', as in 'panicked || err != nil'");
	return -1;
}

/* Do calls that a panic ends fulfil the condition? */
static int settle_panics(const struct exprjob *j, const struct terms *t, struct filter_pair *ret)
{
	const struct expr *asked = NULL, *unknown = NULL;

	for (size_t i = 0; i < t->n; i++) {
		enum truth truth = at_return(t->needs[i]) ? when_panicked(j, t->v[i]) : YES;

		if (t->needs[i] & FILTER_NEEDS_PANICKED)
			asked = t->v[i];
		if (truth == NO) {
			/* It is decided only if somebody asks. */
			ret->returns |= t->needs[i] & FILTER_NEEDS_PANICKED;
			return 0;
		}
		if (truth == UNKNOWN && !unknown)
			unknown = t->v[i];
	}
	if (!asked)
		return 0;
	ret->returns = true;
	ret->unwound = asked;
	return unknown ? not_told(j, unknown) : 0;
}

static int compile(struct filterjob *f, struct exprc_scope *scope, const struct expr *cond,
		   struct filter_pair *ret)
{
	struct terms t = { .n = 0 };

	if (exprjob_assign(f->j))
		return -1;
	split(f->j, cond, &t);
	if (check_sides(f->j, &t))
		return -1;
	scope->results = false;
	if (compile_side(f, &t, false, &ret->call))
		return -1;
	scope->results = true;
	if (compile_side(f, &t, true, &ret->ret))
		return -1;
	/* A part that always holds needs no return. */
	ret->returns = ret->ret.nops;
	ret->descendant = f->descendant;
	return settle_panics(f->j, &t, ret);
}

int filter_compile(const struct exprc_scope *scope, const char *text, const struct expr *cond,
		   struct filter_pair *ret, struct diag *d)
{
	struct exprc_scope sides = *scope;
	struct exprjob *j = calloc(1, sizeof(*j));
	struct filterjob *f = calloc(1, sizeof(*f));
	int err = j && f ? 0 : diag_set(d, "out of memory");

	*ret = (struct filter_pair){ 0 };
	if (!err) {
		j->scope = &sides;
		j->text = text;
		j->d = d;
		j->cond = true;
		j->code.ops = j->ops;
		j->code.pieces = j->pieces;
		f->j = j;
		err = compile(f, &sides, cond, ret);
	}
	free(j);
	free(f);
	return err;
}
