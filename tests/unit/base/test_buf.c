// SPDX-License-Identifier: GPL-2.0
/* Numbers and strings as Go and JSON write them. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/diag.h"
#include "base/plain.h"
#include "rows.h"

static struct buf b;

static void same(const char *want)
{
	buf_char(&b, 0);
	assert_string_equal(b.p, want);
	buf_fini(&b);
}

TEST(test_integers, "integers")
{
	static const struct {
		int64_t v;
		const char *text;
	} cases[] = {
		{ 0, "0" }, { 7, "7" }, { 10, "10" }, { 99, "99" }, { 100, "100" }, { 101, "101" },
		{ -1, "-1" }, { 12345, "12345" }, { INT64_MAX, "9223372036854775807" },
		{ INT64_MIN, "-9223372036854775808" },
	};

	for (size_t i = 0; i < N(cases); i++) {
		buf_i64(&b, cases[i].v);
		same(cases[i].text);
	}
	buf_u64(&b, UINT64_MAX);
	same("18446744073709551615");
	buf_u64_right(&b, 37, 5);
	same("   37");
	buf_u64_right(&b, 123456, 5);
	same("123456");
	buf_digits(&b, 42, 6);
	same("000042");
	buf_hex(&b, 0xc000012340);
	same("0xc000012340");
	buf_hex(&b, 0);
	same("0x0");
}

TEST(test_floats, "floats are the shortest that read back, as Go prints them")
{
	/* The output of fmt.Println of Go. */
	static const struct {
		double v;
		unsigned int size;
		const char *text;
	} cases[] = {
		{ 0, 8, "0" }, { -0.0, 8, "-0" }, { 1, 8, "1" }, { 0.5, 8, "0.5" },
		{ 0.1, 8, "0.1" }, { 0.1 + 0.2, 8, "0.30000000000000004" },
		{ 100000, 8, "100000" }, { 1e6, 8, "1e+06" }, { 1e20, 8, "1e+20" },
		{ 123456789, 8, "1.23456789e+08" }, { 12345.678, 8, "12345.678" },
		{ 0.0001, 8, "0.0001" }, { 0.00001, 8, "1e-05" }, { 1.5e300, 8, "1.5e+300" },
		{ DBL_TRUE_MIN, 8, "5e-324" }, { DBL_MAX, 8, "1.7976931348623157e+308" },
		{ -2.5, 8, "-2.5" }, { 0.1f, 4, "0.1" }, { 16777216, 4, "1.6777216e+07" },
		{ FLT_MAX, 4, "3.4028235e+38" }, { FLT_TRUE_MIN, 4, "1e-45" },
		{ NAN, 8, "NaN" }, { INFINITY, 8, "+Inf" }, { -INFINITY, 4, "-Inf" },
	};

	/* Powers of two: shorter digits read back than the closest that do. */
	static const struct {
		int power;
		unsigned int size;
		const char *text;
	} powers[] = {
		{ -44, 8, "5.684341886080802e-14" }, { -1017, 8, "7.120236347223045e-307" },
		{ -1007, 8, "7.291122019556398e-304" }, { -1022, 8, "2.2250738585072014e-308" },
		{ -24, 8, "5.960464477539063e-08" }, { 1023, 8, "8.98846567431158e+307" },
		{ -12, 4, "0.00024414062" }, { -149, 4, "1e-45" }, { -126, 4, "1.1754944e-38" },
		{ 127, 4, "1.7014118e+38" }, { 90, 4, "1.2379401e+27" }, { 87, 4, "1.5474251e+26" },
		{ -96, 4, "1.2621775e-29" },
	};

	for (size_t i = 0; i < N(cases); i++) {
		buf_float(&b, cases[i].v, cases[i].size);
		same(cases[i].text);
	}
	for (size_t i = 0; i < N(powers); i++) {
		buf_float(&b, ldexp(1, powers[i].power), powers[i].size);
		same(powers[i].text);
	}
	buf_float(&b, -ldexp(1, -44), 8);
	same("-5.684341886080802e-14");
}

TEST(test_durations, "durations have three digits and a unit")
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0ns" }, { 999, "999ns" }, { 1000, "1.00us" }, { 9999, "9.99us" },
		{ 12345, "12.3us" }, { 412345, "412us" }, { 999999, "999us" },
		{ 3100000, "3.10ms" }, { 16600000, "16.6ms" }, { 1250000000, "1.25s" },
		{ 75000000000, "75.0s" }, { 99999999999, "99.9s" }, { 100000000000, "1m40s" },
		{ 1102500000000, "18m22s" }, { 5999000000000, "99m59s" },
		{ 7200000000000, "2h" }, { 7999000000000, "2h13m" },
		{ 172799000000000, "47h59m" }, { 370800000000000, "4d7h" },
		{ UINT64_MAX, "213503d23h" },
	};

	for (size_t i = 0; i < N(cases); i++) {
		buf_duration(&b, cases[i].ns);
		same(cases[i].text);
	}
}

TEST(test_plain, "what strangers have named does not talk to the terminal")
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	struct diag d = { 0 };

	plain_add(&b, "/tmp/\x1b[2J\xc2\x9b\n\x7f");
	same("/tmp/?[2J???");
	plain_add(&b, "gr\xc3\xbc\xc3\x9f \xc2\xb5s \xe2\x82\x82 \xf0\x9f\x98\x80");
	same("gr\xc3\xbc\xc3\x9f \xc2\xb5s \xe2\x82\x82 \xf0\x9f\x98\x80");
	/* Alone they are controls to a terminal of 8 bits. */
	plain_add(&b, "\x9b[2J \xc0\x9b \xe4\xb8");
	same("?[2J ?? ??");
	assert_true(plain_name("main.gr\xc3\xb6\xc3\x9f", 11));
	assert_false(plain_name("main.\x9bm", 7));
	assert_false(plain_name("main.\xc2\x9bm", 8));
	assert_false(plain_name("main\0m", 6));
	/* Bytes behind its end do not belong to it. */
	assert_false(plain_name("\xc3\xbc", 1));

	/* Errors have paths in them. */
	diag_set(&d, "/tmp/\x1b[2J is not\xc2\x9b a file");
	diag_hint(&d, "it is\na b\xc3\xb6k");
	diag_print(&d, "prog", f);
	fclose(f);
	diag_fini(&d);
	assert_string_equal(text, "prog: /tmp/?[2J is not? a file\n    it is?a b\xc3\xb6k\n");
	free(text);
}

TEST(test_strings, "strings are quoted as Go and as JSON, bytes that are no text included")
{
	static const struct {
		const char *s;
		const char *go, *json;
	} cases[] = {
		{ "", "\"\"", "\"\"" },
		{ "plain", "\"plain\"", "\"plain\"" },
		{ "a \"b\" \\", "\"a \\\"b\\\" \\\\\"", "\"a \\\"b\\\" \\\\\"" },
		{ "\n\t\r\b\f", "\"\\n\\t\\r\\b\\f\"", "\"\\n\\t\\r\\b\\f\"" },
		{ "\a\v\x01\x7f", "\"\\a\\v\\x01\\x7f\"", "\"\\u0007\\u000b\\u0001\\u007f\"" },
		{ "gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\"", "\"gr\xc3\xbc\xc3\x9f\"" },
		{ "\xe4\xb8\x96", "\"\xe4\xb8\x96\"", "\"\xe4\xb8\x96\"" },
		{ "\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"", "\"\xf0\x9f\x98\x80\"" },
		/* not UTF-8: alone, overlong, a surrogate, too large, cut off */
		{ "\xff", "\"\\xff\"", "\"\\udcff\"" },
		{ "a\x80z", "\"a\\x80z\"", "\"a\\udc80z\"" },
		{ "\xc0\xaf", "\"\\xc0\\xaf\"", "\"\\udcc0\\udcaf\"" },
		{ "\xed\xa0\x80", "\"\\xed\\xa0\\x80\"", "\"\\udced\\udca0\\udc80\"" },
		{ "\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\"",
		  "\"\\udcf4\\udc90\\udc80\\udc80\"" },
		{ "\xe4\xb8", "\"\\xe4\\xb8\"", "\"\\udce4\\udcb8\"" },
		/* line separators, direction marks, no-break space, byte order mark */
		{ "\xe2\x80\xa8", "\"\\u2028\"", "\"\\u2028\"" },
		{ "\xe2\x80\xae", "\"\\u202e\"", "\"\xe2\x80\xae\"" },
		/* controls of 8 bits, which terminals may obey */
		{ "\xc2\x9b[2J", "\"\\u009b[2J\"", "\"\\u009b[2J\"" },
		{ "\xc2\xa0", "\"\\u00a0\"", "\"\xc2\xa0\"" },
		{ "\xef\xbb\xbf", "\"\\ufeff\"", "\"\xef\xbb\xbf\"" },
	};

	for (size_t i = 0; i < N(cases); i++) {
		size_t n = strlen(cases[i].s);

		quote_go(&b, (const uint8_t *)cases[i].s, n);
		same(cases[i].go);
		quote_json(&b, (const uint8_t *)cases[i].s, n);
		same(cases[i].json);
	}
	quote_json(&b, (const uint8_t *)"a\0b", 3);
	same("\"a\\u0000b\"");
}

/* Text by a terminal's columns, which are not bytes. */
TEST(test_columns, "columns are those of a terminal")
{
	static const struct {
		const char *text;
		size_t blanks;
	} rows[] = {
		{ "main.Gr", 5 },
		{ "main.Gr\303\266\303\237e", 2 },
		{ "main.\xe6\x97\xa5\xe6\x9c\xac", 3 },
		{ "main.e\xcc\x81", 6 },
		{ "main.longer.than", 1 },
		{ "\xff\xff", 10 },
	};

	for (size_t i = 0; i < N(rows); i++) {
		struct buf line = { 0 };

		buf_str(&line, "before ");
		buf_str(&line, rows[i].text);
		plain_pad(&line, strlen("before "), 12);
		assert_int_equal(line.len, strlen("before ") + strlen(rows[i].text) +
					   rows[i].blanks);
		buf_fini(&line);
	}
}

TEST(test_growth, "a buffer grows")
{
	for (int i = 0; i < 100000; i++)
		buf_u64(&b, i % 10);
	assert_int_equal(b.len, 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(b.p[i], '0' + i % 10);
	assert_false(b.failed);
	buf_fini(&b);
}
