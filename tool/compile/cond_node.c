// SPDX-License-Identifier: GPL-2.0
/* Nodes of conditions with types: made, asked about, and errors about them. */
#include <stdarg.h>
#include <stdio.h>

#include "compile/cond_tree.h"

const struct filternode *filternode_wrong(struct filterjob *f, const struct expr *e,
					  const char *fmt, ...)
{
	char sentence[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, ap);
	va_end(ap);
	diag_set(f->j->d, "%s", sentence);
	diag_span(f->j->d, f->j->text, e->at, e->len);
	return NULL;
}

/* An error about the operator of @e; returns NULL. */
const struct filternode *filternode_wrong_operator(struct filterjob *f, const struct expr *e,
						   const char *sentence)
{
	exprjob_wrong(f->j, e, "%s", sentence);
	return NULL;
}

struct filternode *filternode_make(struct filterjob *f, enum filternode_kind kind,
				   const struct expr *e, const struct gotype *type)
{
	struct filternode *n = arena_alloc(f->j->scope->mem, sizeof(*n));

	if (!n) {
		exprjob_no_memory(f->j);
		return NULL;
	}
	n->kind = kind;
	n->e = e;
	n->type = type;
	n->pure = true;
	return n;
}

const struct filternode *filternode_const(struct filterjob *f, const struct expr *e,
					  const struct gotype *type, struct filterconst value)
{
	struct filternode *n = filternode_make(f, FILTERNODE_CONST, e, type);

	if (n)
		n->value = value;
	return n;
}

const struct filternode *filternode_bool(struct filterjob *f, const struct expr *e, bool b)
{
	return filternode_const(f, e, NULL, (struct filterconst){ .kind = FILTERCONST_BOOL,
				.b = b });
}

const char *filternode_text(const struct filterjob *f, const struct expr *e, int *len)
{
	*len = e->len > 60 ? 60 : (int)e->len;
	return f->j->text + e->at;
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

const struct filternode *filternode_too_long(struct filterjob *f, const struct expr *e)
{
	return filternode_wrong(f, e, "a string in a condition has %d bytes at most",
				FILTER_STRING_MAX);
}
