// SPDX-License-Identifier: GPL-2.0
/*
 * Operators of conditions get types, as the Go specification has them ("Operators", "Comparison
 * operators", "Constant expressions"). What is constant, or can't be otherwise, is worked out.
 */
#include <string.h>

#include "compile/cond_tree.h"

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

/* Constant @n as the type of @other has it. */
static const struct filternode *convert(struct filterjob *f, const struct filternode *n,
					const struct filternode *other)
{
	const struct gotype *t = other->type;
	struct filterconst value = n->value;
	const char *why = filterconst_convert(&value, t), *text, *of;
	int len, of_len;

	if (!why)
		return filternode_const(f, n->e, t, value);
	text = filternode_text(f, n->e, &len);
	of = filternode_text(f, other->e, &of_len);
	return filternode_wrong(f, n->e, "'%.*s' %s %s, the type of '%.*s'", len, text, why,
				t->name, of_len, of);
}

/* Operands get one type, where one has none, and must have the same. */
static int unify(struct filterjob *f, const struct expr *e, const struct filternode **l,
		 const struct filternode **r)
{
	int len, other;
	const char *text, *of;

	if (!(*l)->type && (*r)->type)
		*l = convert(f, *l, *r);
	else if ((*l)->type && !(*r)->type)
		*r = convert(f, *r, *l);
	if (!*l || !*r)
		return -1;
	if (!(*l)->type || same_type((*l)->type, (*r)->type))
		return 0;
	text = filternode_text(f, (*l)->e, &len);
	of = filternode_text(f, (*r)->e, &other);
	filternode_wrong(f, e, "'%.*s' is of type %s, and '%.*s' of type %s: Go does not mix them",
			 len, text, (*l)->type->name, other, of, (*r)->type->name);
	return -1;
}

static const struct filternode *fold(struct filterjob *f, const struct expr *e,
				     const struct filternode *l, const struct filternode *r)
{
	const struct gotype *type = l->type ? l->type : r ? r->type : NULL;
	struct filterconst value;
	const char *why = filterconst_fold(e->op, &l->value, r ? &r->value : NULL, &value);

	if (why)
		return filternode_wrong_operator(f, e, why);
	if (value.kind == FILTERCONST_BOOL)
		type = NULL;
	if (type && filterconst_convert(&value, type))
		return filternode_wrong(f, e, "this constant does not fit into %s", type->name);
	return filternode_const(f, e, type, value);
}

static struct filternode *binary(struct filterjob *f, const struct expr *e,
				 const struct filternode *l, const struct filternode *r,
				 const struct gotype *type)
{
	struct filternode *n = filternode_make(f, FILTERNODE_BINARY, e, type);

	if (n) {
		n->op = e->op;
		n->l = l;
		n->r = r;
		n->pure = l->pure && r->pure;
	}
	return n;
}

static const struct filternode *type_logic(struct filterjob *f, const struct expr *e,
					   const struct filternode *l, const struct filternode *r)
{
	bool decides = e->op == EXPR_OR;
	const struct filternode *bad = filternode_is_bool(l) ? r : l;

	if (!filternode_is_bool(l) || !filternode_is_bool(r))
		return filternode_wrong(f, bad->e, "'%.*s' is neither true nor false",
					(int)bad->e->len,
			     f->j->text + bad->e->at);
	if (filternode_is_const(l))
		return l->value.b == decides ? filternode_bool(f, e, decides) : r;
	if (filternode_is_const(r) && r->value.b != decides)
		return l;
	if (filternode_is_const(r) && l->pure)
		return filternode_bool(f, e, decides);
	return binary(f, e, l, r, &filtertype_boolean);
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
static int certain(const struct filternode *n, enum expr_op op, const struct filterconst *c)
{
	if (!n->pure || !filtertype_is_whole(n->type))
		return 0;
	if (c->i == filterconst_min(n->type))
		return op == EXPR_LT ? -1 : op == EXPR_GE ? 1 : 0;
	if (c->i == filterconst_max(n->type))
		return op == EXPR_GT ? -1 : op == EXPR_LE ? 1 : 0;
	return 0;
}

static enum expr_op mirrored(enum expr_op op)
{
	return op == EXPR_LT ? EXPR_GT : op == EXPR_GT ? EXPR_LT :
	       op == EXPR_LE ? EXPR_GE : op == EXPR_GE ? EXPR_LE : op;
}

static const struct filternode *type_comparison(struct filterjob *f, const struct expr *e,
						const struct filternode *l,
						const struct filternode *r)
{
	struct filternode *n;
	const char *why;
	int sure;

	if (unify(f, e, &l, &r))
		return NULL;
	if (filternode_is_const(l) && filternode_is_const(r))
		return fold(f, e, l, r);
	why = why_not_compared(l->type, e->op, filternode_is_const(l) || filternode_is_const(r));
	if (why)
		return filternode_wrong_operator(f, e, why);
	n = binary(f, e, filternode_is_const(l) ? r : l, filternode_is_const(l) ? l : r,
		   &filtertype_boolean);
	if (!n)
		return NULL;
	/* A constant is always on the right. */
	if (filternode_is_const(l))
		n->op = mirrored(n->op);
	if (!filternode_is_const(n->r))
		return n;
	if (n->r->value.kind == FILTERCONST_STRING && n->r->value.n > FILTER_STRING_MAX)
		return filternode_too_long(f, n->r->e);
	sure = certain(n->l, n->op, &n->r->value);
	return sure ? filternode_bool(f, e, sure > 0) : n;
}

static bool is_whole(const struct filternode *n)
{
	return n->type ? filtertype_is_whole(n->type) :
	       filternode_is_const(n) && n->value.kind == FILTERCONST_INT;
}

static const struct filternode *type_shift(struct filterjob *f, const struct expr *e,
					   const struct filternode *l, const struct filternode *r)
{
	struct filternode *n;

	if (!is_whole(l) || !is_whole(r))
		return filternode_wrong_operator(f, e,
						 "only whole numbers can be shifted, and by whole numbers");
	if (filternode_is_const(r) && r->value.i < 0)
		return filternode_wrong(f, r->e, "nothing can be shifted by a negative number");
	if (filternode_is_const(l) && filternode_is_const(r))
		return fold(f, e, l, r);
	if (!l->type)
		return filternode_wrong(f, l->e, "it is not clear which type this constant has");
	if (filternode_is_const(r) && r->value.i > UINT64_MAX)
		return filternode_wrong(f, r->e, "the count of a shift must fit into uint64");
	n = binary(f, e, l, r, l->type);
	if (n)
		n->pure = n->pure && (filternode_is_const(r) || r->type->kind == GOTYPE_UINT);
	return n;
}

static const struct filternode *type_arithmetic(struct filterjob *f, const struct expr *e,
						const struct filternode *l,
						const struct filternode *r)
{
	bool divides = e->op == EXPR_DIV || e->op == EXPR_MOD;
	struct filternode *n;

	if (unify(f, e, &l, &r))
		return NULL;
	if (filternode_is_const(l) && filternode_is_const(r))
		return fold(f, e, l, r);
	if (!filtertype_is_whole(l->type))
		return filternode_wrong_operator(f, e, l->type->kind == GOTYPE_FLOAT ?
				      "floats can be compared in a condition, and nothing else" :
				      "this operator is for numbers only");
	if (divides && filternode_is_const(r) && !r->value.i)
		return filternode_wrong(f, r->e, "this divides by 0");
	n = binary(f, e, l, r, l->type);
	if (n)
		n->pure = n->pure && (!divides || filternode_is_const(r));
	return n;
}

const struct filternode *filterop_binary(struct filterjob *f, const struct expr *e)
{
	const struct filternode *l = filtertype_make(f, e->x), *r;

	if (!l)
		return NULL;
	r = filtertype_make(f, e->index);
	if (!r)
		return NULL;
	switch (e->op) {
	case EXPR_OR:
	case EXPR_AND:
		return type_logic(f, e, l, r);
	case EXPR_EQ:
	case EXPR_NE:
	case EXPR_LT:
	case EXPR_LE:
	case EXPR_GT:
	case EXPR_GE:
		return type_comparison(f, e, l, r);
	case EXPR_SHL:
	case EXPR_SHR:
		return type_shift(f, e, l, r);
	default:
		return type_arithmetic(f, e, l, r);
	}
}

const struct filternode *filterop_unary(struct filterjob *f, const struct expr *e)
{
	const struct filternode *x = filtertype_make(f, e->x);
	struct filternode *n;

	if (!x)
		return NULL;
	if (filternode_is_const(x))
		return fold(f, e, x, NULL);
	if (e->op == EXPR_NOT ? !filternode_is_bool(x) : !is_whole(x))
		return filternode_wrong_operator(f, e, e->op == EXPR_NOT ?
				      "'!' is for what is true or false" :
				      "this operator is for whole numbers only");
	if (e->op == EXPR_PLUS)
		return x;
	n = filternode_make(f, FILTERNODE_UNARY, e, x->type);
	if (n) {
		n->op = e->op;
		n->l = x;
		n->pure = x->pure;
	}
	return n;
}
