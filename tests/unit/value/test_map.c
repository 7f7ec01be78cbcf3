// SPDX-License-Identifier: GPL-2.0
/* Maps of both kinds; steps into values. */
#include "compile/deferred_step.h"
#include "recs.h"
#include "rows.h"

#define SAYS assert_string_equal

/* map[int]int: a swiss group is 8 control bytes and 8 slots of {key, elem}. */
static const struct gomap swiss = {
	.swiss = true, .size = 8 + 8 * 16, .key_at = 8, .key_stride = 16, .elem_at = 16,
	.elem_stride = 16,
};

static const struct gotype t_swiss = TYPE(MAP, "map[int]int", 8, .key = &t_int, .elem = &t_int,
					  .map = &swiss);

/* A bucket is 8 hash bytes, 8 keys, 8 elements, a pointer. */
static const struct gomap direct = {
	.size = 8 + 8 * 16 + 8, .key_at = 8, .key_stride = 8, .elem_at = 72, .elem_stride = 8,
};

static const struct gotype t_old = TYPE(MAP, "map[int]int", 8, .key = &t_int, .elem = &t_int,
					.map = &direct);

static const struct gomap indirect = {
	.size = 8 + 8 * 16 + 8, .key_at = 8, .key_stride = 8, .elem_at = 72, .elem_stride = 8,
	.key_indirect = true, .elem_indirect = true,
};

static const struct gotype t_indirect = TYPE(MAP, "map[string]string", 8, .key = &t_string,
					     .elem = &t_string, .map = &indirect);

#define EMPTY	0x80
#define DELETED	0xfe
/* The other five are empty. */
#define CONTROL(a, b, c) ((a) | (b) << 8 | (c) << 16 | 0x8080808080000000ULL)

static void put_map(uint64_t address, uint64_t used, uint64_t dir, uint64_t len)
{
	PUT(address, used, 0 /* seed */, dir, len);
}

static void put_table(uint64_t address, uint64_t groups, uint64_t mask)
{
	PUT(address, 0, 0, groups, mask);
}

/* With one bucket. */
static void put_hmap(uint64_t address, uint64_t count, uint64_t buckets, uint64_t old)
{
	PUT(address, count, 0, buckets, old);
}

TEST(test_small, "a map of one group; deleted slots are left out; sorted by key")
{
	recs_begin();
	put_map(0x100, 2, 0x200, 0);
	PUT(0x200, CONTROL(0x11, DELETED, 0x12), 5, 50, 9, 90, 3, 30, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0);
	put_map(0x300, 0, 0, 0);
	put_map(0x400, 3, 0x9000, 0);
	SAYS(SHOW(&t_swiss, 0x100), "map[int]int{3: 30, 5: 50}");
	SAYS(JSON(&t_swiss, 0x100),
	     "{'type':'map[int]int','address':'0x100','len':2,'entries':[{'key':3,'value':30},{'key':5,'value':50}]}");
	SAYS(SHOW(&t_swiss, 0x300), "map[int]int{}");
	SAYS(SHOW(&t_swiss, 0x400), "map[int]int(0x400)<not followed> (len 3)");
	SAYS(JSON(&t_swiss, 0x400),
	     "{'type':'map[int]int','address':'0x400','len':3,'unavailable':'not followed'}");
	SAYS(SHOW(&t_swiss, 0x500), "map[int]int(0x500)");
	SAYS(JSON(&t_swiss, 0x500),
	     "{'type':'map[int]int','address':'0x500','unavailable':'beyond --depth'}");
	SAYS(SHOW(&t_swiss, 0), "nil");
}

static void put_group(uint64_t address, int first, int n)
{
	uint8_t g[8 + 8 * 16];

	memset(g, EMPTY, 8);
	for (int i = 0; i < n; i++) {
		uint64_t slot[] = { first + i, (first + i) * 10 };

		g[i] = 0x20 + i;
		memcpy(g + 8 + i * 16, slot, 16);
	}
	recs_put(address, g, sizeof(g));
}

TEST(test_directory, "a directory: each table once")
{
	recs_begin();
	/* Four places for two tables; the first has two groups, one behind the other. */
	put_map(0x100, 5, 0x200, 4);
	PUT(0x200, 0x300, 0x300, 0x300, 0x400);
	put_table(0x300, 0x1000, 1);
	put_table(0x400, 0x2000, 0);
	put_group(0x2000, 1, 1);

	uint8_t two[2 * 136];

	put_group(0x8000, 3, 2);
	put_group(0x9000, 7, 2);
	memcpy(two, recs_record.chunks[5].data, 136);
	memcpy(two + 136, recs_record.chunks[6].data, 136);
	recs_put(0x1000, two, sizeof(two));
	SAYS(SHOW(&t_swiss, 0x100), "map[int]int{1: 10, 3: 30, 4: 40, 7: 70, 8: 80}");
	/* A table that is missing. */
	put_map(0x500, 6, 0x600, 2);
	PUT(0x600, 0x400, 0x700);
	SAYS(SHOW(&t_swiss, 0x500), "map[int]int{1: 10, ...<not followed>} (len 6)");
	SAYS(JSON(&t_swiss, 0x500),
	     "{'type':'map[int]int','address':'0x500','len':6,'entries':[{'key':1,'value':10}],'truncated':true,'reason':'not followed'}");
	/* Half of the groups. */
	put_map(0x800, 9, 0x880, 1);
	PUT(0x880, 0x8c0);
	put_table(0x8c0, 0x1000, 3);
	SAYS(SHOW(&t_swiss, 0x800), "map[int]int{3: 30, 4: 40, 7: 70, 8: 80, ...} (len 9)");
	/* It has been larger: these have no entry any more. */
	put_map(0x900, 2, 0x980, 1);
	PUT(0x980, 0x9c0);
	put_table(0x9c0, 0xa000, 1);
	put_group(0xa000, 1, 0);
	SAYS(SHOW(&t_swiss, 0x900), "map[int]int{...<beyond --elements>} (len 2)");
}

static void put_bucket(uint64_t address, uint8_t tophash, int key, uint64_t overflow)
{
	uint64_t b[18] = { 0 };

	b[0] = tophash;
	b[1] = key;
	b[9] = key * 10;
	b[17] = overflow;
	recs_put(address, b, sizeof(b));
}

TEST(test_buckets, "buckets and their overflow buckets")
{
	recs_begin();
	recs_go(21);
	put_hmap(0x100, 3, 0x1000, 0);
	put_bucket(0x1000, 5, 3, 0x2000);
	put_bucket(0x2000, 77, 2, 0x3000);
	put_bucket(0x3000, 200, 1, 0);
	SAYS(SHOW(&t_old, 0x100), "map[int]int{1: 10, 2: 20, 3: 30}");
	/* An overflow bucket is missing. */
	put_hmap(0x200, 3, 0x4000, 0);
	put_bucket(0x4000, 5, 3, 0x5000);
	SAYS(SHOW(&t_old, 0x200), "map[int]int{3: 30, ...<not followed>} (len 3)");
	SAYS(SHOW(&t_swiss, 0x100), "map[int]int(0x100)<unknown layout>");
}

TEST(test_growing, "a map that grows: old buckets that were not moved count")
{
	uint8_t header[32] = { 3, [9] = 1 };
	uint64_t words[2] = { 0x1000, 0x2000 };
	uint8_t two[2 * 144];

	recs_begin();
	recs_go(23);
	memcpy(header + 16, words, 16);
	recs_put(0x100, header, sizeof(header));
	put_bucket(0x3000, 5, 3, 0);
	put_bucket(0x4000, 6, 4, 0);
	memcpy(two, recs_record.chunks[1].data, 144);
	memcpy(two + 144, recs_record.chunks[2].data, 144);
	recs_put(0x1000, two, sizeof(two));
	put_bucket(0x2000, 7, 5, 0);	/* not moved yet */
	SAYS(SHOW(&t_old, 0x100), "map[int]int{3: 30, 4: 40, 5: 50}");
	/* evacuatedX: what it held is in the new ones. */
	recs_record.nchunks--;
	free((void *)recs_record.chunks[recs_record.nchunks].data);
	put_bucket(0x2000, 2, 4, 0);
	SAYS(SHOW(&t_old, 0x100), "map[int]int{3: 30, 4: 40, ...} (len 3)");
	/* Two old ones again, of which the first was moved: sameSizeGrow. */
	header[0] = 2;
	header[8] = 8;
	header[17] = 0x50;		/* buckets at 0x5000 */
	header[25] = 0x60;		/* oldbuckets at 0x6000 */
	memset(two, 0, sizeof(two));
	memcpy(two, recs_record.chunks[1].data, 144);
	recs_put(0x5000, two, sizeof(two));
	memcpy(two + 144, recs_record.chunks[2].data, 144);
	two[0] = 4;			/* evacuatedEmpty */
	recs_put(0x6000, two, sizeof(two));
	recs_put(0x800, header, sizeof(header));
	SAYS(SHOW(&t_old, 0x800), "map[int]int{3: 30, 4: 40}");
}

/* At 0x100 a map of @n entries: "b" is "x", "a" was not followed, nor was any other. */
static void put_indirect(uint64_t n)
{
	uint64_t b[18] = { 5 | 6 << 8, [1] = 0x300, 0x400, [9] = 0x500, 0x999 };

	recs_begin();
	recs_go(19);
	put_hmap(0x100, n, 0x200, 0);
	recs_put(0x200, b, sizeof(b));
	PUT(0x300, 0x600, 1);
	PUT(0x400, 0x601, 1);
	PUT(0x500, 0x602, 1);
	recs_text(0x600, "bax");
}

TEST(test_indirect, "keys and elements behind pointers")
{
	put_indirect(2);
	SAYS(SHOW(&t_indirect, 0x100), "map[string]string{\"a\": <not followed>, \"b\": \"x\"}");
	SAYS(JSON(&t_indirect, 0x100),
	     "{'type':'map[string]string','address':'0x100','len':2,'entries':[{'key':'a','value':{'type':'string','unavailable':'not followed'}},{'key':'b','value':'x'}]}");
}

static const struct gofield base_fields[] = { { "ID", &t_int, 0 } };
static const struct gotype t_base = TYPE(STRUCT, "main.Base", 8, FIELDS(base_fields));
static const struct gotype p_base = TYPE(POINTER, "*main.Base", 8, .elem = &t_base);
static const struct gotype t_array = TYPE(ARRAY, "[2]int", 16, .elem = &t_int, .count = 2);
static const struct gotype p_array = TYPE(POINTER, "*[2]int", 8, .elem = &t_array);
static const struct gofield user_fields[] = {
	{ "Base", &p_base, 0, true }, { "Name", &t_string, 8 }, { "Tags", &t_strings, 24 },
	{ "M", &t_swiss, 48 }, { "Any", &t_any, 56 }, { "Pair", &p_array, 72 },
};

static const struct gotype t_user = TYPE(STRUCT, "main.User", 80, FIELDS(user_fields));
static const struct gotype p_user = TYPE(POINTER, "*main.User", 8, .elem = &t_user);

static uint64_t user_pointer[] = { 0x100 };

static struct value_at user(void)
{
	uint64_t dynamic;

	recs_begin();
	dynamic = recs_type(&p_base, true);
	PUT(0x100, 0x200, 0x300, 5, 0x400, 3, 4, 0x500, dynamic, 0x200, 0x700);
	PUT(0x200, 42);
	recs_text(0x300, "alice");
	PUT(0x400, 0x300, 2, 0x301, 2);		/* two of three */
	put_map(0x500, 2, 0x600, 0);
	PUT(0x600, CONTROL(0x11, DELETED, 0x12), 5, 50, 9, 90, 3, 30, 0, 0, 0, 0, 0, 0, 0,
	    0, 0, 0);
	PUT(0x700, 8, 9);
	value_record(&recs_ctx, &recs_record);
	return (struct value_at){ &p_user, (uint8_t *)user_pointer, 8 };
}

static uint64_t number(const struct value_at *at)
{
	return value_word(at->p);
}

TEST(test_fields, "steps to fields, through pointers, interfaces and embedded structs")
{
	struct value_at u = user(), at = u;

	assert_null(value_step_field(&recs_ctx, &at, "Name"));
	assert_ptr_equal(at.type, &t_string);
	SAYS(recs_show(at.type, at.p, false), "\"alice\"");
	at = u;
	/* Promoted, through an embedded pointer. */
	assert_null(value_step_field(&recs_ctx, &at, "ID"));
	assert_int_equal(number(&at), 42);
	at = u;
	assert_null(value_step_field(&recs_ctx, &at, "Any"));
	assert_null(value_step_field(&recs_ctx, &at, "ID"));
	assert_int_equal(number(&at), 42);
	at = u;
	SAYS(value_step_field(&recs_ctx, &at, "Nothing"), "no such field");
	assert_ptr_equal(at.type, u.type);
	assert_ptr_equal(at.p, u.p);
	at = u;
	assert_null(value_step_field(&recs_ctx, &at, "Any"));
	assert_null(value_step_dynamic(&recs_ctx, &at));
	assert_ptr_equal(at.type, &p_base);
	assert_null(value_step_pointer(&recs_ctx, &at));
	assert_ptr_equal(at.type, &t_base);
	SAYS(value_step_pointer(&recs_ctx, &at), "not a pointer");
}

TEST(test_elements, "steps to elements; len and cap")
{
	struct value_at u = user(), at = u, s;
	uint64_t n;

	assert_null(value_step_field(&recs_ctx, &at, "Tags"));
	s = at;
	assert_null(value_step_index(&recs_ctx, &at, 1));
	SAYS(recs_show(at.type, at.p, false), "\"li\"");
	assert_null(value_step_index(&recs_ctx, &at, 0));
	assert_int_equal(at.p[0], 'l');
	at = s;
	SAYS(value_step_index(&recs_ctx, &at, 2), "cut at a limit");
	SAYS(value_step_index(&recs_ctx, &at, 3), "index out of range");
	assert_null(value_step_len(&recs_ctx, &at, &n));
	assert_int_equal(n, 3);
	assert_null(value_step_cap(&recs_ctx, &at, &n));
	assert_int_equal(n, 4);
	at = u;
	assert_null(value_step_field(&recs_ctx, &at, "Pair"));
	assert_null(value_step_len(&recs_ctx, &at, &n));
	assert_int_equal(n, 2);
	assert_null(value_step_index(&recs_ctx, &at, 1));
	assert_int_equal(number(&at), 9);
	SAYS(value_step_index(&recs_ctx, &at, 0), "can't be indexed");
}

TEST(test_keys, "steps to a map's entries")
{
	struct value_key key = { .kind = GOTYPE_INT, .i = 3 };
	struct value_at m = user(), at;
	uint64_t n;

	assert_null(value_step_field(&recs_ctx, &m, "M"));
	at = m;
	assert_null(value_step_key(&recs_ctx, &at, &key));
	assert_int_equal(number(&at), 30);
	at = m;
	key = (struct value_key){ .kind = GOTYPE_UINT, .u = 5 };
	assert_null(value_step_key(&recs_ctx, &at, &key));
	assert_int_equal(number(&at), 50);
	at = m;
	key.u = 9;	/* deleted */
	SAYS(value_step_key(&recs_ctx, &at, &key), "no such key");
	key = (struct value_key){ .kind = GOTYPE_STRING, .s = "3", .n = 1 };
	SAYS(value_step_key(&recs_ctx, &at, &key), "no such key");
	assert_null(value_step_len(&recs_ctx, &at, &n));
	assert_int_equal(n, 2);
	SAYS(value_step_cap(&recs_ctx, &at, &n), "has no capacity");
}

TEST(test_string_keys, "string keys")
{
	static const uint64_t map[] = { 0x100 };
	struct value_at at = { &t_indirect, (const uint8_t *)map, 8 };
	struct value_key key = { .kind = GOTYPE_STRING, .s = "b", .n = 1 };

	put_indirect(3);
	value_record(&recs_ctx, &recs_record);
	assert_null(value_step_key(&recs_ctx, &at, &key));
	SAYS(recs_show(at.type, at.p, false), "\"x\"");
	at = (struct value_at){ &t_indirect, (const uint8_t *)map, 8 };
	key.s = "a";
	SAYS(value_step_key(&recs_ctx, &at, &key), "not followed");
	key.s = "c";
	SAYS(value_step_key(&recs_ctx, &at, &key), "not among the entries that were captured");
}

/* The result of x.(T) for the interface at @p. */
static const char *asserted(const char *name, const uint64_t *p)
{
	const struct exprstep step = { .kind = EXPRSTEP_ASSERT, .name = name };
	const struct deferred_step steps = { .v = &step, .n = 1 };
	struct value_at at = { .type = &t_any, .p = (const uint8_t *)p, .len = 16 };
	uint8_t number[8];

	return deferred_step_go(&steps, &recs_ctx, &at, number);
}

/* A type of another package with the same last name is another type. */
TEST(test_assert, "an asserted type is that of its own package")
{
	static const struct gotype t_own = TYPE(INT, "time.Duration", 8);
	static const struct gotype t_other = TYPE(INT, "example.com/time.Duration", 8);
	static const struct gotype p_other = TYPE(POINTER, "*example.com/time.Duration", 8,
						  .elem = &t_other);

	recs_begin();

	const uint64_t own[] = { recs_type(&t_own, false), 0x100 };
	const uint64_t other[] = { recs_type(&t_other, false), 0x100 };
	const uint64_t pointer[] = { recs_type(&p_other, true), 0x100 };

	PUT(0x100, 7);
	value_record(&recs_ctx, &recs_record);
	assert_null(asserted("time.Duration", own));
	assert_null(asserted("example.com/time.Duration", other));
	assert_null(asserted("*example.com/time.Duration", pointer));
	SAYS(asserted("time.Duration", other), "another dynamic type");
	SAYS(asserted("*time.Duration", pointer), "another dynamic type");
	SAYS(asserted("example.com/time.Duration", own), "another dynamic type");
}
