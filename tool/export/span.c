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

/* When @c ended by its own times; if that was not seen, when it was last known to be open. */
static uint64_t end_of(const struct graph *g, const struct calltree_call *c)
{
	uint64_t end = c->time + c->duration;

	if (c->end == CALLEND_OPEN)
		return g->last > end ? g->last : end;
	if (c->end != CALLEND_UNSEEN)
		return end;
	for (const struct calltree_call *k = c->child; k; k = k->next) {
		uint64_t last = end_of(g, k);

		end = !k->started && last > end ? last : end;
	}
	return end;
}

/* Place @c between @least and @most: as long as it took, if that is possible. */
static void place(const struct graph *g, struct calltree_call *c, uint64_t least, uint64_t most)
{
	bool ended = graph_has_ended(c);
	uint64_t end = end_of(g, c);

	if (ended && most > c->seen)
		most = c->seen;
	c->until = end < most ? end : most;
	c->from = c->time < c->until ? c->time : c->until;
	if (ended && c->until < end)
		c->from = c->until > c->duration ? c->until - c->duration : 0;
	if (c->from < least)
		c->from = least;
	if (c->until < c->from)
		c->until = c->from;
}

static struct calltree_call *reverse(struct calltree_call *c)
{
	struct calltree_call *before = NULL;

	while (c) {
		struct calltree_call *next = c->next;

		c->next = before;
		before = c;
		c = next;
	}
	return before;
}

/* @c has its place. The last call in it is placed first, as the ones before end where it begins. */
static void place_below(const struct graph *g, struct calltree_call *c)
{
	uint64_t most = c->until;

	c->child = reverse(c->child);
	for (struct calltree_call *k = c->child; k; k = k->next) {
		place(g, k, k->started ? 0 : c->from, k->started ? UINT64_MAX : most);
		if (!k->started)
			most = k->from;
		place_below(g, k);
	}
	c->child = reverse(c->child);
}

void span_place(const struct graph *g, const struct calltree_root *r)
{
	place(g, r->call, 0, UINT64_MAX);
	place_below(g, r->call);
}

const char *span_program(const struct graph *g, const struct calltree_call *c)
{
	return gobin_name(g->plan->funcs[c->fn]->bin);
}
