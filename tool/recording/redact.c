// SPDX-License-Identifier: GPL-2.0
/* Values under redacted keys: cleared in records on their way into a recording. */
#include <string.h>

#include "base/unaligned.h"
#include "recording/redact.h"

/* Entries of a group or bucket. */
#define SLOTS 8
/* Types inside types that are looked at. */
#define NESTING_MAX 16

/* Is @type a group or bucket of a map whose keys can be strings? The map's header is smaller. */
static const struct gotype *map_of(const struct plan *p, uint32_t type)
{
	const struct gotype *t = type < p->ntypes ? p->gotypes[type] : NULL;

	return t && t->kind == GOTYPE_MAP && t->map && t->map->size && t->key && t->elem &&
	       (t->key->kind == GOTYPE_STRING || t->key->kind == GOTYPE_INTERFACE) &&
	       !t->map->key_indirect && p->types[type].size == t->map->size ? t : NULL;
}

/* The field @name of a key or a value; NULL: debug information is damaged. */
static const struct gofield *field(const struct gotype *t, const char *name)
{
	for (size_t i = 0; i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (f->type && !strcmp(f->name, name) && f->type->size >= 16 &&
		    f->offset <= t->size && f->type->size <= t->size - f->offset)
			return f;
	}
	return NULL;
}

/* Is there a struct with a key and a value in type @t? */
static bool has_pair(const struct gotype *t, int depth)
{
	if (!t || depth == NESTING_MAX)
		return false;
	if (t->kind == GOTYPE_ARRAY)
		return has_pair(t->elem, depth + 1);
	if (t->kind != GOTYPE_STRUCT)
		return false;
	if (secret_pair_of(t))
		return true;
	for (size_t i = 0; i < t->nfields; i++)
		if (has_pair(t->fields[i].type, depth + 1))
			return true;
	return false;
}

static bool has_pair_of(const struct plan *p, uint32_t type)
{
	const struct gotype *t = type < p->ntypes ? p->gotypes[type] : NULL;

	return t && p->types[type].size == t->size && has_pair(t, 0);
}

static const struct plan_frame *frame_of(const struct plan *p, const struct goprobe_record *h)
{
	const struct plan_func *f = h->id < p->nfuncs ? p->funcs[h->id] : NULL;

	if (!f)
		return NULL;
	return f->call.plan == h->plan ? &f->call : f->ret.plan == h->plan ? &f->ret : NULL;
}

static bool has_pair_in(const struct plan_frame *f)
{
	for (size_t i = 0; i < f->nvalues; i++)
		if (has_pair(f->values[i].type, 0))
			return true;
	return false;
}

static bool has_keys(struct redactor *r)
{
	const struct plan *p = r->plan;

	for (; !p->o->secrets.off && r->seen < p->ntypes; r->seen++)
		if (map_of(p, (uint32_t)r->seen) || has_pair_of(p, (uint32_t)r->seen))
			r->keys = true;
	for (; !p->o->secrets.off && r->funcs < p->nfuncs; r->funcs++)
		if (has_pair_in(&p->funcs[r->funcs]->call) || has_pair_in(&p->funcs[r->funcs]->ret))
			r->keys = true;
	return r->keys;
}

/* --- what is cleared ------------------------------------------------------------------ */

static void clear_chunks_at(struct redactor *r, uint64_t address)
{
	for (size_t i = 0; address && i < r->rec.nchunks; i++) {
		if (r->rec.chunks[i].address != address || r->cleared[i])
			continue;
		r->cleared[i] = true;
		r->todo[r->ntodo++] = (uint16_t)i;
	}
}

/* What the references at @from and before @to of an object of type @type lead to. */
static void clear_behind(struct redactor *r, uint32_t type, const uint8_t *object, uint64_t from,
			 uint64_t to)
{
	const struct goprobe_type *t = &r->plan->types[type];

	for (uint32_t i = 0; i < t->nrefs; i++) {
		const struct goprobe_ref *ref = &r->plan->refs[t->ref + i];
		bool iface = ref->kind == GOPROBE_REF_IFACE || ref->kind == GOPROBE_REF_EFACE;
		uint64_t at = (uint64_t)ref->offset + (iface ? 8 : 0);

		if (ref->kind != GOPROBE_REF_WIPE && ref->offset >= from && at + 8 <= to)
			clear_chunks_at(r, load_u64(object + at));
	}
}

static void clear_chunk(struct redactor *r, size_t i)
{
	const struct record_chunk *c = &r->rec.chunks[i];
	uint32_t size = c->type < r->plan->ntypes ? r->plan->types[c->type].size : 0;

	for (uint64_t at = 0; size && at + size <= c->size; at += size)
		clear_behind(r, c->type, r->at[i] + at, 0, size);
	memset(r->at[i], c->type == GOPROBE_TYPE_BYTES ? '*' : 0, c->size);
}

/* --- keys ------------------------------------------------------------------------------- */

/* The bytes at @address that the record has; NULL: none. */
static const uint8_t *bytes_at(const struct redactor *r, uint64_t address, uint64_t *have)
{
	const uint8_t *p = NULL;

	*have = 0;
	for (size_t i = 0; i < r->rec.nchunks; i++) {
		const struct record_chunk *c = &r->rec.chunks[i];

		if (c->type == GOPROBE_TYPE_MISSED || address < c->address ||
		    address - c->address >= c->size || c->size - (address - c->address) <= *have)
			continue;
		*have = c->size - (address - c->address);
		p = c->data + (address - c->address);
	}
	return p;
}

/* What the interface at @*key holds. False: nothing, or no string. *@key is NULL: nobody knows. */
static bool open_key(const struct redactor *r, const uint8_t **key)
{
	uint64_t type = load_u64(*key), at = load_u64(*key + 8);
	const struct plan *p = r->plan;
	bool known = !type;

	*key = NULL;
	for (size_t i = 0; i < r->rec.nchunks; i++) {
		const struct record_chunk *c = &r->rec.chunks[i];
		const struct gotype *t = c->type < p->ntypes ? p->gotypes[c->type] : NULL;

		if (!t || c->address != at)
			continue;
		known = true;
		if (type && t->kind == GOTYPE_STRING && c->size >= 16)
			*key = c->data;
	}
	return *key || !known;
}

/*
 * Is a value of type @t redacted, whose key, of type @of, is at @key? @unknown: where nobody knows
 * the key.
 */
static bool is_redacted(const struct redactor *r, const struct gotype *of, const uint8_t *key,
			const struct gotype *t, bool unknown)
{
	uint64_t len, have;
	const uint8_t *p;

	if (of->kind == GOTYPE_INTERFACE && !open_key(r, &key))
		return false;
	if (!key)
		return unknown;
	p = bytes_at(r, load_u64(key), &have);
	len = load_u64(key + 8);
	if (!load_u64(key) || !len)
		return false;
	if (have < len && have < SECRET_KEY_BYTES)
		return true;
	return secret_is_key(&r->plan->o->secrets, p, have < len ? have : len, t);
}

/* Clear the @size bytes at @at of an object of type @type, and what they refer to. */
static void clear_value(struct redactor *r, uint32_t type, uint8_t *object, uint64_t at,
			uint64_t size)
{
	clear_behind(r, type, object, at, at + size);
	while (r->ntodo)
		clear_chunk(r, r->todo[--r->ntodo]);
	memset(object + at, 0, size);
}

static void look_at_group(struct redactor *r, uint32_t type, const struct gotype *t,
			  uint8_t *group)
{
	const struct gomap *m = t->map;
	uint64_t size = m->elem_indirect ? 8 : t->elem->size;

	for (uint64_t i = 0; i < SLOTS; i++) {
		uint64_t key = m->key_at + i * m->key_stride;
		uint64_t elem = m->elem_at + i * m->elem_stride;

		/* Types can be damaged. */
		if (key + 16 > m->size || size > m->size || elem > m->size - size)
			return;
		if (is_redacted(r, t->key, group + key, t->elem, true))
			clear_value(r, type, group, elem, size);
	}
}

/* The struct at @at in @object. */
static void look_at_pair(struct redactor *r, uint32_t type, const struct gotype *t,
			 const struct secret_pair *pair, uint8_t *object, uint64_t at)
{
	const struct gofield *key = field(t, pair->key), *value = field(t, pair->value);

	/* Such keys are known from the start; one without bytes, struct{}, has no chunk. */
	if (key && value &&
	    is_redacted(r, key->type, object + at + key->offset, value->type, false))
		clear_value(r, type, object, at + value->offset, value->type->size);
}

/* The value of type @t at @at in @object, which it fits into. */
static void look_inside(struct redactor *r, uint32_t type, const struct gotype *t, uint8_t *object,
			uint64_t at, int depth)
{
	const struct secret_pair *pair = secret_pair_of(t);

	if (!has_pair(t, depth))
		return;
	if (pair)
		look_at_pair(r, type, t, pair, object, at);
	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (f->type && f->offset <= t->size && f->type->size <= t->size - f->offset)
			look_inside(r, type, f->type, object, at + f->offset, depth + 1);
	}
	for (uint64_t i = 0; t->kind == GOTYPE_ARRAY && i < t->count; i++)
		if (t->elem->size && (i + 1) * t->elem->size <= t->size)
			look_inside(r, type, t->elem, object, at + i * t->elem->size, depth + 1);
}

static void look_at_frame(struct redactor *r, uint8_t *p)
{
	const struct plan_frame *f = frame_of(r->plan, &r->rec.h);
	uint8_t *frame = p + (r->rec.frame - p);

	for (size_t i = 0; f && r->rec.frame && i < f->nvalues; i++) {
		const struct plan_value *v = &f->values[i];

		if (!v->unavailable && v->type && v->offset <= r->rec.frame_size &&
		    v->type->size <= r->rec.frame_size - v->offset)
			look_inside(r, r->plan->plans[r->rec.h.plan].type, v->type, frame,
				    v->offset, 0);
	}
}

/* --- records ------------------------------------------------------------------------------ */

static void look_at_record(struct redactor *r, uint8_t *p)
{
	for (size_t i = 0; i < r->rec.nchunks; i++) {
		r->at[i] = p + (r->rec.chunks[i].data - p);
		r->cleared[i] = false;
	}
	for (size_t i = 0; i < r->rec.nchunks; i++) {
		const struct record_chunk *c = &r->rec.chunks[i];
		const struct gotype *t = map_of(r->plan, c->type);

		for (uint64_t at = 0; t && at + t->map->size <= c->size; at += t->map->size)
			look_at_group(r, c->type, t, r->at[i] + at);
		t = has_pair_of(r->plan, c->type) ? r->plan->gotypes[c->type] : NULL;
		for (uint64_t at = 0; t && at + t->size <= c->size; at += t->size)
			look_inside(r, c->type, t, r->at[i] + at, 0, 0);
	}
	look_at_frame(r, p);
}

void redact_records(struct redactor *r, const struct plan *plan, uint8_t *p, size_t len)
{
	const char *why;
	int64_t n;

	r->plan = plan;
	if (!has_keys(r))
		return;
	for (size_t at = 0; at < len; at += (size_t)n) {
		n = record_decode(p + at, len - at, plan_frame_size, (void *)(uintptr_t)r->plan,
				  &r->rec, &why);
		if (n < 0)
			return;
		if (r->rec.h.kind != GOPROBE_RECORD_LOST)
			look_at_record(r, p);
	}
}
