// SPDX-License-Identifier: GPL-2.0
/*
 * The breaker: what share of a processor hits take, how often in a row that must be too much,
 * and what happens then. The clock, the hits, the programs' system time and the session's end are
 * the test's.
 */
#include <kunit/test.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/mutex.h>

static u64 now;

static inline u64 fake_now(void)
{
	return now;
}

/* The only processor's. */
static struct kernel_cpustat cpustat;

#undef kcpustat_cpu
#define kcpustat_cpu(cpu) (*((cpu) == cpumask_first(cpu_online_mask) ? &cpustat : &no_cpustat))
static struct kernel_cpustat no_cpustat;

#define ktime_get_ns fake_now
#include "../../kmod/control/breaker.c"
#undef ktime_get_ns

static struct gp_session *s;
static u64 hits;
static u64 takes;	/* to add them up, ns */
static u32 queued, queued_ms, stopped, notified;

u64 gp_session_hits(struct gp_session *session)
{
	now += takes;
	return hits;
}

void gp_session_stop(struct gp_session *session)
{
	session->stopped = true;
	stopped++;
}

void gp_stream_notify(struct gp_session *session)
{
	notified++;
}

void gp_stream_queue(struct delayed_work *work, u32 ms)
{
	queued++;
	queued_ms = ms;
}

static void make(u32 hit_ns, u32 percent)
{
	const struct goprobe_breaker wish = { hit_ns, percent };

	memset(s, 0, sizeof(*s));
	mutex_init(&s->turn);
	gp_breaker_init(&s->breaker, &wish);
	now = NSEC_PER_SEC;
	hits = 1000;
	takes = 0;
	queued = 0;
	queued_ms = 0;
	stopped = 0;
	notified = 0;
	cpustat.cpustat[CPUTIME_SYSTEM] = 5 * NSEC_PER_SEC;
	gp_breaker_start(s);
}

static int breaker_init(struct kunit *test)
{
	s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	return s ? 0 : -ENOMEM;
}

/* @more hits in @ns, then a pass of the breaker. */
static void look(u64 more, u64 ns)
{
	hits += more;
	now += ns;
	gp_breaker_look(&s->breaker.work.work);
}

#define ROUND	(GP_BREAKER_ROUND_MS * NSEC_PER_MSEC)

/* ---- arithmetic ---- */

struct rate_case {
	const char *claim;
	u32 hit_ns;
	u64 hits, ns;
	u64 rate, percent;
};

static const struct rate_case rate_cases[] = {
	{ "nothing", 1000, 0, ROUND, 0, 0 },
	{ "a tenth", 1000, 10000, ROUND, 100000, 10 },
	{ "a whole processor", 1000, 100000, ROUND, 1000000, 100 },
	{ "several processors", 5000, 100000, ROUND, 1000000, 500 },
	{ "rounded down", 1000, 10999, ROUND, 109990, 10 },
	{ "just below one percent", 1000, 999, ROUND, 9990, 0 },
	{ "hits that take nothing", 0, 100000, ROUND, 1000000, 0 },
	{ "a round that took longer", 1000, 100000, 10 * ROUND, 100000, 10 },
	{ "parts of a millisecond don't count", 1000, 1000, 10 * NSEC_PER_MSEC + 999999, 100000,
	  10 },
	{ "no time at all is a millisecond", 1000, 100, 0, 100000, 10 },
	{ "less than a millisecond is one", 1000, 100, 5, 100000, 10 },
	{ "hits that take 4 s", U32_MAX, 1, ROUND, 10, 4294 },
	{ "more hits than 2^32 are that many", U32_MAX, 1ULL << 40, ROUND,
	  (1ULL << 40) * 10, 18446744065119ULL },
	{ "2^32 - 1 hits that take as much", U32_MAX, U32_MAX, ROUND, 42949672950ULL,
	  18446744065119ULL },
};

static void rate_desc(const struct rate_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rate, rate_cases, rate_desc);

static void hits_take_a_share(struct kunit *test)
{
	const struct rate_case *c = test->param_value;
	struct gp_breaker *b = &s->breaker;
	u64 rate, percent;

	make(c->hit_ns, 10);
	rate = gp_breaker_rate(b, hits + c->hits, now + c->ns, &percent);
	KUNIT_EXPECT_EQ(test, rate, c->rate);
	KUNIT_EXPECT_EQ(test, percent, c->percent);
	/* The next time what comes after counts. */
	KUNIT_EXPECT_EQ(test, gp_breaker_rate(b, hits + c->hits, now + c->ns + ROUND, &percent),
			0ULL);
	KUNIT_EXPECT_EQ(test, percent, 0ULL);
}

/* ---- strikes ---- */

static void too_much_in_a_row_stops_the_session(struct kunit *test)
{
	u32 i;

	make(1000, 10);
	KUNIT_EXPECT_EQ(test, queued, 1U);
	KUNIT_EXPECT_EQ(test, queued_ms * GP_BREAKER_ROUNDS, (u32)GOPROBE_BREAKER_MS);
	for (i = 1; i < GP_BREAKER_ROUNDS; i++) {
		look(20000, ROUND);
		KUNIT_EXPECT_EQ(test, stopped, 0U);
		KUNIT_EXPECT_EQ(test, queued, i + 1);
		KUNIT_EXPECT_EQ(test, s->breaker.broken, 0ULL);
	}
	look(30000, ROUND);
	KUNIT_EXPECT_EQ(test, stopped, 1U);
	KUNIT_EXPECT_EQ(test, notified, 1U);
	KUNIT_EXPECT_TRUE(test, s->stopped);
	/* How many there were in a second when it broke; nobody looks any more. */
	KUNIT_EXPECT_EQ(test, s->breaker.broken, 300000ULL);
	KUNIT_EXPECT_EQ(test, queued, (u32)GP_BREAKER_ROUNDS);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&s->turn));
}

struct waits_case {
	const char *claim;
	u64 hits;		/* in a round; 1,000 are a percent */
	u64 system;		/* percent of a processor */
	bool stops;
};

/* 32 processors' time is allowed. */
static const struct waits_case waits_cases[] = {
	{ "64 processors that wait for one lock", 140000, 6390, GP_HITS_TAKE_LOCKS },
	{ "33 of them", 140000, 3300, GP_HITS_TAKE_LOCKS },
	{ "no more than is allowed", 140000, 3200, false },
	{ "system calls of a program that is hit less often", 99000, 6390, false },
	{ "the fewest hits that can keep a lock busy", 100000, 6390, GP_HITS_TAKE_LOCKS },
	{ "enough hits, and nothing else", 3300000, 0, true },
	{ "a process that has ended", 140000, 0, false },
};

static void waits_desc(const struct waits_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(waits, waits_cases, waits_desc);

/* There are few hits, as each takes long. */
static void hits_that_queue_up_stop_the_session(struct kunit *test)
{
	const struct waits_case *c = test->param_value;
	u32 i;

	make(1000, 3200);
	for (i = 0; i < GP_BREAKER_ROUNDS; i++) {
		KUNIT_EXPECT_EQ(test, stopped, 0U);
		cpustat.cpustat[CPUTIME_SYSTEM] += c->system * (ROUND / 100);
		look(c->hits, ROUND);
		if (!c->system)
			cpustat.cpustat[CPUTIME_SYSTEM] /= 2;
	}
	KUNIT_EXPECT_EQ(test, stopped, (u32)c->stops);
	KUNIT_EXPECT_EQ(test, s->breaker.broken, c->stops ? c->hits * 10 : 0);
}

/* Others can come, which no list has. */
static void the_system_time_with_a_control_group_is_that_of_the_machine(struct kunit *test)
{
	struct pid *pids[] = { task_tgid(current) };
	u64 before;

	if (!GP_HITS_TAKE_LOCKS)
		kunit_skip(test, "hits of this kernel take no locks");
	make(1000, 10);
	before = gp_breaker_system(s);
	s->cgroup = (void *)pids;
	KUNIT_EXPECT_EQ(test, gp_breaker_system(s), before);
	s->pids = pids;
	s->npids = 1;
	KUNIT_EXPECT_EQ(test, gp_breaker_system(s), before);
	cpustat.cpustat[CPUTIME_SYSTEM] += 1000;
	KUNIT_EXPECT_GE(test, gp_breaker_system(s), before + 1000);
}

/* Of a process that is traced, all its threads' and of none else. */
static void the_system_time_is_that_of_the_traced_processes(struct kunit *test)
{
	struct pid *pids[] = { task_tgid(current), task_tgid(current) };
	u64 before, after;

	if (!GP_HITS_TAKE_LOCKS)
		kunit_skip(test, "hits of this kernel take no locks");
	make(1000, 10);
	s->pids = pids;
	s->npids = 1;
	before = current->group_leader->signal->stime + current->stime;
	KUNIT_EXPECT_GE(test, gp_breaker_system(s), before);
	current->stime += 1000 * NSEC_PER_SEC;
	after = gp_breaker_system(s);
	KUNIT_EXPECT_GE(test, after, before + 1000 * NSEC_PER_SEC);
	s->npids = 2;
	KUNIT_EXPECT_GE(test, gp_breaker_system(s), 2 * after);
	current->stime -= 1000 * NSEC_PER_SEC;
	KUNIT_EXPECT_LT(test, gp_breaker_system(s), after);
}

static void one_good_round_forgives_all(struct kunit *test)
{
	u32 i, k;

	make(1000, 10);
	for (i = 0; i < 3; i++) {
		for (k = 1; k < GP_BREAKER_ROUNDS; k++)
			look(20000, ROUND);
		/* Not more than was allowed. */
		look(10000, ROUND);
		KUNIT_EXPECT_EQ(test, s->breaker.strikes, 0U);
	}
	KUNIT_EXPECT_EQ(test, stopped, 0U);
	for (k = 0; k < GP_BREAKER_ROUNDS; k++)
		look(11000, ROUND);
	KUNIT_EXPECT_EQ(test, stopped, 1U);
}

static void what_is_broken_is_never_0_hits(struct kunit *test)
{
	u32 i;

	/* One hit in 100 s, which takes 4 s of these, though 0 in a second. */
	make(U32_MAX, 1);
	for (i = 0; i < GP_BREAKER_ROUNDS; i++)
		look(1, 100 * NSEC_PER_SEC);
	KUNIT_EXPECT_EQ(test, stopped, 1U);
	KUNIT_EXPECT_EQ(test, s->breaker.broken, 1ULL);
}

static void a_session_that_was_stopped_is_left_alone(struct kunit *test)
{
	u32 i;

	make(1000, 10);
	s->stopped = true;
	for (i = 0; i < 2 * GP_BREAKER_ROUNDS; i++)
		look(1000000, ROUND);
	KUNIT_EXPECT_EQ(test, stopped, 0U);
	KUNIT_EXPECT_EQ(test, notified, 0U);
	KUNIT_EXPECT_EQ(test, queued, 1U);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&s->turn));
}

static void without_a_limit_nobody_looks(struct kunit *test)
{
	make(1000, 0);
	KUNIT_EXPECT_EQ(test, queued, 0U);
	/* There is nothing to wait for either. */
	gp_breaker_stop(s);
	KUNIT_EXPECT_EQ(test, stopped, 0U);
}

/* With the first points of the session; those that come later change nothing. */
static void it_begins_once(struct kunit *test)
{
	make(1000, 10);
	look(0, ROUND);
	KUNIT_EXPECT_EQ(test, s->breaker.strikes, 0U);
	KUNIT_EXPECT_EQ(test, queued, 2U);
	hits += 20000;
	gp_breaker_start(s);
	KUNIT_EXPECT_EQ(test, queued, 2U);
	look(0, ROUND);
	KUNIT_EXPECT_EQ(test, s->breaker.strikes, 1U);
}

/* However many ids and processors there are. */
static void to_look_takes_a_tenth_at_most(struct kunit *test)
{
	static const struct {
		u64 ns;
		u32 ms;
	} rows[] = {
		{ 0, GP_BREAKER_ROUND_MS }, { 10 * NSEC_PER_MSEC, GP_BREAKER_ROUND_MS },
		{ 11 * NSEC_PER_MSEC, 110 }, { 200 * NSEC_PER_MSEC, 2000 },
		{ 3 * NSEC_PER_SEC, 10000 },
	};
	u32 i;

	make(1000, 10);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		takes = rows[i].ns;
		look(0, ROUND);
		KUNIT_EXPECT_EQ(test, queued_ms, rows[i].ms);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(hits_take_a_share, rate_gen_params),
	KUNIT_CASE(too_much_in_a_row_stops_the_session),
	KUNIT_CASE_PARAM(hits_that_queue_up_stop_the_session, waits_gen_params),
	KUNIT_CASE(the_system_time_is_that_of_the_traced_processes),
	KUNIT_CASE(the_system_time_with_a_control_group_is_that_of_the_machine),
	KUNIT_CASE(one_good_round_forgives_all),
	KUNIT_CASE(what_is_broken_is_never_0_hits),
	KUNIT_CASE(a_session_that_was_stopped_is_left_alone),
	KUNIT_CASE(without_a_limit_nobody_looks),
	KUNIT_CASE(it_begins_once),
	KUNIT_CASE(to_look_takes_a_tenth_at_most),
	{}
};

static struct kunit_suite suite = {
	.name = "breaker", .init = breaker_init, .test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Breaker: KUnit suite");
