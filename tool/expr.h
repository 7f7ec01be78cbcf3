/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capture expressions: the grammar. Pure.
 *
 *	x  *x  x.f  x[i]  len(x)  cap(x)  x.(T)  (x)
 *	pkg.variable  path/of/pkg.variable  "path/of/pkg".variable
 *
 * Names are not looked up here: whether a.b is a field of a parameter or a
 * package's variable is for who knows the function (exprc.h).
 */
#ifndef GOPROBE_EXPR_H
#define GOPROBE_EXPR_H

#include "lex.h"
#include "typexpr.h"

enum expr_kind {
	EXPR_NAME,	/* parameter, result; or a package, under EXPR_FIELD */
	EXPR_VARIABLE,	/* variable with its package's path: net/http.DefaultClient */
	EXPR_NUMBER,
	EXPR_STRING,
	EXPR_FIELD,	/* x.name */
	EXPR_INDEX,	/* x[index] */
	EXPR_DEREF,	/* *x */
	EXPR_LEN,	/* len(x) */
	EXPR_CAP,	/* cap(x) */
	EXPR_ASSERT,	/* x.(type) */
};

/**
 * struct expr - an expression
 * @kind: enum expr_kind
 * @x: operand
 * @index: of EXPR_INDEX
 * @type: of EXPR_ASSERT
 * @s: of names and fields the name; of variables the full name; of strings bytes
 * @n: bytes of @s
 * @number: of EXPR_NUMBER; modulo 2^64 if it is @negative
 * @negative: there is a '-'
 * @at: first byte in the text
 * @len: bytes
 * @word: where errors about the name or the operator itself point
 * @word_len: bytes
 */
struct expr {
	enum expr_kind kind;
	const struct expr *x;
	const struct expr *index;
	const struct typexpr *type;
	const char *s;
	size_t n;
	uint64_t number;
	bool negative;
	size_t at;
	size_t len;
	size_t word;
	size_t word_len;
};

/**
 * struct expr_list - what is captured at one side of a call
 * @v: expressions
 * @n: their number
 * @text: all of the user's text, for errors
 * @at: first byte in the text: '('
 * @len: bytes
 */
struct expr_list {
	const struct expr **v;
	size_t n;
	const char *text;
	size_t at;
	size_t len;
};

/* More values than a record has use for. */
#define EXPR_LIST_MAX 64

/* 0 and *@ret, or -1 with an error that points at the place. */
int expr_parse(struct lex *lx, const struct expr **ret, struct diag *d);
/* "(a, b)" */
int expr_parse_list(struct lex *lx, struct expr_list *ret, struct diag *d);
/* The expression as it was written. NULL without memory. */
const char *expr_text(struct arena *mem, const char *text, const struct expr *e);

#endif
