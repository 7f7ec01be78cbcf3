// SPDX-License-Identifier: GPL-2.0
/* Filters that compare memory. */
#include "filter_world.h"

#define LEFT	(A + 0x2000)
#define RIGHT	(A + A_SIZE + 0x1000)	/* a region of its own */

enum { IN_RIGHT = IN_TLS + 1 };

static void make_same(u16 state)
{
	regions[IN_RIGHT] = (struct region){ RIGHT, 0x1800, state, arena + 0x6000 };
	nregions = IN_RIGHT + 1;
}

static void compare(struct kunit *test, u64 left, u64 right, u64 length, u32 size)
{
	filter_clear();
	F(IMM, .a = 1, .value = left);
	F(IMM, .a = 2, .value = right);
	F(IMM, .a = 3, .value = length);
	F(SAME, .a = 1, .b = 2, .size = size, .value = 3);
	only_if(test, 1);
}

static void memory_is_compared_to_its_last_byte(struct kunit *test)
{
	static const u32 lengths[] = { 1, 2, 127, 128, 129, 255, 256, 257, 4095, 4096 };
	u32 i, k;

	make_same(HERE);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		u32 n = lengths[i];

		for (k = 0; k < n; k++) {
			arena[0x2000 + k] = k * 7;
			arena[0x6000 + k] = k * 7;
		}
		/* The bytes behind differ. */
		arena[0x2000 + n] = 1;
		arena[0x6000 + n] = 2;
		compare(test, LEFT, RIGHT, n, 4096);
		EXPECT_PASSES(test);
		arena[0x2000] ^= 0x80;
		EXPECT_REJECTS(test);
		arena[0x2000] ^= 0x80;
		arena[0x6000 + n - 1] ^= 1;
		EXPECT_REJECTS(test);
		arena[0x6000 + n - 1] ^= 1;
		EXPECT_PASSES(test);
		compare(test, LEFT, RIGHT, n + 1, 4096);
		if (n < 4096)
			EXPECT_REJECTS(test);
	}
}

static void no_more_is_compared_than_it_says(struct kunit *test)
{
	make_same(HERE);
	memcpy(arena + 0x2000, "abcdeX", 6);
	memcpy(arena + 0x6000, "abcdeY", 6);
	compare(test, LEFT, RIGHT, 6, 5);
	EXPECT_PASSES(test);
	compare(test, LEFT, RIGHT, U64_MAX, 5);
	EXPECT_PASSES(test);
	compare(test, LEFT, RIGHT, BIT_ULL(32) + 1, 6);
	EXPECT_REJECTS(test);
	compare(test, LEFT, RIGHT, 6, 0);
	EXPECT_PASSES(test);
}

static void nothing_is_the_same_as_nothing(struct kunit *test)
{
	compare(test, 0, 0, 0, 4096);
	EXPECT_PASSES(test);
	compare(test, 0, LEFT, 0, 4096);
	EXPECT_PASSES(test);
	compare(test, 0, LEFT, 1, 4096);
	EXPECT_UNDECIDED(test);
	compare(test, LEFT, 4095, 1, 4096);
	EXPECT_UNDECIDED(test);
	compare(test, LEFT, -8ULL, 16, 4096);
	EXPECT_UNDECIDED(test);
}

static void what_is_to_be_compared_is_brought_in(struct kunit *test)
{
	memset(arena + 0x2000, 3, 4096);
	memset(arena + 0x6000, 3, 4096);
	make_same(ABSENT);
	compare(test, LEFT, RIGHT, 300, 4096);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, served, 1U);
	make(GP_WAY_GENERAL, VALUES_ABSENT);
	make_same(ABSENT);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, served, 2U);
	make_same(REMOTE);
	EXPECT_UNDECIDED(test);
	make_same(FAULT);
	EXPECT_UNDECIDED(test);
}

static void what_differs_before_is_enough(struct kunit *test)
{
	make_same(HERE);
	memset(arena + 0x2000, 3, 4096);
	memset(arena + 0x6000, 3, 4096);
	/* Readable memory ends within the third part. */
	regions[IN_RIGHT].size = 300;
	compare(test, LEFT, RIGHT, 400, 4096);
	EXPECT_UNDECIDED(test);
	arena[0x6000 + 200] = 4;
	EXPECT_REJECTS(test);
	arena[0x6000 + 200] = 3;
	arena[0x6000 + 290] = 4;
	EXPECT_UNDECIDED(test);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(memory_is_compared_to_its_last_byte),
	KUNIT_CASE(no_more_is_compared_than_it_says),
	KUNIT_CASE(nothing_is_the_same_as_nothing),
	KUNIT_CASE(what_is_to_be_compared_is_brought_in),
	KUNIT_CASE(what_differs_before_is_enough),
	{}
};

static struct kunit_suite suite = {
	.name = "filter_same",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Filters that compare memory: KUnit suite");
