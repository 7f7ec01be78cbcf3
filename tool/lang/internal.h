/* SPDX-License-Identifier: GPL-2.0 */
/* What the two halves of the grammar of expressions share. Part of expr. */
#ifndef GOPROBE_LANG_INTERNAL_H
#define GOPROBE_LANG_INTERNAL_H

#include "lang/expr_parse.h"

/* A node that begins at @at; NULL without memory, and @d is set. */
struct expr *exprparse_make(struct lex *lx, enum expr_kind kind, size_t at,
			    const struct lex_token *word, struct diag *d);
/* @e ends with the token that was taken last. */
void exprparse_end(const struct lex *lx, struct expr *e);
/* An operand with what is before and behind it. */
int exprparse_unary(struct lex *lx, const struct expr **ret, struct diag *d);

/* Of conditions: operands with operators between them. */
int exprparse_binary(struct lex *lx, const struct expr **ret, struct diag *d);
/* Does a call begin that only conditions have? */
bool exprparse_is_call(const struct lex *lx);
int exprparse_call(struct lex *lx, const struct expr **ret, struct diag *d);
/* '!', '-', '^' or '+' before an operand. */
enum expr_op exprparse_sign(const struct lex_token *t);

#endif
