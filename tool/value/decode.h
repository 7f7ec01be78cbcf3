/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A typed value, as bytes of a frame and chunks of its record, to Go-looking
 * text or JSON. Pure. Trusts neither the bytes nor the sizes in the types: what
 * does not fit is shown as unavailable, with the reason in its place.
 */
#ifndef GOPROBE_VALUE_DECODE_H
#define GOPROBE_VALUE_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "event/record.h"
#include "gobin/runtime_layout.h"
#include "gotype/secret.h"
#include "gotype/type.h"
#include "value/memory.h"

/* Values shown of one argument or result, nested ones included. */
#define VALUE_BUDGET 20000
/* Text of one argument or result, about: when it is reached, the rest is left out. */
#define VALUE_TEXT_MAX (1U << 20)
/* How deep values nest in one argument or result. */
#define VALUE_DEPTH 64

/* What a run-time type descriptor stands for. */
struct value_dynamic {
	const char *name;	/* the type's name, or NULL */
	const struct gotype *type;	/* the type, or NULL if it is not known */
	bool direct;		/* an interface's data word is the value itself, of 8 bytes */
};

/* What the address of a function's code stands for. */
struct value_func {
	const char *name;		/* the function's name, or NULL */
	/*
	 * What a closure of it is, a struct: the code's address, then the captured variables; or
	 * NULL.
	 */
	const struct gotype *closure;
};

/* A reference. */
struct value_from {
	const struct gotype *t;	/* its type */
	const uint8_t *p;	/* its bytes */
};

/**
 * struct value_env - what is known of the program that the record at hand is from
 * @ctx: first argument of the callbacks
 * @dynamic: look up a descriptor by its run-time address
 * @func: look up a function by the run-time address of its code
 * @layout: how its runtime keeps maps and channels, or NULL
 * @unread: why nothing was copied of what a reference of type @t leads to that is
 *	@offset bytes from the beginning of chunk @c, or of the frame if that is NULL:
 *	a static string, VALUE_DEEP if that is why, or NULL
 * @secrets: what is redacted; NULL: what always is
 * @full: which limit a record that was cut short has met, where @have objects in a row were
 *	copied: a static string; NULL: these were all that were asked for
 * @variable: the first word of package variable @name, as the process has it now
 *
 * Callbacks return false if nothing is known (then @ret stays as it was: empty),
 * and may be NULL. All that they give out must live until the next record.
 */
struct value_env {
	void *ctx;
	bool (*dynamic)(void *ctx, uint64_t address, struct value_dynamic *ret);
	bool (*func)(void *ctx, uint64_t code, struct value_func *ret);
	const struct runtime_layout *(*layout)(void *ctx);
	const char *(*unread)(void *ctx, const struct record_chunk *c, uint64_t offset,
			      const struct gotype *t);
	const struct secret_list *secrets;
	const char *(*full)(void *ctx, uint64_t have);
	bool (*variable)(void *ctx, const char *name, uint64_t *ret);
};

/*
 * The usual reason, and its name where the option is called otherwise: plan_options.brief. Where an
 * address stands for the value it needs no words.
 */
extern const char *const VALUE_DEEP, *const VALUE_DEEP_BRIEF;
bool value_is_deep(const char *why);

/* An object that is being printed: what leads back to it is a cycle. */
struct value_open {
	uint64_t address;
	const struct gotype *type;
};

struct value_known;

/* Bytes of a map's key and its element; NULL: unavailable. */
struct value_entry {
	const uint8_t *key;
	const uint8_t *elem;
};

/* A map; value/map.c fills it. */
struct value_entries {
	struct value_entry *v;		/* entries that were captured */
	size_t n;			/* their number */
	uint64_t len;			/* entries of the map */
	const char *cut;		/* why there are not all, or NULL: a limit, as a rule */
	const char *unavailable;	/* why there are none, or NULL */
	const char *why;		/* why a key or an element is NULL */
	size_t cap;			/* capacity of @v */
	struct value_entries *next;	/* for the list of unused ones */
};

/* What is special about a type, remembered: by value/redact.c, and by value/std.c its own form. */
struct value_form {
	const struct gotype *type;		/* the type */
	/* Its own form, or NULL: it has none, or a form could show what is redacted. */
	const struct value_known *known;
	bool looked;				/* @known is set */
	bool redacted;				/* values of it are redacted */
	uint64_t redacts;			/* bit i: field i is redacted */
	/* The field whose value can say that another one is redacted, or NULL; and that one. */
	const struct gofield *key;
	const char *under;
};

#define VALUE_FORMS 256	/* a power of two */

/*
 * What is needed besides the bytes.
 *
 * The rest belongs to value*.c. value_init() once, value_record() for each record, value_start()
 * for each argument or result.
 */
struct value_ctx {
	const struct record *rec;	/* the record */
	const struct value_env *env;	/* the program */
	/*
	 * columns of text: values that do not fit are broken into indented lines; 0: everything
	 * stays on one line
	 */
	unsigned int width;
	uint64_t now;	/* when the values were so, ns since 1970; 0: not known */
	bool no_zero;	/* text leaves out fields that are zero */
	bool full;	/* text leaves out neither generated fields nor a server's contexts */

	unsigned int budget;	/* values that may still be shown */
	unsigned int depth;	/* of nesting */
	size_t text_end;	/* the buffer's length at which it is enough */
	size_t line;		/* where the buffer's last line begins */
	unsigned int indent;	/* levels, of text in lines */
	unsigned int flat;	/* > 0: inside what must stay on one line */
	unsigned int nopen;
	struct value_open open[VALUE_DEPTH];
	struct value_mem mem;
	struct value_entries *spare;	/* for reuse */
	struct value_form forms[VALUE_FORMS];
};

void value_init(struct value_ctx *v, const struct value_env *env);
void value_fini(struct value_ctx *v);
/* @rec is the next record. It must stay as it is while its values are shown. */
void value_record(struct value_ctx *v, const struct record *rec);
/* The next argument or result goes to @b. */
void value_start(struct value_ctx *v, const struct buf *b);

/* What a string or slice refers to. */
struct value_bytes {
	const uint8_t *data;		/* bytes that were captured */
	size_t size;			/* their number; whole elements of a slice */
	uint64_t len;			/* length of the string or slice itself */
	uint64_t have;			/* of that length, what was captured */
	uint64_t address;		/* where it is */
	const char *cut;		/* why there is not all, or NULL: a limit, as a rule */
	const char *unavailable;	/* why there is nothing, or NULL */
};

/* Shared by the two renderings and value/path.c. */
uint64_t value_word(const uint8_t *p);
bool value_is_bytes(const struct gotype *t);	/* []byte and the like */
const char *value_type_name(const struct gotype *t);
/* Is the pointer of type @t at @p nil? */
bool value_is_nil(const struct gotype *t, const uint8_t *p);
/* Does pointer type @t not say what is there? unsafe.Pointer; cgo's *[0]byte, for functions. */
bool value_is_opaque(const struct gotype *t);
/* The function whose code the pointer at @p points to; NULL: none, or @t says what is there. */
const char *value_code(struct value_ctx *v, const struct gotype *t, const uint8_t *p);
void value_string(struct value_ctx *v, const uint8_t *p, struct value_bytes *ret);
void value_slice(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_bytes *ret);
/*
 * Whole objects of @size bytes, @n of them, at @address: ret->data, ret->have of
 * them; or ret->unavailable. @from: the reference that leads there; NULL: one
 * inside a map or channel.
 */
void value_objects(struct value_ctx *v, const struct value_from *from, uint64_t address,
		   uint64_t size, uint64_t n, struct value_bytes *ret);
/* One object of type @t at @address; NULL, and *@why, if it was not captured. */
const uint8_t *value_object(struct value_ctx *v, const struct value_from *from,
			    const struct gotype *t, uint64_t address, const char **why);
/* The bytes behind the pointer of type @t at @p, which is not nil; NULL in the same cases. */
const uint8_t *value_behind(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
			    const char **why);
/* Why there are not more bytes at @address; NULL if the plan's limits did not allow more. */
const char *value_why(struct value_ctx *v, const struct value_from *from, uint64_t address);

/* An interface's dynamic type and value. */
struct value_iface {
	bool nil;			/* the interface is nil */
	const char *name;		/* its type's name, or NULL if that is unknown */
	uint64_t type;			/* run-time address of its descriptor, or 0 if unknown */
	uint64_t data;			/* data word */
	const struct gotype *dynamic;	/* its type, or NULL */
	const uint8_t *p;		/* its bytes, @dynamic->size of them; or NULL */
	const char *why;		/* if @dynamic or @p is NULL: why */
};

void value_iface(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_iface *ret);

/* What a value of function type leads to. */
struct value_closure {
	uint64_t address;		/* of the closure; 0: nil */
	const char *name;		/* the function's name, or NULL */
	const struct gotype *type;	/* struct of the captured variables, or NULL */
	const uint8_t *p;		/* its bytes, @type->size of them; or NULL */
	const char *why;		/* if @name is NULL: why */
};

void value_closure(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		   struct value_closure *ret);
/* Is field @i of a closure's struct a captured variable? Else it is the code. */
bool value_is_captured(const struct gotype *closure, size_t i);

/* What is special about @t; valid until the next call. */
struct value_form *value_form(struct value_ctx *v, const struct gotype *t);
/* Is each value of type @t redacted, or field @i of the one at @p? Its bytes must not be shown. */
bool value_redacts_type(struct value_ctx *v, const struct gotype *t);
bool value_redacts_field(struct value_ctx *v, const struct gotype *t, size_t i, const uint8_t *p);

/* A number, sign-extended; false if its size is not a number's. */
bool value_integer(const struct gotype *t, const uint8_t *p, int64_t *ret);
/* @size is 4 or 8. */
double value_float(const uint8_t *p, unsigned int size);
/*
 * Why @len bytes are no value of type @t, or that the limits are reached; or
 * NULL, and it counts.
 */
const char *value_refuse(struct value_ctx *v, const struct buf *b, const struct gotype *t,
			 size_t len);
static inline bool value_is_blank(const struct gofield *f)
{
	return f->name[0] == '_' && !f->name[1];
}

/* Nothing more may be shown. */
static inline bool value_enough(const struct value_ctx *v, const struct buf *b)
{
	return !v->budget || b->len > v->text_end;
}

/* The sizes in @t are those of its kind. */
bool value_type_fits(const struct gotype *t);
/* Field @name of @t, if it is of this kind and size (0: any) and inside; or NULL. */
const struct gofield *value_known_field(const struct gotype *t, const char *name,
					enum gotype_kind kind, uint64_t size);
/* Begin to show what is at @address; false if that is being done already, or too deep. */
bool value_enter(struct value_ctx *v, const struct gotype *t, uint64_t address);
void value_leave(struct value_ctx *v);

/*
 * Why there is nothing of capture item @item (struct goprobe_op), or NULL if it
 * did not fail.
 */
const char *value_missed(const struct record *r, uint64_t item);

/*
 * Append the value of type @t whose bytes are the @len ones at @p. The text is
 * what follows "name=". The JSON is the members that follow "type": "value"
 * with perhaps others, or "unavailable"; docs/json.md.
 */
void value_text(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len);
void value_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len);

#endif
