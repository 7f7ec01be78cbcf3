// SPDX-License-Identifier: GPL-2.0
/* Changes of calls, returns and variables, as text and as JSON. */
#include "compile/edit.h"
#include "output/edit.h"
#include "output/format.h"
#include "value/text.h"

static const struct plan_value *value_of(const struct plan_frame *f, size_t i)
{
	return &f->values[f->first_edit + i];
}

/* Why the whole change fails, or NULL: one value that fails stops all of them. */
static const char *why_not(const struct output_event *e, const struct plan_frame *f)
{
	/* The old values count as well: they show that the place was found. */
	for (size_t i = 0; i < f->edit->show.nvalues; i++) {
		const struct plan_value *v = value_of(f, i);
		const char *why = v->unavailable ? NULL :
				  value_missed(e->rec, (uint64_t)(v - f->values));

		if (why)
			return why;
	}
	return NULL;
}

/* --- sets of values -------------------------------------------------------------- */

static void text_value(const struct edit_show *show, struct buf *b, size_t i)
{
	struct output_shown s;

	value_start(show->v, b);
	show->v->indent = false;
	show->value(show->ctx, i, &s);
	if (s.why)
		value_text_missing(b, s.why);
	else
		value_text(show->v, b, s.at.type, s.at.p, s.at.len);
}

void edit_text_set(const struct edit_show *show, const struct edit_set *set, struct buf *b)
{
	buf_str(b, set->name);
	buf_str(b, " = ");
	text_value(show, b, set->is);
	buf_str(b, " (was ");
	text_value(show, b, set->was);
	buf_char(b, ')');
}

/* "value":V, or "unavailable":W */
static void json_value(const struct edit_show *show, struct buf *b, size_t i)
{
	struct output_shown s;

	value_start(show->v, b);
	show->value(show->ctx, i, &s);
	if (s.why) {
		json_str(b, "unavailable", s.why);
		return;
	}
	json_element(b);
	value_json(show->v, b, s.at.type, s.at.p, s.at.len);
}

void edit_json_sets(const struct edit_show *show, const struct edit *edit, struct buf *b)
{
	json_raw(b, "set", "[");
	for (size_t i = 0; i < edit->nsets; i++) {
		const struct edit_set *set = &edit->sets[i];

		json_element(b);
		buf_char(b, '{');
		json_str(b, "name", set->name);
		json_str(b, "type", value_type_name(show->values[set->is].type));
		json_value(show, b, set->is);
		json_raw(b, "was", "{");
		json_value(show, b, set->was);
		buf_str(b, "}}");
	}
	buf_char(b, ']');
}

/* --- those of a call or a return -------------------------------------------------- */

static void value_at(void *ctx, size_t i, struct output_shown *ret)
{
	const struct output_event *e = ctx;

	output_value(e, output_frame(e), value_of(output_frame(e), i), ret);
}

static struct edit_show show_of(const struct output_event *e)
{
	return (struct edit_show){
		.v = e->v, .values = value_of(output_frame(e), 0), .value = value_at,
		.ctx = (void *)e,
	};
}

/* Only calls and returns are changed. */
static const struct edit *edit_of(const struct output_event *e)
{
	return e->kind == OUTPUT_CALL || e->kind == OUTPUT_RETURN ? output_frame(e)->edit : NULL;
}

void output_text_edit(struct buf *b, const struct output_event *e)
{
	const struct edit *edit = edit_of(e);
	const struct plan_frame *f = output_frame(e);
	struct edit_show show;
	const char *why;

	if (!edit)
		return;
	why = why_not(e, f);
	if (why) {
		buf_str(b, "  not changed: ");
		buf_str(b, why);
		return;
	}
	show = show_of(e);
	for (size_t i = 0; i < edit->nsets; i++) {
		buf_str(b, i ? ", " : f->dry_run ? "  would set " : "  set ");
		edit_text_set(&show, &edit->sets[i], b);
	}
	if (edit->delay) {
		buf_str(b, f->dry_run ? "  would delay " : "  delayed ");
		buf_duration(b, edit->delay);
	}
}

void output_json_edit(struct buf *b, const struct output_event *e)
{
	const struct edit *edit = edit_of(e);
	const struct plan_frame *f = output_frame(e);
	struct edit_show show;
	const char *why;

	if (!edit)
		return;
	show = show_of(e);
	edit_json_sets(&show, edit, b);
	if (edit->delay)
		json_u64(b, "delay_ns", edit->delay);
	why = why_not(e, f);
	if (why)
		json_str(b, "not_changed", why);
	json_flag(b, "dry_run", f->dry_run);
}
