// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of contexts, as their own String() writes them, with the values that
 * they carry: context.Background.WithCancel.WithValue(key, value).
 */
#include "base/plain.h"
#include "value/std.h"

static void nested(struct value_ctx *v, struct buf *b, const struct value_what *w,
		   const struct gofield *f)
{
	value_text_put(v, b, f->type, w->p + f->offset, f->type->size, VALUE_IFACE);
}

/* What an error says; what could be a terminal's business is quoted. */
static bool error_text(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p)
{
	struct buf said = { 0 };
	bool known = value_error_inside(v, &said, t, p);

	if (known && !plain_name(said.p, said.len))
		quote_go(b, (const uint8_t *)said.p, said.len);
	else if (known && said.len)
		buf_mem(b, said.p, said.len);
	b->failed |= said.failed;
	buf_fini(&said);
	return known;
}

/* ": disk full", if it was canceled with a cause of its own; @data: of what Err() returns. */
static void cause(struct value_ctx *v, struct buf *b, const struct value_what *w, uint64_t data)
{
	const struct gofield *f = value_known_field(w->t, "cause", GOTYPE_INTERFACE, 16);

	if (!f || !value_word(w->p + f->offset) || value_word(w->p + f->offset + 8) == data)
		return;
	buf_str(b, ": ");
	if (!error_text(v, b, f->type, w->p + f->offset))
		nested(v, b, w, f);
}

/* "[context canceled]"; @w is a cancelCtx. */
static void state(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "err", GOTYPE_INTERFACE, 16);
	const uint8_t *p = w->p;

	if (!f) {
		/* Since 1.27 it is in an atomic.Value. */
		f = value_known_field(w->t, "err", GOTYPE_STRUCT, 0);
		if (!f)
			return;
		p += f->offset;
		f = value_known_field(f->type, "v", GOTYPE_INTERFACE, 16);
	}
	if (!f || !value_word(p + f->offset))
		return;
	buf_char(b, '[');
	if (!error_text(v, b, f->type, p + f->offset))
		buf_str(b, "canceled");
	cause(v, b, w, value_word(p + f->offset + 8));
	buf_char(b, ']');
}

static void deadline(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "deadline", GOTYPE_STRUCT, 0);

	if (!f)
		return;
	buf_char(b, '(');
	value_text_put(v, b, f->type, w->p + f->offset, f->type->size, VALUE_FIELD);
	buf_char(b, ')');
}

static void pair(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	const struct gofield *key = value_known_field(w->t, "key", GOTYPE_INTERFACE, 16);
	const struct gofield *val = value_known_field(w->t, "val", GOTYPE_INTERFACE, 16);

	if (!key || !val)
		return;
	buf_char(b, '(');
	nested(v, b, w, key);
	buf_str(b, ", ");
	if (value_redacts_field(v, w->t, (size_t)(val - w->t->fields), w->p))
		value_text_missing(b, secret_why);
	else
		nested(v, b, w, val);
	buf_char(b, ')');
}

bool value_context(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct value_what cancel = *w;
	const struct gofield *f;

	/* The first of a chain. */
	if (w->k->words[0] != '.') {
		buf_str(b, w->k->words);
		return true;
	}
	f = value_known_field(w->t, "cancelCtx", GOTYPE_STRUCT, 0);
	if (f) {
		cancel.t = f->type;
		cancel.p = w->p + f->offset;
	}
	f = value_known_field(cancel.t, "Context", GOTYPE_INTERFACE, 16);
	if (!f)
		f = value_known_field(cancel.t, "c", GOTYPE_INTERFACE, 16);
	if (!f)
		return false;
	nested(v, b, &cancel, f);
	buf_str(b, w->k->words);
	deadline(v, b, w);
	pair(v, b, w);
	state(v, b, &cancel);
	return true;
}
