/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The grammar of expressions: captured values, conditions, edits and group-by keys. Pure.
 *
 * Operands:
 *
 *	x  *x  x.f  x[i]  x[i:k]  len(x)  cap(x)  x.(T)  (x)  (*T)(0xc000012340)
 *	x.Value("text")  x.Value(5)  x.Value(T{})  x.Value(T("text"))  x.Value(pkg.variable)
 *	pkg.variable  path/of/pkg.variable  "path/of/pkg".variable  $rax
 *	5  'x'  1.5  10ms  "text"  label("key")  hasPrefix(s, "x")  strings.HasSuffix(s, "x")
 *	contains(s, "x")  matches(s, /re/)  under(pkg.Func)  descendant(5)
 *
 * Operators:
 *
 *	||  &&  == != < <= > >=  + - | ^  * / % << >> & &^  unary ! - ^ +
 *
 * The argument of a call is an operand without binary operators. The parser looks no names up, and
 * knows no types: tool/compile decides what an expression means, and whether it
 * fits where it was written.
 */
#ifndef GOPROBE_LANG_EXPR_PARSE_H
#define GOPROBE_LANG_EXPR_PARSE_H

#include "lang/automaton.h"
#include "lang/lex.h"
#include "lang/typexpr_parse.h"

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
	EXPR_REGISTER,	/* $rax */
	EXPR_LABEL,	/* label(s): of the goroutine, as runtime/pprof sets them */
	EXPR_CONVERT,	/* (type)(number): an address */
	EXPR_SLICE,	/* x[index:high] */
	EXPR_VALUE,	/* x.Value(key): of a context; index: the key, or its constant */
	EXPR_FLOAT,
	EXPR_DURATION,	/* a number of ns */
	/* From here on the type pass is needed: */
	EXPR_BINARY,	/* x op index */
	EXPR_UNARY,	/* op x */
	EXPR_PREFIX,	/* hasPrefix(x, s) */
	EXPR_SUFFIX,	/* hasSuffix(x, s) */
	EXPR_CONTAINS,	/* contains(x, s) */
	EXPR_MATCHES,	/* matches(x, s): a regular expression */
	EXPR_UNDER,	/* under(s) */
	EXPR_DESCENDANT, /* descendant(number) */
};

enum expr_op {
	EXPR_OP_NONE,
	EXPR_OR,	/* || */
	EXPR_AND,	/* && */
	EXPR_EQ,
	EXPR_NE,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_ADD,
	EXPR_SUB,	/* also unary */
	EXPR_BIT_OR,
	EXPR_XOR,	/* also unary: all bits the other way */
	EXPR_MUL,
	EXPR_DIV,
	EXPR_MOD,
	EXPR_SHL,
	EXPR_SHR,
	EXPR_BIT_AND,
	EXPR_AND_NOT,
	EXPR_NOT,	/* unary ! */
	EXPR_PLUS,	/* unary + */
};

/* An expression. */
struct expr {
	enum expr_kind kind;	/* enum expr_kind */
	enum expr_op op;	/* of EXPR_BINARY and EXPR_UNARY */
	const struct expr *x;	/* operand; the left one */
	/* Of EXPR_INDEX and EXPR_VALUE; of EXPR_BINARY the right operand. */
	const struct expr *index;
	const struct expr *high;	/* of EXPR_SLICE; either may be NULL */
	/* Of EXPR_ASSERT and EXPR_CONVERT; of EXPR_VALUE perhaps the key's. */
	const struct typexpr *type;
	/*
	 * Of names, registers and fields the name; of variables the full name; of strings bytes; of
	 * EXPR_PREFIX, _SUFFIX, _CONTAINS and _MATCHES these; of EXPR_UNDER a function's name; of
	 * EXPR_LABEL its key.
	 */
	const char *s;
	size_t n;		/* bytes of @s */
	const struct automaton *automaton;	/* of EXPR_CONTAINS and EXPR_MATCHES */
	/*
	 * Of EXPR_NUMBER and EXPR_CONVERT; modulo 2^64 if it is @negative; of EXPR_DURATION; of
	 * EXPR_DESCENDANT a goroutine's id.
	 */
	uint64_t number;
	bool negative;		/* of EXPR_NUMBER: a '-' is before it */
	double f;		/* of EXPR_FLOAT */
	size_t at;		/* first byte in the text */
	size_t len;		/* bytes */
	size_t word;		/* where errors about the name or the operator itself point */
	size_t word_len;	/* bytes */
};

/* What is captured at one side of a call. */
struct expr_list {
	const struct expr **v;	/* expressions */
	size_t n;		/* their number */
	const char *text;	/* all of the user's text, for errors */
	size_t at;		/* first byte in the text: '(' */
	size_t len;		/* bytes */
};

/* More values than a record has use for. */
#define EXPR_LIST_MAX 64

/* Binary operators of one expression: they bound the recursion of all passes. */
#define EXPR_OPERATORS_MAX 128

/* 0 and *@ret, or -1 with an error that points at the place. */
int expr_parse(struct lex *lx, const struct expr **ret, struct diag *d);
/* As expr_parse(), up to the first binary operator. */
int expr_parse_operand(struct lex *lx, const struct expr **ret, struct diag *d);
/* Do both say the same? */
bool expr_same(const struct expr *a, const struct expr *b);
/* "(a, b)" */
int expr_parse_list(struct lex *lx, struct expr_list *ret, struct diag *d);
/* The expression as it was written, in one line that can be shown. NULL without memory. */
const char *expr_text(struct arena *mem, const char *text, const struct expr *e);

#endif
