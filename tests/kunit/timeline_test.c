// SPDX-License-Identifier: GPL-2.0
/* Ticks to time: the kernel's own at each pass, and never out of order. */
#include <kunit/test.h>
#include <linux/ktime.h>

#include "../../kmod/arch/arch.h"

/* Both clocks are the test's. */
static u64 ticks;
static u64 now;
static bool counter;

#define gp_arch_ticks()	(ticks)
#define ktime_get_ns()	(now)

/* A tick is half a nanosecond. */
void gp_arch_ticks_rate(u32 *mult, u32 *shift)
{
	if (!counter)
		return;
	*mult = 1;
	*shift = 1;
}

#include "../../kmod/ring/timeline.c"

static struct gp_timeline line;
static struct gp_clock clock;

static int timeline_init(struct kunit *test)
{
	ticks = 1000000;
	now = 50000;
	counter = true;
	gp_clock_init(&clock);
	gp_timeline_begin(&line, &clock);
	return 0;
}

/* Both clocks go on, and a pass begins. */
static void pass_after(u64 more_ticks, u64 more_ns)
{
	ticks += more_ticks;
	now += more_ns;
	gp_timeline_extend(&line, &clock);
}

/* The time of a record with this stamp; 0: it is for a later pass. */
static u64 converted(u64 stamp)
{
	struct goprobe_record rec = { .words = sizeof(rec) / 8, .time = stamp };
	bool younger;

	if (gp_timeline_convert(&line, &rec, sizeof(rec), &younger))
		return younger ? 0 : rec.time;
	return younger ? 0 : U64_MAX;
}

/* By how much it is more than it should be. */
static u64 off(u64 stamp, u64 want)
{
	return converted(stamp) - want;
}

static void the_ends_of_a_pass_are_the_kernels_time(struct kunit *test)
{
	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, line.to.ns, 51000ULL);
	KUNIT_EXPECT_LE(test, off(1002000 - 1, 51000 - 1), 1ULL);
	KUNIT_EXPECT_LE(test, off(1001000 - 1, 50500 - 1), 1ULL);
	pass_after(2000, 1000);
	KUNIT_EXPECT_LE(test, off(1004000 - 1, 52000 - 1), 1ULL);
}

static void what_is_stamped_now_is_for_a_later_pass(struct kunit *test)
{
	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, converted(1002000), 0ULL);
	KUNIT_EXPECT_EQ(test, converted(U64_MAX / 2), 0ULL);
	pass_after(2000, 1000);
	/* It is younger than all that the pass before has promised. */
	KUNIT_EXPECT_GT(test, converted(1002000), 51000ULL);
}

static void time_follows_the_kernels_corrections(struct kunit *test)
{
	/* 5 % slow, then 5 % fast. */
	pass_after(2000000, 1050000);
	KUNIT_EXPECT_EQ(test, line.to.ns, 1100000ULL);
	KUNIT_EXPECT_LE(test, off(2000000, 50000 + 525000), 1ULL);
	pass_after(2000000, 950000);
	KUNIT_EXPECT_EQ(test, line.to.ns, 2050000ULL);
	KUNIT_EXPECT_LE(test, off(4000000, 1100000 + 475000), 1ULL);
}

/* Deterministic: the same sequence in each run. */
static u32 next_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void time_rises_with_ticks_whatever_the_passes_do(struct kunit *test)
{
	u64 last = 0, promised = 0, out_of_order = 0, early = 0, late = 0, stamp;
	u32 state = 2463534242U, i, k;

	for (i = 0; i < 20000; i++) {
		/* From one tick to seconds, by clocks that disagree by up to 10 %. */
		u64 step = 1 + next_random(&state) % (1U << (next_random(&state) % 32));
		u64 ns = step / 2 - step / 20 + next_random(&state) % (step / 10 + 1);

		stamp = ticks;
		pass_after(step, ns);
		for (k = 0; k < 8 && stamp - line.from.ticks <= line.span; k++) {
			u64 time = converted(stamp);

			out_of_order += time < last;
			early += time <= promised;
			late += time > line.to.ns;
			last = time;
			stamp += 1 + step / 7;
		}
		promised = line.to.ns;
	}
	KUNIT_EXPECT_EQ(test, out_of_order, 0ULL);
	KUNIT_EXPECT_EQ(test, early, 0ULL);
	KUNIT_EXPECT_EQ(test, late, 0ULL);
}

static void a_tick_before_the_pass_is_its_beginning(struct kunit *test)
{
	pass_after(2000, 1000);
	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, converted(1002000 - 50), line.base);
	KUNIT_EXPECT_EQ(test, converted(0), line.base);
}

static void two_passes_in_the_same_moment_are_no_harm(struct kunit *test)
{
	pass_after(2000, 1000);
	pass_after(0, 0);
	KUNIT_EXPECT_EQ(test, converted(1002000), 0ULL);
	KUNIT_EXPECT_GE(test, line.to.ns, 51000ULL);
	pass_after(1, 0);
	KUNIT_EXPECT_GT(test, converted(1002000), 51000ULL);
	KUNIT_EXPECT_LE(test, converted(1002000), line.to.ns);
}

struct broken_case {
	const char *claim;
	s64 ticks;
	u64 ns;
	bool broken;
};

static const struct broken_case broken_cases[] = {
	{ "as it should be", 2 * (s64)NSEC_PER_SEC, NSEC_PER_SEC, false },
	{ "corrected by 10 %", 2 * (s64)NSEC_PER_SEC, NSEC_PER_SEC / 10 * 11, false },
	{ "the machine slept, the counter did not", 7200 * (s64)NSEC_PER_SEC, NSEC_PER_SEC, true },
	{ "the machine slept, and the counter restarted", -900000, NSEC_PER_SEC, true },
	{ "the counter stood still", 0, NSEC_PER_SEC, true },
	{ "the counter is another one, far ahead", S64_MAX / 2, NSEC_PER_SEC, true },
	{ "a short pass, whatever it looks like", 1000, 0, false },
};

static void broken_desc(const struct broken_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(broken, broken_cases, broken_desc);

static void when_ticks_are_no_time_all_get_the_time_of_the_pass(struct kunit *test)
{
	const struct broken_case *c = test->param_value;
	u64 before = ticks + 10;

	pass_after(c->ticks, c->ns);
	KUNIT_EXPECT_EQ(test, line.span == U64_MAX, c->broken);
	if (c->broken) {
		KUNIT_EXPECT_EQ(test, converted(before), line.to.ns);
		KUNIT_EXPECT_EQ(test, converted(0), line.to.ns);
		KUNIT_EXPECT_EQ(test, converted(U64_MAX), line.to.ns);
	}
	/* And from then on it goes on. */
	now = line.to.ns + 1;
	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, line.to.ticks, ticks - 1);
	KUNIT_EXPECT_GT(test, converted(ticks - 1000), line.from.ns);
	KUNIT_EXPECT_LT(test, converted(ticks - 1000), line.to.ns);
}

static void a_counter_that_is_given_up_is_replaced_by_time(struct kunit *test)
{
	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, gp_clock_read(&clock), 1002000ULL);
	counter = false;
	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, converted(1003000), line.to.ns);
	KUNIT_EXPECT_EQ(test, gp_clock_read(&clock), now);
	pass_after(777, 1000);
	KUNIT_EXPECT_EQ(test, line.to.ticks, now - 1);
	KUNIT_EXPECT_GE(test, converted(now - 500), now - 501);
	KUNIT_EXPECT_LE(test, converted(now - 500), now - 500);
	KUNIT_EXPECT_EQ(test, converted(now), 0ULL);
}

/* Three records, the last one of another size; the second one is stamped later. */
static void a_pass_ends_at_the_first_younger_record(struct kunit *test)
{
	struct {
		struct goprobe_record rec[2];
		struct goprobe_record last;
		u64 more;
	} r = {
		.rec = { { .words = sizeof(r.rec[0]) / 8, .time = 1000100 },
			 { .words = sizeof(r.rec[1]) / 8, .time = 1002100 } },
		.last = { .words = (sizeof(r.last) + sizeof(r.more)) / 8, .time = 1002200 },
	};
	bool younger;

	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, gp_timeline_convert(&line, &r, sizeof(r), &younger),
			(u32)sizeof(r.rec[0]));
	KUNIT_EXPECT_TRUE(test, younger);
	KUNIT_EXPECT_LE(test, r.rec[0].time - 50050, 1ULL);
	KUNIT_EXPECT_EQ(test, r.rec[1].time, 1002100ULL);
	pass_after(2000, 1000);
	KUNIT_EXPECT_EQ(test, gp_timeline_convert(&line, r.rec + 1,
						  sizeof(r) - sizeof(r.rec[0]) - 8, &younger),
			(u32)sizeof(r.rec[1]));
	KUNIT_EXPECT_FALSE(test, younger);
	KUNIT_EXPECT_EQ(test, r.last.time, 1002200ULL);
	KUNIT_EXPECT_EQ(test, gp_timeline_convert(&line, &r.last, sizeof(r.last) + 8, &younger),
			(u32)sizeof(r.last) + 8);
	KUNIT_EXPECT_EQ(test, gp_timeline_convert(&line, &r, 0, &younger), 0U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(the_ends_of_a_pass_are_the_kernels_time),
	KUNIT_CASE(what_is_stamped_now_is_for_a_later_pass),
	KUNIT_CASE(time_follows_the_kernels_corrections),
	KUNIT_CASE(time_rises_with_ticks_whatever_the_passes_do),
	KUNIT_CASE(a_tick_before_the_pass_is_its_beginning),
	KUNIT_CASE(two_passes_in_the_same_moment_are_no_harm),
	KUNIT_CASE_PARAM(when_ticks_are_no_time_all_get_the_time_of_the_pass, broken_gen_params),
	KUNIT_CASE(a_counter_that_is_given_up_is_replaced_by_time),
	KUNIT_CASE(a_pass_ends_at_the_first_younger_record),
	{}
};

static struct kunit_suite suite = {
	.name = "timeline",
	.init = timeline_init,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Timeline: KUnit suite");
