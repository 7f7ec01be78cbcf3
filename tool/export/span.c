// SPDX-License-Identifier: GPL-2.0
/* Calls of trees as spans of time, and their values as texts. */
#include <stdio.h>
#include <string.h>

#include "export/span.h"

static bool is_error(const struct plan_value *val, const struct buf *text)
{
	const char *type = val->type ? value_type_name(val->type) : "";

	/* "<reason>" stands for what is not available. */
	return !strcmp(type, "error") && text->len && text->p[0] != '<' &&
	       (text->len != 3 || memcmp(text->p, "nil", 3) != 0);
}

void span_values(struct output *o, const struct output_event *e,
		 void (*put)(struct buf *b, void *ctx, const struct span_value *v), void *ctx)
{
	const struct plan_frame *f = output_frame(e);
	struct buf text = { 0 };

	for (size_t i = 0; !f->unavailable && i < f->nvalues; i++) {
		const struct plan_value *val = &f->values[i];
		bool blank = !val->name || !strcmp(val->name, "_");
		char number[24];

		/* There can be several, and all have keys that differ. */
		snprintf(number, sizeof(number), "_%zu", i);
		text.len = 0;
		output_text_value(&text, e, val);
		put(&o->buf, ctx, &(struct span_value){
			.name = blank ? number : val->name, .text = text.p, .len = text.len,
			.is_error = is_error(val, &text),
		});
	}
	o->buf.failed |= text.failed;
	buf_fini(&text);
}

uint64_t span_end(const struct graph *g, const struct calltree_call *c)
{
	uint64_t end = c->time + c->duration;

	if (c->end == CALLTREE_OPEN)
		return g->last > end ? g->last : end;
	if (c->end != CALLTREE_UNSEEN)
		return end;
	for (const struct calltree_call *k = c->child; k; k = k->next) {
		uint64_t last = span_end(g, k);

		end = !k->started && last > end ? last : end;
	}
	return end;
}

const char *span_program(const struct graph *g, const struct calltree_call *c)
{
	const char *path = gobin_path(g->plan->funcs[c->fn]->bin);
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
