// SPDX-License-Identifier: GPL-2.0
/* Bytes and types to Go-looking text and to JSON. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recs.h"
#include "rows.h"
#include "value/decode.h"

static const struct gotype t_int8 = TYPE(INT, "int8", 1);
static const struct gotype t_uint16 = TYPE(UINT, "uint16", 2);
static const struct gotype t_code = TYPE(INT, "main.Code", 8);
static const struct gotype t_float32 = TYPE(FLOAT, "float32", 4);
static const struct gotype t_complex64 = TYPE(COMPLEX, "complex64", 8);
static const struct gotype t_complex128 = TYPE(COMPLEX, "complex128", 16);
static const struct gotype t_name = TYPE(STRING, "main.Name", 16);
static const struct gotype t_odd_int = TYPE(INT, "int24", 3);
static const struct gotype t_unknown = TYPE(UNKNOWN, "main.Odd", 8);
static const struct gotype t_register = TYPE(POINTER, GOTYPE_REGISTER, 8);
static const struct gotype t_map = TYPE(MAP, "map[string]int", 8);
static const struct gotype t_chan = TYPE(CHAN, "chan int", 8);
static const struct gotype t_func = TYPE(FUNC, "func(int) string", 8);
static const struct gotype t_raw = TYPE(SLICE, "json.RawMessage", 24, .elem = &t_uint8);
static const struct gotype t_int_array = TYPE(ARRAY, "[3]int", 24, .elem = &t_int, .count = 3);
static const struct gotype t_no_array = TYPE(ARRAY, "[0]int", 0, .elem = &t_int);
static const struct gotype t_false_array = TYPE(ARRAY, "[9]int", 24, .elem = &t_int, .count = 9);

static const struct gofield item_fields[] = {
	{ "ID", &t_int, 0 }, { "_", &t_int, 8 }, { "Name", &t_string, 16 },
};

static const struct gotype t_item = TYPE(STRUCT, "main.Item", 32, FIELDS(item_fields));
static const struct gotype t_items = TYPE(SLICE, "[]main.Item", 24, .elem = &t_item);
static const struct gotype t_empty = TYPE(STRUCT, "struct {}", 0);
static const struct gotype t_empties = TYPE(SLICE, "[]struct {}", 24, .elem = &t_empty);

static const struct gofield false_fields[] = { { "A", &t_int, 0 }, { "B", &t_int, 12 } };
static const struct gotype t_false_struct = TYPE(STRUCT, "main.F", 16, FIELDS(false_fields));

static const struct gotype t_item_pointer = TYPE(POINTER, "*main.Item", 8, .elem = &t_item);
static const struct gotype t_self = TYPE(SLICE, "main.Self", 24, .elem = &t_self);

static const uint64_t words_12[] = { 1, 2 };
static const uint64_t words_strings[] = { 0x5000, 5, 0x9999, 3 };
static const uint64_t words_items[] = { 7, 0, 0x5000, 5, 8, 0, 0, 0 };
static const uint64_t words_type[] = { 0x4a0000 };
static const uint64_t words_self[] = { 0x5700, 2, 2, 0x5700, 2, 2 };

#define CHUNK(address_, type_, size_, status_, data_) { \
	.address = (address_), .type = (type_), .size = (size_), .status = (status_), \
	.data = (const uint8_t *)(data_), \
}

/* Chunks at fixed addresses, to which the records of all cases refer. */
static const struct record_chunk chunks[] = {
	CHUNK(0x5000, GOPROBE_TYPE_BYTES, 5, GOPROBE_CHUNK_OK, "hello"),
	CHUNK(0x5100, GOPROBE_TYPE_BYTES, 3, GOPROBE_CHUNK_OK, "\x01\xff\x00"),
	CHUNK(0x5200, 1, 16, GOPROBE_CHUNK_OK, words_12),
	CHUNK(0x5300, 2, 32, GOPROBE_CHUNK_OK, words_strings),
	CHUNK(0x5400, 3, 64, GOPROBE_CHUNK_OK, words_items),
	CHUNK(0x5500, 4, 0, GOPROBE_CHUNK_FAULT, ""),
	CHUNK(0x5600, 4, 0, GOPROBE_CHUNK_BAD, ""),
	CHUNK(0x5608, GOPROBE_TYPE_ITAB, 8, GOPROBE_CHUNK_OK, words_type),
	CHUNK(0x5700, 5, 48, GOPROBE_CHUNK_OK, words_self),
	CHUNK(0x5800, GOPROBE_TYPE_BYTES, 2, GOPROBE_CHUNK_OK, "\xc3\xbc"),
	CHUNK(0x5900, GOPROBE_TYPE_BYTES, 0, GOPROBE_CHUNK_OK, ""),
	CHUNK(0x5a00, 4, 0, GOPROBE_CHUNK_REMOTE, ""),
	CHUNK(0x5b00, 4, 0, GOPROBE_CHUNK_LOCKED, ""),
};

static bool dynamic(void *ctx, uint64_t address, struct value_dynamic *ret)
{
	(void)ctx;
	if (address != 0x4a0000)
		return false;
	ret->name = "*errors.errorString";
	return true;
}

static const struct value_env env = { .dynamic = dynamic, .unread = recs_unread };

#define W(...) { .words = { __VA_ARGS__ } }

static struct row {
	const char *claim;
	const struct gotype *type;
	union {
		uint64_t words[8];
		int64_t ints[8];
		double doubles[8];
		float floats[16];
		uint8_t bytes[64];
	} v;
	const char *text, *json;	/* json: with ' for ", NULL: any */
} cases[] = {
	{ "false", &t_bool, W(0), "false", "'value':false" },
	{ "true", &t_bool, W(1), "true", "'value':true" },
	{ "int", &t_int, { .ints = { -42 } }, "-42", "'value':-42" },
	{ "int8 is its low byte", &t_int8, W(0xffffff80), "-128", "'value':-128" },
	{ "int32 is its low half", &t_int32, W(0x1ffffffff), "-1", "'value':-1" },
	{ "uint8", &t_uint8, W(0xff), "255", "'value':255" },
	{ "uint16", &t_uint16, W(0x1ffff), "65535", "'value':65535" },
	{ "uint64, beyond what a double holds", &t_uint64, W(UINT64_MAX),
	  "18446744073709551615", "'value':18446744073709551615" },
	{ "a named integer is converted", &t_code, W(1500), "main.Code(1500)",
	  "'value':1500" },
	{ "float64", &t_float64, { .doubles = { 0.1 } }, "0.1", "'value':0.1" },
	{ "float32", &t_float32, { .floats = { 0.1f } }, "0.1", "'value':0.1" },
	{ "NaN is a string in JSON", &t_float64, W(0x7ff8000000000001), "NaN", "'value':'NaN'" },
	{ "so is infinity", &t_float64, W(0xfff0000000000000), "-Inf", "'value':'-Inf'" },
	{ "complex128", &t_complex128, { .doubles = { 1, -2.5 } }, "(1-2.5i)",
	  "'value':[1,-2.5]" },
	{ "complex64", &t_complex64, { .floats = { 0.5f, 2 } }, "(0.5+2i)", "'value':[0.5,2]" },
	{ "complex infinity has one sign", &t_complex128, W(0, 0x7ff0000000000000), "(0+Infi)",
	  "'value':[0,'+Inf']" },

	{ "string", &t_string, W(0x5000, 5), "\"hello\"", "'value':'hello'" },
	{ "the empty string points anywhere", &t_string, W(0x1234, 0), "\"\"", "'value':''" },
	{ "a cut string says how long it is", &t_string, W(0x5000, 300), "\"hello\"... (len 300)",
	  "'value':'hello','truncated':true,'len':300" },
	{ "a string within a captured one", &t_string, W(0x5000, 2), "\"he\"", "'value':'he'" },
	{ "a string that was not captured", &t_string, W(0x9999, 3), "<beyond --depth>",
	  "'unavailable':'beyond --depth','len':3" },
	{ "a string of which no byte was wanted", &t_string, W(0x5900, 3), "\"\"... (len 3)",
	  "'value':'','truncated':true,'len':3" },
	{ "a string in unmapped memory", &t_string, W(0x5500, 3), "<no readable memory>",
	  "'unavailable':'no readable memory','len':3" },
	{ "a string on a remote file system", &t_string, W(0x5a00, 3),
	  "<not in memory, on a remote file system>",
	  "'unavailable':'not in memory, on a remote file system','len':3" },
	{ "a string in memory that was locked", &t_string, W(0x5b00, 3),
	  "<not in memory, mappings locked>",
	  "'unavailable':'not in memory, mappings locked','len':3" },
	{ "a string of an impossible length", &t_string, W(0x5600, UINT64_MAX),
	  "<impossible length>",
	  "'unavailable':'impossible length','len':18446744073709551615" },
	{ "a string that is not text", &t_string, W(0x5100, 3), "\"\\x01\\xff\\x00\"",
	  "'value':'\\u0001\\udcff\\u0000'" },
	{ "a named string is converted", &t_name, W(0x5000, 5), "main.Name(\"hello\")",
	  "'value':'hello'" },

	{ "bytes that are text", &t_bytes, W(0x5000, 5, 5), "[]byte(\"hello\")",
	  "'value':'hello'" },
	{ "bytes that are not", &t_bytes, W(0x5100, 3, 3), "[]byte{0x01, 0xff, 0x00}",
	  "'value':'\\u0001\\udcff\\u0000'" },
	{ "cut bytes", &t_bytes, W(0x5000, 9, 16), "[]byte(\"hello\"...) (len 9)",
	  "'value':'hello','truncated':true,'len':9" },
	{ "text cut within a character is text", &t_bytes, W(0x5800, 2, 2), "[]byte(\"\xc3\xbc\")",
	  "'value':'\xc3\xbc'" },
	{ "no bytes", &t_bytes, W(0x5000, 0, 5), "[]byte{}", "'value':''" },
	{ "nil bytes", &t_bytes, W(0, 0, 0), "nil", "'value':null" },
	{ "named bytes keep their name", &t_raw, W(0x5000, 5, 5), "json.RawMessage(\"hello\")",
	  "'value':'hello'" },

	{ "slice", &t_ints, W(0x5200, 2, 2), "[]int{1, 2}", "'value':[1,2]" },
	{ "a cut slice", &t_ints, W(0x5200, 100, 128), "[]int{1, 2, ...} (len 100)",
	  "'value':[1,2],'truncated':true,'len':100" },
	{ "a slice whose second half was wanted by nobody", &t_ints, W(0x5200, 1, 2), "[]int{1}",
	  "'value':[1]" },
	{ "an empty slice", &t_ints, W(0x5200, 0, 0), "[]int{}", "'value':[]" },
	{ "a nil slice", &t_ints, W(0, 0, 0), "nil", "'value':null" },
	{ "a slice in unmapped memory", &t_ints, W(0x5500, 4, 4),
	  "[]int<no readable memory> (len 4)",
	  "'unavailable':'no readable memory','len':4" },
	{ "a slice longer than its capacity is garbage", &t_ints, W(0x5200, 2, 1),
	  "[]int<impossible length> (len 2)", "'unavailable':'impossible length','len':2" },
	{ "a slice with a length that overflows is garbage", &t_ints,
	  W(0x5200, 1ULL << 61, 1ULL << 61),
	  "[]int<impossible length> (len 2305843009213693952)",
	  "'unavailable':'impossible length','len':2305843009213693952" },
	{ "a slice of nothing", &t_empties, W(0x5200, 3, 3), "[]struct {}{{}, {}, {}}",
	  "'value':[{},{},{}]" },
	{ "strings in a slice; one is missing", &t_strings, W(0x5300, 2, 2),
	  "[]string{\"hello\", <beyond --depth>}",
	  "'value':['hello',{'type':'string','unavailable':'beyond --depth','len':3}]" },
	{ "structs in a slice leave out their type", &t_items, W(0x5400, 2, 2),
	  "[]main.Item{{ID: 7, Name: \"hello\"}, {ID: 8, Name: \"\"}}",
	  "'value':[{'ID':7,'Name':'hello'},{'ID':8,'Name':''}]" },
	{ "decoding of a slice that holds itself ends", &t_self, W(0x5700, 1, 1), NULL, NULL },

	{ "array", &t_int_array, W(1, 2, 3), "[3]int{1, 2, 3}", "'value':[1,2,3]" },
	{ "an empty array", &t_no_array, W(0), "[0]int{}", "'value':[]" },
	{ "struct, without its blank fields", &t_item, W(7, 9, 0x5000, 5),
	  "main.Item{ID: 7, Name: \"hello\"}", "'value':{'ID':7,'Name':'hello'}" },
	{ "a cut string in a struct is described", &t_item, W(7, 9, 0x5000, 6),
	  "main.Item{ID: 7, Name: \"hello\"... (len 6)}",
	  "'value':{'ID':7,'Name':{'type':'string','value':'hello','truncated':true,'len':6}}" },
	{ "an empty struct", &t_empty, W(0), "struct {}{}", "'value':{}" },

	{ "pointer", &t_item_pointer, W(0xc000012340), "(*main.Item)(0xc000012340)",
	  "'value':'0xc000012340'" },
	{ "a nil pointer", &t_item_pointer, W(0), "nil", "'value':null" },
	{ "a register", &t_register, W(0x10), "register(0x10)", "'value':'0x10'" },
	{ "a register that is 0 is not nil", &t_register, W(0), "register(0x0)", "'value':'0x0'" },
	{ "unsafe.Pointer", &t_unsafe, W(0x10), "unsafe.Pointer(0x10)", "'value':'0x10'" },
	{ "map", &t_map, W(0xc000012340), "map[string]int(0xc000012340)<unknown layout>",
	  "'value':{'type':'map[string]int','address':'0xc000012340','unavailable':'unknown layout'}"
	},
	{ "a nil map", &t_map, W(0), "nil", "'value':null" },
	{ "channel", &t_chan, W(0x20), "(chan int)(0x20)<unknown layout>",
	  "'value':{'type':'chan int','address':'0x20','unavailable':'unknown layout'}"
	},
	{ "function", &t_func, W(0x30), "(func(int) string)(0x30)",
	  "'value':{'type':'func(int) string','address':'0x30','unavailable':'beyond --depth'}"
	},

	{ "an error, through its itab", &t_error, W(0x5600, 0xc000),
	  "(*errors.errorString)(0xc000)<unknown type>",
	  "'value':{'type':'*errors.errorString','address':'0xc000','unavailable':'unknown type'}"
	},
	{ "a nil error", &t_error, W(0, 0), "nil", "'value':null" },
	{ "an error whose itab was not captured", &t_error, W(0x7777, 0xc000),
	  "error(beyond --depth, 0xc000)",
	  "'value':{'type':null,'address':'0xc000','unavailable':'beyond --depth'}" },
	{ "an empty interface has its type in its first word", &t_any, W(0x4a0000, 0xc000),
	  "(*errors.errorString)(0xc000)<unknown type>",
	  "'value':{'type':'*errors.errorString','address':'0xc000','unavailable':'unknown type'}"
	},
	{ "a type without a name shows its address", &t_any, W(0x4b0000, 0xc000),
	  "any(type 0x4b0000, 0xc000)",
	  "'value':{'type':null,'type_address':'0x4b0000','address':'0xc000','unavailable':'unknown type'}"
	},

	{ "a type that is not known", &t_unknown, W(1), "<unknown type>",
	  "'unavailable':'unknown type'" },
	{ "no type at all", NULL, W(1), "<unknown type>", "'unavailable':'unknown type'" },
	{ "an integer of three bytes", &t_odd_int, W(1), "<impossible type>",
	  "'unavailable':'impossible type'" },
	{ "an array larger than itself", &t_false_array, W(1, 2, 3), "<impossible type>",
	  "'unavailable':'impossible type'" },
	{ "a field that sticks out", &t_false_struct, W(1, 2), "main.F{A: 1, B: <impossible type>}",
	  "'value':{'A':1,'B':{'type':'int','unavailable':'impossible type'}}" },
};

static void render(struct buf *b, const struct gotype *t, const void *p, size_t len, bool json)
{
	static struct value_ctx v;

	/* A copy of its own, so that the sanitizer sees a step too far. */
	uint8_t *copy = malloc(len ? len : 1);

	memcpy(copy, p, len);
	recs_record.frame = copy;
	recs_record.frame_size = len;
	value_init(&v, &env);
	value_record(&v, &recs_record);
	value_start(&v, b);
	(json ? value_json : value_text)(&v, b, t, copy, len);
	free(copy);
	value_fini(&v);
	assert_int_equal(v.depth, 0);
	buf_char(b, 0);
}

static void single_quotes(struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (b->p[i] == '"')
			b->p[i] = '\'';
}

ROWS(test_row, cases)
{
	const struct row *row = *state;
	struct buf b = { 0 };

	render(&b, row->type, &row->v, row->type ? row->type->size : 8, false);
	if (row->text)
		assert_string_equal(b.p, row->text);
	assert_true(b.len < 1 << 20);
	b.len = 0;
	render(&b, row->type, &row->v, row->type ? row->type->size : 8, true);
	single_quotes(&b);
	if (row->json)
		assert_string_equal(b.p, row->json);
	assert_true(b.len < 4 << 20);
	buf_fini(&b);
}

TEST(test_short, "bytes that end too early are no value")
{
	struct buf b = { 0 };

	for (size_t i = 0; i < N(cases); i++) {
		if (!cases[i].type || !cases[i].type->size)
			continue;
		for (int json = 0; json < 2; json++) {
			b.len = 0;
			render(&b, cases[i].type, &cases[i].v, cases[i].type->size - 1, json);
			assert_non_null(strstr(b.p, "type"));
		}
	}
	buf_fini(&b);
}

TEST(test_budget, "there is a limit to the values of one argument")
{
	static struct value_ctx v;
	uint64_t array[] = { 1, 2, 3 };
	struct buf b = { 0 };

	value_init(&v, &env);
	value_record(&v, &recs_record);
	value_start(&v, &b);
	v.budget = 2;
	value_text(&v, &b, &t_int_array, (uint8_t *)array, sizeof(array));
	buf_char(&b, 0);
	assert_string_equal(b.p, "[3]int{1, ...} (len 3)");
	b.len = 0;
	value_start(&v, &b);
	v.budget = 2;
	value_json(&v, &b, &t_int_array, (uint8_t *)array, sizeof(array));
	buf_char(&b, 0);
	single_quotes(&b);
	assert_string_equal(b.p, "'value':[1],'truncated':true,'len':3");
	buf_fini(&b);
}

TEST(test_full, "a record that was full says so")
{
	uint64_t s[] = { 0x9999, 3 };
	struct buf b = { 0 };

	recs_record.h.flags = GOPROBE_RECORD_F_BUDGET;
	render(&b, &t_string, s, sizeof(s), false);
	recs_record.h.flags = 0;
	assert_string_equal(b.p, "<record is full>");
	buf_fini(&b);
}

static int set_up(void **state)
{
	(void)state;
	recs_record.nchunks = N(chunks);
	memcpy(recs_record.chunks, chunks, sizeof(chunks));
	return 0;
}

AROUND_ALL(set_up, NULL)
