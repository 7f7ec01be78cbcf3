// SPDX-License-Identifier: GPL-2.0
/* Names of types and functions as they stand in Go source. */
#define _GNU_SOURCE	/* memmem(), memrchr() */
#include <ctype.h>
#include <string.h>

#include "value/text.h"

/* A name with its package's path: it has none of these in it. */
static size_t word(const char *s)
{
	return strcspn(s, "[](){}*&, ;<>\"");
}

/* "v2." of the path "example.com/shop/v2": no package is called that. */
static size_t version(const char *s)
{
	size_t n = 1;

	if (*s != 'v' || !isdigit((unsigned char)s[1]))
		return 0;
	while (isdigit((unsigned char)s[n]))
		n++;
	return s[n] == '.' ? n : 0;
}

/*
 * A dot in the last part of a path is %2e in names. What is behind it is a version,
 * as a rule, and the package is called by what is before: gopkg.in/yaml%2ev3.Node
 * is written yaml.Node.
 */
static void put_package(struct buf *b, const char *s, size_t n)
{
	const char *end = s + n, *dot;

	while ((dot = memmem(s, end - s, "%2e", 3))) {
		buf_mem(b, s, dot - s);
		s = dot + 3;
		if (version(s))
			s += version(s);
		else
			buf_char(b, '.');
	}
	buf_mem(b, s, end - s);
}

/*
 * "example.com/shop.Cart" is written shop.Cart. Types that are declared in functions
 * are numbered by the compiler: "main.T·1".
 */
static void put_word(struct buf *b, const char *s, size_t n)
{
	const char *dot = memmem(s, n, "\302\267", 2);

	n = dot ? (size_t)(dot - s) : n;

	const char *slash = memrchr(s, '/', n), *end = s + n;

	if (slash && version(slash + 1)) {
		const char *before = memrchr(s, '/', slash - s);
		const char *name = before ? before + 1 : s;

		buf_mem(b, name, slash - name);
		slash += version(slash + 1);
	}
	s = slash ? slash + 1 : s;
	put_package(b, s, end - s);
}

static size_t quoted(const char *s)
{
	size_t n = 1;

	while (s[n] && s[n] != '"')
		n += s[n] == '\\' && s[n + 1] ? 2 : 1;
	return n + !!s[n];
}

/* The length of "[]" or "[16]" if "uint8" follows: people write byte there. */
static size_t bytes(const char *s)
{
	static const char byte[] = "uint8";
	size_t n = 1 + strspn(s + 1, "0123456789");

	if (s[n++] != ']' || strncmp(s + n, byte, sizeof(byte) - 1) != 0)
		return 0;
	return word(s + n) == sizeof(byte) - 1 ? n : 0;
}

/* @alias: with "any" and "[]byte". */
static void put(struct buf *b, const char *name, bool alias)
{
	static const char empty[] = "interface {}";

	while (*name) {
		size_t n = word(name);

		if (n && alias && strncmp(name, empty, sizeof(empty) - 1) == 0) {
			buf_str(b, "any");
			n = sizeof(empty) - 1;
		} else if (n) {
			put_word(b, name, n);
		} else if (alias && *name == '[' && bytes(name)) {
			n = bytes(name);
			buf_mem(b, name, n);
			buf_str(b, "byte");
			n += strlen("uint8");
		} else {
			/* A field's tag. */
			n = *name == '"' ? quoted(name) : 1;
			buf_mem(b, name, n);
		}
		name += n;
	}
}

void value_text_name(struct buf *b, const char *name)
{
	put(b, name, true);
}

void value_text_type_string(struct buf *b, const char *name)
{
	put(b, name, false);
}
