/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is to be changed of calls and returns: the grammar. Pure.
 *
 *	set x = 5, r.n = r.n + 1, s = s[:3]
 *	delay 50ms
 *	on return set err = nil
 *	on return delay 50ms
 */
#ifndef GOPROBE_LANG_EDIT_PARSE_H
#define GOPROBE_LANG_EDIT_PARSE_H

#include "lang/expr_parse.h"

/* What one side can have: the module's edits have 32 words. */
#define EDITEXPR_MAX 16

/**
 * struct editexpr_set - an assignment
 * @to: what is set
 * @value: to what
 */
struct editexpr_set {
	const struct expr *to;
	const struct expr *value;
};

/**
 * struct editexpr - what is changed at one side of a call
 * @v: assignments
 * @n: their number
 * @delay: ns, or 0
 */
struct editexpr {
	struct editexpr_set v[EDITEXPR_MAX];
	size_t n;
	uint64_t delay;
};

static inline bool editexpr_any(const struct editexpr *e)
{
	return e->n || e->delay;
}

/* The clause at the next token; appended to @ret[0], "on return" to @ret[1]. */
int editexpr_parse(struct lex *lx, struct editexpr ret[2], struct diag *d);
/* "x = 5, y = 6": appended to @ret. */
int editexpr_parse_sets(struct lex *lx, struct editexpr *ret, struct diag *d);

#endif
