// SPDX-License-Identifier: GPL-2.0
/*
 * Hits that are counted and timed by key: each counts once as what it was, and once more by its
 * key if the table has space; totals never depend on keys.
 */
#include "filter_world.h"

#define SPACE	16U
#define BYTES_MAX	32U

/* Ways of the probe: a hit that is counted, a call that is timed, its end. */
enum { HIT, ENTER, LEAVE };

static struct gp_tally *tally;

static int keyed_init(struct kunit *test)
{
	int err = filter_init(test);

	s.keys = gp_keys_new(SPACE, BYTES_MAX);
	if (err || !s.keys || gp_keys_add_times(s.keys, 0))
		return -ENOMEM;
	tally = gp_tallies_find(&s.tallies, TIMED);
	return 0;
}

static void keyed_exit(struct kunit *test)
{
	filter_exit(test);
	gp_keys_free(s.keys);
}

/* The key is what is in rax; what is in rdx says whether the hit passes. */
static void load_keys(struct kunit *test)
{
	filter_clear();
	F(REG, .a = 2, .b = 1);
	F(JNE_I, .a = 2, .offset = 1, .value = 1);
	F(REJECT);
	F(JNE_I, .a = 2, .offset = 1, .value = 2);
	F(FAIL, .value = GOPROBE_CHUNK_NIL);
	F(REG, .a = 1);
	F(KEY, .a = 1);
	filter_load(test);
}

static void load_no_keys(struct kunit *test)
{
	filter_clear();
	F(REG, .a = 2, .b = 1);
	F(JNE_I, .a = 2, .offset = 1, .value = 1);
	F(REJECT);
	filter_load(test);
	KUNIT_ASSERT_FALSE(test, filter->keyed);
}

/* In the same world, as the session does it (objects.c). */
static void turn_to(u32 what)
{
	static const enum gp_way ways[] = {
		[HIT] = GP_WAY_COUNT_KEY, [ENTER] = GP_WAY_ENTER_KEY, [LEAVE] = GP_WAY_END,
	};

	set_way(&probes[0], ways[what]);
	probes[0].action = what == HIT ? GOPROBE_ACTION_COUNT : GOPROBE_ACTION_TIME;
	probes[0].flags = what == HIT ? 0 : GOPROBE_POINT_F_KEYED;
	probes[0].tally = tally;
	probes[0].filter = filter;
}

static void make_keyed(u32 what, u32 unusual)
{
	make(GP_WAY_GENERAL, unusual);
	turn_to(what);
	w->regs.dx = 0;
}

static void expect_hit(struct kunit *test, u64 rax, enum goprobe_stat want)
{
	u32 i;

	w->regs.ax = rax;
	KUNIT_EXPECT_TRUE(test, hit());
	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		if (is_of_hits(i))
			KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
					    "counter %u", i);
}

static struct goprobe_key_stats row;
static u64 buckets[GOPROBE_BUCKETS];

/* The entry of a key of one word: hits, or calls. NULL: the key is unknown. */
static const struct goprobe_tally *by(u64 word)
{
	u32 i;

	for (i = 1; i <= gp_keys_number(s.keys); i++) {
		const u64 *its = gp_keys_read(s.keys, i, &row, buckets);

		if (its && row.key_bytes == 8 && *its == word)
			return &row.tally;
	}
	return NULL;
}

static u64 hits_by(u64 word)
{
	const struct goprobe_tally *t = by(word);

	return t ? t->hits : 0;
}

static u64 calls_by(u64 word)
{
	const struct goprobe_tally *t = by(word);

	return t ? t->calls : 0;
}

/* ---- one hit ---- */

#define HITS	BIT(HIT)
#define ENTERS	BIT(ENTER)
#define LEAVES	BIT(LEAVE)
#define TIMES	(ENTERS | LEAVES)
#define ALL	(HITS | TIMES)
#define WELL	__GOPROBE_STAT_MAX

struct one_case {
	const char *claim;
	u32 whats;
	u32 unusual;
	u64 rdx;
	enum goprobe_stat want;
};

static const struct one_case one_cases[] = {
	{ "nothing unusual", ALL, 0, 0, WELL },
	{ "not started", ALL, NOT_RUNNING, 0, GOPROBE_STAT_NOT_STARTED },
	{ "another process", ALL, OTHER, 0, GOPROBE_STAT_OTHER_PROCESS },
	{ "a start that is no call", ALL, RESTART, 0, GOPROBE_STAT_RESTARTS },
	{ "it does not pass", ALL, 0, 1, GOPROBE_STAT_FILTERED },
	{ "an undecided key", ALL, 0, 2, GOPROBE_STAT_UNDECIDED },
	{ "not started, and it does not pass", ALL, NOT_RUNNING, 1, GOPROBE_STAT_NOT_STARTED },
	{ "no goroutine, which nobody needs", HITS, FAR, 0, WELL },
	{ "no goroutine", TIMES, FAR, 0, GOPROBE_STAT_NO_GOROUTINE },
	{ "no goroutine, and it does not pass", ENTERS, FAR, 1, GOPROBE_STAT_FILTERED },
	{ "an unreadable g", TIMES, G_DENIED, 0, GOPROBE_STAT_NO_GOROUTINE },
	{ "a g that is absent", TIMES, G_ABSENT, 0, WELL },
	{ "a system stack", ALL, SYSTEM, 0, WELL },
	{ "g in TLS", ALL, IN_THREAD, 0, WELL },
	{ "g in TLS, both absent", TIMES, IN_THREAD | TLS_ABSENT | G_ABSENT, 0, WELL },
	{ "a full ring, which is not needed", ALL, RING_FULL, 0, WELL },
	{ "no ring, which nobody needs", HITS, NO_RING, 0, WELL },
	{ "no calls left", ENTERS, NO_CALLS, 0, GOPROBE_STAT_NO_SPACE },
	{ "no calls left, and it does not pass", ENTERS, NO_CALLS, 1, GOPROBE_STAT_FILTERED },
	{ "no calls left, which nobody needs", HITS | LEAVES, NO_CALLS, 0, WELL },
	{ "in place of a call that has not returned", ENTERS, OPEN, 0, WELL },
	{ "no call to end", LEAVES, UNKNOWN, 0, GOPROBE_STAT_NO_CALL },
	{ "no call to end, which is not asked", LEAVES, UNKNOWN, 2, GOPROBE_STAT_NO_CALL },
};

static void one_desc(const struct one_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(one, one_cases, one_desc);

static enum goprobe_stat well(u32 what)
{
	return what == HIT ? GOPROBE_STAT_COUNTED : what == ENTER ? GOPROBE_STAT_OPENED :
								   GOPROBE_STAT_TIMED;
}

static void a_hit_counts_as_what_it_was(struct kunit *test)
{
	const struct one_case *c = test->param_value;
	u32 what;

	load_keys(test);
	for (what = HIT; what <= LEAVE; what++) {
		enum goprobe_stat want = c->want == WELL ? well(what) : c->want;
		u64 hits = hits_by(what), calls = calls_by(what);
		bool opened = what == LEAVE && !(c->unusual & UNKNOWN);

		if (!(c->whats & BIT(what)))
			continue;
		make_keyed(what, c->unusual | (opened ? OPEN : 0));
		w->regs.dx = c->rdx;
		expect_hit(test, what, want);
		KUNIT_EXPECT_EQ(test, hits_by(what) - hits,
				want == GOPROBE_STAT_COUNTED ? 1ULL : 0ULL);
		KUNIT_EXPECT_EQ(test, calls_by(what) - calls,
				want == GOPROBE_STAT_TIMED ? 1ULL : 0ULL);
		/* Nothing of it is a record. */
		if (!(c->unusual & (RING_FULL | NO_RING)))
			KUNIT_EXPECT_NULL(test, first_record());
	}
}

static void whatever_comes_together_a_hit_counts_once(struct kunit *test)
{
	u32 what, n, step = 5;

	load_keys(test);
	for (what = HIT; what <= LEAVE; what++) {
		for (n = 0; n < 4000; n++) {
			step = step * 1664525 + 1013904223;
			make_keyed(what, step >> 8 & UNUSUAL_MASK);
			w->regs.ax = step & 31;
			w->regs.dx = step >> 30;
			KUNIT_ASSERT_TRUE_MSG(test, hit(), "what %u, 0x%x", what, step);
			KUNIT_ASSERT_EQ_MSG(test, all_hits(after) - all_hits(before), 1ULL,
					    "what %u, 0x%x", what, step);
		}
		cond_resched();
	}
}

/* ---- hits ---- */

static void hits_are_counted_by_their_keys(struct kunit *test)
{
	u64 word, i;

	load_keys(test);
	make_keyed(HIT, 0);
	for (word = 0; word < 5; word++)
		for (i = 0; i <= word; i++)
			expect_hit(test, word, GOPROBE_STAT_COUNTED);
	for (word = 0; word < 5; word++)
		KUNIT_EXPECT_EQ(test, hits_by(word), word + 1);
	KUNIT_EXPECT_NULL(test, by(5));
	KUNIT_ASSERT_NOT_NULL(test, by(0));
	KUNIT_EXPECT_EQ(test, row.tally.id, probes[0].id);
}

static void hits_count_if_their_key_does_not_fit(struct kunit *test)
{
	u32 space = 0, i;

	load_keys(test);
	make_keyed(HIT, 0);
	for (i = 0; i < 100; i++) {
		expect_hit(test, 100 + i, GOPROBE_STAT_COUNTED);
		space += !counted(GOPROBE_STAT_NO_KEY);
		KUNIT_EXPECT_EQ(test, hits_by(100 + i), 1 - counted(GOPROBE_STAT_NO_KEY));
	}
	KUNIT_EXPECT_GE(test, space, SPACE);
	KUNIT_EXPECT_LT(test, space, 100U);
	/* Those that are known go on. */
	expect_hit(test, 100, GOPROBE_STAT_COUNTED);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NO_KEY), 0ULL);
	KUNIT_EXPECT_EQ(test, hits_by(100), 2ULL);
}

static void keys_of_other_ids_are_others(struct kunit *test)
{
	load_keys(test);
	make_keyed(HIT, 0);
	expect_hit(test, 7, GOPROBE_STAT_COUNTED);
	probes[0].id++;
	expect_hit(test, 7, GOPROBE_STAT_COUNTED);
	KUNIT_EXPECT_EQ(test, hits_by(7), 1ULL);
}

/* ---- notes ---- */

static const struct gp_note_point note_point = {
	.passes = gp_noted_passes, .probe = &probes[0], .noted = 2,
	.from = { offsetof(struct pt_regs, ax), offsetof(struct pt_regs, dx) },
};

/* What a note of rax and rdx counts as. */
static enum goprobe_stat note_counts(struct kunit *test, u64 rax, u64 rdx)
{
	const struct gp_detour_note note = { .word = { rax, rdx }, .goid = 17 };
	u32 i, n = 0, stat = __GOPROBE_STAT_MAX;

	read_stats(before);
	KUNIT_EXPECT_FALSE(test, note_point.passes(&note_point, &note));
	read_stats(after);
	for (i = 0; i < __GOPROBE_STAT_MAX; i++) {
		if (!is_of_hits(i) || !counted(i))
			continue;
		n += counted(i);
		stat = i;
	}
	KUNIT_EXPECT_EQ(test, n, 1U);
	KUNIT_EXPECT_TRUE(test, !pagefault_disabled() && !windows && !wrong);
	return stat;
}

static void notes_count_as_hits_do(struct kunit *test)
{
	u64 word, rdx;

	load_keys(test);
	make_keyed(HIT, 0);
	for (word = 0; word < 5; word++)
		for (rdx = 0; rdx < 3; rdx++) {
			w->regs.dx = rdx;
			expect_hit(test, word, note_counts(test, word, rdx));
			KUNIT_EXPECT_EQ(test, hits_by(word), 2ULL);
		}
	/* A table that is full is no reason not to count. */
	for (word = 0; word < 100; word++)
		KUNIT_EXPECT_EQ(test, note_counts(test, 100 + word, 0), GOPROBE_STAT_COUNTED);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NO_KEY), 1ULL);
}

static void notes_count_without_a_key(struct kunit *test)
{
	load_no_keys(test);
	make(GP_WAY_FILTER, 0);
	probes[0].then = GP_WAY_COUNT;
	probes[0].action = GOPROBE_ACTION_COUNT;
	probes[0].tally = tally;
	probes[0].filter = filter;
	KUNIT_EXPECT_EQ(test, note_counts(test, 7, 0), GOPROBE_STAT_COUNTED);
	KUNIT_EXPECT_EQ(test, note_counts(test, 7, 1), GOPROBE_STAT_FILTERED);
	KUNIT_EXPECT_NULL(test, by(7));
}

static void notes_that_pass_become_records(struct kunit *test)
{
	struct gp_detour_note note = { .word = { 7, 0 }, .goid = 17 };

	load_no_keys(test);
	make(GP_WAY_FILTER, 0);
	probes[0].filter = filter;
	read_stats(before);
	KUNIT_EXPECT_TRUE(test, note_point.passes(&note_point, &note));
	read_stats(after);
	KUNIT_EXPECT_EQ(test, all_hits(after), all_hits(before));
	KUNIT_EXPECT_EQ(test, note_counts(test, 7, 1), GOPROBE_STAT_FILTERED);
}

static void notes_have_their_goroutine(struct kunit *test)
{
	filter_clear();
	F(TASK, .a = 1, .value = GOPROBE_TASK_GOID);
	F(KEY, .a = 1);
	filter_load(test);
	KUNIT_EXPECT_TRUE(test, filter->local);
	make_keyed(HIT, 0);
	KUNIT_EXPECT_EQ(test, note_counts(test, 7, 0), GOPROBE_STAT_COUNTED);
	KUNIT_EXPECT_EQ(test, hits_by(17), 1ULL);
	filter_clear();
	F(TASK, .a = 1, .value = GOPROBE_TASK_TID);
	F(KEY, .a = 1);
	filter_load(test);
	KUNIT_EXPECT_FALSE(test, filter->local);
}

/* ---- calls ---- */

/* A call with the key @word. */
static void enter(struct kunit *test, u64 word)
{
	load_keys(test);
	make_keyed(ENTER, 0);
	expect_hit(test, word, GOPROBE_STAT_OPENED);
	ticks += 500;
}

static void a_call_is_timed_by_its_key(struct kunit *test)
{
	enter(test, 7);
	unload_filter();
	turn_to(LEAVE);
	expect_hit(test, 9, GOPROBE_STAT_TIMED);
	KUNIT_ASSERT_NOT_NULL(test, by(7));
	KUNIT_EXPECT_EQ(test, row.tally.calls, 1ULL);
	KUNIT_EXPECT_EQ(test, row.tally.sum, 500ULL);
	KUNIT_EXPECT_EQ(test, row.tally.hits, 0ULL);
	KUNIT_EXPECT_NULL(test, by(9));
	/* It ends once. */
	expect_hit(test, 7, GOPROBE_STAT_NO_CALL);
	KUNIT_EXPECT_EQ(test, calls_by(7), 1ULL);
}

static void the_key_of_its_end_comes_first(struct kunit *test)
{
	enter(test, 7);
	turn_to(LEAVE);
	expect_hit(test, 9, GOPROBE_STAT_TIMED);
	KUNIT_EXPECT_EQ(test, calls_by(7), 0ULL);
	KUNIT_ASSERT_NOT_NULL(test, by(9));
	KUNIT_EXPECT_EQ(test, row.tally.sum, 500ULL);
}

static void a_filter_of_its_end_that_makes_no_key_leaves_it(struct kunit *test)
{
	enter(test, 7);
	load_no_keys(test);
	turn_to(LEAVE);
	expect_hit(test, 9, GOPROBE_STAT_TIMED);
	KUNIT_EXPECT_EQ(test, calls_by(7), 1ULL);
	KUNIT_EXPECT_NULL(test, by(9));
	/* An end that does not pass is timed by none, nor in all. */
	enter(test, 7);
	load_no_keys(test);
	turn_to(LEAVE);
	w->regs.dx = 1;
	expect_hit(test, 9, GOPROBE_STAT_FILTERED);
	KUNIT_EXPECT_EQ(test, calls_by(7), 1ULL);
	w->regs.dx = 0;
	expect_hit(test, 9, GOPROBE_STAT_NO_CALL);
}

/* Some points of a function may say that it is timed by key, and others not. */
static void a_key_is_not_taken_for_a_record_that_is_held(struct kunit *test)
{
	u32 n = gp_keys_number(s.keys);

	s.calls->held = gp_pending_new(n, sizeof(struct gp_pending_record));
	KUNIT_ASSERT_NOT_NULL(test, s.calls->held);
	enter(test, 7);
	load_no_keys(test);
	turn_to(LEAVE);
	probes[0].flags = 0;
	w->regs.dx = 1;
	expect_hit(test, 9, GOPROBE_STAT_FILTERED);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), n);
	enter(test, 7);
	load_no_keys(test);
	turn_to(LEAVE);
	probes[0].flags = 0;
	expect_hit(test, 9, GOPROBE_STAT_TIMED);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), n);
	KUNIT_EXPECT_EQ(test, calls_by(7), 0ULL);
}

static void a_key_may_be_how_long_it_took(struct kunit *test)
{
	enter(test, 7);
	filter_clear();
	F(DURATION, .a = 1);
	F(KEY, .a = 1);
	filter_load(test);
	turn_to(LEAVE);
	expect_hit(test, 9, GOPROBE_STAT_TIMED);
	KUNIT_EXPECT_EQ(test, calls_by(500), 1ULL);
}

static void a_call_whose_key_does_not_fit_is_timed(struct kunit *test)
{
	u64 word = 0;

	load_keys(test);
	make_keyed(HIT, 0);
	do
		expect_hit(test, ++word, GOPROBE_STAT_COUNTED);
	while (!counted(GOPROBE_STAT_NO_KEY) && word < 1000);
	KUNIT_ASSERT_EQ(test, counted(GOPROBE_STAT_NO_KEY), 1ULL);
	enter(test, word);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NO_KEY), 1ULL);
	unload_filter();
	turn_to(LEAVE);
	expect_hit(test, 1, GOPROBE_STAT_TIMED);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NO_KEY), 0ULL);
	KUNIT_EXPECT_NULL(test, by(word));
	KUNIT_EXPECT_EQ(test, calls_by(1), 0ULL);
}

/* Its goroutine can't be in a call as deep that has not ended. */
static void a_call_that_does_not_pass_ends_what_is_as_deep(struct kunit *test)
{
	enter(test, 7);
	w->regs.dx = 1;
	expect_hit(test, 8, GOPROBE_STAT_FILTERED);
	unload_filter();
	turn_to(LEAVE);
	expect_hit(test, 9, GOPROBE_STAT_NO_CALL);
	KUNIT_EXPECT_EQ(test, calls_by(7), 0ULL);
	KUNIT_EXPECT_NULL(test, by(8));
}

/* ---- values ---- */

/* The value is in rax. With @by, the key is in rdx; with @bucket, the value's bucket is in rcx. */
static void load_value(struct kunit *test, bool is_signed, bool by, bool bucket)
{
	filter_clear();
	F(REG, .a = 1);
	F(REG, .a = 2, .b = 1);
	F(REG, .a = 3, .b = 2);
	if (by)
		F(KEY, .a = 2);
	if (is_signed)
		F(SVALUE, .a = 1);
	else
		F(VALUE, .a = 1);
	if (bucket)
		F(BUCKET, .a = 3);
	filter_load(test);
	tally->valued = true;
}

static u64 look(void)
{
	return gp_tally_read(tally, tally->id, &row.tally, buckets);
}

static void a_hit_has_a_value(struct kunit *test)
{
	load_value(test, true, false, false);
	make_keyed(HIT, 0);
	expect_hit(test, -5, GOPROBE_STAT_COUNTED);
	expect_hit(test, 9, GOPROBE_STAT_COUNTED);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_NO_KEY), 0ULL);
	KUNIT_EXPECT_EQ(test, look(), 2ULL);
	KUNIT_EXPECT_EQ(test, row.tally.hits, 2ULL);
	KUNIT_EXPECT_EQ(test, row.tally.sum, 4ULL);
	KUNIT_EXPECT_EQ(test, row.tally.min, BIT_ULL(63) - 5);
	KUNIT_EXPECT_EQ(test, row.tally.max, BIT_ULL(63) + 9);
	/* Without a key there is no row. */
	KUNIT_EXPECT_NULL(test, by(0));
}

static void a_value_is_counted_by_its_key(struct kunit *test)
{
	load_value(test, false, true, false);
	make_keyed(HIT, 0);
	w->regs.dx = 7;
	expect_hit(test, U64_MAX, GOPROBE_STAT_COUNTED);
	expect_hit(test, 1, GOPROBE_STAT_COUNTED);
	w->regs.dx = 8;
	expect_hit(test, 5, GOPROBE_STAT_COUNTED);
	/* Once, not as a hit and as a value. */
	KUNIT_EXPECT_EQ(test, hits_by(7), 0ULL);
	KUNIT_EXPECT_EQ(test, calls_by(7), 2ULL);
	KUNIT_ASSERT_NOT_NULL(test, by(7));
	KUNIT_EXPECT_EQ(test, row.tally.sum, 0ULL);
	KUNIT_EXPECT_EQ(test, row.tally.min, 1ULL);
	KUNIT_EXPECT_EQ(test, row.tally.max, U64_MAX);
	KUNIT_EXPECT_EQ(test, calls_by(8), 1ULL);
	KUNIT_EXPECT_EQ(test, look(), 3ULL);
	KUNIT_EXPECT_EQ(test, row.tally.hits, 3ULL);
}

/* No program can write behind the buckets. */
static void a_program_chooses_the_bucket(struct kunit *test)
{
	static const u64 to[] = { 0, 17, GOPROBE_BUCKETS - 1, GOPROBE_BUCKETS, U32_MAX, U64_MAX };
	u32 i;

	load_value(test, true, true, true);
	make_keyed(HIT, 0);
	for (i = 0; i < ARRAY_SIZE(to); i++) {
		w->regs.cx = to[i];
		expect_hit(test, 1000, GOPROBE_STAT_COUNTED);
	}
	KUNIT_EXPECT_EQ(test, look(), 6ULL);
	KUNIT_EXPECT_EQ(test, buckets[0], 1ULL);
	KUNIT_EXPECT_EQ(test, buckets[17], 1ULL);
	KUNIT_EXPECT_EQ(test, buckets[GOPROBE_BUCKETS - 1], 4ULL);
	KUNIT_EXPECT_EQ(test, row.tally.sum, 6000ULL);
	KUNIT_ASSERT_NOT_NULL(test, by(0));
	KUNIT_EXPECT_EQ(test, buckets[17], 1ULL);
	KUNIT_EXPECT_EQ(test, buckets[GOPROBE_BUCKETS - 1], 4ULL);
}

/* A value is in place of the duration; the key may be that of the call. */
static void an_end_has_a_value(struct kunit *test)
{
	enter(test, 7);
	load_value(test, true, false, false);
	tally->valued = false;
	turn_to(LEAVE);
	expect_hit(test, -9, GOPROBE_STAT_TIMED);
	KUNIT_ASSERT_NOT_NULL(test, by(7));
	KUNIT_EXPECT_EQ(test, row.tally.calls, 1ULL);
	KUNIT_EXPECT_EQ(test, (s64)row.tally.sum, -9LL);
	KUNIT_EXPECT_EQ(test, look(), 1ULL);
	KUNIT_EXPECT_EQ(test, (s64)row.tally.sum, -9LL);
	KUNIT_EXPECT_EQ(test, row.tally.calls, 1ULL);
	/* Its own key comes first. */
	enter(test, 7);
	load_value(test, true, true, false);
	tally->valued = false;
	turn_to(LEAVE);
	w->regs.dx = 8;
	expect_hit(test, 2, GOPROBE_STAT_TIMED);
	KUNIT_EXPECT_EQ(test, calls_by(7), 1ULL);
	KUNIT_EXPECT_EQ(test, calls_by(8), 1ULL);
}

static void a_hit_without_a_value_has_0(struct kunit *test)
{
	filter_clear();
	F(REG, .a = 1);
	F(JEQ_I, .a = 1, .offset = 1, .value = 3);
	F(VALUE, .a = 1);
	filter_load(test);
	tally->valued = true;
	make_keyed(HIT, 0);
	expect_hit(test, 5, GOPROBE_STAT_COUNTED);
	expect_hit(test, 3, GOPROBE_STAT_COUNTED);
	KUNIT_EXPECT_EQ(test, look(), 2ULL);
	KUNIT_EXPECT_EQ(test, row.tally.sum, 5ULL);
	KUNIT_EXPECT_EQ(test, row.tally.min, 0ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_hit_counts_as_what_it_was, one_gen_params),
	KUNIT_CASE(whatever_comes_together_a_hit_counts_once),
	KUNIT_CASE(hits_are_counted_by_their_keys),
	KUNIT_CASE(hits_count_if_their_key_does_not_fit),
	KUNIT_CASE(keys_of_other_ids_are_others),
	KUNIT_CASE(notes_count_as_hits_do),
	KUNIT_CASE(notes_count_without_a_key),
	KUNIT_CASE(notes_that_pass_become_records),
	KUNIT_CASE(notes_have_their_goroutine),
	KUNIT_CASE(a_call_is_timed_by_its_key),
	KUNIT_CASE(the_key_of_its_end_comes_first),
	KUNIT_CASE(a_filter_of_its_end_that_makes_no_key_leaves_it),
	KUNIT_CASE(a_key_is_not_taken_for_a_record_that_is_held),
	KUNIT_CASE(a_key_may_be_how_long_it_took),
	KUNIT_CASE(a_call_whose_key_does_not_fit_is_timed),
	KUNIT_CASE(a_call_that_does_not_pass_ends_what_is_as_deep),
	KUNIT_CASE(a_hit_has_a_value),
	KUNIT_CASE(a_value_is_counted_by_its_key),
	KUNIT_CASE(a_program_chooses_the_bucket),
	KUNIT_CASE(an_end_has_a_value),
	KUNIT_CASE(a_hit_without_a_value_has_0),
	{}
};

static struct kunit_suite suite = {
	.name = "keyed",
	.init = keyed_init,
	.exit = keyed_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Hits by key: KUnit suite");
