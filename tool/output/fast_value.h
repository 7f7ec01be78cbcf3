/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A fast path for the values of a line. The constant text of a function's lines is made once;
 * integers, bools and strings are written between its pieces. The format writes all other values.
 */
#ifndef GOPROBE_OUTPUT_FAST_VALUE_H
#define GOPROBE_OUTPUT_FAST_VALUE_H

#include "base/buf.h"
#include "output/format.h"

/**
 * struct quick_form - how a format writes values
 * @open: the text before the first one
 * @separator: the text between two
 * @receiver_last: a receiver stands behind the arguments
 * @before: the text before an available value, from its name on
 * @after: the text behind it
 * @close: the text behind the last one
 * @plain: is an integer, a bool or a string of this type written as it is?
 * @quote: writes a string
 * @value: writes any value, with the text before and behind it
 */
struct quick_form {
	void (*open)(struct buf *b, const struct out_event *e);
	const char *separator;
	bool receiver_last;
	void (*before)(struct buf *b, const struct plan_value *val);
	const char *after;
	const char *close;
	bool (*plain)(struct value_ctx *v, const struct gotype *t);
	void (*quote)(struct buf *b, const uint8_t *s, size_t n);
	void (*value)(struct buf *b, const struct out_event *e, const struct plan_value *val);
};

/* Write the values of @e, whose frame is available, as @form says. */
void quick_values(struct out *o, const struct quick_form *form, const struct out_event *e);
/* Free the texts that were made. */
void quick_fini(struct out *o);

#endif
