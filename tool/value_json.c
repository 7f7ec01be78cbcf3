// SPDX-License-Identifier: GPL-2.0
/* Values as JSON; docs/json.md says how each kind looks. */
#include <math.h>

#include "value.h"

static void address(struct buf *b, uint64_t v)
{
	buf_char(b, '"');
	buf_hex(b, v);
	buf_char(b, '"');
}

static void pointer(struct buf *b, uint64_t v)
{
	if (v)
		address(b, v);
	else
		buf_str(b, "null");
}

static void typed_address(struct buf *b, const char *type, uint64_t v)
{
	if (!v) {
		buf_str(b, "null");
		return;
	}
	buf_str(b, "{\"type\":");
	buf_json_str(b, type);
	buf_str(b, ",\"address\":");
	address(b, v);
	buf_char(b, '}');
}

/* JSON has no NaN and no infinity: those are strings. */
static void number(struct buf *b, double d, unsigned int size)
{
	bool odd = !isfinite(d);

	if (odd)
		buf_char(b, '"');
	buf_float(b, d, size);
	if (odd)
		buf_char(b, '"');
}

static void nested(struct value_ctx *v, struct buf *b, const struct gotype *t,
		   const uint8_t *p, size_t len);

static void elements(struct value_ctx *v, struct buf *b, const struct gotype *elem,
		     const uint8_t *p, uint64_t n)
{
	buf_char(b, '[');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			buf_char(b, ',');
		nested(v, b, elem, p + i * elem->size, elem->size);
	}
	buf_char(b, ']');
}

static void structure(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	buf_char(b, '{');
	for (size_t i = 0, shown = 0; i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (f->name[0] == '_' && !f->name[1])
			continue;
		if (shown++)
			buf_char(b, ',');
		buf_json_str(b, f->name);
		buf_char(b, ':');
		if (f->offset > t->size)
			buf_str(b, "{\"type\":\"?\",\"unavailable\":\"impossible type\"}");
		else
			nested(v, b, f->type, p + f->offset, t->size - f->offset);
	}
	buf_char(b, '}');
}

static void interface(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	struct value_iface i;

	value_iface(v, t, p, &i);
	if (i.nil) {
		buf_str(b, "null");
		return;
	}
	buf_str(b, "{\"type\":");
	if (i.name)
		buf_json_str(b, i.name);
	else
		buf_str(b, "null");
	if (!i.name && i.type) {
		buf_str(b, ",\"type_address\":");
		address(b, i.type);
	}
	buf_str(b, ",\"address\":");
	address(b, i.data);
	buf_char(b, '}');
}

static void scalar(struct buf *b, const struct gotype *t, const uint8_t *p)
{
	unsigned int half = t->size / 2;
	int64_t n;

	switch (t->kind) {
	case GOTYPE_BOOL:
		buf_str(b, p[0] ? "true" : "false");
		break;
	case GOTYPE_INT:
	case GOTYPE_UINT:
		value_integer(t, p, &n);
		if (t->kind == GOTYPE_INT)
			buf_i64(b, n);
		else
			buf_u64(b, n);
		break;
	case GOTYPE_FLOAT:
		number(b, value_float(p, t->size), t->size);
		break;
	case GOTYPE_COMPLEX:
		buf_char(b, '[');
		number(b, value_float(p, half), half);
		buf_char(b, ',');
		number(b, value_float(p + half, half), half);
		buf_char(b, ']');
		break;
	default:
		break;
	}
}

/**
 * struct view - a value, looked up but not written
 * @why: why it can't be had, or NULL
 * @ref: what it refers to (strings, slices); an array's own bytes
 * @n: elements to show
 * @len: elements there are; of a string, bytes
 */
struct view {
	const char *why;
	struct value_bytes ref;
	uint64_t n;
	uint64_t len;
};

static void look(struct value_ctx *v, const struct buf *b, const struct gotype *t,
		 const uint8_t *p, size_t len, struct view *ret)
{
	*ret = (struct view){ .why = value_refuse(v, b, t, len) };
	if (ret->why)
		return;
	switch (t->kind) {
	case GOTYPE_STRING:
		value_string(v, p, &ret->ref);
		break;
	case GOTYPE_SLICE:
		value_slice(v, t, p, &ret->ref);
		break;
	case GOTYPE_ARRAY:
		ret->ref = (struct value_bytes){
			.data = p, .len = t->count, .have = t->count,
		};
		break;
	default:
		return;
	}
	ret->why = ret->ref.unavailable;
	ret->len = ret->ref.len;
	ret->n = ret->ref.have;
	if (t->kind != GOTYPE_STRING && !value_is_bytes(t) && ret->n > v->budget)
		ret->n = v->budget;
}

/* The value itself, as far as it was captured. */
static void content(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p, const struct view *w)
{
	v->depth++;
	switch (t->kind) {
	case GOTYPE_STRING:
		buf_json(b, w->ref.data, w->n);
		break;
	case GOTYPE_SLICE:
	case GOTYPE_ARRAY:
		if (t->kind == GOTYPE_SLICE && !w->ref.address && !w->len)
			buf_str(b, "null");
		else if (value_is_bytes(t))
			buf_json(b, w->ref.data, w->n);
		else
			elements(v, b, t->elem, w->ref.data, w->n);
		break;
	case GOTYPE_STRUCT:
		structure(v, b, t, p);
		break;
	case GOTYPE_INTERFACE:
		interface(v, b, t, p);
		break;
	case GOTYPE_POINTER:
		pointer(b, value_word(p));
		break;
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		typed_address(b, value_type_name(t), value_word(p));
		break;
	default:
		scalar(b, t, p);
		break;
	}
	v->depth--;
}

static void members(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p, const struct view *w)
{
	if (w->why) {
		buf_str(b, "\"unavailable\":");
		buf_json_str(b, w->why);
	} else {
		buf_str(b, "\"value\":");
		content(v, b, t, p, w);
		if (w->n < w->len)
			buf_str(b, ",\"truncated\":true");
	}
	if (w->n < w->len) {
		buf_str(b, ",\"len\":");
		buf_u64(b, w->len);
	}
}

void value_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len)
{
	struct view w;

	look(v, b, t, p, len, &w);
	members(v, b, t, p, &w);
}

/*
 * A value inside another one stands alone if it is whole. Else it becomes an
 * object with the members that an argument has: no struct looks like that, for
 * "type" is a keyword of Go.
 */
static void nested(struct value_ctx *v, struct buf *b, const struct gotype *t,
		   const uint8_t *p, size_t len)
{
	struct view w;

	look(v, b, t, p, len, &w);
	if (!w.why && w.n >= w.len) {
		content(v, b, t, p, &w);
		return;
	}
	buf_str(b, "{\"type\":");
	buf_json_str(b, t ? value_type_name(t) : "?");
	buf_char(b, ',');
	members(v, b, t, p, &w);
	buf_char(b, '}');
}
