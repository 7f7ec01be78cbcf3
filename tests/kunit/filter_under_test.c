// SPDX-License-Identifier: GPL-2.0
/* Filters that ask which calls are open. */
#include "filter_world.h"
#include "resched_world.h"

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

static void unknown_goroutines_leave_it_undecided(struct kunit *test)
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

/* The goroutine that m works for, and m, which says so. */
#define M	(A + 0x200000)
#define USER_G	(A + 0x300000)

static u8 m_memory[GP_RUNTIME_SPAN], user_g_memory[GP_RUNTIME_SPAN];

static void on_a_system_stack(u32 m, u32 user_g)
{
	const u64 at_m = M, at_g = USER_G, goid = GOID;

	make(GP_WAY_GENERAL, SYSTEM);
	memcpy(g_memory + rt.g_m, &at_m, 8);
	memcpy(m_memory + rt.m_curg, &at_g, 8);
	memcpy(user_g_memory + rt.g_goid, &goid, 8);
	regions[nregions++] = (struct region){ M, sizeof(m_memory), m, m_memory };
	regions[nregions++] = (struct region){ USER_G, sizeof(user_g_memory), user_g,
					       user_g_memory };
}

static void on_a_system_stack_the_goroutines_calls_are_open_too(struct kunit *test)
{
	const struct gp_calls_key user = { .process = PROCESS, .g = USER_G, .goid = GOID },
				  g0 = { .process = PROCESS, .g = G };

	only_under(test, TIMED);
	on_a_system_stack(HERE, HERE);
	EXPECT_REJECTS(test);
	/* Deep in its own stack, which says nothing of this one. */
	gp_calls_open(s.calls, user, WORDS + 100, tally_of(GP_WAY_LEAVE), 0);
	EXPECT_PASSES(test);
	on_a_system_stack(ABSENT, ABSENT);
	EXPECT_PASSES(test);
	KUNIT_EXPECT_EQ(test, served, 2U);
	on_a_system_stack(HERE, REMOTE);
	EXPECT_UNDECIDED(test);
	only_under(test, PAIRED);
	on_a_system_stack(HERE, HERE);
	EXPECT_REJECTS(test);
	gp_calls_open(s.calls, g0, WORDS - 8, tally_of(GP_WAY_END), 0);
	EXPECT_PASSES(test);
	/* An m without a goroutine. */
	memset(m_memory, 0, sizeof(m_memory));
	only_under(test, TIMED);
	EXPECT_REJECTS(test);
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

/* An answer takes up to 4096 steps, and a program can ask 16 times. */
static void others_run_between_two_questions(struct kunit *test)
{
	bool waits = true;
	u32 n;

	only_under(test, TIMED);
	for (n = 0; waits && n < GP_RESCHED_TIMES; n++) {
		somebody_else_wants_to_run();
		EXPECT_REJECTS(test);
		waits = somebody_else_still_waits();
	}
	KUNIT_EXPECT_FALSE(test, waits);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(calls_further_up_are_open),
	KUNIT_CASE(a_call_is_not_under_itself),
	KUNIT_CASE(other_goroutines_calls_are_not_open),
	KUNIT_CASE(unknown_goroutines_leave_it_undecided),
	KUNIT_CASE(on_a_system_stack_the_goroutines_calls_are_open_too),
	KUNIT_CASE(too_many_calls_are_not_looked_at),
	KUNIT_CASE(others_run_between_two_questions),
	{}
};

static struct kunit_suite suite = {
	.name = "filter_under",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Filters that ask for open calls: KUnit suite");
