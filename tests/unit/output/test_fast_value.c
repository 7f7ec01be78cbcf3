// SPDX-License-Identifier: GPL-2.0
/*
 * The quick way writes what the general way writes. A value that comes from the
 * stack takes the general way, and looks the same.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "recs.h"
#include "rows.h"

static const struct gotype t_code = { .kind = GOTYPE_INT, .name = "main.Code", .size = 8 };
static const struct gotype t_word = { .kind = GOTYPE_UINT, .name = "uintptr", .size = 8 };
static const struct gotype t_duration = { .kind = GOTYPE_INT, .name = "time.Duration", .size = 8 };
static const struct gotype t_odd = { .kind = GOTYPE_INT, .name = "int", .size = 3 };
static const struct gotype t_text = { .kind = GOTYPE_STRING, .name = "main.Text", .size = 16 };
static const struct gotype t_secret = { .kind = GOTYPE_STRING, .name = "main.Secret", .size = 16 };
static const struct gotype t_int8 = { .kind = GOTYPE_INT, .name = "int8", .size = 1 };
static const struct gotype t_uint16 = { .kind = GOTYPE_UINT, .name = "uint16", .size = 2 };

#define TEXT 0x5000

static struct value_case {
	const char *claim;
	const struct gotype *type;
	uint64_t words[2];
	const char *text;	/* at TEXT, or NULL */
	uint32_t status;
	bool missed;		/* its item has failed */
	bool cut;		/* the frame ends in it */
} cases[] = {
	{ "an int", &t_int, { 42 } },
	{ "a negative one", &t_int, { (uint64_t)-42 } },
	{ "the least int", &t_int, { 1ULL << 63 } },
	{ "the largest uint64", &t_uint64, { UINT64_MAX } },
	{ "a power of ten", &t_uint64, { 10000000000000000000U } },
	{ "one less", &t_uint64, { 9999999999999999999U } },
	{ "an int32 whose upper half is anything", &t_int32, { 0xdeadbeeffffffffeULL } },
	{ "a uint8", &t_uint8, { 0xfff } },
	{ "an int8", &t_int8, { 0x80 } },
	{ "a uint16", &t_uint16, { 0x1ffff } },
	{ "true", &t_bool, { 1 } },
	{ "false", &t_bool, { 0 } },
	{ "a type of its own", &t_code, { 3 } },
	{ "an address", &t_word, { 0xc000 } },
	{ "a type with a form of its own", &t_duration, { 1500000000 } },
	{ "an impossible size", &t_odd, { 3 } },
	{ "a string", &t_string, { TEXT, 5 }, "A-119" },
	{ "a longer one", &t_string, { TEXT, 17 }, "0123456789abcdefg" },
	{ "one of whole words", &t_string, { TEXT, 16 }, "0123456789abcdef" },
	{ "its beginning", &t_string, { TEXT, 9 }, "0123456789abcdef" },
	{ "one that begins in another", &t_string, { TEXT + 3, 9 }, "0123456789abcdef" },
	{ "no bytes", &t_string, { 0, 0 } },
	{ "quotes and backslashes", &t_string, { TEXT, 12 }, "a\"bc\\defghij" },
	{ "a quote in the last byte", &t_string, { TEXT, 9 }, "12345678\"" },
	{ "control characters", &t_string, { TEXT, 12 }, "a\nb\x1b[31mxyz1" },
	{ "the byte 127", &t_string, { TEXT, 10 }, "abcdefgh\x7fi" },
	{ "letters of two bytes", &t_string, { TEXT, 12 }, "gr\xc3\xbc\xc3\x9f gott\xc3\xa9" },
	{ "what is no UTF-8", &t_string, { TEXT, 8 }, "abc\xff\xfe\xfd\xfc!" },
	{ "a string that was cut", &t_string, { TEXT, 4096 }, "GET /version" },
	{ "an unavailable value", &t_string, { TEXT, 10 }, NULL, GOPROBE_CHUNK_FAULT },
	{ "one that was not followed", &t_string, { TEXT, 10 } },
	{ "an impossible length", &t_string, { TEXT, UINT64_MAX }, "x" },
	{ "a string of a type of its own", &t_text, { TEXT, 5 }, "A-119" },
	{ "a redacted string", &t_secret, { TEXT, 5 }, "A-119" },
	{ "an item that failed", &t_int, { 0 }, .missed = true },
	{ "a frame that is too short", &t_string, { TEXT, 5 }, "A-119", .cut = true },
	{ "what is not quick at all", &t_float64, { 0x3ff8000000000000 } },
	{ "something in an interface", &t_any, { 0, 0 } },
};

static void line(const struct value_case *row, const struct output_format *format, bool stack,
		 struct output *o)
{
	const struct plan_value values[] = {
		{ .name = "first", .type = &t_int, .stack = stack },
		{ .name = "it", .type = row->type, .offset = 8, .stack = stack },
		{ .name = "_", .type = &t_bool, .offset = 24, .stack = stack },
		{ .name = "~p3", .type = &t_string, .unavailable = "its place is not known" },
		{ .name = "last", .type = &t_uint32, .offset = 28, .stack = stack },
	};
	const struct gofunc fn = { .name = "main.f" };
	const struct plan_func f = {
		.fn = &fn, .call = { .values = values, .nvalues = N(values), .size = 32 },
	};
	struct output_event e = {
		.kind = OUTPUT_CALL, .fn = &f, .rec = &recs_record, .v = &recs_ctx};
	const uint64_t frame[] = {
		(uint64_t)-7, row->words[0], row->words[1], 1 | 99ULL << 32,
	};

	recs_begin();
	if (row->text)
		recs_put(TEXT, row->text, strlen(row->text));
	if (row->status)
		recs_missing(TEXT, GOPROBE_TYPE_BYTES, row->status);
	if (row->missed)
		recs_missing(1, GOPROBE_TYPE_MISSED, GOPROBE_CHUNK_NIL);
	recs_record.frame = (const uint8_t *)frame;
	recs_record.frame_size = row->cut ? 20 : sizeof(frame);
	value_record(&recs_ctx, &recs_record);
	output_init(o, format, -1);
	o->epoch = 0;
	/* Twice: what is remembered is used again. */
	format->event(o, &e);
	format->event(o, &e);
	buf_char(&o->buf, 0);
	recs_record.frame = NULL;
	recs_end();
}

ROWS(test_row, cases)
{
	static const struct output_format *const formats[] = { &out_text, &out_json };

	for (size_t i = 0; i < N(formats); i++) {
		struct output quick, general;

		line(*state, formats[i], false, &quick);
		line(*state, formats[i], true, &general);
		assert_string_equal(quick.buf.p, general.buf.p);
		assert_non_null(strstr(quick.buf.p, "first"));
		output_fini(&quick);
		output_fini(&general);
	}
}
