// SPDX-License-Identifier: GPL-2.0
/* Order of values. */
#include <math.h>
#include <string.h>

#include "value/compare.h"

/* Keys are rarely nested at all. */
#define DEPTH_MAX 8

static int order(struct value_ctx *v, const struct gotype *t, const uint8_t *a, const uint8_t *b,
		 int depth);

static int unsigneds(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int integers(const struct gotype *t, const uint8_t *a, const uint8_t *b)
{
	int64_t x = 0, y = 0;

	value_integer(t, a, &x);
	value_integer(t, b, &y);
	if (t->kind != GOTYPE_INT)
		return unsigneds(x, y);
	return (x > y) - (x < y);
}

/* NaN comes first. */
static int floats(double a, double b)
{
	if (isnan(a) || isnan(b))
		return !isnan(a) - !isnan(b);
	return (a > b) - (a < b);
}

static int complexes(const uint8_t *a, const uint8_t *b, unsigned int half)
{
	int c = floats(value_float(a, half), value_float(b, half));

	return c ? c : floats(value_float(a + half, half), value_float(b + half, half));
}

static int strings(struct value_ctx *v, const uint8_t *a, const uint8_t *b)
{
	struct value_bytes x, y;
	int c;

	value_string(v, a, &x);
	value_string(v, b, &y);
	c = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
	return c ? c : unsigneds(x.len, y.len);
}

static int fields(struct value_ctx *v, const struct gotype *t, const uint8_t *a, const uint8_t *b,
		  int depth)
{
	int c = 0;

	for (size_t i = 0; !c && i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (f->type && f->offset <= t->size && f->type->size <= t->size - f->offset)
			c = order(v, f->type, a + f->offset, b + f->offset, depth);
	}
	return c;
}

static int interfaces(struct value_ctx *v, const struct gotype *t, const uint8_t *a,
		      const uint8_t *b, int depth)
{
	struct value_iface x, y;
	int c;

	value_iface(v, t, a, &x);
	value_iface(v, t, b, &y);
	if (x.nil || y.nil)
		return y.nil - x.nil;
	c = strcmp(x.name ?: "", y.name ?: "");
	if (c)
		return c;
	if (x.type == y.type && x.p && y.p)
		return order(v, x.dynamic, x.p, y.p, depth);
	return unsigneds(x.data, y.data);
}

static int order(struct value_ctx *v, const struct gotype *t, const uint8_t *a, const uint8_t *b,
		 int depth)
{
	int c = 0;

	if (depth == DEPTH_MAX || !value_type_fits(t))
		return 0;
	switch (t->kind) {
	case GOTYPE_BOOL:
		return unsigneds(a[0], b[0]);
	case GOTYPE_INT:
	case GOTYPE_UINT:
		return integers(t, a, b);
	case GOTYPE_FLOAT:
		return floats(value_float(a, t->size), value_float(b, t->size));
	case GOTYPE_COMPLEX:
		return complexes(a, b, t->size / 2);
	case GOTYPE_STRING:
		return strings(v, a, b);
	case GOTYPE_ARRAY:
		for (uint64_t i = 0; !c && i < t->count && t->elem->size; i++)
			c = order(v, t->elem, a + i * t->elem->size, b + i * t->elem->size,
				  depth + 1);
		return c;
	case GOTYPE_STRUCT:
		return fields(v, t, a, b, depth + 1);
	case GOTYPE_INTERFACE:
		return interfaces(v, t, a, b, depth + 1);
	case GOTYPE_POINTER:
	case GOTYPE_CHAN:
		return unsigneds(value_word(a), value_word(b));
	default:
		return 0;
	}
}

int value_order(struct value_ctx *v, const struct gotype *t, const uint8_t *a, const uint8_t *b)
{
	return order(v, t, a, b, 0);
}
