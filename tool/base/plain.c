// SPDX-License-Identifier: GPL-2.0
/* Text without what controls a terminal, and its columns there. */
#define _GNU_SOURCE
#include <locale.h>
#include <string.h>
#include <wchar.h>

#include "base/buf.h"
#include "base/plain.h"

/* Of a character that is not ASCII; the locale is left alone. */
static size_t wide(uint32_t c)
{
	static locale_t utf8;
	locale_t before;
	int n = 1;

	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	if (utf8) {
		before = uselocale(utf8);
		n = wcwidth((wchar_t)c);
		uselocale(before);
	}
	return n < 0 ? 1 : (size_t)n;
}

/* The first character of @s, or a code that changes how text looks: its bytes, and its columns. */
static size_t character(const char *s, size_t n, size_t *columns)
{
	uint32_t c = 0;
	size_t len;

	*columns = 0;
	if (n > 2 && s[0] == '\033' && s[1] == '[') {
		for (len = 2; len < n && (unsigned char)(s[len] - 0x40) > 0x3e;)
			len++;
		return len < n ? len + 1 : len;
	}
	len = quote_utf8((const uint8_t *)s, n, &c);
	*columns = len > 1 ? wide(c) : 1;
	return len ? len : 1;
}

size_t plain_prefix(const char *s, size_t n, size_t columns)
{
	size_t at = 0, len, width;

	for (; at < n; at += len) {
		len = character(s + at, n - at, &width);
		if (width > columns)
			break;
		columns -= width;
	}
	return at;
}

size_t plain_columns(const char *s, size_t n)
{
	size_t columns = 0, width;

	for (size_t i = 0; i < n; columns += width)
		i += character(s + i, n - i, &width);
	return columns;
}

void plain_pad(struct buf *b, size_t from, size_t width)
{
	size_t columns = plain_columns(b->p + from, b->len - from);

	buf_fill(b, ' ', columns < width ? width - columns : 1);
}

void plain_pad_left(struct buf *b, size_t from, size_t width)
{
	size_t n = b->len - from, columns = plain_columns(b->p + from, n);
	size_t pad = columns < width ? width - columns : 1;

	if (!buf_room(b, pad))
		return;
	memmove(b->p + from + pad, b->p + from, n);
	memset(b->p + from, ' ', pad);
	b->len += pad;
}

size_t plain_next(const char *s, size_t n, bool *shown)
{
	uint32_t c = 0;
	size_t len = quote_utf8((const uint8_t *)s, n, &c);

	*shown = len && c >= ' ' && (c < 0x7f || c >= 0xa0);
	return len ? len : 1;
}

void plain_put(const char *s, bool tabs, void (*put)(void *to, const char *s, size_t n), void *to)
{
	size_t n = strlen(s), len;
	bool shown;

	for (; n; s += len, n -= len) {
		len = plain_next(s, n, &shown);
		if (shown || (tabs && *s == '\t'))
			put(to, s, len);
		else
			put(to, "?", 1);
	}
}

static void append(void *b, const char *s, size_t n)
{
	buf_mem(b, s, n);
}

void plain_add(struct buf *b, const char *s)
{
	plain_put(s, false, append, b);
}

void plain_add_text(struct buf *b, const char *s)
{
	plain_put(s, true, append, b);
}
