// SPDX-License-Identifier: GPL-2.0
/* The steps of capture expressions that goprobectl does itself. */
#include <string.h>

#include "compile/deferred_step.h"

static const char why_other_type[] = "another dynamic type";

static const struct gotype int_type = {
	.kind = GOTYPE_INT, .name = "int", .size = 8, .align = 8,
};

static const char *assert_type(struct value_ctx *v, struct value_at *at, const char *name)
{
	const char *why = value_step_dynamic(v, at);

	if (why)
		return why;
	return at->type->name && strcmp(name, at->type->name) == 0 ? NULL : why_other_type;
}

static const char *measure(struct value_ctx *v, struct value_at *at, bool cap, uint8_t number[8])
{
	uint64_t n;
	const char *why = cap ? value_step_cap(v, at, &n) : value_step_len(v, at, &n);

	if (why)
		return why;
	memcpy(number, &n, sizeof(n));
	*at = (struct value_at){ .type = &int_type, .p = number, .len = sizeof(n) };
	return NULL;
}

static const char *go(const struct exprstep *s, struct value_ctx *v, struct value_at *at,
		      uint8_t number[8])
{
	switch (s->kind) {
	case EXPRSTEP_FIELD:
		return value_step_field(v, at, s->name);
	case EXPRSTEP_INDEX:
		return value_step_index(v, at, s->index);
	case EXPRSTEP_KEY:
		return value_step_key(v, at, &s->key);
	case EXPRSTEP_POINTER:
		return value_step_pointer(v, at);
	case EXPRSTEP_ASSERT:
		return assert_type(v, at, s->name);
	case EXPRSTEP_LEN:
	case EXPRSTEP_CAP:
		return measure(v, at, s->kind == EXPRSTEP_CAP, number);
	}
	return "out of range";
}

const char *deferred_step_go(const struct deferred_step *s, struct value_ctx *v,
			     struct value_at *at, uint8_t number[8])
{
	for (size_t i = 0; i < s->n; i++) {
		const char *why = go(&s->v[i], v, at, number);

		if (why)
			return why;
	}
	return value_redacts_type(v, at->type) ? secret_why : NULL;
}
