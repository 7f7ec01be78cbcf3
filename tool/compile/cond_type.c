// SPDX-License-Identifier: GPL-2.0
/* Conditions get types: operands, and the words that only conditions have. */
#include <string.h>

#include "compile/cond_tree.h"

const struct gotype filtertype_boolean = {
	.kind = GOTYPE_BOOL, .name = "bool", .size = 1, .align = 1,
};

static const struct gotype duration_type = {
	.kind = GOTYPE_INT, .name = "time.Duration", .size = 8, .align = 8,
};

/* --- words --------------------------------------------------------------------------- */

bool filtertype_is_word(const struct exprjob *j, const struct expr *e, const char *word)
{
	/* A moment has no duration, and is no call that ends. */
	if (j->scope->at && (strcmp(word, "duration") == 0 || strcmp(word, "panicked") == 0))
		return false;
	return e->kind == EXPR_NAME && strcmp(e->s, word) == 0 &&
	       !exprname_is_param(j, word, false) && !exprname_is_param(j, word, true);
}

/* A word that conditions know. *@known is false if it is another one. */
static const struct filternode *type_word(struct filterjob *f, const struct expr *e, bool *known)
{
	static const struct {
		const char *word;
		enum goprobe_task task;
	} tasks[] = {
		{ "goid", GOPROBE_TASK_GOID }, { "tid", GOPROBE_TASK_TID },
		{ "pid", GOPROBE_TASK_TGID },
	};
	struct filternode *n;

	*known = true;
	for (size_t i = 0; i < sizeof(tasks) / sizeof(*tasks); i++) {
		if (!filtertype_is_word(f->j, e, tasks[i].word))
			continue;
		n = filternode_make(f, FILTERNODE_TASK, e, &exprjob_int);
		if (n)
			n->task = tasks[i].task;
		return n;
	}
	if (filtertype_is_word(f->j, e, "n"))
		return filternode_make(f, FILTERNODE_NUMBER, e, &exprjob_int);
	if (filtertype_is_word(f->j, e, "creator"))
		return filternode_make(f, FILTERNODE_CREATOR, e, &exprjob_int);
	/* What a panic ends is decided when that happens: filter_pair.unwound. */
	if (filtertype_is_word(f->j, e, "panicked"))
		return filternode_bool(f, e, false);
	if (filtertype_is_word(f->j, e, "duration"))
		return filternode_make(f, FILTERNODE_DURATION, e, &duration_type);
	if (filtertype_is_word(f->j, e, "nil"))
		return filternode_const(f, e, NULL,
					(struct filterconst){ .kind = FILTERCONST_NIL });
	if (filtertype_is_word(f->j, e, "true") || filtertype_is_word(f->j, e, "false"))
		return filternode_bool(f, e, e->s[0] == 't');
	*known = false;
	return NULL;
}

/* --- operands ------------------------------------------------------------------------- */

static const struct filternode *found_later(struct filterjob *f, const struct expr *e)
{
	int len;
	const char *text = filternode_text(f, e, &len);

	filternode_wrong(f, e,
			 "'%.*s' is found by goprobectl, after the call: too late for a condition",
			 len, text);
	diag_hint(f->j->d,
		  "entries of maps and elements of channels can only be shown; what an interface holds needs its type, as in x.(T)");
	return NULL;
}

/* A capture expression. Its operations are made when all types are known: see filtercode. */
static const struct filternode *type_place(struct filterjob *f, const struct expr *e)
{
	struct exprcode *c = &f->j->code;
	size_t nops = c->nops;
	struct exprplace p;
	struct filternode *n;

	c->reg = f->base;
	c->nowhere = false;
	f->j->unavailable = NULL;
	if (exprjob_compile(f->j, e, &p))
		return NULL;
	if (p.steps.n)
		return found_later(f, e);
	if (!f->j->unavailable && f->j->scope->at && (c->nowhere || !exprplace_is_whole(&p)))
		f->j->unavailable = goscope_nowhere;
	if (f->j->unavailable)
		return filternode_wrong(f, e, "'%.*s' can't be had: %s", (int)e->len,
					f->j->text + e->at,
			     f->j->unavailable);
	if (p.kind == EXPRPLACE_CONSTANT)
		return filternode_const(f, e, p.type, (struct filterconst){
			.kind = FILTERCONST_INT, .i = (__int128)p.at });
	n = filternode_make(f, FILTERNODE_PLACE, e, p.type);
	if (n)
		n->pure = c->nops == nops && p.kind != EXPRPLACE_STATIC;
	c->nops = nops;
	return n;
}

static const struct filternode *type_under(struct filterjob *f, const struct expr *e)
{
	return filternode_make(f, FILTERNODE_UNDER, e, &filtertype_boolean);
}

/* The module keeps one set. */
static const struct filternode *type_descendant(struct filterjob *f, const struct expr *e)
{
	if (f->descendant && f->descendant->number != e->number)
		return filternode_wrong(f, e, "only the descendants of one goroutine can be followed");
	f->descendant = e;
	return filternode_make(f, FILTERNODE_DESCENDANT, e, &filtertype_boolean);
}

static const struct filternode *type_affix(struct filterjob *f, const struct expr *e)
{
	const struct filternode *x = filtertype_make(f, e->x);
	struct filternode *n;

	if (!x)
		return NULL;
	if (!x->type || x->type->kind != GOTYPE_STRING)
		return filternode_wrong(f, e->x, "'%.*s' is no string", (int)e->x->len,
					f->j->text + e->x->at);
	if (e->n > FILTER_STRING_MAX)
		return filternode_too_long(f, e);
	n = filternode_make(f, e->kind == EXPR_PREFIX ? FILTERNODE_PREFIX : FILTERNODE_SUFFIX, e,
			    &filtertype_boolean);
	if (n) {
		n->l = x;
		n->pure = false;
		n->value = (struct filterconst){ .kind = FILTERCONST_STRING, .s = e->s, .n = e->n };
	}
	return n;
}

/* --- expressions ---------------------------------------------------------------- */

const struct filternode *filtertype_make(struct filterjob *f, const struct expr *e)
{
	const struct filternode *n;
	struct filterconst value;
	bool known;

	switch (e->kind) {
	case EXPR_NUMBER:
	case EXPR_DURATION:
	case EXPR_FLOAT:
	case EXPR_STRING:
		return filterconst_of(e, &value) ? filternode_const(f, e, NULL, value) : NULL;
	case EXPR_BINARY:
		return filterop_binary(f, e);
	case EXPR_UNARY:
		return filterop_unary(f, e);
	case EXPR_PREFIX:
	case EXPR_SUFFIX:
		return type_affix(f, e);
	case EXPR_UNDER:
		return type_under(f, e);
	case EXPR_DESCENDANT:
		return type_descendant(f, e);
	default:
		n = type_word(f, e, &known);
		return known ? n : type_place(f, e);
	}
}

const struct filternode *filtertype_bool(struct filterjob *f, const struct expr *e)
{
	const struct filternode *n = filtertype_make(f, e);
	int len;
	const char *text;

	if (!n || filternode_is_bool(n))
		return n;
	text = filternode_text(f, e, &len);
	if (n->type)
		filternode_wrong(f, e, "'%.*s' is of type %s, and a condition is true or false",
				 len, text,
		      n->type->name);
	else
		filternode_wrong(f, e, "'%.*s' is neither true nor false", len, text);
	return NULL;
}
