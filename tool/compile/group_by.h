/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of group-by keys: the expressions of --by become operations that make a key at
 * each hit. Calls are counted and timed by function and key.
 */
#ifndef GOPROBE_COMPILE_GROUP_BY_H
#define GOPROBE_COMPILE_GROUP_BY_H

#include "compile/expr.h"

#define BYKEY_EXPRS_MAX 4
/* Bytes of a string in a key, besides its length. */
#define BYKEY_STRING_MAX 64U

/**
 * struct bykey_exprs - the expressions as they were given
 * @text: of each, for errors
 * @v: expressions
 * @n: their number
 * @mem: where they are
 */
struct bykey_exprs {
	const char *text[BYKEY_EXPRS_MAX];
	const struct expr *v[BYKEY_EXPRS_MAX];
	size_t n;
	struct arena mem;
};

enum bykey_kind {
	BYKEY_SCALAR,	/* a word: the value's bytes, or its number, extended */
	BYKEY_STRING,	/* its length, and its bytes */
	BYKEY_ADDRESS,	/* a word, 0 is nil */
	BYKEY_TYPE,	/* link-time address of the descriptor of what an interface holds */
};

/**
 * struct bykey_part - a part of a key
 * @name: the expression as it was written
 * @type: its type
 * @kind: its form in the key
 */
struct bykey_part {
	const char *name;
	const struct gotype *type;
	enum bykey_kind kind;
};

/**
 * struct bykey - a key of one function's calls
 * @parts: one for each expression
 * @n: their number
 * @ops: the program that makes it
 * @nops: their number
 * @params: it needs a parameter
 * @results: it needs a result
 */
struct bykey {
	struct bykey_part parts[BYKEY_EXPRS_MAX];
	size_t n;
	const struct goprobe_op *ops;
	size_t nops;
	bool params;
	bool results;
};

/* Add an expression. 0, or -1 with an error that points into @text, which must outlive @by. */
int bykey_parse(struct bykey_exprs *by, const char *text, struct diag *d);
void bykey_fini(struct bykey_exprs *by);
/* The most bytes of a key. */
uint32_t bykey_bytes(const struct bykey_exprs *by);

/*
 * Compile @by for the scope's function; @scope->results is ignored. What is made lives in
 * @scope->mem, and needs @by as long. 0, or -1 with an error that points into a text of @by.
 */
int bykey_compile(const struct exprc_scope *scope, const struct bykey_exprs *by,
		  struct bykey *ret, struct diag *d);

#endif
