// SPDX-License-Identifier: GPL-2.0
/*
 * Goroutine notifications: each is taken as a whole, or not at all; and what
 * comes of it is in the record of a call's end.
 */
#include "filter_world.h"

#define NSTATES	3U
#define G_REG	14
#define DIVIDED	3U		/* an id that is timed, with states */
#define OTHER_G	(A + 8)		/* in rax; nobody's calls are open there */

static const struct gp_calls_key own = { .process = PROCESS, .g = G, .goid = GOID };

static int notify_init(struct kunit *test)
{
	int err = filter_init(test);

	if (err)
		return err;
	s.calls->states = gp_states_new(NSTATES, s.calls->nstacks, GP_CALLS_MIN);
	return s.calls->states ? 0 : -ENOMEM;
}

static void add_pair(u8 reg, u64 state)
{
	F(REG, .a = 1, .b = reg);
	F(KEY, .a = 1);
	F(IMM, .a = 2, .value = state);
	F(KEY, .a = 2);
}

/* The next hit is a notification, with the key that its filter makes. */
static void make_notified(struct kunit *test, u32 unusual)
{
	filter_load(test);
	make(GP_WAY_NOTIFY, unusual);
	probes[0].action = GOPROBE_ACTION_STATE;
	probes[0].filter = filter;
}

static void expect_only(struct kunit *test, enum goprobe_stat want)
{
	u32 i;

	KUNIT_EXPECT_TRUE(test, hit());
	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		if (is_of_hits(i))
			KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
					    "counter %u", i);
	KUNIT_EXPECT_NULL(test, first_record());
}

static void open_call(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, gp_calls_open(s.calls, own, WORDS, probes[0].tally, 0),
			GP_CALLS_KEPT);
}

/* The call is over; ns of its time by state. */
static void expect_split(struct kunit *test, u64 first, u64 second, u64 third)
{
	struct gp_split split = { .now = ticks };
	struct gp_call call;

	KUNIT_ASSERT_EQ(test, gp_calls_close(s.calls, own, WORDS, probes[0].tally, &call, &split),
			GP_CALLS_ENDED);
	KUNIT_EXPECT_EQ(test, split.ns[0], first);
	KUNIT_EXPECT_EQ(test, split.ns[1], second);
	KUNIT_EXPECT_EQ(test, split.ns[2], third);
	KUNIT_EXPECT_EQ(test, split.duration, first + second + third);
}

/**
 * struct notify_case - a hit 100 ns after a call began, 30 ns before it ends
 * @claim: what is to be seen
 * @first: an operation before the pairs, or nothing
 * @pairs: registers that have a g, and states
 * @npairs: their number
 * @last: an operation behind them, or nothing
 * @unusual: see handler_world.h
 * @want: as what the hit counts
 * @state: what the goroutine is in from the hit on
 */
struct notify_case {
	const char *claim;
	struct goprobe_op first;
	struct {
		u8 reg;
		u64 state;
	} pairs[5];
	u32 npairs;
	struct goprobe_op last;
	u32 unusual;
	enum goprobe_stat want;
	u32 state;
};

#define NOTIFIED		GOPROBE_STAT_NOTIFIED
#define UNDECIDED	GOPROBE_STAT_UNDECIDED
#define OP(op_, ...)	{ .code = GOPROBE_OP_##op_, ##__VA_ARGS__ }
#define NO		{ 0 }

static const struct notify_case notify_cases[] = {
	{ "a state is taken from the hit on", NO, { { G_REG, 2 } }, 1, NO, 0, NOTIFIED, 2 },
	{ "the state that it was in", NO, { { G_REG, 0 } }, 1, NO, 0, NOTIFIED, 0 },
	{ "a hit can notify of several", NO, { { 0, 2 }, { G_REG, 1 } }, 2, NO, 0, NOTIFIED, 1 },
	{ "of four", NO, { { 0, 2 }, { 1, 2 }, { 0, 1 }, { G_REG, 1 } }, 4, NO, 0, NOTIFIED, 1 },
	{ "the last one holds", NO, { { G_REG, 1 }, { G_REG, 2 } }, 2, NO, 0, NOTIFIED, 2 },
	{ "of another one", NO, { { 0, 2 } }, 1, NO, 0, NOTIFIED, 0 },
	{ "nothing is decided", OP(END), { { G_REG, 1 } }, 1, NO, 0, NOTIFIED, 0 },
	{ "a filter that rejects", NO, { { G_REG, 1 } }, 1, OP(REJECT), 0, NOTIFIED, 0 },
	{ "a word too many", NO, { { G_REG, 1 } }, 1, OP(KEY, .a = 1), 0, UNDECIDED, 0 },
	{ "no such state", NO, { { G_REG, 1 }, { G_REG, NSTATES } }, 2, NO, 0, UNDECIDED, 0 },
	{ "no state at all", NO, { { G_REG, 1 }, { G_REG, U64_MAX } }, 2, NO, 0, UNDECIDED, 0 },
	{ "a filter that fails", NO, { { G_REG, 1 } }, 1,
	  OP(FAIL, .value = GOPROBE_CHUNK_FAULT), 0, UNDECIDED, 0 },
	{ "more words than fit", NO,
	  { { G_REG, 1 }, { G_REG, 1 }, { G_REG, 1 }, { G_REG, 1 }, { G_REG, 1 } }, 5, NO, 0,
	  UNDECIDED, 0 },
	{ "before START", NO, { { G_REG, 1 } }, 1, NO, NOT_RUNNING, GOPROBE_STAT_NOT_STARTED, 0 },
	{ "another process", NO, { { G_REG, 1 } }, 1, NO, OTHER, GOPROBE_STAT_OTHER_PROCESS, 0 },
	{ "a restart", NO, { { G_REG, 1 } }, 1, NO, RESTART, GOPROBE_STAT_RESTARTS, 0 },
};

static void notify_desc(const struct notify_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(notify, notify_cases, notify_desc);

static void a_notification_is_taken_whole_or_not_at_all(struct kunit *test)
{
	const struct notify_case *c = test->param_value;
	u64 ns[NSTATES] = { 100 };
	u32 i;

	filter_clear();
	if (c->first.code)
		filter_op(c->first);
	for (i = 0; i < c->npairs; i++)
		add_pair(c->pairs[i].reg, c->pairs[i].state);
	if (c->last.code)
		filter_op(c->last);
	make_notified(test, c->unusual);
	open_call(test);
	ticks += 100;
	expect_only(test, c->want);
	ticks += 30;
	ns[c->state] += 30;
	expect_split(test, ns[0], ns[1], ns[2]);
}

/* The next record is the first. */
static void forget_records(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		rings[cpu]->handed_out = rings[cpu]->head;
}

/* Before the frame, in the record of the end, are the times; and the frame is where it is. */
static void the_end_of_a_call_has_its_times(struct kunit *test)
{
	const struct goprobe_record *rec;
	u64 plain = 0, words[NSTATES];
	u32 divided;

	for (divided = 0; divided < 2; divided++) {
		make(GP_WAY_END, OPEN | RETURNS);
		forget_records();
		probes[0].flags = GOPROBE_POINT_F_PAIRED |
				  (divided ? GOPROBE_POINT_F_SPLIT : 0);
		ticks += 40;
		gp_calls_state(s.calls, PROCESS, G, 2, ticks);
		ticks += 2;
		KUNIT_EXPECT_TRUE(test, hit());
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RETURNS), 1ULL);
		rec = first_record();
		KUNIT_ASSERT_NOT_NULL(test, rec);
		KUNIT_EXPECT_EQ(test, !!(rec->flags & GOPROBE_RECORD_F_SPLIT), !!divided);
		if (!divided) {
			plain = rec->words;
			continue;
		}
		KUNIT_EXPECT_EQ(test, (u64)rec->words, plain + NSTATES);
		memcpy(words, rec + 1, sizeof(words));
		KUNIT_EXPECT_EQ(test, words[0], 40ULL);
		KUNIT_EXPECT_EQ(test, words[1], 0ULL);
		KUNIT_EXPECT_EQ(test, words[2], 2ULL);
		/* The string's address, as the registers have it. */
		KUNIT_EXPECT_EQ(test, *(u64 *)((u8 *)(rec + 1) + sizeof(words)), (u64)OTHER_G);
	}
}

/* Of a timed call whose end has a filter: what passes is divided where it is added up. */
static void what_is_added_up_is_divided_if_it_passes(struct kunit *test)
{
	const u64 rest[] = { 1, 2 };
	const struct gp_tally *tally;
	u64 ns[NSTATES];
	u32 i;

	s.tallies.nstates = NSTATES;
	KUNIT_ASSERT_EQ(test, gp_tallies_add(&s.tallies, DIVIDED, true), 0);
	tally = gp_tallies_find(&s.tallies, DIVIDED);
	F(DURATION, .a = 1);
	F(JGE_I, .a = 1, .offset = 1, .value = 42);
	F(REJECT);
	filter_load(test);
	for (i = 0; i < ARRAY_SIZE(rest); i++) {
		make(GP_WAY_END, RETURNS);
		probes[0].action = GOPROBE_ACTION_TIME;
		probes[0].filter = filter;
		probes[0].tally = tally;
		open_call(test);
		ticks += 40;
		gp_calls_state(s.calls, PROCESS, G, 2, ticks);
		ticks += rest[i];
		expect_only(test, i ? GOPROBE_STAT_TIMED : GOPROBE_STAT_FILTERED);
		gp_tally_read_states(tally, NSTATES, ns);
		KUNIT_EXPECT_EQ(test, ns[0], i ? 40ULL : 0ULL);
		KUNIT_EXPECT_EQ(test, ns[1], 0ULL);
		KUNIT_EXPECT_EQ(test, ns[2], i ? 2ULL : 0ULL);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_notification_is_taken_whole_or_not_at_all, notify_gen_params),
	KUNIT_CASE(the_end_of_a_call_has_its_times),
	KUNIT_CASE(what_is_added_up_is_divided_if_it_passes),
	{}
};

static struct kunit_suite suite = {
	.name = "notify_states",
	.init = notify_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Goroutine notifications of states: KUnit suite");
