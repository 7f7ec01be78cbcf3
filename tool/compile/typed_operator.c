// SPDX-License-Identifier: GPL-2.0
/*
 * The types of operators, as the Go specification has them ("Operators", "Comparison operators",
 * "Constant expressions"). Constants are folded, and so is what all values decide alike.
 */
#include <string.h>

#include "compile/typed.h"

/* Type names, but for what the compiler calls the types of generic functions. */
static bool same_type(const struct gotype *a, const struct gotype *b)
{
	static const char shape[] = "go.shape.";
	const char *x = a->name, *y = b->name;

	if (strncmp(x, shape, sizeof(shape) - 1) == 0)
		x += sizeof(shape) - 1;
	if (strncmp(y, shape, sizeof(shape) - 1) == 0)
		y += sizeof(shape) - 1;
	return a == b || strcmp(x, y) == 0;
}

/* An error about all of @e, and one about its operator; both return NULL. */
static const struct typed *wrong(struct job *j, const struct expr *e, const char *message)
{
	job_wrong_all(j, e, "%s", message);
	return NULL;
}

static const struct typed *wrong_operator(struct job *j, const struct expr *e,
					  const char *message)
{
	job_wrong(j, e, "%s", message);
	return NULL;
}

static const struct typed *mixed(struct job *j, const struct expr *e,
				 const struct typed *n, const struct expr *other,
				 const struct gotype *t)
{
	job_wrong_all(j, e, "'%s' is of type %s, and '%s' of type %s: Go does not mix them",
		      job_text(j, n->e), n->type->name, job_text(j, other), t->name);
	return NULL;
}

/* Constant @n as type @t has it, which is the type of @of. */
static const struct typed *convert(struct job *j, const struct typed *n,
				   const struct gotype *t, const struct expr *of)
{
	struct constant value = n->value;
	const char *why = constant_convert(&value, t);

	if (!why)
		return typed_const(j, n->e, t, value);
	job_wrong_all(j, n->e, "'%s' %s %s, the type of '%s'", job_text(j, n->e), why,
		      t->name, job_text(j, of));
	return NULL;
}

const struct typed *typed_assign(struct job *j, const struct typed *n,
				 const struct gotype *t, const struct expr *to)
{
	if (n->type && same_type(n->type, t))
		return n;
	if (typed_is_const(n))
		return convert(j, n, t, to);
	/* A comparison can have any type whose values are true and false. */
	return t->kind == GOTYPE_BOOL && n->type == &typed_boolean ? n :
	       mixed(j, n->e, n, to, t);
}

/* An operand without a type gets the one of the other; else both must have the same. */
static int unify(struct job *j, const struct expr *e, const struct typed **l,
		 const struct typed **r)
{
	if (!(*l)->type && (*r)->type)
		*l = convert(j, *l, (*r)->type, (*r)->e);
	else if ((*l)->type && !(*r)->type)
		*r = convert(j, *r, (*l)->type, (*l)->e);
	if (!*l || !*r)
		return -1;
	if ((*l)->type && !same_type((*l)->type, (*r)->type))
		return mixed(j, e, *l, (*r)->e, (*r)->type) ? 0 : -1;
	return 0;
}

static const struct typed *fold(struct job *j, const struct expr *e,
				const struct typed *l, const struct typed *r)
{
	const struct gotype *type = l->type ? l->type : r ? r->type : NULL;
	struct constant value;
	const char *why = constant_fold(e->op, &l->value, r ? &r->value : NULL, &value);

	if (why)
		return wrong_operator(j, e, why);
	if (value.kind == CONSTANT_BOOL)
		type = NULL;
	if (type && constant_convert(&value, type)) {
		job_wrong_all(j, e, "this constant does not fit into %s", type->name);
		return NULL;
	}
	return typed_const(j, e, type, value);
}

static struct typed *binary(struct job *j, const struct expr *e,
			    const struct typed *l, const struct typed *r,
			    const struct gotype *type)
{
	struct typed *n = typed_make(j, TYPED_BINARY, e, type);

	if (n) {
		n->op = e->op;
		n->l = l;
		n->r = r;
		n->pure = l->pure && r->pure;
	}
	return n;
}

static const struct typed *type_logic(struct job *j, const struct expr *e,
				      const struct typed *l, const struct typed *r)
{
	bool decides = e->op == EXPR_OR;
	const struct typed *bad = typed_is_bool(l) ? r : l;

	if (!typed_is_bool(l) || !typed_is_bool(r)) {
		job_wrong_all(j, bad->e, "'%s' is neither true nor false",
			      job_text(j, bad->e));
		return NULL;
	}
	if (typed_is_const(l))
		return l->value.b == decides ? typed_bool(j, e, decides) : r;
	if (typed_is_const(r) && r->value.b != decides)
		return l;
	if (typed_is_const(r) && l->pure)
		return typed_bool(j, e, decides);
	return binary(j, e, l, r, &typed_boolean);
}

static const char only_nil[] =
	"interfaces, slices, maps and functions can only be compared with nil in a condition";

/* Why values of type @t can't be compared with @op; or NULL. */
static const char *why_not_compared(const struct gotype *t, enum expr_op op, bool with_nil)
{
	bool equality = op == EXPR_EQ || op == EXPR_NE;

	switch (t->kind) {
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
		return t->size <= 8 ? NULL : "this can't be compared in a condition";
	case GOTYPE_BOOL:
		return equality ? NULL : "true and false have no order";
	case GOTYPE_STRING:
		return equality ? NULL :
		       "strings are only compared with == and != in a condition";
	case GOTYPE_POINTER:
	case GOTYPE_CHAN:
		return equality ? NULL : "pointers have no order";
	case GOTYPE_INTERFACE:
	case GOTYPE_SLICE:
	case GOTYPE_MAP:
	case GOTYPE_FUNC:
		return with_nil && equality ? NULL : only_nil;
	default:
		return "structs, arrays and complex numbers can't be compared in a condition";
	}
}

/* -1 or 1 if @n @op @c never or always holds, whatever @n is; else 0. */
static int certain(const struct typed *n, enum expr_op op, const struct constant *c)
{
	if (!n->pure || !constant_is_whole(n->type))
		return 0;
	if (c->i == constant_min(n->type))
		return op == EXPR_LT ? -1 : op == EXPR_GE ? 1 : 0;
	if (c->i == constant_max(n->type))
		return op == EXPR_GT ? -1 : op == EXPR_LE ? 1 : 0;
	return 0;
}

static enum expr_op mirrored(enum expr_op op)
{
	return op == EXPR_LT ? EXPR_GT : op == EXPR_GT ? EXPR_LT :
	       op == EXPR_LE ? EXPR_GE : op == EXPR_GE ? EXPR_LE : op;
}

/* A []byte next to a constant string: string(b) == "text". */
static bool is_bytes_and_text(const struct typed *b, const struct typed *text)
{
	return b->type && b->type->kind == GOTYPE_SLICE && typed_is_text(b->type) &&
	       typed_is_const(text) && text->value.kind == CONSTANT_STRING;
}

static const struct typed *type_bytes(struct job *j, const struct expr *e, const struct typed *b,
				      const struct typed *text)
{
	if (e->op != EXPR_EQ && e->op != EXPR_NE)
		return wrong_operator(j, e, "texts are only compared with == and != in a condition");
	return text->value.n > FILTER_STRING_MAX ? typed_too_long(j, text->e) :
						   binary(j, e, b, text, &typed_boolean);
}

static const struct typed *type_comparison(struct job *j, const struct expr *e,
					   const struct typed *l,
					   const struct typed *r)
{
	struct typed *n;
	const char *why;
	int sure;

	if (is_bytes_and_text(l, r))
		return type_bytes(j, e, l, r);
	if (is_bytes_and_text(r, l))
		return type_bytes(j, e, r, l);
	if (unify(j, e, &l, &r))
		return NULL;
	if (typed_is_const(l) && typed_is_const(r))
		return fold(j, e, l, r);
	why = why_not_compared(l->type, e->op, typed_is_const(l) || typed_is_const(r));
	if (why)
		return wrong_operator(j, e, why);
	n = binary(j, e, typed_is_const(l) ? r : l, typed_is_const(l) ? l : r, &typed_boolean);
	if (!n)
		return NULL;
	/* A constant is always on the right. */
	if (typed_is_const(l))
		n->op = mirrored(n->op);
	if (!typed_is_const(n->r))
		return n;
	if (n->r->value.kind == CONSTANT_STRING && n->r->value.n > FILTER_STRING_MAX)
		return typed_too_long(j, n->r->e);
	sure = certain(n->l, n->op, &n->r->value);
	return sure ? typed_bool(j, e, sure > 0) : n;
}

static bool is_whole(const struct typed *n)
{
	return n->type ? constant_is_whole(n->type) :
	       typed_is_const(n) && n->value.kind == CONSTANT_INT;
}

static const struct typed *type_shift(struct job *j, const struct expr *e,
				      const struct typed *l, const struct typed *r)
{
	struct typed *n;

	if (!is_whole(l) || !is_whole(r))
		return wrong_operator(j, e,
						 "only whole numbers can be shifted, and by whole numbers");
	if (typed_is_const(r) && r->value.i < 0)
		return wrong(j, r->e, "nothing can be shifted by a negative number");
	if (typed_is_const(l) && typed_is_const(r))
		return fold(j, e, l, r);
	if (!l->type)
		return wrong(j, l->e, "it is not clear which type this constant has");
	if (typed_is_const(r) && r->value.i > UINT64_MAX)
		return wrong(j, r->e, "the count of a shift must fit into uint64");
	n = binary(j, e, l, r, l->type);
	if (n)
		n->pure = n->pure && (typed_is_const(r) || r->type->kind == GOTYPE_UINT);
	return n;
}

static const struct typed *type_arithmetic(struct job *j, const struct expr *e,
					   const struct typed *l,
					   const struct typed *r)
{
	bool divides = e->op == EXPR_DIV || e->op == EXPR_MOD;
	struct typed *n;

	if (unify(j, e, &l, &r))
		return NULL;
	if (typed_is_const(l) && typed_is_const(r))
		return fold(j, e, l, r);
	if (!constant_is_whole(l->type))
		return wrong_operator(j, e, l->type->kind == GOTYPE_FLOAT ?
				      "floats can be compared in a condition, and nothing else" :
				      "this operator is for numbers only");
	if (divides && typed_is_const(r) && !r->value.i)
		return wrong(j, r->e, "this divides by 0");
	n = binary(j, e, l, r, l->type);
	if (n)
		n->pure = n->pure && (!divides || typed_is_const(r));
	return n;
}

const struct typed *typed_binary(struct job *j, const struct expr *e)
{
	const struct typed *l = typed_expr(j, e->x), *r;

	if (!l)
		return NULL;
	r = typed_expr(j, e->index);
	if (!r)
		return NULL;
	switch (e->op) {
	case EXPR_OR:
	case EXPR_AND:
		return type_logic(j, e, l, r);
	case EXPR_EQ:
	case EXPR_NE:
	case EXPR_LT:
	case EXPR_LE:
	case EXPR_GT:
	case EXPR_GE:
		return type_comparison(j, e, l, r);
	case EXPR_SHL:
	case EXPR_SHR:
		return type_shift(j, e, l, r);
	default:
		return type_arithmetic(j, e, l, r);
	}
}

const struct typed *typed_unary(struct job *j, const struct expr *e)
{
	const struct typed *x = typed_expr(j, e->x);
	struct typed *n;

	if (!x)
		return NULL;
	if (typed_is_const(x))
		return fold(j, e, x, NULL);
	if (e->op == EXPR_NOT ? !typed_is_bool(x) : !is_whole(x))
		return wrong_operator(j, e, e->op == EXPR_NOT ?
				      "'!' is for what is true or false" :
				      "this operator is for whole numbers only");
	if (e->op == EXPR_PLUS)
		return x;
	n = typed_make(j, TYPED_UNARY, e, x->type);
	if (n) {
		n->op = e->op;
		n->l = x;
		n->pure = x->pure;
	}
	return n;
}
