// SPDX-License-Identifier: GPL-2.0
/* value/std_big.c: numbers of any size; and value/std_slog.c: what holds a number beside a type. */
#include <string.h>

#include "recs.h"
#include "rows.h"

#define SAYS assert_string_equal

static const struct gotype t_word = TYPE(UINT, "math/big.Word", 8);
static const struct gotype t_nat = TYPE(SLICE, "math/big.nat", 24, .elem = &t_word);
static const struct gofield int_fields[] = { { "neg", &t_bool, 0 }, { "abs", &t_nat, 8 } };
static const struct gotype t_bigint = TYPE(STRUCT, "math/big.Int", 32, FIELDS(int_fields));
static const struct gotype p_bigint = TYPE(POINTER, "*math/big.Int", 8, .elem = &t_bigint);
static const struct gofield rat_fields[] = { { "a", &t_bigint, 0 }, { "b", &t_bigint, 32 } };
static const struct gotype t_rat = TYPE(STRUCT, "math/big.Rat", 64, FIELDS(rat_fields));
static const struct gofield float_fields[] = {
	{ "prec", &t_uint32, 0 }, { "mode", &t_uint8, 4 }, { "acc", &t_uint8, 5 },
	{ "form", &t_uint8, 6 }, { "neg", &t_bool, 7 }, { "mant", &t_nat, 8 },
	{ "exp", &t_int32, 32 },
};

static const struct gotype t_float = TYPE(STRUCT, "math/big.Float", 40, FIELDS(float_fields));

#define INT(neg, len) SHOW(&t_bigint, neg, 0x100, len, 9)

TEST(test_int, "a big.Int has its digits")
{
	recs_begin();
	PUT(0x100, 1000000000000000000, 5, 0x8000000000000000);
	SAYS(SHOW(&t_bigint, 0, 0, 0, 0), "0");
	SAYS(INT(0, 1), "1000000000000000000");
	SAYS(INT(1, 1), "-1000000000000000000");
	SAYS(INT(0, 2), "93233720368547758080");
	SAYS(INT(0, 3), "3138550867693340381917894711603833208144411442600565014528");
	SAYS(JSON(&t_bigint, 1, 0x100, 1, 1),
	     "{'neg':true,'abs':[1000000000000000000]},'text':'-1000000000000000000'");
	PUT(0x200, 1, 0x100, 1, 1);
	SAYS(SHOW(&p_bigint, 0x200), "&-1000000000000000000");
	SAYS(SHOW(&t_any, recs_type(&p_bigint, true), 0x200), "&big.Int(-1000000000000000000)");
	/* What is not all there is no number. */
	SAYS(SHOW(&t_bigint, 0, 0x100, 4, 4),
	     "big.Int{neg: false, abs: big.nat{1000000000000000000, 5, 9223372036854775808, ...} (len 4)}");
	SAYS(SHOW(&t_bigint, 0, 0x9000, 1, 1), "big.Int{neg: false, abs: big.nat<beyond --depth> (len 1)}");
	recs_end();
}

TEST(test_rat, "a big.Rat is a fraction")
{
	recs_begin();
	PUT(0x100, 22, 7);
	SAYS(SHOW(&t_rat, 1, 0x100, 1, 1, 0, 0x108, 1, 1), "-22/7");
	SAYS(SHOW(&t_rat, 0, 0x100, 1, 1, 0, 0, 0, 0), "22/1");
	SAYS(SHOW(&t_rat, 0, 0, 0, 0, 0, 0, 0, 0), "0/1");
	recs_end();
}

/* With the words that package math/big has of these numbers. */
TEST(test_float, "a big.Float is rounded as String() does")
{
	static const struct {
		uint8_t form;
		bool neg;
		uint64_t mant;
		int32_t exp;
		const char *text;
	} rows[] = {
		{ 0, 0, 0, 0, "0" }, { 0, 1, 0, 0, "-0" }, { 2, 0, 0, 0, "+Inf" },
		{ 2, 1, 0, 0, "-Inf" },
		{ 1, 0, 0xc000000000000000, 1, "1.5" }, { 1, 1, 0xc000000000000000, 0, "-0.75" },
		{ 1, 0, 0xee6b280000000000, 30, "1000000000" },
		{ 1, 0, 0x9502f90000000000, 34, "1e+10" },
		{ 1, 0, 0x9502f8fffe000000, 34, "1e+10" },
		{ 1, 0, 0xd1b71758e2196800, -13, "0.0001" },
		{ 1, 0, 0xa7c5ac471b478800, -16, "1e-05" },
		/* Exactly between two: the even one. */
		{ 1, 0, 0x9502f90500000000, 31, "1250000002" },
		{ 1, 0, 0x9502f90700000000, 31, "1250000004" },
		{ 1, 0, 0x8000000000000000, 1000, "5.357543036e+300" },
		{ 1, 0, 0x8000000000000000, -1000, "4.666318093e-302" },
	};

	for (size_t i = 0; i < N(rows); i++) {
		uint64_t head = 53 | (uint64_t)rows[i].form << 48 | (uint64_t)rows[i].neg << 56;

		recs_begin();
		PUT(0x100, rows[i].mant);
		SAYS(SHOW(&t_float, head, 0x100, 1, 1, (uint32_t)rows[i].exp), rows[i].text);
		recs_end();
	}
	recs_begin();
	PUT(0x100, 0xc000000000000000);
	/* It has too many digits. */
	SAYS(SHOW(&t_float, 53 | 1ULL << 48, 0x100, 1, 1, 0x7fffffff),
	     "big.Float{prec: 53, mode: 0, acc: 0, form: 1, neg: false, mant: big.nat{13835058055282163712}, exp: 2147483647}");
	recs_end();
}

static const struct gotype t_kind = TYPE(INT, "log/slog.Kind", 8);
static const struct gotype t_stringptr = TYPE(POINTER, "log/slog.stringptr", 8, .elem = &t_uint8);
static const struct gofield value_fields[] = { { "num", &t_uint64, 0 }, { "any", &t_any, 8 } };
static const struct gotype t_value = TYPE(STRUCT, "log/slog.Value", 24, FIELDS(value_fields));
static const struct gofield attr_fields[] = { { "Key", &t_string, 0 }, { "Value", &t_value, 16 } };
static const struct gotype t_attr = TYPE(STRUCT, "log/slog.Attr", 40, FIELDS(attr_fields));
static const struct gotype t_group = TYPE(POINTER, "log/slog.groupptr", 8, .elem = &t_attr);
static const struct gotype t_location = TYPE(STRUCT, "time.Location", 8);
static const struct gotype t_place = TYPE(POINTER, "log/slog.timeLocation", 8, .elem = &t_location);

TEST(test_slog, "a slog.Value is what its kind says")
{
	uint64_t kind, text, group, place, boxed;

	recs_begin();
	kind = recs_type(&t_kind, false);
	text = recs_type(&t_stringptr, true);
	group = recs_type(&t_group, true);
	place = recs_type(&t_place, true);
	boxed = recs_type(&t_int, false);
	PUT(0x100, 1, 2, 3, 4, 7, 99);
	recs_text(0x200, "hunter2");
	recs_text(0x300, "password");
	SAYS(SHOW(&t_value, 1, kind, 0x100), "slog.Value(true)");
	SAYS(SHOW(&t_value, 1500000000, kind, 0x108), "slog.Value(1.5s)");
	SAYS(SHOW(&t_value, 0x3ff8000000000000, kind, 0x110), "slog.Value(1.5)");
	SAYS(SHOW(&t_value, -5ULL, kind, 0x118), "slog.Value(-5)");
	SAYS(SHOW(&t_value, -5ULL, kind, 0x120), "slog.Value(18446744073709551611)");
	SAYS(SHOW(&t_value, 0, place, 0), "slog.Value(time.Time{})");
	SAYS(SHOW(&t_value, 1500000000, place, 0x400), "slog.Value(1970-01-01T00:00:01.5Z)");
	SAYS(SHOW(&t_value, 7, text, 0x200), "slog.Value(\"hunter2\")");
	SAYS(SHOW(&t_value, 9, text, 0x200), "slog.Value(\"hunter2\"... (len 9))");
	SAYS(SHOW(&t_value, 0, boxed, 0x100), "slog.Value(1)");
	SAYS(SHOW(&t_value, 0, 0, 0), "slog.Value(nil)");
	/* No kind of a number. */
	SAYS(SHOW(&t_value, 5, kind, 0x128), "slog.Value{num: 5, any: slog.Kind(99)}");
	PUT(0x500, 0x200, 6, 7, text, 0x200, 0x300, 8, 7, text, 0x200);
	SAYS(SHOW(&t_attr, 0x200, 6, 7, text, 0x200), "slog.Attr{Key: \"hunter\", Value: \"hunter2\"}");
	SAYS(SHOW(&t_attr, 0x300, 8, 7, text, 0x200), "slog.Attr{Key: \"password\", Value: <redacted>}");
	SAYS(SHOW(&t_value, 2, group, 0x500),
	     "slog.Value([]slog.Attr{{Key: \"hunter\", Value: \"hunter2\"}, {Key: \"password\", Value: <redacted>}})");
	SAYS(JSON(&t_value, 7, text, 0x200),
	     "{'num':7,'any':{'type':'log/slog.stringptr','address':'0x200','value':'0x200','to':104}},'text':'hunter2'");
	SAYS(JSON(&t_value, -5ULL, kind, 0x118),
	     "{'num':18446744073709551611,'any':{'type':'log/slog.Kind','address':'0x118','value':4}},'text':'-5'");
	recs_end();
}
