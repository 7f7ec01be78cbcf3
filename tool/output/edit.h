/* SPDX-License-Identifier: GPL-2.0 */
/* Changes, as text and as JSON. */
#ifndef GOPROBE_OUTPUT_EDIT_H
#define GOPROBE_OUTPUT_EDIT_H

#include "compile/edit.h"
#include "output/format.h"

/* Where the values of a change are. */
struct edit_show {
	struct value_ctx *v;			/* shows them */
	const struct plan_value *values;	/* what they are, by the numbers of edit_set */
	void (*value)(void *ctx, size_t i, struct output_shown *ret);	/* value @i */
	void *ctx;				/* first argument of @value */
};

/* "n = 1 (was 0)" */
void edit_text_set(const struct edit_show *show, const struct edit_set *set, struct buf *b);
/* The member "set". */
void edit_json_sets(const struct edit_show *show, const struct edit *edit, struct buf *b);

#endif
