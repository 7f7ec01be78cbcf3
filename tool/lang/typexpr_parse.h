/* SPDX-License-Identifier: GPL-2.0 */
/* The grammar of Go types and signatures. Pure. */
#ifndef GOPROBE_LANG_TYPEXPR_PARSE_H
#define GOPROBE_LANG_TYPEXPR_PARSE_H

#include "lang/lex.h"

enum typexpr_kind {
	TYPEXPR_NAME,		/* int, http.Request, net/http.Request, main.List[int] */
	TYPEXPR_POINTER,
	TYPEXPR_SLICE,
	TYPEXPR_ARRAY,
	TYPEXPR_MAP,
	TYPEXPR_CHAN,
	TYPEXPR_FUNC,
	TYPEXPR_STRUCT,
	TYPEXPR_INTERFACE,
};

struct typexpr;

/* A parameter, a result, or a field of a struct. */
struct typexpr_param {
	const char *name;		/* its name, or NULL */
	const struct typexpr *type;	/* its type; of a variadic parameter the slice */
	bool variadic;			/* written "...T" */
	size_t at;			/* first byte in the text */
	size_t len;			/* bytes */
};

/* A type. */
struct typexpr {
	enum typexpr_kind kind;			/* enum typexpr_kind */
	/* As Go writes it, in full: "map[string][]int"; package paths as typed. */
	const char *name;
	const struct typexpr *elem;		/* of pointers, slices, arrays, maps, channels */
	const struct typexpr *key;		/* of maps */
	uint64_t count;				/* elements of an array */
	const struct typexpr_param *fields;	/* of a struct; embedded ones have no name */
	size_t nfields;				/* their number */
	bool empty;				/* an interface without methods */
	size_t at;				/* first byte in the text */
	size_t len;				/* bytes */
};

/* A signature. */
struct typexpr_sig {
	const struct typexpr_param *params;	/* parameters, without the receiver */
	size_t nparams;				/* their number */
	const struct typexpr_param *results;	/* results */
	size_t nresults;			/* their number */
	size_t at;				/* first byte in the text */
	size_t len;				/* bytes */
};

/* 0 and *@ret, or -1 with an error that points at the place. */
int typexpr_parse(struct lex *lx, const struct typexpr **ret, struct diag *d);
/* "(a, b int, c ...string) (n int, err error)" */
int typexpr_parse_sig(struct lex *lx, struct typexpr_sig *ret, struct diag *d);

/* --- lang/typexpr_lookahead.c --- */

/*
 * Is the list at the next token, a '(', one of parameters, and not of
 * expressions? It is if a name is followed by a type, if an item begins like a
 * type that is no expression ("[]", "map", "func" ...), or if all items are
 * predeclared types. *@after: how many tokens the list has.
 */
bool typexpr_is_params(const struct lex *lx, size_t *after);
/* Does a type, and no index, begin @k tokens ahead, behind a name? */
bool typexpr_follows(const struct lex *lx, size_t k);
/* Is the next item of a list a name with a type? */
bool typexpr_is_named(const struct lex *lx);
/* Does a clause begin @k tokens ahead: "if", "set x", "delay 5ms", "on return"? */
bool typexpr_is_clause(const struct lex *lx, size_t k);
/* Does a type begin with this token? */
bool typexpr_begins(const struct lex_token *t);
/* Is it a type that every Go program has: "int", "error"? */
bool typexpr_is_predeclared(const char *name);

#endif
