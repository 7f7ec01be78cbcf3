// SPDX-License-Identifier: GPL-2.0
/*
 * The lexer of numbers, as in the Go specification ("Integer literals", "Floating-point
 * literals", without hexadecimal fractions), and of durations, as in package time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lang/lex_number.h"

static const char not_whole[] = "this is not a whole number";
static const char too_large[] = "the number does not fit into 64 bits";

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c & 0x80);
}

int lex_number_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* --- durations ------------------------------------------------------------- */

/* A unit comes after those that begin with it. */
static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "\xc2\xb5s", 1000 }, { "\xce\xbcs", 1000 },
	{ "ms", 1000000 }, { "s", 1000000000 }, { "m", 60000000000 }, { "h", 3600000000000 },
};

static size_t unit_at(const char *s, uint64_t *ns)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i].name);

		*ns = units[i].ns;
		if (strncmp(s, units[i].name, n) == 0)
			return n;
	}
	return 0;
}

/* The length of the part of a duration at @s ("3m", "1.5s"); 0: there is no part. */
static size_t part_at(const char *s, __int128 *sum)
{
	size_t n = strspn(s, "0123456789"), fraction = 0, unit;
	__int128 whole = 0, part = 0, scale = 1;
	uint64_t ns;

	for (size_t i = 0; i < n; i++)
		whole = whole >> 64 ? whole : whole * 10 + (unsigned int)(s[i] - '0');
	if (n && s[n] == '.')
		fraction = strspn(s + n + 1, "0123456789");
	/* Fractions of a nanosecond need no more digits. */
	for (size_t i = 0; i < fraction && i < 15; i++) {
		part = part * 10 + (unsigned int)(s[n + 1 + i] - '0');
		scale *= 10;
	}
	if (fraction)
		n += 1 + fraction;
	unit = n ? unit_at(s + n, &ns) : 0;
	if (!unit)
		return 0;
	if (!(*sum >> 64))
		*sum += (whole >> 64 ? (__int128)1 << 64 : whole * ns) + part * ns / scale;
	return n + unit;
}

/* The length of the duration at @s; 0: there is no duration. */
static size_t duration_at(const char *s, __int128 *ns)
{
	size_t n = 0, part;

	*ns = 0;
	do {
		part = part_at(s + n, ns);
		n += part;
	} while (part);
	return n && !is_word(s[n]) ? n : 0;
}

/* --- floats ------------------------------------------------------------------ */

/* The length of the decimal digits at @s, with '_' between them. */
static size_t digits_at(const char *s)
{
	size_t n = 0;

	while (is_digit(s[n]) || (n && s[n] == '_' && is_digit(s[n + 1])))
		n++;
	return n;
}

static size_t exponent_at(const char *s)
{
	size_t sign = s[0] && (s[1] == '+' || s[1] == '-'), n;

	if ((s[0] | 0x20) != 'e')
		return 0;
	n = digits_at(s + 1 + sign);
	return n ? 1 + sign + n : 0;
}

/* The length of the number with '.' or exponent at @s; 0: it has neither. */
static size_t float_at(const char *s)
{
	size_t whole = digits_at(s), n = whole;

	if (s[n] == '.' && is_digit(s[n + 1]))
		n += 1 + digits_at(s + n + 1);
	n += exponent_at(s + n);
	return n == whole || is_word(s[n]) || (s[n] == '.' && is_digit(s[n + 1])) ? 0 : n;
}

static const char *scan_float(const char *s, struct lex_token *t)
{
	char text[64];
	size_t n = 0;

	t->kind = LEX_FLOAT;
	for (size_t i = 0; i < t->len; i++) {
		if (n + 1 == sizeof(text))
			return "this number has too many digits";
		if (s[i] != '_')
			text[n++] = s[i];
	}
	text[n] = 0;
	t->f = strtod(text, NULL);
	return isfinite(t->f) ? NULL : "the number is too large";
}

/* --- whole numbers ------------------------------------------------------------ */

static const char *scan_whole(const char *s, struct lex_token *t)
{
	uint64_t base = 10, v = 0;
	size_t n = 0, digits = 0;

	if (s[0] == '0') {
		char c = s[1] | 0x20;

		base = c == 'x' ? 16 : c == 'b' ? 2 : 8;
		n = c == 'x' || c == 'b' || c == 'o' ? 2 : 1;
		digits = n == 1;
	}
	t->kind = LEX_NUMBER;
	for (; is_word(s[n]); n++) {
		uint64_t digit = lex_number_digit(s[n]);

		if (s[n] == '_')
			continue;
		if (digit >= base)
			break;
		if (v > (UINT64_MAX - digit) / base) {
			t->len = strspn(s, "0123456789abcdefABCDEFxX_");
			return too_large;
		}
		v = v * base + digit;
		digits++;
	}
	t->number = v;
	t->len = n;
	if (digits && !is_word(s[n]) && !(s[n] == '.' && is_digit(s[n + 1])))
		return NULL;
	while (is_word(s[n]) || s[n] == '.')
		n++;
	t->len = n;
	return not_whole;
}

const char *lex_number_scan(const char *s, struct lex_token *t)
{
	__int128 ns;

	t->len = duration_at(s, &ns);
	if (t->len) {
		t->kind = LEX_DURATION;
		t->number = (uint64_t)ns;
		return ns > INT64_MAX ? "a duration is at most 292 years" : NULL;
	}
	t->len = float_at(s);
	return t->len ? scan_float(s, t) : scan_whole(s, t);
}
