/* SPDX-License-Identifier: GPL-2.0 */
/* Tokens of probe specs and of the Go types written in them. Pure. */
#ifndef GOPROBE_LANG_LEX_H
#define GOPROBE_LANG_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

/* The most bytes of a spec: nobody types more. */
#define LEX_TEXT_MAX 4096

enum lex_kind {
	LEX_END,
	LEX_NAME,	/* identifier, keyword; "~r0" */
	LEX_REGISTER,	/* "$rax" */
	LEX_PATH,	/* package path with a slash: net/http, example.com/a-b/c */
	LEX_NUMBER,	/* whole number */
	LEX_FLOAT,	/* 1.5, 1e3 */
	LEX_DURATION,	/* 10ms, 1h3m: a number of ns */
	LEX_STRING,	/* in double or back quotes */
	LEX_RUNE,	/* in single quotes: a number */
	LEX_REGEX,	/* behind a comma, in slashes */
	LEX_ELLIPSIS,	/* ... */
	LEX_ARROW,	/* <- */
	LEX_PUNCT,	/* any other character: lex_token.punct */
};

/* A token. */
struct lex_token {
	enum lex_kind kind;	/* enum lex_kind */
	char punct;		/* of LEX_PUNCT: the character */
	size_t at;		/* first byte in the text */
	size_t len;		/* bytes; 0 for the end */
	/*
	 * Of names, registers and paths the text, of strings and regular expressions their bytes;
	 * NUL-terminated.
	 */
	const char *s;
	size_t n;		/* bytes of @s; a string may hold NULs */
	uint64_t number;	/* of numbers, runes and durations */
	double f;		/* of LEX_FLOAT */
};

/* The tokens of a text, and the position of the parser. */
struct lex {
	struct arena *mem;	/* memory of strings */
	const char *text;	/* all of the user's text, for errors */
	struct lex_token *v;	/* tokens; the last one is LEX_END */
	size_t n;		/* their number, without it */
	size_t i;		/* the next one */
	unsigned int depth;	/* nesting of the parser: lex_enter() */
	unsigned int operators;	/* operators of the expression that is being parsed */
};

/* The deepest nesting of expressions and types. */
#define LEX_DEPTH_MAX 32

/*
 * Cut @text from byte @from on into tokens. 0, or -1 with an error that points
 * at the place.
 */
int lex_scan(struct lex *lx, struct arena *mem, const char *text, size_t from,
	     struct diag *d);

/* The next token, or the @k-th after it; never behind the end. */
const struct lex_token *lex_peek(const struct lex *lx, size_t k);
/* Take the next token. */
const struct lex_token *lex_next(struct lex *lx);
bool lex_is(const struct lex_token *t, char punct);
bool lex_is_name(const struct lex_token *t, const char *name);
/* Take the next token if it is @punct. */
bool lex_accept(struct lex *lx, char punct);
/* As lex_accept(), or an error: "@what", pointing at what is there instead. */
int lex_expect(struct lex *lx, char punct, const char *what, struct diag *d);
/* Enter a level of nesting: an error beyond LEX_DEPTH_MAX. lex_leave() leaves it. */
int lex_enter(struct lex *lx, struct diag *d);
void lex_leave(struct lex *lx);
/* An error that points at a token; returns -1. */
int lex_wrong(const struct lex *lx, const struct lex_token *t, struct diag *d,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * The ')' that closes the '(' at @at, outside of quotes; 0: there is no such ')'.
 */
size_t lex_close(const char *text, size_t at);

#endif
