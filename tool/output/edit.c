// SPDX-License-Identifier: GPL-2.0
/* What is changed of a call or a return, as text and as JSON. */
#include "compile/edit.h"
#include "output/format.h"

static const struct plan_value *value_of(const struct plan_frame *f, size_t i)
{
	return &f->values[f->first_edit + i];
}

/* Why nothing is changed: what one value fails by, all do. NULL: it is changed. */
static const char *why_not(const struct out_event *e, const struct plan_frame *f)
{
	/* What it was as well: its place has to be found. */
	for (size_t i = 0; i < f->edit->show.nvalues; i++) {
		const struct plan_value *v = value_of(f, i);
		const char *why = v->unavailable ? NULL :
				  value_missed(e->rec, (uint64_t)(v - f->values));

		if (why)
			return why;
	}
	return NULL;
}

/* --- text ------------------------------------------------------------------------ */

static void text_value(struct buf *b, const struct out_event *e, const struct plan_frame *f,
		       size_t i)
{
	struct out_shown s;

	value_start(e->v, b);
	e->v->indent = false;
	out_value(e, f, value_of(f, i), &s);
	if (!s.why) {
		value_text(e->v, b, s.at.type, s.at.p, s.at.len);
		return;
	}
	buf_char(b, '<');
	buf_str(b, s.why);
	buf_char(b, '>');
}

void out_text_edit(struct buf *b, const struct out_event *e)
{
	const struct plan_frame *f = out_frame(e);
	const struct edit *edit = f->edit;
	const char *why;

	if (!edit)
		return;
	why = why_not(e, f);
	if (why) {
		buf_str(b, "  not changed: ");
		buf_str(b, why);
		return;
	}
	for (size_t i = 0; i < edit->nsets; i++) {
		buf_str(b, i ? ", " : f->dry_run ? "  would set " : "  set ");
		buf_str(b, edit->sets[i].name);
		buf_str(b, " = ");
		text_value(b, e, f, edit->sets[i].is);
		buf_str(b, " (was ");
		text_value(b, e, f, edit->sets[i].was);
		buf_char(b, ')');
	}
	if (edit->delay) {
		buf_str(b, f->dry_run ? "  would delay " : "  delayed ");
		buf_duration(b, edit->delay);
	}
}

/* --- JSON ------------------------------------------------------------------------ */

/* "value":V, or "unavailable":W */
static void json_value(struct buf *b, const struct out_event *e, const struct plan_frame *f,
		       size_t i)
{
	struct out_shown s;

	value_start(e->v, b);
	out_value(e, f, value_of(f, i), &s);
	if (!s.why) {
		value_json(e->v, b, s.at.type, s.at.p, s.at.len);
		return;
	}
	buf_str(b, "\"unavailable\":");
	buf_json_str(b, s.why);
}

void out_json_edit(struct buf *b, const struct out_event *e)
{
	const struct plan_frame *f = out_frame(e);
	const struct edit *edit = f->edit;
	const char *why;

	if (!edit)
		return;
	buf_str(b, ",\"set\":[");
	for (size_t i = 0; i < edit->nsets; i++) {
		const struct edit_set *set = &edit->sets[i];

		buf_str(b, i ? ",{\"name\":" : "{\"name\":");
		buf_json_str(b, set->name);
		buf_str(b, ",\"type\":");
		buf_json_str(b, value_type_name(value_of(f, set->is)->type));
		buf_char(b, ',');
		json_value(b, e, f, set->is);
		buf_str(b, ",\"was\":{");
		json_value(b, e, f, set->was);
		buf_str(b, "}}");
	}
	buf_char(b, ']');
	if (edit->delay)
		buf_number(b, ",\"delay_ns\":", edit->delay);
	why = why_not(e, f);
	if (why) {
		buf_str(b, ",\"not_changed\":");
		buf_json_str(b, why);
	}
	if (f->dry_run)
		buf_str(b, ",\"dry_run\":true");
}
