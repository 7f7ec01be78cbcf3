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

/* One step. */
struct exprstep {
	enum exprstep_kind kind;	/* enum exprstep_kind */
	/* Of a field; or the type that is asserted, with the whole path of its package. */
	const char *name;
	uint64_t index;			/* of an element */
	struct value_key key;		/* of a map's entry */
};

/* All of them. */
struct deferred_step {
	const struct exprstep *v;	/* steps */
	size_t n;			/* their number */
	/* Type of the last value, or NULL if it depends on the values. */
	const struct gotype *type;
};

/*
 * Follow the steps from *@at on. NULL, or why that is impossible (a static string).
 * @number: for len() and cap(), whose value is in no record.
 */
const char *deferred_step_go(const struct deferred_step *s, struct value_ctx *v,
			     struct value_at *at, uint8_t number[8]);

#endif
