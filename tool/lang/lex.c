// SPDX-License-Identifier: GPL-2.0
/*
 * The lexer of probe specs. Tokens are those of the Go specification ("Lexical elements"), with
 * four additions: a package path is one token, if its slashes have no blanks around them; "~"
 * begins the names of unnamed results; "$" begins registers; a "/" behind a comma, where nothing
 * can be divided, begins a regular expression.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "lang/lex.h"
#include "lang/lex_number.h"

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_letter(c) || is_digit(c);
}

static int wrong(const struct lex *lx, size_t at, size_t len, struct diag *d, const char *message)
{
	diag_set(d, "%s", message);
	diag_span(d, lx->text, at, len);
	return -1;
}

/* --- names and paths -------------------------------------------------- */

/*
 * The length of the package path at @s, such as net/http of net/http.Header; 0: there is no path.
 * Only the last part ends at a dot. Names of symbols write a dot of it as %2e
 * (cmd/internal/objabi.PathToPrefix).
 */
static size_t path_length(const char *s)
{
	size_t n = 0, slash = 0;

	while (is_word(s[n]) || strchr(".-~%", s[n] ? s[n] : ' ') ||
	       (s[n] == '/' && n && is_word(s[n - 1]) && is_word(s[n + 1]))) {
		if (s[n] == '/')
			slash = n;
		n++;
	}
	if (!slash)
		return 0;
	n = slash + 1;
	while (is_word(s[n]) || (s[n] && strchr("-~%", s[n])))
		n++;
	return n;
}

static int keep_word(struct lex *lx, struct lex_token *t, enum lex_kind kind, size_t len,
		     struct diag *d)
{
	t->kind = kind;
	t->len = len;
	t->n = len;
	t->s = arena_strndup(lx->mem, lx->text + t->at, len);
	return t->s ? 0 : diag_set(d, "out of memory");
}

/* A name, a path, or a register with its '$'. */
static int scan_word(struct lex *lx, struct lex_token *t, struct diag *d)
{
	const char *s = lx->text + t->at;
	size_t len = path_length(s);

	if (len)
		return keep_word(lx, t, LEX_PATH, len, d);
	for (len = 1; is_word(s[len]); len++)
		;
	return keep_word(lx, t, *s == '$' ? LEX_REGISTER : LEX_NAME, len, d);
}

/* --- numbers ---------------------------------------------------------- */

static int scan_number(struct lex *lx, struct lex_token *t, struct diag *d)
{
	const char *why = lex_number_scan(lx->text + t->at, t);

	return why ? wrong(lx, t->at, t->len, d, why) : 0;
}

/* --- strings ---------------------------------------------------------- */

static size_t put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = 0xc0 | c >> 6;
		to[1] = 0x80 | (c & 0x3f);
		return 2;
	}
	if (c < 0x10000) {
		to[0] = 0xe0 | c >> 12;
		to[1] = 0x80 | (c >> 6 & 0x3f);
		to[2] = 0x80 | (c & 0x3f);
		return 3;
	}
	to[0] = 0xf0 | c >> 18;
	to[1] = 0x80 | (c >> 12 & 0x3f);
	to[2] = 0x80 | (c >> 6 & 0x3f);
	to[3] = 0x80 | (c & 0x3f);
	return 4;
}

/* The value of the @n digits of an escape; false if there are fewer. */
static bool escape_digits(const char *s, size_t n, int base, uint32_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < n; i++) {
		if (lex_number_digit(s[i]) >= base)
			return false;
		*ret = *ret * base + lex_number_digit(s[i]);
	}
	return true;
}

/*
 * The length of the escape at @s, a backslash; 0: there is no such escape. *@c: the code point,
 * or the byte if *@byte.
 */
static size_t escape(const char *s, char quote, uint32_t *c, bool *byte)
{
	static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
	const char *simple = s[1] ? strchr(from, s[1]) : NULL;

	*byte = false;
	if (simple || s[1] == quote) {
		*c = simple ? to[simple - from] : quote;
		return 2;
	}
	switch (s[1]) {
	case 'x':
		*byte = true;
		return escape_digits(s + 2, 2, 16, c) ? 4 : 0;
	case 'u':
		return escape_digits(s + 2, 4, 16, c) ? 6 : 0;
	case 'U':
		return escape_digits(s + 2, 8, 16, c) && *c < 0x110000 ? 10 : 0;
	}
	*byte = true;
	return escape_digits(s + 1, 3, 8, c) && *c < 256 ? 4 : 0;
}

static int scan_string(struct lex *lx, struct lex_token *t, struct diag *d)
{
	const char *s = lx->text + t->at;
	char quote = *s, *to = arena_alloc(lx->mem, strlen(s) + 1);
	size_t n = 0, i = 1;

	if (!to)
		return diag_set(d, "out of memory");
	while (s[i] != quote) {
		uint32_t c;
		bool byte;
		size_t len;

		if (!s[i])
			return wrong(lx, t->at, i, d, "a string has no end");
		if (s[i] != '\\' || quote == '`') {
			to[n++] = s[i++];
			continue;
		}
		len = escape(s + i, quote, &c, &byte);
		if (!len)
			return wrong(lx, t->at + i, s[i + 1] ? 2 : 1, d,
				     "there is no such escape in Go strings");
		/* The escaped bytes are never more than the escape. */
		if (byte)
			to[n++] = c;
		else
			n += put_utf8(to + n, c);
		i += len;
	}
	t->kind = LEX_STRING;
	t->len = i + 1;
	t->s = to;
	t->n = n;
	return 0;
}

/* In slashes; of "\\/" only the slash is part of it. */
static int scan_regex(struct lex *lx, struct lex_token *t, struct diag *d)
{
	const char *s = lx->text + t->at;
	char *to = arena_alloc(lx->mem, strlen(s) + 1);
	size_t n = 0, i = 1;

	if (!to)
		return diag_set(d, "out of memory");
	for (; s[i] != '/'; i++) {
		if (!s[i])
			return wrong(lx, t->at, i, d, "a regular expression has no end: '/'");
		if (s[i] == '\\' && s[i + 1] == '/')
			i++;
		else if (s[i] == '\\' && s[i + 1])
			to[n++] = s[i++];
		to[n++] = s[i];
	}
	t->kind = LEX_REGEX;
	t->len = i + 1;
	t->s = to;
	t->n = n;
	return 0;
}

static int scan_rune(struct lex *lx, struct lex_token *t, struct diag *d)
{
	const char *s = lx->text + t->at;
	uint32_t c = 0;
	bool byte;
	size_t n = s[1] == '\\' ? escape(s + 1, '\'', &c, &byte) :
		   s[1] != '\'' ? quote_utf8((const uint8_t *)s + 1, strlen(s + 1), &c) : 0;

	if (!n || s[1 + n] != '\'')
		return wrong(lx, t->at, 1, d, "single quotes hold one character");
	t->kind = LEX_RUNE;
	t->len = n + 2;
	t->number = c;
	return 0;
}

/* --- all -------------------------------------------------------------- */

static int scan_token(struct lex *lx, struct lex_token *t, struct diag *d)
{
	const char *s = lx->text + t->at;

	if (is_letter(*s) || ((*s == '~' || *s == '$') && is_letter(s[1])))
		return scan_word(lx, t, d);
	if (is_digit(*s))
		return scan_number(lx, t, d);
	if (*s == '"' || *s == '`')
		return scan_string(lx, t, d);
	if (*s == '\'')
		return scan_rune(lx, t, d);
	if (*s == '/' && lx->n && lex_is(t - 1, ','))
		return scan_regex(lx, t, d);
	t->kind = LEX_PUNCT;
	t->punct = *s;
	t->len = 1;
	if (strncmp(s, "...", 3) == 0) {
		t->kind = LEX_ELLIPSIS;
		t->len = 3;
	} else if (strncmp(s, "<-", 2) == 0) {
		t->kind = LEX_ARROW;
		t->len = 2;
	}
	return 0;
}

int lex_scan(struct lex *lx, struct arena *mem, const char *text, size_t from, struct diag *d)
{
	size_t len = strlen(text);

	*lx = (struct lex){ .mem = mem, .text = text };
	if (len > LEX_TEXT_MAX)
		return diag_set(d, "this is longer than %d bytes: '%.32s...'", LEX_TEXT_MAX, text);
	lx->v = arena_array(mem, len - from + 1, sizeof(*lx->v));
	if (!lx->v)
		return diag_set(d, "out of memory");
	for (size_t at = from;;) {
		struct lex_token *t = &lx->v[lx->n];

		at += strspn(text + at, " \t\r\n");
		t->at = at;
		if (!text[at])
			return 0;
		if (scan_token(lx, t, d))
			return -1;
		at += t->len;
		lx->n++;
	}
}

const struct lex_token *lex_peek(const struct lex *lx, size_t k)
{
	return &lx->v[lx->n - lx->i > k ? lx->i + k : lx->n];
}

const struct lex_token *lex_next(struct lex *lx)
{
	const struct lex_token *t = lex_peek(lx, 0);

	lx->i += lx->i < lx->n;
	return t;
}

bool lex_is(const struct lex_token *t, char punct)
{
	return t->kind == LEX_PUNCT && t->punct == punct;
}

bool lex_is_name(const struct lex_token *t, const char *name)
{
	return t->kind == LEX_NAME && strcmp(t->s, name) == 0;
}

bool lex_accept(struct lex *lx, char punct)
{
	if (!lex_is(lex_peek(lx, 0), punct))
		return false;
	lex_next(lx);
	return true;
}

int lex_wrong(const struct lex *lx, const struct lex_token *t, struct diag *d, const char *fmt, ...)
{
	char message[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(message, sizeof(message), fmt, ap);
	va_end(ap);
	return wrong(lx, t->at, t->len, d, message);
}

int lex_expect(struct lex *lx, char punct, const char *what, struct diag *d)
{
	return lex_accept(lx, punct) ? 0 : lex_wrong(lx, lex_peek(lx, 0), d, "%s", what);
}

int lex_enter(struct lex *lx, struct diag *d)
{
	if (lx->depth == LEX_DEPTH_MAX)
		return lex_wrong(lx, lex_peek(lx, 0), d, "this nests too deeply");
	lx->depth++;
	return 0;
}

void lex_leave(struct lex *lx)
{
	lx->depth--;
}

size_t lex_close(const char *text, size_t at)
{
	size_t depth = 0;

	for (size_t i = at; text[i]; i++) {
		char c = text[i];

		if (c == '"' || c == '`' || c == '\'') {
			for (i++; text[i] && text[i] != c; i++)
				i += text[i] == '\\' && c != '`' && text[i + 1];
			if (!text[i])
				return 0;
		}
		depth += c == '(';
		if (c == ')' && !--depth)
			return i;
	}
	return 0;
}
