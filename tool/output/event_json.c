// SPDX-License-Identifier: GPL-2.0
/* Events as JSON, one object a line; docs/json.md is the promise kept here. */
#include "x86/regs.h"
#include "output/fast_value.h"
#include "output/state_print.h"
#include "value/std.h"
#include "output/stack_print.h"

static void header(struct out *o)
{
	(void)o;
}

/* "type":T,"value":V and what else there is to say */
static void typed(struct buf *b, const struct out_event *e, const struct plan_value *val)
{
	struct out_shown s;

	value_start(e->v, b);
	out_value(e, out_frame(e), val, &s);
	buf_str(b, "\"type\":");
	buf_json_str(b, s.type ? value_type_name(s.type) : "?");
	buf_char(b, ',');
	if (!s.why) {
		value_json(e->v, b, s.at.type, s.at.p, s.at.len);
	} else {
		buf_str(b, "\"unavailable\":");
		buf_json_str(b, s.why);
	}
}

void out_json_value(struct buf *b, const struct out_event *e, const struct plan_value *val)
{
	buf_str(b, "{\"name\":");
	buf_json_str(b, val->name ? val->name : "_");
	buf_char(b, ',');
	typed(b, e, val);
	buf_char(b, '}');
}

void out_json_panic(struct out *o, const struct out_event *e)
{
	if (!e->fn->call.nvalues)
		return;
	buf_char(&o->buf, '{');
	typed(&o->buf, e, &e->fn->call.values[0]);
	buf_char(&o->buf, '}');
}

static void quick_open(struct buf *b, const struct out_event *e)
{
	buf_str(b, e->kind == OUT_CALL ? ",\"args\":[" :
		   e->kind == OUT_AT ? ",\"values\":[" : ",\"results\":[");
}

static void quick_before(struct buf *b, const struct plan_value *val)
{
	buf_str(b, "{\"name\":");
	buf_json_str(b, val->name ? val->name : "_");
	buf_str(b, ",\"type\":");
	buf_json_str(b, value_type_name(val->type));
	buf_str(b, ",\"value\":");
}

static bool quick_plain(struct value_ctx *v, const struct gotype *t)
{
	return !value_known(v, t);
}

static const struct quick_form form = {
	.open = quick_open,
	.separator = ",",
	.before = quick_before,
	.after = "}",
	.close = "]",
	.plain = quick_plain,
	.quote = buf_json,
	.value = out_json_value,
};

void out_json_values(struct out *o, const struct out_event *e)
{
	quick_values(o, &form, e);
}

/* Numbers of 64 bits, which JSON's readers may round, as text. */
static void one_register(struct buf *b, const char *name, uint64_t v)
{
	buf_json_str(b, name + 1);
	buf_str(b, ":\"");
	buf_hex(b, v);
	buf_char(b, '"');
}

static void registers(struct buf *b, const struct out_event *e)
{
	uint64_t v;

	if (e->kind == OUT_TAIL || !out_register(e, 0, &v))
		return;
	buf_str(b, ",\"registers\":{");
	for (size_t i = 0; i < GOREG_INTS && out_register(e, i, &v); i++) {
		one_register(b, goreg_ints[i].name, v);
		buf_char(b, ',');
	}
	one_register(b, goreg_pc, e->rec->h.ip);
	buf_char(b, '}');
}

/* Where in the code it is. */
static void place(struct buf *b, const struct plan_func *pf)
{
	buf_number(b, ",\"offset\":", pf->at->vaddr - pf->fn->entry);
	if (pf->at->file) {
		buf_str(b, ",\"file\":");
		buf_json_str(b, pf->at->file);
		buf_number(b, ",\"line\":", (uint64_t)pf->at->line);
	}
	if (!pf->at->inlined)
		return;
	buf_str(b, ",\"inlined\":");
	buf_json_str(b, pf->at->inlined);
	if (pf->at->begins)
		buf_str(b, ",\"begins\":true");
}

static void values(struct out *o, const struct out_event *e)
{
	struct buf *b = &o->buf;
	const char *why = out_frame(e)->unavailable;

	if (e->open && e->open->before)
		why = OUT_BEFORE;
	if (e->kind == OUT_TAIL)
		why = "ended by a jump to another function";
	if (why) {
		buf_str(b, ",\"unavailable\":");
		buf_json_str(b, why);
		return;
	}
	out_json_values(o, e);
}

static void values_and_registers(struct out *o, const struct out_event *e)
{
	values(o, e);
	registers(&o->buf, e);
}

static void open_call(struct buf *b, const struct out_open *open)
{
	buf_number(b, ",\"open_ns\":", open->age);
	if (open->before)
		buf_str(b, ",\"before_attach\":true");
	buf_str(b, ",\"status\":");
	if (open->status)
		buf_json_str(b, open->status);
	else
		buf_str(b, "null");
	if (open->reason) {
		buf_str(b, ",\"wait_reason\":");
		buf_json_str(b, open->reason);
	}
	if (open->stack)
		stackshow_frames_json(open->stack, b);
}

static void event(struct out *o, const struct out_event *e)
{
	static const char *const kinds[] = {
		[OUT_CALL] = "call",
		[OUT_RETURN] = "return",
		[OUT_TAIL] = "return",
		[OUT_UNWOUND] = "unwound",
		[OUT_AT] = "at",
	};
	struct buf *b = &o->buf;

	buf_str(b, "{\"kind\":\"");
	buf_str(b, e->open ? "stuck" : kinds[e->kind]);
	buf_str(b, "\",\"func\":");
	buf_json_str(b, e->fn->fn->name);
	if (e->kind == OUT_AT)
		place(b, e->fn);
	buf_number(b, ",\"pid\":", e->tgid);
	/* Which thread it was, and when, nobody has seen. */
	if (e->open && e->open->before)
		buf_str(b, ",\"tid\":null");
	else
		buf_number(b, ",\"tid\":", e->tid);
	buf_str(b, ",\"goid\":");
	if (e->no_g)
		buf_str(b, "null");
	else
		buf_u64(b, e->goid);
	if (e->open && e->open->before)
		buf_str(b, ",\"time_ns\":null");
	else
		buf_number(b, ",\"time_ns\":", e->time + o->epoch);
	if (e->system)
		buf_str(b, ",\"system\":true");
	switch (e->kind) {
	case OUT_AT:
		values_and_registers(o, e);
		break;
	case OUT_CALL:
		values_and_registers(o, e);
		out_json_edit(b, e);
		if (e->open)
			open_call(b, e->open);
		break;
	case OUT_RETURN:
	case OUT_TAIL:
		if (e->no_duration) {
			buf_str(b, ",\"duration_ns\":null");
			buf_str(b, ",\"duration_unavailable\":");
			buf_json_str(b, e->no_duration);
		} else {
			buf_number(b, ",\"duration_ns\":", e->duration);
		}
		if (e->split) {
			buf_str(b, ",\"split\":");
			splitshow_json(e->split, b);
		}
		values_and_registers(o, e);
		if (e->kind == OUT_RETURN)
			out_json_edit(b, e);
		break;
	case OUT_UNWOUND:
		buf_number(b, ",\"seen_ns\":", e->seen + o->epoch);
		buf_str(b, ",\"ended\":\"");
		buf_str(b, e->end == PAIR_PANIC ? "panic\"" :
			   e->end == PAIR_GOEXIT ? "goexit\"" : "unwound\"");
		if (!e->panic)
			break;
		buf_str(b, ",\"panic\":");
		buf_str(b, e->panic);
		break;
	}
	buf_str(b, "}\n");
}

static void lost(struct out *o, const struct goprobe_lost *l, uint64_t time)
{
	struct buf *b = &o->buf;

	buf_str(b, "{\"kind\":\"lost\"");
	buf_number(b, ",\"cpu\":", l->cpu);
	buf_str(b, ",\"cause\":");
	buf_json_str(b, out_cause(l->cause));
	buf_number(b, ",\"count\":", l->count);
	buf_number(b, ",\"time_ns\":", time + o->epoch);
	buf_str(b, "}\n");
}

static void seconds(struct buf *b, const char *key, uint64_t ns)
{
	buf_str(b, key);
	buf_seconds(b, ns);
}

static void summary(struct out *o, const struct out_summary *s, struct buf *talk)
{
	struct buf *b = &o->buf;

	(void)talk;
	buf_str(b, "{\"kind\":\"summary\"");
	buf_number(b, ",\"events\":", s->events);
	buf_number(b, ",\"lost\":", out_lost(s));
	seconds(b, ",\"seconds\":", s->ns);
	buf_number(b, ",\"calls\":", s->calls);
	buf_number(b, ",\"returns\":", s->returns);
	buf_number(b, ",\"places\":", s->places);
	buf_number(b, ",\"unwound\":", s->unwound);
	buf_number(b, ",\"open\":", s->open);
	buf_number(b, ",\"doubtful\":", s->doubtful);
	buf_number(b, ",\"forgotten\":", s->forgotten);
	if (s->gone)
		buf_number(b, ",\"gone\":", s->gone);
	buf_number(b, ",\"filtered\":", s->filtered);
	buf_number(b, ",\"undecided\":", s->undecided);
	buf_number(b, ",\"sampled\":", s->sampled);
	buf_number(b, ",\"limited\":", s->limited);
	if (s->no_member)
		buf_number(b, ",\"no_member\":", s->no_member);
	if (s->edits) {
		buf_number(b, ",\"edited\":", s->edited);
		buf_number(b, ",\"not_edited\":", s->not_edited);
	}
	buf_number(b, ",\"waits\":", s->waits);
	seconds(b, ",\"wait_seconds\":", s->wait_ns);
	buf_str(b, ",\"lost_by_cause\":");
	buf_char(b, '{');
	for (uint32_t i = GOPROBE_LOST_UNSPEC + 1; i < __GOPROBE_LOST_MAX; i++) {
		buf_json_str(b, out_cause(i));
		buf_char(b, ':');
		buf_u64(b, s->lost[i]);
		buf_char(b, ',');
	}
	buf_number(b, "\"no_room\":", s->no_room);
	buf_str(b, ",\"malformed\":");
	buf_u64(b, s->malformed);
	buf_str(b, "}}\n");
}

const struct out_format out_json = {
	.name = "json",
	.header = header,
	.event = event,
	.panic = out_json_panic,
	.lost = lost,
	.summary = summary,
};
