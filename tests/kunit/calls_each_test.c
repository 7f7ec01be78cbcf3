// SPDX-License-Identifier: GPL-2.0
/* Iteration over open calls: each is seen once, wherever in the table its goroutine is. */
#include "calls_world.h"

/* More than one of each block of the table, and none in most of them. */
#define FEW	40U
#define MANY	20000U
#define DEEP	3U

/* The calls that were seen: bits of depths, by goroutine. */
struct sight {
	u8 *depths;
	u32 n;
	u32 most;
	bool twice;
};

static bool see(void *arg, const struct gp_stack *stack, const struct gp_call *call)
{
	struct sight *s = arg;
	u8 bit = 1 << (call->depth / 100);

	if (!s->most)
		return false;
	s->twice |= s->depths[stack->goid] & bit;
	s->depths[stack->goid] |= bit;
	s->n++;
	s->most--;
	return true;
}

/*
 * In as many rounds as it takes if each sees @most. Return: rounds, or 0 if a call was seen
 * twice, or a caller that continues after the last one gets more.
 */
static u32 see_all(struct sight *s, u32 goroutines, u32 most)
{
	struct gp_calls_at at = { };
	u32 rounds = 0;
	bool all;

	memset(s->depths, 0, goroutines + 1);
	s->n = 0;
	s->twice = false;
	do {
		s->most = most;
		all = gp_calls_each(calls, &at, see, s);
		rounds++;
	} while (!all && rounds <= goroutines * DEEP);
	s->most = most;
	all &= gp_calls_each(calls, &at, see, s) && s->most == most && at.stack == calls->nstacks;
	return s->twice || !all ? 0 : rounds;
}

static void enter_all(struct kunit *test, u32 goroutines)
{
	u32 i, depth;

	for (i = 1; i <= goroutines; i++)
		for (depth = 1; depth <= DEEP; depth++)
			KUNIT_ASSERT_EQ(test, enter(gor(i), depth * 100, F), KEPT);
}

static void leave_all(struct kunit *test, u32 goroutines)
{
	u32 i, depth;

	for (i = 1; i <= goroutines; i++)
		for (depth = DEEP; depth; depth--)
			KUNIT_ASSERT_EQ(test, leave(gor(i), depth * 100, F), ENDED);
}

static void see_each_once(struct kunit *test, u32 n)
{
	struct sight s = { .depths = kunit_kzalloc(test, MANY + 1, GFP_KERNEL) };
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, s.depths);
	KUNIT_EXPECT_EQ(test, see_all(&s, n, U32_MAX), 1U);
	KUNIT_EXPECT_EQ(test, s.n, 0U);
	enter_all(test, n);
	KUNIT_EXPECT_EQ(test, see_all(&s, n, U32_MAX), 1U);
	KUNIT_EXPECT_EQ(test, s.n, n * DEEP);
	for (i = 1; i <= n; i++)
		KUNIT_ASSERT_EQ(test, s.depths[i], 0xe);
	KUNIT_EXPECT_EQ(test, see_all(&s, n, 7), n * DEEP / 7 + 1);
	KUNIT_EXPECT_EQ(test, s.n, n * DEEP);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 0ULL);
	leave_all(test, n);
	KUNIT_EXPECT_EQ(test, see_all(&s, n, U32_MAX), 1U);
	KUNIT_EXPECT_EQ(test, s.n, 0U);
}

static void each_of_few_calls_is_seen_once(struct kunit *test)
{
	see_each_once(test, FEW);
}

static void each_of_many_calls_is_seen_once(struct kunit *test)
{
	see_each_once(test, MANY);
}

static bool nobody_is_alive(u64 process)
{
	return false;
}

static void each_call_of_the_dead_is_reaped(struct kunit *test)
{
	enter_all(test, MANY);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, nobody_is_alive), (u64)MANY * DEEP);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
	expect_tally(test, F, MANY * DEEP, 0, 0);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, nobody_is_alive), 0ULL);
}

/* In the last places, behind those of a hash. */
static void the_last_place_is_seen(struct kunit *test)
{
	struct sight s = { .depths = kunit_kzalloc(test, 2, GFP_KERNEL) };
	struct gp_stack *last = &calls->stacks[calls->nstacks - 1];

	KUNIT_ASSERT_NOT_NULL(test, s.depths);
	set_bit((calls->nstacks - 1) / GP_CALLS_BLOCK, calls->taken);
	*last = (struct gp_stack){ .g = gor(1).g, .process = 1, .goid = 1, .top = &last->first };
	last->first = (struct gp_call){ .depth = 100, .tally = tally[F] };
	KUNIT_EXPECT_EQ(test, see_all(&s, 1, U32_MAX), 1U);
	KUNIT_EXPECT_EQ(test, s.n, 1U);
	last->top = NULL;
}

static int big_init(struct kunit *test)
{
	int err = calls_init(test);

	if (err)
		return err;
	gp_calls_free(calls);
	calls = gp_calls_new(MANY * DEEP);
	return calls ? 0 : -ENOMEM;
}

static struct kunit_case calls_each_cases[] = {
	KUNIT_CASE_PARAM(each_of_few_calls_is_seen_once, way_gen_params),
	KUNIT_CASE_PARAM(each_of_many_calls_is_seen_once, way_gen_params),
	KUNIT_CASE_PARAM(each_call_of_the_dead_is_reaped, way_gen_params),
	KUNIT_CASE(the_last_place_is_seen),
	{}
};

static struct kunit_suite calls_each_suite = {
	.name = "calls_each",
	.init = big_init,
	.exit = calls_exit,
	.test_cases = calls_each_cases,
};

kunit_test_suite(calls_each_suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("All open calls: KUnit suite");
