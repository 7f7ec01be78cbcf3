// SPDX-License-Identifier: GPL-2.0
/* Constants, their operators and conversions. As in Go, a constant gets the type of its context. */
#include <math.h>
#include <string.h>

#include "compile/typed.h"

static const char no_such[] = "this operator is not for these constants";
static const char too_large[] = "this constant is too large";

/* All constants are smaller, so the checks for overflow of 128 bits suffice. */
#define LARGEST ((__int128)1 << 100)

__int128 constant_min(const struct gotype *t)
{
	return t->kind == GOTYPE_INT ? -((__int128)1 << (t->size * 8 - 1)) : 0;
}

__int128 constant_max(const struct gotype *t)
{
	return ((__int128)1 << (t->size * 8 - (t->kind == GOTYPE_INT))) - 1;
}

bool constant_of(const struct expr *e, struct constant *ret)
{
	switch (e->kind) {
	case EXPR_FLOAT:
		*ret = (struct constant){ .kind = CONSTANT_FLOAT, .f = e->f };
		return true;
	case EXPR_STRING:
		*ret = (struct constant){ .kind = CONSTANT_STRING, .s = e->s, .n = e->n };
		return true;
	case EXPR_NUMBER:
	case EXPR_DURATION:
		*ret = (struct constant){
			.kind = CONSTANT_INT, .duration = e->kind == EXPR_DURATION,
			.i = e->negative ? (int64_t)e->number : (__int128)e->number };
		return true;
	case EXPR_NAME:
		*ret = (struct constant){ .kind = CONSTANT_BOOL,
					     .b = strcmp(e->s, "true") == 0 };
		return ret->b || strcmp(e->s, "false") == 0;
	default:
		return false;
	}
}

/* --- operators ------------------------------------------------------------------ */

static bool holds(enum expr_op op, int sign)
{
	switch (op) {
	case EXPR_EQ:
		return sign == 0;
	case EXPR_NE:
		return sign != 0;
	case EXPR_LT:
		return sign < 0;
	case EXPR_LE:
		return sign <= 0;
	case EXPR_GT:
		return sign > 0;
	default:
		return sign >= 0;
	}
}

static bool is_comparison(enum expr_op op)
{
	return op >= EXPR_EQ && op <= EXPR_GE;
}

static const char *shift(enum expr_op op, __int128 l, __int128 r, __int128 *ret)
{
	if (r < 0)
		return "nothing can be shifted by a negative number";
	if (op == EXPR_SHR) {
		*ret = l >> (r > 127 ? 127 : r);
		return NULL;
	}
	if (r > 126 || __builtin_mul_overflow(l, (__int128)1 << r, ret))
		return l ? too_large : NULL;
	return NULL;
}

static const char *divide(enum expr_op op, __int128 l, __int128 r, __int128 *ret)
{
	if (!r)
		return "this divides by 0";
	*ret = op == EXPR_DIV ? l / r : l % r;
	return NULL;
}

static const char *fold_int(enum expr_op op, __int128 l, __int128 r, __int128 *ret)
{
	bool over = false;

	*ret = 0;
	switch (op) {
	case EXPR_ADD:
		over = __builtin_add_overflow(l, r, ret);
		break;
	case EXPR_SUB:
		over = __builtin_sub_overflow(l, r, ret);
		break;
	case EXPR_MUL:
		over = __builtin_mul_overflow(l, r, ret);
		break;
	case EXPR_DIV:
	case EXPR_MOD:
		return divide(op, l, r, ret);
	case EXPR_SHL:
	case EXPR_SHR:
		return shift(op, l, r, ret);
	case EXPR_BIT_AND:
		*ret = l & r;
		break;
	case EXPR_BIT_OR:
		*ret = l | r;
		break;
	case EXPR_XOR:
		*ret = l ^ r;
		break;
	case EXPR_AND_NOT:
		*ret = l & ~r;
		break;
	default:
		return no_such;
	}
	return over ? too_large : NULL;
}

static const char *fold_float(enum expr_op op, double l, double r, double *ret)
{
	if (op == EXPR_DIV && r == 0)
		return "this divides by 0";
	*ret = op == EXPR_ADD ? l + r : op == EXPR_SUB ? l - r : op == EXPR_MUL ? l * r : l / r;
	if (op != EXPR_ADD && op != EXPR_SUB && op != EXPR_MUL && op != EXPR_DIV)
		return no_such;
	return isfinite(*ret) ? NULL : too_large;
}

static double number(const struct constant *c)
{
	return c->kind == CONSTANT_FLOAT ? c->f : (double)c->i;
}

static bool is_number(const struct constant *c)
{
	return c->kind == CONSTANT_INT || c->kind == CONSTANT_FLOAT;
}

static const char *fold_numbers(enum expr_op op, const struct constant *l,
				const struct constant *r, struct constant *ret)
{
	bool whole = l->kind == CONSTANT_INT && r->kind == CONSTANT_INT;
	double x = number(l), y = number(r);

	if (is_comparison(op)) {
		int sign = whole ? (l->i > r->i) - (l->i < r->i) : (x > y) - (x < y);

		*ret = (struct constant){ .kind = CONSTANT_BOOL, .b = holds(op, sign) };
		return NULL;
	}
	if (whole) {
		const char *why;

		*ret = (struct constant){ .kind = CONSTANT_INT,
					     .duration = l->duration || r->duration };
		why = fold_int(op, l->i, r->i, &ret->i);
		return why || (ret->i < LARGEST && ret->i > -LARGEST) ? why : too_large;
	}
	*ret = (struct constant){ .kind = CONSTANT_FLOAT };
	return fold_float(op, x, y, &ret->f);
}

static const char *fold_others(enum expr_op op, const struct constant *l,
			       const struct constant *r, struct constant *ret)
{
	bool same;

	if (l->kind != r->kind || l->kind == CONSTANT_NIL || (op != EXPR_EQ && op != EXPR_NE))
		return no_such;
	same = l->kind == CONSTANT_BOOL ? l->b == r->b :
	       l->n == r->n && !memcmp(l->s, r->s, l->n);
	*ret = (struct constant){ .kind = CONSTANT_BOOL, .b = same == (op == EXPR_EQ) };
	return NULL;
}

static const char *fold_unary(enum expr_op op, const struct constant *x, struct constant *ret)
{
	*ret = *x;
	if (op == EXPR_NOT) {
		ret->b = !x->b;
		return x->kind == CONSTANT_BOOL ? NULL : no_such;
	}
	if (!is_number(x) || (op == EXPR_XOR && x->kind != CONSTANT_INT))
		return no_such;
	if (op == EXPR_PLUS)
		return NULL;
	ret->f = -x->f;
	ret->i = op == EXPR_XOR ? ~x->i : -x->i;
	return NULL;
}

const char *constant_fold(enum expr_op op, const struct constant *l,
			  const struct constant *r, struct constant *ret)
{
	if (!r)
		return fold_unary(op, l, ret);
	if (is_number(l) && is_number(r))
		return fold_numbers(op, l, r, ret);
	return fold_others(op, l, r, ret);
}

/* --- types ------------------------------------------------------------------------ */

static const char *to_whole(struct constant *c, const struct gotype *t)
{
	if (c->kind == CONSTANT_FLOAT) {
		if (c->f != floor(c->f) || fabs(c->f) > 1e30)
			return "is no whole number, and so no";
		*c = (struct constant){ .kind = CONSTANT_INT, .i = (__int128)c->f };
	}
	if (c->kind != CONSTANT_INT)
		return "is no";
	if (c->duration && strcmp(t->name, "time.Duration") != 0 && strcmp(t->name, "int64") != 0)
		return "is a time.Duration, and no";
	return c->i < constant_min(t) || c->i > constant_max(t) ? "does not fit into" : NULL;
}

static const char *to_float(struct constant *c, const struct gotype *t)
{
	if (!is_number(c))
		return "is no";
	if (c->duration)
		return "is a time.Duration, and no";
	*c = (struct constant){ .kind = CONSTANT_FLOAT, .f = number(c) };
	if (t->size == sizeof(float))
		c->f = (float)c->f;
	return isfinite(c->f) ? NULL : "does not fit into";
}

bool constant_has_nil(const struct gotype *t)
{
	switch (t->kind) {
	case GOTYPE_POINTER:
	case GOTYPE_INTERFACE:
	case GOTYPE_SLICE:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		return true;
	default:
		return false;
	}
}

const char *constant_convert(struct constant *c, const struct gotype *t)
{
	bool fits;

	if (constant_is_whole(t))
		return to_whole(c, t);
	if (t->kind == GOTYPE_FLOAT)
		return to_float(c, t);
	fits = c->kind == CONSTANT_NIL ? constant_has_nil(t) :
	       c->kind == CONSTANT_STRING ? t->kind == GOTYPE_STRING :
	       c->kind == CONSTANT_BOOL && t->kind == GOTYPE_BOOL;
	return fits ? NULL : "is no";
}
