// SPDX-License-Identifier: GPL-2.0
/* libgoprobe: events as they are handed out. */
#include <string.h>

#include "base/array.h"
#include "libgoprobe/internal.h"
#include "value/decode.h"

/* See libgoprobe/libgoprobe.h. */
struct goprobe_event {
	struct goprobe_trace *t;		/* its trace */
	const struct output_event *e;		/* what happened; NULL: records are missing */
	const struct goprobe_lost *lost;	/* how many, then */
	uint64_t time;				/* and when */
};

static struct goprobe_trace *trace_of(struct output *o)
{
	return (struct goprobe_trace *)((char *)o - offsetof(struct goprobe_trace, graph.out));
}

/* Nothing of the event at hand is asked for any more. The first text's memory serves again. */
static void forget_texts(struct goprobe_trace *t)
{
	while (t->ntexts) {
		buf_fini(&t->json.buf);
		t->json.buf = t->texts[--t->ntexts];
	}
}

static void hand_out(struct goprobe_trace *t, const struct goprobe_event *e)
{
	if (t->stream.enough)
		return;
	t->stream.enough = t->on_event(t->event_ctx, e);
	forget_texts(t);
}

static void event(struct output *o, const struct output_event *e)
{
	struct goprobe_trace *t = trace_of(o);

	hand_out(t, &(struct goprobe_event){ .t = t, .e = e });
}

static void lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	struct goprobe_trace *t = trace_of(o);

	hand_out(t, &(struct goprobe_event){ .t = t, .lost = l, .time = time });
}

static void header(struct output *o)
{
	(void)o;
}

static void summary(struct output *o, const struct output_summary *s, struct buf *talk)
{
	(void)o;
	(void)s;
	(void)talk;
}

const struct output_format libgoprobe_events = {
	.name = "events",
	.header = header,
	.event = event,
	.panic = output_json_panic,
	.lost = lost,
	.summary = summary,
};

enum goprobe_event_kind goprobe_event_kind(const struct goprobe_event *e)
{
	static const enum goprobe_event_kind kinds[] = {
		[OUTPUT_CALL] = GOPROBE_EVENT_CALL,
		[OUTPUT_RETURN] = GOPROBE_EVENT_RETURN,
		[OUTPUT_TAIL] = GOPROBE_EVENT_RETURN,
		[OUTPUT_UNWOUND] = GOPROBE_EVENT_UNWOUND,
		[OUTPUT_AT] = GOPROBE_EVENT_AT,
	};

	return e->e ? kinds[e->e->kind] : GOPROBE_EVENT_LOST;
}

const char *goprobe_event_func(const struct goprobe_event *e)
{
	return e->e ? e->e->fn->fn->name : "";
}

uint32_t goprobe_event_pid(const struct goprobe_event *e)
{
	return e->e ? e->e->tgid : 0;
}

uint32_t goprobe_event_tid(const struct goprobe_event *e)
{
	return e->e ? e->e->tid : 0;
}

uint64_t goprobe_event_goid(const struct goprobe_event *e)
{
	return e->e && !e->e->no_g ? e->e->goid : 0;
}

uint64_t goprobe_event_time(const struct goprobe_event *e)
{
	return (e->e ? e->e->time : e->time) + e->t->graph.out.epoch;
}

int goprobe_event_duration(const struct goprobe_event *e, uint64_t *ns)
{
	const struct output_event *o = e->e;

	if (!o || !output_has_duration(o) || o->no_duration)
		return 0;
	*ns = o->duration;
	return 1;
}

uint64_t goprobe_event_lost(const struct goprobe_event *e)
{
	return e->lost ? e->lost->count : 0;
}

/* The frame whose values it has, or NULL. */
static const struct plan_frame *frame_of(const struct goprobe_event *e)
{
	if (!e->e || e->e->kind == OUTPUT_UNWOUND || output_no_values(e->e))
		return NULL;
	return output_frame(e->e);
}

size_t goprobe_event_nvalues(const struct goprobe_event *e)
{
	const struct plan_frame *f = frame_of(e);

	return f ? f->nvalues : 0;
}

/*
 * What was just written, as a string; the line's end is taken away. The memory is kept apart, for
 * what is written next must not be where this is.
 */
static const char *written(struct goprobe_trace *t)
{
	struct buf *b = &t->json.buf;

	if (b->len && b->p[b->len - 1] == '\n')
		b->len--;
	buf_char(b, 0);
	if (b->failed || grow(&t->texts, t->ntexts + 1, &t->texts_cap, sizeof(*t->texts))) {
		b->failed = false;
		return NULL;
	}
	t->texts[t->ntexts++] = *b;
	*b = (struct buf){ 0 };
	return t->texts[t->ntexts - 1].p;
}

const char *goprobe_event_json(const struct goprobe_event *e)
{
	struct output *o = &e->t->json;

	o->epoch = e->t->graph.out.epoch;
	o->buf.len = 0;
	if (e->e)
		out_json.event(o, e->e);
	else
		out_json.lost(o, e->lost, e->time);
	return written(e->t);
}

const char *goprobe_event_value_json(const struct goprobe_event *e, size_t i)
{
	struct output *o = &e->t->json;

	if (i >= goprobe_event_nvalues(e))
		return NULL;
	o->buf.len = 0;
	output_json_value(&o->buf, e->e, &frame_of(e)->values[i]);
	return written(e->t);
}

static void put_bytes(const struct value_bytes *b, struct goprobe_value *ret)
{
	ret->len = b->len;
	if (b->unavailable) {
		ret->unavailable = b->unavailable;
		return;
	}
	ret->kind = GOPROBE_VALUE_STRING;
	ret->bytes = (const char *)b->data;
	ret->nbytes = b->have;
}

/* A value of type @at->type whose bytes are there. */
static void put_value(struct value_ctx *v, const struct value_at *at, struct goprobe_value *ret)
{
	const struct gotype *t = at->type;
	struct value_bytes b;

	ret->kind = GOPROBE_VALUE_OTHER;
	switch (t->kind) {
	case GOTYPE_BOOL:
		ret->kind = GOPROBE_VALUE_BOOL;
		ret->u = !!at->p[0];
		break;
	case GOTYPE_INT:
		ret->kind = GOPROBE_VALUE_INT;
		value_integer(t, at->p, &ret->i);
		break;
	case GOTYPE_UINT:
		ret->kind = GOPROBE_VALUE_UINT;
		value_integer(t, at->p, &ret->i);
		ret->u = (uint64_t)ret->i;
		break;
	case GOTYPE_FLOAT:
		ret->kind = GOPROBE_VALUE_FLOAT;
		ret->f = value_float(at->p, t->size);
		break;
	case GOTYPE_POINTER:
		ret->kind = GOPROBE_VALUE_POINTER;
		ret->u = value_word(at->p);
		break;
	case GOTYPE_STRING:
	case GOTYPE_SLICE:
		if (t->kind == GOTYPE_SLICE && !value_is_bytes(t))
			break;
		ret->kind = GOPROBE_VALUE_NONE;
		if (t->kind == GOTYPE_STRING)
			value_string(v, at->p, &b);
		else
			value_slice(v, t, at->p, &b);
		put_bytes(&b, ret);
		break;
	default:
		break;
	}
}

int goprobe_event_value(const struct goprobe_event *e, size_t i, struct goprobe_value *ret,
			size_t size)
{
	struct goprobe_value val = { 0 };
	const struct plan_value *pv;
	struct output_shown s;

	if (i >= goprobe_event_nvalues(e))
		return -1;
	pv = &frame_of(e)->values[i];
	e->t->json.buf.len = 0;
	value_start(e->e->v, &e->t->json.buf);
	output_value(e->e, frame_of(e), pv, &s);
	val.name = pv->name ? pv->name : "_";
	val.type = s.type ? value_type_name(s.type) : "?";
	val.unavailable = s.why;
	if (!s.why)
		val.unavailable = value_refuse(e->e->v, &e->t->json.buf, s.at.type, s.at.len);
	if (!val.unavailable)
		put_value(e->e->v, &s.at, &val);
	memset(ret, 0, size);
	memcpy(ret, &val, size < sizeof(val) ? size : sizeof(val));
	return 0;
}
