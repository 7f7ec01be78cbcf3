// SPDX-License-Identifier: GPL-2.0
/*
 * Well-known types of the standard library, which have a form of their own. A
 * name is only a hint: each form looks at the fields that it uses. The rows of types stand in
 * std_*.c, below the functions that write them.
 *
 * A circle with text.c, composite.c and std_*.c, as a value holds values: text.c asks here for a
 * form, and forms write what they hold by text.c. What both read values with, decode.c, map.c,
 * chan.c, redact.c and compare.c, knows neither.
 */
#include <string.h>

#include "value/std.h"

/* As fs.FileMode's String(). */
static bool show_filemode(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	static const char high[] = "dalTLDpSugct?", low[] = "rwxrwxrwx";
	size_t start;
	int64_t mode;

	(void)v;
	if (w->t->size != 4 || !value_integer(w->t, w->p, &mode))
		return false;

	bool convert = value_convert(b, w);

	start = b->len;
	for (int i = 0; high[i]; i++)
		if (mode >> (31 - i) & 1)
			buf_char(b, high[i]);
	if (b->len == start)
		buf_char(b, '-');
	for (int i = 0; low[i]; i++)
		buf_char(b, mode >> (8 - i) & 1 ? low[i] : '-');
	if (convert)
		buf_char(b, ')');
	return true;
}

/* Of 16 bytes: the bits that say so, and which version (RFC 9562). */
static bool is_uuid(const struct gotype *t, const uint8_t *p)
{
	return t->count == 16 && (p[8] & 0xc0) == 0x80 && p[6] >> 4 >= 1 && p[6] >> 4 <= 8;
}

/* [32]byte(0x9f86d081...), main.ID(6ba7b810-9dad-11d1-80b4-00c04fd430c8) */
static bool show_hex(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	bool typed = w->place == VALUE_TOP || w->place == VALUE_IFACE, uuid = is_uuid(w->t, w->p);

	if (typed) {
		value_text_name(b, value_type_name(w->t));
		buf_char(b, '(');
	}
	buf_str(b, uuid ? "" : "0x");
	for (uint64_t i = 0; i < w->t->count && !value_enough(v, b); i++) {
		if (uuid && (i == 4 || i == 6 || i == 8 || i == 10))
			buf_char(b, '-');
		buf_hex_byte(b, w->p[i]);
	}
	if (typed)
		buf_char(b, ')');
	return true;
}

static const struct value_known own[] = {
	JSON("io/fs.FileMode", GOTYPE_UINT, show_filemode),
	JSON("os.FileMode", GOTYPE_UINT, show_filemode),	/* until 1.15 */
	{ 0 },
};

static const struct value_known *const tables[] = {
	own, value_known_big, value_known_context, value_known_error, value_known_net,
	value_known_panic, value_known_reflect, value_known_slog, value_known_status,
	value_known_sync, value_known_time,
};

/* Of these the bytes are addresses, ids, checksums, and not numbers. */
#define HEX_MIN 8

static const struct value_known byte_array = {
	.kind = GOTYPE_ARRAY, .text = show_hex, .in_json = true,
};

static const struct value_known *find(const struct value_known *k, const struct gotype *t,
				      const char *name)
{
	for (; k->name; k++) {
		size_t n = strlen(k->name);

		if (k->kind == t->kind && strncmp(k->name, name, n) == 0 &&
		    (!name[n] || k->name[n - 1] == '['))
			return k;
	}
	return NULL;
}

/* With the package's path: what somebody else calls time.Duration may count seconds. */
static const struct value_known *look_up(const struct gotype *t)
{
	const char *name = t->name ? t->name : "";

	if (t->kind == GOTYPE_ARRAY && t->count >= HEX_MIN && t->elem &&
	    t->elem->kind == GOTYPE_UINT && t->elem->size == 1)
		return &byte_array;
	if (!strchr(name, '.'))
		return NULL;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct value_known *k = find(tables[i], t, name);

		if (k)
			return k;
	}
	return NULL;
}

bool value_known_is_part(const struct gotype *t)
{
	const struct value_known *k = look_up(t);

	return k && k->is_part;
}

const struct value_known *value_known(struct value_ctx *v, const struct gotype *t)
{
	struct value_form *f = value_form(v, t);

	if (!f->looked) {
		f->looked = true;
		/* A form has values of fields in its text. */
		f->known = f->redacted || f->redacts ? NULL : look_up(t);
	}
	return f->known;
}

bool value_known_text(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p, enum value_place place, bool pointed)
{
	struct value_what w = { .t = t, .p = p, .place = place, .pointed = pointed };
	size_t start = b->len;

	w.k = value_known(v, t);
	if (!w.k || !value_type_fits(t))
		return false;
	if (pointed && !w.k->own_pointer)
		buf_char(b, '&');
	if (w.k->text(v, b, &w))
		return true;
	b->len = start;
	return false;
}

/* For places where the type is not printed. */
static bool write_text(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	return w->k->in_json && w->k->text(v, b, w);
}

static bool write_message(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	return w->k->message && w->k->message(v, b, w);
}

static void member(struct value_ctx *v, struct buf *b, const char *key, value_form_fn write,
		   const struct value_what *w)
{
	struct buf said = { 0 };

	if (write(v, &said, w)) {
		buf_str(b, key);
		quote_json(b, (uint8_t *)said.p, said.len);
	}
	buf_fini(&said);
}

void value_known_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p)
{
	struct value_what w = { .t = t, .p = p, .place = VALUE_FIELD, .exact = true };
	const char *why;

	/* A *reflect.rtype has a text, and not what it points to. */
	if (p && t->kind == GOTYPE_POINTER && t->elem && value_word(p) && !value_known(v, t)) {
		w.t = t->elem;
		w.p = value_behind(v, t, p, &why);
		w.pointed = true;
	}
	w.k = w.p ? value_known(v, w.t) : NULL;
	if (!w.k || !value_type_fits(w.t))
		return;
	if (!w.pointed)
		member(v, b, ",\"text\":", write_text, &w);
	member(v, b, ",\"message\":", write_message, &w);
}
