// SPDX-License-Identifier: GPL-2.0
/* Keys that filters make: words, bytes and stacks, within the available space. */
#include "filter_world.h"

#define BIAS	0x7000UL	/* how far from where it was linked the program is */

static int filter_key_init(struct kunit *test)
{
	int err = filter_init(test);

	key = (struct gp_key){ .space = GP_KEY_WORDS };
	probes[0].address = IP - BIAS;
	return err;
}

/* The filter passes, and the key has these words. */
static void expect_key(struct kunit *test, const u64 *word, u32 n)
{
	u32 i;

	/* The rest of the one before. */
	memset(key.word, 0xee, sizeof(key.word));
	key.n = 33;
	EXPECT_PASSES(test);
	KUNIT_ASSERT_EQ(test, key.n, n);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ_MSG(test, key.word[i], word[i], "word %u", i);
	for (; i < GP_KEY_WORDS; i++)
		KUNIT_ASSERT_EQ_MSG(test, key.word[i], 0xeeeeeeeeeeeeeeeeULL, "word %u", i);
}

#define EXPECT_KEY(test, ...) \
	expect_key(test, (const u64[]){ __VA_ARGS__ }, sizeof((u64[]){ __VA_ARGS__ }) / 8)

/* ---- words ---- */

static void words_come_in_their_order(struct kunit *test)
{
	F(REG, .a = 1);
	F(KEY, .a = 1);
	F(IMM, .a = 2, .value = U64_MAX);
	F(KEY, .a = 2);
	F(KEY, .a = 3);
	filter_load(test);
	KUNIT_EXPECT_TRUE(test, filter->keyed);
	KUNIT_EXPECT_EQ(test, filter->ntests, 0U);
	w->regs.ax = 77;
	EXPECT_KEY(test, 77, U64_MAX, 0);
}

static void what_is_skipped_is_in_no_key(struct kunit *test)
{
	F(IMM, .a = 1, .value = 5);
	F(JUMP, .offset = 1);
	F(KEY, .a = 2);
	F(KEY, .a = 1);
	F(END);
	F(KEY, .a = 1);
	filter_load(test);
	EXPECT_KEY(test, 5);
}

static void a_key_may_be_empty(struct kunit *test)
{
	F(END);
	F(KEY, .a = 1);
	filter_load(test);
	KUNIT_EXPECT_TRUE(test, filter->keyed);
	key.n = 9;
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, key.n, 0U);
}

static void a_filter_that_makes_a_key_can_reject(struct kunit *test)
{
	F(KEY, .a = 1);
	F(REJECT);
	filter_load(test);
	EXPECT_REJECTS(test);
	filter_clear();
	F(KEY, .a = 1);
	F(DIV, .a = 1, .b = 2);
	filter_load(test);
	EXPECT_UNDECIDED(test);
}

static void a_word_that_does_not_fit_is_undecided(struct kunit *test)
{
	u32 n, i;

	for (n = 1; n <= 4; n++) {
		filter_clear();
		for (i = 0; i < n; i++)
			F(KEY, .a = 1);
		filter_load(test);
		key.space = 3;
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0),
				    (u32)(n <= 3 ? GP_VERDICT_PASSES : GP_VERDICT_UNDECIDED),
				    "%u words", n);
		KUNIT_EXPECT_EQ(test, key.n, min(n, 3U));
	}
}

/* Parts that were made before a page fault are made again, once. */
static void a_key_that_starts_again_is_the_same(struct kunit *test)
{
	make(GP_WAY_GENERAL, VALUES_ABSENT);
	poke(A + 0x100, 5);
	F(IMM, .a = 1, .value = 3);
	F(KEY, .a = 1);
	F(IMM, .a = 2, .value = A + 0x100);
	F(LOAD, .a = 1, .b = 2, .size = 8);
	F(KEY, .a = 1);
	filter_load(test);
	EXPECT_KEY(test, 3, 5);
	KUNIT_EXPECT_EQ(test, served, 1U);
}

/* ---- bytes ---- */

static void load_bytes(struct kunit *test, u64 address, u64 len, u32 size)
{
	filter_clear();
	F(IMM, .a = 1, .value = address);
	F(IMM, .a = 2, .value = len);
	F(KEY_BYTES, .a = 1, .b = 2, .size = size);
	filter_load(test);
}

static u64 word_of(const char *text)
{
	u64 word = 0;

	memcpy(&word, text, strnlen(text, 8));
	return word;
}

static void bytes_come_with_their_number(struct kunit *test)
{
	memcpy(arena + 0x100, "hello, world, and everyone else", 30);
	load_bytes(test, A + 0x100, 5, 4096);
	EXPECT_KEY(test, 5, word_of("hello"));
	load_bytes(test, A + 0x100, 8, 4096);
	EXPECT_KEY(test, 8, word_of("hello, w"));
	load_bytes(test, A + 0x100, 9, 4096);
	EXPECT_KEY(test, 9, word_of("hello, w"), word_of("o"));
	/* The first ones, but the number of all. */
	load_bytes(test, A + 0x100, 30, 10);
	EXPECT_KEY(test, 30, word_of("hello, w"), word_of("or"));
	load_bytes(test, A + 0x100, 30, 8);
	EXPECT_KEY(test, 30, word_of("hello, w"));
}

static void no_bytes_are_a_number_alone(struct kunit *test)
{
	load_bytes(test, A + 0x100, 0, 4096);
	EXPECT_KEY(test, 0);
	/* Nothing is looked at, so it may be anywhere. */
	load_bytes(test, 0, 0, 4096);
	EXPECT_KEY(test, 0);
	load_bytes(test, -8ULL, 0, 4096);
	EXPECT_KEY(test, 0);
	load_bytes(test, 0, 77, 0);
	EXPECT_KEY(test, 77);
}

static void bytes_end_where_the_key_does(struct kunit *test)
{
	memcpy(arena + 0x100, "0123456789abcdefghijklmnop", 26);
	load_bytes(test, A + 0x100, 26, 4096);
	key.space = 3;
	EXPECT_KEY(test, 26, word_of("01234567"), word_of("89abcdef"));
	key.space = 1;
	EXPECT_KEY(test, 26);
	key.space = 0;
	EXPECT_UNDECIDED(test);
	/* A length that no string has. */
	key.space = 3;
	load_bytes(test, A + 0x100, U64_MAX, 4096);
	EXPECT_KEY(test, U64_MAX, word_of("01234567"), word_of("89abcdef"));
}

static void the_longest_key_is_full_of_bytes(struct kunit *test)
{
	u32 i;

	for (i = 0; i < GP_KEY_BYTES_MAX; i++)
		arena[0x100 + i] = i * 7;
	load_bytes(test, A + 0x100, 4096, 4096);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, key.n, (u32)GP_KEY_WORDS);
	KUNIT_EXPECT_EQ(test, memcmp(&key.word[1], arena + 0x100, GP_KEY_BYTES_MAX - 8), 0);
}

static void unreadable_bytes_are_undecided(struct kunit *test)
{
	static const u64 nowhere[] = { 0, 4095, A - 1, A + A_SIZE, A + A_SIZE - 4, -4ULL };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(nowhere); i++) {
		load_bytes(test, nowhere[i], 8, 4096);
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0), (u32)GP_VERDICT_UNDECIDED,
				    "row %u", i);
	}
	load_bytes(test, A + 0x100, 8, 4096);
	regions[VALUES].state = REMOTE;
	EXPECT_UNDECIDED(test);
	KUNIT_EXPECT_EQ(test, served, 0U);
	regions[VALUES].state = ABSENT;
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, served, 1U);
}

/* ---- hashes of bytes ---- */

#define LONG	300

static void fill_long(void)
{
	u32 i;

	for (i = 0; i < LONG; i++)
		arena[0x100 + i] = 'a' + i % 26;
}

/* At most @most bytes of LONG are hashed, and 8 are in the key. */
static void load_hashed(struct kunit *test, u64 most)
{
	filter_clear();
	F(IMM, .a = 1, .value = A + 0x100);
	F(IMM, .a = 2, .value = LONG);
	F(KEY_BYTES, .a = 1, .b = 2, .size = 8, .value = most);
	filter_load(test);
}

/* The key's last word, behind the length and @bytes words. */
static u64 hash_of(struct kunit *test, u32 bytes)
{
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, key.n, bytes + 2);
	KUNIT_EXPECT_EQ(test, key.word[0], (u64)LONG);
	return key.word[bytes + 1];
}

static void bytes_that_are_cut_have_a_hash_of_all(struct kunit *test)
{
	u64 hash;
	u32 i;

	fill_long();
	load_hashed(test, 4096);
	hash = hash_of(test, 1);
	KUNIT_EXPECT_EQ(test, key.word[1], word_of("abcdefgh"));
	KUNIT_EXPECT_EQ(test, hash & GOPROBE_KEY_HASH_WHOLE, GOPROBE_KEY_HASH_WHOLE);
	KUNIT_EXPECT_EQ(test, hash_of(test, 1), hash);
	for (i = 0; i < LONG; i++) {
		arena[0x100 + i] ^= 1;
		KUNIT_EXPECT_NE_MSG(test, hash_of(test, 1), hash, "byte %u", i);
		arena[0x100 + i] ^= 1;
	}
	KUNIT_EXPECT_EQ(test, hash_of(test, 1), hash);
}

static void a_hash_of_some_bytes_says_so(struct kunit *test)
{
	u64 hash;

	fill_long();
	load_hashed(test, LONG - 1);
	hash = hash_of(test, 1);
	KUNIT_EXPECT_EQ(test, hash & GOPROBE_KEY_HASH_WHOLE, 0ULL);
	arena[0x100 + LONG - 1] ^= 1;
	KUNIT_EXPECT_EQ(test, hash_of(test, 1), hash);
	arena[0x100 + LONG - 2] ^= 1;
	KUNIT_EXPECT_NE(test, hash_of(test, 1), hash);
	load_hashed(test, LONG);
	KUNIT_EXPECT_EQ(test, hash_of(test, 1) & GOPROBE_KEY_HASH_WHOLE, GOPROBE_KEY_HASH_WHOLE);
}

static void bytes_that_are_all_there_have_no_hash(struct kunit *test)
{
	fill_long();
	filter_clear();
	F(IMM, .a = 1, .value = A + 0x100);
	F(IMM, .a = 2, .value = 8);
	F(KEY_BYTES, .a = 1, .b = 2, .size = 8, .value = 4096);
	filter_load(test);
	EXPECT_KEY(test, 8, word_of("abcdefgh"));
}

static void a_hash_has_space_in_the_key(struct kunit *test)
{
	fill_long();
	load_hashed(test, 4096);
	key.space = 3;
	hash_of(test, 1);
	key.space = 2;
	hash_of(test, 0);
	key.space = 1;
	EXPECT_UNDECIDED(test);
}

static void a_hash_of_unreadable_bytes_says_so(struct kunit *test)
{
	fill_long();
	filter_clear();
	F(IMM, .a = 1, .value = A + A_SIZE - 200);
	F(IMM, .a = 2, .value = LONG);
	F(KEY_BYTES, .a = 1, .b = 2, .size = 8, .value = 4096);
	filter_load(test);
	KUNIT_EXPECT_EQ(test, hash_of(test, 1) & GOPROBE_KEY_HASH_WHOLE, 0ULL);
	load_hashed(test, 4096);
	regions[VALUES].state = REMOTE;
	EXPECT_UNDECIDED(test);
	regions[VALUES].state = ABSENT;
	served = 0;
	hash_of(test, 1);
	KUNIT_EXPECT_EQ(test, served, 1U);
	filter_clear();
	F(IMM, .a = 1, .value = 0);
	F(IMM, .a = 2, .value = LONG);
	F(KEY_BYTES, .a = 1, .b = 2, .size = 8, .value = 4096);
	filter_load(test);
	EXPECT_UNDECIDED(test);
}

/* ---- stacks ---- */

#define FP	(SP + 0x100)	/* where the frame of the caller ends */

/* A frame: what is below it, and where it returns to. */
static void frame(unsigned long at, u64 below, u64 to)
{
	poke(at, below);
	poke(at + 8, to);
}

/* Two callers and the function that began the goroutine, which has none. */
static void make_stack(struct kunit *test, u32 most)
{
	filter_clear();
	make(GP_WAY_GENERAL, 0);
	probes[0].address = IP - BIAS;
	w->regs.bp = FP;
	poke(SP, BIAS + 0x100);
	frame(FP, FP + 0x80, BIAS + 0x200);
	frame(FP + 0x80, 0, BIAS + 0x300);
	F(KEY_STACK, .value = most);
	filter_load(test);
}

#define HERE_AT	(IP - BIAS)

static void a_stack_begins_with_the_hit(struct kunit *test)
{
	make_stack(test, 64);
	EXPECT_KEY(test, 4, HERE_AT, 0x100, 0x200, 0x300);
}

/* A record whose frame has a stack behind the two words of its string. */
static void expect_record(struct kunit *test, u32 unusual, const u64 want[4])
{
	const struct goprobe_record *rec;
	u64 got[4];
	u32 i;

	make_stack(test, 64);
	make(GP_WAY_GENERAL, unusual);
	w->regs.bp = FP;
	probes[0].address = IP - BIAS;
	KUNIT_EXPECT_TRUE(test, hit());
	rec = first_record();
	KUNIT_ASSERT_NOT_NULL(test, rec);
	memcpy(got, (const u8 *)(rec + 1) + 16, sizeof(got));
	for (i = 0; i < ARRAY_SIZE(got); i++)
		KUNIT_EXPECT_EQ(test, got[i], want[i]);
}

static void a_record_has_the_stack(struct kunit *test)
{
	static const u64 whole[4] = { 3, IP - BIAS, 0x100, 0x200 }, none[4];

	unload();
	w->types[0].size = 16 + sizeof(whole);
	w->w.stack = 16;
	w->w.nstack = 3;
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
	expect_record(test, 0, whole);
	expect_record(test, VALUES_ABSENT, whole);
	expect_record(test, G_ABSENT, whole);
	expect_record(test, IN_THREAD | TLS_ABSENT, whole);
	/* Without a g nobody knows where the stack ends. */
	expect_record(test, G_DENIED, none);
	expect_record(test, FAR, none);
	expect_record(test, ODD, none);
	expect_record(test, IN_THREAD | TLS_DENIED, none);
}

static void a_stack_has_as_many_as_asked_for(struct kunit *test)
{
	make_stack(test, 3);
	EXPECT_KEY(test, 3, HERE_AT, 0x100, 0x200);
	make_stack(test, 1);
	EXPECT_KEY(test, 1, HERE_AT);
	/* Where the hit was is known anyway. */
	make_stack(test, 0);
	EXPECT_KEY(test, 1, HERE_AT);
	make_stack(test, 64);
	key.space = 4;
	EXPECT_KEY(test, 3, HERE_AT, 0x100, 0x200);
	key.space = 2;
	EXPECT_KEY(test, 1, HERE_AT);
	key.space = 1;
	EXPECT_UNDECIDED(test);
	/* As many as fit behind what is there already. */
	make_stack(test, 64);
	key.space = 5;
	filter_ops[1] = filter_ops[0];
	filter_ops[0] = (struct goprobe_op){ .code = GOPROBE_OP_KEY, .a = 1 };
	nfilter_ops = 2;
	filter_load(test);
	EXPECT_KEY(test, 0, 3, HERE_AT, 0x100, 0x200);
}

static void two_stacks_do_no_harm(struct kunit *test)
{
	make_stack(test, 2);
	filter_ops[1] = filter_ops[0];
	nfilter_ops = 2;
	filter_load(test);
	EXPECT_KEY(test, 2, HERE_AT, 0x100, 2, HERE_AT, 0x100);
}

static void a_stack_ends_where_nothing_is_returned_to(struct kunit *test)
{
	make_stack(test, 64);
	poke(SP, 0);
	EXPECT_KEY(test, 1, HERE_AT);
	make_stack(test, 64);
	poke(FP + 8, 0);
	EXPECT_KEY(test, 2, HERE_AT, 0x100);
}

/* A frame lies higher than the one it has called, whole in the stack, at a word. */
static void an_invalid_frame_ends_the_stack(struct kunit *test)
{
	static const u64 none[] = {
		0, 1, SP, SP - 8, SP - 0x100, FP + 4, A + A_SIZE, A + A_SIZE - 8, A + A_SIZE + 8,
		U64_MAX, -8ULL, 1ULL << 63, 8,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		make_stack(test, 64);
		w->regs.bp = none[i];
		EXPECT_KEY(test, 2, HERE_AT, 0x100);
	}
	/* The highest that there can be. */
	make_stack(test, 64);
	w->regs.bp = A + A_SIZE - 16;
	frame(A + A_SIZE - 16, A + A_SIZE, BIAS + 0x900);
	EXPECT_KEY(test, 3, HERE_AT, 0x100, 0x900);
	/* One that is its own caller. */
	make_stack(test, 64);
	frame(FP, FP, BIAS + 0x200);
	EXPECT_KEY(test, 3, HERE_AT, 0x100, 0x200);
}

static void the_longest_stack_fills_the_key(struct kunit *test)
{
	u32 i;

	make_stack(test, U32_MAX);
	for (i = 0; i < 200; i++)
		frame(FP + 16 * i, FP + 16 * (i + 1), BIAS + 0x1000 + i);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, key.n, (u32)GP_KEY_WORDS);
	KUNIT_EXPECT_EQ(test, key.word[0], GP_KEY_WORDS - 1ULL);
	KUNIT_EXPECT_EQ(test, key.word[GP_KEY_WORDS - 1], 0x1000 + GP_KEY_WORDS - 4ULL);
}

static void an_unreadable_stack_is_undecided(struct kunit *test)
{
	static const struct { u32 unusual; enum gp_verdict verdict; u32 served; } all[] = {
		{ 0, GP_VERDICT_PASSES, 0 },
		{ VALUES_ABSENT, GP_VERDICT_PASSES, 1 },
		{ G_ABSENT, GP_VERDICT_PASSES, 1 },
		{ G_ABSENT | VALUES_ABSENT, GP_VERDICT_PASSES, 2 },
		{ G_DENIED, GP_VERDICT_UNDECIDED, 0 },
		{ FAR, GP_VERDICT_UNDECIDED, 0 },
		{ ODD, GP_VERDICT_UNDECIDED, 0 },
		{ IN_THREAD, GP_VERDICT_PASSES, 0 },
		{ IN_THREAD | TLS_ABSENT, GP_VERDICT_PASSES, 1 },
		{ IN_THREAD | TLS_DENIED, GP_VERDICT_UNDECIDED, 0 },
	};
	u32 i;

	make_stack(test, 64);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		make(GP_WAY_GENERAL, all[i].unusual);
		w->regs.bp = FP;
		key.space = GP_KEY_WORDS;
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0), (u32)all[i].verdict, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, served, all[i].served, "row %u", i);
		if (all[i].verdict == GP_VERDICT_PASSES)
			KUNIT_EXPECT_EQ_MSG(test, key.n, 5U, "row %u", i);
	}
	make(GP_WAY_GENERAL, 0);
	regions[VALUES].state = REMOTE;
	EXPECT_UNDECIDED(test);
}

/* ---- anything ---- */

/* Memory that is a stack, by and large, of which each word may be anything. */
static void any_stack_makes_a_key(struct kunit *test)
{
	u32 round, i, seed = 7, longest = 0;

	make_stack(test, 64);
	for (round = 0; round < 3000; round++) {
		make(GP_WAY_GENERAL, 0);
		w->regs.bp = FP;
		for (i = 0; i < 0x800; i += 8) {
			seed = seed * 1664525 + 1013904223;
			poke(SP + i, seed >> 30 ? SP + i + (seed >> 8 & 0x1f8) :
						  (u64)seed << (seed & 31));
		}
		key.space = seed >> 16 & 63;
		KUNIT_ASSERT_LE(test, (u32)verdict(test, 0), (u32)GP_VERDICT_UNDECIDED);
		KUNIT_ASSERT_LE(test, key.n, key.space);
		if (key.n)
			KUNIT_ASSERT_EQ(test, key.word[0], key.n - 1ULL);
		longest = max(longest, key.n);
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, longest, 8U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(words_come_in_their_order),
	KUNIT_CASE(what_is_skipped_is_in_no_key),
	KUNIT_CASE(a_key_may_be_empty),
	KUNIT_CASE(a_filter_that_makes_a_key_can_reject),
	KUNIT_CASE(a_word_that_does_not_fit_is_undecided),
	KUNIT_CASE(a_key_that_starts_again_is_the_same),
	KUNIT_CASE(bytes_come_with_their_number),
	KUNIT_CASE(no_bytes_are_a_number_alone),
	KUNIT_CASE(bytes_end_where_the_key_does),
	KUNIT_CASE(the_longest_key_is_full_of_bytes),
	KUNIT_CASE(unreadable_bytes_are_undecided),
	KUNIT_CASE(bytes_that_are_cut_have_a_hash_of_all),
	KUNIT_CASE(a_hash_of_some_bytes_says_so),
	KUNIT_CASE(bytes_that_are_all_there_have_no_hash),
	KUNIT_CASE(a_hash_has_space_in_the_key),
	KUNIT_CASE(a_hash_of_unreadable_bytes_says_so),
	KUNIT_CASE(a_stack_begins_with_the_hit),
	KUNIT_CASE(a_record_has_the_stack),
	KUNIT_CASE(a_stack_has_as_many_as_asked_for),
	KUNIT_CASE(two_stacks_do_no_harm),
	KUNIT_CASE(a_stack_ends_where_nothing_is_returned_to),
	KUNIT_CASE(an_invalid_frame_ends_the_stack),
	KUNIT_CASE(the_longest_stack_fills_the_key),
	KUNIT_CASE(an_unreadable_stack_is_undecided),
	KUNIT_CASE(any_stack_makes_a_key),
	{}
};

static struct kunit_suite suite = {
	.name = "filter_key",
	.init = filter_key_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Keys that filters make: KUnit suite");
