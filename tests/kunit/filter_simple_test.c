// SPDX-License-Identifier: GPL-2.0
/* The tests that a simple filter becomes say what its program says. */
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
	u32 njumped;	/* tests of detours, if there are more */
};

/* Is the number, cut or not, with remainder @value when it is divided by @by? */
#define REMAINDER(cut, size_, op, by, jump, value_) { \
	REG_0, OF(cut, .a = 1, .b = 1, .size = size_), OF(IMM, .a = 2, .value = (by)), \
	OF(op, .a = 1, .b = 2), OF(jump, .a = 1, .offset = 1, .value = (value_)), NO, \
}

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
	{ "even", 1, REMAINDER(SIGN, 8, SMOD, 2, JEQ_I, 0) },
	{ "even, of 4 bytes", 1, REMAINDER(SIGN, 4, SMOD, 2, JEQ_I, 0) },
	{ "not even", 1, REMAINDER(SIGN, 8, SMOD, 2, JNE_I, 0) },
	{ "a remainder of -8", 1, REMAINDER(SIGN, 8, SMOD, -8ULL, JEQ_I, 0) },
	{ "a remainder of the lowest number", 1, REMAINDER(SIGN, 8, SMOD, S64_MIN, JEQ_I, 0) },
	{ "3 of 8", 1, REMAINDER(LOW, 2, MOD, 8, JEQ_I, 3) },
	{ "8 of 8", 0, REMAINDER(LOW, 2, MOD, 8, JEQ_I, 8) },
	{ "1 of 2, signed", 0, REMAINDER(SIGN, 8, SMOD, 2, JEQ_I, 1) },
	{ "less than 3 of 8", 0, REMAINDER(LOW, 2, MOD, 8, JLT_I, 3) },
	{ "a remainder of 256, of a byte", 1, REMAINDER(LOW, 1, MOD, 256, JEQ_I, 9) },
	{ "a remainder of 512, of a byte", 0, REMAINDER(LOW, 1, MOD, 512, JEQ_I, 9) },
	{ "a remainder of 0", 0, REMAINDER(SIGN, 8, SMOD, 0, JEQ_I, 0) },
	{ "a remainder of 1", 0, REMAINDER(SIGN, 8, SMOD, 1, JEQ_I, 0) },
	{ "a remainder of -1", 0, REMAINDER(SIGN, 8, SMOD, -1ULL, JEQ_I, 0) },
	{ "a signed remainder of what is not", 0, REMAINDER(LOW, 4, SMOD, 4, JEQ_I, 0) },
	{ "a multiple of 3", 0, REMAINDER(SIGN, 8, SMOD, 3, JEQ_I, 0), 1 },
	{ "a multiple of 3, of 2 bytes", 0, REMAINDER(LOW, 2, MOD, 3, JEQ_I, 0), 1 },
	{ "no multiple of -3", 0, REMAINDER(SIGN, 8, SMOD, -3ULL, JNE_I, 0), 1 },
	{ "1 of 3", 0, REMAINDER(LOW, 8, MOD, 3, JEQ_I, 1) },
	{ "a multiple of 10", 0, REMAINDER(SIGN, 8, SMOD, 10, JEQ_I, 0), 2 },
	{ "no multiple of 10", 0, REMAINDER(SIGN, 8, SMOD, 10, JNE_I, 0) },
	{ "a remainder of a remainder", 0,
	  { REG_0, OF(IMM, .a = 2, .value = 8), OF(MOD, .a = 1, .b = 2), OF(MOD, .a = 1, .b = 2),
	    OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a remainder cut off", 0,
	  { REG_0, OF(IMM, .a = 2, .value = 8), OF(MOD, .a = 1, .b = 2),
	    OF(LOW, .a = 1, .b = 1, .size = 1), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "memory at a remainder", 0,
	  { REG_0, OF(IMM, .a = 2, .value = 8), OF(MOD, .a = 1, .b = 2),
	    OF(LOAD, .a = 1, .b = 1, .size = 8), OF(JEQ_I, .a = 1, .offset = 1), NO } },
	{ "a remainder of what is not constant", 0,
	  { REG_0, OF(REG, .a = 2, .b = 4), OF(MOD, .a = 1, .b = 2),
	    OF(JEQ_I, .a = 1, .offset = 1), NO } },
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
	KUNIT_EXPECT_EQ(test, filter->njumped, c->njumped ?: c->ntests);
	KUNIT_EXPECT_EQ(test, filter->nops, nfilter_ops);
	KUNIT_EXPECT_FALSE(test, filter->ends);
	KUNIT_EXPECT_FALSE(test, filter->under);
}

/* Is a filter of this operation, with value 0, local? */
static bool is_local(u8 code)
{
	const struct goprobe_op wire = { .code = code };
	struct gp_filter f = { .local = true };
	struct gp_op op;

	gp_op_load(&op, &wire);
	gp_filter_learn(&f, &op, &wire);
	return f.local;
}

/* Notes have registers and the goroutine, and nothing else. */
static void programs_of_what_notes_have_are_local(struct kunit *test)
{
	static const u8 local[] = {
		GOPROBE_OP_IMM, GOPROBE_OP_REG, GOPROBE_OP_MOVE, GOPROBE_OP_LOW, GOPROBE_OP_SIGN,
		GOPROBE_OP_ORDER, GOPROBE_OP_ADD, GOPROBE_OP_SUB, GOPROBE_OP_MUL, GOPROBE_OP_DIV,
		GOPROBE_OP_MOD, GOPROBE_OP_SDIV, GOPROBE_OP_SMOD, GOPROBE_OP_AND, GOPROBE_OP_OR,
		GOPROBE_OP_XOR, GOPROBE_OP_SHL, GOPROBE_OP_SHR, GOPROBE_OP_SAR, GOPROBE_OP_ADD_I,
		GOPROBE_OP_MUL_I, GOPROBE_OP_JUMP, GOPROBE_OP_JEQ, GOPROBE_OP_JNE, GOPROBE_OP_JLT,
		GOPROBE_OP_JGE, GOPROBE_OP_JSLT, GOPROBE_OP_JSGE, GOPROBE_OP_JEQ_I,
		GOPROBE_OP_JNE_I, GOPROBE_OP_JLT_I, GOPROBE_OP_JGE_I, GOPROBE_OP_JSLT_I,
		GOPROBE_OP_JSGE_I, GOPROBE_OP_END, GOPROBE_OP_REJECT, GOPROBE_OP_KEY,
		GOPROBE_OP_TASK, GOPROBE_OP_VALUE, GOPROBE_OP_SVALUE, GOPROBE_OP_BUCKET,
	};
	u8 code;

	for (code = 1; code < __GOPROBE_OP_MAX; code++)
		KUNIT_EXPECT_EQ_MSG(test, is_local(code),
				    !!memchr(local, code, sizeof(local)), "operation %u", code);
	F(REG, .a = 1, .b = 5);
	F(REG, .a = 2, .b = 1);
	F(KEY, .a = 1);
	filter_load(test);
	KUNIT_EXPECT_TRUE(test, filter->local);
	KUNIT_EXPECT_EQ(test, filter->registers, (u32)(BIT(offsetof(struct pt_regs, di) / 8) |
						       BIT(offsetof(struct pt_regs, dx) / 8)));
	F(NUMBER, .a = 2, .value = 1);
	filter_load(test);
	KUNIT_EXPECT_TRUE(test, filter->local);
	F(LOAD, .a = 1, .b = 1, .size = 8);
	filter_load(test);
	KUNIT_EXPECT_FALSE(test, filter->local);
}

static void as_many_tests_as_fit(struct kunit *test)
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

/* ---- remainders ---- */

/* A divisor that tests can be made of, mostly. */
static u64 divisor(u8 cut)
{
	u64 by = rnd(4) ? BIT_ULL(rnd(10)) * (rnd(2) ? 1 : 1 + 2 * rnd(50)) : edge();

	by = by ?: 1;
	return cut == GOPROBE_OP_SIGN && rnd(4) == 0 ? -by : by;
}

/* Is the remainder of a division of a register, cut to a size, @value or not? */
struct division {
	u8 reg, cut, size, jump;
	u64 by, value;
};

static void random_division(struct division *d)
{
	d->reg = rnd(16);
	d->cut = rnd(2) ? GOPROBE_OP_SIGN : GOPROBE_OP_LOW;
	d->size = 1 << rnd(4);
	d->jump = rnd(2) ? GOPROBE_OP_JEQ_I : GOPROBE_OP_JNE_I;
	d->by = divisor(d->cut);
	d->value = rnd(4) ? 0 : rnd(4);
	F(REG, .a = 1, .b = d->reg);
	filter_op((struct goprobe_op){ .code = d->cut, .a = 1, .b = 1, .size = d->size });
	F(IMM, .a = 2, .value = d->by);
	filter_op((struct goprobe_op){ .a = 1, .b = 2, .code = d->cut == GOPROBE_OP_SIGN ?
				       GOPROBE_OP_SMOD : GOPROBE_OP_MOD });
	filter_op((struct goprobe_op){ .code = d->jump, .a = 1, .offset = 1, .value = d->value });
	F(REJECT);
}

/* A number that is near a multiple, with anything above what is cut off. */
static void random_dividend(const struct division *d)
{
	u64 number = rnd(4) ? d->by * (edge() >> rnd(64)) + d->value + rnd(3) - 1 : edge();

	if (rnd(2))
		number = cut_off(number, d->cut, d->size) ^ (d->size < 8 ? edge() << 8 * d->size :
							     0);
	*(u64 *)((u8 *)&w->regs + gp_arch_int_reg(d->reg)) = number;
}

/* The filter as a detour executes it. */
static bool detour_passes(void)
{
	u32 i;

	for (i = 0; i < filter->njumped; i++) {
		const struct gp_test *t = &filter->test[i];
		u64 word = *(u64 *)((u8 *)&w->regs + t->from) << t->shift;

		if ((word * (t->mul ?: 1) - t->low <= t->span) != t->want)
			return false;
	}
	return true;
}

static void remainders_say_what_the_program_says(struct kunit *test)
{
	u32 round, n, i, try, jumped = 0, simple = 0, said[2] = { };
	struct division d[2];

	random_state = 88172645463325252ULL;
	for (round = 0; round < 12000; round++) {
		filter_clear();
		n = 1 + rnd(2);
		for (i = 0; i < n; i++)
			random_division(&d[i]);
		filter_load(test);
		jumped += !!filter->njumped;
		simple += !!filter->ntests;
		for (try = 0; try < 16; try++) {
			u32 want;

			for (i = 0; i < n; i++)
				random_dividend(&d[i]);
			want = verdict(test, 0);
			if (filter->ntests)
				KUNIT_ASSERT_EQ_MSG(test, (u32)gp_filter_test(filter, &w->regs),
						    want, "round %u, try %u", round, try);
			if (!filter->njumped)
				continue;
			KUNIT_ASSERT_EQ_MSG(test, detour_passes(), want == GP_VERDICT_PASSES,
					    "round %u, try %u", round, try);
			said[want]++;
		}
		if (round % 100 == 0)
			cond_resched();
	}
	/* It was not in vain. */
	KUNIT_EXPECT_GT(test, jumped, simple + 1000U);
	KUNIT_EXPECT_GT(test, simple, 1000U);
	KUNIT_EXPECT_GT(test, said[GP_VERDICT_PASSES], 10000U);
	KUNIT_EXPECT_GT(test, said[GP_VERDICT_REJECTS], 10000U);
}

/* ---- tests behind loads ---- */

/* Words that refer to each other, to nil, or to nothing, and small ones. */
static void random_words(void)
{
	u32 i;

	for (i = 0; i < A_SIZE; i += 8)
		poke(A + i, rnd(16) ? A + 8 * rnd(A_SIZE / 8) + rnd(4) : rnd(2) ? rnd(8) : edge());
}

/* The operand of a comparison: such a word, or a part of it. */
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
			/* The absent page is there now: only unavailable values are undecided. */
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

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(simple_filters_become_tests, form_gen_params),
	KUNIT_CASE(programs_of_what_notes_have_are_local),
	KUNIT_CASE(as_many_tests_as_fit),
	KUNIT_CASE(tests_say_what_the_program_says),
	KUNIT_CASE(remainders_say_what_the_program_says),
	KUNIT_CASE(tests_that_load_say_what_the_program_says),
	KUNIT_CASE(memory_that_tests_load),
	{}
};

static struct kunit_suite suite = {
	.name = "filter_simple",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Filters that are tests: KUnit suite");
