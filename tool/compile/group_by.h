/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The compiler of group-by keys: the expressions of --by become operations that make a key at
 * each hit. Calls are counted and timed by function and key. The expression of --hist or --sum
 * becomes operations that make a value.
 */
#ifndef GOPROBE_COMPILE_GROUP_BY_H
#define GOPROBE_COMPILE_GROUP_BY_H

#include "compile/expr.h"

#define GROUP_BY_EXPRS_MAX 4
/* Bytes of a string in a key, besides its length; if it has more, their hash follows. */
#define GROUP_BY_STRING_MAX 64U
/* Bytes of a string that the hash covers. */
#define GROUP_BY_HASHED_MAX 4096U

/* Buckets of a linear histogram, without those below and above. */
#define GROUP_BY_RANGE_MAX (GOPROBE_BUCKETS - 2)

/* A linear histogram. */
struct group_by_range {
	int64_t low;	/* the start of its first bucket; lower values have a bucket, too */
	int64_t high;	/* the end of its last bucket; values from here on have a bucket, too */
	uint64_t step;	/* values in a bucket; 0: there is no such histogram */
	uint32_t n;	/* number of buckets between @low and @high */
};

/* The expressions as they were given. */
struct group_by_exprs {
	const char *text[GROUP_BY_EXPRS_MAX];	/* of each, for errors */
	const struct expr *v[GROUP_BY_EXPRS_MAX];	/* expressions */
	size_t n;				/* their number */
	const char *value_text;			/* of the value, for errors */
	const struct expr *value;		/* the value, or NULL */
	struct group_by_range range;		/* of its histogram */
	struct arena mem;			/* where they are */
};

enum group_by_kind {
	GROUP_BY_SCALAR,	/* a word: the value's bytes, or its number, extended */
	GROUP_BY_STRING,	/* length and bytes of a string or []byte, perhaps its hash */
	GROUP_BY_ADDRESS,	/* a word, 0 is nil */
	GROUP_BY_TYPE,	/* link-time address of the descriptor of what an interface holds */
};

/* A part of a key. */
struct group_by_part {
	const char *name;		/* the expression as it was written */
	const struct gotype *type;	/* its type */
	enum group_by_kind kind;		/* its form in the key */
};

/* A value of one function's calls. */
struct group_by_value {
	const char *name;	/* the expression as it was written, or NULL: there is no value */
	const struct gotype *type;	/* its type: integers */
	bool is_signed;		/* they have a sign */
	struct group_by_range range;	/* of its histogram */
	const struct goprobe_op *ops;	/* the program that makes it */
	size_t nops;		/* their number */
	bool params;		/* it needs a parameter */
	bool results;		/* it needs a result */
};

/* A key of one function's calls. */
struct group_by {
	struct group_by_part parts[GROUP_BY_EXPRS_MAX];	/* one for each expression */
	size_t n;					/* their number; 0: there is only a value */
	const struct goprobe_op *ops;			/* the program that makes it */
	size_t nops;					/* their number */
	bool params;					/* it needs a parameter */
	bool results;					/* it needs a result */
	struct group_by_value value;			/* the value that is counted by it */
};

/* Add an expression. 0, or -1 with an error that points into @text, which must outlive @by. */
int group_by_parse(struct group_by_exprs *by, const char *text, struct diag *d);
/* In the same way, the value. */
int group_by_parse_value(struct group_by_exprs *by, const char *text, struct diag *d);
/* "LO,HI,STEP". 0, or -1 with an error. */
int group_by_parse_range(struct group_by_exprs *by, const char *text, struct diag *d);
void group_by_fini(struct group_by_exprs *by);
/* The most bytes of a key. */
uint32_t group_by_bytes(const struct group_by_exprs *by);

/*
 * Compile @by for the scope's function; @scope->results is ignored. What is made lives in
 * @scope->mem, and needs @by as long. 0, or -1 with an error that points into a text of @by.
 */
int group_by_compile(const struct expr_scope *scope, const struct group_by_exprs *by,
		     struct group_by *ret, struct diag *d);

#endif
