// SPDX-License-Identifier: GPL-2.0
/*
 * Limits: quotas pass exactly their number of hits, in any order of arrival; why a hit does not
 * pass is counted; and trees of calls are shown whole or not at all.
 */
#include <linux/delay.h>
#include <linux/kthread.h>

#include "filter_world.h"

#define PERIOD_MS	1000U

/* ---- quotas ---- */

/* It passes while there are not more than @most, in a period of @ms. */
static void only_first(struct kunit *test, u64 most, u32 ms)
{
	filter_clear();
	F(QUOTA, .a = 1, .value = most, .offset = ms);
	F(JNE_I, .a = 1, .offset = 1);
	F(REJECT, .value = GOPROBE_REJECT_LIMITED);
	filter_load(test);
}

/* The number of hits that pass. */
static u32 passing(struct kunit *test, u32 hits)
{
	u32 passed = 0;

	while (hits--) {
		enum gp_verdict said = verdict(test, 0);

		KUNIT_EXPECT_TRUE(test, said == GP_VERDICT_PASSES || said == GP_VERDICT_LIMITED);
		passed += said == GP_VERDICT_PASSES;
	}
	return passed;
}

static void the_first_pass_and_no_others(struct kunit *test)
{
	static const u64 quotas[] = { 0, 1, 2, 77 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(quotas); i++) {
		only_first(test, quotas[i], 0);
		u32 first = min(quotas[i], 40ULL);

		KUNIT_EXPECT_EQ(test, passing(test, 40), first);
		KUNIT_EXPECT_EQ(test, passing(test, 100), (u32)quotas[i] - first);
		KUNIT_EXPECT_EQ(test, passing(test, 10), 0U);
	}
	only_first(test, U64_MAX, 0);
	KUNIT_EXPECT_EQ(test, passing(test, 100), 100U);
}

static void each_period_starts_again(struct kunit *test)
{
	u32 i;

	now_ns = 5 * NSEC_PER_SEC;
	only_first(test, 3, PERIOD_MS);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, passing(test, 2), 2U);
		now_ns += NSEC_PER_SEC - 1;
		KUNIT_EXPECT_EQ(test, passing(test, 9), 1U);
		now_ns += 1;
	}
	/* Of one in which nobody came nothing is left. */
	now_ns += 100 * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, passing(test, 9), 3U);
}

static void who_is_late_belongs_to_the_period_that_has_begun(struct kunit *test)
{
	now_ns = 8 * NSEC_PER_SEC;
	only_first(test, 2, PERIOD_MS);
	KUNIT_EXPECT_EQ(test, passing(test, 1), 1U);
	now_ns = 8 * NSEC_PER_SEC - 1;
	KUNIT_EXPECT_EQ(test, passing(test, 5), 1U);
	now_ns = 8 * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, passing(test, 5), 0U);
}

static void periods_of_any_length(struct kunit *test)
{
	now_ns = 3 * NSEC_PER_MSEC;
	only_first(test, 1, 1);
	KUNIT_EXPECT_EQ(test, passing(test, 5), 1U);
	now_ns = 4 * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, passing(test, 5), 1U);
	/* 49 days, and 30 years after the machine was started. */
	only_first(test, 1, U32_MAX);
	now_ns = 30ULL * 365 * 24 * 3600 * NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, passing(test, 5), 1U);
	now_ns += (u64)U32_MAX * NSEC_PER_MSEC;
	KUNIT_EXPECT_EQ(test, passing(test, 5), 1U);
	only_first(test, 2, 1);
	KUNIT_EXPECT_EQ(test, passing(test, 5), 2U);
	only_first(test, 0, 1);
	KUNIT_EXPECT_EQ(test, passing(test, 5), 0U);
}

static void the_largest_quota_of_a_period(struct kunit *test)
{
	now_ns = 7 * NSEC_PER_SEC;
	only_first(test, GP_QUOTA_MAX, PERIOD_MS);
	KUNIT_EXPECT_EQ(test, passing(test, 1), 1U);
	atomic64_add(GP_QUOTA_MAX - 3, &filter->period);
	KUNIT_EXPECT_EQ(test, passing(test, 5), 2U);
	now_ns += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, passing(test, 5), 5U);
}

/* One for all time, behind one of a period: hits that the first rejects do not reach the second. */
static void two_quotas_count_apart(struct kunit *test)
{
	now_ns = NSEC_PER_SEC;
	filter_clear();
	F(QUOTA, .a = 1, .value = 2, .offset = PERIOD_MS);
	F(JNE_I, .a = 1, .offset = 1);
	F(REJECT, .value = GOPROBE_REJECT_LIMITED);
	F(QUOTA, .a = 1, .value = 5);
	F(JNE_I, .a = 1, .offset = 1);
	F(REJECT, .value = GOPROBE_REJECT_LIMITED);
	filter_load(test);
	KUNIT_EXPECT_EQ(test, passing(test, 10), 2U);
	now_ns += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, passing(test, 10), 2U);
	now_ns += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, passing(test, 10), 1U);
	now_ns += NSEC_PER_SEC;
	KUNIT_EXPECT_EQ(test, passing(test, 10), 0U);
}

/* Memory that the filter reads behind the quota is absent: the filter starts again. */
static void a_hit_that_starts_again_counts_once(struct kunit *test)
{
	u32 ms, i, passed = 0;

	for (ms = 0; ms <= PERIOD_MS; ms += PERIOD_MS) {
		now_ns = 2 * NSEC_PER_SEC;
		filter_clear();
		F(QUOTA, .a = 1, .value = 3, .offset = ms);
		F(NUMBER, .a = 4, .value = 1);
		F(IMM, .a = 2, .value = A);
		F(LOAD, .a = 3, .b = 2, .size = 8);
		F(TASK, .a = 3, .value = GOPROBE_TASK_GOID);
		F(JNE_I, .a = 1, .offset = 1);
		F(REJECT, .value = GOPROBE_REJECT_LIMITED);
		filter_load(test);
		for (i = 0, passed = 0; i < 6; i++) {
			make(GP_WAY_GENERAL, VALUES_ABSENT | IN_THREAD | TLS_ABSENT | G_ABSENT);
			passed += passing(test, 1);
			KUNIT_EXPECT_EQ(test, served, 3U);
		}
		KUNIT_EXPECT_EQ(test, passed, 3U);
		KUNIT_EXPECT_EQ(test, numbered(), 6ULL);
	}
}

/* Every other hit reaches the second counter: each has its own numbers. */
static void two_counters_of_hits(struct kunit *test)
{
	u32 i;

	stay_on_cpu(test, 0);
	filter_clear();
	F(NUMBER, .a = 1);
	F(IMM, .a = 2, .value = 2);
	F(MOD, .a = 1, .b = 2);
	F(JEQ_I, .a = 1, .offset = 1);
	F(REJECT);
	F(NUMBER, .a = 1, .value = 1);
	F(NUMBER, .a = 2, .value = 1);
	F(JEQ, .a = 1, .b = 2, .offset = 1);
	F(FAIL, .value = GOPROBE_CHUNK_RANGE);
	F(IMM, .a = 2, .value = 5);
	F(MOD, .a = 1, .b = 2);
	F(JEQ_I, .a = 1, .offset = 1, .value = 1);
	F(REJECT, .value = GOPROBE_REJECT_SAMPLED);
	filter_load(test);
	for (i = 1; i <= 40; i++) {
		enum gp_verdict want = i % 2 ? GP_VERDICT_REJECTS :
				       i / 2 % 5 == 1 ? GP_VERDICT_PASSES : GP_VERDICT_SAMPLED;

		KUNIT_EXPECT_EQ_MSG(test, (u32)verdict(test, 0), (u32)want, "hit %u", i);
	}
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number[0]), 40ULL);
	KUNIT_EXPECT_EQ(test, numbered(), 20ULL);
}

/* Threads that all want what there is too little of. */
#define THREADS		8
#define TRIES		40000
#define MOST		70001
#define PERIODS		50

static atomic_t going, took;
static atomic_t took_in[PERIODS];

static int take_all(void *unused)
{
	u32 i;

	for (i = 0; i < TRIES; i++) {
		if (gp_filter_take(filter, MOST))
			atomic_inc(&took);
		if (i % 256 == 0)
			cond_resched();
	}
	atomic_dec(&going);
	return 0;
}

/* The clock goes on while they take: a hit belongs to the period that is, or to a later one. */
static int take_in_periods(void *unused)
{
	u32 period;

	while ((period = READ_ONCE(now_ns) / NSEC_PER_SEC) < PERIODS) {
		if (gp_filter_take_now(filter, 100))
			atomic_inc(&took_in[period]);
		cond_resched();
	}
	atomic_dec(&going);
	return 0;
}

static void run_threads(struct kunit *test, int (*fn)(void *unused))
{
	struct task_struct *thread;
	u32 i;

	atomic_set(&going, THREADS);
	for (i = 0; i < THREADS; i++) {
		thread = kthread_run(fn, NULL, "gp_limits_%u", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	}
}

static void await_threads(void)
{
	while (atomic_read(&going))
		msleep(20);
	/* Past their last instruction in this module. */
	msleep(50);
}

static void exactly_as_many_under_many_threads(struct kunit *test)
{
	only_first(test, MOST, 0);
	atomic_set(&took, 0);
	run_threads(test, take_all);
	await_threads();
	KUNIT_EXPECT_EQ(test, atomic_read(&took), MOST);
}

static void no_more_in_any_period_under_many_threads(struct kunit *test)
{
	u32 i, all = 0;

	for (i = 0; i < PERIODS; i++)
		atomic_set(&took_in[i], 0);
	now_ns = 0;
	only_first(test, 100, PERIOD_MS);
	run_threads(test, take_in_periods);
	for (i = 1; i <= PERIODS; i++) {
		msleep(20);
		WRITE_ONCE(now_ns, (u64)i * NSEC_PER_SEC);
	}
	await_threads();
	for (i = 0; i < PERIODS; i++)
		all += atomic_read(&took_in[i]);
	/* One that was found as the period ended may have been taken from the next. */
	KUNIT_EXPECT_LE(test, all, 100U * (PERIODS + 1));
	KUNIT_EXPECT_GT(test, all, 100U * (PERIODS / 2));
}

/* ---- causes ---- */

static const struct { u64 value; enum goprobe_stat stat; } causes[] = {
	{ GOPROBE_REJECT_FILTERED, GOPROBE_STAT_FILTERED },
	{ GOPROBE_REJECT_LIMITED, GOPROBE_STAT_LIMITED },
	{ GOPROBE_REJECT_SAMPLED, GOPROBE_STAT_SAMPLED },
	{ GOPROBE_REJECT_FILTERED | GOPROBE_REJECT_F_MUTED, GOPROBE_STAT_FILTERED },
	{ GOPROBE_REJECT_LIMITED | GOPROBE_REJECT_F_MUTED, GOPROBE_STAT_LIMITED },
	{ GOPROBE_REJECT_SAMPLED | GOPROBE_REJECT_F_MUTED, GOPROBE_STAT_SAMPLED },
};

static void expect_only(struct kunit *test, enum goprobe_stat want, u32 where)
{
	u32 i;

	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		if (is_of_hits(i))
			KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
					    "counter %u, at %u", i, where);
}

/* A probe whose hits have to pass @filter; those that are remembered can be muted. */
static void make_limited(enum gp_way then, u32 unusual)
{
	make(then, unusual);
	probes[0].way = then == GP_WAY_END ? GP_WAY_END : GP_WAY_FILTER;
	probes[0].filter = filter;
}

static struct gp_tally *with_muted(struct kunit *test, u32 id)
{
	struct gp_tally *tally = gp_tallies_find(&s.tallies, id);

	KUNIT_ASSERT_EQ(test, gp_tally_add_muted(tally), 0);
	KUNIT_ASSERT_EQ(test, gp_tally_add_muted(tally), 0);
	tally->roots = true;
	tally->muted->counts_open = true;
	atomic_set(&tally->muted->open, 0);
	return tally;
}

static void why_a_hit_does_not_pass_is_counted(struct kunit *test)
{
	static const enum gp_way thens[] = {
		GP_WAY_QUICK, GP_WAY_GENERAL, GP_WAY_COUNT, GP_WAY_ENTER, GP_WAY_CALL, GP_WAY_END,
	};
	u32 i, k;

	with_muted(test, TIMED);
	with_muted(test, PAIRED);
	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		bool muted = causes[i].value & GOPROBE_REJECT_F_MUTED;

		filter_clear();
		F(REJECT, .value = causes[i].value);
		filter_load(test);
		KUNIT_EXPECT_EQ(test, filter->ntests, 0U);
		KUNIT_EXPECT_EQ(test, filter->mutes, muted);
		for (k = 0; k < ARRAY_SIZE(thens); k++) {
			make_limited(thens[k], thens[k] == GP_WAY_END ? OPEN : 0);
			KUNIT_EXPECT_TRUE(test, hit());
			expect_only(test, causes[i].stat, i * 16 + k);
			KUNIT_EXPECT_EQ(test, !!first_record(), false);
			KUNIT_EXPECT_EQ_MSG(test, open_calls(),
					    thens[k] == GP_WAY_END ? 1U :
					    thens[k] >= GP_WAY_ENTER && muted ? 1U : 0U,
					    "way %u", thens[k]);
		}
	}
}

/* One test and that, or a program of its own: where it counts, and whether it is tests. */
static void a_test_counts_in_one_counter(struct kunit *test)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		filter_clear();
		F(REG, .a = 1, .b = 1);
		F(JEQ_I, .a = 1, .offset = 1, .value = 6);
		F(REJECT, .value = causes[i].value);
		filter_load(test);
		KUNIT_EXPECT_EQ(test, filter->ntests, causes[i].value ? 0U : 1U);
		KUNIT_EXPECT_EQ(test, filter->first, !causes[i].value);
		make_limited(GP_WAY_GENERAL, 0);
		KUNIT_EXPECT_TRUE(test, hit());
		expect_only(test, causes[i].stat, i);
		/* Behind one that is. */
		filter_clear();
		F(REG, .a = 1, .b = 1);
		F(JEQ_I, .a = 1, .offset = 1, .value = 5);
		F(REJECT);
		F(REG, .a = 1, .b = 1);
		F(JEQ_I, .a = 1, .offset = 1, .value = 6);
		F(REJECT, .value = causes[i].value);
		filter_load(test);
		KUNIT_EXPECT_EQ(test, filter->ntests, causes[i].value ? 0U : 2U);
		make_limited(GP_WAY_GENERAL, 0);
		KUNIT_EXPECT_TRUE(test, hit());
		expect_only(test, causes[i].stat, i);
	}
}

/* ---- trees of calls ---- */

/*
 * The tool's filter: in an open tree all calls pass, in a muted tree no call passes; without a
 * tree every second call begins one.
 */
static void make_tree_filter(struct kunit *test)
{
	stay_on_cpu(test, 0);
	filter_clear();
	F(ROOT, .a = 1);
	F(JEQ_I, .a = 1, .offset = 8, .value = GOPROBE_ROOT_OPEN);
	F(JEQ_I, .a = 1, .offset = 1, .value = GOPROBE_ROOT_NONE);
	F(REJECT, .value = GOPROBE_REJECT_SAMPLED);
	F(NUMBER, .a = 1, .value = 1);
	F(ADD_I, .a = 1, .value = -1ULL);
	F(IMM, .a = 2, .value = 2);
	F(MOD, .a = 1, .b = 2);
	F(JEQ_I, .a = 1, .offset = 1);
	F(REJECT, .value = GOPROBE_REJECT_SAMPLED | GOPROBE_REJECT_F_MUTED);
	filter_load(test);
	KUNIT_EXPECT_TRUE(test, filter->under && filter->roots && filter->mutes);
}

static struct gp_tally *paired;

static void make_tree(struct kunit *test, u32 unusual)
{
	make_tree_filter(test);
	paired = with_muted(test, PAIRED);
	make_limited(GP_WAY_CALL, unusual);
}

/* A call, or its end, @deeper words deeper than the root. */
static enum goprobe_stat at(struct kunit *test, enum gp_way way, u32 deeper)
{
	u32 i, stat = __GOPROBE_STAT_MAX, n = 0;

	set_way(&probes[0], way);
	probes[0].filter = way == GP_WAY_CALL ? filter : NULL;
	probes[0].way = way == GP_WAY_CALL ? GP_WAY_FILTER : way;
	probes[0].stat = way == GP_WAY_CALL ? GOPROBE_STAT_CALLS : GOPROBE_STAT_RETURNS;
	w->regs.sp = SP - ADJUST - 8 * deeper;
	drain_rings();
	KUNIT_EXPECT_TRUE(test, hit());
	for (i = 0; i < __GOPROBE_STAT_MAX; i++) {
		if (!is_of_hits(i) || !counted(i))
			continue;
		stat = i;
		n += counted(i);
	}
	KUNIT_EXPECT_EQ(test, n, 1U);
	return stat;
}

static void expect(struct kunit *test, enum gp_way way, u32 deeper, enum goprobe_stat stat)
{
	KUNIT_EXPECT_EQ_MSG(test, (u32)at(test, way, deeper), (u32)stat, "way %u, %u deeper", way,
			    deeper);
}

#define EXPECT_CALL(test, deeper, stat) \
	expect(test, GP_WAY_CALL, deeper, GOPROBE_STAT_##stat)
#define EXPECT_END(test, deeper, stat) \
	expect(test, GP_WAY_END, deeper, GOPROBE_STAT_##stat)

static void expect_open(struct kunit *test, int shown, int muted)
{
	KUNIT_EXPECT_EQ(test, atomic_read(&paired->open), shown);
	KUNIT_EXPECT_EQ(test, atomic_read(&paired->muted->open), muted);
	KUNIT_EXPECT_EQ(test, open_calls(), (u32)(shown + muted));
}

static void trees_are_whole_or_not_at_all(struct kunit *test)
{
	u32 round;

	make_tree(test, 0);
	for (round = 0; round < 5; round++) {
		EXPECT_CALL(test, 0, CALLS);
		EXPECT_CALL(test, 8, CALLS);
		EXPECT_CALL(test, 16, CALLS);
		expect_open(test, 3, 0);
		EXPECT_END(test, 16, RETURNS);
		EXPECT_END(test, 8, RETURNS);
		EXPECT_CALL(test, 8, CALLS);
		EXPECT_END(test, 8, RETURNS);
		EXPECT_END(test, 0, RETURNS);
		expect_open(test, 0, 0);

		EXPECT_CALL(test, 0, SAMPLED);
		expect_open(test, 0, 1);
		EXPECT_CALL(test, 8, SAMPLED);
		EXPECT_CALL(test, 16, SAMPLED);
		expect_open(test, 0, 1);
		EXPECT_END(test, 16, NO_CALL);
		EXPECT_END(test, 8, NO_CALL);
		EXPECT_CALL(test, 8, SAMPLED);
		EXPECT_END(test, 8, NO_CALL);
		EXPECT_END(test, 0, NO_CALL);
		expect_open(test, 0, 0);
	}
	/* Roots, and nothing else, have been counted. */
	KUNIT_EXPECT_EQ(test, numbered(), 10ULL);
}

/* The next to be seen after a panic is as deep as what it ended, or less deep: in either kind. */
static void trees_that_a_panic_ended(struct kunit *test)
{
	make_tree(test, 0);
	EXPECT_CALL(test, 8, CALLS);
	EXPECT_CALL(test, 16, CALLS);
	/* A root all the same: nothing that is less deep is open. */
	EXPECT_CALL(test, 8, SAMPLED);
	expect_open(test, 0, 1);
	EXPECT_CALL(test, 16, SAMPLED);
	EXPECT_CALL(test, 0, CALLS);
	expect_open(test, 1, 0);
	EXPECT_END(test, 0, RETURNS);
	EXPECT_CALL(test, 8, SAMPLED);
	/* Not even a return is needed: a deeper one's shows that it has ended. */
	EXPECT_END(test, 4, NO_CALL);
	expect_open(test, 0, 0);
	EXPECT_CALL(test, 12, CALLS);
	EXPECT_END(test, 12, RETURNS);
	expect_open(test, 0, 0);
}

/* It has no call of its own open, and yet shows that another one has ended. */
static void a_call_that_is_rejected_ends_muted_ones(struct kunit *test)
{
	make_tree(test, 0);
	EXPECT_CALL(test, 8, CALLS);
	EXPECT_END(test, 8, RETURNS);
	EXPECT_CALL(test, 8, SAMPLED);
	expect_open(test, 0, 1);
	filter_clear();
	F(REJECT);
	filter_load(test);
	EXPECT_CALL(test, 4, FILTERED);
	expect_open(test, 0, 0);
}

static void goroutines_that_have_left_are_no_roots(struct kunit *test)
{
	const u64 goid = GOID + 1;

	make_tree(test, 0);
	EXPECT_CALL(test, 0, CALLS);
	EXPECT_END(test, 0, RETURNS);
	EXPECT_CALL(test, 0, SAMPLED);
	/* By Goexit; its g is another's now. */
	memcpy(g_memory + rt.g_goid, &goid, 8);
	EXPECT_CALL(test, 8, CALLS);
	expect_open(test, 1, 0);
	EXPECT_END(test, 8, RETURNS);
	expect_open(test, 0, 0);
}

/* The distance from the stack's end stays when the stack moves. */
static void stacks_that_move(struct kunit *test)
{
	u64 hi = A + A_SIZE - 0x1000;

	make_tree(test, 0);
	EXPECT_CALL(test, 0, CALLS);
	memcpy(g_memory + rt.g_stack_hi, &hi, 8);
	EXPECT_CALL(test, 0x200 + 8, CALLS);
	EXPECT_END(test, 0x200 + 8, RETURNS);
	EXPECT_END(test, 0x200, RETURNS);
	EXPECT_CALL(test, 0x200, SAMPLED);
	hi += 0x1000;
	memcpy(g_memory + rt.g_stack_hi, &hi, 8);
	EXPECT_CALL(test, 8, SAMPLED);
	EXPECT_END(test, 0, NO_CALL);
	expect_open(test, 0, 0);
}

static void what_cannot_be_muted_is_no_tree_less(struct kunit *test)
{
	u32 i;

	make_tree(test, 0);
	EXPECT_CALL(test, 0, CALLS);
	EXPECT_END(test, 0, RETURNS);
	/* A call that counts for no tree is on the stack, so it takes one from a pool. */
	gp_calls_open(s.calls, (struct gp_calls_key){ PROCESS, G, GOID }, WORDS - 8,
		      tally_of(GP_WAY_LEAVE), 0);
	for (i = 0; i < s.calls->npools; i++)
		s.calls->pools[i].free = NULL;
	EXPECT_CALL(test, 0, NO_SPACE);
	KUNIT_EXPECT_EQ(test, open_calls(), 1U);
	KUNIT_EXPECT_EQ(test, atomic_read(&paired->muted->open), 0);
}

static void calls_that_nobody_asked_for_are_in_no_tree(struct kunit *test)
{
	make_tree(test, 0);
	gp_calls_open(s.calls, (struct gp_calls_key){ PROCESS, G, GOID }, WORDS - 8,
		      tally_of(GP_WAY_LEAVE), 0);
	EXPECT_CALL(test, 0, CALLS);
	EXPECT_END(test, 0, RETURNS);
	EXPECT_CALL(test, 0, SAMPLED);
	/* They do not hide the tree that they are in. */
	gp_calls_open(s.calls, (struct gp_calls_key){ PROCESS, G, GOID }, WORDS + 4,
		      tally_of(GP_WAY_LEAVE), 0);
	EXPECT_CALL(test, 8, SAMPLED);
	EXPECT_END(test, 8, NO_CALL);
	EXPECT_END(test, 0, NO_CALL);
	KUNIT_EXPECT_EQ(test, open_calls(), 1U);
}

static void who_has_no_goroutine_is_in_no_tree(struct kunit *test)
{
	make_tree(test, FAR);
	KUNIT_EXPECT_EQ(test, (u32)at(test, GP_WAY_CALL, 0), (u32)GOPROBE_STAT_NO_GOROUTINE);
	EXPECT_CALL(test, 0, SAMPLED);
	expect_open(test, 0, 0);
}

/* Timed calls are muted as well, and then neither timed nor counted. */
static void calls_that_are_timed_can_be_muted(struct kunit *test)
{
	static const u32 unusual[] = { 0, IN_THREAD };
	static u64 buckets[GOPROBE_BUCKETS];
	struct goprobe_tally tally;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(unusual); i++) {
		u64 timed, calls;

		with_muted(test, TIMED);
		filter_clear();
		F(REJECT, .value = GOPROBE_REJECT_SAMPLED | GOPROBE_REJECT_F_MUTED);
		filter_load(test);
		timed = gp_tally_read(tally_of(GP_WAY_LEAVE), TIMED, &tally, buckets);
		calls = tally.calls;
		make_limited(GP_WAY_ENTER, unusual[i]);
		KUNIT_EXPECT_TRUE(test, hit());
		expect_only(test, GOPROBE_STAT_SAMPLED, i);
		KUNIT_EXPECT_EQ(test, open_calls(), 1U);
		probes[0].filter = NULL;
		set_way(&probes[0], GP_WAY_LEAVE);
		KUNIT_EXPECT_TRUE(test, hit());
		expect_only(test, GOPROBE_STAT_NO_CALL, i);
		KUNIT_EXPECT_EQ(test, open_calls(), 0U);
		KUNIT_EXPECT_EQ(test, gp_tally_read(tally_of(GP_WAY_LEAVE), TIMED, &tally, buckets),
				timed);
		KUNIT_EXPECT_EQ(test, tally.calls, calls);
		KUNIT_EXPECT_EQ(test, tally.unwound, 0ULL);
	}
}

/* A muted call is under nothing, as it is not shown. */
static void nothing_is_under_a_muted_call(struct kunit *test)
{
	make_tree(test, 0);
	EXPECT_CALL(test, 0, CALLS);
	EXPECT_END(test, 0, RETURNS);
	EXPECT_CALL(test, 0, SAMPLED);
	filter_clear();
	F(UNDER, .a = 1, .value = PAIRED);
	F(JEQ_I, .a = 1, .offset = 1, .value = 1);
	F(REJECT);
	filter_load(test);
	w->regs.sp = SP - ADJUST - 64;
	EXPECT_REJECTS(test);
}

static void too_many_calls_are_not_looked_at(struct kunit *test)
{
	u32 i;

	make_tree_filter(test);
	make_limited(GP_WAY_CALL, 0);
	gp_calls_free(s.calls);
	s.calls = gp_calls_new(8192);
	KUNIT_ASSERT_NOT_NULL(test, s.calls);
	for (i = 0; i < 4097; i++)
		gp_calls_open(s.calls, (struct gp_calls_key){ PROCESS, G, GOID }, WORDS + i,
			      tally_of(GP_WAY_LEAVE), 0);
	EXPECT_UNDECIDED(test);
}

/* Calls, returns and panics at random, and what is to be said of each. */
#define DEEPEST	12

static void any_calls_in_any_order(struct kunit *test)
{
	/* The model: depths of open calls, and whether they are shown. */
	u32 depth[DEEPEST + 1], n = 0, roots = 0, round, seed = 12345, whole = 0, muted = 0;
	bool shown[DEEPEST + 1];

	make_tree(test, 0);
	for (round = 0; round < 20000; round++) {
		u32 d;

		seed = seed * 1664525 + 1013904223;
		d = 1 + (seed >> 16) % DEEPEST;
		if (seed >> 30) {
			/* A call: what is as deep or deeper has been left by a panic. */
			bool is_shown;

			while (n && depth[n - 1] >= d)
				n--;
			is_shown = n ? shown[n - 1] : roots++ % 2 == 0;
			if (is_shown)
				EXPECT_CALL(test, d, CALLS);
			else
				EXPECT_CALL(test, d, SAMPLED);
			whole += is_shown;
			muted += !is_shown;
			shown[n] = is_shown;
			/* In a muted tree only the root is remembered. */
			if (is_shown || !n)
				depth[n++] = d;
		} else {
			while (n && depth[n - 1] > d)
				n--;
			if (n && depth[n - 1] == d && shown[n - 1])
				EXPECT_END(test, d, RETURNS);
			else
				EXPECT_END(test, d, NO_CALL);
			if (n && depth[n - 1] == d)
				n--;
		}
		KUNIT_ASSERT_EQ_MSG(test, open_calls(), n, "round %u", round);
		if (round % 100 == 0)
			cond_resched();
	}
	KUNIT_EXPECT_GT(test, whole, 2000U);
	KUNIT_EXPECT_GT(test, muted, 2000U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(the_first_pass_and_no_others),
	KUNIT_CASE(each_period_starts_again),
	KUNIT_CASE(who_is_late_belongs_to_the_period_that_has_begun),
	KUNIT_CASE(periods_of_any_length),
	KUNIT_CASE(the_largest_quota_of_a_period),
	KUNIT_CASE(two_quotas_count_apart),
	KUNIT_CASE(a_hit_that_starts_again_counts_once),
	KUNIT_CASE(two_counters_of_hits),
	KUNIT_CASE(exactly_as_many_under_many_threads),
	KUNIT_CASE(no_more_in_any_period_under_many_threads),
	KUNIT_CASE(why_a_hit_does_not_pass_is_counted),
	KUNIT_CASE(a_test_counts_in_one_counter),
	KUNIT_CASE(trees_are_whole_or_not_at_all),
	KUNIT_CASE(trees_that_a_panic_ended),
	KUNIT_CASE(a_call_that_is_rejected_ends_muted_ones),
	KUNIT_CASE(goroutines_that_have_left_are_no_roots),
	KUNIT_CASE(stacks_that_move),
	KUNIT_CASE(what_cannot_be_muted_is_no_tree_less),
	KUNIT_CASE(calls_that_nobody_asked_for_are_in_no_tree),
	KUNIT_CASE(who_has_no_goroutine_is_in_no_tree),
	KUNIT_CASE(calls_that_are_timed_can_be_muted),
	KUNIT_CASE(nothing_is_under_a_muted_call),
	KUNIT_CASE(too_many_calls_are_not_looked_at),
	KUNIT_CASE(any_calls_in_any_order),
	{}
};

static struct kunit_suite suite = {
	.name = "limits",
	.init = filter_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Limits: KUnit suite");
