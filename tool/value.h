/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A typed value, as bytes of a frame and chunks of its record, to Go-looking
 * text or JSON. Pure. Trusts neither the bytes nor the sizes in the types: what
 * does not fit is shown as unavailable, with the reason in its place.
 */
#ifndef GOPROBE_VALUE_H
#define GOPROBE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "gotype.h"
#include "record.h"

/* Values shown of one argument or result, nested ones included. */
#define VALUE_BUDGET 20000
/* How deep values nest in one argument or result. */
#define VALUE_DEPTH 16

/**
 * struct value_ctx - what is needed besides the bytes
 * @rec: the record
 * @type_name: name of the runtime type at a run-time address, or NULL
 * @type_name_ctx: its first argument
 * @budget: values that may still be shown; the caller sets VALUE_BUDGET
 * @depth: of nesting; the caller sets 0
 */
struct value_ctx {
	const struct record *rec;
	const char *(*type_name)(void *ctx, uint64_t address);
	void *type_name_ctx;
	unsigned int budget;
	unsigned int depth;
};

/**
 * struct value_bytes - what a string or slice refers to
 * @data: bytes that were captured
 * @size: their number; whole elements of a slice
 * @len: length of the string or slice itself
 * @have: of that length, what was captured
 * @cap: of a slice
 * @address: where it is
 * @unavailable: why there is nothing, or NULL
 */
struct value_bytes {
	const uint8_t *data;
	size_t size;
	uint64_t len;
	uint64_t have;
	uint64_t address;
	const char *unavailable;
};

/* Shared by the two renderings. */
uint64_t value_word(const uint8_t *p);
bool value_is_bytes(const struct gotype *t);	/* []byte and the like */
const char *value_type_name(const struct gotype *t);
void value_string(const struct value_ctx *v, const uint8_t *p, struct value_bytes *ret);
void value_slice(const struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_bytes *ret);

/**
 * struct value_iface - an interface's dynamic type
 * @nil: there is none
 * @name: its name, or NULL if that can't be told
 * @type: run-time address of its descriptor, or 0 if unknown
 * @data: data word
 */
struct value_iface {
	bool nil;
	const char *name;
	uint64_t type;
	uint64_t data;
};

void value_iface(const struct value_ctx *v, const struct gotype *t, const uint8_t *p,
		 struct value_iface *ret);

/* A number, sign-extended; false if its size is not a number's. */
bool value_integer(const struct gotype *t, const uint8_t *p, int64_t *ret);
/* @size is 4 or 8. */
double value_float(const uint8_t *p, unsigned int size);
/* Why @len bytes are no value of type @t, or that the limits are reached; or NULL. */
const char *value_refuse(struct value_ctx *v, const struct gotype *t, size_t len);

/*
 * Append the value of type @t whose bytes are the @len ones at @p. The text is
 * what follows "name=". The JSON is the members that follow "type": "value"
 * with perhaps "truncated" and "len", or "unavailable"; docs/json.md.
 */
void value_text(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len);
void value_json(struct value_ctx *v, struct buf *b, const struct gotype *t,
		const uint8_t *p, size_t len);

#endif
