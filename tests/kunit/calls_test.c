// SPDX-License-Identifier: GPL-2.0
/* Open calls: every return ends its own call, and undecided ends are counted as such. */
#include "calls_world.h"
#include "resched_world.h"

static void a_return_ends_its_call(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, enter(gor(1), 100, F), KEPT);
	ticks += 600;
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	expect_tally(test, F, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, seen.sum, 300ULL);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), UNKNOWN);
	expect_tally(test, F, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void a_clock_that_steps_back_has_no_time(struct kunit *test)
{
	enter(gor(1), 100, F);
	ticks -= 10;
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, look(F), 1ULL);
	KUNIT_EXPECT_EQ(test, seen.max, 0ULL);
}

static void a_long_call_has_its_exact_time(struct kunit *test)
{
	u64 ns = 123456789012345ULL;

	enter(gor(1), 100, F);
	ticks += ns * 2;
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, look(F), 1ULL);
	KUNIT_EXPECT_EQ(test, seen.sum, ns);
}

static void nested_calls_end_one_after_the_other(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 50; i++) {
		KUNIT_EXPECT_EQ(test, enter(gor(1), i * 64, i % 2 ? F : G), KEPT);
		ticks += 20;
	}
	KUNIT_EXPECT_EQ(test, taken(), 49U);
	for (i = 50; i; i--)
		KUNIT_EXPECT_EQ(test, leave(gor(1), i * 64, i % 2 ? F : G), ENDED);
	expect_tally(test, F, 25, 25, 0);
	KUNIT_EXPECT_EQ(test, seen.max, 50 * 10ULL);
	KUNIT_EXPECT_EQ(test, seen.min, 2 * 10ULL);
	KUNIT_EXPECT_EQ(test, seen.sum, 25 * 26 * 10ULL);
	expect_tally(test, G, 25, 25, 0);
	KUNIT_EXPECT_EQ(test, seen.min, 10ULL);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void goroutines_do_not_end_each_others_calls(struct kunit *test)
{
	struct gp_calls_key other = gor(1);

	other.process = 2;
	enter(gor(1), 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 100, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(other, 100, F), UNKNOWN);
	enter(gor(2), 100, F);
	enter(other, 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, leave(other, 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 100, F), ENDED);
	expect_tally(test, F, 3, 3, 0);
}

static void a_call_ends_what_is_as_deep_or_deeper(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 10; i++)
		enter(gor(1), i * 100, F);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 500, G), KEPT);
	expect_tally(test, F, 10, 0, 6);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 500, G), ENDED);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 450, G), KEPT);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 450, G), ENDED);
	expect_tally(test, F, 10, 0, 6);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 400, F), ENDED);
	expect_tally(test, F, 10, 1, 6);
}

/* SP is where the stack begins: no Go function is entered so, but a program can show it. */
static void nothing_is_less_deep_than_a_call_at_the_top_of_the_stack(struct kunit *test)
{
	enter(gor(1), 100, F);
	enter(gor(1), 200, F);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 0, G), KEPT);
	expect_tally(test, F, 2, 0, 2);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 0, H), KEPT);
	expect_tally(test, G, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
	enter(gor(1), U32_MAX, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), U32_MAX, F), ENDED);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 0, H), ENDED);
	expect_tally(test, H, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void a_return_ends_what_is_deeper(struct kunit *test)
{
	enter(gor(1), 100, F);
	enter(gor(1), 200, G);
	enter(gor(1), 300, H);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	expect_tally(test, F, 1, 1, 0);
	expect_tally(test, G, 1, 0, 1);
	expect_tally(test, H, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void a_return_whose_call_is_not_known_ends_no_other(struct kunit *test)
{
	enter(gor(1), 100, F);
	enter(gor(1), 300, G);
	/* H at 200 was not seen; G can't be open any more. */
	KUNIT_EXPECT_EQ(test, leave(gor(1), 200, H), UNKNOWN);
	expect_tally(test, G, 1, 0, 1);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 300, G), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	expect_tally(test, F, 1, 1, 0);
	expect_tally(test, H, 0, 0, 0);
}

static void a_return_of_another_function_ends_none(struct kunit *test)
{
	enter(gor(1), 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, G), UNKNOWN);
	expect_tally(test, F, 1, 0, 1);
	expect_tally(test, G, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void the_next_goroutine_of_a_g_ends_the_calls_of_the_last(struct kunit *test)
{
	struct gp_calls_key next = gor(1);
	u32 i;

	next.goid = 99;
	for (i = 1; i <= 200; i++)
		enter(gor(1), i * 100, F);
	KUNIT_EXPECT_EQ(test, enter(next, 30000, G), KEPT);
	expect_tally(test, F, 200, 0, 200);
	KUNIT_EXPECT_EQ(test, leave(next, 30000, G), ENDED);
	expect_tally(test, G, 1, 1, 0);

	enter(next, 100, F);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), UNKNOWN);
	expect_tally(test, F, 201, 0, 201);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void a_long_unwinding_goes_in_steps(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 1000; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, F), KEPT);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 16, F), ENDED);
	expect_tally(test, F, 1000, 1, 999);
	for (i = 1; i <= 64; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, G), KEPT);
	KUNIT_EXPECT_EQ(test, enter(gor(1), 16, G), KEPT);
	expect_tally(test, G, 65, 0, 64);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void fill(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= 1000; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, F), KEPT);
	somebody_else_wants_to_run();
}

static void return_from_all(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, leave(gor(1), 16, F), ENDED);
}

static void call_where_the_first_was(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, enter(gor(1), 16, F), KEPT);
}

static void pass_by_all(struct kunit *test)
{
	gp_calls_pass_by(calls, gor(1), 16);
}

static void unwind_all(struct kunit *test)
{
	struct gp_unwound unwound;

	gp_calls_unwind(calls, gor(1), 16, &unwound);
}

static bool process_1_is_dead(u64 process)
{
	return false;
}

static void reap_all(struct kunit *test)
{
	gp_calls_reap(calls, process_1_is_dead);
}

/* In each of its steps preemption is off, and one goroutine can have a million calls. */
static void others_run_between_the_steps(struct kunit *test)
{
	static void (*const ways[])(struct kunit *test) = {
		return_from_all, call_where_the_first_was, pass_by_all, unwind_all, reap_all,
	};
	bool waits;
	u32 i, n;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (n = 0, waits = true; waits && n < GP_RESCHED_TIMES; n++) {
			fill(test);
			ways[i](test);
			waits = somebody_else_still_waits();
		}
		KUNIT_EXPECT_FALSE_MSG(test, waits, "way %u", i);
	}
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
}

static void recursion_deeper_than_the_limit_is_reported(struct kunit *test)
{
	u32 space = GP_CALLS_MIN + 1, i;

	for (i = 1; i <= space; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, F), KEPT);
	for (; i <= space + 100; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(1), i * 16, F), FULL);
	/* Another goroutine has one call of its own. */
	KUNIT_EXPECT_EQ(test, enter(gor(2), 16, G), KEPT);
	KUNIT_EXPECT_EQ(test, enter(gor(2), 32, G), FULL);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 32, G), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(gor(2), 16, G), ENDED);
	for (i = space + 100; i > space; i--)
		KUNIT_ASSERT_EQ(test, leave(gor(1), i * 16, F), UNKNOWN);
	for (; i; i--)
		KUNIT_ASSERT_EQ(test, leave(gor(1), i * 16, F), ENDED);
	expect_tally(test, F, space, space, 0);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void more_goroutines_than_asked_for_have_open_calls(struct kunit *test)
{
	u32 i;

	for (i = 1; i <= GP_CALLS_MIN; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(i), 100, F), KEPT);
	ticks += 2;
	for (i = GP_CALLS_MIN; i; i--)
		KUNIT_ASSERT_EQ(test, leave(gor(i), 100, F), ENDED);
	expect_tally(test, F, GP_CALLS_MIN, GP_CALLS_MIN, 0);
}

static void a_full_table_takes_what_it_can_and_says_so(struct kunit *test)
{
	u32 kept = 0, full = 0, i, n = calls->nstacks * 2;

	for (i = 1; i <= n; i++)
		if (enter(gor(i), 100, F) == KEPT)
			kept++;
		else
			full++;
	KUNIT_EXPECT_EQ(test, stacks_in_use(), kept);
	KUNIT_EXPECT_GT(test, kept, calls->nstacks / 2);
	KUNIT_EXPECT_GE(test, full, n - calls->nstacks);
	for (i = 1; i <= n; i++)
		if (leave(gor(i), 100, F) == ENDED)
			kept--;
		else
			full--;
	KUNIT_EXPECT_EQ(test, kept, 0U);
	KUNIT_EXPECT_EQ(test, full, 0U);
	/* No call is open any more, so there is space for others. */
	for (i = n + 1; i <= n + GP_CALLS_MIN; i++)
		KUNIT_ASSERT_EQ(test, enter(gor(i), 100, G), KEPT);
	for (i = n + 1; i <= n + GP_CALLS_MIN; i++)
		KUNIT_ASSERT_EQ(test, leave(gor(i), 100, G), ENDED);
}

/* A place is taken for another goroutine only while the first has no open call. */
static void a_taken_place_is_given_back_and_taken_again(struct kunit *test)
{
	u32 round, i;

	for (round = 0; round < 100; round++) {
		for (i = 0; i < 300; i++)
			KUNIT_ASSERT_EQ(test, enter(gor(round * 250 + i + 1), 100, F), KEPT);
		for (i = 0; i < 300; i++)
			KUNIT_ASSERT_EQ(test, enter(gor(round * 250 + i + 1), 200, G), KEPT);
		for (i = 0; i < 300; i++) {
			KUNIT_ASSERT_EQ(test, leave(gor(round * 250 + i + 1), 200, G), ENDED);
			KUNIT_ASSERT_EQ(test, leave(gor(round * 250 + i + 1), 100, F), ENDED);
		}
	}
	expect_tally(test, F, 30000, 30000, 0);
	expect_tally(test, G, 30000, 30000, 0);
	KUNIT_EXPECT_EQ(test, stacks_in_use(), 0U);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

static void calls_of_ended_processes_are_forgotten(struct kunit *test)
{
	struct gp_calls_key dead = gor(1);
	u32 i;

	dead.process = 2;
	for (i = 1; i <= 200; i++)
		enter(dead, i * 100, F);
	enter(gor(1), 100, F);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 200ULL);
	expect_tally(test, F, 201, 0, 0);
	KUNIT_EXPECT_EQ(test, seen.exited, 200ULL);
	KUNIT_EXPECT_EQ(test, leave(dead, 100, F), UNKNOWN);
	KUNIT_EXPECT_EQ(test, leave(gor(1), 100, F), ENDED);
	KUNIT_EXPECT_EQ(test, gp_calls_reap(calls, process_1_is_alive), 0ULL);
	KUNIT_EXPECT_EQ(test, taken(), 0U);
}

/* A model to compare with: every open call of every goroutine, in arrays. */
#define MODEL_GORS	12
#define MODEL_CALLS	40

struct model {
	u64 goid;
	u32 n;
	struct {
		u64 depth;
		u32 f;
	} call[MODEL_CALLS];
};

static u64 random_state;

static u32 rnd(u32 n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) % n;
}

static u64 model_unwound[FUNCTIONS];

static void model_pop(struct model *m, u64 above)
{
	while (m->n && m->call[m->n - 1].depth > above)
		model_unwound[m->call[--m->n].f]++;
}

static void it_does_what_a_simple_model_does(struct kunit *test)
{
	struct model *model = kunit_kcalloc(test, MODEL_GORS, sizeof(*model), GFP_KERNEL);
	u64 entered[FUNCTIONS] = { }, returned[FUNCTIONS] = { };
	u32 step, i;

	KUNIT_ASSERT_NOT_NULL(test, model);
	memset(model_unwound, 0, sizeof(model_unwound));
	random_state = 88172645463325252ULL;
	for (i = 0; i < MODEL_GORS; i++)
		model[i].goid = i + 1;
	for (step = 0; step < 200000; step++) {
		u32 g = rnd(MODEL_GORS), f = rnd(FUNCTIONS), deepest;
		struct gp_calls_key key = gor(g + 1);
		struct model *m = &model[g];
		u64 depth;

		if (!rnd(500)) {
			model_pop(m, 0);
			m->goid += MODEL_GORS;
		}
		key.goid = m->goid;
		deepest = m->n ? m->call[m->n - 1].depth : 0;
		depth = rnd(8) ? deepest : 1 + rnd(deepest + 1);
		if (m->n < MODEL_CALLS && (!m->n || rnd(2))) {
			depth = rnd(8) || !depth ? depth + 1 + rnd(50) : depth;
			model_pop(m, depth - 1);
			m->call[m->n].depth = depth;
			m->call[m->n++].f = f;
			entered[f]++;
			KUNIT_ASSERT_EQ(test, enter(key, depth, f), KEPT);
			continue;
		}
		if (rnd(8) && m->n)
			f = m->call[m->n - 1].f;
		model_pop(m, depth);
		if (m->n && m->call[m->n - 1].depth == depth && m->call[m->n - 1].f == f) {
			m->n--;
			returned[f]++;
			KUNIT_ASSERT_EQ(test, leave(key, depth, f), ENDED);
		} else {
			model_pop(m, depth - 1);
			KUNIT_ASSERT_EQ(test, leave(key, depth, f), UNKNOWN);
		}
	}
	for (i = 0; i < FUNCTIONS; i++) {
		expect_tally(test, i, entered[i], returned[i], model_unwound[i]);
		KUNIT_EXPECT_GT(test, returned[i], 10000ULL);
		KUNIT_EXPECT_GT(test, model_unwound[i], 5000ULL);
	}
}

/* ---- the usual way ---- */

static enum gp_calls_end try_enter(struct gp_calls_key key, u32 depth, u32 f)
{
	return gp_calls_try_enter(calls, key, depth, tally[f]);
}

static enum gp_calls_end try_leave(struct gp_calls_key key, u32 depth, u32 f)
{
	return gp_calls_try_leave(calls, key, depth, tally[f], ticks);
}

static void set_pools_locked(int locked)
{
	u32 i;

	for (i = 0; i < calls->npools; i++)
		calls->pools[i].lock = locked;
}

#define RARE	GP_CALLS_RARE

static void what_is_not_as_usual_is_left_as_it_was(struct kunit *test)
{
	struct gp_stack *home = gp_calls_home(calls, 1, gor(1).g);
	struct gp_calls_key next = gor(1);
	u32 i;

	next.goid = 99;
	/* No call has that place yet. */
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 10, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), RARE);
	KUNIT_EXPECT_EQ(test, home->g, 0ULL);
	KUNIT_EXPECT_EQ(test, gp_calls_enter(calls, gor(1), 10, tally[F]), KEPT);
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 20, G), KEPT);
	/* As deep, or deeper; another function's; another goroutine's, or process's. */
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 20, F), RARE);
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 15, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 30, G), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, F), RARE);
	KUNIT_EXPECT_EQ(test, try_enter(next, 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(next, 20, G), RARE);
	home->process = 2;
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), RARE);
	home->process = 1;
	/* Somebody else has locked it, or the pools. */
	home->g |= GP_STACK_LOCKED;
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), RARE);
	home->g &= ~GP_STACK_LOCKED;
	set_pools_locked(1);
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), RARE);
	set_pools_locked(0);
	expect_tally(test, F, 1, 0, 0);
	expect_tally(test, G, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, taken(), 1U);
	KUNIT_EXPECT_EQ(test, home->g, gor(1).g);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
	/* No call is left. */
	for (i = 0; i < calls->npools; i++)
		calls->pools[i].free = NULL;
	KUNIT_EXPECT_EQ(test, try_enter(gor(1), 30, F), RARE);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 20, G), ENDED);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), ENDED);
	KUNIT_EXPECT_EQ(test, try_leave(gor(1), 10, F), RARE);
	expect_tally(test, F, 1, 1, 0);
	expect_tally(test, G, 1, 1, 0);
}

/* Entries of two processors' pools never share a cache line. */
static void no_two_pools_share_a_cache_line(struct kunit *test)
{
	struct gp_calls_pool *pools = kunit_kcalloc(test, 4, sizeof(*pools), GFP_KERNEL);
	struct gp_calls four = { .npools = 4, .pools = pools, .calls = calls->calls };
	u8 *whose = kunit_kcalloc(test, GP_CALLS_MIN, 1, GFP_KERNEL);
	u32 n[4] = { 0 }, i, shared = 0;
	const struct gp_call *call;

	KUNIT_ASSERT_TRUE(test, pools && whose);
	gp_calls_fill_pools(&four, GP_CALLS_MIN);
	for (i = 0; i < four.npools; i++)
		for (call = pools[i].free; call; call = call->below, n[i]++)
			whose[call - four.calls] = i;
	for (i = 0; i < four.npools; i++)
		KUNIT_EXPECT_EQ(test, n[i], GP_CALLS_MIN / 4);
	for (i = 1; i < GP_CALLS_MIN; i++)
		shared += (unsigned long)&four.calls[i] % L1_CACHE_BYTES &&
			  whose[i] != whose[i - 1];
	KUNIT_EXPECT_EQ(test, shared, 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_return_ends_its_call, way_gen_params),
	KUNIT_CASE_PARAM(a_clock_that_steps_back_has_no_time, way_gen_params),
	KUNIT_CASE_PARAM(a_long_call_has_its_exact_time, way_gen_params),
	KUNIT_CASE_PARAM(nested_calls_end_one_after_the_other, way_gen_params),
	KUNIT_CASE_PARAM(goroutines_do_not_end_each_others_calls, way_gen_params),
	KUNIT_CASE_PARAM(a_call_ends_what_is_as_deep_or_deeper, way_gen_params),
	KUNIT_CASE_PARAM(nothing_is_less_deep_than_a_call_at_the_top_of_the_stack, way_gen_params),
	KUNIT_CASE_PARAM(a_return_ends_what_is_deeper, way_gen_params),
	KUNIT_CASE_PARAM(a_return_whose_call_is_not_known_ends_no_other, way_gen_params),
	KUNIT_CASE_PARAM(a_return_of_another_function_ends_none, way_gen_params),
	KUNIT_CASE_PARAM(the_next_goroutine_of_a_g_ends_the_calls_of_the_last, way_gen_params),
	KUNIT_CASE_PARAM(a_long_unwinding_goes_in_steps, way_gen_params),
	KUNIT_CASE_PARAM(others_run_between_the_steps, way_gen_params),
	KUNIT_CASE_PARAM(recursion_deeper_than_the_limit_is_reported, way_gen_params),
	KUNIT_CASE_PARAM(more_goroutines_than_asked_for_have_open_calls, way_gen_params),
	KUNIT_CASE_PARAM(a_full_table_takes_what_it_can_and_says_so, way_gen_params),
	KUNIT_CASE_PARAM(a_taken_place_is_given_back_and_taken_again, way_gen_params),
	KUNIT_CASE_PARAM(calls_of_ended_processes_are_forgotten, way_gen_params),
	KUNIT_CASE_PARAM(it_does_what_a_simple_model_does, way_gen_params),
	KUNIT_CASE(what_is_not_as_usual_is_left_as_it_was),
	KUNIT_CASE(no_two_pools_share_a_cache_line),
	{}
};

static struct kunit_suite suite = {
	.name = "calls",
	.init = calls_init,
	.exit = calls_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Open calls: KUnit suite");
