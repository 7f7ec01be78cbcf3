// SPDX-License-Identifier: GPL-2.0
/* A reader of JSON that nobody trusts: strings, and where they stand. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"

struct reading {
	const char *p;		/* what is read next */
	const char *end;
	json_read_fn *fn;
	void *ctx;
	struct json_read_place at;
	const char *wrong;	/* what is missing at @p */
	char string[JSON_READ_TEXT];	/* the last one */
	bool whole;		/* all of it is in @string */
};

static bool value(struct reading *r);

static bool fail(struct reading *r, const char *wanted)
{
	if (!r->wrong)
		r->wrong = wanted;
	return false;
}

static void blanks(struct reading *r)
{
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r'))
		r->p++;
}

static bool next_is(struct reading *r, char c)
{
	blanks(r);
	if (r->p == r->end || *r->p != c)
		return false;
	r->p++;
	return true;
}

/* --- strings ------------------------------------------------------------------------ */

static void put(struct reading *r, size_t *n, char c)
{
	if (!c)
		r->whole = false;
	if (*n < JSON_READ_TEXT - 1)
		r->string[(*n)++] = c;
	else
		r->whole = false;
}

static void put_code(struct reading *r, size_t *n, uint32_t c)
{
	if (c < 0x80) {
		put(r, n, (char)c);
		return;
	}
	if (c < 0x800) {
		put(r, n, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			put(r, n, (char)(0xe0 | c >> 12));
		} else {
			put(r, n, (char)(0xf0 | c >> 18));
			put(r, n, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		put(r, n, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	put(r, n, (char)(0x80 | (c & 0x3f)));
}

/* Four digits behind "\u". */
static bool hex(struct reading *r, uint32_t *ret)
{
	static const char digits[] = "0123456789abcdefABCDEF";

	*ret = 0;
	for (int i = 0; i < 4; i++, r->p++) {
		const char *at = r->p < r->end && *r->p ? strchr(digits, *r->p) : NULL;

		if (!at)
			return fail(r, "four hexadecimal digits");
		*ret = *ret << 4 | (uint32_t)(at - digits < 16 ? at - digits : at - digits - 6);
	}
	return true;
}

/* Half of a character that the other half does not follow is U+FFFD. */
static bool unicode(struct reading *r, size_t *n)
{
	uint32_t c, low;

	if (!hex(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00 && r->end - r->p >= 2 && !memcmp(r->p, "\\u", 2)) {
		const char *back = r->p;

		r->p += 2;
		if (!hex(r, &low))
			return false;
		if (low >= 0xdc00 && low < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		else
			r->p = back;
	}
	put_code(r, n, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	return true;
}

static bool escape(struct reading *r, size_t *n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (r->p == r->end)
		return fail(r, "the end of a string");
	if (*r->p == 'u') {
		r->p++;
		return unicode(r, n);
	}
	at = *r->p ? strchr(from, *r->p) : NULL;
	if (!at)
		return fail(r, "an escape that JSON has");
	put(r, n, to[at - from]);
	r->p++;
	return true;
}

/* Behind the quote, into @r->string. */
static bool string(struct reading *r)
{
	size_t n = 0;

	r->whole = true;
	while (r->p < r->end && *r->p != '"') {
		if ((unsigned char)*r->p < 0x20)
			return fail(r, "the end of a string");
		if (*r->p++ != '\\')
			put(r, &n, r->p[-1]);
		else if (!escape(r, &n))
			return false;
	}
	r->string[n] = 0;
	if (r->p == r->end)
		return fail(r, "the end of a string");
	r->p++;
	return true;
}

/* --- values ------------------------------------------------------------------------- */

/* A member's name and the colon. */
static bool key(struct reading *r)
{
	if (!next_is(r, '"'))
		return fail(r, "a member's name");
	if (!string(r))
		return false;
	memcpy(r->at.key[r->at.depth - 1], r->string, sizeof(r->string));
	return next_is(r, ':') || fail(r, "':'");
}

/* Behind its bracket. */
static bool members(struct reading *r, bool object)
{
	char end = object ? '}' : ']';
	size_t i = 0;

	if (r->at.depth == JSON_READ_DEPTH)
		return fail(r, "a value that is nested less deeply");
	if (next_is(r, end))
		return true;
	r->at.depth++;
	do {
		r->at.index[r->at.depth - 1] = i++;
		r->at.key[r->at.depth - 1][0] = 0;
		if ((object && !key(r)) || !value(r))
			return false;
	} while (next_is(r, ','));
	r->at.depth--;
	return next_is(r, end) || fail(r, object ? "',' or '}'" : "',' or ']'");
}

/* A number, true, false or null: its characters. */
static bool literal(struct reading *r)
{
	static const char characters[] = "+-.0123456789Eaeflnrstu";
	const char *begin = r->p;

	while (r->p < r->end && *r->p && strchr(characters, *r->p))
		r->p++;
	return r->p > begin || fail(r, "a value");
}

static bool value(struct reading *r)
{
	if (next_is(r, '{'))
		return members(r, true);
	if (next_is(r, '['))
		return members(r, false);
	if (!next_is(r, '"'))
		return literal(r);
	if (!string(r))
		return false;
	if (r->whole)
		r->fn(r->ctx, &r->at, r->string);
	return true;
}

int json_read(const char *text, size_t n, json_read_fn *fn, void *ctx, struct diag *d)
{
	struct reading *r = malloc(sizeof(*r));
	int err = 0;

	if (!r)
		return diag_set(d, "out of memory");
	r->p = text;
	r->end = text + n;
	r->fn = fn;
	r->ctx = ctx;
	r->at.depth = 0;
	r->wrong = NULL;
	if (value(r)) {
		blanks(r);
		if (r->p < r->end)
			fail(r, "the end of the text");
	}
	if (r->wrong)
		err = diag_set(d, "no JSON: byte %zu is not %s", (size_t)(r->p - text), r->wrong);
	free(r);
	return err;
}

bool json_read_is(const struct json_read_place *at, size_t from, const char *const *names)
{
	size_t i = from;

	while (i < at->depth && *names && !strcmp(at->key[i], *names)) {
		names++;
		i++;
	}
	return i == at->depth && !*names;
}
