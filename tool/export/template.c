// SPDX-License-Identifier: GPL-2.0
/* Events as lines of a template. */
#include <stdlib.h>
#include <string.h>

#include "base/argument.h"
#include "base/array.h"
#include "export/template.h"
#include "gotype/shape.h"
#include "output/screen.h"

/* Between values of a call: no text of a value has it. */
#define SEPARATOR 0x1f

enum field {
	FIELD_TEXT,	/* no field: as it stands */
	FIELD_TIME,
	FIELD_TIME_NS,
	FIELD_KIND,
	FIELD_FUNC,
	FIELD_PID,
	FIELD_TID,
	FIELD_GOID,
	FIELD_DURATION,
	FIELD_DURATION_NS,
	FIELD_ENDED,
	FIELD_PANIC,
	FIELD_ARGS,
	FIELD_RESULTS,
};

static const char *const names[] = {
	[FIELD_TEXT] = "", [FIELD_TIME] = "time", [FIELD_TIME_NS] = "time_ns",
	[FIELD_KIND] = "kind", [FIELD_FUNC] = "func", [FIELD_PID] = "pid", [FIELD_TID] = "tid",
	[FIELD_GOID] = "goid", [FIELD_DURATION] = "duration",
	[FIELD_DURATION_NS] = "duration_ns", [FIELD_ENDED] = "ended", [FIELD_PANIC] = "panic",
	[FIELD_ARGS] = "args", [FIELD_RESULTS] = "results",
};

#define NFIELDS (sizeof(names) / sizeof(*names))

/* A piece. */
struct template_piece {
	enum field field;	/* what it shows */
	char *text;		/* of FIELD_TEXT the text; of a value its name; NULL: all values */
	bool numbered;		/* of a value: not the name counts, but @number */
	uint64_t number;	/* which value, from 0 on */
};

/* --- parsing --------------------------------------------------------- */

static int unknown_field(const char *text, size_t at, size_t len, struct diag *d)
{
	struct buf b = { 0 };

	for (size_t i = FIELD_TIME; i < NFIELDS; i++) {
		buf_str(&b, i > FIELD_TIME ? ", " : "");
		buf_str(&b, names[i]);
	}
	diag_set(d, "'{%.*s}' is no field of an event", (int)len, text + at);
	diag_span(d, text, at, at + len);
	diag_hint(d, "the fields are %.*s; args.NAME and results.NAME are single values; {{ is a brace",
		  (int)b.len, b.p);
	buf_fini(&b);
	return -1;
}

static int add(struct template *t, const struct template_piece *piece, struct diag *d)
{
	if (grow(&t->v, t->n + 1, &t->cap, sizeof(*t->v))) {
		free(piece->text);
		return diag_set(d, "out of memory");
	}
	t->v[t->n++] = *piece;
	t->calls |= piece->field == FIELD_ARGS;
	t->ends |= piece->field >= FIELD_DURATION && piece->field != FIELD_ARGS;
	t->all |= piece->field == FIELD_KIND;
	return 0;
}

static int add_text(struct template *t, struct buf *b, struct diag *d)
{
	struct template_piece piece = { .field = FIELD_TEXT };

	if (!b->len)
		return 0;
	piece.text = strndup(b->p, b->len);
	b->len = 0;
	return piece.text && !b->failed ? add(t, &piece, d) : diag_set(d, "out of memory");
}

/* The field at @at of @text, of @len bytes: "args.sql" */
static int add_field(struct template *t, const char *text, size_t at, size_t len, struct diag *d)
{
	const char *dot = memchr(text + at, '.', len);
	size_t word = dot ? (size_t)(dot - text) - at : len;
	struct template_piece piece = { .field = FIELD_TIME };

	while (piece.field < NFIELDS && (strlen(names[piece.field]) != word ||
					 memcmp(names[piece.field], text + at, word) != 0))
		piece.field++;
	if (piece.field == NFIELDS || (dot && (piece.field < FIELD_ARGS || word + 1 == len)))
		return unknown_field(text, at, len, d);
	if (dot) {
		piece.text = strndup(dot + 1, len - word - 1);
		if (!piece.text)
			return diag_set(d, "out of memory");
		piece.numbered = argument_number(piece.text, 0, UINT32_MAX, &piece.number);
	}
	return add(t, &piece, d);
}

/* What @c is behind a backslash. */
static char escaped(char c)
{
	return c == 't' ? '\t' : c == 'n' ? '\n' : c;
}

int template_parse(struct template *t, const char *text, struct diag *d)
{
	struct buf b = { 0 };
	int err = 0;

	for (size_t i = 0; !err && text[i]; i++) {
		size_t len = strcspn(text + i + 1, "{}");

		if ((text[i] == '{' || text[i] == '}') && text[i + 1] == text[i]) {
			buf_char(&b, text[i++]);
		} else if (text[i] == '\\' && text[i + 1]) {
			buf_char(&b, escaped(text[++i]));
		} else if (text[i] != '{') {
			buf_char(&b, text[i]);
		} else if (text[i + 1 + len] != '}') {
			err = diag_set(d, "a field of the format has no end: '%s'", text + i);
			diag_span(d, text, i, strlen(text));
			diag_hint(d, "a field is written {func}, and a brace {{");
		} else {
			err = add_text(t, &b, d) || add_field(t, text, i + 1, len, d);
			i += len + 1;
		}
	}
	err = err || add_text(t, &b, d);
	buf_fini(&b);
	return err ? -1 : 0;
}

void template_fini(struct template *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i].text);
	free(t->v);
	*t = (struct template){ 0 };
}

/* --- values ---------------------------------------------------------- */

/* The value that @piece names; NULL if @f has none. */
static const struct plan_value *find(const struct template_piece *piece,
				     const struct plan_frame *f)
{
	for (size_t i = 0; i < f->nvalues; i++)
		if (piece->numbered ? piece->number == i :
		    f->values[i].name && !strcmp(f->values[i].name, piece->text))
			return &f->values[i];
	return NULL;
}

static const struct plan_frame *frame_of(const struct template_piece *piece,
					 const struct plan_func *pf)
{
	return piece->field == FIELD_ARGS || pf->at ? &pf->call : &pf->ret;
}

/* The names that the functions of @p have in place of @piece, for a message. */
static void put_names(const struct template_piece *piece, const struct plan *p, struct buf *b)
{
	for (size_t i = 0; i < p->nfuncs && b->len < 200; i++) {
		const struct plan_frame *f = frame_of(piece, p->funcs[i]);

		for (size_t k = 0; !p->funcs[i]->hidden && k < f->nvalues; k++) {
			const char *name = f->values[k].name ?: "_";

			buf_str(b, b->len ? ", " : "");
			buf_str(b, name);
		}
	}
	buf_char(b, 0);
}

static int check_value(const struct template_piece *piece, const struct plan *p, struct diag *d)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < p->nfuncs; i++)
		if (!p->funcs[i]->hidden && find(piece, frame_of(piece, p->funcs[i])))
			return 0;
	put_names(piece, p, &b);
	diag_set(d, "no traced function has '%s.%s'", names[piece->field], piece->text);
	if (!b.failed && b.len > 1)
		diag_hint(d, "they have: %s; or their numbers from 0 on", b.p);
	else
		diag_hint(d, "the %s of these functions are not known",
			  piece->field == FIELD_ARGS ? "arguments" : "results");
	buf_fini(&b);
	return -1;
}

int template_check(const struct template *t, const struct plan *p, bool ends, struct diag *d)
{
	if (t->ends && !ends)
		return diag_set(d, "the format has what is known at returns, and --no-return leaves them out");
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].field >= FIELD_ARGS && t->v[i].text && check_value(&t->v[i], p, d))
			return -1;
	return 0;
}

static void put_value(struct output *o, const struct output_event *e,
		      const struct template_piece *piece)
{
	const struct plan_frame *f = output_frame(e);
	const struct plan_value *val = piece->text ? find(piece, f) : NULL;

	if (val)
		output_text_value(&o->buf, e, val);
	else if (piece->text)
		buf_char(&o->buf, '-');
	else
		output_text_values(o, e);
}

/* An output_format.call: the values of the call that the line of its end has. */
static void call(struct output *o, const struct output_event *e)
{
	const struct template *t = o->template;

	for (size_t i = 0; t->calls && t->ends && i < t->n; i++) {
		if (t->v[i].field != FIELD_ARGS)
			continue;
		put_value(o, e, &t->v[i]);
		buf_char(&o->buf, SEPARATOR);
	}
}

/* --- lines ----------------------------------------------------------- */

static bool is_end(const struct output_event *e)
{
	return e->kind != OUTPUT_CALL && e->kind != OUTPUT_AT;
}

static const char *end_of(const struct output_event *e)
{
	return !is_end(e) ? "-" : callend_key(output_end(e));
}

/* Its next value of the call goes to @o; *@kept moves on. */
static void put_kept(struct output *o, const char **kept)
{
	size_t len = *kept ? strcspn(*kept, "\x1f") : 0;

	if (!*kept) {
		buf_char(&o->buf, '-');
		return;
	}
	buf_mem(&o->buf, *kept, len);
	*kept += len + ((*kept)[len] == SEPARATOR);
}

static void put_duration(struct output *o, const struct output_event *e, bool ns)
{
	uint64_t took = e->kind == OUTPUT_UNWOUND ? e->seen - e->time : e->duration;

	if (!is_end(e) || e->no_duration)
		buf_char(&o->buf, '-');
	else if (ns)
		buf_u64(&o->buf, took);
	else
		buf_duration(&o->buf, took);
}

static void put_field(struct output *o, const struct output_event *e,
		      const struct template_piece *piece, const char **kept)
{
	uint64_t time = (e->kind == OUTPUT_UNWOUND ? e->seen : e->time) + o->epoch;
	struct buf *b = &o->buf;

	switch (piece->field) {
	case FIELD_TEXT:
		buf_str(b, piece->text);
		break;
	case FIELD_TIME:
		screen_time(b, time, 6);
		break;
	case FIELD_TIME_NS:
		buf_u64(b, time);
		break;
	case FIELD_KIND:
		buf_str(b, output_kinds[e->kind]);
		break;
	case FIELD_FUNC:
		shape_put(b, output_name(e));
		break;
	case FIELD_PID:
		buf_u64(b, e->tgid);
		break;
	case FIELD_TID:
		buf_u64(b, e->tid);
		break;
	case FIELD_GOID:
		if (e->no_g)
			buf_char(b, '-');
		else
			buf_u64(b, e->goid);
		break;
	case FIELD_DURATION:
	case FIELD_DURATION_NS:
		put_duration(o, e, piece->field == FIELD_DURATION_NS);
		break;
	case FIELD_ENDED:
		buf_str(b, end_of(e));
		break;
	case FIELD_PANIC:
		buf_str(b, e->kind == OUTPUT_UNWOUND && e->panic ? e->panic : "-");
		break;
	case FIELD_ARGS:
		if (is_end(e))
			put_kept(o, kept);
		else
			put_value(o, e, piece);
		break;
	case FIELD_RESULTS:
		if (e->kind == OUTPUT_RETURN)
			put_value(o, e, piece);
		else
			buf_char(b, '-');
		break;
	}
}

static void event(struct output *o, const struct output_event *e)
{
	const struct template *t = o->template;
	const char *kept = e->call;

	/* A place is neither a call nor its end. */
	if (!t->all && e->kind != OUTPUT_AT && is_end(e) != t->ends)
		return;
	for (size_t i = 0; i < t->n; i++)
		put_field(o, e, &t->v[i], &kept);
	buf_char(&o->buf, '\n');
}

static void header(struct output *o)
{
	(void)o;
}

static void lost(struct output *o, const struct goprobe_lost *l, uint64_t time)
{
	/* The summary has their number; a line here would look like an event. */
	(void)o;
	(void)l;
	(void)time;
}

static void summary(struct output *o, const struct output_summary *s, struct buf *talk)
{
	out_text.summary(o, s, talk);
}

const struct output_format out_template = {
	.name = "template",
	.header = header,
	.event = event,
	.panic = output_text_panic,
	.call = call,
	.lost = lost,
	.summary = summary,
};
