// SPDX-License-Identifier: GPL-2.0
/* The frame: registers, the stack and static data, as the plan's pieces say. */
#include "capture_world.h"

struct int_case {
	const char *claim;
	u8 reg;
	u32 size;
	u64 want;
};

static const struct int_case int_cases[] = {
	{ "8 bytes of rax", 0, 8, 0x8877665544332211 },
	{ "4 bytes of rax", 0, 4, 0x44332211 },
	{ "2 bytes of rax", 0, 2, 0x2211 },
	{ "1 byte of rax", 0, 1, 0x11 },
	{ "rdx", 1, 8, 0xd0 },
	{ "rbx", 3, 8, 0xb0 },
	{ "r15", 15, 8, 0xf15 },
};

static void int_desc(const struct int_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(int, int_cases, int_desc);

static void integer_registers_of_each_width(struct kunit *test)
{
	const struct int_case *c = test->param_value;
	u64 got[2];

	w->regs.ax = 0x8877665544332211;
	w->regs.dx = 0xd0;
	w->regs.bx = 0xb0;
	w->regs.r15 = 0xf15;
	w->types[0].size = 16;
	w->pieces[0].reg = c->reg;
	w->pieces[0].size = c->size;
	w->pieces[0].frame = 8;
	capture(test);
	memcpy(got, w->to, sizeof(got));
	KUNIT_EXPECT_EQ(test, got[0], 0ULL);
	KUNIT_EXPECT_EQ(test, got[1], c->want);
	KUNIT_EXPECT_EQ(test, w->used, 16U);
	KUNIT_EXPECT_EQ(test, (u32)w->flags, 0U);
}

static void float_registers_of_each_width_and_no_more_than_needed(struct kunit *test)
{
	static const u8 want[40] = {
		/* 4 bytes of xmm1 at 2, 8 of xmm15 at 8, 16 of xmm0 at 17 */
		0, 0, 16, 17, 18, 19, 0, 0, 240, 241, 242, 243, 244, 245, 246, 247,
		0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	};

	w->types[0].size = 33;
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_FLOAT_REG, 18, 0, 4, 2, 0 };
	w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_FLOAT_REG, 32, 0, 8, 8, 0 };
	w->pieces[2] = (struct goprobe_piece){ GOPROBE_FROM_FLOAT_REG, 17, 0, 16, 17, 0 };
	w->w.npieces = 3;
	capture(test);
	KUNIT_EXPECT_EQ(test, w->used, 40U);
	KUNIT_EXPECT_EQ(test, memcmp(w->to, want, 40), 0);
	KUNIT_EXPECT_EQ(test, (u32)float_mask, 1U << 1 | 1U << 15 | 1U << 0);

	float_mask = 0xffff;
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_INT_REG, 0, 0, 8, 0, 0 };
	w->w.npieces = 1;
	capture(test);
	KUNIT_EXPECT_EQ(test, (u32)float_mask, 0xffffU);	/* they were not read */
}

static void stack_slots_count_from_the_sp_at_entry(struct kunit *test)
{
	w->sp = A + 0x2000;
	poke(w->sp + 8, 0x1111);
	poke(w->sp - 16, 0x2222);
	w->types[0].size = 13;
	w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 8, 0, 8 };
	w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 5, 8, -16 };
	w->w.npieces = 2;
	capture(test);
	KUNIT_EXPECT_EQ(test, gp_load(w->to), 0x1111ULL);
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), 0x2222ULL);
	KUNIT_EXPECT_EQ(test, w->used, 16U);
	KUNIT_EXPECT_EQ(test, (u32)w->flags, 0U);
}

static void what_of_the_stack_cannot_be_read_is_zero_and_flagged(struct kunit *test)
{
	u32 have;

	/* The slot of 16 bytes begins @have bytes before the end of memory. */
	for (have = 0; have <= 16; have++) {
		memset(arena + A_SIZE - 16, 0x77, 16);
		w->sp = A + A_SIZE - have;
		w->types[0].size = 24;
		w->pieces[0] = (struct goprobe_piece){ GOPROBE_FROM_STACK, 0, 0, 16, 0, 0 };
		w->pieces[1] = (struct goprobe_piece){ GOPROBE_FROM_INT_REG, 0, 0, 8, 16, 0 };
		w->w.npieces = 2;
		w->regs.ax = 0x4242;
		capture(test);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to, 0x77, have));
		KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to + have, 0, 16 - have));
		KUNIT_EXPECT_EQ(test, gp_load(w->to + 16), 0x4242ULL);
		KUNIT_EXPECT_EQ(test, (u32)w->flags,
				have < 16 ? (u32)GOPROBE_RECORD_F_FAULT : 0);
	}
}

static void what_no_piece_fills_is_zero(struct kunit *test)
{
	w->types[0].size = 4093;
	w->pieces[0].frame = 2000;
	w->regs.ax = ~0UL;
	capture(test);
	KUNIT_EXPECT_EQ(test, w->used, 4096U);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to, 0, 2000));
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 2000), ~0ULL);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(w->to + 2008, 0, 4096 - 2008));
}

static void a_frame_of_nothing_is_nothing(struct kunit *test)
{
	w->types[0].size = 0;
	w->w.npieces = 0;
	capture(test);
	KUNIT_EXPECT_EQ(test, w->used, 0U);
}

static void static_data_is_where_the_file_is_loaded(struct kunit *test)
{
	w->bias = A - 0x1000;
	poke(A + 0x20, 0x1122334455667788);
	w->types[0].size = 16;
	w->w.npieces = 2;
	w->pieces[0] = (struct goprobe_piece){
		.source = GOPROBE_FROM_STATIC, .size = 8, .frame = 8, .address = 0x1020,
	};
	w->pieces[1] = (struct goprobe_piece){
		.source = GOPROBE_FROM_STATIC, .size = 8, .address = 0x1000 + A_SIZE - 4,
	};
	memset(arena + A_SIZE - 4, 0x77, 4);
	capture(test);
	KUNIT_EXPECT_EQ(test, gp_load(w->to), 0x77777777ULL);
	KUNIT_EXPECT_EQ(test, gp_load(w->to + 8), 0x1122334455667788ULL);
	KUNIT_EXPECT_EQ(test, (u32)w->flags, (u32)GOPROBE_RECORD_F_FAULT);
}

static void absent_static_data_is_asked_for(struct kunit *test)
{
	w->bias = A;
	w->pieces[0] = (struct goprobe_piece){
		.source = GOPROBE_FROM_STATIC, .size = 8, .address = 16,
	};
	regions[0].state = ABSENT;
	must_load(test);
	KUNIT_EXPECT_EQ(test, run(test, GP_RECORD_MAX), -EAGAIN);
	KUNIT_EXPECT_EQ(test, w->faultin.address, A + 16);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(integer_registers_of_each_width, int_gen_params),
	KUNIT_CASE(float_registers_of_each_width_and_no_more_than_needed),
	KUNIT_CASE(stack_slots_count_from_the_sp_at_entry),
	KUNIT_CASE(what_of_the_stack_cannot_be_read_is_zero_and_flagged),
	KUNIT_CASE(what_no_piece_fills_is_zero),
	KUNIT_CASE(a_frame_of_nothing_is_nothing),
	KUNIT_CASE(static_data_is_where_the_file_is_loaded),
	KUNIT_CASE(absent_static_data_is_asked_for),
	{}
};

static struct kunit_suite suite = {
	.name = "frame",
	.init = capture_init,
	.exit = capture_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Frame: KUnit suite");
