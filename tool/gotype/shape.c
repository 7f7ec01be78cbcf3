// SPDX-License-Identifier: GPL-2.0
/* Names of shapes, the types that generic code is compiled for, and functions' names with them. */
#include <ctype.h>
#include <string.h>

#include "gotype/shape.h"

#define MARK "go.shape."
#define ANY_POINTER MARK "*uint8"
#define WRITTEN "unsafe.Pointer"

/* It is written in place. */
_Static_assert(sizeof(WRITTEN) <= sizeof(ANY_POINTER), "the name gets no longer");

/* What can follow a type argument. */
static bool is_end(char c)
{
	return !c || strchr(",]) }", c);
}

/* The length of "_12" at the end of a type argument, or 0. */
static size_t index_of(const char *p)
{
	size_t n = 1;

	if (*p != '_' || !isdigit((unsigned char)p[1]))
		return 0;
	while (isdigit((unsigned char)p[n]))
		n++;
	return is_end(p[n]) ? n : 0;
}

static bool begins_with_any_pointer(const char *name)
{
	const char *end = name + sizeof(ANY_POINTER) - 1;

	return !strncmp(name, ANY_POINTER, sizeof(ANY_POINTER) - 1) &&
	       (is_end(*end) || index_of(end));
}

bool shape_is_any_pointer(const char *name)
{
	const char *end = name + sizeof(ANY_POINTER) - 1;

	return begins_with_any_pointer(name) && !end[index_of(end)];
}

void shape_drop(char *name, int minor)
{
	char *r = strstr(name, MARK), *w = r;
	int shapes = 0;

	while (r && *r) {
		size_t n = index_of(r);

		if (begins_with_any_pointer(r)) {
			r += sizeof(ANY_POINTER) - 1;
			memcpy(w, WRITTEN, sizeof(WRITTEN) - 1);
			w += sizeof(WRITTEN) - 1;
			shapes++;
		} else if (!strncmp(r, MARK, sizeof(MARK) - 1)) {
			r += sizeof(MARK) - 1;
			shapes++;
		} else if (shapes && n && minor <= 19) {
			/* 1.18 and 1.19 number the shapes. */
			r += n;
			shapes--;
		} else {
			*w++ = *r++;
		}
	}
	if (w)
		*w = 0;
}

/* Past the brackets that open at @p, or NULL; brackets in the tags of fields do not count. */
static const char *past_brackets(const char *p)
{
	bool quoted = false;
	int depth = 0;

	for (; *p; p++) {
		if (quoted && *p == '\\' && p[1])
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '[')
			depth++;
		else if (!quoted && *p == ']' && !--depth)
			return p + 1;
	}
	return NULL;
}

void shape_put(struct buf *b, const char *name)
{
	const char *open, *end, *mark;

	for (; (mark = strstr(name, MARK)); name = end) {
		open = strchr(name, '[');
		end = open ? past_brackets(open) : NULL;
		if (!end)
			break;
		if (end <= mark || open > mark) {
			buf_mem(b, name, end - name);
			continue;
		}
		buf_mem(b, name, open - name);
		buf_str(b, "[...]");
	}
	buf_str(b, name);
}
