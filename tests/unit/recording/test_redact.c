// SPDX-License-Identifier: GPL-2.0
/* recording/redact.c: values under redacted keys are cleared in records, and nothing else is. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

#include "recording/redact.h"

#define HEAD sizeof(struct goprobe_record)

static const struct gotype t_int = { GOTYPE_INT, "int", 8, 8 };

static const struct gotype t_string = { GOTYPE_STRING, "string", 16, 8 };

static const struct gotype t_strings = { GOTYPE_SLICE, "[]string", 24, 8, .elem = &t_string };

static const struct gotype t_any = { GOTYPE_INTERFACE, "interface {}", 16, 8, .empty = true };

#define MAP(n, e, g) { GOTYPE_MAP, n, 8, 8, .key = &t_string, .elem = (e), .map = (g) }

static const struct gomap strings_group = {
	.swiss = true, .size = 8 + 8 * 40, .key_at = 8, .key_stride = 40, .elem_at = 24,
	.elem_stride = 40,
};

static const struct gomap int_group = {
	.swiss = true, .size = 8 + 8 * 24, .key_at = 8, .key_stride = 24, .elem_at = 24,
	.elem_stride = 24,
};

static const struct gomap any_group = {
	.swiss = true, .size = 8 + 8 * 32, .key_at = 8, .key_stride = 32, .elem_at = 24,
	.elem_stride = 32,
};

static const struct gomap pointer_group = {
	.swiss = true, .size = 8 + 8 * 24, .key_at = 8, .key_stride = 24, .elem_at = 24,
	.elem_stride = 24, .elem_indirect = true,
};

static const struct gotype t_headers = MAP("map[string][]string", &t_strings, &strings_group);
static const struct gotype t_numbers = MAP("map[string]int", &t_int, &int_group);
static const struct gotype t_values = MAP("map[string]interface {}", &t_any, &any_group);
static const struct gotype t_anything = { GOTYPE_MAP, "map[interface {}]int", 8, 8, .key = &t_any,
					  .elem = &t_int, .map = &int_group };
static const struct gotype t_pointers = MAP("map[string]string", &t_string, &pointer_group);

/* Session types: the frame, the groups of a map, what its values refer to. */
enum { FRAME, GROUP, STRING, TYPES };

static struct goprobe_type types[TYPES];
static const struct gotype *gotypes[TYPES] = { NULL, NULL, &t_string };
static struct goprobe_ref refs[32];
static struct goprobe_plan wire = { .type = FRAME };
static struct plan_options options;
static struct plan plan = {
	.o = &options, .types = types, .gotypes = gotypes, .ntypes = TYPES, .refs = refs,
	.plans = &wire, .nplans = 1,
};

/* A map whose keys are strings; @kind: the reference in each value, or 0. */
static void make_plan(const struct gotype *map, uint8_t kind)
{
	uint32_t n = 0;

	gotypes[GROUP] = map;
	types[FRAME] = (struct goprobe_type){ .size = 8 };
	types[GROUP] = (struct goprobe_type){ .size = map->map->size };
	types[STRING] = (struct goprobe_type){ .size = 16, .ref = 0, .nrefs = 1 };
	refs[n++] = (struct goprobe_ref){ .kind = GOPROBE_REF_STRING };
	types[GROUP].ref = n;
	for (uint32_t i = 0; i < 8; i++) {
		refs[n++] = (struct goprobe_ref){ .kind = GOPROBE_REF_STRING,
						  .offset = 8 + i * map->map->key_stride };
		if (kind)
			refs[n++] = (struct goprobe_ref){
				.kind = kind, .offset = 24 + i * map->map->elem_stride,
				.type = kind == GOPROBE_REF_EFACE ? 0 : STRING,
			};
	}
	types[GROUP].nrefs = n - types[GROUP].ref;
	options.secrets = (struct secret_list){ 0 };
}

/* --- records ---------------------------------------------------------------------------- */

static uint8_t record[4096];
static size_t len;

static void begin(void)
{
	struct goprobe_record h = { .kind = GOPROBE_RECORD_CALL };

	memcpy(record, &h, HEAD);
	len = HEAD + 8;
}

/* Return: where its bytes are. */
static uint8_t *put(uint64_t address, uint32_t type, const void *bytes, size_t n)
{
	struct goprobe_chunk c = { .address = address, .type = type, .size = (uint16_t)n,
				   .level = 1 };
	uint8_t *at = record + len + sizeof(c);

	memcpy(record + len, &c, sizeof(c));
	memset(at, 0, (n + 7) / 8 * 8);
	memcpy(at, bytes, n);
	len += sizeof(c) + (n + 7) / 8 * 8;
	((struct goprobe_record *)record)->words = (uint16_t)(len / 8);
	return at;
}

static uint8_t *text(uint64_t address, const char *s)
{
	return put(address, GOPROBE_TYPE_BYTES, s, strlen(s));
}

static void redact(void)
{
	static struct redactor r;

	memset(&r, 0, sizeof(r));
	redact_records(&r, &plan, record, len);
}

#define WORDS(...) ((const uint64_t [64]) { __VA_ARGS__ })

/* --- cases -------------------------------------------------------------------------------- */

TEST(test_headers, "strings behind the value of a header")
{
	uint8_t *group, *strings, *others, *secret, *plain;

	make_plan(&t_headers, GOPROBE_REF_SLICE);
	begin();
	group = put(0x1000, GROUP, WORDS(0x10, 0x2000, 13, 0x3000, 1, 1, 0x2100, 6, 0x3100, 1, 1),
		    types[GROUP].size);
	text(0x2000, "Authorization");
	text(0x2100, "Accept");
	strings = put(0x3000, STRING, WORDS(0x4000, 12), 16);
	others = put(0x3100, STRING, WORDS(0x4100, 4), 16);
	secret = text(0x4000, "Bearer abc12");
	plain = text(0x4100, "text");
	redact();
	assert_memory_equal(group, WORDS(0x10, 0x2000, 13, 0, 0, 0, 0x2100, 6, 0x3100, 1, 1),
			    types[GROUP].size);
	assert_memory_equal(strings, WORDS(0, 0), 16);
	assert_memory_equal(others, WORDS(0x4100, 4), 16);
	assert_memory_equal(secret, "************", 12);
	assert_memory_equal(plain, "text", 4);
}

TEST(test_numbers, "numbers, by what can be a secret")
{
	uint8_t *group;

	make_plan(&t_numbers, 0);
	begin();
	group = put(0x1000, GROUP, WORDS(0x10, 0x2000, 3, 321, 0x2100, 6, 7, 0x9000, 4, 5),
		    types[GROUP].size);
	text(0x2000, "CVV");
	text(0x2100, "tokens");
	redact();
	/* How many tokens there are is no secret; a key that was not captured may be one. */
	assert_memory_equal(group, WORDS(0x10, 0x2000, 3, 0, 0x2100, 6, 7, 0x9000, 4, 0),
			    types[GROUP].size);
}

TEST(test_interface, "what an interface holds")
{
	uint8_t *strings, *secret;

	make_plan(&t_values, GOPROBE_REF_EFACE);
	begin();
	put(0x1000, GROUP, WORDS(0x10, 0x2000, 8, 0x4a0000, 0x3000), types[GROUP].size);
	text(0x2000, "password");
	strings = put(0x3000, STRING, WORDS(0x4000, 7), 16);
	secret = text(0x4000, "hunter2");
	redact();
	assert_memory_equal(strings, WORDS(0, 0), 16);
	assert_memory_equal(secret, "*******", 7);
}

/* The name of a secret, another string, a number, nil, and what is not known. */
TEST(test_interface_keys, "values under keys that are interfaces")
{
	uint8_t *group;

	make_plan(&t_anything, 0);
	gotypes[FRAME] = &t_int;
	begin();
	group = put(0x1000, GROUP, WORDS(0x10, 0x4a0000, 0x3000, 321, 0x4a0000, 0x3100, 7,
					 0x4a0040, 0x3200, 8, 0, 0, 9, 0x4a0080, 0x3300, 10),
		    types[GROUP].size);
	put(0x3000, STRING, WORDS(0x2000, 3), 16);
	put(0x3100, STRING, WORDS(0x2100, 6), 16);
	put(0x3200, FRAME, WORDS(5), 8);
	text(0x2000, "cvv");
	text(0x2100, "Accept");
	redact();
	gotypes[FRAME] = NULL;
	assert_memory_equal(group, WORDS(0x10, 0x4a0000, 0x3000, 0, 0x4a0000, 0x3100, 7,
					 0x4a0040, 0x3200, 8, 0, 0, 9, 0x4a0080, 0x3300, 0),
			    types[GROUP].size);
}

TEST(test_context, "the value of a context")
{
	static const struct gofield fields[] = {
		{ "Context", &t_any, 0 }, { "key", &t_any, 16 }, { "val", &t_any, 32 },
	};
	static const struct gotype t_context = { GOTYPE_STRUCT, "context.valueCtx", 48, 8,
						 .fields = fields, .nfields = 3 };
	uint8_t *context[3], *secret;

	make_plan(&t_numbers, 0);
	gotypes[GROUP] = &t_context;
	types[GROUP] = (struct goprobe_type){ .size = 48, .ref = 20, .nrefs = 2 };
	refs[20] = (struct goprobe_ref){ .kind = GOPROBE_REF_EFACE, .offset = 16 };
	refs[21] = (struct goprobe_ref){ .kind = GOPROBE_REF_EFACE, .offset = 32 };
	begin();
	context[0] = put(0x1000, GROUP, WORDS(1, 2, 0x4a0000, 0x3000, 0x4a0000, 0x3100), 48);
	context[1] = put(0x1100, GROUP, WORDS(1, 2, 0x4a0000, 0x3200, 0x4a0000, 0x3300), 48);
	context[2] = put(0x1200, GROUP, WORDS(1, 2, 0x4a0040, 0x9000, 0x4a0000, 0x3300), 48);
	put(0x3000, STRING, WORDS(0x2000, 8), 16);
	put(0x3100, STRING, WORDS(0x4000, 7), 16);
	put(0x3200, STRING, WORDS(0x2100, 6), 16);
	put(0x3300, STRING, WORDS(0x4100, 4), 16);
	text(0x2000, "password");
	text(0x2100, "Accept");
	secret = text(0x4000, "hunter2");
	text(0x4100, "text");
	redact();
	assert_memory_equal(context[0], WORDS(1, 2, 0x4a0000, 0x3000, 0, 0), 48);
	assert_memory_equal(context[1], WORDS(1, 2, 0x4a0000, 0x3200, 0x4a0000, 0x3300), 48);
	/* A key of no bytes. */
	assert_memory_equal(context[2], WORDS(1, 2, 0x4a0040, 0x9000, 0x4a0000, 0x3300), 48);
	assert_memory_equal(secret, "*******", 7);
}

/* Each attribute of a slice. */
TEST(test_attributes, "the value of an attribute, also inside another struct")
{
	static const struct gofield value_fields[] = { { "num", &t_int, 0 }, { "any", &t_any, 8 } };
	static const struct gotype t_value = { GOTYPE_STRUCT, "log/slog.Value", 24, 8,
					       .fields = value_fields, .nfields = 2 };
	static const struct gofield fields[] = {
		{ "Key", &t_string, 0 }, { "Value", &t_value, 16 },
	};
	static const struct gotype t_attr = { GOTYPE_STRUCT, "log/slog.Attr", 40, 8,
					      .fields = fields, .nfields = 2 };
	static const struct gofield outer_fields[] = { { "A", &t_attr, 0 } };
	static const struct gotype t_outer = { GOTYPE_STRUCT, "main.outer", 40, 8,
					       .fields = outer_fields, .nfields = 1 };
	const struct gotype *both[] = { &t_attr, &t_outer };

	for (int i = 0; i < 2; i++) {
		uint8_t *attrs, *secret, *plain;

		make_plan(&t_numbers, 0);
		gotypes[GROUP] = both[i];
		types[GROUP] = (struct goprobe_type){ .size = 40, .ref = 20, .nrefs = 2 };
		refs[20] = (struct goprobe_ref){ .kind = GOPROBE_REF_STRING };
		refs[21] = (struct goprobe_ref){ .kind = GOPROBE_REF_EFACE, .offset = 24 };
		begin();
		attrs = put(0x1000, GROUP, WORDS(0x2000, 8, 7, 0x4a0000, 0x4000,
						 0x2100, 6, 4, 0x4a0000, 0x4100), 80);
		text(0x2000, "password");
		text(0x2100, "Accept");
		secret = text(0x4000, "hunter2");
		plain = text(0x4100, "text");
		redact();
		assert_memory_equal(attrs, WORDS(0x2000, 8, 0, 0, 0,
						 0x2100, 6, 4, 0x4a0000, 0x4100), 80);
		assert_memory_equal(secret, "*******", 7);
		assert_memory_equal(plain, "text", 4);
	}
}

/* One that is an argument itself. */
TEST(test_frame, "the value of an attribute that is an argument")
{
	static const struct gofield fields[] = { { "Key", &t_string, 0 }, { "Value", &t_any, 16 } };
	static const struct gotype t_attr = { GOTYPE_STRUCT, "log/slog.Attr", 32, 8,
					      .fields = fields, .nfields = 2 };
	static const struct plan_value value = { .name = "a", .type = &t_attr };
	static struct plan_func func = { .call = { .values = &value, .nvalues = 1, .size = 32 },
					 .ret = { .plan = GOPROBE_NO_PLAN } };
	struct plan_func *funcs[] = { &func };
	uint8_t *secret;

	make_plan(&t_numbers, 0);
	types[FRAME] = (struct goprobe_type){ .size = 32, .ref = 20, .nrefs = 1 };
	refs[20] = (struct goprobe_ref){ .kind = GOPROBE_REF_EFACE, .offset = 16 };
	plan.funcs = funcs;
	plan.nfuncs = 1;
	begin();
	memcpy(record + HEAD, WORDS(0x2000, 8, 0x4a0000, 0x4000), 32);
	len = HEAD + 32;
	text(0x2000, "password");
	secret = text(0x4000, "hunter2");
	redact();
	plan.nfuncs = 0;
	assert_memory_equal(record + HEAD, WORDS(0x2000, 8, 0, 0), 32);
	assert_memory_equal(secret, "*******", 7);
}

/* Values behind pointers, in a second group; one of them refers to itself. */
TEST(test_pointers, "what is behind a pointer, and behind itself")
{
	uint64_t groups[2 * 25] = { [25] = 0x10, [26] = 0x2000, [27] = 6, [28] = 0x3000 };
	uint8_t *value, *secret;

	make_plan(&t_pointers, GOPROBE_REF_POINTER);
	assert_int_equal(types[GROUP].size, 25 * 8);
	begin();
	put(0x1000, GROUP, groups, sizeof(groups));
	/* The key is a part of a longer string. */
	text(0x1ffc, "the secret");
	value = put(0x3000, STRING, WORDS(0x3000, 8), 16);
	secret = text(0x3000, "hunter22");
	redact();
	assert_memory_equal(value, WORDS(0, 0), 16);
	assert_memory_equal(secret, "********", 8);
}

TEST(test_off, "nothing where nothing is redacted")
{
	uint8_t before[sizeof(record)];

	make_plan(&t_numbers, 0);
	options.secrets.off = true;
	begin();
	put(0x1000, GROUP, WORDS(0x10, 0x2000, 3, 321), types[GROUP].size);
	text(0x2000, "CVV");
	memcpy(before, record, sizeof(record));
	redact();
	assert_memory_equal(record, before, sizeof(record));
}

TEST(test_several, "all records of a message, up to one that is damaged")
{
	uint8_t *group[2];
	uint8_t both[sizeof(record)];
	size_t first;

	make_plan(&t_numbers, 0);
	begin();
	put(0x1000, GROUP, WORDS(0x10, 0x2000, 3, 321), types[GROUP].size);
	text(0x2000, "CVV");
	first = len;
	memcpy(both, record, first);
	memcpy(record + first, both, first);
	len = 2 * first;
	redact();
	for (int i = 0; i < 2; i++) {
		group[i] = record + i * first + HEAD + 8 + sizeof(struct goprobe_chunk);
		assert_memory_equal(group[i], WORDS(0x10, 0x2000, 3, 0), types[GROUP].size);
	}
	/* What can't be decoded stays. */
	len = first - 8;
	memcpy(record, both, first);
	redact();
	assert_memory_equal(record, both, first);
}
