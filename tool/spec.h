/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probe specs: which functions. Pure.
 *
 *	main.foo		that function
 *	shop.(*Cart).Add	that method; "(*" is the pointer receiver's star
 *	shop.*  *.Serve?	globs: "*" any text, "?" any one character
 *	/^main\.[a-z]/		POSIX extended regular expression, found anywhere
 *
 * A pattern without "[" is also compared with a generic function's name
 * without its type arguments: main.Map finds main.Map[go.shape.int].
 */
#ifndef GOPROBE_SPEC_H
#define GOPROBE_SPEC_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

enum spec_kind {
	SPEC_NAME,	/* no wildcards */
	SPEC_GLOB,
	SPEC_REGEX,
};

/**
 * struct spec - a parsed probe spec
 * @kind: kind of its pattern
 * @text: the user's own text, for errors
 * @pattern: the pattern in it, without slashes
 * @regex: compiled, SPEC_REGEX only
 */
struct spec {
	enum spec_kind kind;
	char *text;
	char *pattern;
	regex_t regex;
};

/* 0, or -1 and nothing to free; errors point into @text. */
int spec_parse(const char *text, struct spec *ret, struct diag *d);
void spec_fini(struct spec *s);
bool spec_match(const struct spec *s, const char *name);

#endif
