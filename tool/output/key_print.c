// SPDX-License-Identifier: GPL-2.0
/* Tables of calls that are counted and timed by key. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "compile/group_by.h"
#include "output/key_print.h"
#include "output/metric_label.h"
#include "value/decode.h"

struct key_print *key_print_new(const struct stats_print *show)
{
	/* A key that is redacted has been refused. */
	static const struct secret_list off = { .off = true };
	static const struct value_env nothing = { .secrets = &off };
	struct key_print *k = calloc(1, sizeof(*k));

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

void key_print_free(struct key_print *k)
{
	if (!k)
		return;
	value_fini(k->values);
	hmap_fini(&k->types);
	free(k->values);
	free(k);
}

/* --- parts of a key ---------------------------------------------------------------- */

static uint64_t take(struct keywords *w)
{
	if (!w->n)
		return 0;
	w->n--;
	return *w->v++;
}

/* The bytes of a string of length @len that the key has. */
static const uint8_t *take_bytes(struct keywords *w, uint64_t len, size_t *n)
{
	const uint8_t *p = (const uint8_t *)w->v;
	size_t words;

	*n = len < GROUP_BY_STRING_MAX ? len : GROUP_BY_STRING_MAX;
	words = (*n + 7) / 8;
	if (words > w->n) {
		words = w->n;
		*n = words * 8;
	}
	w->v += words;
	w->n -= words;
	return p;
}

/*
 * What distinguishes a string of which the key has the first @n bytes: "...+23#5f3c91aa". All
 * digits of the hash are where the text identifies the key: two series must have different labels.
 */
static void put_rest(const struct stats_print *s, uint64_t len, size_t n, uint64_t hash,
		     struct buf *b)
{
	bool several = !(hash & GOPROBE_KEY_HASH_WHOLE);
	char digits[20];

	snprintf(digits, sizeof(digits), "#%016llx", (unsigned long long)hash);
	if (s->json) {
		json_u64(b, "len", len);
		json_flag(b, "truncated", true);
		json_str(b, "hash", digits + 1);
		json_flag(b, "several", several);
		return;
	}
	buf_number(b, "...+", len - n);
	buf_mem(b, digits, s->labels || s->exact ? 17 : 9);
	buf_str(b, several ? "<perhaps several values>" : "");
}

/* A label has "\x9f" for a byte that is no text. So a backslash is two: other bytes stay others. */
static void put_label_bytes(const uint8_t *p, size_t n, struct buf *b)
{
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\')
			buf_char(b, '\\');
		buf_char(b, (char)p[i]);
	}
}

static void put_string(struct keywords *w, const struct stats_print *s, struct buf *b)
{
	uint64_t len = take(w), hash;
	size_t n;
	const uint8_t *p = take_bytes(w, len, &n);

	hash = len > GROUP_BY_STRING_MAX ? take(w) : 0;
	if (s->json) {
		json_key(b, "value");
		quote_json(b, p, n);
	} else if (s->labels) {
		put_label_bytes(p, n, b);
	} else {
		quote_go(b, p, n);
	}
	if (len > n)
		put_rest(s, len, n, hash, b);
}

static void put_scalar(struct key_print *k, const struct gotype *t, uint64_t word, struct buf *b)
{
	static const struct record none;
	const uint8_t *p = (const uint8_t *)&word;

	value_record(k->values, &none);
	if (k->show->json)
		json_element(b);
	value_start(k->values, b);
	if (k->show->json)
		value_json(k->values, b, t, p, t->size);
	else
		value_text(k->values, b, t, p, t->size);
}

/* Whether another type of that name was shown: names have only the last word of a package. */
static bool is_namesake(struct key_print *k, const char *name, uint64_t type)
{
	uint64_t hash = hmap_hash(0, name, strlen(name));
	const void *first = hmap_get(&k->types, hash);

	if (first)
		return (uintptr_t)first != type;
	hmap_put(&k->types, hash, (void *)(uintptr_t)type);
	return false;
}

/*
 * An address, or the name of a type; the type's address if the program does not have it. Of types
 * with one name the later ones have the address, too: "*store.Error@0x4d2a60".
 */
static void put_word(struct key_print *k, struct gobin *bin, enum group_by_kind kind,
		     uint64_t word, struct buf *b)
{
	const char *name = kind == GROUP_BY_TYPE && word ? gobin_rtype_name(bin, word) : NULL;
	bool namesake = name && is_namesake(k, name, word);

	if (k->show->json && word && !name) {
		json_hex(b, "value", word);
	} else if (k->show->json) {
		json_str(b, "value", name);
		if (namesake)
			json_hex(b, "address", word);
	} else if (!word) {
		buf_str(b, "nil");
	} else {
		buf_str(b, name ?: "");
		buf_str(b, namesake ? "@" : "");
		if (!name || namesake)
			buf_hex(b, word);
	}
}

static void put_value(struct key_print *k, const struct plan_func *pf,
		      const struct group_by_part *part, struct keywords *w, struct buf *b)
{
	if (part->kind == GROUP_BY_STRING)
		put_string(w, k->show, b);
	else if (part->kind == GROUP_BY_SCALAR)
		put_scalar(k, part->type, take(w), b);
	else
		put_word(k, pf->bin, part->kind, take(w), b);
}

/* key1_r_Method="GET" */
static void put_label(struct key_print *k, const struct plan_func *pf,
		      const struct group_by_part *part, struct keywords *w, struct buf *b)
{
	struct buf value = { 0 };
	char name[64];

	/* Two expressions can be one name, and func, le and state are taken. */
	snprintf(name, sizeof(name), "key%td_%s", part - pf->key->parts + 1, part->name);
	put_value(k, pf, part, w, &value);
	metriclabel_put(b, name, value.p, value.len);
	b->failed |= value.failed;
	buf_fini(&value);
}

void key_print_part(struct key_print *k, const struct plan_func *pf,
		    const struct group_by_part *part, struct keywords *w, struct buf *b)
{
	if (!k->show->json) {
		put_value(k, pf, part, w, b);
		return;
	}
	buf_char(b, '{');
	json_str(b, "expr", part->name);
	json_str(b, "type", value_type_name(part->type));
	put_value(k, pf, part, w, b);
	buf_char(b, '}');
}

static void put_part(struct key_print *k, const struct plan_func *pf,
		     const struct group_by_part *part, struct keywords *w, struct buf *b)
{
	if (k->show->labels) {
		put_label(k, pf, part, w, b);
		return;
	}
	if (k->show->json) {
		json_element(b);
	} else {
		buf_str(b, part->name);
		buf_char(b, '=');
	}
	key_print_part(k, pf, part, w, b);
}

static void put_key(struct key_print *k, const struct key_stats_row *row, struct buf *b)
{
	const struct plan_func *pf = k->show->plan->funcs[row->id];
	struct keywords w = { row->key, row->nwords };

	for (size_t i = 0; i < pf->key->n; i++) {
		if (i && !k->show->json)
			buf_char(b, k->show->labels ? ',' : ' ');
		put_part(k, pf, &pf->key->parts[i], &w, b);
	}
}

/* --- rows ------------------------------------------------------------------------------ */

/* The rows of a table. */
struct keys {
	struct key_print *show;		/* how it is shown */
	const struct key_stats *rows;	/* their numbers */
	struct shown_names names;	/* names of functions */
	struct buf text;		/* the key of the row at hand, with a NUL behind it */
};

static bool several(const struct stats_print *s)
{
	return s->plan->nfuncs - s->plan->naround - s->plan->nhidden > 1;
}

/* In text "main.get  key="x" goid=5", in JSON a list; without memory less of it. */
static void item(void *ctx, size_t i, struct stats_print_item *ret)
{
	struct keys *k = ctx;
	const struct key_stats_row *row = k->rows->v[i];
	const struct stats_print *show = k->show->show;
	struct buf *b = &k->text;

	ret->func = plan_func_name(show->plan->funcs[row->id]);
	key_stats_row_tally(row, &ret->tally);
	ret->tally.value = show->valued ? &show->plan->funcs[row->id]->key->value : NULL;
	b->len = 0;
	if (show->json)
		buf_char(b, '[');
	if (!show->json && !show->labels && several(show)) {
		buf_str(b, shown_names_get(&k->names, ret->func));
		buf_str(b, "  ");
	}
	put_key(k->show, row, b);
	buf_str(b, show->json ? "]" : "");
	buf_char(b, 0);
	ret->key = b->failed ? "null" : b->p;
	ret->label = b->failed ? "?" : b->p;
}

void key_print_table(struct key_print *show, const struct key_stats *rows,
		     const struct stats_print_when *when, struct buf *b)
{
	struct keys k = { .show = show, .rows = rows };

	stats_print_names(show->show, &k.names);
	(show->show->put ?: stats_print_items)(show->show, when, &(struct stats_print_items){
		.head = several(show->show) ? "FUNCTION, KEY" : "KEY", .n = rows->called,
		.item = item, .ctx = &k,
	}, b);
	b->failed |= k.text.failed;
	buf_fini(&k.text);
	shown_names_fini(&k.names);
}
