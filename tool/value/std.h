/* SPDX-License-Identifier: GPL-2.0 */
/* Well-known types of the standard library, which have a form of their own. */
#ifndef GOPROBE_VALUE_STD_H
#define GOPROBE_VALUE_STD_H

#include "value/text.h"

/* What is to be written. */
struct value_what {
	const struct value_known *k;	/* what is known of its type */
	const struct gotype *t;		/* its type */
	const uint8_t *p;		/* its bytes, @t->size of them */
	enum value_place place;		/* where it stands */
	bool pointed;			/* it is behind a pointer, and the pointer stands there */
	bool exact;			/* for JSON: not if something in it is not known */
};

/* False, perhaps with something written, if the type has not the expected shape. */
typedef bool (*value_form_fn)(struct value_ctx *v, struct buf *b, const struct value_what *w);

/* A type with a form of its own. */
struct value_known {
	/* Package and type, "time.Time"; of generic types up to and with the "[". */
	const char *name;
	enum gotype_kind kind;	/* what it must be underneath */
	value_form_fn text;	/* writes it as text */
	value_form_fn message;	/* of errors: writes what Error() returns */
	const char *words;	/* for these functions, see value_error_message() */
	/* Of errors: the field with the error that this one wraps, or NULL. */
	const char *wraps;
	bool own_pointer;	/* its text is also that of a pointer to it, without "&" */
	bool in_json;		/* its text stands beside its value in JSON */
	/* Of slices: the elements are part of what it stands in, no level below that. */
	bool is_part;
};

/* Does the row of type @t say value_known.is_part? */
bool value_known_is_part(const struct gotype *t);
/* NULL for any other type. */
const struct value_known *value_known(struct value_ctx *v, const struct gotype *t);
/*
 * Write the value of type @t at @p (all of it is there) in its own form; @pointed:
 * what is to be written is a pointer to it. False, and nothing is written, if
 * there is no such form.
 */
bool value_known_text(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p, enum value_place place, bool pointed);
/*
 * Members for JSON, each behind a comma, of a value that is an error or is
 * better known by its text: "message", "text". @p may be NULL: then none.
 */
void value_known_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		      const uint8_t *p);

/* A form that does not show its type: in an interface the type's name is added. */
static inline bool value_convert(struct buf *b, const struct value_what *w)
{
	return w->place == VALUE_IFACE && value_text_convert(b, w->t, w->place);
}

/* --- rows of the tables in std_*.c, each of which ends with a row without a name --- */

#define MESSAGE(name_, kind_, message_, words_, ...) {				\
	.name = (name_), .kind = (kind_), .text = value_error,			\
	.message = (message_), .words = (words_), .own_pointer = true,		\
	__VA_ARGS__								\
}

#define ERROR(name_, ...) \
	MESSAGE(name_, GOTYPE_STRUCT, value_error_message, __VA_ARGS__)

#define JSON(name_, kind_, ...) \
	{ .name = (name_), .kind = (kind_), .in_json = true, .text = __VA_ARGS__ }

extern const struct value_known value_known_big[];
extern const struct value_known value_known_context[];
extern const struct value_known value_known_error[];
extern const struct value_known value_known_net[];
extern const struct value_known value_known_panic[];
extern const struct value_known value_known_reflect[];
extern const struct value_known value_known_slog[];
extern const struct value_known value_known_status[];
extern const struct value_known value_known_sync[];
extern const struct value_known value_known_time[];

/* --- forms that several files use --- */

bool value_time(struct value_ctx *v, struct buf *b, const struct value_what *w);
/* The time @ns nanoseconds after 1970. */
void value_time_unix(struct buf *b, int64_t ns);
/*
 * What is left from v->now until the time.Time of type @t at @p: "2.9s", "-1.5s" behind it. False:
 * that is a day or more, or is not known.
 */
bool value_time_left(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p);
bool value_sync_map(struct value_ctx *v, struct buf *b, const struct value_what *w);
bool value_ip(struct value_ctx *v, struct buf *b, const struct value_what *w);
bool value_error(struct value_ctx *v, struct buf *b, const struct value_what *w);
bool value_error_message(struct value_ctx *v, struct buf *b, const struct value_what *w);
/* The name of the type whose descriptor is at @address, or NULL. */
const char *value_type_at(struct value_ctx *v, uint64_t address);
/* What is behind an interface. */
struct value_inside {
	struct value_iface i;	/* the interface */
	const struct gotype *t;	/* type of the struct or other value, behind a pointer or not */
	const uint8_t *p;	/* its bytes */
	bool pointed;		/* behind a pointer */
};

/* Look into the interface of type @t at @p; false: not all of it is there, or it is redacted. */
bool value_inside(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		  struct value_inside *ret);
/* The message of the error in the interface of type @t at @p; false if it is unknown. */
bool value_error_inside(struct value_ctx *v, struct buf *b, const struct gotype *t,
			const uint8_t *p);

#endif
