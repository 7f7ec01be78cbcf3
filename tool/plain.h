/* SPDX-License-Identifier: GPL-2.0 */
/* Names that a file or another process tells, before they are shown. */
#ifndef GOPROBE_PLAIN_H
#define GOPROBE_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Is the byte at @s[i] the beginning of a control character? Those from U+0080 to U+009F,
 * 0xc2 0x80 and so on in UTF-8, are as good as an escape to many terminals.
 */
static inline bool plain_is_control(const char *s, size_t n, size_t i)
{
	unsigned char c = (unsigned char)s[i];

	return c < ' ' || c == 0x7f ||
	       (c == 0xc2 && i + 1 < n && ((unsigned char)s[i + 1] & 0xe0) == 0x80);
}

/* Has it no control characters? No name in Go has. */
static inline bool plain_name(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (plain_is_control(s, n, i))
			return false;
	return true;
}

/* Append @s, with '?' for each control character. */
void buf_plain(struct buf *b, const char *s);

#endif
