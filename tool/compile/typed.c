// SPDX-License-Identifier: GPL-2.0
/* Nodes of typed trees. */
#include "compile/typed.h"

struct typed *typed_make(struct job *j, enum typed_kind kind,
			 const struct expr *e, const struct gotype *type)
{
	struct typed *n = arena_alloc(j->scope->mem, sizeof(*n));

	if (!n) {
		job_no_memory(j);
		return NULL;
	}
	n->kind = kind;
	n->e = e;
	n->type = type;
	n->pure = true;
	return n;
}

const struct typed *typed_const(struct job *j, const struct expr *e,
				const struct gotype *type, struct constant value)
{
	struct typed *n = typed_make(j, TYPED_CONST, e, type);

	if (n)
		n->value = value;
	return n;
}

const struct typed *typed_bool(struct job *j, const struct expr *e, bool b)
{
	return typed_const(j, e, NULL, (struct constant){ .kind = CONSTANT_BOOL, .b = b });
}

bool typed_is_const(const struct typed *n)
{
	return n->kind == TYPED_CONST;
}

bool typed_is_bool(const struct typed *n)
{
	return n->type ? n->type->kind == GOTYPE_BOOL :
	       typed_is_const(n) && n->value.kind == CONSTANT_BOOL;
}
