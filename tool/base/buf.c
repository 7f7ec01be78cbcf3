// SPDX-License-Identifier: GPL-2.0
/* Text under construction: numbers and growth; quoting is in base/quote.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"

void buf_fini(struct buf *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}

bool buf_grow(struct buf *b, size_t n)
{
	size_t cap = b->cap ? b->cap : 256;

	while (cap - b->len < n) {
		if (cap > SIZE_MAX / 2)
			goto failed;
		cap *= 2;
	}

	char *p = realloc(b->p, cap);

	if (!p)
		goto failed;
	b->p = p;
	b->cap = cap;
	return true;
failed:
	b->failed = true;
	return false;
}

void buf_fill(struct buf *b, char c, size_t n)
{
	if (n && buf_room(b, n)) {
		memset(b->p + b->len, c, n);
		b->len += n;
	}
}

#define DIGITS_MAX BUF_U64_MAX

/* The ten numbers that begin with the digit @t. */
#define TEN(t) #t "0" #t "1" #t "2" #t "3" #t "4" #t "5" #t "6" #t "7" #t "8" #t "9"

const char buf_pairs[] = TEN(0) TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8) TEN(9);

#undef TEN

/* Writes the digits so that they end at @end; returns where they begin. */
static inline char *digits(char *end, uint64_t v)
{
	for (; v >= 100; v /= 100)
		end = buf_pair(end - 2, v % 100) - 2;
	if (v >= 10)
		return buf_pair(end - 2, v) - 2;
	*--end = '0' + v;
	return end;
}

/* Digits of a number. */
static inline unsigned int width(uint64_t v)
{
	static const uint64_t tens[DIGITS_MAX] = {
		0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
		10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
		10000000000000000000U,
	};
	/* log10(2) is about 1233 / 4096: exact enough for 64 bits, or one too small. */
	unsigned int n = (64 - __builtin_clzll(v | 1)) * 1233 >> 12;

	return n + (v >= tens[n]);
}

char *buf_put_u64(char *to, uint64_t v)
{
	char *end = to + width(v);

	digits(end, v);
	return end;
}

void buf_u64(struct buf *b, uint64_t v)
{
	if (buf_room(b, DIGITS_MAX))
		b->len = buf_put_u64(b->p + b->len, v) - b->p;
}

void buf_i64(struct buf *b, int64_t v)
{
	if (v < 0) {
		buf_char(b, '-');
		buf_u64(b, -(uint64_t)v);
	} else {
		buf_u64(b, v);
	}
}

void buf_u64_right(struct buf *b, uint64_t v, unsigned int width)
{
	char tmp[DIGITS_MAX], *end = tmp + sizeof(tmp);
	char *p = digits(end, v);

	for (; p > tmp && (size_t)(end - p) < width;)
		*--p = ' ';
	buf_fill(b, ' ', width > DIGITS_MAX ? width - DIGITS_MAX : 0);
	buf_mem(b, p, end - p);
}

void buf_digits(struct buf *b, uint64_t v, unsigned int width)
{
	if (!buf_room(b, width))
		return;
	unsigned int i = width;

	for (; i >= 2; i -= 2, v /= 100)
		buf_pair(b->p + b->len + i - 2, v % 100);
	if (i)
		b->p[b->len] = '0' + v % 10;
	b->len += width;
}

static const char hex[] = "0123456789abcdef";

void buf_hex(struct buf *b, uint64_t v)
{
	char tmp[2 + 16], *p = tmp + sizeof(tmp);

	do {
		*--p = hex[v & 15];
		v >>= 4;
	} while (v);
	*--p = 'x';
	*--p = '0';
	buf_mem(b, p, tmp + sizeof(tmp) - p);
}

void buf_hex_digit(struct buf *b, unsigned int v)
{
	buf_char(b, hex[v & 15]);
}

void buf_hex_byte(struct buf *b, uint8_t v)
{
	buf_hex_digit(b, v >> 4);
	buf_hex_digit(b, v);
}

static bool reads_back(const char *s, double v, unsigned int size)
{
	return size == 4 ? strtof(s, NULL) == (float)v : strtod(s, NULL) == v;
}

/* The next number of as many digits: d.ddde+XX. False if it would need a digit more. */
static bool next_up(char *s)
{
	for (char *p = strchr(s, 'e'); p-- > s;) {
		if (*p == '9') {
			*p = '0';
		} else if (*p >= '0' && *p < '9') {
			++*p;
			return true;
		}
	}
	return false;
}

/*
 * Go picks the shortest digits that read back, of those the closest. A double has at most 15 digits
 * that any text keeps, so: if 15 suffice, they are the shortest ones followed
 * by zeros; else 16 or 17. For a float32: 6, else 7 to 9. The closest digits read back if
 * any digits of that number do. A power of two is the exception: the numbers above it are twice
 * as far apart as those below, so digits above it may read back when the closest, below, do not.
 */
static void shortest(char *s, size_t n, double v, unsigned int size)
{
	int most = size == 4 ? 9 : 17, prec = size == 4 ? 6 : 15, exp;
	bool power = frexp(v, &exp) == 0.5;

	/* The smallest numbers have less precision: any length can do. */
	if ((size == 4 ? fpclassify((float)v) : fpclassify(v)) == FP_SUBNORMAL)
		prec = 1;
	for (; prec <= most; prec++) {
		snprintf(s, n, "%.*e", prec - 1, v);
		if (reads_back(s, v, size) ||
		    (power && prec < most && next_up(s) && reads_back(s, v, size)))
			return;
	}
}

void buf_float(struct buf *b, double v, unsigned int size)
{
	if (isnan(v)) {
		buf_str(b, "NaN");
		return;
	}
	if (isinf(v)) {
		buf_str(b, v < 0 ? "-Inf" : "+Inf");
		return;
	}
	if (signbit(v))
		buf_char(b, '-');
	v = fabs(v);

	char s[40];	/* d.ddde+XX */

	shortest(s, sizeof(s), v, size);

	char *e = strchr(s, 'e');
	int exp = atoi(e + 1);
	char *end = e;

	/* s[0] is the first digit, s[2] the second one; drop zeros at the end. */
	while (end > s + 1 && (end[-1] == '0' || end[-1] == '.'))
		end--;

	size_t nd = end - s > 1 ? (size_t)(end - s) - 1 : 1;
	char d[24] = { s[0] };

	memcpy(d + 1, s + 2, nd - 1);

	/* strconv's 'g' counts the shortest precision as 6 for this decision. */
	if (exp < -4 || exp >= 6) {
		buf_char(b, d[0]);
		if (nd > 1) {
			buf_char(b, '.');
			buf_mem(b, d + 1, nd - 1);
		}
		buf_str(b, exp < 0 ? "e-" : "e+");
		exp = abs(exp);
		if (exp < 10)
			buf_char(b, '0');
		buf_u64(b, exp);
	} else if (exp < 0) {
		buf_str(b, "0.");
		buf_fill(b, '0', -exp - 1);
		buf_mem(b, d, nd);
	} else if ((size_t)exp + 1 >= nd) {
		buf_mem(b, d, nd);
		buf_fill(b, '0', exp + 1 - nd);
	} else {
		buf_mem(b, d, exp + 1);
		buf_char(b, '.');
		buf_mem(b, d + exp + 1, nd - exp - 1);
	}
}

/* From 100 s on: 18m22s, 2h13m, 4d7h; false for what is shorter. */
static bool long_duration(struct buf *b, uint64_t ns)
{
	static const struct {
		uint64_t from, s;
		char unit, next;
	} units[] = {
		{ 172800, 86400, 'd', 'h' }, { 6000, 3600, 'h', 'm' }, { 100, 60, 'm', 's' },
	};
	uint64_t s = ns / 1000000000;

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (s < units[i].from)
			continue;
		buf_u64(b, s / units[i].s);
		buf_char(b, units[i].unit);
		s = s % units[i].s / (units[i].next == 'h' ? 3600 : units[i].next == 'm' ? 60 : 1);
		if (s) {
			buf_u64(b, s);
			buf_char(b, units[i].next);
		}
		return true;
	}
	return false;
}

void buf_duration(struct buf *b, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" } };

	if (long_duration(b, ns))
		return;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;

		uint64_t whole = ns / units[i].ns;
		unsigned int places = whole < 10 ? 2 : whole < 100 ? 1 : 0;

		buf_u64(b, whole);
		if (places) {
			uint64_t frac = ns % units[i].ns * 100 / units[i].ns;

			buf_char(b, '.');
			buf_digits(b, places == 2 ? frac : frac / 10, places);
		}
		buf_str(b, units[i].unit);
		return;
	}
	buf_u64(b, ns);
	buf_str(b, "ns");
}

void buf_seconds(struct buf *b, uint64_t ns)
{
	buf_u64(b, ns / 1000000000);
	buf_char(b, '.');
	buf_digits(b, ns % 1000000000 / 1000, 6);
}
