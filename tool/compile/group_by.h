/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of group-by keys: the expressions of --by become operations that make a key at
 * each hit. Calls are counted and timed by function and key. The expression of --hist or --sum
 * becomes operations that make a value.
 */
#ifndef GOPROBE_COMPILE_GROUP_BY_H
#define GOPROBE_COMPILE_GROUP_BY_H

#include "compile/expr.h"

#define BYKEY_EXPRS_MAX 4
/* Bytes of a string in a key, besides its length. */
#define BYKEY_STRING_MAX 64U

/* Buckets of a linear histogram, without those below and above. */
#define BYKEY_RANGE_MAX (GOPROBE_BUCKETS - 2)

/* A linear histogram. */
struct bykey_range {
	int64_t low;	/* the start of its first bucket; lower values have a bucket, too */
	int64_t high;	/* the end of its last bucket; values from here on have a bucket, too */
	uint64_t step;	/* values in a bucket; 0: there is no such histogram */
	uint32_t n;	/* number of buckets between @low and @high */
};

/* The expressions as they were given. */
struct bykey_exprs {
	const char *text[BYKEY_EXPRS_MAX];	/* of each, for errors */
	const struct expr *v[BYKEY_EXPRS_MAX];	/* expressions */
	size_t n;				/* their number */
	const char *value_text;			/* of the value, for errors */
	const struct expr *value;		/* the value, or NULL */
	struct bykey_range range;		/* of its histogram */
	struct arena mem;			/* where they are */
};

enum bykey_kind {
	BYKEY_SCALAR,	/* a word: the value's bytes, or its number, extended */
	BYKEY_STRING,	/* its length, and its bytes */
	BYKEY_ADDRESS,	/* a word, 0 is nil */
	BYKEY_TYPE,	/* link-time address of the descriptor of what an interface holds */
};

/* A part of a key. */
struct bykey_part {
	const char *name;		/* the expression as it was written */
	const struct gotype *type;	/* its type */
	enum bykey_kind kind;		/* its form in the key */
};

/* A value of one function's calls. */
struct bykey_value {
	const char *name;	/* the expression as it was written, or NULL: there is no value */
	const struct gotype *type;	/* its type: integers */
	bool is_signed;		/* they have a sign */
	struct bykey_range range;	/* of its histogram */
	const struct goprobe_op *ops;	/* the program that makes it */
	size_t nops;		/* their number */
	bool params;		/* it needs a parameter */
	bool results;		/* it needs a result */
};

/* A key of one function's calls. */
struct bykey {
	struct bykey_part parts[BYKEY_EXPRS_MAX];	/* one for each expression */
	size_t n;					/* their number; 0: there is only a value */
	const struct goprobe_op *ops;			/* the program that makes it */
	size_t nops;					/* their number */
	bool params;					/* it needs a parameter */
	bool results;					/* it needs a result */
	struct bykey_value value;			/* the value that is counted by it */
};

/* Add an expression. 0, or -1 with an error that points into @text, which must outlive @by. */
int bykey_parse(struct bykey_exprs *by, const char *text, struct diag *d);
/* In the same way, the value. */
int bykey_parse_value(struct bykey_exprs *by, const char *text, struct diag *d);
/* "LO,HI,STEP". 0, or -1 with an error. */
int bykey_parse_range(struct bykey_exprs *by, const char *text, struct diag *d);
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
