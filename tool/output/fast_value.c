// SPDX-License-Identifier: GPL-2.0
/* A fast path for the values of a line. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/array.h"
#include "base/unaligned.h"
#include "output/fast_value.h"

enum fast_value_kind {
	FAST_VALUE_NOT,	/* the format writes it */
	FAST_VALUE_BOOL,
	FAST_VALUE_INT,
	FAST_VALUE_UINT,
	FAST_VALUE_STRING,
};

/* A value. */
struct item {
	enum fast_value_kind kind;	/* how it is written */
	uint32_t size;		/* of a number */
	uint32_t offset;	/* where it is in the frame */
	uint32_t text;		/* where in @quick.text what stands before it begins */
	uint32_t len;		/* its length */
};

/* Constant text is copied in blocks of this many bytes, so up to a block too much is copied. */
#define BLOCK 16

/* What is remembered of a frame. */
struct fast_value {
	const struct plan_frame *frame;	/* which */
	/* The text before, between and behind values, then BLOCK unused bytes. */
	struct buf text;
	uint32_t end;		/* where in @text what stands behind the last one begins */
	uint32_t end_len;	/* its length */
	size_t space;		/* the most bytes that @text and all values but strings take */
	bool quick;		/* there is something to be quick about */
	struct item v[];	/* values */
};

static enum fast_value_kind kind_of(const struct fast_value_form *form,
				    const struct output_event *e, const struct plan_value *val)
{
	const struct gotype *t = val->type;

	/* The stack may be unreadable; steps lead elsewhere; a shape has another type. */
	if (val->unavailable || val->stack || val->steps || val->param || !t ||
	    !value_type_fits(t) || value_redacts_type(e->v, t) || !form->plain(e->v, t))
		return FAST_VALUE_NOT;
	if (t->size > output_frame(e)->size || val->offset > output_frame(e)->size - t->size)
		return FAST_VALUE_NOT;
	switch (t->kind) {
	case GOTYPE_BOOL:
		return FAST_VALUE_BOOL;
	case GOTYPE_INT:
		return FAST_VALUE_INT;
	case GOTYPE_UINT:
		return FAST_VALUE_UINT;
	case GOTYPE_STRING:
		return FAST_VALUE_STRING;
	default:
		return FAST_VALUE_NOT;
	}
}

static size_t nth(const struct fast_value_form *form, const struct plan_frame *f, size_t i)
{
	return form->receiver_last ? output_nth(f, i) : i;
}

static void compile_item(struct fast_value *q, const struct fast_value_form *form,
			 const struct output_event *e, size_t i)
{
	const struct plan_value *val = &q->frame->values[nth(form, q->frame, i)];
	struct item *it = &q->v[i];

	*it = (struct item){
		.kind = kind_of(form, e, val), .size = val->type ? val->type->size : 0,
		.offset = val->offset, .text = q->text.len,
	};
	/* A quick value leaves the text behind it to the next one. */
	if (i && it[-1].kind)
		buf_str(&q->text, form->after);
	if (i)
		buf_str(&q->text, form->separator);
	else
		form->open(&q->text, e);
	if (it->kind)
		form->before(&q->text, val);
	it->len = q->text.len - it->text;
	q->quick |= it->kind;
}

static struct fast_value *compile(const struct fast_value_form *form, const struct output_event *e)
{
	const struct plan_frame *f = output_frame(e);
	struct fast_value *q = calloc(1, sizeof(*q) + f->nvalues * sizeof(*q->v));

	if (!q)
		return NULL;
	q->frame = f;
	for (size_t i = 0; i < f->nvalues; i++)
		compile_item(q, form, e, i);
	q->end = q->text.len;
	if (!f->nvalues)
		form->open(&q->text, e);
	else if (q->v[f->nvalues - 1].kind)
		buf_str(&q->text, form->after);
	buf_str(&q->text, form->close);
	q->end_len = q->text.len - q->end;
	buf_fill(&q->text, 0, BLOCK);
	/* A number's sign and digits; false is shorter. */
	q->space = q->text.len + f->nvalues * (1 + BUF_U64_MAX);
	if (!q->text.failed)
		return q;
	buf_fini(&q->text);
	free(q);
	return NULL;
}

/* What is remembered of the event's frame; NULL without memory. */
static const struct fast_value *get(struct output *o, const struct fast_value_form *form,
				    const struct output_event *e)
{
	size_t i = (size_t)e->fn->id * 2 + (e->kind != OUTPUT_CALL), had = o->nquick;
	struct fast_value *q;

	if (i < o->nquick && o->quick[i] && o->quick[i]->frame == output_frame(e))
		return o->quick[i];
	if (grow(&o->quick, i + 1, &o->nquick, sizeof(*o->quick)))
		return NULL;
	memset(o->quick + had, 0, (o->nquick - had) * sizeof(*o->quick));
	q = compile(form, e);
	if (o->quick[i]) {
		buf_fini(&o->quick[i]->text);
		free(o->quick[i]);
	}
	o->quick[i] = q;
	return q;
}

void fast_value_fini(struct output *o)
{
	for (size_t i = 0; i < o->nquick; i++) {
		if (!o->quick[i])
			continue;
		buf_fini(&o->quick[i]->text);
		free(o->quick[i]);
	}
	free(o->quick);
	o->quick = NULL;
	o->nquick = 0;
}

/* Copy @n bytes of constant text. Both buffers have space up to the end of its last block. */
static inline char *put_text(char *to, const char *text, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += BLOCK)
		memcpy(to + i, text + i, BLOCK);
	return to + n;
}

static char *put_number(char *to, const struct item *it, const uint8_t *p)
{
	uint64_t u = 0;
	int64_t n;

	switch (it->size) {
	case 8:
		u = load_u64(p);
		break;
	case 4:
		u = load_u32(p);
		break;
	case 2:
		u = load_u16(p);
		break;
	case 1:
		u = *p;
		break;
	}
	if (it->kind == FAST_VALUE_UINT)
		return buf_put_u64(to, u);
	n = (int64_t)(u << (64 - 8 * it->size)) >> (64 - 8 * it->size);
	if (n < 0)
		*to++ = '-';
	return buf_put_u64(to, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

/* Records with more chunks have an index, which only the general way uses. */
#define FEW 8

/* False: some of its bytes are missing. */
static bool put_string(struct buf *b, const struct fast_value_form *form, const struct record *r,
		       const uint8_t *p)
{
	uint64_t address = load_u64(p), n = load_u64(p + 8);

	if (!n) {
		buf_str(b, "\"\"");
		return true;
	}
	for (size_t i = 0; i < r->nchunks && i < FEW; i++) {
		const struct record_chunk *c = &r->chunks[i];

		if (c->address != address || c->size < n)
			continue;
		form->quote(b, c->data, n);
		return true;
	}
	return false;
}

static char *put_bool(char *to, bool v)
{
	return v ? mempcpy(to, "true", 4) : mempcpy(to, "false", 5);
}

/* A value of the frame was not captured, or there is no frame. */
static bool misses(const struct record *r, const struct plan_frame *f)
{
	if (!r->frame || r->frame_size < f->size)
		return true;
	for (size_t i = 0; i < r->nchunks; i++)
		if (r->chunks[i].type == GOPROBE_TYPE_MISSED)
			return true;
	return false;
}

static void slowly(struct buf *b, const struct fast_value_form *form, const struct output_event *e)
{
	const struct plan_frame *f = output_frame(e);

	form->open(b, e);
	for (size_t i = 0; i < f->nvalues; i++) {
		if (i)
			buf_str(b, form->separator);
		form->value(b, e, &f->values[nth(form, f, i)]);
	}
	buf_str(b, form->close);
}

void fast_value_values(struct output *o, const struct fast_value_form *form,
		       const struct output_event *e)
{
	const struct fast_value *q = get(o, form, e);
	const struct plan_frame *f = output_frame(e);
	const struct record *r = e->rec;
	struct buf *b = &o->buf;
	size_t before = b->len;
	char *to;

	if (!q || (q->quick && misses(r, f)) || !buf_room(b, q->space)) {
		slowly(b, form, e);
		return;
	}
	to = b->p + before;
	for (size_t i = 0; i < f->nvalues; i++) {
		const struct item *it = &q->v[i];
		const uint8_t *p = it->kind ? r->frame + it->offset : NULL;

		to = put_text(to, q->text.p + it->text, it->len);
		switch (it->kind) {
		case FAST_VALUE_INT:
		case FAST_VALUE_UINT:
			to = put_number(to, it, p);
			continue;
		case FAST_VALUE_BOOL:
			to = put_bool(to, *p);
			continue;
		case FAST_VALUE_STRING:
			b->len = to - b->p;
			if (put_string(b, form, r, p))
				break;
			/* Begin the line again: the format writes all values. */
			b->len = before;
			slowly(b, form, e);
			return;
		default:
			b->len = to - b->p;
			form->value(b, e, &f->values[nth(form, f, i)]);
		}
		/* What the format wrote took some of the space. */
		if (!buf_room(b, q->space))
			return;
		to = b->p + b->len;
	}
	to = put_text(to, q->text.p + q->end, q->end_len);
	b->len = to - b->p;
}
