// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: the values that a chain of them carries, the innermost first, how much time is left,
 * and whether it is canceled: ctx{tenant: "acme", user: 42, deadline 2.9s}.
 */
#include <string.h>

#include "base/plain.h"
#include "value/std.h"

/* Contexts of a chain that are looked at. */
#define CHAIN_MAX 64
/* A longer text of a value is left out: its type stands for it. */
#define VALUE_MAX 160

/* Keys under which servers keep what is their own. */
static const char *const server_keys[] = {
	"*net/http.contextKey", "google.golang.org/grpc/internal/transport.connectionKey",
};

/* What is found on the way up a chain. */
struct chain {
	struct value_what w;	/* the context at hand */
	bool any;		/* something is written */
	bool deadline;		/* a deadline is; the first one is the earliest */
	bool over;		/* it is canceled; all below are, too */
	bool detached;		/* those above have no say any more */
	bool more;		/* values are left out */
};

static void next(struct chain *c, struct buf *b)
{
	buf_str(b, c->any ? ", " : "");
	c->any = true;
}

static void nested(struct value_ctx *v, struct buf *b, const struct value_what *w,
		   const struct gofield *f)
{
	value_text_put(v, b, f->type, w->p + f->offset, f->type->size, VALUE_IFACE);
}

/* --- canceled --------------------------------------------------------------------- */

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

/* "context canceled"; @w is a cancelCtx. */
static void state(struct value_ctx *v, struct buf *b, struct chain *c, const struct value_what *w)
{
	const struct gofield *f = value_known_field(w->t, "err", GOTYPE_INTERFACE, 16);
	const uint8_t *p = w->p;
	size_t start;

	if (!f) {
		/* Since 1.27 it is in an atomic.Value. */
		f = value_known_field(w->t, "err", GOTYPE_STRUCT, 0);
		if (!f)
			return;
		p += f->offset;
		f = value_known_field(f->type, "v", GOTYPE_INTERFACE, 16);
	}
	if (c->over || c->detached || !f || !value_word(p + f->offset))
		return;
	c->over = true;
	next(c, b);
	start = b->len;
	if (!error_text(v, b, f->type, p + f->offset) || b->len == start)
		buf_str(b, "canceled");
	cause(v, b, w, value_word(p + f->offset + 8));
}

static void deadline(struct value_ctx *v, struct buf *b, struct chain *c)
{
	const struct gofield *f = value_known_field(c->w.t, "deadline", GOTYPE_STRUCT, 0);

	if (!f || c->deadline || c->detached)
		return;
	c->deadline = true;
	next(c, b);
	buf_str(b, "deadline ");
	if (!value_time_left(v, b, f->type, c->w.p + f->offset))
		value_text_put(v, b, f->type, c->w.p + f->offset, f->type->size, VALUE_FIELD);
}

/* --- values ----------------------------------------------------------------------- */

/* The name of a type without its package: "tenantKey". */
static void last_name(struct buf *b, const char *name)
{
	const char *dot = strrchr(name, '.');

	value_text_name(b, dot && !strchr(name, '[') ? dot + 1 : name);
}

static void quoted(struct value_ctx *v, struct buf *b, const uint8_t *p)
{
	struct value_bytes s;

	value_string(v, p, &s);
	if (s.unavailable)
		value_text_missing(b, s.unavailable);
	else if (s.size && plain_name((const char *)s.data, s.size))
		buf_mem(b, (const char *)s.data, s.size);
	else
		quote_go(b, s.data, s.size);
	if (!s.unavailable && s.have < s.len)
		buf_str(b, "...");
}

/* A string's text; the type of a key without contents, which identifies it; else the key. */
static void key(struct value_ctx *v, struct buf *b, const struct value_what *w,
		const struct gofield *f)
{
	const struct gofield *name;
	struct value_inside in;

	if (!value_inside(v, f->type, w->p + f->offset, &in)) {
		nested(v, b, w, f);
		return;
	}
	name = value_known_field(in.t, "name", GOTYPE_STRING, 16);
	if (in.t->kind == GOTYPE_STRING && !in.pointed)
		quoted(v, b, in.p);
	else if (in.t->kind == GOTYPE_STRUCT && !in.t->nfields)
		last_name(b, value_type_name(in.t));
	else if (in.pointed && name)
		quoted(v, b, in.p + name->offset);
	else
		nested(v, b, w, f);
}

/* A long one is only named. */
static void put_value(struct value_ctx *v, struct buf *b, const struct value_what *w,
		      const struct gofield *f)
{
	size_t start = b->len;
	struct value_iface i;

	nested(v, b, w, f);
	if (v->full || b->len - start <= VALUE_MAX)
		return;
	value_iface(v, f->type, w->p + f->offset, &i);
	if (!i.name || !i.p)
		return;
	b->len = start;
	value_text_name(b, i.name);
	buf_str(b, "{...}");
}

static bool is_server_key(struct value_ctx *v, const struct value_what *w, const struct gofield *f)
{
	struct value_iface i;

	value_iface(v, f->type, w->p + f->offset, &i);
	for (size_t k = 0; i.name && k < sizeof(server_keys) / sizeof(*server_keys); k++)
		if (strcmp(i.name, server_keys[k]) == 0)
			return true;
	return false;
}

static void pair(struct value_ctx *v, struct buf *b, struct chain *c)
{
	const struct value_what *w = &c->w;
	const struct gofield *k = value_known_field(w->t, "key", GOTYPE_INTERFACE, 16);
	const struct gofield *val = value_known_field(w->t, "val", GOTYPE_INTERFACE, 16);

	if (!k || !val)
		return;
	if (!v->full && is_server_key(v, w, k)) {
		c->more = true;
		return;
	}
	next(c, b);
	key(v, b, w, k);
	buf_str(b, ": ");
	if (value_redacts_field(v, w->t, (size_t)(val - w->t->fields), w->p))
		value_text_missing(b, secret_why);
	else
		put_value(v, b, w, val);
}

/* --- chains ----------------------------------------------------------------------- */

static bool show_context(struct value_ctx *v, struct buf *b, const struct value_what *w);

/* A first context that is not of package context. */
static void root(struct value_ctx *v, struct buf *b, struct chain *c, const struct gofield *f)
{
	next(c, b);
	buf_str(b, "in ");
	nested(v, b, &c->w, f);
}

/* Go to the parent of the context at hand; false: it has no parent that can be shown so. */
static bool up(struct value_ctx *v, struct buf *b, struct chain *c, const struct gofield *f)
{
	struct value_inside in;
	const struct value_known *k;

	if (!value_inside(v, f->type, c->w.p + f->offset, &in)) {
		root(v, b, c, f);
		return false;
	}
	k = value_known(v, in.t);
	if (!k || k->text != show_context) {
		root(v, b, c, f);
		return false;
	}
	c->w.k = k;
	c->w.t = in.t;
	c->w.p = in.p;
	return !k->words;
}

/* The context at hand; the field with its parent, or NULL. */
static const struct gofield *look_at(struct value_ctx *v, struct buf *b, struct chain *c)
{
	const struct gofield *f = value_known_field(c->w.t, "cancelCtx", GOTYPE_STRUCT, 0), *parent;

	pair(v, b, c);
	deadline(v, b, c);
	if (f) {
		c->w.p += f->offset;
		c->w.t = f->type;
	}
	state(v, b, c, &c->w);
	parent = value_known_field(c->w.t, "Context", GOTYPE_INTERFACE, 16);
	if (parent)
		return parent;
	parent = value_known_field(c->w.t, "c", GOTYPE_INTERFACE, 16);
	c->detached |= !!parent;
	return parent;
}

static bool show_context(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct chain c = { .w = *w };
	const struct gofield *f;

	if (w->k->words) {
		buf_str(b, w->k->words);
		return true;
	}
	buf_str(b, "ctx{");
	for (int i = 0; i < CHAIN_MAX; i++) {
		f = look_at(v, b, &c);
		/* What has no parent is no such context. */
		if (!f && !i)
			return false;
		if (!f || !up(v, b, &c, f))
			break;
		c.more |= i + 1 == CHAIN_MAX;
	}
	if (c.more) {
		next(&c, b);
		buf_str(b, "...");
	}
	buf_char(b, '}');
	return true;
}

#define CONTEXT(name_, kind_, words_) {						\
	.name = (name_), .kind = (kind_), .text = show_context,		\
	.words = (words_), .own_pointer = true,					\
}

const struct value_known value_known_context[] = {
	CONTEXT("context.backgroundCtx", GOTYPE_STRUCT, "context.Background"),
	CONTEXT("context.todoCtx", GOTYPE_STRUCT, "context.TODO"),
	/* Until 1.20: only its address identifies it. */
	CONTEXT("context.emptyCtx", GOTYPE_INT, "context.emptyCtx"),
	/* Those with a parent. */
	CONTEXT("context.cancelCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.timerCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.valueCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.withoutCancelCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.afterFuncCtx", GOTYPE_STRUCT, NULL),
	CONTEXT("context.stopCtx", GOTYPE_STRUCT, NULL),
	{ 0 },
};
