// SPDX-License-Identifier: GPL-2.0
/* Filters that search memory: automatons, and keys among elements. */
#include "filter_world.h"

#define TEXT	(A + 0x2000)
#define HEADERS	(A + 0x1000)	/* of eight strings, 24 bytes apart */
#define TAKEN	(A + 0x1800)	/* a byte for each */
#define FAR_AWAY (A + A_SIZE + 0x1000)	/* a region of its own */

#define STRIDE	24
#define COLUMNS	4	/* other bytes, 'a', 'b', the end */

enum { IN_FAR = IN_TLS + 1 };

/* The classes of an automaton of the letters 'a' and 'b'. */
static void data_classes(void)
{
	u32 i;

	for (i = 0; i < 32; i++) {
		u64 word = 0;

		if (i == 'a' / 8)
			word = 1ULL << 'a' % 8 * 8 | 2ULL << 'b' % 8 * 8;
		F(DATA, .value = word);
	}
}

/* Does the text contain "ab"? States: 2 nothing, 3 an 'a'. */
static void match_ab(struct kunit *test, u64 address, u64 len, u32 size, u64 want)
{
	filter_clear();
	F(IMM, .a = 1, .value = address);
	F(IMM, .a = 2, .value = len);
	F(MATCH, .a = 1, .b = 2, .size = size, .offset = 33, .value = COLUMNS);
	data_classes();
	/* Rows of 4: other, a, b, end. */
	F(DATA, .value = 0x0001030200020302ULL);
	only_if(test, want);
}

static void an_automaton_accepts(struct kunit *test)
{
	static const u32 at[] = { 0, 1, 126, 127, 128, 255, 4094 };
	u32 i;

	memset(arena + 0x2000, 'a', 4096);
	match_ab(test, TEXT, 4096, 4096, 0);
	EXPECT_PASSES(test);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		arena[0x2000 + at[i] + 1] = 'b';
		match_ab(test, TEXT, 4096, 4096, 1);
		EXPECT_PASSES(test);
		match_ab(test, TEXT, at[i] + 2, 4096, 1);
		EXPECT_PASSES(test);
		match_ab(test, TEXT, at[i] + 1, 4096, 0);
		EXPECT_PASSES(test);
		arena[0x2000 + at[i] + 1] = 'a';
	}
}

static void what_is_not_read_is_undecided(struct kunit *test)
{
	memset(arena + 0x2000, 'a', 4096);
	match_ab(test, TEXT, 4096, 100, 0);
	EXPECT_UNDECIDED(test);
	match_ab(test, TEXT, BIT_ULL(32) + 1, 100, 0);
	EXPECT_UNDECIDED(test);
	arena[0x2000 + 50] = 'b';
	match_ab(test, TEXT, U64_MAX, 100, 1);
	EXPECT_PASSES(test);
	match_ab(test, 0, 0, 4096, 0);
	EXPECT_PASSES(test);
	match_ab(test, 4095, 1, 4096, 0);
	EXPECT_UNDECIDED(test);
}

static void text_is_brought_in(struct kunit *test)
{
	regions[IN_FAR] = (struct region){ FAR_AWAY, 0x1800, ABSENT, arena + 0x6000 };
	nregions = IN_FAR + 1;
	memcpy(arena + 0x6000, "xxab", 4);
	match_ab(test, FAR_AWAY, 4, 4096, 1);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, served, 1U);
	regions[IN_FAR].state = FAULT;
	EXPECT_UNDECIDED(test);
}

/* Tables that lie change results, and nothing else. */
static void a_wrong_automaton_ends(struct kunit *test)
{
	static const u64 columns[] = { 0, 1, 256, 257, 258, U32_MAX, U64_MAX };
	u32 i;

	memset(arena + 0x2000, 'a', 4096);
	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		filter_clear();
		F(IMM, .a = 1, .value = TEXT);
		F(IMM, .a = 2, .value = 4096);
		F(MATCH, .a = 1, .b = 2, .size = 4096, .offset = 40, .value = columns[i]);
		while (nfilter_ops < 43)
			F(DATA, .value = U64_MAX);
		filter_load(test);
		EXPECT_PASSES(test);
	}
	filter_clear();
	F(IMM, .a = 1, .value = TEXT);
	F(IMM, .a = 2, .value = 4096);
	F(MATCH, .a = 1, .b = 2, .size = 4096, .value = 3);
	only_if(test, 0);
	EXPECT_PASSES(test);
}

static void put_header(u32 i, u64 address, u64 len)
{
	memcpy(arena + 0x1000 + i * STRIDE, &address, 8);
	memcpy(arena + 0x1000 + i * STRIDE + 8, &len, 8);
}

static void find_key(struct kunit *test, u32 size, u64 least, u64 most, u64 want)
{
	filter_clear();
	F(IMM, .a = 1, .value = HEADERS);
	F(IMM, .a = 2, .value = TAKEN);
	F(FIND, .a = 1, .b = 2, .size = size, .offset = 2,
	  .value = STRIDE | least << GOPROBE_FIND_LEAST_SHIFT | most << GOPROBE_FIND_MOST_SHIFT |
		   GOPROBE_FIND_F_STRING);
	F(DATA, .value = 0x6867666564636261ULL);	/* "abcdefgh" */
	F(DATA, .value = 0x6a69);			/* "ij" */
	only_if(test, want);
}

static void a_string_is_found(struct kunit *test)
{
	u32 i;

	memcpy(arena + 0x2000, "abcdefghij", 10);
	memset(arena + 0x1800, 0x80, 8);
	for (i = 0; i < 8; i++)
		put_header(i, TEXT, 9);
	memset(arena + 0x1800, 0x11, 8);
	find_key(test, 10, 0, 0x7f, 8);
	EXPECT_PASSES(test);
	for (i = 0; i < 8; i++) {
		put_header(i, TEXT, 10);
		find_key(test, 10, 0, 0x7f, i);
		EXPECT_PASSES(test);
		/* One that is free does not count. */
		arena[0x1800 + i] = 0x80;
		find_key(test, 10, 0, 0x7f, 8);
		EXPECT_PASSES(test);
		find_key(test, 10, 0x80, 0xff, i);
		EXPECT_PASSES(test);
		arena[0x1800 + i] = 0x11;
		put_header(i, TEXT + 1, 10);
		find_key(test, 10, 0, 0x7f, 8);
		EXPECT_PASSES(test);
		put_header(i, 8, 10);
		EXPECT_UNDECIDED(test);
		put_header(i, 0, 0);
		find_key(test, 0, 0, 0x7f, i);
		EXPECT_PASSES(test);
		put_header(i, TEXT, 9);
	}
}

static void a_number_is_found(struct kunit *test)
{
	u32 i;

	memset(arena + 0x1800, 5, 8);
	for (i = 0; i < 8; i++)
		put_header(i, i * 0x100 + 7, 0);
	for (i = 0; i < 8; i++) {
		filter_clear();
		F(IMM, .a = 1, .value = HEADERS);
		F(IMM, .a = 2, .value = TAKEN);
		F(FIND, .a = 1, .b = 2, .size = 8, .offset = 1,
		  .value = STRIDE | 5ULL << GOPROBE_FIND_LEAST_SHIFT |
			   255ULL << GOPROBE_FIND_MOST_SHIFT);
		F(DATA, .value = i * 0x100 + 7);
		only_if(test, i);
		EXPECT_PASSES(test);
		arena[0x1800 + i] = 4;
		EXPECT_REJECTS(test);
		arena[0x1800 + i] = 5;
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE(an_automaton_accepts),
	KUNIT_CASE(what_is_not_read_is_undecided),
	KUNIT_CASE(text_is_brought_in),
	KUNIT_CASE(a_wrong_automaton_ends),
	KUNIT_CASE(a_string_is_found),
	KUNIT_CASE(a_number_is_found),
	{}
};

static struct kunit_suite suite = {
	.name = "filter_search",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Filters that search memory: KUnit suite");
