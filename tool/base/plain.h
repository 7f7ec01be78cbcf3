/* SPDX-License-Identifier: GPL-2.0 */
/* Printable forms of names that come from a file or another process. */
#ifndef GOPROBE_BASE_PLAIN_H
#define GOPROBE_BASE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * The length of the first character of @s, which has @n > 0 bytes; whether it can be shown. That
 * can't be what controls a terminal, U+0080 to U+009F among it, which are as good as an escape to
 * many, nor what is no UTF-8: its bytes are such characters to those that expect none.
 */
size_t plain_next(const char *s, size_t n, bool *shown);

/* Has it nothing but what can be shown? No name in Go has anything else. */
static inline bool plain_name(const char *s, size_t n)
{
	bool shown = true;

	for (size_t i = 0; i < n && shown;) {
		if (s[i] >= ' ' && s[i] < 0x7f)
			i++;
		else
			i += plain_next(s + i, n - i, &shown);
	}
	return shown;
}

/*
 * Give @put the pieces of @s, with '?' for each character that can't be shown, but for tabs if
 * @tabs: those of a text that stay, for what is marked in it is below it.
 */
void plain_put(const char *s, bool tabs, void (*put)(void *to, const char *s, size_t n), void *to);
/* Columns of a terminal that @s takes, which has @n bytes; codes for colours take none. */
size_t plain_columns(const char *s, size_t n);
/* The bytes at the beginning of @s that take at most @columns. */
size_t plain_prefix(const char *s, size_t n, size_t columns);
/*
 * Bring the text that begins at @from to @width columns of a terminal, by at least one blank:
 * behind it, or before it.
 */
void plain_pad(struct buf *b, size_t from, size_t width);
void plain_pad_left(struct buf *b, size_t from, size_t width);
/* Append @s, with '?' for each character that can't be shown. */
void plain_add(struct buf *b, const char *s);
/* The same, but tabs stay. */
void plain_add_text(struct buf *b, const char *s);

#endif
