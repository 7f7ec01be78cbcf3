// SPDX-License-Identifier: GPL-2.0
/* Values as Go would write them. */
#include <math.h>

#include "gotype/kind.h"
#include "gotype/shown_name.h"
#include "value/map.h"
#include "value/std.h"
#include "value/text.h"

void value_text_missing(struct buf *b, const char *why)
{
	buf_char(b, '<');
	buf_str(b, why);
	buf_char(b, '>');
}

static void type_name(struct buf *b, const struct gotype *t)
{
	value_text_name(b, value_type_name(t));
}

/* T(0xc000012340), with T in parentheses where Go needs them; @code: what is there, or NULL. */
static void address_of(struct buf *b, const char *type, uint64_t v, const char *code)
{
	bool parens = type[0] == '*' || type[0] == '<' || strncmp(type, "func(", 5) == 0 ||
		      strncmp(type, "chan ", 5) == 0;

	if (parens)
		buf_char(b, '(');
	value_text_name(b, type);
	if (parens)
		buf_char(b, ')');
	buf_char(b, '(');
	if (v || strcmp(type, GOTYPE_REGISTER) == 0)
		buf_hex(b, v);
	else
		buf_str(b, "nil");
	if (code) {
		buf_char(b, ' ');
		value_text_name(b, code);
	}
	buf_char(b, ')');
}

static void address(struct buf *b, const char *type, uint64_t v)
{
	address_of(b, type, v, NULL);
}

/* In an interface nil has a type, and is not what "== nil" finds. */
static void nil(struct buf *b, const struct gotype *t, enum value_place place)
{
	if (place == VALUE_IFACE)
		address(b, value_type_name(t), 0);
	else
		buf_str(b, "nil");
}

/* An address that leads nowhere: at the end of --depth it needs no words. */
static void unfollowed(struct buf *b, const char *type, uint64_t v, const char *why)
{
	address(b, type, v);
	if (why && !value_is_deep(why))
		value_text_missing(b, why);
}

static void string(struct value_ctx *v, struct buf *b, const uint8_t *p)
{
	struct value_bytes s;

	value_string(v, p, &s);
	if (s.unavailable) {
		value_text_missing(b, s.unavailable);
		return;
	}
	quote_go(b, s.data, s.size);
	if (s.have < s.len) {
		value_text_cut(b, s.cut);
		value_text_length(b, s.len);
	}
}

/* Does it read better as a string than as numbers? */
static bool is_text(const uint8_t *p, size_t n)
{
	uint32_t c = 0;

	for (size_t i = 0, len; i < n; i += len) {
		len = quote_utf8(p + i, n - i, &c);
		if (!len)
			return n - i < 4 && i > 0 && p[i] >= 0xc2;	/* cut in the middle */
		if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

static void bytes(struct buf *b, const struct gotype *t, const struct value_bytes *s)
{
	type_name(b, t);
	if (s->size && is_text(s->data, s->size)) {
		buf_char(b, '(');
		quote_go(b, s->data, s->size);
		if (s->have < s->len)
			value_text_cut(b, s->cut);
		buf_char(b, ')');
	} else {
		buf_char(b, '{');
		for (size_t i = 0; i < s->size; i++) {
			buf_str(b, i ? ", 0x" : "0x");
			buf_hex_byte(b, s->data[i]);
		}
		if (s->have < s->len) {
			buf_str(b, s->size ? ", " : "");
			value_text_cut(b, s->cut);
		}
		buf_char(b, '}');
	}
	if (s->have < s->len)
		value_text_length(b, s->len);
}

static void literal(struct value_ctx *v, struct buf *b, const struct value_list *l,
		    enum value_place place)
{
	if (place != VALUE_LIST)
		type_name(b, l->type);
	value_braces(v, b, l);
}

static void slice(struct value_ctx *v, struct buf *b, const struct gotype *t,
		  const uint8_t *p, enum value_place place)
{
	struct value_bytes s;

	value_slice(v, t, p, &s);
	if (!s.address && !s.len) {
		nil(b, t, place);
	} else if (s.unavailable) {
		type_name(b, t);
		value_text_missing(b, s.unavailable);
		value_text_length(b, s.len);
	} else if (value_is_bytes(t)) {
		bytes(b, t, &s);
	} else if (value_enter(v, t, s.address)) {
		literal(v, b, &(struct value_list){
			.type = t, .data = s.data, .n = s.have, .len = s.len, .cut = s.cut,
		}, place);
		value_leave(v);
	} else {
		address(b, value_type_name(t), s.address);
	}
}

static void pointer(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p, enum value_place place)
{
	uint64_t to = value_word(p);
	const char *why = NULL;
	const uint8_t *data;

	if (value_is_nil(t, p)) {
		nil(b, t, place);
		return;
	}
	if (value_is_opaque(t)) {
		address_of(b, value_type_name(t), to, value_code(v, t, p));
		return;
	}
	data = value_behind(v, t, p, &why);
	if (!data || !value_enter(v, t, to)) {
		unfollowed(b, value_type_name(t), to, why);
		return;
	}
	if (!value_known_text(v, b, t->elem, data, place, true)) {
		buf_char(b, '&');
		value_text_put(v, b, t->elem, data, t->elem->size, place);
	}
	value_leave(v);
}

static void map(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		enum value_place place)
{
	uint64_t to = value_word(p);
	struct value_entries *e;

	if (!to) {
		nil(b, t, place);
		return;
	}
	e = value_enter(v, t, to) ? value_map_get(v, t, p) : NULL;
	if (!e) {
		address(b, value_type_name(t), to);
		return;
	}
	if (e->unavailable) {
		unfollowed(b, value_type_name(t), to, e->unavailable);
		if (e->len)
			value_text_length(b, e->len);
	} else {
		value_map_sort(v, t, e);
		literal(v, b, &(struct value_list){
			.type = t, .entries = e, .n = e->n, .len = e->len, .cut = e->cut,
		}, place);
	}
	value_map_put(v, e);
	value_leave(v);
}

static void waiting(struct buf *b, unsigned int n, bool more, const char *what)
{
	if (!n)
		return;
	buf_str(b, ", ");
	buf_u64(b, n);
	buf_str(b, more ? "+ " : " ");
	buf_str(b, what);
}

static void channel(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		    enum value_place place)
{
	uint64_t to = value_word(p);
	struct value_chan c;

	if (!to) {
		nil(b, t, place);
		return;
	}
	value_chan(v, t, p, &c);
	if (c.unavailable && !c.cap) {
		unfollowed(b, value_type_name(t), to, c.unavailable);
		return;
	}
	type_name(b, t);
	if (c.unavailable)
		value_text_missing(b, c.unavailable);
	else
		value_braces(v, b, &(struct value_list){
			.type = t, .chan = &c, .n = c.have, .len = c.len,
		});
	buf_str(b, " (len ");
	buf_u64(b, c.len);
	buf_str(b, ", cap ");
	buf_u64(b, c.cap);
	if (c.closed)
		buf_str(b, ", closed");
	waiting(b, c.receivers, c.more_receivers, "receiving");
	waiting(b, c.senders, c.more_senders, "sending");
	buf_char(b, ')');
}

static bool captures(const struct gotype *closure)
{
	for (size_t i = 0; i < closure->nfields; i++)
		if (value_is_captured(closure, i) && !value_is_blank(&closure->fields[i]))
			return true;
	return closure->more;
}

static void function_name(struct buf *b, const char *name)
{
	struct buf brief = { 0 };

	shown_name_put(&brief, name);
	buf_char(&brief, 0);
	value_text_name(b, brief.failed ? name : brief.p);
	buf_fini(&brief);
}

static void function(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		     enum value_place place)
{
	struct value_closure c;

	value_closure(v, t, p, &c);
	if (!c.address) {
		nil(b, t, place);
	} else if (!c.name) {
		unfollowed(b, value_type_name(t), c.address, c.why);
	} else {
		function_name(b, c.name);
		if (!c.p || !captures(c.type) || !value_enter(v, t, c.address))
			return;
		value_braces(v, b, &(struct value_list){
			.type = c.type, .data = c.p, .n = c.type->nfields,
			.len = c.type->nfields + c.type->more, .captured = true,
		});
		value_leave(v);
	}
}

static void interface(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	struct value_iface i;

	value_iface(v, t, p, &i);
	if (i.nil) {
		buf_str(b, "nil");
	} else if (i.p) {
		value_text_put(v, b, i.dynamic, i.p, i.dynamic->size, VALUE_IFACE);
	} else if (i.name && i.name[0] == '*') {
		unfollowed(b, i.name, i.data, i.why);
	} else if (i.name) {
		/* Not the data word: it would read as the value. */
		value_text_name(b, i.name);
		buf_char(b, '(');
		value_text_missing(b, i.why);
		buf_char(b, ')');
	} else {
		/* Not "error(0x...)": that would read as a dynamic type. */
		type_name(b, t);
		buf_str(b, i.type ? "(type " : "(");
		if (i.type)
			buf_hex(b, i.type);
		else
			buf_str(b, i.why);
		buf_str(b, ", ");
		buf_hex(b, i.data);
		buf_char(b, ')');
	}
}

static void integer(struct buf *b, const struct gotype *t, const uint8_t *p)
{
	int64_t n = 0;

	value_integer(t, p, &n);
	if (t->kind == GOTYPE_INT)
		buf_i64(b, n);
	else if (t->name && strcmp(t->name, "uintptr") == 0)
		buf_hex(b, n);
	else
		buf_u64(b, n);
}

static void complex(struct buf *b, const uint8_t *p, unsigned int half)
{
	double imaginary = value_float(p + half, half);

	buf_char(b, '(');
	buf_float(b, value_float(p, half), half);
	/* buf_float() gives infinity a sign of its own. */
	if (!signbit(imaginary) && !isinf(imaginary))
		buf_char(b, '+');
	buf_float(b, imaginary, half);
	buf_str(b, "i)");
}

static void scalar(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p)
{
	switch (t->kind) {
	case GOTYPE_BOOL:
		buf_str(b, p[0] ? "true" : "false");
		break;
	case GOTYPE_INT:
	case GOTYPE_UINT:
		integer(b, t, p);
		break;
	case GOTYPE_FLOAT:
		buf_float(b, value_float(p, t->size), t->size);
		break;
	case GOTYPE_COMPLEX:
		complex(b, p, t->size / 2);
		break;
	default:
		string(v, b, p);
		break;
	}
}

/* Of the types that an untyped constant has in an interface. */
static bool is_default(const struct gotype *t)
{
	return strcmp(t->name, "int") == 0 || strcmp(t->name, "string") == 0 ||
	       strcmp(t->name, "bool") == 0;
}

bool value_text_convert(struct buf *b, const struct gotype *t, enum value_place place)
{
	if (!t->name || place == VALUE_FIELD || place == VALUE_LIST)
		return false;
	if (place == VALUE_TOP ? !strchr(t->name, '.') : is_default(t))
		return false;
	type_name(b, t);
	buf_char(b, '(');
	return true;
}

/* The elements of a SIMD vector, without the field before them that marks it for the compiler. */
static void structure(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p, enum value_place place)
{
	const struct gofield *f = NULL;

	if (!v->full && kind_is_vector(t))
		f = value_known_field(t, "vals", GOTYPE_ARRAY, t->size);
	if (!f) {
		literal(v, b, &(struct value_list){
			.type = t, .data = p, .n = t->nfields, .len = t->nfields,
		}, place);
		return;
	}
	if (place != VALUE_LIST)
		type_name(b, t);
	value_braces(v, b, &(struct value_list){
		.type = f->type, .data = p + f->offset, .n = f->type->count, .len = f->type->count,
	});
}

static void composite(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p, enum value_place place)
{
	switch (t->kind) {
	case GOTYPE_SLICE:
		slice(v, b, t, p, place);
		break;
	case GOTYPE_ARRAY:
		literal(v, b, &(struct value_list){
			.type = t, .data = p, .n = t->count, .len = t->count,
		}, place);
		break;
	case GOTYPE_STRUCT:
		structure(v, b, t, p, place);
		break;
	case GOTYPE_INTERFACE:
		interface(v, b, t, p);
		break;
	case GOTYPE_POINTER:
		pointer(v, b, t, p, place);
		break;
	case GOTYPE_MAP:
		map(v, b, t, p, place);
		break;
	case GOTYPE_CHAN:
		channel(v, b, t, p, place);
		break;
	case GOTYPE_FUNC:
		function(v, b, t, p, place);
		break;
	default:
		break;
	}
}

void value_text_put(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p, size_t len, enum value_place place)
{
	const char *why = value_refuse(v, b, t, len);

	if (why) {
		value_text_missing(b, why);
		return;
	}
	if (value_redacts_type(v, t)) {
		value_text_missing(b, secret_why);
		return;
	}
	v->depth++;
	if (value_known_text(v, b, t, p, place, false)) {
		/* That is all. */
	} else if (t->kind <= GOTYPE_STRING) {
		bool convert = value_text_convert(b, t, place);

		scalar(v, b, t, p);
		if (convert)
			buf_char(b, ')');
	} else {
		composite(v, b, t, p, place);
	}
	v->depth--;
}

void value_text(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len)
{
	value_text_put(v, b, t, p, len, VALUE_TOP);
}
