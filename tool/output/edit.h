/* SPDX-License-Identifier: GPL-2.0 */
/* Changes, as text and as JSON. */
#ifndef GOPROBE_OUTPUT_EDIT_H
#define GOPROBE_OUTPUT_EDIT_H

#include "compile/edit.h"
#include "output/format.h"

/**
 * struct edit_show - where the values of a change are
 * @v: shows them
 * @values: what they are, by the numbers of edit_set
 * @value: value @i
 * @ctx: first argument of @value
 */
struct edit_show {
	struct value_ctx *v;
	const struct plan_value *values;
	void (*value)(void *ctx, size_t i, struct out_shown *ret);
	void *ctx;
};

/* "n = 1 (was 0)" */
void edit_text_set(const struct edit_show *show, const struct edit_set *set, struct buf *b);
/* The member "set". */
void edit_json_sets(const struct edit_show *show, const struct edit *edit, struct buf *b);

#endif
