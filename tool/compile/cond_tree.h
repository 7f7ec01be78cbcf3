/* SPDX-License-Identifier: GPL-2.0 */
/* Conditions with types: what filtertype makes of them, and filtercode compiles. */
#ifndef GOPROBE_COMPILE_COND_TREE_H
#define GOPROBE_COMPILE_COND_TREE_H

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

enum filternode_kind {
	FILTERNODE_CONST,
	FILTERNODE_PLACE,	/* a capture expression */
	FILTERNODE_TASK,	/* goid, tid, pid: @task */
	FILTERNODE_NUMBER,	/* n */
	FILTERNODE_DURATION,
	FILTERNODE_UNDER,
	FILTERNODE_DESCENDANT,
	FILTERNODE_CREATOR,
	FILTERNODE_PREFIX,
	FILTERNODE_SUFFIX,
	FILTERNODE_BINARY,
	FILTERNODE_UNARY,
};

/**
 * struct filternode - an expression of a condition
 * @kind: enum filternode_kind
 * @op: of FILTERNODE_BINARY and _UNARY; of two types, those of @l and @r, that are the same
 *	(but of shifts)
 * @e: what was written
 * @l: operand
 * @r: second operand
 * @type: its type; NULL of constants that have none, as Go's untyped ones
 * @value: of FILTERNODE_CONST
 * @task: of FILTERNODE_TASK: enum goprobe_task
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
	uint64_t task;
	bool pure;
};

/**
 * struct filterjob - a side's terms while they are compiled
 * @j: for the expressions in them
 * @base: first register that a term may use
 * @numbers: the first register has the hit's number
 * @unders: room for struct filter.unders
 * @nunders: their number
 * @descendant: the goroutine whose descent is asked for, or NULL
 */
struct filterjob {
	struct exprjob *j;
	uint8_t base;
	bool numbers;
	struct filter_under unders[EXPR_OPERATORS_MAX + 1];
	size_t nunders;
	const struct expr *descendant;
};

/* --- filternode: nodes; NULL, and an error, without memory --- */
struct filternode *filternode_make(struct filterjob *f, enum filternode_kind kind,
				   const struct expr *e, const struct gotype *type);
const struct filternode *filternode_const(struct filterjob *f, const struct expr *e,
					  const struct gotype *type, struct filterconst value);
const struct filternode *filternode_bool(struct filterjob *f, const struct expr *e, bool b);
bool filternode_is_const(const struct filternode *n);
bool filternode_is_bool(const struct filternode *n);
/* What was written, @len bytes of it at most as many as fit into a sentence. */
const char *filternode_text(const struct filterjob *f, const struct expr *e, int *len);
/* An error about all of @e, and one about its operator; both return NULL. */
const struct filternode *filternode_wrong(struct filterjob *f, const struct expr *e,
					  const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
const struct filternode *filternode_wrong_operator(struct filterjob *f, const struct expr *e,
						   const char *sentence);
const struct filternode *filternode_too_long(struct filterjob *f, const struct expr *e);

/* --- filterop: as filtertype_make(), of EXPR_BINARY and EXPR_UNARY --- */
const struct filternode *filterop_binary(struct filterjob *f, const struct expr *e);
const struct filternode *filterop_unary(struct filterjob *f, const struct expr *e);

/* --- filter: what an expression needs to be known --- */
enum {
	FILTER_NEEDS_PARAM = 1, FILTER_NEEDS_RESULT = 2, FILTER_NEEDS_DURATION = 4,
	FILTER_NEEDS_NUMBER = 8, FILTER_NEEDS_PANICKED = 16,
};

unsigned int filter_needs(const struct exprjob *j, const struct expr *e);

/* --- filtertype: the tree of an expression; NULL and an error --- */
const struct filternode *filtertype_make(struct filterjob *f, const struct expr *e);
/* As above, of what is to be true or false. */
const struct filternode *filtertype_bool(struct filterjob *f, const struct expr *e);
/* Is @e a word that conditions know ("goid", "n", "duration"), and no parameter? */
bool filtertype_is_word(const struct exprjob *j, const struct expr *e, const char *word);

extern const struct gotype filtertype_boolean;	/* bool */

/* --- filterconst: constants --- */
/* The constant that @e is; false if it is none. */
bool filterconst_of(const struct expr *e, struct filterconst *ret);
/* @ret = @l @op @r, or @op @l without @r. NULL, or why not (a static string). */
const char *filterconst_fold(enum expr_op op, const struct filterconst *l,
			     const struct filterconst *r, struct filterconst *ret);
/* The constant as type @t has it. NULL, or why it can't be one ("does not fit into"). */
const char *filterconst_convert(struct filterconst *c, const struct gotype *t);
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
int filtercode_test(struct filterjob *f, const struct filternode *n, bool want,
		    struct filterlabel *to);
/* Where the capture expression @n is. */
int filtercode_place(struct filterjob *f, const struct filternode *n, struct exprplace *p);
/*
 * Who has started the goroutine into @reg, 0 without one. False if this program does not keep
 * that; then an error has been made.
 */
bool filtercode_creator(struct exprjob *j, const struct expr *e, uint8_t reg);
/* The whole number, or the word, @n in the next free register. */
int filtercode_number(struct filterjob *f, const struct filternode *n, uint8_t *reg);
/*
 * Go to @differs unless the @n bytes of @s are @from bytes behind the address in register @p;
 * takes a register.
 */
void filtertext_bytes(struct exprcode *c, uint8_t p, uint64_t from, const char *s, size_t n,
		      struct filterlabel *differs);
/* Tests of strings: @n is a comparison, a FILTERNODE_PREFIX or _SUFFIX. */
int filtertext_test(struct filterjob *f, const struct filternode *n, bool want,
		    struct filterlabel *to);
/* The bits of the float @n, of type @t, in the next free register. */
int filterfloat_bits(struct filterjob *f, const struct filternode *n, const struct gotype *t,
		     uint8_t *reg);
/* Tests of floats. */
int filterfloat_test(struct filterjob *f, const struct filternode *n, enum expr_op op, bool want,
		     struct filterlabel *to);

#endif
