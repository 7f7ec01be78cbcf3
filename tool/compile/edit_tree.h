/* SPDX-License-Identifier: GPL-2.0 */
/* The typed tree of an assignment, and the passes that make it and use it. */
#ifndef GOPROBE_COMPILE_EDIT_TREE_H
#define GOPROBE_COMPILE_EDIT_TREE_H

#include "compile/typed.h"
#include "compile/edit.h"

enum editvalue_kind {
	EDITVALUE_NUMBER,	/* also true and false: @node */
	EDITVALUE_ZERO,		/* nil, and "": all words are 0 */
	EDITVALUE_LEN_ZERO,	/* "" where the address stays: the length is 0 */
	EDITVALUE_PART,		/* @low and @high of what it was */
};

/* An assignment with types. */
struct editvalue {
	const struct expr *to;		/* what is set */
	const struct gotype *type;	/* its type */
	enum editvalue_kind kind;	/* enum editvalue_kind */
	const struct typed *node;	/* see there */
	const struct expr *low;		/* of EDITVALUE_PART; NULL: from the beginning */
	const struct expr *high;	/* of EDITVALUE_PART; NULL: to the end */
	bool shared;			/* others can see it: it is neither argument nor result */
};

#define EDITWORDS_MAX 3

/* A register of the program with a part of a value. */
struct editword {
	uint32_t at;	/* where in the value */
	uint32_t size;	/* bytes */
	uint8_t reg;	/* the register */
	bool same;	/* it is what it was */
};

/* --- edittype: may it be set to that? 0, or -1 with an error that points at it --- */
int edit_check(struct job *j, const struct edit_parse_set *set, struct editvalue *ret);

/* --- editcode: operations. 0, or -1 --- */
/* What is to be there, in registers. */
int editcode_words(struct job *j, const struct editvalue *v, struct editword *words,
		   size_t *n);
/* Set it, or write it, to where it belongs. */
int editcode_set(struct job *j, const struct editvalue *v, const struct editword *words,
		 size_t n);

#endif
