// SPDX-License-Identifier: GPL-2.0
/* Events as JSON, one object a line; docs/json.md is the promise kept here. */
#include "out.h"

static void header(struct out *o)
{
	(void)o;
}

/* Inline, so that the lengths of the keys are known to the compiler. */
static inline void number(struct buf *b, const char *key, uint64_t v)
{
	buf_str(b, key);
	buf_u64(b, v);
}

static void value(struct buf *b, const struct out_event *e, const struct plan_value *val)
{
	struct out_shown s;

	value_start(e->v, b);
	out_value(e, out_frame(e), val, &s);
	buf_str(b, "{\"name\":");
	buf_json_str(b, val->name ? val->name : "_");
	buf_str(b, ",\"type\":");
	buf_json_str(b, s.type ? value_type_name(s.type) : "?");
	buf_char(b, ',');
	if (!s.why) {
		value_json(e->v, b, s.at.type, s.at.p, s.at.len);
	} else {
		buf_str(b, "\"unavailable\":");
		buf_json_str(b, s.why);
	}
	buf_char(b, '}');
}

static void values(struct buf *b, const struct out_event *e, const char *key)
{
	const struct plan_frame *f = out_frame(e);
	const char *why = f->unavailable;

	if (e->kind == OUT_TAIL)
		why = "ended by a jump to another function";
	if (why) {
		buf_str(b, ",\"unavailable\":");
		buf_json_str(b, why);
		return;
	}
	buf_str(b, key);
	buf_char(b, '[');
	for (size_t i = 0; i < f->nvalues; i++) {
		if (i)
			buf_char(b, ',');
		value(b, e, &f->values[i]);
	}
	buf_char(b, ']');
}

static void event(struct out *o, const struct out_event *e)
{
	static const char *const kinds[] = {
		[OUT_CALL] = "call",
		[OUT_RETURN] = "return",
		[OUT_TAIL] = "return",
		[OUT_UNWOUND] = "unwound",
	};
	struct buf *b = &o->buf;

	buf_str(b, "{\"kind\":\"");
	buf_str(b, kinds[e->kind]);
	buf_str(b, "\",\"func\":");
	buf_json_str(b, e->fn->fn->name);
	number(b, ",\"pid\":", e->tgid);
	number(b, ",\"tid\":", e->tid);
	buf_str(b, ",\"goid\":");
	if (e->no_g)
		buf_str(b, "null");
	else
		buf_u64(b, e->goid);
	number(b, ",\"time_ns\":", e->time + o->epoch);
	if (e->system)
		buf_str(b, ",\"system\":true");
	switch (e->kind) {
	case OUT_CALL:
		values(b, e, ",\"args\":");
		break;
	case OUT_RETURN:
	case OUT_TAIL:
		if (e->no_duration) {
			buf_str(b, ",\"duration_ns\":null");
			buf_str(b, ",\"duration_unavailable\":");
			buf_json_str(b, e->no_duration);
		} else {
			number(b, ",\"duration_ns\":", e->duration);
		}
		values(b, e, ",\"results\":");
		break;
	case OUT_UNWOUND:
		number(b, ",\"seen_ns\":", e->seen + o->epoch);
		break;
	}
	buf_str(b, "}\n");
}

static void lost(struct out *o, const struct goprobe_lost *l, uint64_t time)
{
	struct buf *b = &o->buf;

	buf_str(b, "{\"kind\":\"lost\"");
	number(b, ",\"cpu\":", l->cpu);
	buf_str(b, ",\"cause\":");
	buf_json_str(b, out_cause(l->cause));
	number(b, ",\"count\":", l->count);
	number(b, ",\"time_ns\":", time + o->epoch);
	buf_str(b, "}\n");
}

static void summary(struct out *o, const struct out_summary *s, struct buf *talk)
{
	struct buf *b = &o->buf;

	(void)talk;
	buf_str(b, "{\"kind\":\"summary\"");
	number(b, ",\"events\":", s->events);
	number(b, ",\"lost\":", out_lost(s));
	buf_str(b, ",\"seconds\":");
	buf_u64(b, s->ns / 1000000000);
	buf_char(b, '.');
	buf_digits(b, s->ns % 1000000000 / 1000, 6);
	number(b, ",\"calls\":", s->calls);
	number(b, ",\"returns\":", s->returns);
	number(b, ",\"unwound\":", s->unwound);
	number(b, ",\"open\":", s->open);
	number(b, ",\"doubtful\":", s->doubtful);
	number(b, ",\"forgotten\":", s->forgotten);
	buf_str(b, ",\"lost_by_cause\":");
	buf_char(b, '{');
	for (uint32_t i = GOPROBE_LOST_UNSPEC + 1; i < __GOPROBE_LOST_MAX; i++) {
		buf_json_str(b, out_cause(i));
		buf_char(b, ':');
		buf_u64(b, s->lost[i]);
		buf_char(b, ',');
	}
	buf_str(b, "\"malformed\":");
	buf_u64(b, s->malformed);
	buf_str(b, "}}\n");
}

const struct out_format out_json = {
	.name = "json",
	.header = header,
	.event = event,
	.lost = lost,
	.summary = summary,
};
