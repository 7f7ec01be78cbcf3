// SPDX-License-Identifier: GPL-2.0
/* What a value refers to: strings, slices and dynamic types in a record. */
#include <string.h>

#include "value.h"

uint64_t value_word(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

bool value_is_bytes(const struct gotype *t)
{
	return t->kind == GOTYPE_SLICE && t->elem && t->elem->kind == GOTYPE_UINT &&
	       t->elem->size == 1;
}

const char *value_type_name(const struct gotype *t)
{
	if (!t->name || !t->name[0])
		return "?";
	/* The compiler writes byte's other name; people write []byte. */
	return strcmp(t->name, "[]uint8") == 0 ? "[]byte" : t->name;
}

/*
 * The longest capture of the memory at @address: whatever it was captured as,
 * these are its bytes, so one copy serves all values that refer to it.
 */
static const struct record_chunk *chunk_at(const struct record *r, uint64_t address, size_t want)
{
	const struct record_chunk *best = NULL;

	for (size_t i = 0; i < r->nchunks; i++) {
		const struct record_chunk *c = &r->chunks[i];

		if (c->address != address)
			continue;
		if (!best || c->size > best->size)
			best = c;
		if (best->size >= want)
			break;
	}
	return best;
}

static const char *why_missing(const struct record *r, const struct record_chunk *c)
{
	if (!c)
		return r->h.flags & GOPROBE_RECORD_F_BUDGET ? "record is full" : "not captured";
	switch (c->status) {
	case GOPROBE_CHUNK_FAULT:
		return "no readable memory";
	case GOPROBE_CHUNK_REMOTE:
		return "not in memory, on a remote file system";
	case GOPROBE_CHUNK_BAD:
		return "impossible length";
	}
	return NULL;
}

/* Find @ret->len objects of @size bytes at @ret->address. */
static void refer(const struct value_ctx *v, uint64_t size, struct value_bytes *ret)
{
	if (!ret->len)
		return;
	if (ret->len > INT64_MAX / (size ? size : 1)) {
		ret->unavailable = "impossible length";
		return;
	}
	if (!size)
		return;		/* struct{}: nothing to copy */

	uint64_t want = ret->len * size;
	const struct record_chunk *c = chunk_at(v->rec, ret->address, want);

	if (c && c->size >= size) {
		ret->data = c->data;
		ret->have = c->size / size < ret->len ? c->size / size : ret->len;
		ret->size = ret->have * size;
		return;
	}
	ret->unavailable = why_missing(v->rec, c);
	/* Status OK without a whole element: a limit of 0 was asked for. */
}

void value_string(const struct value_ctx *v, const uint8_t *p, struct value_bytes *ret)
{
	*ret = (struct value_bytes){
		.data = p,
		.address = value_word(p),
		.len = value_word(p + 8),
	};
	refer(v, 1, ret);
}

void value_slice(const struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_bytes *ret)
{
	value_string(v, p, ret);
	ret->have = 0;
	ret->size = 0;
	ret->data = p;
	ret->unavailable = NULL;
	if (!t->elem)
		ret->unavailable = "unknown element type";
	else if (ret->len > value_word(p + 16))
		ret->unavailable = "impossible length";
	else
		refer(v, t->elem->size, ret);
}

void value_iface(const struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_iface *ret)
{
	uint64_t word = value_word(p);

	*ret = (struct value_iface){ .nil = !word, .data = value_word(p + 8) };
	if (!word)
		return;
	if (t->empty) {
		ret->type = word;
	} else {
		/* itab: {interface type, dynamic type, ...} */
		const struct record_chunk *c = record_chunk_find(v->rec, word + 8,
								 GOPROBE_TYPE_ITAB, 8);

		if (c && c->size >= 8)
			ret->type = value_word(c->data);
	}
	if (ret->type && v->type_name)
		ret->name = v->type_name(v->type_name_ctx, ret->type);
}

bool value_integer(const struct gotype *t, const uint8_t *p, int64_t *ret)
{
	int8_t i8;
	int16_t i16;
	int32_t i32;
	bool is_signed = t->kind == GOTYPE_INT;

	switch (t->size) {
	case 1:
		memcpy(&i8, p, 1);
		*ret = is_signed ? i8 : (uint8_t)i8;
		return true;
	case 2:
		memcpy(&i16, p, 2);
		*ret = is_signed ? i16 : (uint16_t)i16;
		return true;
	case 4:
		memcpy(&i32, p, 4);
		*ret = is_signed ? (int64_t)i32 : (int64_t)(uint32_t)i32;
		return true;
	case 8:
		memcpy(ret, p, 8);
		return true;
	}
	return false;
}

double value_float(const uint8_t *p, unsigned int size)
{
	double d;
	float f;

	if (size == 4) {
		memcpy(&f, p, 4);
		return f;
	}
	memcpy(&d, p, 8);
	return d;
}

/* The size that values of a kind must have; 0: any. */
static bool size_fits(const struct gotype *t)
{
	switch (t->kind) {
	case GOTYPE_BOOL:
		return t->size == 1;
	case GOTYPE_INT:
	case GOTYPE_UINT:
		return t->size == 1 || t->size == 2 || t->size == 4 || t->size == 8;
	case GOTYPE_FLOAT:
		return t->size == 4 || t->size == 8;
	case GOTYPE_COMPLEX:
		return t->size == 8 || t->size == 16;
	case GOTYPE_STRING:
	case GOTYPE_INTERFACE:
		return t->size == 16;
	case GOTYPE_SLICE:
		return t->size == 24;
	case GOTYPE_POINTER:
	case GOTYPE_MAP:
	case GOTYPE_CHAN:
	case GOTYPE_FUNC:
		return t->size == 8;
	case GOTYPE_ARRAY:
		return t->elem && (!t->elem->size || t->count <= t->size / t->elem->size);
	case GOTYPE_STRUCT:
	case GOTYPE_UNKNOWN:
		return true;
	}
	return false;
}

const char *value_refuse(struct value_ctx *v, const struct gotype *t, size_t len)
{
	if (!t || t->kind == GOTYPE_UNKNOWN)
		return "unknown type";
	if (!size_fits(t))
		return "impossible type";
	if (t->size > len)
		return "not captured";
	if (v->depth >= VALUE_DEPTH)
		return "nested too deep";
	if (!v->budget)
		return "too many values";
	v->budget--;
	return NULL;
}
