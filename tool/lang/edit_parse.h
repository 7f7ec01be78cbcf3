/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The grammar of edits, which change calls and returns. Pure.
 *
 *	set x = 5, r.n = r.n + 1, s = s[:3]
 *	delay 50ms
 *	on return set err = nil
 *	on return delay 50ms
 */
#ifndef GOPROBE_LANG_EDIT_PARSE_H
#define GOPROBE_LANG_EDIT_PARSE_H

#include "lang/expr_parse.h"

/* The most assignments of one side: an edit of the module writes 32 words at most. */
#define EDIT_PARSE_MAX 16

/* An assignment. */
struct edit_parse_set {
	const struct expr *to;		/* what is set */
	const struct expr *value;	/* the new value */
};

/* The edits of one side of a call. */
struct editexpr {
	struct edit_parse_set v[EDIT_PARSE_MAX];	/* assignments */
	size_t n;				/* their number */
	uint64_t delay;				/* ns, or 0 */
};

static inline bool edit_parse_any(const struct editexpr *e)
{
	return e->n || e->delay;
}

/* Parse the clause at the next token: append it to @ret[0], "on return" to @ret[1]. */
int edit_parse_parse(struct lex *lx, struct editexpr ret[2], struct diag *d);
/* Parse "x = 5, y = 6" and append it to @ret. */
int edit_parse_parse_sets(struct lex *lx, struct editexpr *ret, struct diag *d);

#endif
