/* SPDX-License-Identifier: GPL-2.0 */
/* Functions that the two files of the expression parser share. */
#ifndef GOPROBE_LANG_INTERNAL_H
#define GOPROBE_LANG_INTERNAL_H

#include "lang/expr_parse.h"

/* A node that begins at @at; NULL and an error without memory. */
struct expr *expr_parse_make(struct lex *lx, enum expr_kind kind, size_t at,
			     const struct lex_token *word, struct diag *d);
/* @e ends with the last token that was taken. */
void expr_parse_end(const struct lex *lx, struct expr *e);
/* Is a call next? */
bool expr_parse_is_call(const struct lex *lx);
int expr_parse_call(struct lex *lx, const struct expr **ret, struct diag *d);
/* The expression in parentheses, behind '('. */
int expr_parse_binary(struct lex *lx, const struct expr **ret, struct diag *d);

#endif
