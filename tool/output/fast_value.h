/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fast path for the values of a line. The constant text of a function's lines is made once;
 * integers, bools and strings are written between its pieces. The format writes all other values.
 */
#ifndef GOPROBE_OUTPUT_FAST_VALUE_H
#define GOPROBE_OUTPUT_FAST_VALUE_H

#include "base/buf.h"
#include "output/format.h"

/* How a format writes values. */
struct fast_value_form {
	void (*open)(struct buf *b,
		     const struct output_event *e); /* the text before the first one */
	const char *separator;	/* the text between two */
	bool receiver_last;	/* a receiver stands behind the arguments */
	/* The text before an available value, from its name on. */
	void (*before)(struct buf *b, const struct plan_value *val);
	const char *after;	/* the text behind it */
	const char *close;	/* the text behind the last one */
	/* Is an integer, a bool or a string of this type written as it is? */
	bool (*plain)(struct value_ctx *v, const struct gotype *t);
	void (*quote)(struct buf *b, const uint8_t *s, size_t n);	/* writes a string */
	/* Writes any value, with the text before and behind it. */
	void (*value)(struct buf *b, const struct output_event *e, const struct plan_value *val);
};

/* Write the values of @e, whose frame is available, as @form says. */
void fast_value_values(struct output *o, const struct fast_value_form *form,
		       const struct output_event *e);
/* Free the texts that were made. */
void fast_value_fini(struct output *o);

#endif
