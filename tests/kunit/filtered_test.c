// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that have to pass a filter: each counts once, as what it was, whatever it would leave
 * behind, and whether the filter is tests or a program.
 */
#include "filter_world.h"

/* How the filter ends, and how it is done. */
enum kind {
	TESTS_PASS, TESTS_REJECT, LOADS_PASS, LOADS_REJECT, LOADS_FAIL,
	PROGRAM_PASSES, PROGRAM_REJECTS, PROGRAM_FAILS, KINDS,
};

static bool passes(enum kind kind)
{
	return kind == TESTS_PASS || kind == LOADS_PASS || kind == PROGRAM_PASSES;
}

static bool fails(enum kind kind)
{
	return kind == LOADS_FAIL || kind == PROGRAM_FAILS;
}

/* dx is 5, and bx is nil. All but the first two load, so that what is absent matters. */
static void make_filter(struct kunit *test, enum kind kind)
{
	filter_clear();
	if (kind == TESTS_PASS || kind == TESTS_REJECT) {
		F(REG, .a = 1, .b = 1);
		F(LOW, .a = 1, .b = 1, .size = 4);
		F(JLT_I, .a = 1, .offset = 1, .value = kind == TESTS_PASS ? 6 : 5);
		F(REJECT);
	} else {
		F(REG, .a = 1, .b = fails(kind) ? 3 : 0);
		F(LOAD, .a = 2, .b = 1, .size = 8);
		F(JEQ_I, .a = 2, .offset = 1, .value = passes(kind) ? 0 : 1);
		F(REJECT);
	}
	/* That is no test. */
	if (kind >= PROGRAM_PASSES)
		F(END);
	filter_load(test);
	KUNIT_ASSERT_EQ(test, !!filter->ntests, kind < PROGRAM_PASSES);
	KUNIT_ASSERT_EQ(test, filter->first, kind < LOADS_PASS);
	KUNIT_ASSERT_EQ(test, filter->loads, kind >= LOADS_PASS);
}

static const enum gp_way thens[] = {
	GP_WAY_QUICK, GP_WAY_GENERAL, GP_WAY_COUNT, GP_WAY_ENTER, GP_WAY_CALL,
};

static enum goprobe_stat well(enum gp_way then)
{
	switch (then) {
	case GP_WAY_COUNT:
		return GOPROBE_STAT_COUNTED;
	case GP_WAY_ENTER:
		return GOPROBE_STAT_OPENED;
	default:
		return GOPROBE_STAT_CALLS;
	}
}

static void make_filtered(enum gp_way then, u32 unusual)
{
	make(then, unusual);
	probes[0].way = GP_WAY_FILTER;
	probes[0].filter = filter;
}

static void expect_only(struct kunit *test, enum goprobe_stat want, u32 where)
{
	u32 i;

	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		if (is_of_hits(i))
			KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
					    "counter %u, at %u", i, where);
}

static void what_passes_goes_on_and_nothing_else(struct kunit *test)
{
	u32 kind, i;

	for (kind = 0; kind < KINDS; kind++) {
		make_filter(test, kind);
		for (i = 0; i < ARRAY_SIZE(thens); i++) {
			enum goprobe_stat want = passes(kind) ? well(thens[i]) :
				fails(kind) ? GOPROBE_STAT_UNDECIDED : GOPROBE_STAT_FILTERED;

			make_filtered(thens[i], 0);
			KUNIT_EXPECT_TRUE(test, hit());
			expect_only(test, want, kind * 16 + thens[i]);
			KUNIT_EXPECT_EQ(test, !!first_record(), want == GOPROBE_STAT_CALLS);
			KUNIT_EXPECT_EQ(test, open_calls(),
					passes(kind) && thens[i] >= GP_WAY_ENTER ? 1U : 0U);
			KUNIT_EXPECT_EQ(test, served, 0U);
		}
	}
}

static void what_does_not_matter_is_not_asked_for(struct kunit *test)
{
	static const struct { u32 unusual; enum goprobe_stat want; } no[] = {
		{ NOT_RUNNING, GOPROBE_STAT_NOT_STARTED },
		{ OTHER, GOPROBE_STAT_OTHER_PROCESS },
		{ RESTART, GOPROBE_STAT_RESTARTS },
	};
	u32 kind, i, k;

	for (kind = 0; kind < KINDS; kind++) {
		make_filter(test, kind);
		for (i = 0; i < ARRAY_SIZE(thens); i++)
			for (k = 0; k < ARRAY_SIZE(no); k++) {
				make_filtered(thens[i], no[k].unusual | VALUES_ABSENT);
				KUNIT_EXPECT_TRUE(test, hit());
				expect_only(test, no[k].want, kind * 16 + thens[i]);
				KUNIT_EXPECT_EQ(test, served, 0U);
			}
	}
}

static void what_a_filter_needs_is_brought_in(struct kunit *test)
{
	static const enum kind kinds[] = {
		LOADS_PASS, LOADS_REJECT, PROGRAM_PASSES, PROGRAM_REJECTS,
	};
	u32 i, k;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		make_filter(test, kinds[k]);
		for (i = 0; i < ARRAY_SIZE(thens); i++) {
			make_filtered(thens[i], VALUES_ABSENT);
			KUNIT_EXPECT_TRUE(test, hit());
			expect_only(test, passes(kinds[k]) ? well(thens[i]) : GOPROBE_STAT_FILTERED,
				    kinds[k] * 16 + thens[i]);
			KUNIT_EXPECT_EQ(test, served, 1U);
		}
	}
}

static void a_rejection_needs_neither_ring_nor_space(struct kunit *test)
{
	u32 i;

	make_filter(test, TESTS_REJECT);
	for (i = 0; i < ARRAY_SIZE(thens); i++) {
		make_filtered(thens[i], RING_FULL | NO_CALLS);
		s.lossless = true;
		patience = 9;
		KUNIT_EXPECT_TRUE(test, hit());
		expect_only(test, GOPROBE_STAT_FILTERED, i);
		KUNIT_EXPECT_EQ(test, waited, 0U);
		make_filtered(thens[i], NO_RING);
		KUNIT_EXPECT_TRUE(test, hit());
		expect_only(test, GOPROBE_STAT_FILTERED, i);
	}
}

static void whatever_comes_together_a_filtered_hit_counts_once(struct kunit *test)
{
	u32 kind, i, n, unusual, seen_stats = 0, step = 0;

	for (kind = 0; kind < KINDS; kind++) {
		make_filter(test, kind);
		for (i = 0; i < ARRAY_SIZE(thens); i++) {
			for (n = 0; n < 1500; n++) {
				step = step * 1664525 + 1013904223;
				unusual = step >> 8 & UNUSUAL_MASK;
				/* Mostly, something else decides. */
				if (step >> 30)
					unusual &= ~(NOT_RUNNING | OTHER | RESTART);
				if (thens[i] == GP_WAY_QUICK)
					unusual &= ~IN_THREAD;
				make_filtered(thens[i], unusual);
				KUNIT_ASSERT_TRUE_MSG(test, hit(), "0x%x", unusual);
				KUNIT_ASSERT_EQ_MSG(test, all_hits(after) - all_hits(before),
						    1ULL, "way %u, 0x%x", thens[i], unusual);
				seen_stats |= counted(GOPROBE_STAT_FILTERED) ? 1 : 0;
				seen_stats |= counted(GOPROBE_STAT_UNDECIDED) ? 2 : 0;
				seen_stats |= counted(GOPROBE_STAT_CALLS) ? 4 : 0;
				seen_stats |= counted(GOPROBE_STAT_NO_SPACE) ? 8 : 0;
			}
			cond_resched();
		}
	}
	KUNIT_EXPECT_EQ(test, seen_stats, 15U);
}

static void each_probe_of_a_point_has_its_own_filter(struct kunit *test)
{
	make_filter(test, TESTS_REJECT);
	make_filtered(GP_WAY_GENERAL, 0);
	make_probe(&probes[1], GP_WAY_COUNT, 0);
	set->probe[1] = &probes[1];
	set->n = 2;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_FILTERED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_COUNTED), 1ULL);
	KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), 2ULL);
}

/*
 * F(1) passes, and panics; its caller recovers, and calls F(2) from the same place, which
 * does not pass: its return is not that of the first call.
 */
static void a_call_that_does_not_pass_ends_what_is_as_deep(struct kunit *test)
{
	static const struct { enum gp_way enters, leaves; u32 unusual; } ways[] = {
		{ GP_WAY_ENTER, GP_WAY_LEAVE, 0 },
		{ GP_WAY_ENTER, GP_WAY_LEAVE, IN_THREAD },
		{ GP_WAY_ENTER, GP_WAY_LEAVE, G_ABSENT },
		{ GP_WAY_CALL, GP_WAY_END, 0 },
		{ GP_WAY_CALL, GP_WAY_END, IN_THREAD },
	};
	u32 kind, i;

	for (kind = 0; kind < KINDS; kind++) {
		if (passes(kind))
			continue;
		for (i = 0; i < ARRAY_SIZE(ways); i++) {
			make_filter(test, TESTS_PASS);
			make_filtered(ways[i].enters, ways[i].unusual);
			KUNIT_EXPECT_TRUE(test, hit());
			KUNIT_EXPECT_EQ(test, open_calls(), 1U);
			make_filter(test, kind);
			regions[IN_G].state = ways[i].unusual & G_ABSENT ? ABSENT : HERE;
			KUNIT_EXPECT_TRUE(test, hit());
			KUNIT_EXPECT_EQ(test, open_calls(), 0U);
			probes[0].filter = NULL;
			set_way(&probes[0], ways[i].leaves);
			KUNIT_EXPECT_TRUE(test, hit());
			expect_only(test, GOPROBE_STAT_NO_CALL, kind * 16 + i);
		}
	}
}

/* Less deep ones are those of its callers. */
static void a_call_that_does_not_pass_ends_no_other(struct kunit *test)
{
	make_filter(test, TESTS_REJECT);
	make_filtered(GP_WAY_ENTER, 0);
	gp_calls_open(s.calls, (struct gp_calls_key){ PROCESS, G, GOID }, WORDS - 1,
		      tally_of(GP_WAY_LEAVE), 0);
	KUNIT_EXPECT_TRUE(test, hit());
	expect_only(test, GOPROBE_STAT_FILTERED, 0);
	KUNIT_EXPECT_EQ(test, open_calls(), 1U);
	/* Neither does a probe that only writes a record. */
	make_filtered(GP_WAY_GENERAL, OPEN);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, open_calls(), 2U);
}

/* The landing, and where the thread goes on. */
#define LANDING		(IP + 0x10000)
#define NEXT		(IP + 6)

static struct gp_area area;
static struct gp_jump_plan jump_plan;

/* A thread lands, with the flags of the last test. */
static int land(struct gp_jump *j)
{
	int ret;

	probes[0].jump = &jump_plan;
	drains = 0;
	w->regs.ip = LANDING;
	w->regs.r12 = 2 * 7;
	w->regs.r13 = NEXT;
	area.detour[7].jump = j;
	w->regs.flags |= X86_EFLAGS_CF | X86_EFLAGS_ZF;
	read_stats(before);
#ifdef GP_HAVE_HANDLER_DATA
	ret = gp_handler_landed(&area.landing, &w->regs, NULL);
#else
	ret = gp_handler_landed(&area.landing, &w->regs);
#endif
	read_stats(after);
	return ret;
}

static void a_landing_is_a_hit_of_its_branch(struct kunit *test)
{
	struct gp_jump j = { .probe = &probes[0], .at = IP };
	u32 i;

	/* Code in the program has evaluated the filter. */
	make_filter(test, TESTS_REJECT);
	for (i = 0; i < 2; i++) {
		struct pt_regs regs;

		make_filtered(thens[i], RESTART);
		regs = w->regs;
		KUNIT_EXPECT_EQ(test, land(&j), 0);
		expect_only(test, GOPROBE_STAT_CALLS, i);
		KUNIT_ASSERT_NOT_NULL(test, first_record());
		KUNIT_EXPECT_EQ(test, first_record()->ip, (u64)IP);
		KUNIT_EXPECT_EQ(test, w->regs.ip, (unsigned long)LANDING);
		KUNIT_EXPECT_EQ(test, w->regs.r13, (unsigned long)NEXT);
		regs.ip = w->regs.ip;
		regs.r12 = w->regs.r12;
		regs.r13 = w->regs.r13;
		regs.flags = w->regs.flags;
		KUNIT_EXPECT_EQ(test, memcmp(&regs, &w->regs, sizeof(regs)), 0);
	}
}

/* A return that finds no free note: its epilogue has been executed. */
static void a_landing_of_notes_drains_them(struct kunit *test)
{
	struct gp_jump j = { .probe = &probes[0], .at = IP, .site.frame = 64 };
	unsigned long sp;
	u32 depth;

	make_filter(test, TESTS_PASS);
	make_filtered(GP_WAY_QUICK, OPEN);
	sp = w->regs.sp;
	jump_plan.notebook = (void *)&area;
	probes[0].sp_adjust = 64;
	KUNIT_EXPECT_EQ(test, land(&j), 0);
	jump_plan.notebook = NULL;
	KUNIT_EXPECT_EQ(test, drains, 1U);
	KUNIT_EXPECT_EQ(test, w->regs.sp, sp);
	KUNIT_ASSERT_NOT_NULL(test, first_record());
	depth = first_record()->depth;
	make_filtered(GP_WAY_QUICK, OPEN);
	j.site.frame = 0;
	probes[0].sp_adjust = 0;
	KUNIT_EXPECT_EQ(test, land(&j), 0);
	KUNIT_EXPECT_EQ(test, drains, 0U);
	KUNIT_ASSERT_NOT_NULL(test, first_record());
	KUNIT_EXPECT_EQ(test, first_record()->depth, depth);
	KUNIT_EXPECT_NE(test, depth, 0U);
}

static void a_landing_elsewhere_does_not_matter(struct kunit *test)
{
	struct gp_jump j = { .probe = &probes[0], .at = IP };

	make_filter(test, TESTS_PASS);
	make_filtered(GP_WAY_QUICK, OTHER);
	land(&j);
	expect_only(test, GOPROBE_STAT_OTHER_PROCESS, 0);
	KUNIT_EXPECT_EQ(test, w->regs.ip, (unsigned long)LANDING);
}

static void a_landing_without_a_jump_is_no_hit(struct kunit *test)
{
	make_filter(test, TESTS_PASS);
	make_filtered(GP_WAY_QUICK, OPEN);
	KUNIT_EXPECT_EQ(test, land(NULL), 0);
	KUNIT_EXPECT_EQ(test, memcmp(before, after, sizeof(before)), 0);
	KUNIT_EXPECT_EQ(test, w->regs.ip, (unsigned long)LANDING);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_landing_is_a_hit_of_its_branch),
	KUNIT_CASE(a_landing_elsewhere_does_not_matter),
	KUNIT_CASE(a_landing_of_notes_drains_them),
	KUNIT_CASE(a_landing_without_a_jump_is_no_hit),
	KUNIT_CASE(what_passes_goes_on_and_nothing_else),
	KUNIT_CASE(what_does_not_matter_is_not_asked_for),
	KUNIT_CASE(what_a_filter_needs_is_brought_in),
	KUNIT_CASE(a_rejection_needs_neither_ring_nor_space),
	KUNIT_CASE(whatever_comes_together_a_filtered_hit_counts_once),
	KUNIT_CASE(each_probe_of_a_point_has_its_own_filter),
	KUNIT_CASE(a_call_that_does_not_pass_ends_what_is_as_deep),
	KUNIT_CASE(a_call_that_does_not_pass_ends_no_other),
	{}
};

static struct kunit_suite suite = {
	.name = "filtered",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Hits that have to pass a filter: KUnit suite");
