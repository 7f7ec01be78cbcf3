// SPDX-License-Identifier: GPL-2.0
/* Values as Go would write them. */
#include <math.h>

#include "value.h"

/* What stands where a value can't be had: no Go value looks like this. */
static void missing(struct buf *b, const char *why)
{
	buf_char(b, '<');
	buf_str(b, why);
	buf_char(b, '>');
}

static void length(struct buf *b, uint64_t len)
{
	buf_str(b, " (len ");
	buf_u64(b, len);
	buf_char(b, ')');
}

static void address(struct buf *b, const char *type, uint64_t v)
{
	if (!v) {
		buf_str(b, "nil");
		return;
	}
	buf_str(b, type);
	buf_char(b, '(');
	buf_hex(b, v);
	buf_char(b, ')');
}

static void string(struct value_ctx *v, struct buf *b, const uint8_t *p)
{
	struct value_bytes s;

	value_string(v, p, &s);
	if (s.unavailable) {
		missing(b, s.unavailable);
		return;
	}
	buf_quote(b, s.data, s.size);
	if (s.have < s.len) {
		buf_str(b, "...");
		length(b, s.len);
	}
}

/* Does it read better as a string than as numbers? */
static bool is_text(const uint8_t *p, size_t n)
{
	uint32_t c = 0;

	for (size_t i = 0, len; i < n; i += len) {
		len = buf_utf8(p + i, n - i, &c);
		if (!len)
			return n - i < 4 && i > 0 && p[i] >= 0xc2;	/* cut in the middle */
		if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static void bytes(struct buf *b, const struct gotype *t, const struct value_bytes *s)
{
	buf_str(b, value_type_name(t));
	if (s->size && is_text(s->data, s->size)) {
		buf_char(b, '(');
		buf_quote(b, s->data, s->size);
		if (s->have < s->len)
			buf_str(b, "...");
		buf_char(b, ')');
	} else {
		buf_char(b, '{');
		for (size_t i = 0; i < s->size; i++) {
			static const char hex[] = "0123456789abcdef";

			buf_str(b, i ? ", 0x" : "0x");
			buf_char(b, hex[s->data[i] >> 4]);
			buf_char(b, hex[s->data[i] & 15]);
		}
		if (s->have < s->len)
			buf_str(b, s->size ? ", ..." : "...");
		buf_char(b, '}');
	}
	if (s->have < s->len)
		length(b, s->len);
}

static void value(struct value_ctx *v, struct buf *b, const struct gotype *t,
		  const uint8_t *p, size_t len, bool elided);

/* @elided: a literal in a slice or an array leaves its type out, as in Go. */
static void elements(struct value_ctx *v, struct buf *b, const struct gotype *elem,
		     const uint8_t *p, uint64_t n, uint64_t len)
{
	if (n > v->budget)
		n = v->budget;
	buf_char(b, '{');
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			buf_str(b, ", ");
		value(v, b, elem, p + i * elem->size, elem->size, true);
	}
	if (n < len)
		buf_str(b, n ? ", ..." : "...");
	buf_char(b, '}');
	if (n < len)
		length(b, len);
}

static void slice(struct value_ctx *v, struct buf *b, const struct gotype *t,
		  const uint8_t *p, bool elided)
{
	struct value_bytes s;

	value_slice(v, t, p, &s);
	if (!s.address && !s.len) {
		buf_str(b, "nil");
	} else if (s.unavailable) {
		buf_str(b, value_type_name(t));
		missing(b, s.unavailable);
		length(b, s.len);
	} else if (value_is_bytes(t)) {
		bytes(b, t, &s);
	} else {
		if (!elided)
			buf_str(b, value_type_name(t));
		elements(v, b, t->elem, s.data, s.have, s.len);
	}
}

static void structure(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p, bool elided)
{
	if (!elided)
		buf_str(b, value_type_name(t));
	buf_char(b, '{');
	for (size_t i = 0, shown = 0; i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (f->name[0] == '_' && !f->name[1])
			continue;
		if (shown++)
			buf_str(b, ", ");
		buf_str(b, f->name);
		buf_str(b, ": ");
		if (f->offset > t->size)
			missing(b, "impossible type");
		else
			value(v, b, f->type, p + f->offset, t->size - f->offset, false);
	}
	buf_char(b, '}');
}

static void interface(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	struct value_iface i;

	value_iface(v, t, p, &i);
	if (i.nil) {
		buf_str(b, "nil");
	} else if (i.name) {
		buf_str(b, i.name);
		buf_char(b, '(');
		buf_hex(b, i.data);
		buf_char(b, ')');
	} else {
		/* Not "error(0x...)": that would read as a dynamic type. */
		buf_str(b, value_type_name(t));
		if (i.type) {
			buf_str(b, "(type ");
			buf_hex(b, i.type);
		} else {
			buf_str(b, "(unknown type");
		}
		buf_str(b, ", ");
		buf_hex(b, i.data);
		buf_char(b, ')');
	}
}

static void scalar(struct buf *b, const struct gotype *t, const uint8_t *p)
{
	unsigned int half = t->size / 2;
	double imaginary;
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
		buf_float(b, value_float(p, t->size), t->size);
		break;
	case GOTYPE_COMPLEX:
		buf_char(b, '(');
		buf_float(b, value_float(p, half), half);
		imaginary = value_float(p + half, half);
		/* buf_float() gives infinity a sign of its own. */
		if (!signbit(imaginary) && !isinf(imaginary))
			buf_char(b, '+');
		buf_float(b, imaginary, half);
		buf_str(b, "i)");
		break;
	default:
		break;
	}
}

static void value(struct value_ctx *v, struct buf *b, const struct gotype *t,
		  const uint8_t *p, size_t len, bool elided)
{
	const char *why = value_refuse(v, b, t, len);

	if (why) {
		missing(b, why);
		return;
	}
	v->depth++;
	switch (t->kind) {
	case GOTYPE_BOOL:
	case GOTYPE_INT:
	case GOTYPE_UINT:
	case GOTYPE_FLOAT:
	case GOTYPE_COMPLEX:
		scalar(b, t, p);
		break;
	case GOTYPE_STRING:
		string(v, b, p);
		break;
	case GOTYPE_SLICE:
		slice(v, b, t, p, elided);
		break;
	case GOTYPE_ARRAY:
		if (!elided)
			buf_str(b, value_type_name(t));
		elements(v, b, t->elem, p, t->count, t->count);
		break;
	case GOTYPE_STRUCT:
		structure(v, b, t, p, elided);
		break;
	case GOTYPE_INTERFACE:
		interface(v, b, t, p);
		break;
	case GOTYPE_POINTER:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		address(b, value_type_name(t), value_word(p));
		break;
	case GOTYPE_UNKNOWN:
		break;
	}
	v->depth--;
}

/* "time.Duration" of time.Duration(1500); NULL for int and its like. */
static const char *conversion(const struct gotype *t)
{
	if (!t || t->kind > GOTYPE_STRING || t->kind == GOTYPE_UNKNOWN || !t->name)
		return NULL;
	return strchr(t->name, '.') ? t->name : NULL;
}

void value_text(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len)
{
	const char *name = conversion(t);

	if (name) {
		buf_str(b, name);
		buf_char(b, '(');
	}
	value(v, b, t, p, len, false);
	if (name)
		buf_char(b, ')');
}
