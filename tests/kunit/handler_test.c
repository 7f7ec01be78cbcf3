// SPDX-License-Identifier: GPL-2.0
/*
 * A hit, from the consumer to its counter: whatever is unusual, each probe counts it
 * once, as what it was.
 */
#include "handler_world.h"

/* The ways that a row is of. */
#define QUICK	BIT(GP_WAY_QUICK)
#define GENERAL	BIT(GP_WAY_GENERAL)
#define COUNT	BIT(GP_WAY_COUNT)
#define ENTER	BIT(GP_WAY_ENTER)
#define LEAVE	BIT(GP_WAY_LEAVE)
static const enum gp_way ways[PROBES] = {
	GP_WAY_QUICK, GP_WAY_GENERAL, GP_WAY_COUNT, GP_WAY_ENTER, GP_WAY_LEAVE,
};

#define RECORD	(QUICK | GENERAL)
#define TIME	(ENTER | LEAVE)
#define ALL	(RECORD | COUNT | TIME)

/* The counter of a hit without a fault. */
#define WELL	__GOPROBE_STAT_MAX

static enum goprobe_stat well(enum gp_way way)
{
	switch (way) {
	case GP_WAY_COUNT:
		return GOPROBE_STAT_COUNTED;
	case GP_WAY_ENTER:
		return GOPROBE_STAT_OPENED;
	case GP_WAY_LEAVE:
		return GOPROBE_STAT_TIMED;
	default:
		return GOPROBE_STAT_CALLS;
	}
}

struct hit_case {
	const char *claim;
	u32 ways;
	u32 unusual;
	enum goprobe_stat want;
};

static const struct hit_case hit_cases[] = {
	{ "nothing unusual", ALL, 0, WELL },
	{ "a record of a return", RECORD, RETURNS, GOPROBE_STAT_RETURNS },
	{ "not started", ALL & ~LEAVE, NOT_RUNNING, GOPROBE_STAT_NOT_STARTED },
	{ "not started, and no call to end", LEAVE, NOT_RUNNING | UNKNOWN,
	  GOPROBE_STAT_NOT_STARTED },
	{ "another process", ALL & ~LEAVE, OTHER, GOPROBE_STAT_OTHER_PROCESS },
	{ "another process, and no call to end", LEAVE, OTHER | UNKNOWN,
	  GOPROBE_STAT_OTHER_PROCESS },
	{ "a start that is no call", ALL, RESTART, GOPROBE_STAT_RESTARTS },
	{ "no goroutine", RECORD | COUNT, FAR, WELL },
	{ "no goroutine to time", TIME, FAR, GOPROBE_STAT_NO_GOROUTINE },
	{ "an invalid g", RECORD | COUNT, ODD, WELL },
	{ "an invalid g, to time", TIME, ODD, GOPROBE_STAT_NO_GOROUTINE },
	{ "a g that is absent", RECORD | TIME, G_ABSENT, WELL },
	{ "an unreadable g", RECORD | COUNT, G_DENIED, WELL },
	{ "an unreadable g, to time", TIME, G_DENIED, GOPROBE_STAT_NO_GOROUTINE },
	{ "a system stack", TIME, SYSTEM, WELL },
	{ "g in TLS", GENERAL | COUNT | TIME, IN_THREAD, WELL },
	{ "g in TLS, not started", GENERAL | COUNT | ENTER, IN_THREAD | NOT_RUNNING,
	  GOPROBE_STAT_NOT_STARTED },
	{ "g in TLS, not started, and no call to end", LEAVE,
	  IN_THREAD | NOT_RUNNING | UNKNOWN, GOPROBE_STAT_NOT_STARTED },
	{ "g in TLS, another process", GENERAL | COUNT | ENTER, IN_THREAD | OTHER,
	  GOPROBE_STAT_OTHER_PROCESS },
	{ "g in TLS, another process, and no call to end", LEAVE,
	  IN_THREAD | OTHER | UNKNOWN, GOPROBE_STAT_OTHER_PROCESS },
	{ "g in TLS, a start that is no call", GENERAL | COUNT | TIME, IN_THREAD | RESTART,
	  GOPROBE_STAT_RESTARTS },
	{ "g in TLS, no goroutine", GENERAL | COUNT, IN_THREAD | FAR, WELL },
	{ "g in TLS, no goroutine to time", TIME, IN_THREAD | FAR,
	  GOPROBE_STAT_NO_GOROUTINE },
	{ "g in TLS, which is absent", GENERAL | TIME, IN_THREAD | TLS_ABSENT, WELL },
	{ "g in TLS, unreadable", GENERAL | COUNT, IN_THREAD | TLS_DENIED, WELL },
	{ "g in TLS, unreadable, to time", TIME, IN_THREAD | TLS_DENIED,
	  GOPROBE_STAT_NO_GOROUTINE },
	{ "g in TLS, both absent", GENERAL | TIME, IN_THREAD | TLS_ABSENT | G_ABSENT, WELL },
	{ "values that are absent", RECORD, VALUES_ABSENT, WELL },
	{ "a full ring", RECORD, RING_FULL, GOPROBE_STAT_LOST_RING_FULL },
	{ "a full ring, not started", RECORD, RING_FULL | NOT_RUNNING,
	  GOPROBE_STAT_NOT_STARTED },
	{ "a full ring, which is not needed", COUNT | TIME, RING_FULL, WELL },
	{ "no ring", RECORD, NO_RING, GOPROBE_STAT_LOST_NO_RING },
	{ "no ring, which is not needed", COUNT | TIME, NO_RING, WELL },
	{ "no calls left", ENTER, NO_CALLS, GOPROBE_STAT_NO_SPACE },
	{ "no calls left, not started", ENTER, NO_CALLS | NOT_RUNNING,
	  GOPROBE_STAT_NOT_STARTED },
	{ "no calls left, which is not needed", RECORD | COUNT | LEAVE, NO_CALLS, WELL },
	{ "in place of a call that has not returned", ENTER, OPEN, WELL },
	{ "no call to end", LEAVE, UNKNOWN, GOPROBE_STAT_NO_CALL },
	{ "no call to end, as there was none left", LEAVE, UNKNOWN | NO_CALLS,
	  GOPROBE_STAT_NO_CALL },
	{ "g in TLS, no call to end", LEAVE, IN_THREAD | UNKNOWN, GOPROBE_STAT_NO_CALL },
};

static void hit_desc(const struct hit_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hit, hit_cases, hit_desc);

static void a_hit_counts_as_what_it_was(struct kunit *test)
{
	const struct hit_case *c = test->param_value;
	u32 n, i;

	for (n = 0; n < PROBES; n++) {
		enum gp_way way = ways[n];
		enum goprobe_stat want = c->want == WELL ? well(way) : c->want;
		bool record = want == GOPROBE_STAT_CALLS || want == GOPROBE_STAT_RETURNS;
		u32 absent = c->unusual & (G_ABSENT | TLS_ABSENT | VALUES_ABSENT);

		if (!(c->ways & BIT(way)))
			continue;
		make(way, c->unusual | (BIT(way) == LEAVE && !(c->unusual & UNKNOWN) ? OPEN : 0));
		KUNIT_EXPECT_TRUE_MSG(test, hit(), "way %u", way);
		for (i = 0; i < __GOPROBE_STAT_MAX; i++)
			if (is_of_hits(i))
				KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
						    "way %u, counter %u", way, i);
		KUNIT_EXPECT_EQ_MSG(test, !!first_record(), record || c->unusual & RING_FULL,
				    "way %u", way);
		KUNIT_EXPECT_EQ_MSG(test, served, hweight32(absent), "way %u", way);
		KUNIT_EXPECT_EQ_MSG(test, counted(GOPROBE_STAT_FAULT_INS),
				    BIT(way) & RECORD ? (u64)served : 0ULL, "way %u", way);
		KUNIT_EXPECT_EQ(test, executed, 0U);
	}
}

static void whatever_comes_together_a_hit_counts_once(struct kunit *test)
{
	u32 unusual, n, i, seen_stats = 0;

	for (n = 0; n < PROBES; n++) {
		enum gp_way way = ways[n];

		for (unusual = 0; unusual <= UNUSUAL_MASK; unusual++) {
			/* That is what the short way is not for. */
			if (way == GP_WAY_QUICK && unusual & IN_THREAD)
				continue;
			make(way, unusual);
			KUNIT_ASSERT_TRUE_MSG(test, hit(), "way %u, 0x%x", way, unusual);
			KUNIT_ASSERT_EQ_MSG(test, all_hits(after) - all_hits(before), 1ULL,
					    "way %u, 0x%x", way, unusual);
			for (i = 0; i < __GOPROBE_STAT_MAX; i++)
				seen_stats |= is_of_hits(i) && counted(i) ? BIT(i) : 0;
		}
		cond_resched();
	}
	/* All but returns, which make no difference, and what filters do. */
	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		KUNIT_EXPECT_EQ_MSG(test, !!(seen_stats & BIT(i)),
				    is_of_hits(i) && i != GOPROBE_STAT_RETURNS &&
				    i != GOPROBE_STAT_FILTERED && i != GOPROBE_STAT_UNDECIDED &&
				    i != GOPROBE_STAT_LIMITED && i != GOPROBE_STAT_SAMPLED &&
				    i != GOPROBE_STAT_NOTIFIED,
				    "counter %u", i);
}

static void each_probe_of_a_point_counts_before_the_instruction_goes_on(struct kunit *test)
{
	u32 i;

	make(GP_WAY_QUICK, OPEN);
	for (i = 0; i < PROBES; i++) {
		make_probe(&probes[i], ways[PROBES - 1 - i], 0);
		set->probe[i] = &probes[i];
	}
	set->n = PROBES;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), (u64)PROBES);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_TIMED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_OPENED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_COUNTED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), 2ULL);
	KUNIT_EXPECT_EQ(test, executed, 0U);

	point.execute.by = GP_EXECUTOR_HANDLER;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, executed, 1U);
	KUNIT_EXPECT_EQ(test, counted_before, all_hits(after));
	set->n = 1;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, executed, 2U);
	KUNIT_EXPECT_EQ(test, counted_before, all_hits(after));
}

/* Ticks of all calls that have been timed so far. */
static u64 all_ticks(void)
{
	static u64 buckets[GOPROBE_BUCKETS];
	struct goprobe_tally tally;

	gp_tally_read(tally_of(GP_WAY_LEAVE), TIMED, &tally, buckets);
	return tally.sum;
}

static void what_a_hit_waits_for_is_not_part_of_the_call(struct kunit *test)
{
	u32 kinds[] = { 0, G_ABSENT, IN_THREAD, IN_THREAD | TLS_ABSENT | G_ABSENT }, i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u64 sum = all_ticks();

		make(GP_WAY_ENTER, kinds[i]);
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_OPENED), 1ULL);
		ticks += 300;
		make_memory(kinds[i]);
		set_way(&probes[0], GP_WAY_LEAVE);
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_TIMED), 1ULL);
		KUNIT_EXPECT_EQ(test, all_ticks() - sum, 300ULL);
	}
}

static void both_ways_write_the_same_record(struct kunit *test)
{
	u32 size = sizeof(struct goprobe_record) + 16 + HDR + 8;
	struct goprobe_record *quick = (void *)w->again, *general = (void *)w->to;

	make(GP_WAY_QUICK, 0);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_ASSERT_NOT_NULL(test, first_record());
	KUNIT_ASSERT_EQ(test, first_record()->words * 8, size);
	memcpy(quick, first_record(), size);
	make(GP_WAY_GENERAL, 0);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_ASSERT_NOT_NULL(test, first_record());
	memcpy(general, first_record(), size);
	general->time = quick->time;
	KUNIT_EXPECT_EQ(test, memcmp(quick, general, size), 0);
	KUNIT_EXPECT_EQ(test, (u32)quick->kind, (u32)GOPROBE_RECORD_CALL);
	KUNIT_EXPECT_EQ(test, (u32)quick->flags, 0U);
	KUNIT_EXPECT_EQ(test, quick->id, 5U);
	KUNIT_EXPECT_EQ(test, quick->plan, 3U);
	KUNIT_EXPECT_EQ(test, quick->tgid, (u32)current->tgid);
	KUNIT_EXPECT_EQ(test, quick->tid, (u32)current->pid);
	KUNIT_EXPECT_EQ(test, quick->goid, GOID);
	KUNIT_EXPECT_EQ(test, quick->depth, DEPTH / 8);
	KUNIT_EXPECT_EQ(test, quick->ip, (u64)IP);
	KUNIT_EXPECT_EQ(test, *(u64 *)(quick + 1), (u64)w->regs.ax);
	KUNIT_EXPECT_EQ(test, *((u64 *)(quick + 1) + 1), 5ULL);
}

struct wait_case {
	const char *claim;
	u32 patience;	/* number of waits before it gives up */
	u32 space_after;	/* number of waits until there is space */
	bool stalled;
	u32 waits;
	enum goprobe_stat want;
};

static const struct wait_case wait_cases[] = {
	{ "space at once", 9, 1, false, 1, GOPROBE_STAT_CALLS },
	{ "space that others have taken before", 9, 3, false, 3, GOPROBE_STAT_CALLS },
	{ "space at the last moment", 1, 1, false, 1, GOPROBE_STAT_CALLS },
	{ "no space", 2, 0, false, 2, GOPROBE_STAT_LOST_RING_FULL },
	{ "a reader that is known to have exited", 9, 1, true, 0, GOPROBE_STAT_LOST_RING_FULL },
};

static void wait_desc(const struct wait_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(wait, wait_cases, wait_desc);

static void a_thread_that_waits_for_space_counts_once(struct kunit *test)
{
	const struct wait_case *c = test->param_value;
	u32 way;

	for (way = GP_WAY_QUICK; way <= GP_WAY_GENERAL; way++) {
		make(way, RING_FULL);
		s.lossless = true;
		s.stalled = c->stalled;
		patience = c->patience;
		space_after = c->space_after;
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_EQ(test, waited, c->waits);
		KUNIT_EXPECT_EQ(test, counted(c->want), 1ULL);
		KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), 1ULL);
	}
}

/* Which CPU it is makes no difference: all of them have lost one. */
static void a_loss_is_reported_before_the_next_record(struct kunit *test)
{
	const struct goprobe_record *rec;
	int cpu;

	make(GP_WAY_QUICK, 0);
	for_each_online_cpu(cpu)
		gp_ring_lose(rings[cpu], GOPROBE_LOST_RING_FULL, GOPROBE_STAT_LOST_RING_FULL);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), 1ULL);
	KUNIT_EXPECT_EQ(test, all_hits(after) - all_hits(before), 1ULL);
	rec = first_record();
	KUNIT_ASSERT_NOT_NULL(test, rec);
	KUNIT_EXPECT_EQ(test, (u32)rec->kind, (u32)GOPROBE_RECORD_LOST);
	rec = (const void *)rec + rec->words * 8;
	KUNIT_EXPECT_EQ(test, (u32)rec->kind, (u32)GOPROBE_RECORD_CALL);
	KUNIT_EXPECT_EQ(test, rec->goid, GOID);
}

static void only_a_reader_that_waits_is_woken(struct kunit *test)
{
	int cpu;

	make(GP_WAY_QUICK, 0);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON] + woken[GP_STREAM_WAKE_NOW], 0U);
	atomic_set(&s.armed, GP_STREAM_WAITING);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON], 1U);
	for_each_online_cpu(cpu)
		rings[cpu]->head += rings[cpu]->size / 4;
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON], 1U);
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_NOW], 1U);

	make(GP_WAY_COUNT, 0);
	atomic_set(&s.armed, GP_STREAM_WAITING);
	KUNIT_EXPECT_TRUE(test, hit());
	set_way(&probes[0], GP_WAY_ENTER);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON] + woken[GP_STREAM_WAKE_NOW], 0U);
}

/* Another session wants it, or a process that shares its memory is wanted. */
static void a_breakpoint_stays_where_it_is_wanted(struct kunit *test)
{
	static const enum gp_way ways[] = { GP_WAY_QUICK, GP_WAY_COUNT, GP_WAY_ENTER, GP_WAY_CALL,
					    GP_WAY_END, GP_WAY_GENERAL };
	u32 i, k;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		for (k = 0; k < 2; k++) {
			make(ways[i], OTHER);
			leaves = k;
			KUNIT_EXPECT_EQ(test, gp_handler_hit(&point.uc, &w->regs),
					k ? UPROBE_HANDLER_REMOVE : 0);
			make(ways[i], 0);
			leaves = k;
			KUNIT_EXPECT_EQ(test, gp_handler_hit(&point.uc, &w->regs), 0);
		}
	}
}

static void any_of_several_processes_is_traced(struct kunit *test)
{
	struct pid *mine = task_tgid(current), *other = task_tgid(&init_task);
	struct pid *pids[3];
	u32 way, place;

	for (way = GP_WAY_QUICK; way <= GP_WAY_GENERAL; way++) {
		for (place = 0; place <= ARRAY_SIZE(pids); place++) {
			bool traced = place < ARRAY_SIZE(pids);
			u32 i;

			make(way, 0);
			for (i = 0; i < ARRAY_SIZE(pids); i++)
				pids[i] = i == place ? mine : other;
			s.pids = pids;
			s.npids = ARRAY_SIZE(pids);
			s.pid = pids[0];
			KUNIT_EXPECT_TRUE(test, hit());
			KUNIT_EXPECT_EQ_MSG(test, counted(GOPROBE_STAT_CALLS), (u64)traced,
					    "place %u", place);
			KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_OTHER_PROCESS), (u64)!traced);
		}
	}
	s.pid = NULL;
}

static void a_process_of_the_control_group_or_of_the_list_is_traced(struct kunit *test)
{
	struct pid *pids[] = { task_tgid(&init_task), task_tgid(current) };
	u32 way, n, group;

	for (way = GP_WAY_QUICK; way <= GP_WAY_GENERAL; way++) {
		for (n = 0; n <= ARRAY_SIZE(pids); n++) {
			for (group = 0; group < 2; group++) {
				bool traced = group || n == ARRAY_SIZE(pids);

				make(way, 0);
				s.cgroup = (void *)pids;
				s.pids = pids;
				s.npids = n;
				s.pid = n ? pids[0] : NULL;
				in_group = group;
				KUNIT_EXPECT_TRUE(test, hit());
				KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_CALLS), (u64)traced);
				KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_OTHER_PROCESS),
						(u64)!traced);
			}
		}
	}
	s.cgroup = NULL;
	s.pid = NULL;
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_hit_counts_as_what_it_was, hit_gen_params),
	KUNIT_CASE(whatever_comes_together_a_hit_counts_once),
	KUNIT_CASE(each_probe_of_a_point_counts_before_the_instruction_goes_on),
	KUNIT_CASE(what_a_hit_waits_for_is_not_part_of_the_call),
	KUNIT_CASE(both_ways_write_the_same_record),
	KUNIT_CASE_PARAM(a_thread_that_waits_for_space_counts_once, wait_gen_params),
	KUNIT_CASE(a_loss_is_reported_before_the_next_record),
	KUNIT_CASE(only_a_reader_that_waits_is_woken),
	KUNIT_CASE(any_of_several_processes_is_traced),
	KUNIT_CASE(a_process_of_the_control_group_or_of_the_list_is_traced),
	KUNIT_CASE(a_breakpoint_stays_where_it_is_wanted),
	{}
};

static struct kunit_suite suite = {
	.name = "handler",
	.init = handler_init,
	.exit = handler_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Hits: KUnit suite");
