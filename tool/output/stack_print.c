// SPDX-License-Identifier: GPL-2.0
/* Stacks for people, and as JSON. */
#include <string.h>

#include "base/plain.h"
#include "gotype/shown_name.h"
#include "output/row.h"
#include "output/screen.h"
#include "output/source_line.h"
#include "output/stack_print.h"
#include "output/state_print.h"

static size_t shown(const struct stacks *s, size_t top)
{
	return top && top < s->n ? top : s->n;
}

/* --- text ------------------------------------------------------------ */

static void add_names(struct shown_names *names, const struct stack *k)
{
	for (size_t i = 0; i < k->n; i++)
		for (size_t j = 0; j < k->places[i]->n; j++)
			if (k->places[i]->frames[j].func)
				shown_names_add(names, k->places[i]->frames[j].func);
	if (k->creator)
		shown_names_add(names, stack_creator(k)->func);
}

static void text_name(struct buf *b, const struct shown_names *names,
		      const struct symbol *place, const struct gobin_frame *f)
{
	if (f->func) {
		plain_add(b, shown_names_get(names, f->func));
		return;
	}
	buf_hex(b, place->pc);
	if (place->of->name) {
		buf_str(b, " in ");
		plain_add(b, place->of->name);
	}
}

/* The end of the line that begins at @start, with a name at @name. */
static void text_place(struct buf *b, size_t start, size_t name, const struct gobin_frame *f)
{
	size_t len = b->len - name;

	if (f->file) {
		buf_str(b, "  ");
		screen_style(b, STYLE_DIM);
		source_line_text(b, screen_path(f->file), f->line);
		screen_style(b, STYLE_PLAIN);
	}
	screen_fit_name(b, start, name, len);
	buf_char(b, '\n');
}

static void text_frame(struct buf *b, const struct shown_names *names,
		       const struct symbol *place, const struct gobin_frame *f)
{
	size_t start = b->len, name;

	buf_str(b, "    ");
	name = b->len;
	text_name(b, names, place, f);
	if (f->inlined)
		buf_str(b, " (inlined)");
	text_place(b, start, name, f);
}

/* "1 call", "2 calls", "3ms time"; "size 24" of an expression. */
static void text_value(struct buf *b, const struct stacks *s, size_t which, uint64_t value)
{
	const struct stacks_words words = stacks_words(s, which);
	bool behind = s->types[which] != STACKS_SUM;

	if (!behind) {
		plain_add(b, words.type);
		buf_char(b, ' ');
	}
	if (words.is_time)
		buf_duration(b, value);
	else
		buf_u64(b, value);
	if (!behind)
		return;
	buf_char(b, ' ');
	buf_mem(b, words.type, strlen(words.type) - (!words.is_time && value == 1));
}

/* The mean duration of the calls of @k, if durations are known. */
static bool mean(const struct stacks *s, const struct stack *k, uint64_t *ret)
{
	uint64_t sum = 0, n = 0;
	bool timed = false;

	for (size_t i = 0; i < s->ntypes; i++) {
		timed |= s->types[i] == STACKS_TIME;
		if (s->types[i] == STACKS_TIME)
			sum = k->values[i];
		else if (s->types[i] == STACKS_CALLS)
			n = k->values[i];
	}
	*ret = n ? sum / n : 0;
	return timed && n;
}

static void text_labels(struct buf *b, const struct stacks *s, const struct stack *k)
{
	for (size_t i = 0; i < k->nlabels; i++) {
		const struct stacks_label *l = &k->labels[i];

		buf_str(b, ", ");
		plain_add(b, l->key);
		buf_char(b, s->keyed ? '=' : ' ');
		if (l->text)
			plain_add(b, l->text);
		else
			buf_i64(b, l->number);
	}
}

/* Is all of it code of the runtime? A wrapper, which has no frame, is no other code. */
static bool is_runtime(const struct symbol *place)
{
	for (size_t j = 0; j < place->n; j++)
		if (!place->frames[j].func || strncmp(place->frames[j].func, "runtime.", 8) != 0)
			return false;
	return true;
}

/* "    ... 2 frames of the runtime", in place of those from @from to before @to. */
static void text_folded(struct buf *b, const struct stack *k, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += k->places[i]->n;
	if (!n)
		return;
	screen_style(b, STYLE_DIM);
	buf_str(b, "    ... ");
	row_count(b, n, "frame");
	buf_str(b, " of the runtime");
	screen_style(b, STYLE_PLAIN);
	buf_char(b, '\n');
}

/*
 * What stacks have in common at their ends is folded: where a goroutine began, and, if it @waits,
 * how it does that.
 */
static void text_frames(const struct stack *k, const struct shown_names *names, bool waits,
			struct buf *b)
{
	size_t from = 0, to = k->n, start, name;

	while (screen.brief && waits && from < to && is_runtime(k->places[from]))
		from++;
	while (screen.brief && to > from && is_runtime(k->places[to - 1]))
		to--;
	/* Nothing else: then all of it says something. */
	if (from == to) {
		from = 0;
		to = k->n;
	}
	text_folded(b, k, 0, from);
	for (size_t i = from; i < to; i++) {
		for (size_t j = 0; j < k->places[i]->n; j++)
			text_frame(b, names, k->places[i], &k->places[i]->frames[j]);
	}
	text_folded(b, k, to, k->n);
	if (k->cut)
		buf_str(b, "    ... and its callers\n");
	if (k->creator) {
		start = b->len;
		buf_str(b, "    " STACKS_CREATED);
		name = b->len;
		plain_add(b, shown_names_get(names, stack_creator(k)->func));
		text_place(b, start, name, stack_creator(k));
	}
}

void stack_print_frames_text(const struct stack *k, struct buf *b)
{
	struct shown_names names = { 0 };

	add_names(&names, k);
	text_frames(k, &names, true, b);
	shown_names_fini(&names);
}

/* Are the stacks those of goroutines, which wait as a rule? */
static bool is_goroutines(const struct stacks *s)
{
	return s->types[0] == STACKS_GOROUTINES || s->types[0] == STACKS_GROWN;
}

static void text_stack(const struct stacks *s, const struct stack *k, uint64_t all,
		       const struct shown_names *names, struct buf *b)
{
	uint64_t ns;

	screen_style(b, STYLE_BOLD);
	for (size_t i = 0; i < s->ntypes; i++) {
		if (i)
			buf_str(b, ", ");
		text_value(b, s, i, k->values[i]);
	}
	if (mean(s, k, &ns)) {
		buf_str(b, ", mean ");
		buf_duration(b, ns);
	}
	buf_str(b, ", ");
	row_share(b, k->values[0], all);
	text_labels(b, s, k);
	screen_style(b, STYLE_PLAIN);
	buf_char(b, '\n');
	if (k->is_split) {
		buf_str(b, "    ");
		state_print_text(k->split, b);
		buf_char(b, '\n');
	}
	text_frames(k, names, is_goroutines(s), b);
}

void stack_print_text(const struct stacks *s, size_t top, struct buf *b)
{
	uint64_t all = stacks_sum(s, 0), rest = 0;
	struct shown_names names = { 0 };
	size_t n = shown(s, top);

	for (size_t i = 0; i < s->n; i++)
		add_names(&names, s->v[i]);
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_char(b, '\n');
		text_stack(s, s->v[i], all, &names, b);
	}
	shown_names_fini(&names);
	if (n == s->n)
		return;
	for (size_t i = n; i < s->n; i++)
		rest = stacks_plus(rest, s->v[i]->values[0]);
	buf_char(b, '\n');
	row_count(b, s->n - n, "more stack");
	buf_str(b, ": ");
	text_value(b, s, 0, rest);
	buf_str(b, ", ");
	row_share(b, rest, all);
	buf_char(b, '\n');
}

/* --- JSON ------------------------------------------------------------ */

static void json_frame(struct buf *b, const struct symbol *place, const struct gobin_frame *f)
{
	buf_char(b, '{');
	json_str(b, "func", f->func);
	if (!f->func) {
		json_hex(b, "address", place->pc);
		if (place->of->name)
			json_str(b, "binary", place->of->name);
	}
	source_line_json(b, f->file, f->line);
	json_flag(b, "inlined", f->inlined);
	buf_char(b, '}');
}

void stack_print_frames_json(const struct stack *k, struct buf *b)
{
	json_raw(b, "frames", "[");
	for (size_t i = 0; i < k->n; i++) {
		for (size_t j = 0; j < k->places[i]->n; j++) {
			json_element(b);
			json_frame(b, k->places[i], &k->places[i]->frames[j]);
		}
	}
	buf_char(b, ']');
	if (k->creator) {
		json_raw(b, "created_by", "{");
		json_str(b, "func", stack_creator(k)->func);
		source_line_json(b, stack_creator(k)->file, stack_creator(k)->line);
		buf_char(b, '}');
	}
	json_flag(b, "truncated", k->cut);
}

static void json_key_parts(struct buf *b, const struct stack *k)
{
	json_raw(b, "key", "[");
	for (size_t i = 0; i < k->nlabels; i++) {
		json_element(b);
		buf_str(b, k->labels[i].text);
	}
	buf_char(b, ']');
}

void stack_print_labels_json(const struct stack *k, struct buf *b)
{
	buf_char(b, '{');
	for (size_t i = 0; i < k->nlabels; i++) {
		const struct stacks_label *l = &k->labels[i];

		json_name(b, l->key);
		if (l->text)
			quote_json_str(b, l->text);
		else
			buf_i64(b, l->number);
	}
	buf_char(b, '}');
}

static void json_stack(const struct stacks *s, const struct stack *k, struct buf *b)
{
	uint64_t ns;

	json_line(b, "stack");
	for (size_t i = 0; i < s->ntypes; i++)
		json_u64(b, stacks_words(s, i).key, k->values[i]);
	if (s->types[0] == STACKS_SUM)
		json_str(b, "expr", s->summed);
	if (mean(s, k, &ns))
		json_u64(b, "mean_ns", ns);
	if (k->is_split)
		state_print_json(k->split, b);
	if (s->keyed)
		json_key_parts(b, k);
	stack_print_frames_json(k, b);
	if (k->nlabels && !s->keyed) {
		json_key(b, "labels");
		stack_print_labels_json(k, b);
	}
	json_end_line(b);
}

void stack_print_json(const struct stacks *s, size_t top, struct buf *b)
{
	size_t n = shown(s, top);

	for (size_t i = 0; i < n; i++)
		json_stack(s, s->v[i], b);
}
