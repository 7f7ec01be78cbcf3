// SPDX-License-Identifier: GPL-2.0
/* Nodes of typed trees. */
#include "compile/typed.h"

struct filternode *filternode_make(struct exprjob *j, enum filternode_kind kind,
				   const struct expr *e, const struct gotype *type)
{
	struct filternode *n = arena_alloc(j->scope->mem, sizeof(*n));

	if (!n) {
		exprjob_no_memory(j);
		return NULL;
	}
	n->kind = kind;
	n->e = e;
	n->type = type;
	n->pure = true;
	return n;
}

const struct filternode *filternode_const(struct exprjob *j, const struct expr *e,
					  const struct gotype *type, struct filterconst value)
{
	struct filternode *n = filternode_make(j, FILTERNODE_CONST, e, type);

	if (n)
		n->value = value;
	return n;
}

const struct filternode *filternode_bool(struct exprjob *j, const struct expr *e, bool b)
{
	return filternode_const(j, e, NULL, (struct filterconst){ .kind = FILTERCONST_BOOL,
				.b = b });
}

bool filternode_is_const(const struct filternode *n)
{
	return n->kind == FILTERNODE_CONST;
}

bool filternode_is_bool(const struct filternode *n)
{
	return n->type ? n->type->kind == GOTYPE_BOOL :
	       filternode_is_const(n) && n->value.kind == FILTERCONST_BOOL;
}
