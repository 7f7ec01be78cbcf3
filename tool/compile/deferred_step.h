/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The deferred steps of a capture expression: goprobectl does them, from the captured value to
 * the wanted one, as the module does not find entries of maps and dynamic values. Pure.
 */
#ifndef GOPROBE_COMPILE_DEFERRED_STEP_H
#define GOPROBE_COMPILE_DEFERRED_STEP_H

#include "value/path.h"

enum exprstep_kind {
	EXPRSTEP_FIELD,
	EXPRSTEP_INDEX,
	EXPRSTEP_KEY,
	EXPRSTEP_POINTER,
	EXPRSTEP_ASSERT,
	EXPRSTEP_LEN,
	EXPRSTEP_CAP,
};

/**
 * struct exprstep - one step
 * @kind: enum exprstep_kind
 * @name: of a field; or the type that is asserted, with the whole path of its package
 * @index: of an element
 * @key: of a map's entry
 */
struct exprstep {
	enum exprstep_kind kind;
	const char *name;
	uint64_t index;
	struct value_key key;
};

/**
 * struct exprsteps - all of them
 * @v: steps
 * @n: their number
 * @type: type of the last value, or NULL if it depends on the values
 */
struct exprsteps {
	const struct exprstep *v;
	size_t n;
	const struct gotype *type;
};

/*
 * Follow the steps from *@at on. NULL, or why that is impossible (a static string).
 * @number: for len() and cap(), whose value is in no record.
 */
const char *exprsteps_go(const struct exprsteps *s, struct value_ctx *v, struct value_at *at,
			 uint8_t number[8]);

#endif
