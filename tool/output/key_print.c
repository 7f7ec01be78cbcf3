// SPDX-License-Identifier: GPL-2.0
/* What has been counted and timed by key, as text and as JSON. */
#include <stdlib.h>

#include "compile/group_by.h"
#include "output/key_print.h"
#include "value/decode.h"

/**
 * struct words - a key while it is read
 * @v: what is left of it
 * @n: words
 */
struct words {
	const uint64_t *v;
	size_t n;
};

struct keyshow *keyshow_new(const struct tallyshow *show)
{
	static const struct value_env nothing;
	struct keyshow *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->show = show;
	k->values = calloc(1, sizeof(*k->values));
	if (!k->values) {
		free(k);
		return NULL;
	}
	value_init(k->values, &nothing);
	return k;
}

void keyshow_free(struct keyshow *k)
{
	if (!k)
		return;
	value_fini(k->values);
	free(k->values);
	free(k);
}

/* --- parts of a key ---------------------------------------------------------------- */

static uint64_t take(struct words *w)
{
	if (!w->n)
		return 0;
	w->n--;
	return *w->v++;
}

/* The bytes of a string of length @len that the key has. */
static const uint8_t *take_bytes(struct words *w, uint64_t len, size_t *n)
{
	const uint8_t *p = (const uint8_t *)w->v;
	size_t words;

	*n = len < BYKEY_STRING_MAX ? len : BYKEY_STRING_MAX;
	words = (*n + 7) / 8;
	if (words > w->n) {
		words = w->n;
		*n = words * 8;
	}
	w->v += words;
	w->n -= words;
	return p;
}

static void put_string(struct words *w, bool json, struct buf *b)
{
	uint64_t len = take(w);
	size_t n;
	const uint8_t *p = take_bytes(w, len, &n);

	if (!json) {
		buf_quote(b, p, n);
		if (len > n)
			buf_number(b, "...+", len - n);
		return;
	}
	buf_str(b, "\"value\":");
	buf_json(b, p, n);
	if (len > n) {
		buf_number(b, ",\"len\":", len);
		buf_str(b, ",\"truncated\":true");
	}
}

static void put_scalar(struct keyshow *k, const struct gotype *t, uint64_t word, struct buf *b)
{
	static const struct record none;
	const uint8_t *p = (const uint8_t *)&word;

	value_record(k->values, &none);
	value_start(k->values, b);
	if (k->show->json)
		value_json(k->values, b, t, p, t->size);
	else
		value_text(k->values, b, t, p, t->size);
}

/* Of BYKEY_ADDRESS, and a type that is not among the program's own. */
static void put_hex(uint64_t word, bool json, struct buf *b)
{
	if (json)
		buf_char(b, '"');
	buf_hex(b, word);
	if (json)
		buf_char(b, '"');
}

static void put_word(struct gobin *bin, enum bykey_kind kind, uint64_t word, bool json,
		     struct buf *b)
{
	const char *name = kind == BYKEY_TYPE && word ? gobin_rtype_name(bin, word) : NULL;

	if (json)
		buf_str(b, "\"value\":");
	if (!word)
		buf_str(b, json ? "null" : "nil");
	else if (!name)
		put_hex(word, json, b);
	else if (json)
		buf_json_str(b, name);
	else
		buf_str(b, name);
}

static void put_part(struct keyshow *k, const struct plan_func *pf, const struct bykey_part *part,
		     struct words *w, struct buf *b)
{
	bool json = k->show->json;

	if (json) {
		buf_str(b, "{\"expr\":");
		buf_json_str(b, part->name);
		buf_str(b, ",\"type\":");
		buf_json_str(b, value_type_name(part->type));
		buf_char(b, ',');
	} else {
		buf_str(b, part->name);
		buf_char(b, '=');
	}
	if (part->kind == BYKEY_STRING)
		put_string(w, json, b);
	else if (part->kind == BYKEY_SCALAR)
		put_scalar(k, part->type, take(w), b);
	else
		put_word(pf->bin, part->kind, take(w), json, b);
	if (json)
		buf_char(b, '}');
}

static void put_key(struct keyshow *k, const struct keyrow *row, struct buf *b)
{
	const struct plan_func *pf = k->show->plan->funcs[row->id];
	struct words w = { row->key, row->nwords };

	for (size_t i = 0; i < pf->key->n; i++) {
		if (i)
			buf_char(b, k->show->json ? ',' : ' ');
		put_part(k, pf, &pf->key->parts[i], &w, b);
	}
}

/* --- rows ------------------------------------------------------------------------------ */

static bool several(const struct tallyshow *s)
{
	return s->plan->nfuncs - s->plan->naround - s->plan->nhidden > 1;
}

/* "main.get  key="x" goid=5", with a NUL behind it; without memory less of it. */
static const char *label(struct keyshow *k, const struct keyrow *row,
			 const struct goshape_names *names, struct buf *b)
{
	b->len = 0;
	if (several(k->show)) {
		buf_str(b, goshape_names_get(names,
					     plan_func_name(k->show->plan->funcs[row->id])));
		buf_str(b, "  ");
	}
	put_key(k, row, b);
	buf_char(b, 0);
	return b->failed ? "?" : b->p;
}

static void text_table(struct keyshow *k, const struct keyrows *rows, size_t n, uint64_t real,
		       uint64_t ns, struct buf *b)
{
	struct goshape_names names = { 0 };
	struct buf name = { 0 };
	struct tally t;

	tallyshow_names(k->show, &names);
	if (ns) {
		buf_time_of_day(b, real);
		buf_char(b, '\n');
	}
	if (n)
		tallyshow_head(k->show, ns, several(k->show) ? "function, key" : "key", b);
	for (size_t i = 0; i < n; i++) {
		keyrow_tally(rows->v[i], &t);
		tallyshow_line(k->show, &t, label(k, rows->v[i], &names, &name), ns, b);
	}
	for (size_t i = 0; k->show->histogram && i < n; i++) {
		keyrow_tally(rows->v[i], &t);
		tallyshow_histogram(&t, label(k, rows->v[i], &names, &name), b);
	}
	if (ns)
		buf_char(b, '\n');
	b->failed |= name.failed;
	buf_fini(&name);
	goshape_names_fini(&names);
}

static void json_line(struct keyshow *k, const struct keyrow *row, uint64_t real, uint64_t ns,
		      struct buf *b)
{
	struct tally t;

	keyrow_tally(row, &t);
	buf_str(b, k->show->timed ? "{\"kind\":\"latency_key\",\"func\":" :
				    "{\"kind\":\"count_key\",\"func\":");
	buf_json_str(b, plan_func_name(k->show->plan->funcs[row->id]));
	buf_str(b, ",\"key\":[");
	put_key(k, row, b);
	buf_char(b, ']');
	tallyshow_json_calls(&t, real, ns, b);
	if (k->show->timed)
		tallyshow_json_times(k->show, &t, b);
	buf_str(b, "}\n");
}

void keyshow_table(struct keyshow *k, const struct keyrows *rows, uint64_t real, uint64_t ns,
		   struct buf *b)
{
	size_t n = k->show->top && k->show->top < rows->called ? k->show->top : rows->called;

	if (!k->show->json) {
		text_table(k, rows, n, real, ns, b);
		return;
	}
	for (size_t i = 0; i < n; i++)
		json_line(k, rows->v[i], real, ns, b);
}
