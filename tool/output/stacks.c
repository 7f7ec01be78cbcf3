// SPDX-License-Identifier: GPL-2.0
/* Stacks and what was counted of each. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "output/stacks.h"

static const struct stacks_words words[] = {
	[STACKS_CALLS] = { "count", "calls", "count" },
	[STACKS_GOROUTINES] = { "count", "goroutines", "count" },
	[STACKS_GROWN] = { "grown", "more goroutines", "count" },
	[STACKS_TIME] = { "sum_ns", "time", "nanoseconds", .is_time = true },
	[STACKS_WAIT] = { "wait_ns", "wait", "nanoseconds", .is_time = true },
	[STACKS_SUM] = { "sum", NULL, "count" },
};

struct stacks_words stacks_words(const struct stacks *s, size_t which)
{
	struct stacks_words ret = words[s->types[which]];

	if (s->types[which] == STACKS_SUM) {
		ret.type = s->summed;
		ret.is_time = s->summed_time;
		ret.unit = s->summed_time ? "nanoseconds" : ret.unit;
	}
	return ret;
}

void stacks_init(struct stacks *s, const enum stacks_value *types, size_t ntypes)
{
	memset(s, 0, sizeof(*s));
	s->types = types;
	s->ntypes = ntypes;
	symbols_init(&s->nowhere, NULL, NULL);
}

void stacks_fini(struct stacks *s)
{
	symbols_fini(&s->nowhere);
	hmap_fini(&s->by_key);
	arena_fini(&s->mem);
	free(s->looked_up);
	free(s->v);
	memset(s, 0, sizeof(*s));
}

/* The places of @sample, in @s->looked_up; 0, or -1 without memory. */
static int look_up(struct stacks *s, const struct stacks_sample *sample)
{
	unsigned int how = SYMBOL_WRAPPERS | (sample->first_returns ? SYMBOL_RETURN : 0);

	if (grow(&s->looked_up, sample->npcs, &s->looked_up_cap, sizeof(*s->looked_up)))
		return -1;
	for (size_t i = 0; i < sample->npcs; i++) {
		struct symbols *of = sample->pcs[i].of;

		s->looked_up[i] = symbols_at(of ? of : &s->nowhere, sample->pcs[i].pc, how);
		if (!s->looked_up[i])
			return -1;
		how = s->looked_up[i]->caller;
	}
	return 0;
}

/* With the NUL, so that what follows can't be taken for a part of it. */
static uint64_t hash_text(uint64_t h, const char *text)
{
	return text ? hmap_hash(h, text, strlen(text) + 1) : hmap_hash(h, "", 0);
}

/* Where its go statement is, in *@ret, or NULL; 0, or -1 without memory. */
static int look_up_creator(const struct stacks_sample *sample, const struct symbol **ret)
{
	const struct stacks_pc *at = &sample->creator;

	*ret = NULL;
	if (!at->pc || !at->of)
		return 0;
	*ret = symbols_at(at->of, at->pc, SYMBOL_RETURN | SYMBOL_WRAPPERS);
	if (!*ret)
		return -1;
	if (!(*ret)->n || !(*ret)->frames[0].func)
		*ret = NULL;
	return 0;
}

/* What is not shown does not count. */
static uint64_t hash_place(const struct stacks *s, const struct symbol *place, uint64_t h)
{
	if (s->by_address)
		return hmap_hash(h, &place, sizeof(place));
	return place->n ? hmap_hash(h, &place->looks, sizeof(place->looks)) : h;
}

static uint64_t key_of(const struct stacks *s, const struct stacks_sample *sample,
		       const struct symbol *creator)
{
	uint64_t h = sample->cut;

	for (size_t i = 0; i < sample->npcs; i++)
		h = hash_place(s, s->looked_up[i], h);
	if (creator)
		h = hash_place(s, creator, ~h);
	for (size_t i = 0; i < sample->nlabels; i++) {
		const struct stacks_label *l = &sample->labels[i];

		h = hash_text(h, l->key);
		h = hash_text(h, l->text);
		h = hmap_hash(h, &l->number, sizeof(l->number));
		h = hash_text(h, l->unit);
	}
	return h;
}

/* A copy of @text, or NULL; sets *@failed without memory. */
static const char *keep(struct arena *mem, const char *text, bool *failed)
{
	const char *copy = text ? arena_strdup(mem, text) : NULL;

	*failed |= text && !copy;
	return copy;
}

static const struct stacks_label *keep_labels(struct arena *mem, const struct stacks_sample *from)
{
	struct stacks_label *v = arena_array(mem, from->nlabels + 1, sizeof(*v));
	bool failed = !v;

	for (size_t i = 0; i < from->nlabels && !failed; i++) {
		v[i].key = keep(mem, from->labels[i].key, &failed);
		v[i].text = keep(mem, from->labels[i].text, &failed);
		v[i].number = from->labels[i].number;
		v[i].unit = keep(mem, from->labels[i].unit, &failed);
	}
	return failed ? NULL : v;
}

static struct stack *make(struct stacks *s, const struct stacks_sample *sample)
{
	struct stack *k = arena_alloc(&s->mem, sizeof(*k));
	size_t size = sizeof(*k->places);

	if (!k || grow(&s->v, s->n + 1, &s->cap, sizeof(struct stack *)))
		return NULL;
	k->labels = keep_labels(&s->mem, sample);
	k->places = arena_array(&s->mem, sample->npcs + 1, size);
	if (!k->labels || !k->places)
		return NULL;
	if (sample->npcs)
		memcpy(k->places, s->looked_up, sample->npcs * size);
	k->n = sample->npcs;
	k->cut = sample->cut;
	k->nlabels = sample->nlabels;
	return k;
}

struct stack *stacks_count(struct stacks *s, const struct stacks_sample *sample)
{
	const struct symbol *creator;
	struct stack *k;
	uint64_t key;

	if (look_up(s, sample) || look_up_creator(sample, &creator))
		return NULL;
	key = key_of(s, sample, creator);
	k = hmap_get(&s->by_key, key);
	if (!k) {
		k = make(s, sample);
		if (!k || hmap_put(&s->by_key, key, k))
			return NULL;
		k->creator = creator;
		s->v[s->n++] = k;
	}
	for (size_t i = 0; i < s->ntypes; i++)
		k->values[i] = stacks_plus(k->values[i], sample->values[i]);
	k->is_split |= !!sample->split;
	for (size_t i = 0; sample->split && i < __GOSTATES_MAX; i++)
		k->split[i] = stacks_plus(k->split[i], sample->split[i]);
	return k;
}

int stacks_add(struct stacks *s, const struct stacks_sample *sample)
{
	return stacks_count(s, sample) ? 0 : -1;
}

void stacks_zero(struct stacks *s)
{
	for (size_t i = 0; i < s->n; i++) {
		memset(s->v[i]->values, 0, sizeof(s->v[i]->values));
		memset(s->v[i]->split, 0, sizeof(s->v[i]->split));
	}
}

static int by_name(const struct symbol *a, const struct symbol *b)
{
	size_t n = a->n < b->n ? a->n : b->n;

	for (size_t i = 0; i < n; i++) {
		const char *x = a->frames[i].func, *y = b->frames[i].func;
		int d = x && y ? strcmp(x, y) : !!x - !!y;

		if (d)
			return d;
	}
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	return (a->pc > b->pc) - (a->pc < b->pc);
}

/* The order of two lists of labels. Those with the same keys differ in their values. */
static int by_label(const struct stack *a, const struct stack *b)
{
	size_t n = a->nlabels < b->nlabels ? a->nlabels : b->nlabels;

	for (size_t i = 0; i < n; i++) {
		const struct stacks_label *x = &a->labels[i], *y = &b->labels[i];
		int d = strcmp(x->key, y->key);

		if (!d && x->text && y->text)
			d = strcmp(x->text, y->text);
		if (!d)
			d = (x->number > y->number) - (x->number < y->number);
		if (d)
			return d;
	}
	return (a->nlabels > b->nlabels) - (a->nlabels < b->nlabels);
}

static int by_value(const void *one, const void *other)
{
	const struct stack *a = *(const struct stack *const *)one;
	const struct stack *b = *(const struct stack *const *)other;
	size_t n = a->n < b->n ? a->n : b->n;

	if (a->values[0] != b->values[0])
		return a->values[0] > b->values[0] ? -1 : 1;
	for (size_t i = 0; i < n; i++) {
		int d = by_name(a->places[i], b->places[i]);

		if (d)
			return d;
	}
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	if (a->creator != b->creator)
		return !a->creator ? -1 : !b->creator ? 1 : by_name(a->creator, b->creator);
	return by_label(a, b);
}

void stacks_sort(struct stacks *s)
{
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_value);
}

uint64_t stacks_sum(const struct stacks *s, size_t which)
{
	uint64_t all = 0;

	for (size_t i = 0; i < s->n; i++)
		all = stacks_plus(all, s->v[i]->values[which]);
	return all;
}

void stacks_put_name(struct buf *b, const struct symbol *place, const struct gobin_frame *f)
{
	const char *file = place->of->name, *slash = file ? strrchr(file, '/') : NULL;

	/* Damaged tables have empty names. */
	if (f->func && *f->func) {
		buf_str(b, f->func);
		return;
	}
	buf_char(b, '[');
	buf_str(b, file ? slash ? slash + 1 : file : "unknown");
	buf_char(b, ']');
}
