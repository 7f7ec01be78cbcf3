// SPDX-License-Identifier: GPL-2.0
/* Values as JSON; docs/json.md says how each kind looks. */
#include <math.h>

#include "value/map.h"
#include "value/std.h"

static void address(struct buf *b, uint64_t v)
{
	buf_char(b, '"');
	buf_hex(b, v);
	buf_char(b, '"');
}

static void unavailable(struct buf *b, const char *why)
{
	buf_str(b, "\"unavailable\":");
	quote_json_str(b, why);
}

/* In place of a value inside another one. */
static void missing(struct buf *b, const char *type, const char *why)
{
	buf_str(b, "{\"type\":");
	quote_json_str(b, type);
	buf_char(b, ',');
	unavailable(b, why);
	buf_char(b, '}');
}

/* What stands before this is not all; @why, or NULL: a limit. */
static void truncated(struct buf *b, const char *why)
{
	buf_str(b, ",\"truncated\":true");
	if (!why)
		return;
	buf_str(b, ",\"reason\":");
	quote_json_str(b, why);
}

/* JSON has no NaN and no infinity: those are strings. */
static void floating(struct buf *b, double d, unsigned int size)
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

static void inner(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		  const char *why)
{
	if (p)
		nested(v, b, t, p, t->size);
	else
		missing(b, value_type_name(t), why);
}

/* One item more in a list; false if that is enough. */
static bool next(struct value_ctx *v, struct buf *b, uint64_t i)
{
	if (i)
		buf_char(b, ',');
	if (!value_enough(v, b))
		return true;
	missing(b, "?", "too many values");
	return false;
}

static void elements(struct value_ctx *v, struct buf *b, const struct gotype *elem,
		     const uint8_t *p, uint64_t n)
{
	buf_char(b, '[');
	for (uint64_t i = 0; i < n && next(v, b, i); i++)
		nested(v, b, elem, p + i * elem->size, elem->size);
	buf_char(b, ']');
}

/* @captured: the variables of a closure; else all but blank fields. */
static void structure(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p, bool captured)
{
	buf_char(b, '{');
	for (size_t i = 0, shown = 0; i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (value_is_blank(f) || (captured && !value_is_captured(t, i)))
			continue;
		if (shown++)
			buf_char(b, ',');
		quote_json_str(b, f->name);
		buf_char(b, ':');
		if (value_redacts_field(v, t, i, p))
			missing(b, value_type_name(f->type), secret_why);
		else if (f->offset > t->size)
			missing(b, "?", "impossible type");
		else
			nested(v, b, f->type, p + f->offset, t->size - f->offset);
	}
	buf_char(b, '}');
}

static void members(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p, size_t len);

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
		quote_json_str(b, i.name);
	else
		buf_str(b, "null");
	if (!i.name && i.type) {
		buf_str(b, ",\"type_address\":");
		address(b, i.type);
	}
	buf_str(b, ",\"address\":");
	address(b, i.data);
	buf_char(b, ',');
	if (i.p)
		members(v, b, i.dynamic, i.p, i.dynamic->size);
	else
		unavailable(b, i.why);
	buf_char(b, '}');
}

static void entries(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const struct value_entries *e)
{
	buf_char(b, '[');
	for (size_t i = 0; i < e->n && next(v, b, i); i++) {
		buf_str(b, "{\"key\":");
		inner(v, b, t->key, e->v[i].key, e->why);
		buf_str(b, ",\"value\":");
		if (value_redacts_entry(v, t, &e->v[i]))
			missing(b, value_type_name(t->elem), secret_why);
		else
			inner(v, b, t->elem, e->v[i].elem, e->why);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void map(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p)
{
	struct value_entries *e = value_map_get(v, t, p);

	if (!e) {
		buf_char(b, ',');
		unavailable(b, "out of memory");
		return;
	}
	if (e->len || !e->unavailable)
		buf_number(b, ",\"len\":", e->len);
	if (e->unavailable) {
		buf_char(b, ',');
		unavailable(b, e->unavailable);
	} else {
		value_map_sort(v, t, e);
		buf_str(b, ",\"entries\":");
		entries(v, b, t, e);
		if (e->n < e->len)
			truncated(b, e->cut);
	}
	value_map_put(v, e);
}

/* A sync.Map: false if it is not known how it keeps its entries. */
static bool sync_map(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p)
{
	const struct value_known *k = value_known(v, t);
	struct value_entries *e = NULL;

	if (k && k->text == value_sync_map)
		e = value_map_get_sync(v, t, p);
	if (!e)
		return false;
	value_map_sort(v, &value_sync_map_type, e);
	buf_str(b, "{\"entries\":");
	entries(v, b, &value_sync_map_type, e);
	if (e->n < e->len)
		truncated(b, e->cut);
	buf_char(b, '}');
	value_map_put(v, e);
	return true;
}

static void buffered(struct value_ctx *v, struct buf *b, const struct gotype *t,
		     const struct value_chan *c)
{
	buf_str(b, ",\"elements\":[");
	for (uint64_t i = 0; i < c->have && next(v, b, i); i++)
		inner(v, b, t->elem, value_chan_element(c, t, i), NULL);
	buf_char(b, ']');
	if (c->have < c->len)
		truncated(b, NULL);
}

static void channel(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p)
{
	struct value_chan c;

	value_chan(v, t, p, &c);
	if (!c.unavailable || c.cap) {
		buf_number(b, ",\"len\":", c.len);
		buf_number(b, ",\"cap\":", c.cap);
		buf_str(b, c.closed ? ",\"closed\":true" : ",\"closed\":false");
		buf_number(b, ",\"receivers\":", c.receivers);
		buf_number(b, ",\"senders\":", c.senders);
		if (c.more_receivers || c.more_senders)
			buf_str(b, ",\"more_waiting\":true");
	}
	if (c.unavailable) {
		buf_char(b, ',');
		unavailable(b, c.unavailable);
	} else {
		buffered(v, b, t, &c);
	}
}

static void function(struct value_ctx *v, struct buf *b, const struct gotype *t,
		     const uint8_t *p)
{
	struct value_closure c;

	value_closure(v, t, p, &c);
	if (!c.name) {
		buf_char(b, ',');
		unavailable(b, c.why);
		return;
	}
	buf_str(b, ",\"func\":");
	quote_json_str(b, c.name);
	if (!c.p)
		return;
	buf_str(b, ",\"captured\":");
	structure(v, b, c.type, c.p, true);
	if (c.type->more)
		buf_str(b, ",\"more_captured\":true");
}

/* Maps, channels, functions: an object about what is there. */
static void described(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	uint64_t to = value_word(p);

	if (!to) {
		buf_str(b, "null");
		return;
	}
	buf_str(b, "{\"type\":");
	quote_json_str(b, value_type_name(t));
	buf_str(b, ",\"address\":");
	address(b, to);
	if (value_enter(v, t, to)) {
		if (t->kind == GOTYPE_MAP)
			map(v, b, t, p);
		else if (t->kind == GOTYPE_CHAN)
			channel(v, b, t, p);
		else
			function(v, b, t, p);
		value_leave(v);
	}
	buf_char(b, '}');
}

static void scalar(struct buf *b, const struct gotype *t, const uint8_t *p)
{
	unsigned int half = t->size / 2;
	int64_t n = 0;

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
		floating(b, value_float(p, t->size), t->size);
		break;
	default:
		buf_char(b, '[');
		floating(b, value_float(p, half), half);
		buf_char(b, ',');
		floating(b, value_float(p + half, half), half);
		buf_char(b, ']');
		break;
	}
}

/* A value, looked up but not written. */
struct view {
	const char *why;	/* why it is unavailable, or NULL */
	struct value_bytes ref;	/* what it refers to (strings, slices); an array's own bytes */
	uint64_t n;		/* elements to show */
	uint64_t len;		/* elements there are; of a string, bytes */
	const uint8_t *to;	/* what a pointer points to, or NULL */
	const char *to_why;	/* why that is unavailable, if that is worth reporting */
	const char *code;	/* the function that an opaque pointer points to, or NULL */
	bool text;		/* it is better known by its text */
};

static void look_behind(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
			struct view *ret)
{
	uint64_t to = value_word(p);
	const char *why = NULL;

	if (!to)
		return;
	ret->code = value_code(v, t, p);
	if (!t->elem || !value_enter(v, t, to))
		return;
	value_leave(v);
	ret->to = value_behind(v, t, p, &why);
	/* At the end of --depth, show just the address. */
	if (!ret->to && !value_is_deep(why))
		ret->to_why = why;
}

static void look(struct value_ctx *v, const struct buf *b, const struct gotype *t,
		 const uint8_t *p, size_t len, struct view *ret)
{
	const struct value_known *k;

	*ret = (struct view){ .why = value_refuse(v, b, t, len) };
	if (!ret->why && value_redacts_type(v, t))
		ret->why = secret_why;
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
	case GOTYPE_POINTER:
		look_behind(v, t, p, ret);
		k = value_known(v, t);
		ret->text = k && k->in_json && value_word(p);
		return;
	case GOTYPE_STRUCT:
		k = value_known(v, t);
		ret->text = k && k->in_json;
		return;
	default:
		return;
	}
	ret->why = ret->ref.unavailable;
	ret->len = ret->ref.len;
	ret->n = ret->ref.have;
	if (t->kind != GOTYPE_STRING && !value_is_bytes(t) && ret->n > v->budget)
		ret->n = v->budget;
}

static void list(struct value_ctx *v, struct buf *b, const struct gotype *t, const struct view *w)
{
	if (t->kind == GOTYPE_SLICE && !w->ref.address && !w->len) {
		buf_str(b, "null");
	} else if (value_is_bytes(t)) {
		quote_json(b, w->ref.data, w->n);
	} else if (t->kind == GOTYPE_ARRAY || value_enter(v, t, w->ref.address)) {
		elements(v, b, t->elem, w->ref.data, w->n);
		if (t->kind == GOTYPE_SLICE)
			value_leave(v);
	} else {
		missing(b, value_type_name(t), "contains itself");
	}
}

/* The value itself, as far as it was captured. */
static void content(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p, const struct view *w)
{
	v->depth++;
	switch (t->kind) {
	case GOTYPE_STRING:
		quote_json(b, w->ref.data, w->n);
		break;
	case GOTYPE_SLICE:
	case GOTYPE_ARRAY:
		list(v, b, t, w);
		break;
	case GOTYPE_STRUCT:
		if (!sync_map(v, b, t, p))
			structure(v, b, t, p, false);
		break;
	case GOTYPE_INTERFACE:
		interface(v, b, t, p);
		break;
	case GOTYPE_POINTER:
		if (value_is_nil(t, p))
			buf_str(b, "null");
		else
			address(b, value_word(p));
		break;
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		described(v, b, t, p);
		break;
	default:
		scalar(b, t, p);
		break;
	}
	v->depth--;
}

static void behind(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		   const struct view *w)
{
	buf_str(b, ",\"to\":");
	if (!w->to) {
		missing(b, value_type_name(t->elem), w->to_why);
		return;
	}
	value_enter(v, t, value_word(p));
	v->depth++;
	nested(v, b, t->elem, w->to, t->elem->size);
	v->depth--;
	value_leave(v);
}

static void put_members(struct value_ctx *v, struct buf *b, const struct gotype *t,
			const uint8_t *p, const struct view *w)
{
	if (w->why) {
		unavailable(b, w->why);
	} else {
		buf_str(b, "\"value\":");
		content(v, b, t, p, w);
		if (w->to || w->to_why)
			behind(v, b, t, p, w);
		if (w->code) {
			buf_str(b, ",\"func\":");
			quote_json_str(b, w->code);
		}
		if (w->n < w->len)
			truncated(b, w->ref.cut);
	}
	if (w->n < w->len)
		buf_number(b, ",\"len\":", w->len);
	if (!w->why)
		value_known_json(v, b, t, p);
}

static void members(struct value_ctx *v, struct buf *b, const struct gotype *t,
		    const uint8_t *p, size_t len)
{
	struct view w;

	look(v, b, t, p, len, &w);
	put_members(v, b, t, p, &w);
}

void value_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len)
{
	members(v, b, t, p, len);
}

/*
 * A value inside another one stands alone if that is all there is to say. Else it
 * becomes an object with the members that an argument has: no struct looks like
 * that, for "type" is a keyword of Go.
 */
static void nested(struct value_ctx *v, struct buf *b, const struct gotype *t,
		   const uint8_t *p, size_t len)
{
	struct view w;

	look(v, b, t, p, len, &w);
	if (!w.why && w.n >= w.len && !w.to && !w.to_why && !w.code && !w.text) {
		content(v, b, t, p, &w);
		return;
	}
	buf_str(b, "{\"type\":");
	quote_json_str(b, t ? value_type_name(t) : "?");
	buf_char(b, ',');
	put_members(v, b, t, p, &w);
	buf_char(b, '}');
}
