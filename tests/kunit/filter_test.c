// SPDX-License-Identifier: GPL-2.0
/*
 * Which hits count: each operation that only filters have; what can't be told is said to
 * be so; and the tests that a simple filter becomes say what its program says.
 */
#include "filter_world.h"

#include "random_world.h"

/* ---- filters that become tests ---- */

#define OF(name, ...) { .code = GOPROBE_OP_##name, ##__VA_ARGS__ }
#define REG_0	OF(REG, .a = 1, .b = 5)
#define NO	OF(REJECT)

struct form_case {
	const char *claim;
	u32 ntests;	/* 0: the program is run */
	struct goprobe_op ops[8];
};

static const struct form_case form_cases[] = {
	{ "a word", 1, { REG_0, OF(JEQ_I, .a = 1, .offset = 1, .value = 7), NO } },
	{ "a word that is not", 1, { REG_0, OF(JNE_I, .a = 1, .offset = 1), NO } },
	{ "a signed word", 1, { REG_0, OF(JSLT_I, .a = 1, .offset = 1), NO } },
	{ "what always holds", 1, { REG_0, OF(JGE_I, .a = 1, .offset = 1), NO } },
	{ "what always holds, signed", 1,
	  { REG_0, OF(JSGE_I, .a = 1, .offset = 1, .value = S64_MIN), NO } },
	{ "what never holds", 0, { REG_0, OF(JLT_I, .a = 1, .offset = 1), NO } },
	{ "what never holds, signed", 0,
	  { REG_0, OF(JSLT_I, .a = 1, .offset = 1, .value = S64_MIN), NO } },
	{ "what never holds of a byte", 0,
	  { REG_0, OF(SIGN, .a = 1, .b = 1, .size = 1),
	    OF(JSLT_I, .a = 1, .offset = 1, .value = -128ULL), NO } },
	{ "unsigned, of 4 bytes", 1,
	  { REG_0, OF(LOW, .a = 1, .b = 1, .size = 4), OF(JLT_I, .a = 1, .offset = 1, .value = 9),
	    NO } },
	{ "signed, of 4 bytes", 1,
	  { REG_0, OF(SIGN, .a = 1, .b = 1, .size = 4),
	    OF(JSLT_I, .a = 1, .offset = 1, .value = -9ULL), NO } },
	{ "cut unsigned, compared signed", 0,
	  { REG_0, OF(LOW, .a = 1, .b = 1, .size = 4), OF(JSLT_I, .a = 1, .offset = 1, .value = 9),
	    NO } },
	{ "cut signed, compared unsigned", 0,
	  { REG_0, OF(SIGN, .a = 1, .b = 1, .size = 4), OF(JLT_I, .a = 1, .offset = 1, .value = 9),
	    NO } },
	{ "cut to all of it", 1,
	  { REG_0, OF(LOW, .a = 1, .b = 1, .size = 8), OF(JSLT_I, .a = 1, .offset = 1), NO } },
	{ "the highest byte", 1,
	  { REG_0, OF(LOW, .a = 1, .b = 1, .size = 1),
	    OF(JEQ_I, .a = 1, .offset = 1, .value = 255), NO } },
	{ "what no byte has", 0,
	  { REG_0, OF(LOW, .a = 1, .b = 1, .size = 1),
	    OF(JEQ_I, .a = 1, .offset = 1, .value = 256), NO } },
	{ "the lowest signed byte", 1,
	  { REG_0, OF(SIGN, .a = 1, .b = 1, .size = 1),
	    OF(JEQ_I, .a = 1, .offset = 1, .value = -128ULL), NO } },
	{ "what no signed byte has", 0,
	  { REG_0, OF(SIGN, .a = 1, .b = 1, .size = 1),
	    OF(JEQ_I, .a = 1, .offset = 1, .value = 128), NO } },
	{ "two of them", 2,
	  { REG_0, OF(JEQ_I, .a = 1, .offset = 1), NO, REG_0,
	    OF(LOW, .a = 1, .b = 1, .size = 1), OF(JNE_I, .a = 1, .offset = 1), NO } },
	{ "nothing but a rejection", 0, { NO } },
	{ "nothing but an end", 0, { OF(END) } },
	{ "an end behind", 0, { REG_0, OF(JEQ_I, .a = 1, .offset = 1), NO, OF(END) } },
	{ "a jump over nothing", 0, { REG_0, OF(JEQ_I, .a = 1), NO } },
	{ "a jump further", 0, { REG_0, OF(JEQ_I, .a = 1, .offset = 2), NO, NO } },
	{ "a jump that asks for nothing", 0,
	  { OF(REG, .a = 0, .b = 5), OF(JUMP, .offset = 1), NO } },
	{ "of another register", 0, { REG_0, OF(JEQ_I, .a = 2, .offset = 1), NO } },
	{ "a word behind a load", 1,
	  { REG_0, OF(LOAD, .a = 1, .b = 1, .size = 8), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a part of one", 1,
	  { REG_0, OF(LOAD, .a = 1, .b = 1, .size = 2, .value = 6),
	    OF(SIGN, .a = 1, .b = 1, .size = 2), OF(JSLT_I, .a = 1, .offset = 1), NO } },
	{ "a word behind three loads", 1,
	  { REG_0, OF(LOAD, .a = 1, .b = 1, .size = 8), OF(LOAD, .a = 1, .b = 1, .size = 8),
	    OF(LOAD, .a = 1, .b = 1, .size = 8), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a word behind four", 0,
	  { REG_0, OF(LOAD, .a = 1, .b = 1, .size = 8), OF(LOAD, .a = 1, .b = 1, .size = 8),
	    OF(LOAD, .a = 1, .b = 1, .size = 8), OF(LOAD, .a = 1, .b = 1, .size = 8),
	    OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a load from a part of a word", 0,
	  { REG_0, OF(LOAD, .a = 1, .b = 1, .size = 4), OF(LOAD, .a = 1, .b = 1, .size = 8),
	    OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a load from far away", 0,
	  { REG_0, OF(LOAD, .a = 1, .b = 1, .size = 8, .value = BIT_ULL(31)),
	    OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a load that is not compared", 0,
	  { REG_0, OF(LOAD, .a = 2, .b = 1, .size = 8), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a load that is not compared, at the end", 0,
	  { REG_0, OF(JEQ_I, .a = 1, .offset = 1), NO, OF(LOAD, .a = 2, .b = 1, .size = 8) } },
	{ "what has been moved", 1,
	  { REG_0, OF(MOVE, .a = 2, .b = 1), OF(JEQ_I, .a = 2, .offset = 1), NO } },
	{ "cut from another register", 0,
	  { REG_0, OF(LOW, .a = 1, .b = 2, .size = 1), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "cut into another register", 1,
	  { REG_0, OF(LOW, .a = 2, .b = 1, .size = 1), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "with another register", 0, { REG_0, OF(JEQ, .a = 1, .b = 1, .offset = 1), NO } },
	{ "no rejection", 0, { REG_0, OF(JEQ_I, .a = 1, .offset = 1), OF(END) } },
	{ "cut short: no jump", 0, { REG_0 } },
	{ "cut short: no rejection", 0, { REG_0, OF(JEQ_I, .a = 1) } },
	{ "cut short: no rejection of a byte", 0,
	  { REG_0, OF(LOW, .a = 1, .b = 1, .size = 1), OF(JEQ_I, .a = 1) } },
	{ "a constant", 0, { OF(IMM, .a = 1), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a float", 0,
	  { OF(FLOAT, .a = 1, .b = 17, .size = 8), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "something else behind", 0,
	  { REG_0, OF(JEQ_I, .a = 1, .offset = 1), NO, OF(NUMBER, .a = 1) } },
};

static void form_desc(const struct form_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(form, form_cases, form_desc);

static void simple_filters_become_tests(struct kunit *test)
{
	const struct form_case *c = test->param_value;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(c->ops) && c->ops[i].code; i++)
		filter_op(c->ops[i]);
	filter_load(test);
	KUNIT_EXPECT_EQ(test, filter->ntests, c->ntests);
	KUNIT_EXPECT_EQ(test, filter->nops, nfilter_ops);
	KUNIT_EXPECT_FALSE(test, filter->ends);
	KUNIT_EXPECT_FALSE(test, filter->under);
}

static void as_many_tests_as_there_is_room_for(struct kunit *test)
{
	u32 n, i;

	for (n = 1; n <= GP_FILTER_TESTS + 1; n++) {
		filter_clear();
		for (i = 0; i < n; i++) {
			F(REG, .a = i, .b = i);
			F(JGE_I, .a = i, .offset = 1, .value = i);
			F(REJECT);
		}
		filter_load(test);
		KUNIT_EXPECT_EQ(test, filter->ntests, n <= GP_FILTER_TESTS ? n : 0U);
	}
}

/* Numbers that something may be wrong with. */
static u64 edge(void)
{
	static const u32 widths[] = { 8, 16, 32, 64 };
	u32 width = widths[rnd(4)];

	switch (rnd(6)) {
	case 0:
		return rnd(3) - 1ULL;
	case 1:
		return -BIT_ULL(width - 1) + rnd(3) - 1;
	case 2:
		return BIT_ULL(width - 1) + rnd(3) - 1;
	case 3:
		return (width == 64 ? 0 : BIT_ULL(width)) + rnd(3) - 1;
	case 4:
		return ((u64)rnd(U32_MAX) << 32 | rnd(U32_MAX)) >> rnd(64);
	default:
		return -(u64)rnd(300);
	}
}

/* One comparison, and what it says in plain C. */
struct comparison {
	u8 reg, cut, size, jump;
	u64 value;
};

static struct comparison comparisons[GP_FILTER_TESTS + 1];

static void random_comparison(struct comparison *c)
{
	c->reg = rnd(16);
	c->cut = rnd(3) ? rnd(2) ? GOPROBE_OP_SIGN : GOPROBE_OP_LOW : 0;
	c->size = 1 << rnd(4);
	c->jump = GOPROBE_OP_JEQ_I + rnd(6);
	c->value = edge();
	F(REG, .a = 1, .b = c->reg);
	if (c->cut)
		filter_op((struct goprobe_op){ .code = c->cut, .a = 1, .b = 1, .size = c->size });
	filter_op((struct goprobe_op){ .code = c->jump, .a = 1, .offset = 1, .value = c->value });
	F(REJECT);
}

static u64 cut_off(u64 word, u8 cut, u8 size)
{
	if (cut == GOPROBE_OP_LOW)
		return size == 1 ? (u8)word : size == 2 ? (u16)word : size == 4 ? (u32)word : word;
	if (cut == GOPROBE_OP_SIGN)
		return size == 1 ? (s8)word : size == 2 ? (s16)word : size == 4 ? (s32)word : word;
	return word;
}

static bool holds(const struct comparison *c)
{
	u64 word = *(u64 *)((u8 *)&w->regs + gp_arch_int_reg(c->reg));

	word = cut_off(word, c->cut, c->size);
	switch (c->jump) {
	case GOPROBE_OP_JEQ_I:
		return word == c->value;
	case GOPROBE_OP_JNE_I:
		return word != c->value;
	case GOPROBE_OP_JLT_I:
		return word < c->value;
	case GOPROBE_OP_JGE_I:
		return word >= c->value;
	case GOPROBE_OP_JSLT_I:
		return (s64)word < (s64)c->value;
	default:
		return (s64)word >= (s64)c->value;
	}
}

/* Registers near what they are compared with, with anything above what is cut off. */
static void random_registers(u32 n)
{
	u32 i;

	for (i = 0; i < 16; i++)
		*(u64 *)((u8 *)&w->regs + gp_arch_int_reg(i)) = edge();
	for (i = 0; i < n; i++) {
		const struct comparison *c = &comparisons[i];
		u64 word = c->value + rnd(3) - 1;

		if (c->cut && c->size < 8 && rnd(2))
			word ^= edge() << (8 * c->size);
		if (rnd(4))
			*(u64 *)((u8 *)&w->regs + gp_arch_int_reg(c->reg)) = word;
	}
}

static void tests_say_what_the_program_says(struct kunit *test)
{
	u32 round, i, n, try, simple = 0, passed = 0, rejected = 0;

	random_state = 88172645463325252ULL;
	for (round = 0; round < 8000; round++) {
		u32 ntests;

		filter_clear();
		n = 1 + rnd(GP_FILTER_TESTS + 1);
		for (i = 0; i < n; i++)
			random_comparison(&comparisons[i]);
		filter_load(test);
		ntests = filter->ntests;
		KUNIT_ASSERT_TRUE(test, ntests == 0 || ntests == n);
		simple += !!ntests;
		for (try = 0; try < 16; try++) {
			enum gp_verdict say;
			bool want = true;

			random_registers(n);
			for (i = 0; i < n; i++)
				want &= holds(&comparisons[i]);
			say = want ? GP_VERDICT_PASSES : GP_VERDICT_REJECTS;
			if (ntests)
				KUNIT_ASSERT_EQ_MSG(test, (u32)gp_filter_test(filter, &w->regs),
						    (u32)say, "round %u, try %u", round, try);
			KUNIT_ASSERT_EQ_MSG(test, (u32)verdict(test, 0), (u32)say,
					    "round %u, try %u", round, try);
			passed += want;
			rejected += !want;
		}
		if (round % 100 == 0)
			cond_resched();
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, simple, 800U);
	KUNIT_EXPECT_GT(test, passed, 5000U);
	KUNIT_EXPECT_GT(test, rejected, 5000U);
}

/* ---- how a program ends ---- */

static void a_filter_passes_unless_it_says_otherwise(struct kunit *test)
{
	F(END);
	filter_load(test);
	EXPECT_PASSES(test);
	filter_clear();
	F(IMM, .a = 1, .value = 0);
	filter_load(test);
	EXPECT_PASSES(test);
	filter_clear();
	F(JUMP, .offset = 1);
	F(REJECT);
	filter_load(test);
	EXPECT_PASSES(test);
	filter_clear();
	F(END);
	F(REJECT);
	filter_load(test);
	EXPECT_PASSES(test);
	filter_clear();
	F(REJECT);
	F(END);
	filter_load(test);
	EXPECT_REJECTS(test);
}

static void what_comes_first_counts(struct kunit *test)
{
	u16 status;

	for (status = 1; status < __GOPROBE_CHUNK_MAX; status++) {
		filter_clear();
		F(FAIL, .value = status);
		F(REJECT);
		filter_load(test);
		EXPECT_UNDECIDED(test);
		filter_clear();
		F(REJECT);
		F(FAIL, .value = status);
		filter_load(test);
		EXPECT_REJECTS(test);
		filter_clear();
		F(END);
		F(FAIL, .value = status);
		filter_load(test);
		EXPECT_PASSES(test);
	}
}

static void what_is_divided_by_0_cannot_be_told(struct kunit *test)
{
	u8 code;

	for (code = GOPROBE_OP_DIV; code <= GOPROBE_OP_SMOD; code++) {
		filter_clear();
		filter_op((struct goprobe_op){ .code = code, .a = 1, .b = 2 });
		F(REJECT);
		filter_load(test);
		EXPECT_UNDECIDED(test);
	}
}

/* It passes if r1 is that. */
static void only_if(struct kunit *test, u64 value)
{
	F(JEQ_I, .a = 1, .offset = 1, .value = value);
	F(REJECT);
	filter_load(test);
}

static void the_longest_filter_ends(struct kunit *test)
{
	struct goprobe_op *ops = kunit_kzalloc(test, GP_OPS_MAX * sizeof(*ops), GFP_KERNEL);
	const struct goprobe_filter longest = { .nops = GP_OPS_MAX };
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	for (i = 0; i < GP_OPS_MAX - 2; i++)
		ops[i] = (struct goprobe_op){ .code = GOPROBE_OP_ADD_I, .a = 1, .value = 1 };
	ops[i++] = (struct goprobe_op){
		.code = GOPROBE_OP_JEQ_I, .a = 1, .offset = 1, .value = GP_OPS_MAX - 2,
	};
	ops[i] = (struct goprobe_op){ .code = GOPROBE_OP_REJECT };
	KUNIT_ASSERT_STREQ(test, gp_verify_filter(&longest, ops, GP_OPS_MAX) ?: "accepted",
			   "accepted");
	filter = gp_filter_new(&longest, ops, &s.tallies);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(filter));
	EXPECT_PASSES(test);
}

static void a_filter_is_a_part_of_its_message(struct kunit *test)
{
	const struct goprobe_filter second = { .op = 1, .nops = 1 };

	F(REJECT);
	F(END);
	F(REJECT);
	filter = gp_filter_new(&second, filter_ops, &s.tallies);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(filter));
	EXPECT_PASSES(test);
}

/* ---- tests behind loads ---- */

/* Words that refer to each other, to nil, or to nothing, and small ones. */
static void random_words(void)
{
	u32 i;

	for (i = 0; i < A_SIZE; i += 8)
		poke(A + i, rnd(16) ? A + 8 * rnd(A_SIZE / 8) + rnd(4) : rnd(2) ? rnd(8) : edge());
}

/* What a value is compared with: such a word, or a part of it. */
static u64 word_to_compare(u8 cut, u8 size)
{
	u64 word = rnd(3) ? A + 8 * rnd(A_SIZE / 8) : edge();

	return cut_off(word, cut, size);
}

/* A register, some loads, a cut, a comparison. */
static void random_load_test(void)
{
	u32 nloads = rnd(GP_TEST_LOADS + 1), i;
	u8 size = 1 << rnd(4), cut = rnd(2) ? GOPROBE_OP_SIGN : GOPROBE_OP_LOW;

	F(REG, .a = 1, .b = rnd(4));
	for (i = 0; i < nloads; i++)
		F(LOAD, .a = 1, .b = 1, .size = i + 1 < nloads ? 8 : size,
		  .value = rnd(8) ? 8 * rnd(8) : rnd(2) ? -8ULL : edge());
	filter_op((struct goprobe_op){ .code = cut, .a = 1, .b = 1, .size = size });
	/* Most hold, so that the next one is looked at as well. */
	filter_op((struct goprobe_op){
		.code = rnd(3) ? GOPROBE_OP_JNE_I :
				 cut == GOPROBE_OP_SIGN ? GOPROBE_OP_JSLT_I : GOPROBE_OP_JGE_I,
		.a = 1, .offset = 1, .value = word_to_compare(cut, size),
	});
	F(REJECT);
}

/* Return: what the tests say, which leave all as it was. */
static enum gp_verdict try_tests(struct kunit *test)
{
	int depth = preempt_count();
	enum gp_verdict ret = gp_filter_test(filter, &w->regs);

	KUNIT_EXPECT_EQ(test, preempt_count(), depth);
	KUNIT_EXPECT_TRUE(test, !pagefault_disabled() && !windows && !wrong);
	KUNIT_EXPECT_EQ(test, served, 0U);
	return ret;
}

static void random_pointers(void)
{
	static const u16 states[] = { HERE, HERE, ABSENT, REMOTE };
	u32 i;

	make(GP_WAY_GENERAL, 0);
	regions[VALUES].state = states[rnd(4)];
	for (i = 0; i < 4; i++)
		*(u64 *)((u8 *)&w->regs + gp_arch_int_reg(i)) =
			rnd(16) ? A + 8 * rnd(A_SIZE / 8) : rnd(2) ? 0 : edge();
}

static void tests_that_load_say_what_the_program_says(struct kunit *test)
{
	u32 said[GP_VERDICT_RUN + 1][GP_VERDICT_RUN] = { }, simple = 0, round, try, n;

	random_state = 88172645463325252ULL;
	random_words();
	for (round = 0; round < 6000; round++) {
		filter_clear();
		for (n = 1 + rnd(3); n; n--)
			random_load_test();
		filter_load(test);
		if (!filter->ntests)
			continue;
		simple++;
		for (try = 0; try < 8; try++) {
			enum gp_verdict tests, program;

			random_pointers();
			tests = try_tests(test);
			program = verdict(test, 0);
			if (tests != GP_VERDICT_RUN)
				KUNIT_ASSERT_EQ_MSG(test, (u32)tests, (u32)program,
						    "round %u, try %u", round, try);
			said[tests][program]++;
			if (!served)
				continue;
			/* What was absent is there now: only what can't be had is not told. */
			served = 0;
			tests = try_tests(test);
			KUNIT_ASSERT_EQ_MSG(test, (u32)tests,
					    (u32)(program == GP_VERDICT_UNDECIDED ?
						  GP_VERDICT_RUN : program),
					    "round %u, try %u", round, try);
		}
		if (round % 100 == 0)
			cond_resched();
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, simple, 1000U);
	KUNIT_EXPECT_GT(test, said[GP_VERDICT_PASSES][GP_VERDICT_PASSES], 1000U);
	KUNIT_EXPECT_GT(test, said[GP_VERDICT_REJECTS][GP_VERDICT_REJECTS], 1000U);
	KUNIT_EXPECT_GT(test, said[GP_VERDICT_RUN][GP_VERDICT_PASSES], 500U);
	KUNIT_EXPECT_GT(test, said[GP_VERDICT_RUN][GP_VERDICT_REJECTS], 500U);
	KUNIT_EXPECT_GT(test, said[GP_VERDICT_RUN][GP_VERDICT_UNDECIDED], 500U);
	KUNIT_EXPECT_EQ(test, said[GP_VERDICT_UNDECIDED][GP_VERDICT_UNDECIDED], 0U);
}

/* A filter of one test behind two loads. */
static void memory_that_tests_load(struct kunit *test)
{
	static const struct { u64 first, second; u16 state; u32 tests, program; } all[] = {
		{ A + 0x100, A + 0x200, HERE, GP_VERDICT_PASSES, GP_VERDICT_PASSES },
		{ A + 0x100, A + 0x208, HERE, GP_VERDICT_REJECTS, GP_VERDICT_REJECTS },
		{ A + 0x100, A + 0x200, ABSENT, GP_VERDICT_RUN, GP_VERDICT_PASSES },
		{ A + 0x100, A + 0x208, ABSENT, GP_VERDICT_RUN, GP_VERDICT_REJECTS },
		{ A + 0x100, A + 0x200, REMOTE, GP_VERDICT_RUN, GP_VERDICT_UNDECIDED },
		{ A + 0x100, 0, HERE, GP_VERDICT_RUN, GP_VERDICT_UNDECIDED },
		{ A + 0x100, 4095, HERE, GP_VERDICT_RUN, GP_VERDICT_UNDECIDED },
		{ A + 0x100, -8ULL, HERE, GP_VERDICT_RUN, GP_VERDICT_UNDECIDED },
		{ A + 0x100, A + A_SIZE, HERE, GP_VERDICT_RUN, GP_VERDICT_UNDECIDED },
		{ 0, 0, HERE, GP_VERDICT_RUN, GP_VERDICT_UNDECIDED },
		{ -8ULL, 0, HERE, GP_VERDICT_RUN, GP_VERDICT_UNDECIDED },
	};
	u32 i;

	F(REG, .a = 1, .b = 0);
	F(LOAD, .a = 1, .b = 1, .size = 8, .value = 8);
	F(LOAD, .a = 1, .b = 1, .size = 4, .value = 16);
	only_if(test, 7);
	KUNIT_ASSERT_EQ(test, filter->ntests, 1U);
	KUNIT_EXPECT_TRUE(test, filter->loads && !filter->first);
	poke(A + 0x210, 0x100000007);
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		make(GP_WAY_GENERAL, 0);
		poke(A + 0x108, all[i].second);
		w->regs.ax = all[i].first;
		regions[VALUES].state = all[i].state;
		KUNIT_EXPECT_EQ_MSG(test, (u32)try_tests(test), all[i].tests, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0), all[i].program, "row %u", i);
	}
}

/* ---- values ---- */

static void where_the_target_is(struct kunit *test)
{
	F(SP, .a = 1, .value = 8);
	only_if(test, SP + 8);
	EXPECT_PASSES(test);
	filter_clear();
	probes[0].address = IP - 0x7000;
	F(STATIC, .a = 1, .value = 0x100);
	only_if(test, 0x7100);
	EXPECT_PASSES(test);
	filter_clear();
	F(FLOAT, .a = 1, .b = 18, .size = 4);
	only_if(test, 0x13121110);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, (u32)float_mask, 2U);
}

static void what_cannot_be_compared_skips(struct kunit *test)
{
	F(IMM, .a = 2, .value = 0x7ff8000000000000);
	F(ORDER, .a = 1, .b = 2, .size = 8, .offset = 1);
	F(REJECT);
	filter_load(test);
	EXPECT_PASSES(test);
	filter_ops[0].value = 0x7ff0000000000000;
	filter_load(test);
	EXPECT_REJECTS(test);
}

static void memory_is_loaded(struct kunit *test)
{
	poke(A + 0x100, 0x1122334455667788);
	F(IMM, .a = 2, .value = A + 0x100);
	F(LOAD, .a = 1, .b = 2, .size = 8);
	only_if(test, 0x1122334455667788);
	EXPECT_PASSES(test);
	poke(A + 0x100, 0);
	EXPECT_REJECTS(test);
}

static void memory_that_is_absent_is_brought_in(struct kunit *test)
{
	make(GP_WAY_GENERAL, VALUES_ABSENT);
	poke(A + 0x100, 7);
	/* What has been done before is done anew, from 0. */
	F(ADD_I, .a = 3, .value = 1);
	F(IMM, .a = 2, .value = A + 0x100);
	F(LOAD, .a = 1, .b = 2, .size = 4);
	F(ADD, .a = 1, .b = 3);
	only_if(test, 8);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, served, 1U);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, served, 1U);
}

static void memory_that_cannot_be_had_is_not_told(struct kunit *test)
{
	static const u64 addresses[] = { 0, 8, 4095, A + A_SIZE, -8ULL };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		filter_clear();
		F(IMM, .a = 2, .value = addresses[i]);
		F(LOAD, .a = 1, .b = 2, .size = 8);
		F(REJECT);
		filter_load(test);
		EXPECT_UNDECIDED(test);
	}
	filter_clear();
	F(IMM, .a = 2, .value = A);
	F(LOAD, .a = 1, .b = 2, .size = 8);
	F(REJECT);
	filter_load(test);
	regions[VALUES].state = REMOTE;
	EXPECT_UNDECIDED(test);
	KUNIT_EXPECT_EQ(test, served, 0U);
}

static void whose_hit_it_is(struct kunit *test)
{
	F(TASK, .a = 1, .value = GOPROBE_TASK_TGID);
	only_if(test, current->tgid);
	EXPECT_PASSES(test);
	filter_clear();
	F(TASK, .a = 1, .value = GOPROBE_TASK_TID);
	only_if(test, current->pid);
	EXPECT_PASSES(test);
}

static void which_goroutine_it_is(struct kunit *test)
{
	static const struct { u32 unusual; u64 goid; u32 served; } goroutines[] = {
		{ 0, GOID }, { FAR, 0 }, { ODD, 0 }, { G_DENIED, 0 }, { G_ABSENT, GOID, 1 },
		{ IN_THREAD, GOID }, { IN_THREAD | TLS_ABSENT, GOID, 1 },
		{ IN_THREAD | TLS_ABSENT | G_ABSENT, GOID, 2 }, { IN_THREAD | TLS_DENIED, 0 },
		{ IN_THREAD | G_DENIED, 0 }, { IN_THREAD | FAR, 0 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(goroutines); i++) {
		filter_clear();
		make(GP_WAY_GENERAL, goroutines[i].unusual);
		F(TASK, .a = 1, .value = GOPROBE_TASK_GOID);
		only_if(test, goroutines[i].goid);
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0), (u32)GP_VERDICT_PASSES,
				    "0x%x", goroutines[i].unusual);
		KUNIT_EXPECT_EQ_MSG(test, served, goroutines[i].served, "0x%x",
				    goroutines[i].unusual);
		filter_clear();
		F(TASK, .a = 1, .value = GOPROBE_TASK_G);
		only_if(test, goroutines[i].goid ? G : 0);
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0), (u32)GP_VERDICT_PASSES,
				    "g, 0x%x", goroutines[i].unusual);
	}
}

static void how_long_the_call_took(struct kunit *test)
{
	F(DURATION, .a = 1);
	F(JGE_I, .a = 1, .offset = 1, .value = 1000);
	F(REJECT);
	filter_load(test);
	KUNIT_EXPECT_TRUE(test, filter->ends);
	KUNIT_EXPECT_EQ(test, (u32)verdict(test, 999), (u32)GP_VERDICT_REJECTS);
	KUNIT_EXPECT_EQ(test, (u32)verdict(test, 1000), (u32)GP_VERDICT_PASSES);
	KUNIT_EXPECT_EQ(test, (u32)verdict(test, U64_MAX), (u32)GP_VERDICT_PASSES);
}

/* Every third of those whose rax is 1. */
static void hits_have_numbers(struct kunit *test)
{
	u32 i, passed = 0;

	F(REG, .a = 1);
	F(JEQ_I, .a = 1, .offset = 1, .value = 1);
	F(REJECT);
	F(NUMBER, .a = 1);
	F(IMM, .a = 2, .value = 3);
	F(MOD, .a = 1, .b = 2);
	only_if(test, 0);
	for (i = 0; i < 300; i++) {
		w->regs.ax = i % 2;
		passed += verdict(test, 0) == GP_VERDICT_PASSES;
	}
	KUNIT_EXPECT_EQ(test, passed, 50U);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number), 150ULL);
}

static void a_hit_has_one_number(struct kunit *test)
{
	u32 i;

	F(NUMBER, .a = 1);
	F(IMM, .a = 2, .value = A);
	F(LOAD, .a = 3, .b = 2, .size = 8);
	F(TASK, .a = 3, .value = GOPROBE_TASK_GOID);
	F(NUMBER, .a = 4);
	F(JEQ, .a = 1, .b = 4, .offset = 1);
	F(REJECT);
	filter_load(test);
	for (i = 1; i <= 5; i++) {
		make(GP_WAY_GENERAL, VALUES_ABSENT | IN_THREAD | TLS_ABSENT | G_ABSENT);
		EXPECT_PASSES(test);
		KUNIT_EXPECT_EQ(test, served, 3U);
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number), (u64)i);
	}
}

/* ---- open calls ---- */

static const struct gp_calls_key self = { .process = PROCESS, .g = G, .goid = GOID };

static void open_call(u32 depth, enum gp_way of)
{
	gp_calls_open(s.calls, self, depth, tally_of(of), 0);
}

/* It passes if a call of that id is open. */
static void only_under(struct kunit *test, u32 id)
{
	filter_clear();
	F(UNDER, .a = 1, .value = id);
	only_if(test, 1);
	KUNIT_EXPECT_TRUE(test, filter->under);
}

static void calls_further_up_are_open(struct kunit *test)
{
	open_call(WORDS - 8, GP_WAY_LEAVE);
	only_under(test, TIMED);
	EXPECT_PASSES(test);
	only_under(test, PAIRED);
	EXPECT_REJECTS(test);
	open_call(WORDS - 4, GP_WAY_END);
	EXPECT_PASSES(test);
	only_under(test, TIMED);
	EXPECT_PASSES(test);
	/* An id that nobody knows yet. */
	only_under(test, 77777);
	EXPECT_REJECTS(test);
	KUNIT_EXPECT_NOT_NULL(test, gp_tallies_find(&s.tallies, 77777));
}

static void a_call_is_not_under_itself(struct kunit *test)
{
	only_under(test, TIMED);
	open_call(WORDS, GP_WAY_LEAVE);
	EXPECT_REJECTS(test);
	open_call(WORDS + 10, GP_WAY_LEAVE);
	EXPECT_REJECTS(test);
	open_call(WORDS - 1, GP_WAY_LEAVE);
	EXPECT_PASSES(test);
}

static void other_goroutines_calls_are_not_open(struct kunit *test)
{
	struct gp_calls_key other = self;

	only_under(test, TIMED);
	other.process++;
	gp_calls_open(s.calls, other, 1, tally_of(GP_WAY_LEAVE), 0);
	EXPECT_REJECTS(test);
	other = self;
	other.goid++;
	gp_calls_open(s.calls, other, 1, tally_of(GP_WAY_LEAVE), 0);
	EXPECT_REJECTS(test);
	other = self;
	other.g += 8;
	gp_calls_open(s.calls, other, 1, tally_of(GP_WAY_LEAVE), 0);
	EXPECT_REJECTS(test);
}

static void whose_calls_cannot_be_told_is_not(struct kunit *test)
{
	static const struct { u32 unusual; enum gp_verdict verdict; } goroutines[] = {
		{ 0, GP_VERDICT_PASSES }, { FAR, GP_VERDICT_REJECTS }, { ODD, GP_VERDICT_REJECTS },
		{ G_ABSENT, GP_VERDICT_PASSES }, { G_DENIED, GP_VERDICT_UNDECIDED },
		{ IN_THREAD, GP_VERDICT_PASSES }, { IN_THREAD | TLS_ABSENT, GP_VERDICT_PASSES },
		{ IN_THREAD | TLS_DENIED, GP_VERDICT_UNDECIDED },
	};
	u32 i;

	only_under(test, TIMED);
	for (i = 0; i < ARRAY_SIZE(goroutines); i++) {
		make(GP_WAY_GENERAL, goroutines[i].unusual);
		open_call(WORDS - 8, GP_WAY_LEAVE);
		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0), (u32)goroutines[i].verdict,
				    "0x%x", goroutines[i].unusual);
	}
}

static void too_many_calls_are_not_looked_at(struct kunit *test)
{
	u32 i;

	gp_calls_free(s.calls);
	s.calls = gp_calls_new(8192);
	KUNIT_ASSERT_NOT_NULL(test, s.calls);
	/* All of them deeper, so that none is looked at in vain. */
	only_under(test, PAIRED);
	for (i = 0; i < 4096; i++)
		open_call(WORDS + i, GP_WAY_LEAVE);
	EXPECT_REJECTS(test);
	open_call(WORDS + i, GP_WAY_LEAVE);
	EXPECT_UNDECIDED(test);
}

/* ---- memory that is the same ---- */

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
		/* What is behind differs. */
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
	/* What is there ends within the third part. */
	regions[IN_RIGHT].size = 300;
	compare(test, LEFT, RIGHT, 400, 4096);
	EXPECT_UNDECIDED(test);
	arena[0x6000 + 200] = 4;
	EXPECT_REJECTS(test);
	arena[0x6000 + 200] = 3;
	arena[0x6000 + 290] = 4;
	EXPECT_UNDECIDED(test);
}

/* ---- anything ---- */

/* One that the verifier may pass, with @left operations behind it. */
static void random_op(struct goprobe_op *op, u32 left)
{
	u16 uses;

	*op = (struct goprobe_op){ .code = 1 + rnd(GOPROBE_OP_MAX) };
	uses = gp_op_uses[op->code];
	if (uses & GP_USES_A)
		op->a = rnd(4);
	if (uses & (GP_USES_B | GP_USES_REG))
		op->b = rnd(4);
	if (uses & GP_USES_FLOAT)
		op->b = 17 + rnd(16);
	if (uses & GP_USES_SIZE)
		op->size = 1 << rnd(4);
	if (uses & GP_USES_BYTES)
		op->size = rnd(1000);
	if (uses & GP_USES_SKIP)
		op->offset = rnd(min(left, 5U) + 1);
	if (uses & GP_USES_VALUE)
		op->value = rnd(2) ? random_word() : A + rnd(A_SIZE);
	if (uses & (GP_USES_STATUS | GP_USES_LENGTH | GP_USES_TASK | GP_USES_ID))
		op->value = rnd(4);
	/* Those that end it are rare, or most would end at once. */
	if (((op->code == GOPROBE_OP_FAIL || op->code == GOPROBE_OP_END) && rnd(8)) ||
	    (op->code == GOPROBE_OP_REJECT && rnd(2)) || uses & GP_PLANS_ONLY)
		*op = (struct goprobe_op){ .code = GOPROBE_OP_REG, .a = rnd(4), .b = rnd(16) };
}

static bool has_numbers(void)
{
	u32 i;

	for (i = 0; i < nfilter_ops; i++)
		if (filter_ops[i].code == GOPROBE_OP_NUMBER)
			return true;
	return false;
}

/* The target: any memory, but a g that is one, whose calls are open. */
static void random_target(void)
{
	static const u16 states[] = { HERE, ABSENT, REMOTE };

	make(GP_WAY_GENERAL, rnd(2) ? OPEN : 0);
	random_memory();
	if (nregions == REGIONS)
		nregions--;
	regions[nregions++] = (struct region){
		G, sizeof(g_memory), states[rnd(3)], g_memory,
	};
	w->regs.r14 = G;
	w->regs.sp = SP - ADJUST;
}

static void any_verified_filter_over_any_memory(struct kunit *test)
{
	u32 verdicts[GP_VERDICT_UNDECIDED + 1] = { }, n, i;
	enum gp_verdict first;

	random_state = 88172645463325252ULL;
	for (n = 0; n < 6000; n++) {
		struct goprobe_filter any;

		filter_clear();
		nfilter_ops = 1 + rnd(rnd(2) ? 6 : 40);
		for (i = 0; i < nfilter_ops; i++)
			random_op(&filter_ops[i], nfilter_ops - i - 1);
		any = (struct goprobe_filter){ .nops = nfilter_ops };
		if (gp_verify_filter(&any, filter_ops, nfilter_ops))
			continue;
		filter_load(test);
		random_target();
		first = verdict(test, rnd(2000));
		KUNIT_ASSERT_LE(test, (u32)first, (u32)GP_VERDICT_UNDECIDED);
		verdicts[first]++;
		KUNIT_ASSERT_LE(test, served, (u32)REGIONS);
		/* What has been brought in makes no difference. */
		if (!has_numbers() && !filter->ends)
			KUNIT_ASSERT_EQ_MSG(test, (u32)verdict(test, 0), (u32)first, "round %u", n);
		if (n % 100 == 0)
			cond_resched();
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_PASSES], 300U);
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_REJECTS], 50U);
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_UNDECIDED], 300U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(simple_filters_become_tests, form_gen_params),
	KUNIT_CASE(as_many_tests_as_there_is_room_for),
	KUNIT_CASE(tests_say_what_the_program_says),
	KUNIT_CASE(tests_that_load_say_what_the_program_says),
	KUNIT_CASE(memory_that_tests_load),
	KUNIT_CASE(a_filter_passes_unless_it_says_otherwise),
	KUNIT_CASE(what_comes_first_counts),
	KUNIT_CASE(what_is_divided_by_0_cannot_be_told),
	KUNIT_CASE(the_longest_filter_ends),
	KUNIT_CASE(a_filter_is_a_part_of_its_message),
	KUNIT_CASE(where_the_target_is),
	KUNIT_CASE(what_cannot_be_compared_skips),
	KUNIT_CASE(memory_is_loaded),
	KUNIT_CASE(memory_that_is_absent_is_brought_in),
	KUNIT_CASE(memory_that_cannot_be_had_is_not_told),
	KUNIT_CASE(whose_hit_it_is),
	KUNIT_CASE(which_goroutine_it_is),
	KUNIT_CASE(how_long_the_call_took),
	KUNIT_CASE(hits_have_numbers),
	KUNIT_CASE(a_hit_has_one_number),
	KUNIT_CASE(calls_further_up_are_open),
	KUNIT_CASE(a_call_is_not_under_itself),
	KUNIT_CASE(other_goroutines_calls_are_not_open),
	KUNIT_CASE(whose_calls_cannot_be_told_is_not),
	KUNIT_CASE(too_many_calls_are_not_looked_at),
	KUNIT_CASE(memory_is_compared_to_its_last_byte),
	KUNIT_CASE(no_more_is_compared_than_it_says),
	KUNIT_CASE(nothing_is_the_same_as_nothing),
	KUNIT_CASE(what_is_to_be_compared_is_brought_in),
	KUNIT_CASE(what_differs_before_is_enough),
	KUNIT_CASE(any_verified_filter_over_any_memory),
	{}
};

static struct kunit_suite suite = {
	.name = "filter",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Which hits count: KUnit suite");
