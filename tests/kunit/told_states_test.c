// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that tell of goroutines: what is told is taken as it is said, or not at all; and what
 * comes of it is in the record of a call's end.
 */
#include "filter_world.h"

#define NSTATES	3U
#define G_REG	14
#define OTHER_G	(A + 8)		/* in rax; nobody's calls are open there */

static const struct gp_calls_key own = { .process = PROCESS, .g = G, .goid = GOID };

static int told_init(struct kunit *test)
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

/* The next hit is one that tells; what its filter has been made of tells what. */
static void make_told(struct kunit *test, u32 unusual)
{
	filter_load(test);
	make(GP_WAY_TELL, unusual);
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

static void a_state_is_taken_from_the_hit_on(struct kunit *test)
{
	filter_clear();
	add_pair(G_REG, 2);
	make_told(test, 0);
	open_call(test);
	ticks += 100;
	expect_only(test, GOPROBE_STAT_TOLD);
	ticks += 30;
	expect_split(test, 100, 0, 30);
}

static void a_hit_can_tell_of_several(struct kunit *test)
{
	filter_clear();
	add_pair(0, 2);
	add_pair(G_REG, 1);
	make_told(test, 0);
	open_call(test);
	ticks += 5;
	expect_only(test, GOPROBE_STAT_TOLD);
	ticks += 6;
	expect_split(test, 5, 6, 0);
}

static void nothing_can_be_told(struct kunit *test)
{
	filter_clear();
	F(END);
	add_pair(G_REG, 1);
	make_told(test, 0);
	open_call(test);
	expect_only(test, GOPROBE_STAT_TOLD);
	ticks += 6;
	expect_split(test, 6, 0, 0);
}

static void what_is_no_pair_of_a_state_is_undecided(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 4; i++) {
		filter_clear();
		add_pair(G_REG, 1);
		if (i == 0)
			F(KEY, .a = 1);
		else if (i == 1)
			add_pair(G_REG, NSTATES);
		else if (i == 2)
			add_pair(G_REG, U64_MAX);
		else
			F(FAIL, .value = GOPROBE_CHUNK_FAULT);
		make_told(test, 0);
		open_call(test);
		expect_only(test, GOPROBE_STAT_UNDECIDED);
		ticks += 6;
		expect_split(test, 6, 0, 0);
	}
}

static void more_words_than_there_is_room_for_are_undecided(struct kunit *test)
{
	u32 i;

	filter_clear();
	for (i = 0; i < 5; i++)
		add_pair(G_REG, 1);
	make_told(test, 0);
	expect_only(test, GOPROBE_STAT_UNDECIDED);
}

static void what_does_not_matter_tells_nothing(struct kunit *test)
{
	static const struct { u32 unusual; enum goprobe_stat want; } no[] = {
		{ NOT_RUNNING, GOPROBE_STAT_NOT_STARTED },
		{ OTHER, GOPROBE_STAT_OTHER_PROCESS },
		{ RESTART, GOPROBE_STAT_RESTARTS },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(no); i++) {
		filter_clear();
		add_pair(G_REG, 1);
		make_told(test, no[i].unusual);
		open_call(test);
		expect_only(test, no[i].want);
		ticks += 7;
		expect_split(test, 7, 0, 0);
	}
}

static void a_filter_that_rejects_has_nothing_to_tell(struct kunit *test)
{
	filter_clear();
	add_pair(G_REG, 1);
	F(REJECT);
	make_told(test, 0);
	open_call(test);
	expect_only(test, GOPROBE_STAT_TOLD);
	ticks += 7;
	expect_split(test, 7, 0, 0);
}

/* What comes next is the first record. */
static void forget_records(void)
{
	int cpu;

	for_each_online_cpu(cpu)
		rings[cpu]->told = rings[cpu]->head;
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

static struct kunit_case cases[] = {
	KUNIT_CASE(a_state_is_taken_from_the_hit_on),
	KUNIT_CASE(a_hit_can_tell_of_several),
	KUNIT_CASE(nothing_can_be_told),
	KUNIT_CASE(what_is_no_pair_of_a_state_is_undecided),
	KUNIT_CASE(more_words_than_there_is_room_for_are_undecided),
	KUNIT_CASE(what_does_not_matter_tells_nothing),
	KUNIT_CASE(a_filter_that_rejects_has_nothing_to_tell),
	KUNIT_CASE(the_end_of_a_call_has_its_times),
	{}
};

static struct kunit_suite suite = {
	.name = "told_states",
	.init = told_init,
	.exit = filter_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Hits that tell of goroutines: KUnit suite");
