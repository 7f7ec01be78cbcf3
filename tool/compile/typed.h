/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The typed tree of an expression in a condition, an edit or a key. One pass makes it for each
 * function (filtertype, filterop), another makes operations of it (filtercode).
 */
#ifndef GOPROBE_COMPILE_TYPED_H
#define GOPROBE_COMPILE_TYPED_H

#include "compile/cond.h"
#include "compile/job.h"

/* Bytes of a string that something is compared with. */
#define FILTER_STRING_MAX 256
/* Bytes that two strings are compared up to. */
#define FILTER_SAME_MAX 4096

enum filterconst_kind {
	FILTERCONST_BOOL,
	FILTERCONST_INT,
	FILTERCONST_FLOAT,
	FILTERCONST_STRING,
	FILTERCONST_NIL,
};

/**
 * struct filterconst - a constant
 * @kind: enum filterconst_kind
 * @duration: of FILTERCONST_INT: it was written with a unit
 * @b: of FILTERCONST_BOOL
 * @i: of FILTERCONST_INT; Go has more digits, which nobody needs here
 * @f: of FILTERCONST_FLOAT
 * @s: of FILTERCONST_STRING
 * @n: bytes of @s
 */
struct filterconst {
	enum filterconst_kind kind;
	bool duration;
	bool b;
	__int128 i;
	double f;
	const char *s;
	size_t n;
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
	EXPRWORD_NIL,
	EXPRWORD_TRUE,
	EXPRWORD_FALSE,
};

enum filternode_kind {
	FILTERNODE_CONST,
	FILTERNODE_PLACE,	/* an operand that is in registers or in memory */
	FILTERNODE_WORD,	/* goid, n, duration...: @word */
	FILTERNODE_UNDER,
	FILTERNODE_DESCENDANT,
	FILTERNODE_PREFIX,
	FILTERNODE_SUFFIX,
	FILTERNODE_BINARY,
	FILTERNODE_UNARY,
};

/**
 * struct filternode - an expression with types
 * @kind: enum filternode_kind
 * @op: of FILTERNODE_BINARY and _UNARY; of two types, those of @l and @r, that are the same
 *	(but of shifts)
 * @e: what was written
 * @l: operand
 * @r: second operand
 * @type: its type; NULL of constants that have none, as Go's untyped ones
 * @value: of FILTERNODE_CONST
 * @word: of FILTERNODE_WORD
 * @pure: it can't fail
 */
struct filternode {
	enum filternode_kind kind;
	enum expr_op op;
	const struct expr *e;
	const struct filternode *l;
	const struct filternode *r;
	const struct gotype *type;
	struct filterconst value;
	enum exprword word;
	bool pure;
};

/* --- exprword: words, and what an expression needs --- */
/* Bits: what must be known so that the expression has a value. */
enum {
	EXPR_NEEDS_PARAM = 1, EXPR_NEEDS_RESULT = 2, EXPR_NEEDS_DURATION = 4,
	EXPR_NEEDS_NUMBER = 8, EXPR_NEEDS_PANICKED = 16,
	EXPR_NEEDS_GOROUTINE = 32,	/* who makes the call */
	EXPR_NEEDS_CALLS = 64,		/* open calls, or the set of descendants */
};

enum exprword exprword_of(const struct exprjob *j, const struct expr *e);
unsigned int exprword_needs(const struct exprjob *j, const struct expr *e);

/* --- filternode: nodes; NULL, and an error, without memory --- */
struct filternode *filternode_make(struct exprjob *j, enum filternode_kind kind,
				   const struct expr *e, const struct gotype *type);
const struct filternode *filternode_const(struct exprjob *j, const struct expr *e,
					  const struct gotype *type, struct filterconst value);
const struct filternode *filternode_bool(struct exprjob *j, const struct expr *e, bool b);
bool filternode_is_const(const struct filternode *n);
bool filternode_is_bool(const struct filternode *n);

/* --- filterop: as filtertype_make(), of EXPR_BINARY and EXPR_UNARY --- */
const struct filternode *filterop_binary(struct exprjob *j, const struct expr *e);
const struct filternode *filterop_unary(struct exprjob *j, const struct expr *e);
/* @n as a value that can be assigned to @to, which is of type @t; NULL and an error. */
const struct filternode *filterop_assign(struct exprjob *j, const struct filternode *n,
					 const struct gotype *t, const struct expr *to);

/* --- filtertype: the tree of an expression; NULL and an error --- */
const struct filternode *filtertype_make(struct exprjob *j, const struct expr *e);
/* As above, of what is to be true or false. */
const struct filternode *filtertype_bool(struct exprjob *j, const struct expr *e);
/* An error about a long string; NULL. */
const struct filternode *filtertype_too_long(struct exprjob *j, const struct expr *e);

extern const struct gotype filtertype_boolean;	/* bool */

/* --- filterconst: constants --- */
/* The constant that @e is; false if it is none. */
bool filterconst_of(const struct expr *e, struct filterconst *ret);
/* @ret = @l @op @r, or @op @l without @r. NULL, or why not (a static string). */
const char *filterconst_fold(enum expr_op op, const struct filterconst *l,
			     const struct filterconst *r, struct filterconst *ret);
/* The constant as type @t has it. NULL, or why it can't be one ("does not fit into"). */
const char *filterconst_convert(struct filterconst *c, const struct gotype *t);
/* Has @t the value nil? */
bool filterconst_has_nil(const struct gotype *t);
/* The least and the greatest number of the whole type @t. */
__int128 filterconst_min(const struct gotype *t);
__int128 filterconst_max(const struct gotype *t);
static inline bool filtertype_is_whole(const struct gotype *t)
{
	return t->kind == GOTYPE_INT || t->kind == GOTYPE_UINT;
}

/* --- filtercode: operations --- */
/**
 * struct filterlabel - a place that jumps lead to, before it is reached
 * @last: index of the last jump, plus 1; that has the one before in its offset
 */
struct filterlabel {
	size_t last;
};

/* The operation made last jumps to @to. */
void filtercode_jump(struct exprcode *c, struct filterlabel *to);
/* Here it is. */
void filtercode_here(struct exprcode *c, struct filterlabel *label);
/* Go to @to if @n is @want. */
int filtercode_test(struct exprjob *j, const struct filternode *n, bool want,
		    struct filterlabel *to);
/* Where the capture expression @n is. */
int filtercode_place(struct exprjob *j, const struct filternode *n, struct exprplace *p);
/* The number, boolean, word, or bits of a float, in the next free register. */
int filtercode_number(struct exprjob *j, const struct filternode *n, uint8_t *reg);
/*
 * Go to @differs unless the @n bytes of @s are @from bytes behind the address in register @p;
 * takes a register.
 */
void filtertext_bytes(struct exprcode *c, uint8_t p, uint64_t from, const char *s, size_t n,
		      struct filterlabel *differs);
/* Tests of strings: @n is a comparison, a FILTERNODE_PREFIX or _SUFFIX. */
int filtertext_test(struct exprjob *j, const struct filternode *n, bool want,
		    struct filterlabel *to);
/* Tests of floats. */
int filterfloat_test(struct exprjob *j, const struct filternode *n, enum expr_op op, bool want,
		     struct filterlabel *to);

#endif
