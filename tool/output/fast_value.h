/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values of a line, quickly: what does not change from one call of a function to
 * the next is made once, and the most frequent kinds of values are written between
 * it in line. All else is left to the format, value by value.
 */
#ifndef GOPROBE_OUTPUT_FAST_VALUE_H
#define GOPROBE_OUTPUT_FAST_VALUE_H

#include "base/buf.h"
#include "output/format.h"

/**
 * struct quick_form - how a format writes values
 * @open: what stands before the first one
 * @separator: what stands between two
 * @receiver_last: a receiver stands behind the arguments
 * @before: what stands before a value that can be had, from its name on
 * @after: and behind it
 * @close: what stands behind the last one
 * @plain: is an integer, a bool or a string of this type written as it is?
 * @quote: writes a string
 * @value: writes any value, with what stands before and behind it
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
/* Free what was remembered. */
void quick_fini(struct out *o);

#endif
