// SPDX-License-Identifier: GPL-2.0
/* Events as JSON, one object a line; docs/json.md has the keys. */
#include "x86/regs.h"
#include "base/json.h"
#include "output/fast_value.h"
#include "output/row.h"
#include "output/source_line.h"
#include "output/state_print.h"
#include "value/std.h"
#include "output/stack_print.h"
#include "plan/missing.h"

static void header(struct output *o)
{
	(void)o;
}

/* "type":T,"value":V and the other members of a value */
static void typed(struct buf *b, const struct output_event *e, const struct plan_value *val)
{
	struct output_shown s;

	value_start(e->v, b);
	output_value(e, output_frame(e), val, &s);
	json_str(b, "type", s.type ? value_type_name(s.type) : "?");
	if (s.why) {
		json_str(b, "unavailable", s.why);
		if (s.has_length)
			json_u64(b, "len", s.length);
		return;
	}
	buf_char(b, ',');
	value_json(e->v, b, s.at.type, s.at.p, s.at.len);
}

void output_json_value(struct buf *b, const struct output_event *e, const struct plan_value *val)
{
	buf_char(b, '{');
	json_str(b, "name", val->name ? val->name : "_");
	typed(b, e, val);
	buf_char(b, '}');
}

void output_json_panic(struct output *o, const struct output_event *e)
{
	if (!e->fn->call.nvalues)
		return;
	buf_char(&o->buf, '{');
	typed(&o->buf, e, &e->fn->call.values[0]);
	buf_char(&o->buf, '}');
}

static void quick_open(struct buf *b, const struct output_event *e)
{
	buf_str(b, e->kind == OUTPUT_CALL ? ",\"args\":[" :
		   e->kind == OUTPUT_AT ? ",\"values\":[" : ",\"results\":[");
}

static void quick_before(struct buf *b, const struct plan_value *val)
{
	buf_char(b, '{');
	json_str(b, "name", val->name ? val->name : "_");
	json_str(b, "type", value_type_name(val->type));
	json_key(b, "value");
}

static bool quick_plain(struct value_ctx *v, const struct gotype *t)
{
	return !value_known(v, t);
}

static const struct fast_value_form form = {
	.open = quick_open,
	.separator = ",",
	.before = quick_before,
	.after = "}",
	.close = "]",
	.plain = quick_plain,
	.quote = quote_json,
	.value = output_json_value,
};

void output_json_values(struct output *o, const struct output_event *e)
{
	fast_value_values(o, &form, e);
}

static void registers(struct buf *b, const struct output_event *e)
{
	uint64_t v;

	if (!output_register(e, 0, &v))
		return;
	json_raw(b, "registers", "{");
	for (size_t i = 0; i < REGS_INTS && output_register(e, i, &v); i++)
		json_hex(b, goreg_names[i].name + 1, v);
	json_hex(b, goreg_pc + 1, e->rec->h.ip);
	buf_char(b, '}');
}

/* Where in the code it is. */
static void place(struct buf *b, const struct plan_func *pf)
{
	json_u64(b, "offset", pf->at->vaddr - pf->fn->entry);
	source_line_json(b, pf->at->file, pf->at->line);
	if (pf->at->inlined) {
		json_str(b, "inlined", pf->at->inlined);
		json_flag(b, "begins", pf->at->begins);
	}
}

static void values(struct output *o, const struct output_event *e)
{
	const char *why = output_no_values(e);

	if (why)
		json_str(&o->buf, "unavailable", why);
	else
		output_json_values(o, e);
}

static void open_call(struct buf *b, const struct output_open *open)
{
	json_u64(b, "open_ns", open->age);
	json_flag(b, "before_attach", open->before);
	json_str(b, "status", open->status);
	if (open->reason)
		json_str(b, "wait_reason", open->reason);
}

static void duration(struct buf *b, const struct output_event *e)
{
	json_known(b, "duration_ns", !e->no_duration, e->duration);
	if (e->no_duration)
		json_str(b, "duration_unavailable", e->no_duration);
	if (e->split)
		state_print_json(e->split, b);
}

static void unwound(struct output *o, const struct output_event *e)
{
	struct buf *b = &o->buf;

	json_u64(b, "seen_ns", e->seen + o->epoch);
	json_str(b, "ended", callend_key(e->end));
	if (e->panic)
		json_raw(b, "panic", e->panic);
}

/* As json_known(), but for what each event has: its constant key is written in one piece. */
static inline void known(struct buf *b, const char *key, bool known, uint64_t v)
{
	buf_str(b, key);
	if (known)
		buf_u64(b, v);
	else
		buf_str(b, "null");
}

static void event(struct output *o, const struct output_event *e)
{
	/* Nobody has seen on which thread, and when. */
	bool seen = !e->open || !e->open->before;
	struct buf *b = &o->buf;

	json_line(b, e->open ? "stuck" : output_kinds[e->kind]);
	json_str(b, "func", e->fn->fn->name);
	if (e->kind == OUTPUT_AT)
		place(b, e->fn);
	known(b, ",\"pid\":", true, e->tgid);
	known(b, ",\"tid\":", seen, e->tid);
	known(b, ",\"goid\":", !e->no_g, e->goid);
	known(b, ",\"time_ns\":", seen, e->time + o->epoch);
	json_flag(b, "system", e->system);
	if (output_has_duration(e))
		duration(b, e);
	if (e->kind == OUTPUT_UNWOUND) {
		unwound(o, e);
	} else {
		values(o, e);
		registers(b, e);
	}
	output_json_edit(b, e);
	if (e->open)
		open_call(b, e->open);
	if (output_stack(e))
		stack_print_frames_json(output_stack(e), b);
	json_end_line(b);
}

static void lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	struct buf *b = &o->buf;

	json_line(b, "lost");
	json_u64(b, "cpu", l->cpu);
	json_str(b, "cause", counters_cause(l->cause));
	json_u64(b, "count", l->count);
	json_u64(b, "time_ns", time + o->epoch);
	json_end_line(b);
}

void output_json_summary(struct buf *b, const struct output_summary *s)
{
	struct fact facts[OUTPUT_FACTS];
	size_t n;

	json_line(b, "summary");
	json_u64(b, "events", s->events);
	json_u64(b, "lost", output_lost(s));
	json_key(b, "seconds");
	buf_seconds(b, s->ns);
	json_u64(b, "calls", s->calls);
	json_u64(b, "returns", s->returns);
	json_u64(b, "places", s->places);
	n = output_facts(s, facts);
	row_facts_json(b, facts, n);
	n = output_lost_facts(s, facts);
	json_raw(b, "lost_by_cause", "{");
	row_facts_json(b, facts, n);
	buf_char(b, '}');
	if (s->plan)
		missing_json(s->plan, b);
}

static void summary(struct output *o, const struct output_summary *s, struct buf *talk)
{
	(void)talk;
	output_json_summary(&o->buf, s);
	json_end_line(&o->buf);
}

const struct output_format out_json = {
	.name = "json",
	.header = header,
	.event = event,
	.panic = output_json_panic,
	.lost = lost,
	.summary = summary,
};
