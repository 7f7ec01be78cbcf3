// SPDX-License-Identifier: GPL-2.0
/*
 * The types of operands, and the words for the context of a call. A pair with typed_operator.c: an
 * operand can have operators, and these have operands.
 */
#include <string.h>

#include "compile/typed.h"

const struct gotype typed_boolean = {
	.kind = GOTYPE_BOOL, .name = "bool", .size = 1, .align = 1,
};

static const struct gotype duration_type = {
	.kind = GOTYPE_INT, .name = "time.Duration", .size = 8, .align = 8,
};

/* --- words --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	unsigned int needs;
} words[] = {
	[EXPRWORD_NONE] = { "", 0 },
	[EXPRWORD_GOID] = { "goid", EXPR_NEEDS_GOROUTINE },
	[EXPRWORD_PID] = { "pid", EXPR_NEEDS_GOROUTINE },
	[EXPRWORD_TID] = { "tid", EXPR_NEEDS_GOROUTINE },
	[EXPRWORD_CREATOR] = { "creator", EXPR_NEEDS_GOROUTINE },
	[EXPRWORD_N] = { "n", EXPR_NEEDS_NUMBER },
	[EXPRWORD_DURATION] = { "duration", EXPR_NEEDS_DURATION },
	[EXPRWORD_PANICKED] = { "panicked", EXPR_NEEDS_PANICKED },
	[EXPRWORD_FAILED] = { "failed", EXPR_NEEDS_RESULT },
	[EXPRWORD_NIL] = { "nil", 0 },
	[EXPRWORD_TRUE] = { "true", 0 },
	[EXPRWORD_FALSE] = { "false", 0 },
};

enum exprword typed_word_of(const struct job *j, const struct expr *e)
{
	size_t i = e->kind == EXPR_NAME ? sizeof(words) / sizeof(*words) - 1 : 0;

	while (i && strcmp(words[i].name, e->s) != 0)
		i--;
	if (!i || name_is_param(j, e->s, false) || name_is_param(j, e->s, true))
		return EXPRWORD_NONE;
	/* An instruction takes no time, and is no call that ends. */
	if ((j->scope->at && (i == EXPRWORD_DURATION || i == EXPRWORD_PANICKED)) ||
	    ((j->scope->at || !j->scope->fn) && i == EXPRWORD_FAILED))
		return EXPRWORD_NONE;
	return (enum exprword)i;
}

static unsigned int needs_of_name(const struct job *j, const struct expr *e)
{
	return name_is_param(j, e->s, false) ? EXPR_NEEDS_PARAM :
	       name_is_param(j, e->s, true) ? EXPR_NEEDS_RESULT :
	       words[typed_word_of(j, e)].needs;
}

unsigned int typed_word_needs(const struct job *j, const struct expr *e)
{
	unsigned int needs = e->kind == EXPR_UNDER || e->kind == EXPR_DESCENDANT ?
			     EXPR_NEEDS_CALLS : e->kind == EXPR_LABEL ? EXPR_NEEDS_GOROUTINE : 0;

	if (e->kind == EXPR_NAME)
		return needs_of_name(j, e);
	/* A name before a dot is no word, but may be a package. */
	if (e->x && e->kind == EXPR_FIELD && e->x->kind == EXPR_NAME)
		needs |= needs_of_name(j, e->x) & (EXPR_NEEDS_PARAM | EXPR_NEEDS_RESULT);
	else if (e->x)
		needs |= typed_word_needs(j, e->x);
	return e->index ? needs | typed_word_needs(j, e->index) : needs;
}

/* "err != nil", whatever the error's name is. */
static const struct typed *type_failed(struct job *j, const struct expr *e)
{
	struct expr *v = arena_alloc(j->scope->mem, 3 * sizeof(*v));
	const struct gosig *sig = j->scope->sig;

	if (!v) {
		job_no_memory(j);
		return NULL;
	}
	v[0] = *e;
	v[1] = *e;
	v[2] = *e;
	if (name_failed(sig, v))
		return typed_binary(j, v);
	if (sig && !sig->incomplete)
		job_wrong_all(j, e, "%s returns no error", j->scope->fn->name);
	else
		job_wrong_all(j, e, "it is not known whether %s returns an error: %s",
			      j->scope->fn->name,
			      sig ? sig->incomplete : "the function is not described");
	return NULL;
}

static const struct typed *type_word(struct job *j, const struct expr *e, enum exprword word)
{
	struct typed *n;

	switch (word) {
	case EXPRWORD_NIL:
		return typed_const(j, e, NULL, (struct constant){ .kind = CONSTANT_NIL });
	case EXPRWORD_TRUE:
	case EXPRWORD_FALSE:
		return typed_bool(j, e, word == EXPRWORD_TRUE);
	case EXPRWORD_PANICKED:
		/* A call that a panic ends is decided then: filter_pair.unwound. */
		return typed_bool(j, e, false);
	case EXPRWORD_FAILED:
		return type_failed(j, e);
	default:
		n = typed_make(j, TYPED_WORD, e, word == EXPRWORD_DURATION ?
			       &duration_type : &exprjob_int);
		if (n)
			n->word = word;
		return n;
	}
}

/* --- operands ------------------------------------------------------------------------- */

/* The type of a capture expression. codegen.c makes its operations later. */
static const struct typed *type_place(struct job *j, const struct expr *e)
{
	struct operand *c = &j->code;
	size_t nops = c->nops;
	struct operand_place p;
	struct typed *n;

	c->reg = j->base;
	c->nowhere = false;
	j->unavailable = NULL;
	if (place_compile(j, e, &p))
		return NULL;
	if (p.steps.n) {
		job_wrong_all(j, e,
			      "'%s' is found by goprobectl, after the call: too late for operators, conditions and keys",
			      job_text(j, e));
		diag_hint(j->d, "%s can only be shown%s; what an interface holds needs its type, as in x.(T)",
			  j->cond ? "elements of channels" :
				    "entries of maps and elements of channels",
			  !j->cond ? "" :
				     ", and entries of maps whose keys are neither strings nor integers");
		return NULL;
	}
	if (!j->unavailable && j->scope->at && (c->nowhere || !operand_is_whole(&p)))
		j->unavailable = goscope_nowhere;
	if (!j->unavailable)
		j->unavailable = operand_unreadable(&p);
	if (j->unavailable) {
		job_wrong_all(j, e, "'%s' is not available: %s", job_text(j, e),
			      j->unavailable);
		return NULL;
	}
	if (p.kind == OPERAND_CONSTANT)
		return typed_const(j, e, p.type, (struct constant){
			.kind = CONSTANT_INT, .i = (__int128)p.at });
	n = typed_make(j, TYPED_PLACE, e, p.type);
	if (n)
		n->pure = c->nops == nops && p.kind != OPERAND_STATIC;
	c->nops = nops;
	return n;
}

/* The module keeps one set. */
static const struct typed *type_descendant(struct job *j, const struct expr *e)
{
	if (j->descendant && j->descendant->number != e->number) {
		job_wrong_all(j, e, "only the descendants of one goroutine can be followed");
		return NULL;
	}
	j->descendant = e;
	return typed_make(j, TYPED_DESCENDANT, e, &typed_boolean);
}

bool typed_is_text(const struct gotype *t)
{
	return t->kind == GOTYPE_STRING || (t->kind == GOTYPE_SLICE && t->elem &&
					    t->elem->kind == GOTYPE_UINT && t->elem->size == 1);
}

/* hasPrefix(), hasSuffix(), contains() and matches() */
static const struct typed *type_text_call(struct job *j, const struct expr *e)
{
	const struct typed *x = typed_expr(j, e->x);
	struct typed *n;

	if (!x)
		return NULL;
	if (!x->type || !typed_is_text(x->type)) {
		job_wrong_all(j, e->x, "'%s' is neither a string nor a []byte", job_text(j, e->x));
		return NULL;
	}
	if (!e->automaton && e->n > FILTER_STRING_MAX)
		return typed_too_long(j, e);
	n = typed_make(j, e->kind == EXPR_PREFIX ? TYPED_PREFIX : e->kind == EXPR_SUFFIX ?
		       TYPED_SUFFIX : TYPED_MATCH, e, &typed_boolean);
	if (n) {
		n->l = x;
		n->pure = false;
		n->value = (struct constant){ .kind = CONSTANT_STRING, .s = e->s, .n = e->n };
	}
	return n;
}

const struct typed *typed_too_long(struct job *j, const struct expr *e)
{
	job_wrong_all(j, e, "a string in a condition has %d bytes at most", FILTER_STRING_MAX);
	return NULL;
}

/* --- expressions ---------------------------------------------------------------- */

const struct typed *typed_expr(struct job *j, const struct expr *e)
{
	enum exprword word = typed_word_of(j, e);
	struct constant value;

	switch (e->kind) {
	case EXPR_NUMBER:
	case EXPR_DURATION:
	case EXPR_FLOAT:
	case EXPR_STRING:
		return constant_of(e, &value) ? typed_const(j, e, NULL, value) : NULL;
	case EXPR_BINARY:
		return typed_binary(j, e);
	case EXPR_UNARY:
		return typed_unary(j, e);
	case EXPR_PREFIX:
	case EXPR_SUFFIX:
	case EXPR_CONTAINS:
	case EXPR_MATCHES:
		return type_text_call(j, e);
	case EXPR_UNDER:
		return typed_make(j, TYPED_UNDER, e, &typed_boolean);
	case EXPR_DESCENDANT:
		return type_descendant(j, e);
	default:
		return word ? type_word(j, e, word) : type_place(j, e);
	}
}

const struct typed *typed_condition(struct job *j, const struct expr *e)
{
	const struct typed *n = typed_expr(j, e);

	if (!n || typed_is_bool(n))
		return n;
	if (n->type)
		job_wrong_all(j, e, "'%s' is of type %s, and a condition is true or false",
			      job_text(j, e), n->type->name);
	else
		job_wrong_all(j, e, "'%s' is neither true nor false", job_text(j, e));
	return NULL;
}
