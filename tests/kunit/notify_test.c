// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that notify of goroutines: of those that join and part, which filters look up, and of
 * calls that end without returning. Some records are written then.
 */
#include "filter_world.h"

#define CHILD	38ULL

static int notify_init(struct kunit *test)
{
	int err = held_init(test);

	if (!err)
		gp_tallies_find(&s.tallies, PAIRED)->unwound = true;
	return err;
}

/* Make the probe notify, with the filter that has been built. */
static void notify_with(struct kunit *test, enum goprobe_action action)
{
	make_probe(&probes[0], GP_WAY_NOTIFY, 0);
	probes[0].action = action;
	filter_load(test);
}

static void expect(struct kunit *test, enum goprobe_stat want)
{
	u32 i;

	KUNIT_EXPECT_TRUE(test, hit());
	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		if (is_of_hits(i))
			KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
					    "counter %u", i);
}

/* A filter whose key is @n words. */
static void load_words(struct kunit *test, enum goprobe_action action, u32 n, const u64 *word)
{
	u32 i;

	filter_clear();
	for (i = 0; i < n; i++) {
		F(IMM, .value = word[i]);
		F(KEY);
	}
	notify_with(test, action);
}

static void notified_goroutines_join_and_part(struct kunit *test)
{
	const u64 child = CHILD;

	load_words(test, GOPROBE_ACTION_SET_ADD, 1, &child);
	expect(test, GOPROBE_STAT_NOTIFIED);
	expect(test, GOPROBE_STAT_NOTIFIED);
	KUNIT_EXPECT_TRUE(test, gp_goroutine_set_has(s.members, PROCESS, CHILD));
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(s.members), 1U);
	load_words(test, GOPROBE_ACTION_SET_REMOVE, 1, &child);
	expect(test, GOPROBE_STAT_NOTIFIED);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(s.members), 0U);
}

static void the_set_is_kept_before_the_session_has_begun(struct kunit *test)
{
	const u64 child = CHILD, unwind[] = { G, GOID, 0, 1 };

	load_words(test, GOPROBE_ACTION_SET_ADD, 1, &child);
	s.running = false;
	expect(test, GOPROBE_STAT_NOTIFIED);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(s.members), 1U);
	s.npids = 1;
	expect(test, GOPROBE_STAT_OTHER_PROCESS);
	s.npids = 0;
	load_words(test, GOPROBE_ACTION_UNWIND, 4, unwind);
	expect(test, GOPROBE_STAT_NOT_STARTED);
}

static void a_goroutine_that_does_not_fit_is_counted(struct kunit *test)
{
	u64 goid;

	for (goid = 1; goid <= 6; goid++) {
		load_words(test, GOPROBE_ACTION_SET_ADD, 1, &goid);
		expect(test, GOPROBE_STAT_NOTIFIED);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_SET_FULL), goid > 4 ? 1ULL : 0ULL);
	}
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(s.members), 4U);
}

static void invalid_words_notify_of_nothing(struct kunit *test)
{
	static const u64 words[] = { G, GOID, 0, 1, 5 };

	load_words(test, GOPROBE_ACTION_SET_ADD, 2, words);
	expect(test, GOPROBE_STAT_UNDECIDED);
	load_words(test, GOPROBE_ACTION_SET_REMOVE, 2, words);
	expect(test, GOPROBE_STAT_UNDECIDED);
	load_words(test, GOPROBE_ACTION_UNWIND, 3, words);
	expect(test, GOPROBE_STAT_UNDECIDED);
	load_words(test, GOPROBE_ACTION_UNWIND, 5, words);
	expect(test, GOPROBE_STAT_UNDECIDED);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(s.members), 0U);
}

/* As at the start of goroutines: only goroutines that a member starts join. */
static void a_member_s_children_are_members(struct kunit *test)
{
	u32 i;

	filter_clear();
	F(TASK, .value = GOPROBE_TASK_GOID);
	F(IN_SET);
	F(JNE_I, .offset = 1);
	F(REJECT);
	F(IMM, .value = CHILD);
	F(KEY);
	notify_with(test, GOPROBE_ACTION_SET_ADD);
	for (i = 0; i < 2; i++) {
		expect(test, GOPROBE_STAT_NOTIFIED);
		KUNIT_EXPECT_EQ(test, gp_goroutine_set_has(s.members, PROCESS, CHILD), i == 1);
		KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(s.members, PROCESS, GOID), (int)i);
	}
	filter_clear();
	F(TASK, .value = GOPROBE_TASK_GOID);
	F(IN_SET, .a = 1);
	F(JNE_I, .a = 1, .offset = 1);
	F(REJECT);
	make_probe(&probes[0], GP_WAY_GENERAL, 0);
	filter_load(test);
	EXPECT_PASSES(test);
	gp_goroutine_set_part(s.members, PROCESS, GOID);
	EXPECT_REJECTS(test);
}

/* A held call, @depth words from stack.hi. */
static void hold_call(struct kunit *test, u32 depth, u32 id)
{
	const struct gp_calls_key who = { .process = PROCESS, .g = G, .goid = GOID };
	u32 number = gp_pending_take(s.calls->held);

	KUNIT_ASSERT_NE(test, number, 0U);
	gp_pending_at(s.calls->held, number)->rec = (struct goprobe_record){
		.words = sizeof(struct gp_pending_record) / 8, .kind = GOPROBE_RECORD_CALL,
		.flags = GOPROBE_RECORD_F_PENDING, .id = id, .depth = depth,
	};
	KUNIT_ASSERT_EQ(test, (u32)gp_calls_open(s.calls, who, depth,
						 gp_tallies_find(&s.tallies, PAIRED), number),
			(u32)GP_CALLS_KEPT);
}

/* Ids of the records that have been written, as digits of a number. */
static u64 written(void)
{
	const struct gp_ring *ring = rings[0];
	unsigned long at = ring->tail;
	u64 ids = 0;

	for (; at < ring->head; ) {
		const struct goprobe_record *rec =
			(const void *)(ring->data + (at & (ring->size - 1)));

		ids = ids * 10 + rec->id;
		at += rec->words * 8;
	}
	return ids;
}

struct unwind_case {
	const char *claim;
	u64 g, goid, bytes, write;
	u64 ids;		/* of what is written */
	u32 free;		/* records */
	u64 returned;		/* records of calls that were let go */
};

static const struct unwind_case unwind_cases[] = {
	{ "all, callers first", G, GOID, 0, 1, 1234, 8, 4 },
	{ "what is deeper than the one that goes on", G, GOID, 20 * 8, 1, 34, 6, 2 },
	{ "not that one itself, which is in between", G, GOID, 25 * 8, 1, 34, 6, 2 },
	{ "the deepest one", G, GOID, 30 * 8, 1, 4, 5, 1 },
	{ "none", G, GOID, 40 * 8, 1, 0, 4, 0 },
	{ "deeper than any stack", G, GOID, ~0ULL, 1, 0, 4, 0 },
	{ "what is given up", G, GOID, 20 * 8, 0, 0, 6, 0 },
	{ "all that is given up", G, GOID, 0, 0, 0, 8, 0 },
	{ "another g", G + 64, GOID, 0, 1, 0, 4, 0 },
	{ "what is no g", G + 1, GOID, 0, 1, 0, 4, 0 },
	{ "the next goroutine of that g", G, GOID + 1, 0, 1, 0, 8, 0 },
};

static void unwind_desc(const struct unwind_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(unwind, unwind_cases, unwind_desc);

static void calls_that_end_otherwise_are_written(struct kunit *test)
{
	const struct unwind_case *c = test->param_value;
	const u64 words[] = { c->g, c->goid, c->bytes, c->write };
	u32 i;

	for (i = 1; i <= 4; i++)
		hold_call(test, i * 10, i);
	load_words(test, GOPROBE_ACTION_UNWIND, 4, words);
	expect(test, GOPROBE_STAT_NOTIFIED);
	KUNIT_EXPECT_EQ(test, written(), c->ids);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), c->free);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), c->returned);
	KUNIT_EXPECT_EQ(test, (u32)atomic_read(&gp_tallies_find(&s.tallies, PAIRED)->open),
			HELD - c->free);
}

static void what_is_not_asked_for_is_not_written(struct kunit *test)
{
	static const u64 words[] = { G, GOID, 0, 1 };

	gp_tallies_find(&s.tallies, PAIRED)->unwound = false;
	hold_call(test, 10, 1);
	hold_call(test, 20, 2);
	load_words(test, GOPROBE_ACTION_UNWIND, 4, words);
	expect(test, GOPROBE_STAT_NOTIFIED);
	KUNIT_EXPECT_EQ(test, written(), 0ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
}

static void a_record_that_does_not_fit_then_is_lost(struct kunit *test)
{
	static const u64 words[] = { G, GOID, 0, 1 };

	hold_call(test, 10, 1);
	hold_call(test, 20, 2);
	make_rings_full(true);
	load_words(test, GOPROBE_ACTION_UNWIND, 4, words);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NOTIFIED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_RING_FULL), 2ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), 0ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
}

/* However many calls there are, the hit waits for their records as long as for one. */
static void all_that_is_written_waits_once(struct kunit *test)
{
	static const u64 words[] = { G, GOID, 0, 1 };
	u32 i;

	for (i = 1; i <= 4; i++)
		hold_call(test, i * 10, i);
	make_rings_full(true);
	s.lossless = true;
	patience = 3;
	load_words(test, GOPROBE_ACTION_UNWIND, 4, words);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, waited, 3U);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_RING_FULL), 4ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(notified_goroutines_join_and_part),
	KUNIT_CASE(the_set_is_kept_before_the_session_has_begun),
	KUNIT_CASE(a_goroutine_that_does_not_fit_is_counted),
	KUNIT_CASE(invalid_words_notify_of_nothing),
	KUNIT_CASE(a_member_s_children_are_members),
	KUNIT_CASE_PARAM(calls_that_end_otherwise_are_written, unwind_gen_params),
	KUNIT_CASE(what_is_not_asked_for_is_not_written),
	KUNIT_CASE(a_record_that_does_not_fit_then_is_lost),
	KUNIT_CASE(all_that_is_written_waits_once),
	{}
};

static struct kunit_suite suite = {
	.name = "notify",
	.init = notify_init,
	.exit = held_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Notifications: KUnit suite");
