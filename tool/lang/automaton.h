/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Automatons that read a text byte by byte, and say whether a regular expression matches in it, or
 * whether it contains a text. They are tables that the module runs: GOPROBE_OP_MATCH. Pure.
 */
#ifndef GOPROBE_LANG_AUTOMATON_H
#define GOPROBE_LANG_AUTOMATON_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* The most bytes of an automaton: of its operations it leaves enough for the rest of a program. */
#define AUTOMATON_BYTES_MAX 3072

/* As GOPROBE_OP_MATCH has it. */
struct automaton {
	const uint8_t *bytes;	/* classes of bytes, then rows */
	size_t n;		/* their number */
	uint32_t columns;	/* of a row */
};

/* Where a regular expression is wrong. */
struct automaton_error {
	const char *why;	/* a static string */
	size_t at;		/* first byte in the expression */
	size_t n;		/* bytes */
};

/*
 * The @n bytes at @regex: POSIX extended syntax with Go's classes (\d), repetitions and (?i), by
 * bytes. 0, or -1 and *@err. @ret lives in @mem.
 */
int automaton_of_regex(struct arena *mem, const char *regex, size_t n, struct automaton *ret,
		       struct automaton_error *err);
/* A text that contains the @n bytes at @s. */
int automaton_of_text(struct arena *mem, const char *s, size_t n, struct automaton *ret,
		      struct automaton_error *err);

#endif
