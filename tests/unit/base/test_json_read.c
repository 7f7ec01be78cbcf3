// SPDX-License-Identifier: GPL-2.0
/* Strings of JSON that nobody trusts: what is read, what is left out, what is refused. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/json_read.h"
#include "rows.h"

/* "a.0.b=text;" for each string. */
static void put(void *ctx, const struct json_read_place *at, const char *string)
{
	struct buf *b = ctx;

	for (size_t i = 0; i < at->depth; i++) {
		if (i)
			buf_char(b, '.');
		if (at->key[i][0])
			buf_str(b, at->key[i]);
		else
			buf_u64(b, at->index[i]);
	}
	buf_char(b, '=');
	buf_str(b, string);
	buf_char(b, ';');
}

#define DEEP8 "[[[[[[[["

static const struct json_row {
	const char *claim, *text, *want, *message;
} texts[] = {
	{ "members", "{\"a\":\"x\", \"b\" : {\"c.d\":\"y\"},\n\"e\":1}", "a=x;b.c.d=y;", NULL },
	{ "lists", "[{\"id\":\"1\",\"names\":[\"a\",\"b\"]},{\"id\":\"2\"}]",
	  "0.id=1;0.names.0=a;0.names.1=b;1.id=2;", NULL },
	{ "a string alone", " \"x\" ", "=x;", NULL },
	{ "no strings", "[1,-2.5e3,true,false,null,{},[]]", "", NULL },
	{ "escapes", "[\"\\\"\\\\\\/\\n\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"]",
	  "0=\"\\/\nA\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80;", NULL },
	{ "half a character", "[\"\\ud83d\\u0041\",\"\\ude00\"]",
	  "0=\xef\xbf\xbd\x41;1=\xef\xbf\xbd;", NULL },
	{ "a string with a zero is left out", "[\"a\\u0000b\",\"c\"]", "1=c;", NULL },
	{ "the last of two members of one name", "{\"a\":\"x\",\"a\":\"y\"}", "a=x;a=y;", NULL },
	{ "nothing", "", "", "no JSON: byte 0 is not a value" },
	{ "a text that ends in an object", "{\"a\":\"x\"", "a=x;",
	  "no JSON: byte 8 is not ',' or '}'" },
	{ "a text that ends in a string", "{\"a", "",
	  "no JSON: byte 3 is not the end of a string" },
	{ "a text that ends in an escape", "[\"\\", "",
	  "no JSON: byte 3 is not the end of a string" },
	{ "a text that ends in a character", "[\"\\u00", "",
	  "no JSON: byte 6 is not four hexadecimal digits" },
	{ "an end of line in a string", "[\"a\nb\"]", "",
	  "no JSON: byte 3 is not the end of a string" },
	{ "an unknown escape", "[\"\\x41\"]", "",
	  "no JSON: byte 3 is not an escape that JSON has" },
	{ "a member without a name", "{1:2}", "", "no JSON: byte 1 is not a member's name" },
	{ "a member without a value", "{\"a\":}", "", "no JSON: byte 5 is not a value" },
	{ "a member without a colon", "{\"a\" 1}", "", "no JSON: byte 5 is not ':'" },
	{ "a bracket of the other kind", "[1}", "", "no JSON: byte 2 is not ',' or ']'" },
	{ "two values", "{} {}", "", "no JSON: byte 3 is not the end of the text" },
	{ "32 lists in each other", DEEP8 DEEP8 DEEP8 DEEP8 "\"x\"]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
	  "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0=x;", NULL },
	{ "33 lists in each other", DEEP8 DEEP8 DEEP8 DEEP8 "[", "",
	  "no JSON: byte 33 is not a value that is nested less deeply" },
};

ROWS(test_text, texts)
{
	const struct json_row *row = *state;
	struct diag d = { 0 };
	struct buf b = { 0 };
	int err = json_read(row->text, strlen(row->text), put, &b, &d);

	assert_int_equal(err, row->message ? -1 : 0);
	rows_expect_diag(&d, row->message, NULL, NULL, NULL);
	buf_char(&b, 0);
	assert_string_equal(b.p, row->want);
	buf_fini(&b);
	diag_fini(&d);
}

/* ["xx...",  "y"] with a string of @n characters. */
static void expect_long(size_t n, const char *want)
{
	struct diag d = { 0 };
	struct buf text = { 0 }, b = { 0 };

	buf_str(&text, "[\"");
	buf_fill(&text, 'x', n);
	buf_str(&text, "\",\"y\"]");
	assert_int_equal(json_read(text.p, text.len, put, &b, &d), 0);
	buf_char(&b, 0);
	assert_string_equal(strchr(b.p, '=') ? b.p + strlen(b.p) - strlen(want) : "", want);
	assert_int_equal(b.p[0], n < JSON_READ_TEXT ? '0' : '1');
	buf_fini(&text);
	buf_fini(&b);
}

TEST(long_strings, "a string that is too long is left out, not cut")
{
	expect_long(JSON_READ_TEXT - 1, "x;1=y;");
	expect_long(JSON_READ_TEXT, "1=y;");
	expect_long(100000, "1=y;");
}

static void name(void *ctx, const struct json_read_place *at, const char *string)
{
	static const char *const wanted[] = { "a", "b", NULL };
	struct buf *b = ctx;

	if (json_read_is(at, 1, wanted))
		buf_str(b, string);
}

TEST(places, "a place is what all its names say")
{
	static const char text[] =
	"[{\"a\":{\"b\":\"yes\",\"c\":\"1\"}},{\"a\":\"2\",\"b\":\"3\"},{\"a\":{\"b\":{}}}]";
	struct diag d = { 0 };
	struct buf b = { 0 };

	assert_int_equal(json_read(text, strlen(text), name, &b, &d), 0);
	buf_char(&b, 0);
	assert_string_equal(b.p, "yes");
	buf_fini(&b);
}
