// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of plans: each operation does what the protocol says, with what is true,
 * what is false and what fails; a failure is said and stays with its item.
 */
#include "capture_world.h"

#define FAULT_AT	0x5000ULL	/* nothing is there */

static void op(struct goprobe_op o)
{
	w->ops[w->w.nops++] = o;
}

#define OP(name, ...) op((struct goprobe_op){ .code = GOPROBE_OP_##name, ##__VA_ARGS__ })

/* A frame of two words, which no piece fills: the first is the result. */
static int program_init(struct kunit *test)
{
	int err = capture_init(test);

	if (err)
		return err;
	w->types[0].size = 16;
	w->w.npieces = 0;
	return 0;
}

static u64 result(void)
{
	return gp_load(w->to);
}

static void expect_missed(struct kunit *test, u32 n, u64 item, u16 status)
{
	expect_chunk(test, n, item, MISSED, 0, status);
	if (chunk(n))
		KUNIT_EXPECT_EQ(test, (u32)chunk(n)->level, 0U);
}

static void expect_flags(struct kunit *test, u16 flags)
{
	KUNIT_EXPECT_EQ(test, (u32)w->flags, (u32)flags);
}

/* ---- values ---- */

struct value_case {
	const char *claim;
	struct goprobe_op op;	/* a is r2; r1 is -2, r2 is 40 before */
	u64 want;
};

#define VALUE(name, ...) { .code = GOPROBE_OP_##name, .a = 2, ##__VA_ARGS__ }

static const struct value_case value_cases[] = {
	{ "IMM", VALUE(IMM, .value = 0x1122334455667788), 0x1122334455667788 },
	{ "REG: rax", VALUE(REG, .b = 0), 0xa0 },
	{ "REG: r15", VALUE(REG, .b = 15), 0xf15 },
	{ "FRAME: 8 bytes", VALUE(FRAME, .size = 8, .offset = 8), 0x8877665544332211 },
	{ "FRAME: 4 bytes", VALUE(FRAME, .size = 4, .offset = 8), 0x44332211 },
	{ "FRAME: 2 bytes", VALUE(FRAME, .size = 2, .offset = 9), 0x3322 },
	{ "FRAME: the last byte", VALUE(FRAME, .size = 1, .offset = 15), 0x88 },
	{ "SP", VALUE(SP, .value = 24), A + 0x1000 + 24 },
	{ "SP: below", VALUE(SP, .value = -8ULL), A + 0x1000 - 8 },
	{ "STATIC", VALUE(STATIC, .value = 0x401000), 0x401000 + 0x7000 },
	{ "LOAD: 8 bytes", VALUE(LOAD, .b = 3, .size = 8), 0xfedcba9876543210 },
	{ "LOAD: 4 bytes", VALUE(LOAD, .b = 3, .size = 4, .value = 4), 0xfedcba98 },
	{ "LOAD: 2 bytes", VALUE(LOAD, .b = 3, .size = 2), 0x3210 },
	{ "LOAD: 1 byte", VALUE(LOAD, .b = 3, .size = 1, .value = 7), 0xfe },
	{ "LOAD: before the base", VALUE(LOAD, .b = 4, .size = 8, .value = -8ULL),
	  0xfedcba9876543210 },
	{ "SIGN: 1 byte, negative", VALUE(SIGN, .b = 5, .size = 1), -128ULL },
	{ "SIGN: 2 bytes, positive", VALUE(SIGN, .b = 5, .size = 2), 0x7f80 },
	{ "SIGN: 4 bytes, negative", VALUE(SIGN, .b = 5, .size = 4), 0xffffffff80007f80 },
	{ "SIGN: 8 bytes", VALUE(SIGN, .b = 5, .size = 8), 0x1180007f80 },
	{ "MOVE", VALUE(MOVE, .b = 1), -2ULL },
	{ "ADD", VALUE(ADD, .b = 1), 38 },
	{ "ADD: wraps", { .code = GOPROBE_OP_ADD, .a = 2, .b = 5 }, 0x1180007f80 + 40 },
	{ "ADD_I", VALUE(ADD_I, .value = -41ULL), -1ULL },
	{ "MUL_I", VALUE(MUL_I, .value = 24), 960 },
	{ "MUL_I: wraps", VALUE(MUL_I, .value = 1ULL << 61), 0 },
	{ "LOW: 1 byte", VALUE(LOW, .b = 1, .size = 1), 0xfe },
	{ "LOW: 2 bytes", VALUE(LOW, .b = 1, .size = 2), 0xfffe },
	{ "LOW: 4 bytes", VALUE(LOW, .b = 1, .size = 4), 0xfffffffe },
	{ "LOW: 8 bytes", VALUE(LOW, .b = 1, .size = 8), -2ULL },
	{ "LOW: of itself", VALUE(LOW, .b = 2, .size = 1), 40 },
	/* Byte n of register r is 16 r + n: see gp_arch_float_regs() of the world. */
	{ "FLOAT: 8 bytes of the first", VALUE(FLOAT, .b = 17, .size = 8), 0x0706050403020100 },
	{ "FLOAT: 4 bytes of the last", VALUE(FLOAT, .b = 32, .size = 4), 0xf3f2f1f0 },
	{ "FLOAT: 8 bytes of the last", VALUE(FLOAT, .b = 32, .size = 8), 0xf7f6f5f4f3f2f1f0 },
	{ "nothing: a register keeps its value", { .code = GOPROBE_OP_MOVE, .a = 6 }, 40 },
};

static void value_desc(const struct value_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(value, value_cases, value_desc);

static void operations_that_give_values(struct kunit *test)
{
	const struct value_case *c = test->param_value;

	w->regs.ax = 0xa0;
	w->regs.r15 = 0xf15;
	w->regs.bx = 0x8877665544332211;
	w->sp = A + 0x1000;
	w->bias = 0x7000;
	poke(A + 0x2000, 0xfedcba9876543210);
	w->w.npieces = 1;
	w->pieces[0] = (struct goprobe_piece){
		.source = GOPROBE_FROM_INT_REG, .reg = 3, .size = 8, .frame = 8,
	};
	OP(IMM, .a = 1, .value = -2ULL);
	OP(IMM, .a = 2, .value = 40);
	OP(IMM, .a = 3, .value = A + 0x2000);
	OP(IMM, .a = 4, .value = A + 0x2008);
	OP(IMM, .a = 5, .value = 0x1180007f80);
	op(c->op);
	OP(STORE, .a = 2, .size = 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, result(), c->want);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	expect_flags(test, 0);
}

static void registers_are_0_at_the_start(struct kunit *test)
{
	u32 reg;

	for (reg = 0; reg < 16; reg++) {
		w->w.nops = 0;
		OP(STORE, .a = reg, .size = 8);
		capture(test);
		KUNIT_EXPECT_EQ(test, result(), 0ULL);
	}
}

static void what_is_stored_is_as_wide_as_it_says(struct kunit *test)
{
	static const u64 want[] = {
		0x11, 0x2211, 0x44332211, 0x8877665544332211,
	};
	u32 i;

	for (i = 0; i < 4; i++) {
		w->w.nops = 0;
		OP(IMM, .a = 15, .value = 0x8877665544332211);
		OP(STORE, .a = 15, .size = 1 << i, .offset = 16 - (1 << i));
		capture(test);
		KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), want[i] << (64 - (8 << i)));
		KUNIT_EXPECT_EQ(test, result(), 0ULL);
	}
}

/* ---- arithmetic ---- */

struct sum_case {
	const char *claim;
	u8 code;
	u64 a, b;
	u64 want;
};

#define SUM(name, what, x, y, is) \
	{ #name ": " what, GOPROBE_OP_##name, (u64)(x), (u64)(y), (u64)(is) }

static const struct sum_case sum_cases[] = {
	SUM(ADD, "wraps", U64_MAX, 2, 1),
	SUM(SUB, "less", 7, 5, 2),
	SUM(SUB, "below 0", 5, 7, -2LL),
	SUM(SUB, "from the lowest", S64_MIN, 1, S64_MAX),
	SUM(MUL, "small", 7, 6, 42),
	SUM(MUL, "signs", -7LL, 6, -42LL),
	SUM(MUL, "wraps", BIT_ULL(63) + 1, 2, 2),
	SUM(DIV, "rounded down", 7, 2, 3),
	SUM(DIV, "without sign", -2LL, 2, S64_MAX),
	SUM(DIV, "the lowest by -1 is a large by a larger", S64_MIN, -1LL, 0),
	SUM(MOD, "small", 7, 4, 3),
	SUM(MOD, "without sign", -1LL, 10, 5),
	SUM(MOD, "less than it", 3, U64_MAX, 3),
	SUM(SDIV, "both positive", 7, 2, 3),
	SUM(SDIV, "towards 0 from below", -7LL, 2, -3LL),
	SUM(SDIV, "by a negative", 7, -2LL, -3LL),
	SUM(SDIV, "both negative", -7LL, -2LL, 3),
	SUM(SDIV, "by -1", 7, -1LL, -7LL),
	SUM(SDIV, "the lowest by -1 is itself", S64_MIN, -1LL, S64_MIN),
	SUM(SDIV, "the lowest by itself", S64_MIN, S64_MIN, 1),
	SUM(SDIV, "the highest by the lowest", S64_MAX, S64_MIN, 0),
	SUM(SMOD, "both positive", 7, 4, 3),
	SUM(SMOD, "the sign is the first one's", -7LL, 4, -3LL),
	SUM(SMOD, "whatever the other's", 7, -4LL, 3),
	SUM(SMOD, "by -1", 7, -1LL, 0),
	SUM(SMOD, "the lowest by -1", S64_MIN, -1LL, 0),
	SUM(SMOD, "the lowest by the highest", S64_MIN, S64_MAX, -1LL),
	SUM(AND, "bits of both", 0xff00ff00ff00ff00, 0x0ff00ff00ff00ff0, 0x0f000f000f000f00),
	SUM(OR, "bits of either", 0xf0, BIT_ULL(63), BIT_ULL(63) | 0xf0),
	SUM(XOR, "bits of one", 0xff, 0x0f, 0xf0),
	SUM(XOR, "with itself", U64_MAX, U64_MAX, 0),
	SUM(SHL, "by 0", 5, 0, 5),
	SUM(SHL, "by 4", 5, 4, 80),
	SUM(SHL, "by 63", 3, 63, BIT_ULL(63)),
	SUM(SHL, "by 64", 3, 64, 0),
	SUM(SHL, "by more than a byte can have", 3, 256, 0),
	SUM(SHL, "by what is negative", 3, -1LL, 0),
	SUM(SHR, "by 0", -1LL, 0, -1LL),
	SUM(SHR, "without sign", -1LL, 4, 0x0fffffffffffffff),
	SUM(SHR, "by 63", -1LL, 63, 1),
	SUM(SHR, "by 64", -1LL, 64, 0),
	SUM(SHR, "by 2^32", -1LL, BIT_ULL(32), 0),
	SUM(SHR, "by what is negative", -1LL, -64LL, 0),
	SUM(SAR, "by 0", -5LL, 0, -5LL),
	SUM(SAR, "keeps the sign", -16LL, 2, -4LL),
	SUM(SAR, "rounds down", -1LL, 1, -1LL),
	SUM(SAR, "positive", 16, 2, 4),
	SUM(SAR, "by 63", S64_MIN, 63, -1LL),
	SUM(SAR, "by 64", S64_MIN, 64, -1LL),
	SUM(SAR, "by what is negative", S64_MIN, -1LL, -1LL),
	SUM(SAR, "positive by 64", S64_MAX, 64, 0),
};

static void sum_desc(const struct sum_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(sum, sum_cases, sum_desc);

static void arithmetic_is_that_of_go(struct kunit *test)
{
	const struct sum_case *c = test->param_value;

	OP(IMM, .a = 1, .value = c->a);
	OP(IMM, .a = 2, .value = c->b);
	op((struct goprobe_op){ .code = c->code, .a = 1, .b = 2 });
	OP(STORE, .a = 1, .size = 8);
	OP(STORE, .a = 2, .size = 8, .offset = 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, result(), c->want);
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), c->b);
	expect_flags(test, 0);
}

static void a_register_may_be_both_sides(struct kunit *test)
{
	static const struct { u8 code; u64 want; } both[] = {
		{ GOPROBE_OP_ADD, -12ULL }, { GOPROBE_OP_SUB, 0 }, { GOPROBE_OP_MUL, 36 },
		{ GOPROBE_OP_DIV, 1 }, { GOPROBE_OP_MOD, 0 }, { GOPROBE_OP_SDIV, 1 },
		{ GOPROBE_OP_SMOD, 0 }, { GOPROBE_OP_XOR, 0 }, { GOPROBE_OP_SAR, -1ULL },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(both); i++) {
		w->w.nops = 0;
		OP(IMM, .a = 1, .value = -6ULL);
		op((struct goprobe_op){ .code = both[i].code, .a = 1, .b = 1 });
		OP(STORE, .a = 1, .size = 8);
		capture(test);
		KUNIT_EXPECT_EQ_MSG(test, result(), both[i].want, "code %u", both[i].code);
	}
}

static void what_is_divided_by_0_fails(struct kunit *test)
{
	static const u8 codes[] = {
		GOPROBE_OP_DIV, GOPROBE_OP_MOD, GOPROBE_OP_SDIV, GOPROBE_OP_SMOD,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		w->w.nops = 0;
		OP(IMM, .a = 1, .value = S64_MIN);
		OP(TRY, .value = 41, .offset = 2);
		op((struct goprobe_op){ .code = codes[i], .a = 1, .b = 2 });
		OP(IMM, .a = 1, .value = 9);
		OP(STORE, .a = 1, .size = 8);
		capture(test);
		KUNIT_ASSERT_EQ(test, nchunks(), 1U);
		expect_missed(test, 0, 41, GOPROBE_CHUNK_RANGE);
		KUNIT_EXPECT_EQ(test, result(), (u64)S64_MIN);
	}
}

/* ---- the order of floats ---- */

/* In rising order; NaNs are by themselves. */
static const u64 doubles[] = {
	0xfff0000000000000,	/* -infinity */
	0xffefffffffffffff,
	0xbff0000000000000,	/* -1 */
	0x8010000000000000,
	0x800fffffffffffff,	/* the largest that is not normal */
	0x8000000000000001,
	0x0000000000000000,
	0x0000000000000001,
	0x0010000000000000,
	0x3ff0000000000000,	/* 1 */
	0x3ff0000000000001,
	0x7fefffffffffffff,
	0x7ff0000000000000,	/* infinity */
};

static const u64 singles[] = {
	0xff800000, 0xff7fffff, 0xbf800000, 0x80800000, 0x807fffff, 0x80000001, 0x00000000,
	0x00000001, 0x00800000, 0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000,
};

static_assert(ARRAY_SIZE(doubles) == ARRAY_SIZE(singles));

/* The result of ORDER for @bits; *@nan: it has jumped. */
static s64 order_of(struct kunit *test, u64 bits, u32 size, bool *nan)
{
	w->w.nops = 0;
	OP(IMM, .a = 1, .value = bits);
	OP(IMM, .a = 3, .value = 1);
	OP(ORDER, .a = 2, .b = 1, .size = size, .offset = 2);
	OP(IMM, .a = 3, .value = 2);
	OP(STORE, .a = 2, .size = 8);
	OP(STORE, .a = 3, .size = 8, .offset = 8);
	capture(test);
	*nan = gp_load(w->to + 8) == 1;
	return result();
}

static void floats_are_ordered_like_numbers(struct kunit *test)
{
	/* The bits above a single in its register do not matter. */
	const u64 above = 0xdeadbeef00000000;
	u32 size, i;
	bool nan;

	for (size = 4; size <= 8; size += 4) {
		const u64 *of = size == 8 ? doubles : singles;
		s64 last = S64_MIN, now;

		for (i = 0; i < ARRAY_SIZE(doubles); i++, last = now) {
			now = order_of(test, of[i] | (size == 8 ? 0 : above), size, &nan);
			KUNIT_EXPECT_FALSE(test, nan);
			KUNIT_EXPECT_LT_MSG(test, last, now, "size %u, number %u", size, i);
		}
		now = order_of(test, BIT_ULL(8 * size - 1), size, &nan);
		KUNIT_EXPECT_FALSE(test, nan);
		KUNIT_EXPECT_EQ(test, now, 0LL);
	}
}

static void what_is_no_number_has_no_order(struct kunit *test)
{
	static const struct { u64 bits; u32 size; } none[] = {
		{ 0x7ff0000000000001, 8 }, { 0x7ff8000000000000, 8 }, { 0x7fffffffffffffff, 8 },
		{ 0xfff0000000000001, 8 }, { 0xffffffffffffffff, 8 },
		{ 0x7f800001, 4 }, { 0x7fc00000, 4 }, { 0x7fffffff, 4 }, { 0xff800001, 4 },
		{ 0xffffffff, 4 }, { 0x00000000ffc00000, 4 },
	};
	u32 i;
	bool nan;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		order_of(test, none[i].bits, none[i].size, &nan);
		KUNIT_EXPECT_TRUE_MSG(test, nan, "number %u", i);
	}
}

/* ---- jumps ---- */

struct jump_case {
	const char *claim;
	u8 code;
	u64 a, b;
	bool jumps;
};

static const struct jump_case jump_cases[] = {
	{ "JUMP: always", GOPROBE_OP_JUMP, 0, 0, true },
	{ "JEQ: equal", GOPROBE_OP_JEQ, 7, 7, true },
	{ "JEQ: not", GOPROBE_OP_JEQ, 7, 8, false },
	{ "JEQ: the upper half counts", GOPROBE_OP_JEQ, 7, 7 + BIT_ULL(32), false },
	{ "JNE: equal", GOPROBE_OP_JNE, 7, 7, false },
	{ "JNE: not", GOPROBE_OP_JNE, 7, 8, true },
	{ "JLT: less", GOPROBE_OP_JLT, 7, 8, true },
	{ "JLT: equal", GOPROBE_OP_JLT, 8, 8, false },
	{ "JLT: without sign", GOPROBE_OP_JLT, -1ULL, 8, false },
	{ "JGE: less", GOPROBE_OP_JGE, 7, 8, false },
	{ "JGE: equal", GOPROBE_OP_JGE, 8, 8, true },
	{ "JGE: without sign", GOPROBE_OP_JGE, -1ULL, 8, true },
	{ "JSLT: less", GOPROBE_OP_JSLT, -1ULL, 8, true },
	{ "JSLT: equal", GOPROBE_OP_JSLT, -1ULL, -1ULL, false },
	{ "JSLT: greater", GOPROBE_OP_JSLT, 8, -1ULL, false },
	{ "JSGE: less", GOPROBE_OP_JSGE, -1ULL, 8, false },
	{ "JSGE: equal", GOPROBE_OP_JSGE, -1ULL, -1ULL, true },
	{ "JSGE: greater", GOPROBE_OP_JSGE, 8, -1ULL, true },
	{ "JLT: the highest of the signed", GOPROBE_OP_JLT, S64_MAX, S64_MIN, true },
	{ "JLT: nothing is below 0", GOPROBE_OP_JLT, U64_MAX, 0, false },
	{ "JLT: all but itself is below the highest", GOPROBE_OP_JLT, U64_MAX - 1, U64_MAX, true },
	{ "JGE: all is from 0 on", GOPROBE_OP_JGE, 0, 0, true },
	{ "JSLT: nothing is below the lowest", GOPROBE_OP_JSLT, S64_MIN, S64_MIN, false },
	{ "JSLT: the lowest of all", GOPROBE_OP_JSLT, S64_MIN, S64_MAX, true },
	{ "JSGE: the highest of all", GOPROBE_OP_JSGE, S64_MAX, S64_MIN, true },
	{ "JSGE: 0 and the lowest", GOPROBE_OP_JSGE, 0, S64_MIN, true },
};

static void jump_desc(const struct jump_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(jump, jump_cases, jump_desc);

static void jumps_if_the_comparison_holds(struct kunit *test)
{
	const struct jump_case *c = test->param_value;
	bool always = c->code == GOPROBE_OP_JUMP;

	OP(IMM, .a = 3, .value = c->a);
	OP(IMM, .a = 4, .value = c->b);
	op((struct goprobe_op){
		.code = c->code, .a = always ? 0 : 3, .b = always ? 0 : 4, .offset = 2,
	   });
	OP(IMM, .a = 5, .value = 1);
	OP(ADD_I, .a = 5, .value = 1);
	OP(ADD_I, .a = 5, .value = 10);
	OP(STORE, .a = 5, .size = 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, result(), c->jumps ? 10ULL : 12ULL);
	if (always)
		return;
	/* The same with a constant. */
	w->ops[2].code += GOPROBE_OP_JEQ_I - GOPROBE_OP_JEQ;
	w->ops[2].b = 0;
	w->ops[2].value = c->b;
	w->ops[1].value = 0x5555;
	capture(test);
	KUNIT_EXPECT_EQ(test, result(), c->jumps ? 10ULL : 12ULL);
}

static void a_jump_of_0_goes_on(struct kunit *test)
{
	OP(JUMP);
	OP(IMM, .a = 1, .value = 3);
	OP(STORE, .a = 1, .size = 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, result(), 3ULL);
}

static void a_jump_to_the_end_ends(struct kunit *test)
{
	OP(JUMP, .offset = 2);
	OP(IMM, .a = 1, .value = 3);
	OP(STORE, .a = 1, .size = 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, result(), 0ULL);
}

static void nothing_runs_behind_the_end(struct kunit *test)
{
	OP(IMM, .a = 1, .value = 3);
	OP(STORE, .a = 1, .size = 8);
	OP(END);
	OP(IMM, .a = 1, .value = 4);
	OP(STORE, .a = 1, .size = 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, result(), 3ULL);
}

/* ---- what fails ---- */

struct fail_case {
	const char *claim;
	u64 base;
	u64 offset;
	u32 size;
	u16 status;
	u64 copied;	/* what COPY leaves in the frame */
};

static const struct fail_case fail_cases[] = {
	{ "nothing there", FAULT_AT, 0, 8, FAULT },
	{ "nil", 0, 0, 8, GOPROBE_CHUNK_NIL },
	{ "nil and an offset", 0, 4095, 8, GOPROBE_CHUNK_NIL },
	{ "nil and a far offset", 0, A, 8, GOPROBE_CHUNK_NIL },
	{ "almost nil", 4095, 1, 8, GOPROBE_CHUNK_NIL },
	{ "not nil any more", 4096, 0, 8, FAULT },
	{ "back to nil", A, -A + 8, 8, GOPROBE_CHUNK_NIL },
	{ "back to just not nil", A, -A + 4096, 8, FAULT },
	{ "the kernel", -4096ULL, 0, 8, FAULT },
	{ "an end that wraps", -4ULL, 0, 8, FAULT },
	{ "across the end of memory", A + A_SIZE, -3ULL, 8, FAULT, 0x777777 },
	{ "one byte beyond", A + A_SIZE, 0, 1, FAULT },
};

static void fail_desc(const struct fail_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(fail, fail_cases, fail_desc);

/* Item 41 loads or copies; item 42 is what comes after it. */
static void fail_program(const struct fail_case *c, bool copy)
{
	memset(arena + A_SIZE - 3, 0x77, 3);
	w->w.nops = 0;
	OP(IMM, .a = 1, .value = c->base);
	OP(TRY, .value = 41, .offset = 3);
	if (copy)
		OP(COPY, .b = 1, .size = c->size, .value = c->offset);
	else
		OP(LOAD, .a = 2, .b = 1, .size = c->size, .value = c->offset);
	OP(IMM, .a = 3, .value = 1);
	OP(STORE, .a = 3, .size = 4, .offset = 8);
	OP(TRY, .value = 42, .offset = 2);
	OP(IMM, .a = 4, .value = 2);
	OP(STORE, .a = 4, .size = 4, .offset = 12);
}

static void what_cannot_be_read_fails_its_item(struct kunit *test)
{
	const struct fail_case *c = test->param_value;

	fail_program(c, false);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_missed(test, 0, 41, c->status);
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), 2ULL << 32);
	expect_flags(test, 0);

	fail_program(c, true);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_missed(test, 0, 41, c->status);
	KUNIT_EXPECT_EQ(test, result(), c->copied);
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), 2ULL << 32);
}

static void an_item_can_fail_by_itself(struct kunit *test)
{
	u16 status;

	for (status = 1; status < __GOPROBE_CHUNK_MAX; status++) {
		w->w.nops = 0;
		OP(TRY, .value = ~0ULL, .offset = 2);
		OP(FAIL, .value = status);
		OP(END);
		OP(IMM, .a = 1, .value = 9);
		OP(STORE, .a = 1, .size = 8);
		capture(test);
		KUNIT_ASSERT_EQ(test, nchunks(), 1U);
		expect_missed(test, 0, ~0ULL, status);
		KUNIT_EXPECT_EQ(test, result(), 9ULL);
	}
}

static void each_item_that_fails_is_said_in_order(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 5; i++) {
		OP(TRY, .value = 100 + i, .offset = 1);
		OP(LOAD, .a = 1, .b = 2, .size = 8, .value = i % 2 ? A : 0);
	}
	/* With neither objects nor bytes to spare. */
	w->w.objects = 0;
	w->w.bytes = 0;
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 5U);
	for (i = 0; i < 5; i++)
		expect_missed(test, i, 100 + i, GOPROBE_CHUNK_NIL);
	expect_budget(test, false);
}

static void what_fails_outside_of_an_item_ends_the_program(struct kunit *test)
{
	OP(LOAD, .a = 1, .b = 1, .size = 8);
	OP(IMM, .a = 1, .value = 9);
	OP(STORE, .a = 1, .size = 8);
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 0U);
	KUNIT_EXPECT_EQ(test, result(), 0ULL);
	expect_flags(test, GOPROBE_RECORD_F_FAULT);
}

static void what_fails_behind_an_item_ends_the_program(struct kunit *test)
{
	/* An item of no operations, of one that is passed, and a jump over a TRY. */
	u32 way;

	for (way = 0; way < 3; way++) {
		w->w.nops = 0;
		OP(IMM, .a = 1, .value = 9);
		OP(TRY, .value = 1, .offset = way ? 1 : 0);
		if (way)
			OP(IMM, .a = 2, .value = 1);
		if (way == 2) {
			OP(JUMP, .offset = 1);
			OP(TRY, .value = 2, .offset = 1);
		}
		OP(FAIL, .value = GOPROBE_CHUNK_RANGE);
		OP(STORE, .a = 1, .size = 8);
		capture(test);
		KUNIT_EXPECT_EQ(test, nchunks(), 0U);
		KUNIT_EXPECT_EQ(test, result(), 0ULL);
		expect_flags(test, GOPROBE_RECORD_F_FAULT);
	}
}

static void an_item_may_be_left_and_fail_at_its_end(struct kunit *test)
{
	OP(TRY, .value = 1, .offset = 2);
	OP(IMM, .a = 1, .value = 9);
	OP(FAIL, .value = GOPROBE_CHUNK_TYPE);
	OP(STORE, .a = 1, .size = 8);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 1U);
	expect_missed(test, 0, 1, GOPROBE_CHUNK_TYPE);
	KUNIT_EXPECT_EQ(test, result(), 9ULL);
}

static void absent_memory_is_asked_for(struct kunit *test)
{
	bool copy;

	for (copy = false; ; copy = true) {
		w->w.nops = 0;
		OP(IMM, .a = 1, .value = A + 0x100);
		OP(TRY, .offset = 1);
		if (copy)
			OP(COPY, .b = 1, .size = 16, .value = 8);
		else
			OP(LOAD, .a = 2, .b = 1, .size = 8, .value = 8);
		regions[0].state = ABSENT;
		must_load(test);
		KUNIT_ASSERT_EQ(test, run(test, GP_RECORD_MAX), -EAGAIN);
		KUNIT_EXPECT_EQ(test, w->faultin.address, A + 0x108);
		regions[0].state = HERE;
		capture_again(test);
		KUNIT_EXPECT_EQ(test, nchunks(), 0U);
		regions[0].state = REMOTE;
		capture_again(test);
		expect_missed(test, 0, 0, REMOTE);
		if (copy)
			break;
	}
}

static void an_item_that_fails_needs_space(struct kunit *test)
{
	u32 space;

	OP(TRY, .offset = 1);
	OP(FAIL, .value = GOPROBE_CHUNK_NIL);
	capture(test);
	for (space = frame_bytes(); space < frame_bytes() + HDR; space++)
		KUNIT_EXPECT_EQ(test, run(test, space), -ENOSPC);
	KUNIT_EXPECT_EQ(test, run(test, space), 0);
}

/* ---- with the rest of the plan ---- */

static void what_a_program_stores_is_followed(struct kunit *test)
{
	/* A string by a pointer in rdx: {address, length} there. */
	poke(A + 0x100, A + 0x200);
	poke(A + 0x108, 5);
	memcpy(arena + 0x200, "hello", 5);
	w->regs.dx = A + 0x100;
	add_ref(0, 0, GOPROBE_REF_STRING, 0);
	OP(REG, .a = 1, .b = 1);
	OP(TRY, .value = 7, .offset = 1);
	OP(COPY, .b = 1, .size = 16);
	OP(TRY, .value = 8, .offset = 1);
	OP(FAIL, .value = GOPROBE_CHUNK_RANGE);
	capture(test);
	KUNIT_ASSERT_EQ(test, nchunks(), 2U);
	expect_missed(test, 0, 8, GOPROBE_CHUNK_RANGE);
	expect_chunk(test, 1, A + 0x200, BYTES, 5, 0);
	KUNIT_EXPECT_FALSE(test, w->plan->quick);
}

static void the_budget_is_what_is_left_for_the_walk(struct kunit *test)
{
	w->regs.ax = A;
	w->regs.dx = 8;
	w->w.npieces = 2;
	w->pieces[1] = (struct goprobe_piece){
		.source = GOPROBE_FROM_INT_REG, .reg = 1, .size = 8, .frame = 8,
	};
	add_ref(0, 0, GOPROBE_REF_STRING, 0);
	OP(TRY, .value = 1, .offset = 1);
	OP(FAIL, .value = GOPROBE_CHUNK_NIL);
	w->w.objects = 1;
	w->w.bytes = HDR + 8;
	capture(test);
	KUNIT_EXPECT_EQ(test, nchunks(), 2U);
	expect_budget(test, false);
}

static void the_longest_program_ends(struct kunit *test)
{
	struct goprobe_op *ops = kunit_kzalloc(test, GP_OPS_MAX * sizeof(*ops), GFP_KERNEL);
	struct goprobe_plan plan = w->w;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, ops);
	for (i = 0; i < GP_OPS_MAX - 1; i++)
		ops[i] = (struct goprobe_op){ .code = GOPROBE_OP_ADD_I, .a = 1, .value = 1 };
	ops[i] = (struct goprobe_op){ .code = GOPROBE_OP_STORE, .a = 1, .size = 8 };
	plan.nops = GP_OPS_MAX;
	must_load(test);
	KUNIT_ASSERT_STREQ(test, gp_verify_plan(&plan, w->pieces, PIECES, ops, GP_OPS_MAX,
						&w->table) ?: "accepted", "accepted");
	gp_plan_free(w->plan);
	w->plan = gp_plan_new(&plan, w->pieces, ops, &w->table, 0);
	KUNIT_ASSERT_NOT_NULL(test, w->plan);
	capture_again(test);
	KUNIT_EXPECT_EQ(test, result(), GP_OPS_MAX - 1ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(operations_that_give_values, value_gen_params),
	KUNIT_CASE(registers_are_0_at_the_start),
	KUNIT_CASE(what_is_stored_is_as_wide_as_it_says),
	KUNIT_CASE_PARAM(arithmetic_is_that_of_go, sum_gen_params),
	KUNIT_CASE(a_register_may_be_both_sides),
	KUNIT_CASE(what_is_divided_by_0_fails),
	KUNIT_CASE(floats_are_ordered_like_numbers),
	KUNIT_CASE(what_is_no_number_has_no_order),
	KUNIT_CASE_PARAM(jumps_if_the_comparison_holds, jump_gen_params),
	KUNIT_CASE(a_jump_of_0_goes_on),
	KUNIT_CASE(a_jump_to_the_end_ends),
	KUNIT_CASE(nothing_runs_behind_the_end),
	KUNIT_CASE_PARAM(what_cannot_be_read_fails_its_item, fail_gen_params),
	KUNIT_CASE(an_item_can_fail_by_itself),
	KUNIT_CASE(each_item_that_fails_is_said_in_order),
	KUNIT_CASE(what_fails_outside_of_an_item_ends_the_program),
	KUNIT_CASE(what_fails_behind_an_item_ends_the_program),
	KUNIT_CASE(an_item_may_be_left_and_fail_at_its_end),
	KUNIT_CASE(absent_memory_is_asked_for),
	KUNIT_CASE(an_item_that_fails_needs_space),
	KUNIT_CASE(what_a_program_stores_is_followed),
	KUNIT_CASE(the_budget_is_what_is_left_for_the_walk),
	KUNIT_CASE(the_longest_program_ends),
	{}
};

static struct kunit_suite suite = {
	.name = "program",
	.init = program_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Programs of plans: KUnit suite");
