// SPDX-License-Identifier: GPL-2.0
/*
 * Values of package log/slog. They have a number, and beside it an interface whose type says
 * what the number is: the value itself, or the length of what the interface refers to.
 */
#include <string.h>

#include "value/std.h"

/* src/log/slog/value.go */
enum kind { BOOL = 1, DURATION, FLOAT64, INT64, UINT64 = 7 };

/* A slog.Value. */
struct held {
	const uint8_t *num;		/* its number */
	const uint8_t *word;		/* the interface's data word */
	const struct gofield *any;	/* the interface */
	struct value_iface i;		/* what is in it */
};

static const struct gotype t_string = { .kind = GOTYPE_STRING, .name = "string", .size = 16 };
static const struct gotype t_bool = { .kind = GOTYPE_BOOL, .name = "bool", .size = 1 };
static const struct gotype t_duration = { .kind = GOTYPE_INT, .name = "time.Duration", .size = 8 };
static const struct gotype t_float = { .kind = GOTYPE_FLOAT, .name = "float64", .size = 8 };
static const struct gotype t_int = { .kind = GOTYPE_INT, .name = "int64", .size = 8 };
static const struct gotype t_uint = { .kind = GOTYPE_UINT, .name = "uint64", .size = 8 };

static const struct gotype *const kinds[] = {
	[BOOL] = &t_bool, [DURATION] = &t_duration, [FLOAT64] = &t_float, [INT64] = &t_int,
	[UINT64] = &t_uint,
};

static bool get(struct value_ctx *v, const struct value_what *w, struct held *ret)
{
	const struct gofield *num = value_known_field(w->t, "num", GOTYPE_UINT, 8);

	ret->any = value_known_field(w->t, "any", GOTYPE_INTERFACE, 16);
	if (!num || !ret->any || !ret->any->type->empty)
		return false;
	ret->num = w->p + num->offset;
	ret->word = w->p + ret->any->offset + 8;
	value_iface(v, ret->any->type, w->p + ret->any->offset, &ret->i);
	return true;
}

static bool is_type(const struct held *h, const char *name)
{
	static const char pkg[] = "log/slog.";

	return h->i.name && !strncmp(h->i.name, pkg, sizeof(pkg) - 1) &&
	       !strcmp(h->i.name + sizeof(pkg) - 1, name);
}

/* What the number is, if it is the value; or NULL. */
static const struct gotype *number_type(const struct held *h)
{
	int64_t kind;

	if (!is_type(h, "Kind") || !h->i.p || !value_integer(h->i.dynamic, h->i.p, &kind) ||
	    kind < 0 || (size_t)kind >= sizeof(kinds) / sizeof(*kinds))
		return NULL;
	return kinds[kind];
}

/* JSON has the string itself. */
static bool string(struct value_ctx *v, struct buf *b, const struct value_what *w,
		   const struct held *h)
{
	struct value_bytes s;
	uint64_t header[] = { value_word(h->word), value_word(h->num) };

	value_objects(v, &(struct value_from){ h->any->type, h->word }, header[0], 1, header[1],
		      &s);
	if (w->exact && s.have == s.len)
		buf_mem(b, s.data, s.size);
	else if (!w->exact)
		value_text_put(v, b, &t_string, (uint8_t *)header, sizeof(header), VALUE_FIELD);
	return !w->exact || s.have == s.len;
}

static bool attributes(struct value_ctx *v, struct buf *b, const struct held *h)
{
	const struct gotype *group = h->i.dynamic, *attr = group ? group->elem : NULL;
	struct gotype list = { .kind = GOTYPE_SLICE, .name = "[]slog.Attr", .size = 24 };
	struct value_bytes s;

	if (!attr || group->kind != GOTYPE_POINTER || !value_enter(v, group, value_word(h->word)))
		return false;
	list.elem = attr;
	value_objects(v, &(struct value_from){ group, h->word }, value_word(h->word), attr->size,
		      value_word(h->num), &s);
	buf_str(b, list.name);
	if (s.unavailable) {
		value_text_missing(b, s.unavailable);
		value_text_length(b, s.len);
	} else {
		value_braces(v, b, &(struct value_list){
			.type = &list, .data = s.data, .n = s.have, .len = s.len, .cut = s.cut,
		});
	}
	value_leave(v);
	return true;
}

/* A time between 1678 and 2262 is the nanoseconds since 1970; time.Time{} has no location. */
static bool time(struct buf *b, const struct held *h)
{
	if (value_word(h->word))
		value_time_unix(b, (int64_t)value_word(h->num));
	else
		buf_str(b, "time.Time{}");
	return true;
}

/* A time that nanoseconds since 1970 do not reach is itself in the interface. */
static bool far_time(struct value_ctx *v, struct buf *b, const struct held *h)
{
	const struct value_what w = { .t = h->i.dynamic, .p = h->i.p, .place = VALUE_FIELD };

	return w.p && value_time(v, b, &w);
}

static bool content(struct value_ctx *v, struct buf *b, const struct value_what *w,
		    const struct held *h)
{
	const struct gotype *t = number_type(h);

	if (is_type(h, "stringptr"))
		return string(v, b, w, h);
	if (is_type(h, "timeLocation"))
		return time(b, h);
	if (is_type(h, "timeTime"))
		return far_time(v, b, h);
	if (t) {
		value_text_put(v, b, t, h->num, 8, VALUE_FIELD);
		return true;
	}
	/* A kind that is not known yet, or no kind of a number. */
	if (w->exact || is_type(h, "Kind"))
		return false;
	if (is_type(h, "groupptr"))
		return attributes(v, b, h);
	value_text_put(v, b, h->any->type, w->p + h->any->offset, 16, VALUE_FIELD);
	return true;
}

static bool show_slog(struct value_ctx *v, struct buf *b, const struct value_what *w)
{
	struct held h;
	bool convert;

	if (!get(v, w, &h))
		return false;
	convert = !w->exact && value_text_convert(b, w->t, w->place);
	if (!content(v, b, w, &h))
		return false;
	if (convert)
		buf_char(b, ')');
	return true;
}

const struct value_known value_known_slog[] = {
	JSON("log/slog.Value", GOTYPE_STRUCT, show_slog),
	{ 0 },
};
