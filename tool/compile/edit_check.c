// SPDX-License-Identifier: GPL-2.0
/*
 * The type check of edits. Types are Go's, and the invariants of the garbage collector stay:
 *
 * - Arguments and results are words that only their goroutine has, in registers or in its own
 *   frame, where Go's compiler itself stores without a write barrier. They can become nil, and
 *   strings and slices shorter: all pointers in them are those that were there, or nil.
 * - Other memory is shared. While it is marking, the collector must see each pointer that is
 *   deleted there (the write barrier shades it): somebody may have just loaded it, onto a stack
 *   that has been scanned already. So no pointer is deleted, not even by nil. What is cut off at
 *   the end of a string or slice changes its length alone, one word; the object stays as
 *   it was found. To cut off the beginning would be two or three words, which another goroutine
 *   could see half done, and so reach beyond the object.
 * - Pointers are never made of numbers, nor taken from elsewhere.
 */
#include <string.h>

#include "compile/edit_tree.h"

static int wrong(struct job *j, const struct expr *e, const char *message, const char *hint)
{
	job_wrong_all(j, e, "%s", message);
	if (hint)
		diag_hint(j->d, "%s", hint);
	return -1;
}

/* "'x' is of type T, @what" */
static int wrong_type(struct job *j, const struct expr *e, const struct gotype *t,
		      const char *what, const char *hint)
{
	job_wrong_all(j, e, "'%s' is of type %s, %s", job_text(j, e), t->name, what);
	if (hint)
		diag_hint(j->d, "%s", hint);
	return -1;
}

/* --- places ------------------------------------------------------------------ */

/* The type of @e; no operation is added to the program. NULL: an error. */
static const struct gotype *type_of(struct job *j, const struct expr *e,
				    struct operand_place *p)
{
	struct operand *c = &j->code;
	size_t nops = c->nops;
	uint8_t reg = c->reg;
	int err;

	j->unavailable = NULL;
	err = place_compile(j, e, p);
	c->nops = nops;
	c->reg = reg;
	return err ? NULL : job_type_of(p);
}

/* The bytes of strings, and values inside of interfaces, are immutable. */
static int check_path(struct job *j, const struct expr *e)
{
	struct operand_place p;
	const struct gotype *t;

	for (; e; e = e->x) {
		if (e->kind == EXPR_ASSERT) {
			t = type_of(j, e, &p);
			if (!t)
				return -1;
			if (t->kind != GOTYPE_POINTER)
				return wrong(j, e, "what an interface holds can't be changed",
					     "what a pointer in it leads to can: x.(*T).field");
		}
		if (e->kind != EXPR_INDEX)
			continue;
		t = type_of(j, e->x, &p);
		if (!t)
			return -1;
		if (t->kind == GOTYPE_STRING)
			return wrong(j, e, "the bytes of a string can't be changed",
				     "others may have the same bytes");
	}
	return 0;
}

static int check_place(struct job *j, const struct expr *e, struct operand_place *p)
{
	const struct gotype *t = type_of(j, e, p);

	if (!t && p->steps.n == 0)
		return -1;
	if (p->steps.n)
		return wrong(j, e, "this is found by goprobectl, after the call: too late to be changed",
			     "entries of maps and elements of channels can't be set; what an interface holds needs its type, as in x.(*T).field");
	if (j->unavailable)
		return job_wrong_all(j, e, "'%s' is not available: %s", job_text(j, e),
				     j->unavailable);
	if (p->kind == OPERAND_CONSTANT || p->kind == OPERAND_REGISTER ||
	    e->kind == EXPR_LEN || e->kind == EXPR_CAP || e->kind == EXPR_ASSERT)
		return wrong(j, e, "only variables, and what they are made of, can be set", NULL);
	if (p->fixed)
		return wrong(j, e, "a variable that is captured by value never changes: it can't be set",
			     "all later calls of the closure have the same copy");
	return check_path(j, e);
}

/* --- values ------------------------------------------------------------------------ */

/* Why no value of type @t can be set; or NULL. */
static const char *why_not(const struct gotype *t)
{
	switch (t->kind) {
	case GOTYPE_STRUCT:
		return "which is set field by field";
	case GOTYPE_ARRAY:
		return "which is set element by element";
	case GOTYPE_COMPLEX:
		return "which can't be set";
	case GOTYPE_UNKNOWN:
		return "of which nothing is known";
	case GOTYPE_POINTER:
		return strcmp(t->name, GOTYPE_REGISTER) ? NULL : "of which nothing is known";
	default:
		return t->size ? NULL : "which has no bytes";
	}
}

/* Numbers, true and false: of the same type, or a constant that fits. */
static int check_number(struct job *j, const struct expr *e, struct editvalue *v)
{
	const struct typed *n = typed_expr(j, e);

	if (!n)
		return -1;
	if (typed_word_needs(j, e) & ~(EXPR_NEEDS_PARAM | EXPR_NEEDS_RESULT))
		return wrong(j, e, "what is said of the call itself, as 'n', 'goid' or 'under', is for conditions",
			     NULL);
	v->kind = EDITVALUE_NUMBER;
	v->node = typed_assign(j, n, v->type, v->to);
	return v->node ? 0 : -1;
}

/* s = s[i:k] */
static int check_part(struct job *j, const struct expr *e, struct editvalue *v)
{
	const struct gotype *t = v->type;

	if (t->kind != GOTYPE_STRING && t->kind != GOTYPE_SLICE)
		return wrong_type(j, v->to, t, "which has no parts", NULL);
	if (!expr_same(e->x, v->to))
		return wrong(j, e->x, "a slice or string can only become a part of itself",
			     "what it was made of is all that is sure to be there");
	v->low = e->index;
	v->high = e->high;
	if (v->low && v->low->kind == EXPR_NUMBER && !v->low->number)
		v->low = NULL;
	if (v->low && v->shared)
		return wrong(j, e->index,
			     "the beginning can't be cut off where other goroutines can see it half done",
			     "of arguments and results it can; of others the end: s = s[:n]");
	v->kind = EDITVALUE_PART;
	return 0;
}

static int check_text(struct job *j, const struct expr *e, struct editvalue *v)
{
	if (e->kind == EXPR_STRING && !e->n) {
		v->kind = v->shared ? EDITVALUE_LEN_ZERO : EDITVALUE_ZERO;
		return 0;
	}
	return wrong(j, e, "a string can only be cut: 's = s[:3]', or 's = \"\"'",
		     "for other bytes there is no memory in the program");
}

/* Pointers, strings, slices, interfaces, maps, channels, functions. */
static int check_reference(struct job *j, const struct expr *e, struct editvalue *v)
{
	const struct gotype *t = v->type;

	if (t->kind == GOTYPE_STRING)
		return check_text(j, e, v);
	if (typed_word_of(j, e) != EXPRWORD_NIL)
		return t->kind == GOTYPE_SLICE ?
		       wrong(j, e, "a slice can only be cut, 's = s[:3]', or be nil",
			     "for other elements there is no memory in the program") :
		       wrong_type(j, v->to, t, "and can be set to nil only",
				  "the garbage collector must know where each pointer comes from");
	if (v->shared)
		return wrong_type(j, v->to, t,
				  "and no pointer is taken away where the garbage collector looks",
				  t->kind == GOTYPE_SLICE ?
				  "its length can be: s = s[:0]" :
				  "of arguments and results it can; elsewhere the collector must see what is deleted while it is marking");
	v->kind = EDITVALUE_ZERO;
	return 0;
}

int edit_check(struct job *j, const struct edit_parse_set *set, struct editvalue *ret)
{
	const struct expr *e = set->value;
	struct operand_place p = { .steps.n = 0 };
	const char *why;

	*ret = (struct editvalue){ .to = set->to };
	j->code.reg = 0;
	if (check_place(j, set->to, &p))
		return -1;
	ret->type = p.type;
	ret->shared = p.kind != OPERAND_PARTS && p.kind != OPERAND_STACK;
	why = why_not(p.type);
	if (why)
		return wrong_type(j, set->to, p.type, why, NULL);
	if (e->kind == EXPR_SLICE)
		return check_part(j, e, ret);
	if (p.type->kind == GOTYPE_STRING || constant_has_nil(p.type))
		return check_reference(j, e, ret);
	return check_number(j, e, ret);
}
