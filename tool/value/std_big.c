// SPDX-License-Identifier: GPL-2.0
/* Numbers of any size: package math/big, as String() writes them. */
#include <string.h>

#include "base/unaligned.h"
#include "value/std.h"

/* Digits of 32 bits that are computed with; what has more is shown as a struct. */
#define LIMBS 1024U
#define LIMB_DIGITS 9U
#define LIMB_BASE 1000000000U
/* Decimal digits of all of these: log10(2^32) is 9.63. */
#define DIGITS (LIMBS * 10)
/* Float.String() has ten digits at most. */
#define FLOAT_DIGITS 10

/* A natural number, least significant digit first, without zeros at the end. */
struct natural {
	uint32_t v[LIMBS];
	size_t n;
};

static void normalize(struct natural *x)
{
	while (x->n && !x->v[x->n - 1])
		x->n--;
}

/* Of a field of type nat: false if it is not all there, or too long. */
static bool get(struct value_ctx *v, const struct value_what *w, const char *name,
		struct natural *ret)
{
	const struct gofield *f = value_known_field(w->t, name, GOTYPE_SLICE, 24);
	struct value_bytes s;

	if (!f || !f->type->elem || f->type->elem->kind != GOTYPE_UINT ||
	    f->type->elem->size != 8)
		return false;
	value_slice(v, f->type, w->p + f->offset, &s);
	if (s.have != s.len || s.len > LIMBS / 2)
		return false;
	ret->n = s.len * 2;
	for (size_t i = 0; i < ret->n; i++)
		ret->v[i] = load_u32(s.data + 4 * i);
	normalize(ret);
	return true;
}

static uint32_t divide(struct natural *x, uint32_t by)
{
	uint64_t rest = 0;

	for (size_t i = x->n; i-- > 0;) {
		rest = rest << 32 | x->v[i];
		x->v[i] = (uint32_t)(rest / by);
		rest %= by;
	}
	normalize(x);
	return (uint32_t)rest;
}

static bool multiply(struct natural *x, uint32_t by)
{
	uint64_t carry = 0;

	for (size_t i = 0; i < x->n; i++) {
		carry += (uint64_t)x->v[i] * by;
		x->v[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (!carry)
		return true;
	if (x->n == LIMBS)
		return false;
	x->v[x->n++] = (uint32_t)carry;
	return true;
}

/* Its decimal digits, which end where @digits ends; @x becomes 0. The first one of them. */
static char *decimal(struct natural *x, char digits[DIGITS + 1])
{
	size_t at = DIGITS;

	digits[at] = 0;
	while (x->n) {
		uint32_t rest = divide(x, LIMB_BASE);

		for (unsigned int i = 0; i < LIMB_DIGITS && (x->n || rest); i++) {
			digits[--at] = (char)('0' + rest % 10);
			rest /= 10;
		}
	}
	if (at == DIGITS)
		digits[--at] = '0';
	return digits + at;
}

static void put(struct buf *b, struct natural *x)
{
	char digits[DIGITS + 1];

	buf_str(b, decimal(x, digits));
}

static bool is_negative(const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "neg", GOTYPE_BOOL, 1);

	return f && w->p[f->offset];
}

/* The Int at @w. */
static bool integer(struct value_ctx *v, struct buf *b, const struct value_what *w, bool one_if_0)
{
	struct natural x;

	if (!get(v, w, "abs", &x))
		return false;
	if (is_negative(w))
		buf_char(b, '-');
	if (!x.n && one_if_0)
		buf_char(b, '1');
	else
		put(b, &x);
	return true;
}

static bool show_big_int(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	bool convert = value_convert(b, w);

	if (!integer(v, b, w, false))
		return false;
	if (convert)
		buf_char(b, ')');
	return true;
}

/* A denominator of 0 is 1. */
static bool show_big_rat(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	bool convert = value_convert(b, w);

	for (int i = 0; i < 2; i++) {
		const struct gofield *f = value_known_field(w->t, i ? "b" : "a", GOTYPE_STRUCT, 32);
		struct value_what part = *w;

		if (!f)
			return false;
		part.t = f->type;
		part.p = w->p + f->offset;
		if (i)
			buf_char(b, '/');
		if (!integer(v, b, &part, i))
			return false;
	}
	if (convert)
		buf_char(b, ')');
	return true;
}

/* Make @x times 2^@shift an integer times 10^-*@point. False if that is too large. */
static bool to_decimal(struct natural *x, int64_t shift, int64_t *point)
{
	*point = 0;
	while (x->n && shift < 0 && !(x->v[0] & 1)) {
		divide(x, 2);
		shift++;
	}
	if (shift > 32LL * LIMBS || shift < -32LL * LIMBS)
		return false;
	for (; shift > 0; shift--)
		if (!multiply(x, 2))
			return false;
	for (; shift < 0; shift++, ++*point)
		if (!multiply(x, 5))
			return false;
	return true;
}

/* Round @n digits to FLOAT_DIGITS; exactly between two, to the even one. Number of digits. */
static int round_digits(char *d, size_t n, int64_t *point)
{
	int i = FLOAT_DIGITS;
	bool up;

	if (n > FLOAT_DIGITS) {
		up = d[i] == '5' && n == FLOAT_DIGITS + 1 ? d[i - 1] & 1 : d[i] >= '5';
		while (up && i > 0 && d[i - 1] == '9')
			i--;
		if (up && !i) {
			d[i++] = '1';
			++*point;
		} else if (up) {
			d[i - 1]++;
		}
		n = (size_t)i;
	}
	while (n > 1 && d[n - 1] == '0')
		n--;
	return (int)n;
}

/* As %.10g of the value 0.@d times 10^@point. */
static void put_float(struct buf *b, const char *d, int n, int64_t point)
{
	int most = n < FLOAT_DIGITS && n >= point ? n : FLOAT_DIGITS;
	int64_t e = point - 1;
	uint64_t size = (uint64_t)(e < 0 ? -e : e);

	if (e < -4 || e >= most) {
		buf_char(b, d[0]);
		if (n > 1)
			buf_char(b, '.');
		buf_mem(b, d + 1, (size_t)n - 1);
		buf_str(b, e < 0 ? "e-" : "e+");
		if (size < 10)
			buf_char(b, '0');
		buf_u64(b, size);
		return;
	}
	if (point <= 0)
		buf_char(b, '0');
	for (int64_t i = 0; i < point; i++)
		buf_char(b, i < n ? d[i] : '0');
	if (n <= point)
		return;
	buf_char(b, '.');
	for (int64_t i = point; i < n; i++)
		buf_char(b, i < 0 ? '0' : d[i]);
}

/* The mantissa is a fraction: its most significant bit is worth a half. */
static bool put_finite(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *mant = value_known_field(w->t, "mant", GOTYPE_SLICE, 24);
	const struct gofield *exp = value_known_field(w->t, "exp", GOTYPE_INT, 4);
	char digits[DIGITS + 1], *first;
	struct natural x;
	int64_t e, point;
	int digit_count;
	size_t n;

	if (!exp || !value_integer(exp->type, w->p + exp->offset, &e) || !get(v, w, "mant", &x) ||
	    !x.n || !to_decimal(&x, e - 64 * (int64_t)value_word(w->p + mant->offset + 8), &point))
		return false;
	first = decimal(&x, digits);
	n = strlen(first);
	point = (int64_t)n - point;
	digit_count = round_digits(first, n, &point);
	put_float(b, first, digit_count, point);
	return true;
}

static bool show_big_float(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	enum { ZERO, FINITE, INF };
	const struct gofield *f = value_known_field(w->t, "form", GOTYPE_UINT, 1);
	bool convert = value_convert(b, w), neg = is_negative(w);

	if (!f || w->p[f->offset] > INF)
		return false;
	if (neg || w->p[f->offset] == INF)
		buf_char(b, neg ? '-' : '+');
	if (w->p[f->offset] == ZERO)
		buf_char(b, '0');
	else if (w->p[f->offset] == INF)
		buf_str(b, "Inf");
	else if (!put_finite(v, b, w))
		return false;
	if (convert)
		buf_char(b, ')');
	return true;
}

const struct value_known value_known_big[] = {
	JSON("math/big.Int", GOTYPE_STRUCT, show_big_int),
	JSON("math/big.Rat", GOTYPE_STRUCT, show_big_rat),
	JSON("math/big.Float", GOTYPE_STRUCT, show_big_float),
	{ 0 },
};
