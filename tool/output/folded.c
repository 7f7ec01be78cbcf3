// SPDX-License-Identifier: GPL-2.0
/* Stacks as flame graphs are made of. */
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "output/folded.h"

/* The names of a stack. */
struct line {
	char *p;
	size_t n;
	uint64_t value;
};

void folded_clean(struct buf *b, size_t at)
{
	size_t to = at, len;
	bool shown;

	for (; at < b->len; at += len) {
		char *c = &b->p[at];

		len = plain_next(c, b->len - at, &shown);
		if (*c == ';') {
			b->p[to++] = ',';
		} else if (!shown || *c == ' ') {
			b->p[to++] = '_';
		} else {
			memmove(&b->p[to], c, len);
			to += len;
		}
	}
	b->len = to;
}

/* Begin a name; returns where it is. */
static size_t begin(struct buf *b, size_t start)
{
	if (b->len > start)
		buf_char(b, ';');
	return b->len;
}

/* One name, behind those of its callers, which began at @start. */
static void put_name(struct buf *b, size_t start, const struct symbol *place,
		     const struct gobin_frame *f)
{
	size_t at = begin(b, start);

	stacks_put_name(b, place, f);
	folded_clean(b, at);
}

/*
 * Append the text of a key so that folded_clean() makes no two of them equal: a blank is "_", "_"
 * is "\_", and ";" is "\x3b". Texts of strings have no backslash that is not part of such a pair.
 */
static void put_key_text(struct buf *b, const char *text)
{
	for (; *text; text++) {
		if (*text == '_')
			buf_str(b, "\\_");
		else if (*text == ';')
			buf_str(b, "\\x3b");
		else
			buf_char(b, *text);
	}
}

/* s="POST": they hold the stacks of one value together. */
static void put_key(struct buf *b, size_t start, const struct stack *k)
{
	for (size_t i = 0; i < k->nlabels; i++) {
		size_t at = begin(b, start);

		buf_str(b, k->labels[i].key);
		buf_char(b, '=');
		put_key_text(b, k->labels[i].text);
		folded_clean(b, at);
	}
}

static void put_names(struct buf *b, const struct stacks *s, const struct stack *k)
{
	size_t start = b->len, at;

	if (s->keyed)
		put_key(b, start, k);
	if (k->creator) {
		at = begin(b, start);
		buf_str(b, STACKS_CREATED);
		buf_str(b, stack_creator(k)->func);
		folded_clean(b, at);
	}
	if (k->cut) {
		begin(b, start);
		buf_str(b, STACKS_CUT);
	}
	for (size_t i = k->n; i-- > 0;) {
		for (size_t j = k->places[i]->n; j-- > 0;)
			put_name(b, start, k->places[i], &k->places[i]->frames[j]);
	}
	if (b->len == start)
		buf_str(b, "[empty]");
}

static int by_names(const void *one, const void *other)
{
	const struct line *a = one, *b = other;
	int d = memcmp(a->p, b->p, a->n < b->n ? a->n : b->n);

	return d ? d : (a->n > b->n) - (a->n < b->n);
}

static void put_line(struct buf *b, const struct line *l, uint64_t value)
{
	buf_mem(b, l->p, l->n);
	buf_char(b, ' ');
	buf_u64(b, value);
	buf_char(b, '\n');
}

/* Lines in order; equal ones are one. */
static void put_lines(struct buf *b, const struct line *v, size_t n)
{
	uint64_t value = 0;

	for (size_t i = 0; i < n; i++) {
		value = stacks_plus(value, v[i].value);
		if (i + 1 < n && !by_names(&v[i], &v[i + 1]))
			continue;
		put_line(b, &v[i], value);
		value = 0;
	}
}

void folded_put(const struct stacks *s, size_t which, struct buf *b)
{
	struct line *v = calloc(s->n + 1, sizeof(*v));
	struct buf names = { .p = NULL };
	size_t n = 0, at = 0;

	for (size_t i = 0; v && i < s->n; i++) {
		size_t start = names.len;

		if (!s->v[i]->values[which])
			continue;
		put_names(&names, s, s->v[i]);
		v[n].n = names.len - start;
		v[n++].value = s->v[i]->values[which];
	}
	if (!v || names.failed) {
		b->failed = true;
	} else if (n) {
		for (size_t i = 0; i < n; i++) {
			v[i].p = names.p + at;
			at += v[i].n;
		}
		qsort(v, n, sizeof(*v), by_names);
		put_lines(b, v, n);
	}
	buf_fini(&names);
	free(v);
}
