/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The typed tree of an expression in a condition, an edit or a key. For each function, one pass
 * resolves names and types (typed_*.c), another lowers the tree to operations (code*.c).
 */
#ifndef GOPROBE_COMPILE_TYPED_H
#define GOPROBE_COMPILE_TYPED_H

#include "compile/cond.h"
#include "compile/jump.h"
#include "compile/place.h"

/* The most bytes of a constant string. */
#define FILTER_STRING_MAX 256
/* The most bytes of two strings that are compared. */
#define FILTER_SAME_MAX 4096

enum constant_kind {
	CONSTANT_BOOL,
	CONSTANT_INT,
	CONSTANT_FLOAT,
	CONSTANT_STRING,
	CONSTANT_NIL,
};

/* A constant. */
struct constant {
	enum constant_kind kind;	/* enum constant_kind */
	bool duration;	/* of CONSTANT_INT: it was written with a unit */
	bool b;		/* of CONSTANT_BOOL */
	__int128 i;	/* of CONSTANT_INT; the constants of Go can have more digits */
	double f;	/* of CONSTANT_FLOAT */
	const char *s;	/* of CONSTANT_STRING */
	size_t n;	/* bytes of @s */
};

/* Words for the context of a call; a parameter or a result of the same name hides one. */
enum exprword {
	EXPRWORD_NONE,
	EXPRWORD_GOID,
	EXPRWORD_PID,
	EXPRWORD_TID,
	EXPRWORD_CREATOR,
	EXPRWORD_N,
	EXPRWORD_DURATION,
	EXPRWORD_PANICKED,
	EXPRWORD_FAILED,
	EXPRWORD_NIL,
	EXPRWORD_TRUE,
	EXPRWORD_FALSE,
};

enum typed_kind {
	TYPED_CONST,
	TYPED_PLACE,	/* an operand that is in registers or in memory */
	TYPED_WORD,	/* goid, n, duration...: @word */
	TYPED_UNDER,
	TYPED_DESCENDANT,
	TYPED_PREFIX,
	TYPED_SUFFIX,
	TYPED_MATCH,	/* contains() and matches(): @e->automaton */
	TYPED_BINARY,
	TYPED_UNARY,
};

/* An expression with types. */
struct typed {
	enum typed_kind kind;		/* enum typed_kind */
	/* Of TYPED_BINARY and _UNARY; @l and @r have the same type, but for shifts. */
	enum expr_op op;
	const struct expr *e;		/* what was written */
	const struct typed *l;		/* operand */
	const struct typed *r;		/* second operand */
	const struct gotype *type;	/* its type; NULL: an untyped constant */
	struct constant value;		/* of TYPED_CONST */
	enum exprword word;		/* of TYPED_WORD */
	bool pure;			/* no value makes it fail */
};

/* --- typed_operand.c: words, and what an expression needs --- */
/* Bits: what must be known so that the expression has a value. */
enum {
	EXPR_NEEDS_PARAM = 1, EXPR_NEEDS_RESULT = 2, EXPR_NEEDS_DURATION = 4,
	EXPR_NEEDS_NUMBER = 8, EXPR_NEEDS_PANICKED = 16,
	EXPR_NEEDS_GOROUTINE = 32,	/* who makes the call */
	EXPR_NEEDS_CALLS = 64,		/* open calls, or the set of descendants */
};

enum exprword typed_word_of(const struct job *j, const struct expr *e);
unsigned int typed_word_needs(const struct job *j, const struct expr *e);

/* --- typed.c: nodes; NULL, and an error, without memory --- */
struct typed *typed_make(struct job *j, enum typed_kind kind,
			 const struct expr *e, const struct gotype *type);
const struct typed *typed_const(struct job *j, const struct expr *e,
				const struct gotype *type, struct constant value);
const struct typed *typed_bool(struct job *j, const struct expr *e, bool b);
bool typed_is_const(const struct typed *n);
bool typed_is_bool(const struct typed *n);

/* --- typed_operator.c: as typed_expr(), of EXPR_BINARY and EXPR_UNARY --- */
const struct typed *typed_binary(struct job *j, const struct expr *e);
const struct typed *typed_unary(struct job *j, const struct expr *e);
/* @n as a value that can be assigned to @to, which is of type @t; NULL and an error. */
const struct typed *typed_assign(struct job *j, const struct typed *n,
				 const struct gotype *t, const struct expr *to);

/* --- typed_operand.c: the tree of an expression; NULL and an error --- */
const struct typed *typed_expr(struct job *j, const struct expr *e);
/* As above, of what is to be true or false. */
const struct typed *typed_condition(struct job *j, const struct expr *e);
/* Are values of type @t text: strings, or slices of bytes? Both begin with address and length. */
bool typed_is_text(const struct gotype *t);
/* An error about a long string; NULL. */
const struct typed *typed_too_long(struct job *j, const struct expr *e);

extern const struct gotype typed_boolean;	/* bool */

/* --- constant.c --- */
/* The value of @e if it is a constant; else false. */
bool constant_of(const struct expr *e, struct constant *ret);
/* @ret = @l @op @r, or @op @l without @r. NULL, or why not (a static string). */
const char *constant_fold(enum expr_op op, const struct constant *l,
			  const struct constant *r, struct constant *ret);
/* The constant as type @t has it. NULL, or why it can't be one ("does not fit into"). */
const char *constant_convert(struct constant *c, const struct gotype *t);
/* Has @t the value nil? */
bool constant_has_nil(const struct gotype *t);
/* The least and the greatest number of the whole type @t. */
__int128 constant_min(const struct gotype *t);
__int128 constant_max(const struct gotype *t);
static inline bool constant_is_whole(const struct gotype *t)
{
	return t->kind == GOTYPE_INT || t->kind == GOTYPE_UINT;
}

/* --- code.c and code_string.c: operations --- */
/* Go to @to if @n is @want. */
int code_test(struct job *j, const struct typed *n, bool want, struct jump_label *to);
/* The number, boolean, word, or bits of a float, in the next free register. */
int code_number(struct job *j, const struct typed *n, uint8_t *reg);
/* Tests of strings: @n is a comparison, a TYPED_PREFIX, _SUFFIX or _MATCH. */
int code_test_string(struct job *j, const struct typed *n, bool want, struct jump_label *to);

#endif
