// SPDX-License-Identifier: GPL-2.0
/*
 * Hits after which something is changed: what each operation does, all or none, only after
 * hits that count, behind the record, and behind everybody else's.
 */
#include "filter_world.h"

static struct gp_file file;
static struct gp_filter *edit;

/* The operations made with F() are the edit. */
static void load_edit(struct kunit *test)
{
	filter_load(test);
	KUNIT_ASSERT_TRUE(test, filter->edits);
	edit = filter;
	filter = NULL;
	probes[0].filter = NULL;
	nfilter_ops = 0;
	memset(filter_ops, 0, sizeof(filter_ops));
}

static int edit_init(struct kunit *test)
{
	int err = filter_init(test);

	edit = NULL;
	s.objects.files[0] = &file;
	init_waitqueue_head(&s.space);
	unwritable_from = 0;
	unwritable_to = 0;
	goes_again = 0;
	memset(float_size, 0, sizeof(float_size));
	return err;
}

static void edit_exit(struct kunit *test)
{
	if (edit)
		gp_filter_free(edit);
	unwritable_from = 0;
	unwritable_to = 0;
	filter_exit(test);
}

static void make_edit(enum gp_way then, u32 unusual)
{
	make(then, unusual);
	probes[0].way = GP_WAY_EDIT;
	probes[0].edit = edit;
	probes[0].filter = filter;
}

/* Return: all but registers is as it should be after any hit. */
static bool edit_hit(void)
{
	int depth = preempt_count(), ret;

	read_stats(before);
	ret = gp_handler_hit(&point.uc, &w->regs);
	read_stats(after);
	return !ret && preempt_count() == depth && !pagefault_disabled() && !windows && !wrong;
}

static u64 peek(unsigned long at)
{
	return gp_load(arena + (at - A));
}

/* All there is: rcx = 7, xmm3 = 9, four bytes at A + 0x40 = 0x11223344. */
static void all_kinds(struct kunit *test)
{
	F(IMM, .a = 1, .value = 7);
	F(SET, .a = 1, .b = 2);
	F(IMM, .a = 2, .value = 9);
	F(SET_FLOAT, .a = 2, .b = 20, .size = 8);
	F(IMM, .a = 3, .value = 0xaabbccdd11223344);
	F(REG, .a = 4, .b = 0);
	F(WRITE, .a = 3, .b = 4, .size = 4, .value = 0x38);
	load_edit(test);
}

static bool all_set(void)
{
	return w->regs.cx == 7 && float_set[3] == 9 && float_size[3] == 8 &&
	       peek(A + 0x40) == 0xffffffff11223344;
}

static bool none_set(void)
{
	return w->regs.cx == 0 && !float_size[3] && peek(A + 0x40) == ~0ULL;
}

static void prepare(u32 unusual)
{
	make_edit(GP_WAY_QUICK, unusual);
	poke(A + 0x40, ~0ULL);
	memset(float_size, 0, sizeof(float_size));
}

static void each_operation_does_its_part(struct kunit *test)
{
	struct pt_regs regs;

	all_kinds(test);
	prepare(0);
	regs = w->regs;
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_TRUE(test, all_set());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NOT_EDITED), 0ULL);
	/* Nothing else is changed. */
	regs.cx = 7;
	KUNIT_EXPECT_EQ(test, memcmp(&regs, &w->regs, sizeof(regs)), 0);
	KUNIT_EXPECT_EQ(test, atomic_read(&probes[0].logged), 1);
}

static void sizes_are_kept(struct kunit *test)
{
	static const u8 sizes[] = { 1, 2, 4, 8 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		F(REG, .a = 4, .b = 0);
		F(WRITE, .a = 1, .b = 4, .size = sizes[i], .value = 0x38);
		load_edit(test);
		prepare(0);
		KUNIT_EXPECT_TRUE(test, edit_hit());
		KUNIT_EXPECT_EQ(test, peek(A + 0x40), sizes[i] == 8 ? 0 : ~0ULL << 8 * sizes[i]);
		gp_filter_free(edit);
		edit = NULL;
	}
}

/* Two registers change places: all is computed before anything is set. */
static void values_are_those_before(struct kunit *test)
{
	F(REG, .a = 1, .b = 0);
	F(SET, .a = 1, .b = 1);
	F(REG, .a = 2, .b = 1);
	F(SET, .a = 2, .b = 0);
	load_edit(test);
	prepare(0);
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_EQ(test, w->regs.ax, 5UL);
	KUNIT_EXPECT_EQ(test, w->regs.dx, A + 8);
}

/* The last of several is what stays. */
static void order_is_the_programs(struct kunit *test)
{
	F(IMM, .a = 1, .value = 1);
	F(SET, .a = 1, .b = 2);
	F(IMM, .a = 1, .value = 2);
	F(SET, .a = 1, .b = 2);
	load_edit(test);
	prepare(0);
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_EQ(test, w->regs.cx, 2UL);
}

/* After any failure, at any operation, nothing is changed, and the failure is counted. */
static void it_is_all_or_none(struct kunit *test)
{
	static const struct goprobe_op last[] = {
		{ .code = GOPROBE_OP_FAIL, .value = GOPROBE_CHUNK_RANGE },
		{ .code = GOPROBE_OP_LOAD, .a = 5, .b = 6, .size = 8 },
		{ .code = GOPROBE_OP_WRITE, .a = 5, .b = 6, .size = 8 },
		{ .code = GOPROBE_OP_WRITE, .a = 5, .b = 6, .size = 8, .value = 4095 },
		/* Not memory that can be written: the g. */
		{ .code = GOPROBE_OP_WRITE, .a = 5, .b = 4, .size = 1, .value = G - A - 8 },
		{ .code = GOPROBE_OP_WRITE, .a = 5, .b = 4, .size = 8, .value = A_SIZE - 8 - 7 },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(last); i++) {
		F(IMM, .a = 1, .value = 7);
		F(SET, .a = 1, .b = 2);
		F(SET_FLOAT, .a = 1, .b = 20, .size = 4);
		F(REG, .a = 4, .b = 0);
		F(WRITE, .a = 1, .b = 4, .size = 4, .value = 0x38);
		filter_op(last[i]);
		load_edit(test);
		prepare(0);
		KUNIT_EXPECT_TRUE(test, edit_hit());
		KUNIT_EXPECT_TRUE_MSG(test, none_set(), "case %u", i);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), 1ULL);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), 0ULL);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NOT_EDITED), 1ULL);
		gp_filter_free(edit);
		edit = NULL;
	}
}

static void memory_is_brought_in_to_be_written(struct kunit *test)
{
	all_kinds(test);
	prepare(0);
	unwritable_from = A;
	unwritable_to = A + A_SIZE;
	unwritable_state = ABSENT;
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_TRUE(test, all_set());
	KUNIT_EXPECT_EQ(test, served, 1U);
	prepare(0);
	unwritable_from = A + 0x43;
	unwritable_to = A + 0x44;
	unwritable_state = FAULT;
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_TRUE(test, none_set());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NOT_EDITED), 1ULL);
}

/* Between that it is seen that a place can be written, and that it is. */
static void memory_that_goes_again_is_brought_in_again(struct kunit *test)
{
	static const struct {
		u32 times, from, to, served;
	} ways[] = {
		{ 1, 0x40, 0x44, 1 }, { 3, 0x40, 0x44, 3 },
		/* Its last byte, in the next page: both are asked for. */
		{ 1, 0x43, 0x44, 2 }, { 2, 0x43, 0x44, 4 },
	};
	u32 i;

	all_kinds(test);
	unwritable_state = ABSENT;
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		prepare(0);
		goes_again = ways[i].times;
		goes_from = A + ways[i].from;
		goes_to = A + ways[i].to;
		KUNIT_EXPECT_TRUE(test, edit_hit());
		KUNIT_EXPECT_TRUE_MSG(test, all_set(), "case %u", i);
		KUNIT_EXPECT_EQ(test, served, ways[i].served);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), 1ULL);
	}
}

/* Bytes that were written before stay, and nothing is written after them. */
static void memory_that_goes_for_good_is_not_waited_for(struct kunit *test)
{
	static const u32 bytes[] = { 0x48, 0x4b };
	u32 i;

	F(IMM, .a = 1, .value = 7);
	F(SET, .a = 1, .b = 2);
	F(REG, .a = 4, .b = 0);
	F(WRITE, .a = 1, .b = 4, .size = 8, .value = 0x28);
	F(WRITE, .a = 1, .b = 4, .size = 4, .value = 0x40);
	F(WRITE, .a = 1, .b = 4, .size = 8, .value = 0x48);
	load_edit(test);
	unwritable_state = FAULT;
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		prepare(0);
		for (u32 at = 0x30; at <= 0x50; at += 8)
			poke(A + at, ~0ULL);
		unwritable_from = 0;
		unwritable_to = 0;
		goes_again = 1;
		goes_from = A + bytes[i];
		goes_to = goes_from + 1;
		KUNIT_EXPECT_TRUE(test, edit_hit());
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), 0ULL);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NOT_EDITED), 1ULL);
		KUNIT_EXPECT_EQ(test, peek(A + 0x30), 7ULL);
		KUNIT_EXPECT_EQ(test, peek(A + 0x48), ~0ULL);
		KUNIT_EXPECT_EQ(test, peek(A + 0x50), ~0ULL);
		KUNIT_EXPECT_EQ(test, w->regs.cx, 0UL);
	}
}

/* REJECT in an edit: on purpose, so it is no failure. */
static void an_edit_can_decide_to_do_nothing(struct kunit *test)
{
	F(SET, .a = 1, .b = 2);
	F(REJECT);
	load_edit(test);
	prepare(0);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), 0ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NOT_EDITED), 0ULL);
}

static void what_does_not_count_is_not_changed(struct kunit *test)
{
	static const u32 unusual[] = { NOT_RUNNING, OTHER, RESTART };
	u32 i;

	all_kinds(test);
	for (i = 0; i < ARRAY_SIZE(unusual); i++) {
		prepare(unusual[i]);
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_TRUE_MSG(test, none_set(), "case %u", i);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), 0ULL);
		KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), 1ULL);
	}
	/* A record that is lost has been a hit all the same. */
	prepare(RING_FULL);
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_TRUE(test, all_set());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_RING_FULL), 1ULL);
}

/* @n: of the tests in it; dx is 5. */
static void make_condition(struct kunit *test, u64 wanted, bool program)
{
	F(REG, .a = 1, .b = 1);
	F(JEQ_I, .a = 1, .offset = 1, .value = wanted);
	F(REJECT);
	if (program)
		F(END);
	filter_load(test);
	KUNIT_ASSERT_EQ(test, !!filter->ntests, !program);
}

static void a_condition_comes_first(struct kunit *test)
{
	static const enum gp_way thens[] = {
		GP_WAY_QUICK, GP_WAY_GENERAL, GP_WAY_COUNT, GP_WAY_CALL,
	};
	u32 i, kind;

	all_kinds(test);
	for (i = 0; i < ARRAY_SIZE(thens); i++) {
		for (kind = 0; kind < 4; kind++) {
			bool holds = kind & 1;

			make_condition(test, holds ? 5 : 6, kind & 2);
			make_edit(thens[i], 0);
			poke(A + 0x40, ~0ULL);
			memset(float_size, 0, sizeof(float_size));
			KUNIT_EXPECT_TRUE(test, edit_hit());
			KUNIT_EXPECT_TRUE_MSG(test, holds ? all_set() : none_set(), "%u %u", i,
					      kind);
			KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), (u64)holds);
			KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_FILTERED), (u64)!holds);
			KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), 1ULL);
			filter_clear();
		}
	}
}

/* An end counts only if its call has been remembered; a call only if there was space. */
static void pairs_count_as_pairs(struct kunit *test)
{
	all_kinds(test);
	make_edit(GP_WAY_END, OPEN | RETURNS);
	poke(A + 0x40, ~0ULL);
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_TRUE(test, all_set());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RETURNS), 1ULL);
	prepare(0);
	make_edit(GP_WAY_END, RETURNS);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_TRUE(test, none_set());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NO_CALL), 1ULL);
	make_edit(GP_WAY_CALL, NO_CALLS);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_TRUE(test, none_set());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NO_SPACE), 1ULL);
}

/* The record shows the value before the edit. */
static void the_record_comes_first(struct kunit *test)
{
	const struct goprobe_record *rec;

	F(IMM, .a = 1, .value = 3);
	F(SET, .a = 1, .b = 1);
	load_edit(test);
	prepare(0);
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_EQ(test, w->regs.dx, 3UL);
	rec = first_record();
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, ((const u64 *)(rec + 1))[1], 5ULL);
}

/* The instruction comes after the edit, emulated or stepped. */
static void the_instruction_comes_last(struct kunit *test)
{
	F(SET, .a = 1, .b = 1);
	load_edit(test);
	prepare(0);
	point.execute.by = GP_EXECUTOR_HANDLER;
	KUNIT_EXPECT_TRUE(test, edit_hit());
	KUNIT_EXPECT_EQ(test, executed, 1U);
	KUNIT_EXPECT_EQ(test, w->regs.dx, 0UL);
}

static void a_delay_lasts(struct kunit *test)
{
	u64 began;

	F(DELAY, .value = 20000000);
	F(DELAY, .value = 10000000);
	load_edit(test);
	prepare(0);
	began = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_GE(test, ktime_get_mono_fast_ns() - began, 30000000ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_EDITED), 1ULL);
}

/* Sums of delays are not longer than one may be. */
static void delays_are_bounded(struct kunit *test)
{
	const struct gp_op op = { .code = GOPROBE_OP_DELAY, .value = GOPROBE_DELAY_NS_MAX };
	struct gp_edit sum = { .n = 0 };
	struct gp_probe its = { .session = &s };
	u64 r[GP_OP_REGS] = { 0 }, began;

	KUNIT_EXPECT_EQ(test, gp_edit_collect(&sum, &op, r), GOPROBE_CHUNK_OK);
	KUNIT_EXPECT_EQ(test, gp_edit_collect(&sum, &op, r), GOPROBE_CHUNK_OK);
	KUNIT_EXPECT_EQ(test, sum.delay, GOPROBE_DELAY_NS_MAX);
	/* And nobody sleeps for a probe that is taken away, or a session that has ended. */
	its.leaving = true;
	began = ktime_get_ns();
	gp_edit_delay(&its, sum.delay);
	its.leaving = false;
	s.running = false;
	gp_edit_delay(&its, sum.delay);
	KUNIT_EXPECT_LT(test, ktime_get_ns() - began, GOPROBE_DELAY_NS_MAX);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_operation_does_its_part),
	KUNIT_CASE(sizes_are_kept),
	KUNIT_CASE(values_are_those_before),
	KUNIT_CASE(order_is_the_programs),
	KUNIT_CASE(it_is_all_or_none),
	KUNIT_CASE(memory_is_brought_in_to_be_written),
	KUNIT_CASE(memory_that_goes_again_is_brought_in_again),
	KUNIT_CASE(memory_that_goes_for_good_is_not_waited_for),
	KUNIT_CASE(an_edit_can_decide_to_do_nothing),
	KUNIT_CASE(what_does_not_count_is_not_changed),
	KUNIT_CASE(a_condition_comes_first),
	KUNIT_CASE(pairs_count_as_pairs),
	KUNIT_CASE(the_record_comes_first),
	KUNIT_CASE(the_instruction_comes_last),
	KUNIT_CASE(a_delay_lasts),
	KUNIT_CASE(delays_are_bounded),
	{}
};

static struct kunit_suite suite = {
	.name = "edit",
	.init = edit_init,
	.exit = edit_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Edits: KUnit suite");
