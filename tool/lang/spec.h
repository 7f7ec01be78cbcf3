/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probe specs: which functions, and what of them. Pure.
 *
 *	main.foo		that function
 *	shop.(*Cart).Add	that method; "(*" is the pointer receiver's star
 *	shop.*  *.Serve?	globs: "*" any text, "?" any one character
 *	/^main\.[a-z]/		POSIX extended regular expression, found anywhere
 *
 * Or a place in a function's code: struct spec.number is of
 *
 *	main.go:42		a line, of a file whose path is or ends so
 *	main.foo+0x1f		an offset from a function's beginning; decimal, too
 *	*0x4829e0		a link-time address
 *
 * A pattern without "[" is also compared with a generic function's name
 * without its type arguments: main.Map finds main.Map[go.shape.int]; and with the import path as
 * Go code writes it, gopkg.in/yaml.v3, where the linker has yaml%2ev3. "[...]", as tracebacks
 * write it, stands for any type arguments: it is left out.
 *
 * What follows the pattern:
 *
 *	(x, r.URL.Path)		values shown of the call; () shows none
 *	(x)(err)		and of the return
 *	(a, b int) (int, error)	a signature, for programs without one
 *	(r *T) error : (r.f)(…)	a signature, and values
 *	… if r.f > 5 && err != nil	which calls count; behind any of the above
 *	… set x = 5, r.n = 0		what is changed of a call
 *	… delay 50ms			and how long it is held
 *	… on return set err = nil	change results of a return
 *
 * A list that is not there leaves what it stands for as it is: everything is
 * shown; of a place there is only one list, and no signature. A list begins at a '('
 * that no receiver is in: one that has no '.' before it and none behind its ')'.
 * lang/typexpr_parse.h says when it is a signature.
 */
#ifndef GOPROBE_LANG_SPEC_H
#define GOPROBE_LANG_SPEC_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "lang/edit_parse.h"
#include "lang/expr_parse.h"
#include "lang/typexpr_parse.h"

enum spec_kind {
	SPEC_NAME,	/* no wildcards */
	SPEC_GLOB,
	SPEC_REGEX,
	/* Places: */
	SPEC_LINE,
	SPEC_OFFSET,
	SPEC_ADDRESS,
};

/* A parsed probe spec. */
struct spec {
	enum spec_kind kind;		/* kind of its pattern */
	char *text;			/* the user's own text, for errors */
	/* The pattern in it, without slashes; of a line the file, of an offset the function. */
	char *pattern;
	uint64_t number;		/* of a place: line, offset or address */
	size_t end;			/* where in @text the pattern ends */
	/* Compiled, SPEC_REGEX only; apart, as it must not move and arrays of specs grow. */
	regex_t *regex;
	/* @pattern begins so, and receivers have no brackets in it: "shop.Cart.*"; or NULL */
	const char *package;
	bool shown;			/* its pattern may match what shown_name_any() has, too */
	const struct typexpr_sig *sig;	/* the signature, or NULL */
	const struct expr_list *call;	/* what is shown of a call, or NULL: all arguments */
	const struct expr_list *ret;	/* what is shown of a return, or NULL: all results */
	const struct expr *cond;	/* which calls count, or NULL: all */
	struct editexpr edit[2];	/* what is changed, of a call and of a return */
	struct arena mem;		/* where all these are */
};

/* 0, or -1 and nothing to free; errors point into @text. */
int spec_parse(const char *text, struct spec *ret, struct diag *d);
/* As spec_parse() where nothing but a pattern makes sense. */
int spec_parse_pattern(const char *text, struct spec *ret, struct diag *d);
/* As spec_parse_pattern(); also a condition, and then a signature before it. */
int spec_parse_condition(const char *text, struct spec *ret, struct diag *d);
/* As spec_parse_condition(); also a signature alone. */
int spec_parse_signature(const char *text, struct spec *ret, struct diag *d);
/* As spec_parse_pattern(); also places. */
int spec_parse_place(const char *text, struct spec *ret, struct diag *d);

/* Is it a place, not a function? Then spec_match() finds nothing. */
static inline bool spec_is_place(const struct spec *s)
{
	return s->kind >= SPEC_LINE;
}

/* A place where functions are wanted: the error, -1. */
int spec_no_place(const struct spec *s, const char *message, struct diag *d);
void spec_fini(struct spec *s);
/* Does it change anything? */
static inline bool spec_edits(const struct spec *s)
{
	return edit_parse_any(&s->edit[0]) || edit_parse_any(&s->edit[1]);
}

bool spec_match(const struct spec *s, const char *name);
/* Is it a glob's star, not that of a receiver? */
bool spec_is_star(const char *pattern, size_t i);
/* Bytes of the package that a name or pattern begins with; 0: it has none, or wildcards in it. */
size_t spec_package_len(const char *pattern);
/* Does a glob match? */
bool spec_glob(const char *pattern, const char *name);

#endif
