/* SPDX-License-Identifier: GPL-2.0 */
/* The grammar of Go types and signatures. Pure. */
#ifndef GOPROBE_LANG_TYPE_PARSE_H
#define GOPROBE_LANG_TYPE_PARSE_H

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

/**
 * struct typexpr_param - a parameter, a result, or a field of a struct
 * @name: its name, or NULL
 * @type: its type; of a variadic parameter the slice
 * @variadic: written "...T"
 * @at: first byte in the text
 * @len: bytes
 */
struct typexpr_param {
	const char *name;
	const struct typexpr *type;
	bool variadic;
	size_t at;
	size_t len;
};

/**
 * struct typexpr - a type
 * @kind: enum typexpr_kind
 * @name: as Go writes it, in full: "map[string][]int"; package paths as typed
 * @elem: of pointers, slices, arrays, maps, channels
 * @key: of maps
 * @count: elements of an array
 * @fields: of a struct; embedded ones have no name
 * @nfields: their number
 * @empty: an interface without methods
 * @at: first byte in the text
 * @len: bytes
 */
struct typexpr {
	enum typexpr_kind kind;
	const char *name;
	const struct typexpr *elem;
	const struct typexpr *key;
	uint64_t count;
	const struct typexpr_param *fields;
	size_t nfields;
	bool empty;
	size_t at;
	size_t len;
};

/**
 * struct typexpr_sig - a signature
 * @params: parameters, without the receiver
 * @nparams: their number
 * @results: results
 * @nresults: their number
 * @at: first byte in the text
 * @len: bytes
 */
struct typexpr_sig {
	const struct typexpr_param *params;
	size_t nparams;
	const struct typexpr_param *results;
	size_t nresults;
	size_t at;
	size_t len;
};

/* 0 and *@ret, or -1 with an error that points at the place. */
int typexpr_parse(struct lex *lx, const struct typexpr **ret, struct diag *d);
/* "(a, b int, c ...string) (n int, err error)" */
int typexpr_parse_sig(struct lex *lx, struct typexpr_sig *ret, struct diag *d);

/* --- lang/type_lookahead.c --- */

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
