// SPDX-License-Identifier: GPL-2.0
/*
 * Regular expressions of patterns. regcomp() knows what IEEE Std 1003.1 ("Extended Regular
 * Expressions") has, and in glibc \w, \s, \b and their opposites. Go's classes by a letter
 * (regexp/syntax) are written out for it; of other letters with a backslash it would match just the
 * letter.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "lang/regex.h"

/* What a letter with a backslash stands for, in brackets and without. */
static const struct class {
	char letter;
	const char *alone;	/* NULL: regcomp() knows it */
	const char *inside;	/* NULL: brackets can't have it */
} classes[] = {
	{ 'd', "[0-9]", "0-9" }, { 'D', "[^0-9]", NULL },
	{ 'w', "[0-9A-Za-z_]", "0-9A-Za-z_" }, { 'W', "[^0-9A-Za-z_]", NULL },
	{ 's', "[[:space:]]", "[:space:]" }, { 'S', "[^[:space:]]", NULL },
	{ 'b', NULL, NULL }, { 'B', NULL, NULL },
};

static const struct class *find_class(char letter)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (classes[i].letter == letter)
			return &classes[i];
	return NULL;
}

static int wrong(const char *text, size_t at, struct diag *d, const char *hint)
{
	diag_set(d, "a regular expression has no '%.2s' %s", text + at,
		 hint ? "in brackets" : "here");
	diag_span(d, text, at, 2);
	diag_hint(d, "%s", hint ? hint :
		  "\\d, \\w, \\s, \\b and their opposites are known; ^ and $ are the ends of a name");
	return -1;
}

/* The escape at @at. 0, or -1 with @d set. */
static int put_escape(const char *text, size_t at, bool brackets, struct buf *to, struct diag *d)
{
	char letter = text[at + 1];
	const struct class *class = find_class(letter);

	if (!isalpha((unsigned char)letter)) {
		/* In brackets POSIX knows no escapes: the backslash would be a character. */
		if (!brackets)
			buf_char(to, '\\');
		if (!brackets || (letter != ']' && letter != '^' && letter != '-')) {
			buf_char(to, letter);
			return 0;
		}
		return wrong(text, at, d,
			     "']' is itself as the first character in them, '-' as the last, '^' as any but the first");
	}
	if (!class)
		return wrong(text, at, d, NULL);
	if (brackets && !class->inside)
		return wrong(text, at, d, "write it outside of them, as in '(\\W|x)'");
	if (brackets)
		buf_str(to, class->inside);
	else if (class->alone)
		buf_str(to, class->alone);
	else
		buf_mem(to, text + at, 2);
	return 0;
}

/* The length of "[:alpha:]", "[=x=]" or "[.x.]", if that begins at @s, in brackets; or 0. */
static size_t posix_class(const char *s, size_t len)
{
	if (len < 4 || s[0] != '[' || !strchr(":=.", s[1]))
		return 0;
	for (size_t i = 2; i + 1 < len; i++)
		if (s[i] == s[1] && s[i + 1] == ']')
			return i + 2;
	return 0;
}

/* With classes written out. 0, or -1 with @d set. */
static int write_out(const char *text, size_t at, size_t len, struct buf *to, struct diag *d)
{
	const size_t end = at + len;
	size_t open = 0, n;	/* behind the '[' and '^' that began the brackets; or 0 */

	for (size_t i = at; i < end; i += n) {
		n = open ? posix_class(text + i, end - i) : 0;
		if (n) {
			buf_mem(to, text + i, n);
			continue;
		}
		n = 1;
		if (text[i] == '\\' && i + 1 < end) {
			n = 2;
			if (put_escape(text, i, open, to, d))
				return -1;
			continue;
		}
		if (!open && text[i] == '[') {
			n += i + 1 < end && text[i + 1] == '^';
			open = i + n;
		} else if (open && text[i] == ']' && i > open) {
			open = 0;
		}
		buf_mem(to, text + i, n);
	}
	return 0;
}

regex_t *regex_compile(const char *text, size_t at, size_t len, struct diag *d)
{
	regex_t *regex = malloc(sizeof(*regex));
	struct buf pattern = { 0 };
	char why[128];
	int err = regex ? write_out(text, at, len, &pattern, d) : diag_set(d, "out of memory");

	buf_char(&pattern, 0);
	if (!err && pattern.failed)
		err = diag_set(d, "out of memory");
	if (!err) {
		err = regcomp(regex, pattern.p, REG_EXTENDED | REG_NOSUB);
		if (!err) {
			buf_fini(&pattern);
			return regex;
		}
		regerror(err, regex, why, sizeof(why));
		diag_set(d, "bad regular expression: %s", why);
		diag_span(d, text, at, len);
		if (strstr(pattern.p, "(?"))
			diag_hint(d, "groups that begin with '?' are Go's own, and not known here");
	}
	buf_fini(&pattern);
	free(regex);
	return NULL;
}
