// SPDX-License-Identifier: GPL-2.0
/*
 * Topics of goprobectl help: sections of docs/expressions.md. A section's topic is the first word
 * of its heading; what is before the first section is about patterns. The last topic is the list of
 * recipes.
 */
#include <ctype.h>
#include <string.h>

#include "cmd/topic.h"
#include "recipe/shelf.h"

#define FIRST "patterns"
#define LAST "recipes"
#define FENCE "```"
/* Names in a line. */
#define NAMES 6

/* The next section, or NULL. */
static const char *next(const char *section)
{
	const char *p = strstr(section, "\n## ");

	return p ? p + 1 : NULL;
}

static void put_name(const char *section, struct buf *b)
{
	if (section == topic_text)
		buf_str(b, FIRST);
	else
		for (const char *p = section + strlen("## "); isalnum(*p) || *p == '-'; p++)
			buf_char(b, tolower(*p));
}

static bool has_name(const char *section, const char *name)
{
	struct buf b = { 0 };
	bool same;

	put_name(section, &b);
	buf_char(&b, 0);
	same = !b.failed && !strcmp(b.p, name);
	buf_fini(&b);
	return same;
}

void topic_names(size_t indent, struct buf *b)
{
	size_t n = 0;

	for (const char *p = topic_text; p; p = next(p), n++) {
		buf_str(b, !n ? "" : n % NAMES ? ", " : ",\n");
		buf_fill(b, ' ', n && n % NAMES == 0 ? indent : 0);
		put_name(p, b);
	}
	buf_str(b, ", " LAST);
}

void topic_each(void (*fn)(void *ctx, const char *name), void *ctx)
{
	for (const char *p = topic_text; p; p = next(p)) {
		struct buf b = { 0 };

		put_name(p, &b);
		buf_char(&b, 0);
		if (!b.failed)
			fn(ctx, b.p);
		buf_fini(&b);
	}
	fn(ctx, LAST);
}

/* Headings have no mark, and code is indented instead of fenced. */
static void put_section(const char *p, const char *end, struct buf *b)
{
	bool code = false;

	p += strspn(p, "# ");
	while (p < end) {
		size_t len = strcspn(p, "\n");

		if (!strncmp(p, FENCE, strlen(FENCE))) {
			code = !code;
		} else {
			buf_str(b, code && len ? "    " : "");
			buf_mem(b, p, len);
			buf_char(b, '\n');
		}
		p += len + 1;
	}
}

bool topic_put(const char *name, struct buf *b)
{
	for (const char *p = topic_text, *end; p; p = end) {
		end = next(p);
		if (!has_name(p, name))
			continue;
		put_section(p, end ? end - 1 : p + strlen(p), b);
		return true;
	}
	if (strcmp(name, LAST) != 0)
		return false;
	shelf_put_list(b);
	return true;
}
