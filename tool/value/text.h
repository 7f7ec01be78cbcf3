/* SPDX-License-Identifier: GPL-2.0 */
/* Internals that the files which render values as text share. */
#ifndef GOPROBE_VALUE_TEXT_H
#define GOPROBE_VALUE_TEXT_H

#include "value/decode.h"
#include "value/map.h"

/* Where a value stands decides how much of its type Go would write. */
enum value_place {
	VALUE_TOP,	/* behind "name=": main.Code(3), main.Item{} */
	VALUE_FIELD,	/* in a struct, whose type is known: 3, main.Item{} */
	VALUE_LIST,	/* in a list, whose type is known, too: 3, {} */
	VALUE_IFACE,	/* in an interface: int32(3), main.Item{} */
};

void value_text_put(struct value_ctx *v, struct buf *b, const struct gotype *t, const uint8_t *p,
		    size_t len, enum value_place place);
/* The mark of an unavailable value: no Go value looks like this. */
void value_text_missing(struct buf *b, const char *why);
/* A type's name, with packages by their names in place of their paths. */
void value_text_name(struct buf *b, const char *name);
/* As reflect.Type's String(): without the names "any" and "[]byte". */
void value_text_type_string(struct buf *b, const char *name);
/*
 * What has a form of its own where the type is clear: writes "T(" where it is not.
 * Returns whether there is a ")" to be written behind.
 */
bool value_text_convert(struct buf *b, const struct gotype *t, enum value_place place);

/* The part of a composite value that is in braces. */
struct value_list {
	const struct gotype *type;		/* of the value */
	const uint8_t *data;			/* elements, or a struct's fields */
	uint64_t n;				/* elements, fields or entries that can be shown */
	uint64_t len;				/* that there are */
	/* Why there are more than can be shown, or NULL: a limit, as a rule. */
	const char *cut;
	const struct value_entries *entries;	/* of a map */
	const struct value_chan *chan;		/* of a channel */
	bool captured;				/* a closure's struct: without the code */
};

/*
 * Write "{...}", and behind it the length, if there is more than is shown: on one
 * line if it fits or v->width is 0, else a line for each item.
 */
void value_braces(struct value_ctx *v, struct buf *b, const struct value_list *l);
/* "...": more is unavailable, perhaps because @why. */
void value_text_cut(struct buf *b, const char *why);
/* " (len 3)" */
void value_text_length(struct buf *b, uint64_t len);

#endif
