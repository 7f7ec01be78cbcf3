// SPDX-License-Identifier: GPL-2.0
/* Paths from a value in a record to a value inside it or behind it. */
#include <string.h>

#include "value/map.h"
#include "value/path.h"

/* Pointers and interfaces on the way to one field. */
#define HOPS_MAX 8
/* Embedded structs one in another, and all that are looked at for one field. */
#define EMBEDDED_MAX 5
#define VISITS_MAX 1000

static const char cut[] = "cut at a limit";
static const char no_field[] = "no such field";

static const char *refuse(const struct value_at *at)
{
	if (!at->type || at->type->kind == GOTYPE_UNKNOWN)
		return "unknown type";
	if (!value_type_fits(at->type))
		return "impossible type";
	return at->type->size > at->len ? "impossible type" : NULL;
}

static void go(struct value_at *at, const struct gotype *t, const uint8_t *p)
{
	*at = (struct value_at){ .type = t, .p = p, .len = t->size };
}

const char *value_step_pointer(struct value_ctx *v, struct value_at *at)
{
	const char *why = refuse(at);
	const struct gotype *to;
	const uint8_t *p;

	if (why)
		return why;
	if (at->type->kind != GOTYPE_POINTER)
		return "not a pointer";
	to = at->type->elem;
	if (!value_word(at->p))
		return "nil pointer";
	if (!to)
		return "unknown type";
	p = value_behind(v, at->type, at->p, &why);
	if (!p)
		return why;
	go(at, to, p);
	return NULL;
}

const char *value_step_dynamic(struct value_ctx *v, struct value_at *at)
{
	const char *why = refuse(at);
	struct value_iface i;

	if (why)
		return why;
	if (at->type->kind != GOTYPE_INTERFACE)
		return "not an interface";
	value_iface(v, at->type, at->p, &i);
	if (i.nil)
		return "nil interface";
	if (!i.p)
		return i.why;
	go(at, i.dynamic, i.p);
	return NULL;
}

/* To what a selector applies: the struct behind pointers and interfaces. */
static const char *reach(struct value_ctx *v, struct value_at *at)
{
	for (int i = 0; i < HOPS_MAX; i++) {
		const char *why = refuse(at);

		if (!why && value_redacts_type(v, at->type))
			why = secret_why;
		if (why)
			return why;
		switch (at->type->kind) {
		case GOTYPE_STRUCT:
			return NULL;
		case GOTYPE_POINTER:
			why = value_step_pointer(v, at);
			break;
		case GOTYPE_INTERFACE:
			why = value_step_dynamic(v, at);
			break;
		default:
			return no_field;
		}
		if (why)
			return why;
	}
	return no_field;
}

static const char *enter(struct value_ctx *v, struct value_at *at, size_t i)
{
	const struct gotype *t = at->type;
	const struct gofield *f = &t->fields[i];

	if (value_redacts_field(v, t, i, at->p))
		return secret_why;
	if (!f->type)
		return "unknown type";
	if (f->offset > t->size || f->type->size > t->size - f->offset)
		return "impossible type";
	go(at, f->type, at->p + f->offset);
	return NULL;
}

/* Go takes the field that is embedded least deep: one level at a time. */
static const char *find(struct value_ctx *v, struct value_at *at, const char *name, int level,
			unsigned int *visits)
{
	const struct gotype *t = at->type;
	const char *why = no_field;

	for (size_t i = 0; i < t->nfields && ++*visits < VISITS_MAX; i++) {
		const struct gofield *f = &t->fields[i];
		struct value_at sub = *at;
		const char *no;

		if (!level) {
			if (strcmp(f->name, name) == 0)
				return enter(v, at, i);
			continue;
		}
		if (!f->embedded)
			continue;
		no = enter(v, &sub, i);
		if (!no && sub.type->kind != GOTYPE_INTERFACE)
			no = reach(v, &sub);
		if (!no && sub.type->kind == GOTYPE_STRUCT)
			no = find(v, &sub, name, level - 1, visits);
		else if (!no)
			continue;
		if (!no) {
			*at = sub;
			return NULL;
		}
		/* An unavailable value may have held it. */
		if (no != no_field)
			why = no;
	}
	return why;
}

const char *value_step_field(struct value_ctx *v, struct value_at *at, const char *name)
{
	struct value_at to = *at;
	const char *why = reach(v, &to), *first = no_field;
	unsigned int visits = 0;

	if (why)
		return why;
	for (int level = 0; level < EMBEDDED_MAX; level++) {
		why = find(v, &to, name, level, &visits);
		if (!why) {
			*at = to;
			return NULL;
		}
		if (first == no_field)
			first = why;
	}
	return first;
}

/* An array goes by a pointer to it, too: Go indexes and measures both. */
static const char *sequence(struct value_ctx *v, struct value_at *at)
{
	const char *why = refuse(at);
	const struct gotype *t = at->type;

	if (!why && t->kind == GOTYPE_POINTER && t->elem && t->elem->kind == GOTYPE_ARRAY) {
		why = value_step_pointer(v, at);
		if (!why)
			why = refuse(at);
	}
	return why;
}

static const char *element(struct value_at *at, const struct gotype *t, const struct value_bytes *s,
			   uint64_t i)
{
	if (i >= s->len)
		return "index out of range";
	if (s->unavailable)
		return s->unavailable;
	if (t->size && i >= s->have)
		return cut;
	go(at, t, s->data + i * t->size);
	return NULL;
}

static const char *received(struct value_ctx *v, struct value_at *at, uint64_t i)
{
	const struct gotype *t = at->type;
	struct value_chan c;

	if (!value_word(at->p))
		return "nil channel";
	value_chan(v, t, at->p, &c);
	if (c.unavailable)
		return c.unavailable;
	if (i >= c.len)
		return "index out of range";
	if (i >= c.have)
		return cut;
	go(at, t->elem, value_chan_element(&c, t, i));
	return NULL;
}

const char *value_step_index(struct value_ctx *v, struct value_at *at, uint64_t i)
{
	static const struct gotype byte = { .kind = GOTYPE_UINT, .name = "uint8", .size = 1 };
	struct value_at to = *at;
	const char *why = sequence(v, &to);
	struct value_bytes s;

	if (why)
		return why;
	switch (to.type->kind) {
	case GOTYPE_STRING:
		value_string(v, to.p, &s);
		why = element(&to, &byte, &s, i);
		break;
	case GOTYPE_SLICE:
		value_slice(v, to.type, to.p, &s);
		why = element(&to, to.type->elem, &s, i);
		break;
	case GOTYPE_ARRAY:
		s = (struct value_bytes){
			.data = to.p, .len = to.type->count, .have = to.type->count,
		};
		why = element(&to, to.type->elem, &s, i);
		break;
	case GOTYPE_CHAN:
		why = received(v, &to, i);
		break;
	default:
		return "can't be indexed";
	}
	if (!why)
		*at = to;
	return why;
}

static bool same_number(const struct gotype *t, const uint8_t *p, const struct value_key *key)
{
	int64_t n = 0;

	value_integer(t, p, &n);
	switch (key->kind) {
	case GOTYPE_INT:
		return n == key->i && (t->kind == GOTYPE_INT || n >= 0);
	case GOTYPE_UINT:
		return (uint64_t)n == key->u && (t->kind == GOTYPE_UINT || n >= 0);
	default:
		return false;
	}
}

static bool same_key(struct value_ctx *v, struct value_at at, const struct value_key *key)
{
	struct value_bytes s;

	if (refuse(&at))
		return false;
	switch (at.type->kind) {
	case GOTYPE_BOOL:
		return key->kind == GOTYPE_BOOL && !!at.p[0] == !!key->u;
	case GOTYPE_INT:
	case GOTYPE_UINT:
		return same_number(at.type, at.p, key);
	case GOTYPE_FLOAT:
		return key->kind == GOTYPE_FLOAT && value_float(at.p, at.type->size) == key->f;
	case GOTYPE_STRING:
		value_string(v, at.p, &s);
		return key->kind == GOTYPE_STRING && s.len == key->n && s.have == s.len &&
		       (!s.len || memcmp(s.data, key->s, s.len) == 0);
	default:
		return false;
	}
}

static const char *look_up(struct value_ctx *v, struct value_at *at, struct value_entries *e,
			   const struct value_key *key)
{
	const struct gotype *t = at->type;

	for (size_t i = 0; i < e->n; i++) {
		struct value_at k;

		if (!e->v[i].key)
			continue;
		go(&k, t->key, e->v[i].key);
		if (k.type->kind == GOTYPE_INTERFACE && value_step_dynamic(v, &k))
			continue;
		if (!same_key(v, k, key))
			continue;
		if (value_redacts_entry(v, t, &e->v[i]))
			return secret_why;
		if (!e->v[i].elem)
			return e->why;
		go(at, t->elem, e->v[i].elem);
		return NULL;
	}
	if (e->unavailable)
		return e->unavailable;
	return e->n < e->len ? "not among the entries that were captured" : "no such key";
}

const char *value_step_key(struct value_ctx *v, struct value_at *at, const struct value_key *key)
{
	const char *why = refuse(at);
	struct value_entries *e;

	if (why)
		return why;
	if (at->type->kind != GOTYPE_MAP)
		return "not a map";
	if (!value_word(at->p))
		return "no such key";
	e = value_map_get(v, at->type, at->p);
	if (!e)
		return "out of memory";
	why = look_up(v, at, e, key);
	value_map_put(v, e);
	return why;
}

static const char *map_len(struct value_ctx *v, const struct value_at *at, uint64_t *ret)
{
	struct value_entries *e;
	const char *why;

	*ret = 0;
	if (!value_word(at->p))
		return NULL;
	e = value_map_get(v, at->type, at->p);
	if (!e)
		return "out of memory";
	*ret = e->len;
	why = e->len ? NULL : e->unavailable;
	value_map_put(v, e);
	return why;
}

static const char *chan_len(struct value_ctx *v, const struct value_at *at, bool cap, uint64_t *ret)
{
	struct value_chan c;

	*ret = 0;
	if (!value_word(at->p))
		return NULL;
	value_chan(v, at->type, at->p, &c);
	*ret = cap ? c.cap : c.len;
	/* The elements are not asked for. */
	return c.cap ? NULL : c.unavailable;
}

static const char *measure(struct value_ctx *v, const struct value_at *at, bool cap, uint64_t *ret)
{
	struct value_at to = *at;
	const char *why = sequence(v, &to);

	if (why)
		return why;
	switch (to.type->kind) {
	case GOTYPE_SLICE:
		*ret = value_word(to.p + (cap ? 16 : 8));
		return NULL;
	case GOTYPE_ARRAY:
		*ret = to.type->count;
		return NULL;
	case GOTYPE_CHAN:
		return chan_len(v, &to, cap, ret);
	case GOTYPE_STRING:
		*ret = value_word(to.p + 8);
		return cap ? "has no capacity" : NULL;
	case GOTYPE_MAP:
		return cap ? "has no capacity" : map_len(v, &to, ret);
	default:
		return cap ? "has no capacity" : "has no length";
	}
}

const char *value_step_len(struct value_ctx *v, const struct value_at *at, uint64_t *ret)
{
	return measure(v, at, false, ret);
}

const char *value_step_cap(struct value_ctx *v, const struct value_at *at, uint64_t *ret)
{
	return measure(v, at, true, ret);
}
