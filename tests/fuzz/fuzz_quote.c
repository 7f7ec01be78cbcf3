// SPDX-License-Identifier: GPL-2.0
/* Text, numbers and JSON; what is written has to be what it claims to be. */
#include "fuzz.h"

#include "base/buf.h"
#include "base/json_read.h"

static void no_zero(void *ctx, const struct json_read_place *at, const char *string)
{
	size_t *n = ctx;

	FUZZ_HOLDS(at->depth <= JSON_READ_DEPTH && strlen(string) < JSON_READ_TEXT);
	for (size_t i = 0; i < at->depth; i++)
		*n += strlen(at->key[i]) + at->index[i];
}

/* Of others' text: what is JSON is read, unless it nests too deeply. */
static void read_back(const char *text, size_t n)
{
	struct diag d = { 0 };
	size_t seen = 0;

	if (json_read(text, n, no_zero, &seen, &d))
		FUZZ_HOLDS(strstr(d.message, "nested") || !json_is_valid(text, n));
	diag_fini(&d);
}

static void json(const uint8_t *p, size_t n)
{
	struct buf b = { 0 };

	quote_json(&b, p, n);
	FUZZ_HOLDS(json_is_valid(b.p, b.len));
	/* One line, whatever is in it. */
	FUZZ_HOLDS(!memchr(b.p, '\n', b.len));
	read_back(b.p, b.len);
	read_back((const char *)p, n);
	buf_fini(&b);
}

/* Bytes that a terminal could take for a command must not get through. */
static void quote(const uint8_t *p, size_t n)
{
	struct buf b = { 0 };

	quote_go(&b, p, n);
	FUZZ_HOLDS(b.len >= 2 && b.p[0] == '"' && b.p[b.len - 1] == '"');
	for (size_t i = 0, len; i < b.len; i += len) {
		uint32_t c;

		len = quote_utf8((uint8_t *)b.p + i, b.len - i, &c);
		FUZZ_HOLDS(len && c >= 0x20 && (c < 0x7f || c > 0x9f));
	}
	buf_fini(&b);
}

static void numbers(struct feed *f)
{
	struct buf b = { 0 };
	uint64_t v = feed_u64(f), back;
	double d, d_back;
	float s, s_back;

	memcpy(&d, &v, sizeof(d));
	memcpy(&s, &v, sizeof(s));
	buf_float(&b, d, 8);
	buf_char(&b, 0);
	if (d == d) {
		d_back = strtod(b.p, NULL);
		FUZZ_HOLDS(d_back == d);
	}
	b.len = 0;
	buf_float(&b, s, 4);
	buf_char(&b, 0);
	if (s == s) {
		s_back = strtof(b.p, NULL);
		FUZZ_HOLDS(s_back == s);
	}
	b.len = 0;
	buf_u64(&b, v);
	buf_char(&b, 0);
	back = strtoull(b.p, NULL, 10);
	FUZZ_HOLDS(back == v);
	b.len = 0;
	buf_i64(&b, (int64_t)v);
	buf_char(&b, 0);
	FUZZ_HOLDS(strtoll(b.p, NULL, 10) == (int64_t)v);
	b.len = 0;
	buf_hex(&b, v);
	buf_char(&b, 0);
	FUZZ_HOLDS(strtoull(b.p, NULL, 16) == v);
	buf_duration(&b, v);
	buf_u64_right(&b, v, feed_u8(f));
	buf_digits(&b, v, feed_u8(f) % 21);
	buf_fini(&b);
}

int fuzz_quote(const uint8_t *data, size_t size)
{
	struct feed feed = { data, size };
	uint8_t *p;
	size_t n;

	numbers(&feed);
	p = feed_copy(&feed, 1U << 16, &n);
	json(p, n);
	quote(p, n);
	free(p);
	return 0;
}
