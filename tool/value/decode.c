// SPDX-License-Identifier: GPL-2.0
/* Referents of a value in a record: strings, slices, dynamic types, closures. */
#include <stdlib.h>
#include <string.h>

#include "base/unaligned.h"
#include "gotype/kind.h"
#include "value/decode.h"

const char *const VALUE_DEEP = "beyond --depth";
const char *const VALUE_DEEP_BRIEF = "beyond --follow";

bool value_is_deep(const char *why)
{
	return why == VALUE_DEEP || why == VALUE_DEEP_BRIEF;
}

void value_init(struct value_ctx *v, const struct value_env *env)
{
	memset(v, 0, sizeof(*v));
	v->env = env;
}

void value_fini(struct value_ctx *v)
{
	while (v->spare) {
		struct value_entries *e = v->spare;

		v->spare = e->next;
		free(e->v);
		free(e);
	}
}

void value_record(struct value_ctx *v, const struct record *rec)
{
	v->rec = rec;
	v->budget = VALUE_BUDGET;
	value_mem_start(&v->mem, rec);
}

void value_start(struct value_ctx *v, const struct buf *b)
{
	v->budget = VALUE_BUDGET;
	v->depth = 0;
	v->nopen = 0;
	v->indent = 0;
	v->flat = 0;
	v->line = b->len;
	while (v->width && v->line && b->p[v->line - 1] != '\n')
		v->line--;
	v->text_end = b->len + VALUE_TEXT_MAX;
}

uint64_t value_word(const uint8_t *p)
{
	return load_u64(p);
}

bool value_is_bytes(const struct gotype *t)
{
	return t->kind == GOTYPE_SLICE && t->elem && t->elem->kind == GOTYPE_UINT &&
	       t->elem->size == 1;
}

bool value_is_nil(const struct gotype *t, const uint8_t *p)
{
	return !value_word(p) && (t->elem || strcmp(value_type_name(t), GOTYPE_REGISTER) != 0);
}

const char *value_type_name(const struct gotype *t)
{
	if (!t->name || !t->name[0])
		return "?";
	/* The compiler writes byte's other name; people write []byte. */
	return strcmp(t->name, "[]uint8") == 0 ? "[]byte" : t->name;
}

/* What the reference at @p, part of some chunk or the frame, leads to was not copied. */
static const char *unread(struct value_ctx *v, const struct value_from *from)
{
	const struct record *r = v->rec;
	const struct record_chunk *c = value_mem_holder(&v->mem, from->p);
	const uint8_t *begin = c ? c->data : r->frame;

	if (!v->env || !v->env->unread ||
	    (!c && (!r->frame || from->p < begin || from->p - begin >= (ptrdiff_t)r->frame_size)))
		return NULL;
	return v->env->unread(v->env->ctx, c, (uint64_t)(from->p - begin), from->t);
}

/* The limit that the record has met, if it has: after @have objects in a row. */
static const char *full(struct value_ctx *v, uint64_t have)
{
	if (!(v->rec->h.flags & GOPROBE_RECORD_F_BUDGET))
		return NULL;
	return v->env && v->env->full ? v->env->full(v->env->ctx, have) :
	       have ? NULL : "record is full";
}

const char *value_why(struct value_ctx *v, const struct value_from *from, uint64_t address)
{
	const char *why = NULL;

	if (value_mem_tried(&v->mem, address, &why))
		return why;
	if (from)
		why = unread(v, from);
	if (why)
		return why;
	return full(v, 0) ?: "not followed";
}

/*
 * A limit that was asked for is one of what is copied; without a size nothing is,
 * and what is shown has this limit.
 */
#define SHOWN_WITHOUT_SIZE 64

/* Where bytes are that nobody looks at. */
static const uint8_t nothing[8];

void value_objects(struct value_ctx *v, const struct value_from *from, uint64_t address,
		   uint64_t size, uint64_t n, struct value_bytes *ret)
{
	uint64_t have;

	*ret = (struct value_bytes){ .address = address, .len = n };
	if (n > INT64_MAX / (size ? size : 1)) {
		ret->unavailable = "impossible length";
		return;
	}
	if (!size) {
		ret->data = nothing;
		ret->have = n < SHOWN_WITHOUT_SIZE ? n : SHOWN_WITHOUT_SIZE;
	}
	if (!n || !size)
		return;
	ret->data = value_mem_at(&v->mem, address, &have);
	ret->have = have / size < n ? have / size : n;
	ret->size = ret->have * size;
	/* Nothing, but no reason: a limit of 0 was asked for. */
	if (!ret->have)
		ret->unavailable = value_why(v, from, address);
	else if (ret->have < n)
		ret->cut = value_mem_cut(&v->mem, address) ?:
			   (size > 1 ? full(v, ret->have) : NULL);
}

const uint8_t *value_object(struct value_ctx *v, const struct value_from *from,
			    const struct gotype *t, uint64_t address, const char **why)
{
	struct value_bytes o;

	if (!t->size)
		return nothing;
	value_objects(v, from, address, t->size, 1, &o);
	if (o.have)
		return o.data;
	*why = o.unavailable ?: "cut at a limit";
	return NULL;
}

const uint8_t *value_behind(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
			    const char **why)
{
	return value_object(v, &(struct value_from){ t, p }, t->elem, value_word(p), why);
}

void value_string(struct value_ctx *v, const uint8_t *p, struct value_bytes *ret)
{
	static const struct gotype string = { .kind = GOTYPE_STRING, .name = "string", .size = 16 };

	value_objects(v, &(struct value_from){ &string, p }, value_word(p), 1, value_word(p + 8),
		      ret);
	if (!ret->data)
		ret->data = nothing;
}

void value_slice(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_bytes *ret)
{
	uint64_t address = value_word(p), len = value_word(p + 8);

	*ret = (struct value_bytes){ .address = address, .len = len };
	if (!t->elem)
		ret->unavailable = "unknown element type";
	else if (len > value_word(p + 16))
		ret->unavailable = "impossible length";
	else
		value_objects(v, &(struct value_from){ t, p }, address, t->elem->size, len, ret);
	if (!ret->data)
		ret->data = nothing;
}

static const struct gotype word_type = { .kind = GOTYPE_UINT, .name = "uintptr", .size = 8 };

static bool find_dynamic(struct value_ctx *v, uint64_t address, struct value_dynamic *ret)
{
	return v->env && v->env->dynamic && v->env->dynamic(v->env->ctx, address, ret);
}

void value_iface(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_iface *ret)
{
	struct value_from from = { t, p };
	struct value_dynamic d = { 0 };
	uint64_t word = value_word(p);

	*ret = (struct value_iface){ .nil = !word, .data = value_word(p + 8) };
	if (!word)
		return;
	if (t->empty) {
		ret->type = word;
	} else {
		/* itab: {interface type, dynamic type, ...} */
		const uint8_t *type = value_object(v, &from, &word_type, word + 8, &ret->why);

		if (!type)
			return;
		ret->type = value_word(type);
	}
	ret->why = "unknown type";
	if (!find_dynamic(v, ret->type, &d))
		return;
	ret->name = d.name;
	if (!d.type)
		return;
	ret->dynamic = d.type;
	if (!ret->name)
		ret->name = value_type_name(d.type);
	if (!d.direct)
		ret->p = value_object(v, &from, d.type, ret->data, &ret->why);
	else if (d.type->size == 8)
		ret->p = p + 8;
	else
		ret->why = "impossible type";
}

static bool find_func(struct value_ctx *v, uint64_t code, struct value_func *ret)
{
	return v->env && v->env->func && v->env->func(v->env->ctx, code, ret);
}

bool value_is_opaque(const struct gotype *t)
{
	return !t->elem || (t->elem->kind == GOTYPE_ARRAY && !t->elem->size && t->elem->elem &&
			    t->elem->elem->kind == GOTYPE_UINT && t->elem->elem->size == 1);
}

const char *value_code(struct value_ctx *v, const struct gotype *t, const uint8_t *p)
{
	struct value_func f = { 0 };

	if (!value_is_opaque(t) || !strcmp(value_type_name(t), GOTYPE_REGISTER))
		return NULL;
	return find_func(v, value_word(p), &f) ? f.name : NULL;
}

void value_closure(struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		   struct value_closure *ret)
{
	const struct value_from from = { t, p };
	struct value_func f = { 0 };
	const uint8_t *code;
	const char *why;

	*ret = (struct value_closure){ .address = value_word(p) };
	if (!ret->address)
		return;
	code = value_object(v, &from, &word_type, ret->address, &ret->why);
	if (!code)
		return;
	if (find_func(v, value_word(code), &f))
		ret->name = f.name;
	if (!ret->name)
		ret->why = "unknown function";
	if (!f.closure || f.closure->kind != GOTYPE_STRUCT)
		return;
	ret->p = value_object(v, &from, f.closure, ret->address, &why);
	ret->type = f.closure;
}

bool value_is_captured(const struct gotype *closure, size_t i)
{
	return closure->fields[i].offset >= 8;
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

bool value_type_fits(const struct gotype *t)
{
	if (t->kind == GOTYPE_ARRAY)
		return t->elem && (!t->elem->size || t->count <= t->size / t->elem->size);
	return kind_size_ok(t->kind, t->size);
}

const struct gofield *value_known_field(const struct gotype *t, const char *name,
					enum gotype_kind kind, uint64_t size)
{
	for (size_t i = 0; t->kind == GOTYPE_STRUCT && i < t->nfields; i++) {
		const struct gofield *f = &t->fields[i];

		if (!f->type || f->type->kind != kind || strcmp(f->name, name) != 0)
			continue;
		return (!size || f->type->size == size) && value_type_fits(f->type) &&
		       f->offset <= t->size && f->type->size <= t->size - f->offset ? f : NULL;
	}
	return NULL;
}

const char *value_refuse(struct value_ctx *v, const struct buf *b, const struct gotype *t,
			 size_t len)
{
	if (!t || t->kind == GOTYPE_UNKNOWN)
		return "unknown type";
	if (!value_type_fits(t))
		return "impossible type";
	if (t->size > len)
		return "impossible type";
	if (v->depth >= VALUE_DEPTH)
		return "nested too deep";
	if (value_enough(v, b))
		return "too many values";
	v->budget--;
	return NULL;
}

bool value_enter(struct value_ctx *v, const struct gotype *t, uint64_t address)
{
	for (unsigned int i = 0; i < v->nopen; i++)
		if (v->open[i].address == address && v->open[i].type == t)
			return false;
	if (v->nopen == VALUE_DEPTH)
		return false;
	v->open[v->nopen++] = (struct value_open){ .address = address, .type = t };
	return true;
}

void value_leave(struct value_ctx *v)
{
	v->nopen--;
}

const char *value_missed(const struct record *r, uint64_t item)
{
	for (size_t i = 0; i < r->nchunks; i++) {
		const struct record_chunk *c = &r->chunks[i];

		if (c->type == GOPROBE_TYPE_MISSED && c->address == item)
			return value_mem_status(c->status) ?: "unknown status";
	}
	return NULL;
}
