// SPDX-License-Identifier: GPL-2.0
/* Lists in braces, on one line or on many. */
#include "value/text.h"

void value_text_cut(struct buf *b, const char *why)
{
	buf_str(b, "...");
	if (why)
		value_text_missing(b, why);
}

void value_text_length(struct buf *b, uint64_t len)
{
	buf_str(b, " (len ");
	buf_u64(b, len);
	buf_char(b, ')');
}

/* "&x" is the compiler's name for a variable x that is captured by reference. */
static bool variable(struct value_ctx *v, struct buf *b, const struct gofield *f,
		     const uint8_t *p)
{
	const uint8_t *to = NULL;
	const char *why;

	if (f->type && f->type->kind == GOTYPE_POINTER && f->type->elem && f->type->size == 8)
		to = value_behind(v, f->type, p, &why);
	if (!to)
		return false;
	buf_str(b, f->name + 1);
	buf_str(b, ": ");
	value_text_put(v, b, f->type->elem, to, f->type->elem->size, VALUE_FIELD);
	return true;
}

static void field(struct value_ctx *v, struct buf *b, const struct value_list *l, uint64_t i)
{
	const struct gofield *f = &l->type->fields[i];
	const char *why = value_redacts_field(v, l->type, i, l->data) ? secret_why :
			  f->offset > l->type->size ? "impossible type" : NULL;
	const uint8_t *p;
	uint64_t left;

	if (why) {
		buf_str(b, f->name + (l->captured && f->name[0] == '&'));
		buf_str(b, ": ");
		value_text_missing(b, why);
		return;
	}
	p = l->data + f->offset;
	left = l->type->size - f->offset;
	if (l->captured && f->name[0] == '&' && left >= 8 && variable(v, b, f, p))
		return;
	buf_str(b, f->name);
	buf_str(b, ": ");
	value_text_put(v, b, f->type, p, left, VALUE_FIELD);
}

static void inner(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		  const char *why)
{
	if (p)
		value_text_put(v, b, t, p, t->size, VALUE_LIST);
	else
		value_text_missing(b, why);
}

static void item(struct value_ctx *v, struct buf *b, const struct value_list *l, uint64_t i)
{
	const struct gotype *t = l->type;

	if (l->entries) {
		inner(v, b, t->key, l->entries->v[i].key, l->entries->why);
		buf_str(b, ": ");
		if (value_redacts_entry(v, t, &l->entries->v[i]))
			value_text_missing(b, secret_why);
		else
			inner(v, b, t->elem, l->entries->v[i].elem, l->entries->why);
	} else if (l->chan) {
		inner(v, b, t->elem, value_chan_element(l->chan, t, i), NULL);
	} else if (t->kind == GOTYPE_STRUCT) {
		field(v, b, l, i);
	} else {
		inner(v, b, t->elem, l->data + i * t->elem->size, NULL);
	}
}

static bool is_zero(const struct value_list *l, const struct gofield *f)
{
	uint64_t size = l->type->size;

	if (!f->type || f->offset > size || f->type->size > size - f->offset)
		return false;
	for (uint64_t i = 0; i < f->type->size; i++)
		if (l->data[f->offset + i])
			return false;
	return true;
}

/* Has @t the state that protobuf gives each message? */
static bool is_message(const struct gotype *t)
{
	static const char type[] = "google.golang.org/protobuf/internal/impl.MessageState";
	const struct gofield *state = value_known_field(t, "state", GOTYPE_STRUCT, 0);

	return state && state->type->name && !strcmp(state->type->name, type);
}

/*
 * Is it a field that protobuf's generated code keeps for itself? Those with bytes of unknown fields
 * are shown if they have some.
 */
static bool is_generated(const struct value_list *l, const struct gofield *f)
{
	if (strncmp(f->name, "XXX_", 4) == 0)
		return strcmp(f->name, "XXX_sizecache") == 0 || is_zero(l, f);
	if (strcmp(f->name, "unknownFields") == 0 || strcmp(f->name, "extensionFields") == 0)
		return is_zero(l, f) && is_message(l->type);
	return (strcmp(f->name, "state") == 0 || strcmp(f->name, "sizeCache") == 0) &&
	       is_message(l->type);
}

static bool is_shown(struct value_ctx *v, const struct value_list *l, uint64_t i)
{
	const struct gofield *f = &l->type->fields[i];

	if (l->type->kind != GOTYPE_STRUCT)
		return true;
	if (l->captured)
		return !value_is_blank(f) && value_is_captured(l->type, i);
	return !value_is_blank(f) && (v->full || !is_generated(l, f)) &&
	       !(v->no_zero && is_zero(l, f) && !value_redacts_field(v, l->type, i, l->data));
}

/* Go indents with tabs; four columns of them leave more space. */
static void new_line(struct value_ctx *v, struct buf *b)
{
	buf_char(b, '\n');
	v->line = b->len;
	buf_fill(b, ' ', 4 * v->indent);
}

/* Numbers in lines: as many in each as fit. */
static bool is_dense(const struct value_list *l)
{
	return l->type->kind != GOTYPE_STRUCT && !l->entries &&
	       l->type->elem->kind >= GOTYPE_BOOL && l->type->elem->kind <= GOTYPE_COMPLEX;
}

static void separate(struct value_ctx *v, struct buf *b, const struct value_list *l, bool lines,
		     bool first)
{
	if (!first)
		buf_char(b, ',');
	if (lines && (first || !is_dense(l) || b->len - v->line > v->width - v->width / 8))
		new_line(v, b);
	else if (!first)
		buf_char(b, ' ');
}

static void items(struct value_ctx *v, struct buf *b, const struct value_list *l, bool lines)
{
	bool first = true;
	uint64_t i;

	buf_char(b, '{');
	v->indent += lines;
	for (i = 0; i < l->n && !value_enough(v, b); i++) {
		if (!is_shown(v, l, i))
			continue;
		separate(v, b, l, lines, first);
		first = false;
		item(v, b, l, i);
	}
	if (i < l->len) {
		separate(v, b, l, lines, first);
		first = false;
		value_text_cut(b, i == l->n ? l->cut : NULL);
	}
	v->indent -= lines;
	if (lines && !first) {
		buf_char(b, ',');
		new_line(v, b);
	}
	buf_char(b, '}');
	if (i < l->len && l->len != UINT64_MAX && !l->chan && l->type->kind != GOTYPE_STRUCT)
		value_text_length(b, l->len);
}

/*
 * One line if it fits, else a line for each item. To see whether it fits it is
 * written; what does not is taken back, and never much more than a line of it.
 */
void value_braces(struct value_ctx *v, struct buf *b, const struct value_list *l)
{
	size_t start = b->len, text_end = v->text_end, fits = v->line + v->width;
	unsigned int budget = v->budget;

	if (v->flat || !v->width) {
		items(v, b, l, false);
		return;
	}
	v->flat++;
	if (fits < v->text_end)
		v->text_end = fits;
	items(v, b, l, false);
	v->flat--;
	v->text_end = text_end;
	if (b->len <= fits)
		return;
	b->len = start;
	v->budget = budget;
	items(v, b, l, true);
}
