/* SPDX-License-Identifier: GPL-2.0 */
/* Paths from a value in a record to a value inside it or behind it. Pure. */
#ifndef GOPROBE_VALUE_PATH_H
#define GOPROBE_VALUE_PATH_H

#include "value/decode.h"

/* A value in a record. */
struct value_at {
	const struct gotype *type;	/* its type */
	const uint8_t *p;	/* its bytes */
	size_t len;		/* bytes from there on; fewer than @type->size if it was cut */
};

/* The key of a map's entry. */
struct value_key {
	/*
	 * GOTYPE_BOOL, _INT, _UINT, _FLOAT or _STRING; an integer key matches if it has this
	 * value, whether it is signed or not
	 */
	enum gotype_kind kind;
	union {
		int64_t i;	/* of GOTYPE_INT */
		uint64_t u;	/* of GOTYPE_BOOL (0, 1), _UINT */
		double f;	/* of GOTYPE_FLOAT */
		struct {
			const char *s;	/* of GOTYPE_STRING */
			size_t n;	/* bytes of it */
		};
	};
};

/*
 * Each changes *@at to what it leads to and returns NULL, or returns why there is
 * nothing (a static string) and leaves *@at alone. Bytes are those of the record
 * and live as long as it.
 *
 * value_step_field() - a field, also one that an embedded struct promotes; goes
 *	through a pointer, and through an interface
 * value_step_index() - an element of a slice or an array, or of a pointer to an
 *	array; of a channel: counted from the one that will be received next
 * value_step_key() - a map's entry: its element
 * value_step_pointer() - what a pointer points to
 * value_step_dynamic() - the value in an interface
 */
const char *value_step_field(struct value_ctx *v, struct value_at *at, const char *name);
const char *value_step_index(struct value_ctx *v, struct value_at *at, uint64_t i);
const char *value_step_key(struct value_ctx *v, struct value_at *at, const struct value_key *key);
const char *value_step_pointer(struct value_ctx *v, struct value_at *at);
const char *value_step_dynamic(struct value_ctx *v, struct value_at *at);
/* len() and cap() of it. */
const char *value_step_len(struct value_ctx *v, const struct value_at *at, uint64_t *ret);
const char *value_step_cap(struct value_ctx *v, const struct value_at *at, uint64_t *ret);

#endif
