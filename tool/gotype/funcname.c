// SPDX-License-Identifier: GPL-2.0
/* Parts of a linker's name of a Go function. */
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>

#include "gotype/funcname.h"

/* Past the brackets that open at @p; to the end if they do not close. */
static const char *skip_brackets(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		if (*p == '[')
			depth++;
		else if (*p == ']' && !--depth)
			return p + 1;
	}
	return p;
}

/* First @c that is not in brackets, or NULL. */
static const char *find(const char *p, char c)
{
	while (*p) {
		if (*p == c)
			return p;
		if (*p == '[')
			p = skip_brackets(p);
		else
			p++;
	}
	return NULL;
}

const char *funcname_local(const char *name)
{
	const char *p = name, *q;

	while ((q = find(p, '/')))
		p = q + 1;
	q = find(p, '.');
	return q ? q + 1 : p;
}

static bool starts_numbered(const char *p, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(p, word, n) && isdigit((unsigned char)p[n]);
}

bool funcname_is_closure(const char *name)
{
	const char *p = funcname_local(name), *q;

	if (strstr(p, "-fm") || strstr(p, "-range"))
		return true;
	while ((q = find(p, '.'))) {
		p = q + 1;
		if (starts_numbered(p, "func") ||
		    starts_numbered(p, "gowrap") ||
		    starts_numbered(p, "deferwrap"))
			return true;
	}
	return false;
}

bool funcname_is_literal(const char *name)
{
	const char *dot = strrchr(name, '.');

	/* "main.F.func1", "main.F.func1.2"; "main.F.gowrap1" is no literal. */
	return dot && funcname_is_closure(name) && !strstr(name, "-fm") &&
	       !strstr(name, "-range") && !strchr(name, '[') &&
	       (starts_numbered(dot + 1, "func") || isdigit((unsigned char)dot[1]));
}

bool funcname_is_range_body(const char *name)
{
	static const char body[] = "-range";
	const char *p = strstr(funcname_local(name), body), *next;

	/* Loops may be nested: "main.F-range1-range2". */
	while (p && (next = strstr(p + 1, body)))
		p = next;
	if (!p)
		return false;
	p += strlen(body);
	return *p && !p[strspn(p, "0123456789")];
}

bool funcname_receiver(const char *name, const char **type, size_t *len,
		       bool *pointer)
{
	const char *p = funcname_local(name), *dot;

	if (funcname_is_closure(name) || !strncmp(name, "type:", 5) ||
	    !strncmp(name, "type..", 6))
		return false;
	*pointer = !strncmp(p, "(*", 2);
	if (*pointer) {
		p += 2;
		*len = strcspn(p, "[)");
	} else {
		dot = find(p, '.');
		/* "init.0" and "glob..func1" are no methods. */
		if (!dot || isdigit((unsigned char)dot[1]) || dot[1] == '.')
			return false;
		*len = strcspn(p, "[.");
	}
	*type = p;
	return *len > 0;
}

bool funcname_is_shaped(const char *name)
{
	return strstr(name, "[go.shape.") && strncmp(name, "type:", 5) &&
	       strncmp(name, "type..", 6) && !funcname_is_closure(name);
}

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* cmd/internal/objabi.PathToPrefix, back: two digits in lower case. */
static bool is_escape(const char *p)
{
	return p[0] == '%' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0;
}

bool funcname_written(const char *name, bool path, char *to, size_t size)
{
	const char *p = name;
	size_t n = 0;

	while (*p) {
		if (*p == '[') {
			p = skip_brackets(p);
			continue;
		}
		if (n + 1 >= size)
			return false;
		if (path && is_escape(p)) {
			to[n++] = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
			p += 3;
		} else {
			to[n++] = *p++;
		}
	}
	to[n] = 0;
	return true;
}

static bool is_version(const char *s, size_t n)
{
	size_t i = 1;

	while (i < n && isdigit((unsigned char)s[i]))
		i++;
	return n > 1 && s[0] == 'v' && i == n;
}

const char *funcname_last_element(const char *path, size_t n)
{
	const char *last = path + n;

	while (last > path && last[-1] != '/')
		last--;
	return last;
}

const char *funcname_package(const char *path, size_t n, size_t *ret)
{
	const char *last = funcname_last_element(path, n), *end = path + n, *dot;

	if (last > path && is_version(last, (size_t)(end - last))) {
		end = last - 1;
		last = funcname_last_element(path, (size_t)(end - path));
	}
	dot = memrchr(last, '.', (size_t)(end - last));
	if (dot && is_version(dot + 1, (size_t)(end - dot - 1)))
		end = dot;
	*ret = (size_t)(end - last);
	return last;
}

bool funcname_loose(const char *from, char *to, size_t size)
{
	static const char shape[] = "go.shape.", dot[] = "%2e";
	size_t n = 0;

	while (*from) {
		if (!strncmp(from, shape, sizeof(shape) - 1)) {
			from += sizeof(shape) - 1;
		} else if (from[0] == '(' && from[1] == '*') {
			from += 2;
		} else if (*from == ')') {
			from++;
		} else if (n + 1 >= size) {
			break;
		} else if (!strncmp(from, dot, sizeof(dot) - 1)) {
			to[n++] = '.';
			from += sizeof(dot) - 1;
		} else {
			to[n++] = *from++;
		}
	}
	if (!size)
		return false;
	to[n] = 0;
	return !*from;
}
