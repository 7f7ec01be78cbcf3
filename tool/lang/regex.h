/* SPDX-License-Identifier: GPL-2.0 */
/* Regular expressions of patterns: POSIX extended ones, with the classes that Go has. Pure. */
#ifndef GOPROBE_LANG_REGEX_H
#define GOPROBE_LANG_REGEX_H

#include <regex.h>
#include <stddef.h>

#include "base/diag.h"

/*
 * Compile the @len bytes at @at of @text, without the slashes around them. \d, \w, \s and their
 * opposites mean what they mean in Go, of ASCII. NULL, with @d set, if it is wrong. regfree() and
 * free() are for the caller.
 */
regex_t *regex_compile(const char *text, size_t at, size_t len, struct diag *d);

#endif
