// SPDX-License-Identifier: GPL-2.0
/*
 * Which hits count: how a filter ends, what it can ask for; undecided hits are reported as such.
 */
#include "filter_world.h"

#include "random_world.h"

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

static void division_by_0_is_undecided(struct kunit *test)
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
	/* Earlier operations run again, from 0. */
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

static void unreadable_memory_is_undecided(struct kunit *test)
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
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number[0]), 150ULL);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number[1]), 0ULL);
}

/* A number of counter 1, by the key: r1 becomes its word. */
static u64 number_on(struct kunit *test, int cpu)
{
	stay_on_cpu(test, cpu);
	EXPECT_PASSES(test);
	return key.word[0];
}

static void each_cpu_takes_a_block_of_numbers(struct kunit *test)
{
	u32 i;

	F(NUMBER, .a = 1, .value = 1);
	F(KEY, .a = 1);
	filter_load(test);
	for (i = 1; i <= GOPROBE_NUMBER_BLOCK; i++) {
		KUNIT_EXPECT_EQ(test, number_on(test, 0), (u64)i);
		KUNIT_EXPECT_EQ(test, number_on(test, 1), (u64)GOPROBE_NUMBER_BLOCK + i);
	}
	KUNIT_EXPECT_EQ(test, number_on(test, 1), 2ULL * GOPROBE_NUMBER_BLOCK + 1);
	KUNIT_EXPECT_EQ(test, number_on(test, 0), 3ULL * GOPROBE_NUMBER_BLOCK + 1);
	KUNIT_EXPECT_EQ(test, numbered(), 2ULL * GOPROBE_NUMBER_BLOCK + 2);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number[0]), 0ULL);
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
		KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number[0]), (u64)i);
	}
}

/* ---- anything ---- */

/* One that the verifier may pass, with @left operations behind it. */
static void random_op(struct goprobe_op *op, u32 left)
{
	u32 uses;

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
	if (uses & GP_USES_COUNTER)
		op->value = rnd(GP_NUMBERS);
	if (uses & GP_USES_CAUSE)
		op->value = rnd(__GOPROBE_REJECT_MAX) | (rnd(2) ? GOPROBE_REJECT_F_MUTED : 0);
	if (uses & GP_USES_PERIOD) {
		op->offset = rnd(2) * rnd(2000);
		op->value = rnd(4);
	}
	/* Those that end it are rare, or most would end at once. */
	if (((op->code == GOPROBE_OP_FAIL || op->code == GOPROBE_OP_END) && rnd(8)) ||
	    (op->code == GOPROBE_OP_REJECT && rnd(2)) || uses & GP_PLANS_ONLY)
		*op = (struct goprobe_op){ .code = GOPROBE_OP_REG, .a = rnd(4), .b = rnd(16) };
}

static bool has_numbers(void)
{
	u32 i;

	for (i = 0; i < nfilter_ops; i++)
		if (filter_ops[i].code == GOPROBE_OP_NUMBER ||
		    filter_ops[i].code == GOPROBE_OP_QUOTA)
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
	u32 verdicts[GP_VERDICT_SAMPLED + 1] = { }, n, i;
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
		KUNIT_ASSERT_LE(test, (u32)first & ~GP_VERDICT_F_MUTED, (u32)GP_VERDICT_SAMPLED);
		verdicts[first & ~GP_VERDICT_F_MUTED]++;
		KUNIT_ASSERT_LE(test, served, (u32)REGIONS);
		/* Pages that have been brought in make no difference. */
		if (!has_numbers() && !filter->ends)
			KUNIT_ASSERT_EQ_MSG(test, (u32)verdict(test, 0), (u32)first, "round %u", n);
		if (n % 100 == 0)
			cond_resched();
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_PASSES], 300U);
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_REJECTS], 20U);
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_LIMITED], 20U);
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_SAMPLED], 20U);
	KUNIT_EXPECT_EQ(test, verdicts[GP_VERDICT_RUN], 0U);
	KUNIT_EXPECT_GT(test, verdicts[GP_VERDICT_UNDECIDED], 300U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_filter_passes_unless_it_says_otherwise),
	KUNIT_CASE(what_comes_first_counts),
	KUNIT_CASE(division_by_0_is_undecided),
	KUNIT_CASE(the_longest_filter_ends),
	KUNIT_CASE(a_filter_is_a_part_of_its_message),
	KUNIT_CASE(where_the_target_is),
	KUNIT_CASE(what_cannot_be_compared_skips),
	KUNIT_CASE(memory_is_loaded),
	KUNIT_CASE(memory_that_is_absent_is_brought_in),
	KUNIT_CASE(unreadable_memory_is_undecided),
	KUNIT_CASE(whose_hit_it_is),
	KUNIT_CASE(which_goroutine_it_is),
	KUNIT_CASE(how_long_the_call_took),
	KUNIT_CASE(hits_have_numbers),
	KUNIT_CASE(each_cpu_takes_a_block_of_numbers),
	KUNIT_CASE(a_hit_has_one_number),
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
