// SPDX-License-Identifier: GPL-2.0
/* Quoting of bytes: as Go source, as JSON and for a shell. */
#include "base/buf.h"
#include "base/unaligned.h"

size_t quote_utf8(const uint8_t *s, size_t n, uint32_t *ret)
{
	static const struct {
		uint8_t mask, lead;
		uint32_t least;
	} forms[] = {
		{ 0x80, 0x00, 0 },
		{ 0xe0, 0xc0, 0x80 },
		{ 0xf0, 0xe0, 0x800 },
		{ 0xf8, 0xf0, 0x10000 },
	};

	for (size_t len = 1; len <= 4 && len <= n; len++) {
		if ((s[0] & forms[len - 1].mask) != forms[len - 1].lead)
			continue;

		uint32_t c = s[0] & ~forms[len - 1].mask;

		for (size_t i = 1; i < len; i++) {
			if ((s[i] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (s[i] & 0x3f);
		}
		if (c < forms[len - 1].least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return 0;
		*ret = c;
		return len;
	}
	return 0;
}

static void hex(struct buf *b, uint32_t v, unsigned int digits)
{
	while (digits--)
		buf_hex_digit(b, v >> 4 * digits);
}

/* The letter of a two-character escape that Go and JSON share, or 0. */
static char short_escape(uint32_t c)
{
	switch (c) {
	case '"':
	case '\\':
		return c;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	}
	return 0;
}

/*
 * Go escapes what Unicode calls unprintable. We know no Unicode tables: escaped
 * are the control characters and those that would break a line or turn the
 * direction of a terminal's text; the rest is shown as it is.
 */
static bool printable(uint32_t c)
{
	if (c < 0xa1)
		return c >= 0x20 && c < 0x7f;
	return c != 0xad && c != 0xfeff && !(c >= 0x2000 && c <= 0x200f) &&
	       !(c >= 0x2028 && c <= 0x202f) && !(c >= 0x205f && c <= 0x206f) &&
	       c != 0x3000 && !(c >= 0xe000 && c <= 0xf8ff) && !(c >= 0xfff0 && c <= 0xfffb) &&
	       (c & 0xfffe) != 0xfffe && c < 0xe0000;
}

#define EACH 0x0101010101010101ULL
#define TOPS (EACH * 0x80)

/*
 * Are eight bytes all printable ASCII, and neither '"' nor '\\'? A subtraction sets
 * the top bit of a byte that was too small; those it borrows from follow one that was.
 */
static inline bool plain_word(uint64_t w)
{
	uint64_t low = w - EACH * 0x20, del = (w ^ EACH * 0x7f) - EACH;
	uint64_t quote = (w ^ EACH * '"') - EACH, slash = (w ^ EACH * '\\') - EACH;

	return !((w | low | del | quote | slash) & TOPS);
}

/* What needs no escape in either language, if that is all of it, a word at a time. */
static bool quote_plain(struct buf *b, const uint8_t *s, size_t n)
{
	uint64_t w;
	char *to;

	if (n < sizeof(w) || !buf_room(b, n + 2))
		return false;
	to = b->p + b->len;
	*to++ = '"';
	/* The last word overlaps the one before. */
	for (size_t i = 0; i < n; i += sizeof(w)) {
		size_t at = i < n - sizeof(w) ? i : n - sizeof(w);

		w = load_u64(s + at);
		if (!plain_word(w))
			return false;
		memcpy(to + at, &w, sizeof(w));
	}
	to[n] = '"';
	b->len += n + 2;
	return true;
}

static size_t plain_run(const uint8_t *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

/* What has no short form, in Go: @n bytes of @s, which are the character @c. */
static void go_other(struct buf *b, uint32_t c, const uint8_t *s, size_t n)
{
	if (c == '\a' || c == '\v') {
		buf_str(b, c == '\a' ? "\\a" : "\\v");
	} else if (printable(c)) {
		buf_mem(b, s, n);
	} else if (c < 0x80) {
		buf_str(b, "\\x");
		hex(b, c, 2);
	} else if (c < 0x10000) {
		buf_str(b, "\\u");
		hex(b, c, 4);
	} else {
		buf_str(b, "\\U");
		hex(b, c, 8);
	}
}

/* The same, in JSON. */
static void json_other(struct buf *b, uint32_t c, const uint8_t *s, size_t n)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x2029)) {
		buf_str(b, "\\u");
		hex(b, c, 4);
	} else {
		buf_mem(b, s, n);
	}
}

/* Where Go and JSON differ in quoting. */
struct dialect {
	const char *byte;	/* what precedes the two hex digits of a byte that is no UTF-8 */
	/* Appends a character that has no short form. */
	void (*other)(struct buf *b, uint32_t c, const uint8_t *s, size_t n);
};

static const struct dialect go = { "\\x", go_other };
static const struct dialect json = { "\\udc", json_other };

static void quote(struct buf *b, const uint8_t *s, size_t n, const struct dialect *as)
{
	uint32_t c = 0;

	if (quote_plain(b, s, n))
		return;
	buf_char(b, '"');
	for (size_t i = 0, len; i < n; i += len) {
		len = plain_run(s + i, n - i);
		if (len) {
			buf_mem(b, s + i, len);
			continue;
		}
		len = quote_utf8(s + i, n - i, &c);
		if (!len) {
			buf_str(b, as->byte);
			hex(b, s[i], 2);
			len = 1;
		} else if (short_escape(c)) {
			buf_char(b, '\\');
			buf_char(b, short_escape(c));
		} else {
			as->other(b, c, s + i, len);
		}
	}
	buf_char(b, '"');
}

void quote_go(struct buf *b, const uint8_t *s, size_t n)
{
	quote(b, s, n, &go);
}

void quote_json(struct buf *b, const uint8_t *s, size_t n)
{
	quote(b, s, n, &json);
}

void quote_json_str(struct buf *b, const char *s)
{
	quote_json(b, (const uint8_t *)s, strlen(s));
}

void quote_shell(struct buf *b, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-:=+,";

	if (*word && !word[strspn(word, plain)]) {
		buf_str(b, word);
		return;
	}
	buf_char(b, '\'');
	for (; *word; word++)
		if (*word == '\'')
			buf_str(b, "'\\''");
		else
			buf_char(b, *word);
	buf_char(b, '\'');
}
