// SPDX-License-Identifier: GPL-2.0
/*
 * Calls and their ends that belong together: an end counts only with its call, what is held
 * is written when its end has passed, and every record that was held comes back.
 */
#include "filter_world.h"

#define RECORD_BYTES	((u32)sizeof(struct goprobe_record))

/* Ways of the probes: a call, one that is held, and an end. */
enum { CALL, HOLD, END };

static u32 held_by_open_calls(void)
{
	const struct gp_call *call;
	u32 i, n = 0;

	for (i = 0; i < s.calls->nstacks; i++) {
		call = s.calls->stacks[i].top;
		for (; call; call = call == &s.calls->stacks[i].first ? NULL : call->below)
			n += !!call->data;
	}
	return n;
}

/* make() forgets open calls; their records are given back first. */
static void make_paired(u32 what, u32 unusual)
{
	struct gp_call *call = gp_calls_home(s.calls, PROCESS, G)->top;

	for (; call; call = call->below)
		if (call->data)
			gp_pending_give(s.calls->held, call->data);
	make(what == END ? GP_WAY_END : GP_WAY_CALL, unusual);
	if (what == END) {
		probes[0].record_kind = GOPROBE_RECORD_RETURN;
		probes[0].stat = GOPROBE_STAT_RETURNS;
	}
	probes[0].flags = GOPROBE_POINT_F_PAIRED | (what == HOLD ? GOPROBE_POINT_F_PENDING : 0);
	/* The short way is for those whose g is in a register. */
	probes[0].quick = !(unusual & IN_THREAD);
}

/* In the same world, the other end of it. */
static void turn_to(u32 what)
{
	bool end = what == END;

	set_way(&probes[0], end ? GP_WAY_END : GP_WAY_CALL);
	probes[0].record_kind = end ? GOPROBE_RECORD_RETURN : GOPROBE_RECORD_CALL;
	probes[0].stat = end ? GOPROBE_STAT_RETURNS : GOPROBE_STAT_CALLS;
	probes[0].flags = GOPROBE_POINT_F_PAIRED | (what == HOLD ? GOPROBE_POINT_F_PENDING : 0);
	probes[0].filter = NULL;
}

static void expect_only(struct kunit *test, enum goprobe_stat want)
{
	u32 i;

	for (i = 0; i < __GOPROBE_STAT_MAX; i++)
		if (is_of_hits(i))
			KUNIT_EXPECT_EQ_MSG(test, counted(i), i == want ? 1ULL : 0ULL,
					    "counter %u", i);
}

static void expect_hit(struct kunit *test, enum goprobe_stat want)
{
	KUNIT_EXPECT_TRUE(test, hit());
	expect_only(test, want);
}

/* The @n-th record in this CPU's ring, or NULL. */
static const struct goprobe_record *record(u32 n)
{
	const struct gp_ring *ring = rings[0];
	unsigned long at = ring->tail;

	for (; at < ring->head; n--) {
		const struct goprobe_record *rec =
			(const void *)(ring->data + (at & (ring->size - 1)));

		if (!n)
			return rec;
		at += rec->words * 8;
	}
	return NULL;
}

static u32 nrecords(void)
{
	u32 n = 0;

	while (record(n))
		n++;
	return n;
}

/* ---- one hit ---- */

#define CALLS	BIT(CALL)
#define HOLDS	BIT(HOLD)
#define ENDS	BIT(END)
#define BOTH	(CALLS | HOLDS)
#define ALL	(BOTH | ENDS)
#define WELL	__GOPROBE_STAT_MAX

struct one_case {
	const char *claim;
	u32 whats;
	u32 unusual;
	enum goprobe_stat want;
};

static const struct one_case one_cases[] = {
	{ "nothing unusual", ALL, 0, WELL },
	{ "not started", ALL, NOT_RUNNING, GOPROBE_STAT_NOT_STARTED },
	{ "another process", ALL, OTHER, GOPROBE_STAT_OTHER_PROCESS },
	{ "a start that is no call", ALL, RESTART, GOPROBE_STAT_RESTARTS },
	{ "no goroutine", ALL, FAR, GOPROBE_STAT_NO_GOROUTINE },
	{ "an invalid g", ALL, ODD, GOPROBE_STAT_NO_GOROUTINE },
	{ "a g that is absent", ALL, G_ABSENT, WELL },
	{ "an unreadable g", ALL, G_DENIED, GOPROBE_STAT_NO_GOROUTINE },
	{ "a system stack", ALL, SYSTEM, WELL },
	{ "g in TLS", ALL, IN_THREAD, WELL },
	{ "g in TLS, no goroutine", ALL, IN_THREAD | FAR, GOPROBE_STAT_NO_GOROUTINE },
	{ "g in TLS, which is absent", ALL, IN_THREAD | TLS_ABSENT, WELL },
	{ "g in TLS, unreadable", ALL, IN_THREAD | TLS_DENIED,
	  GOPROBE_STAT_NO_GOROUTINE },
	{ "g in TLS, both absent", ALL, IN_THREAD | TLS_ABSENT | G_ABSENT, WELL },
	{ "values that are absent", ALL, VALUES_ABSENT, WELL },
	{ "a full ring", CALLS | ENDS, RING_FULL, GOPROBE_STAT_LOST_RING_FULL },
	{ "a full ring, which is not needed yet", HOLDS, RING_FULL, WELL },
	{ "no ring", ALL, NO_RING, GOPROBE_STAT_LOST_NO_RING },
	{ "no calls left", BOTH, NO_CALLS, GOPROBE_STAT_NO_SPACE },
	{ "no calls left, which nobody needs", ENDS, NO_CALLS, WELL },
	{ "no calls left, and no ring", BOTH, NO_CALLS | NO_RING, GOPROBE_STAT_LOST_NO_RING },
	{ "in place of a call that has not returned", BOTH, OPEN, WELL },
	{ "no call to end", ENDS, UNKNOWN, GOPROBE_STAT_NO_CALL },
	{ "no call to end, not started", ENDS, UNKNOWN | NOT_RUNNING, GOPROBE_STAT_NOT_STARTED },
	{ "g in TLS, no call to end", ENDS, IN_THREAD | UNKNOWN, GOPROBE_STAT_NO_CALL },
	{ "no call to end, and no ring", ENDS, UNKNOWN | NO_RING, GOPROBE_STAT_LOST_NO_RING },
};

static void one_desc(const struct one_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(one, one_cases, one_desc);

static enum goprobe_stat well(u32 what)
{
	return what == CALL ? GOPROBE_STAT_CALLS : what == HOLD ? GOPROBE_STAT_OPENED :
								  GOPROBE_STAT_RETURNS;
}

static void a_hit_counts_as_what_it_was(struct kunit *test)
{
	const struct one_case *c = test->param_value;
	u32 what;

	for (what = CALL; what <= END; what++) {
		enum goprobe_stat want = c->want == WELL ? well(what) : c->want;
		bool record = want == GOPROBE_STAT_CALLS || want == GOPROBE_STAT_RETURNS;
		u32 absent = c->unusual & (G_ABSENT | TLS_ABSENT | VALUES_ABSENT);

		if (!(c->whats & BIT(what)))
			continue;
		make_paired(what, c->unusual | (what == END && !(c->unusual & UNKNOWN) ? OPEN : 0));
		expect_hit(test, want);
		if (!(c->unusual & RING_FULL))
			KUNIT_EXPECT_EQ_MSG(test, nrecords(), record ? 1U : 0U, "what %u", what);
		KUNIT_EXPECT_EQ_MSG(test, served, hweight32(absent), "what %u", what);
		KUNIT_EXPECT_EQ(test, held_by_open_calls(),
				what == HOLD && (want == GOPROBE_STAT_OPENED ||
						 c->unusual == NO_RING) ? 1U : 0U);
		KUNIT_EXPECT_EQ(test, held_free(s.calls->held) + held_by_open_calls(), HELD);
	}
}

static void whatever_comes_together_nothing_gets_lost(struct kunit *test)
{
	u32 what, unusual, step = 0, n;

	for (what = CALL; what <= END; what++) {
		for (n = 0; n < 6000; n++) {
			step = step * 1664525 + 1013904223;
			unusual = step >> 8 & UNUSUAL_MASK;
			if (step >> 30)
				unusual &= ~(NOT_RUNNING | OTHER | RESTART | FAR | G_DENIED |
					     TLS_DENIED);
			make_paired(what, unusual);
			KUNIT_ASSERT_TRUE_MSG(test, hit(), "what %u, 0x%x", what, unusual);
			KUNIT_ASSERT_EQ_MSG(test, all_hits(after) - all_hits(before), 1ULL,
					    "what %u, 0x%x", what, unusual);
			KUNIT_ASSERT_EQ_MSG(test, held_free(s.calls->held) + held_by_open_calls(),
					    HELD, "what %u, 0x%x", what, unusual);
		}
		cond_resched();
	}
}

/* ---- calls and their ends ---- */

static void an_end_is_recorded_once(struct kunit *test)
{
	make_paired(CALL, 0);
	expect_hit(test, GOPROBE_STAT_CALLS);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	expect_hit(test, GOPROBE_STAT_NO_CALL);
	KUNIT_ASSERT_EQ(test, nrecords(), 2U);
	KUNIT_EXPECT_EQ(test, (u32)record(0)->kind, (u32)GOPROBE_RECORD_CALL);
	KUNIT_EXPECT_EQ(test, (u32)record(0)->flags, 0U);
	KUNIT_EXPECT_EQ(test, (u32)record(1)->kind, (u32)GOPROBE_RECORD_RETURN);
	KUNIT_EXPECT_EQ(test, record(0)->depth, record(1)->depth);
	KUNIT_EXPECT_GE(test, record(1)->time, record(0)->time);
}

static void a_call_whose_record_is_lost_has_its_end(struct kunit *test)
{
	make_paired(CALL, RING_FULL);
	expect_hit(test, GOPROBE_STAT_LOST_RING_FULL);
	drain_rings();
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
}

static void a_call_that_is_not_remembered_has_neither(struct kunit *test)
{
	make_paired(CALL, NO_CALLS);
	expect_hit(test, GOPROBE_STAT_NO_SPACE);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_NO_CALL);
	KUNIT_EXPECT_EQ(test, nrecords(), 0U);
}

/* Compare what is left with what the other way would have written. */
static void expect_held_record(struct kunit *test, const struct goprobe_record *rec, u64 ago)
{
	const struct gp_pending_record *held = (const void *)w->again;
	const struct goprobe_record *plain;
	u32 rest;

	KUNIT_ASSERT_NOT_NULL(test, rec);
	memcpy(w->again, rec, rec->words * 8);
	make_paired(CALL, 0);
	expect_hit(test, GOPROBE_STAT_CALLS);
	plain = record(0);
	KUNIT_ASSERT_NOT_NULL(test, plain);
	rest = plain->words * 8 - RECORD_BYTES;
	KUNIT_ASSERT_EQ(test, (u32)held->rec.words, plain->words + 1U);
	KUNIT_EXPECT_EQ(test, (u32)held->rec.kind, (u32)GOPROBE_RECORD_CALL);
	KUNIT_EXPECT_EQ(test, (u32)held->rec.flags, plain->flags | GOPROBE_RECORD_F_PENDING);
	KUNIT_EXPECT_EQ(test, held->rec.id, plain->id);
	KUNIT_EXPECT_EQ(test, held->rec.plan, plain->plan);
	KUNIT_EXPECT_EQ(test, held->rec.tgid, plain->tgid);
	KUNIT_EXPECT_EQ(test, held->rec.tid, plain->tid);
	KUNIT_EXPECT_EQ(test, held->rec.goid, plain->goid);
	KUNIT_EXPECT_EQ(test, held->rec.depth, plain->depth);
	KUNIT_EXPECT_EQ(test, held->rec.ip, plain->ip);
	KUNIT_EXPECT_EQ(test, held->ago, ago);
	KUNIT_EXPECT_EQ(test, memcmp(held->frame, plain + 1, rest), 0);
}

static void a_held_call_is_written_when_its_end_passes(struct kunit *test)
{
	u64 time;

	make_paired(HOLD, 0);
	time = ktime_get_ns();
	memcpy(arena + 8, "hello", 5);
	expect_hit(test, GOPROBE_STAT_OPENED);
	KUNIT_EXPECT_EQ(test, nrecords(), 0U);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD - 1);
	ticks += 300;
	/* The value at the call, not the present one. */
	memcpy(arena + 8, "xxxxx", 5);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), 1ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
	KUNIT_ASSERT_EQ(test, nrecords(), 2U);
	KUNIT_EXPECT_EQ(test, (u32)record(1)->kind, (u32)GOPROBE_RECORD_RETURN);
	KUNIT_EXPECT_EQ(test, (u32)record(1)->flags, 0U);
	KUNIT_EXPECT_GE(test, record(0)->time, time);
	KUNIT_EXPECT_GE(test, record(1)->time, record(0)->time);
	memcpy(arena + 8, "hello", 5);
	expect_held_record(test, record(0), 300);
}

static void a_held_call_needs_no_plan(struct kunit *test)
{
	make_paired(HOLD, 0);
	probes[0].plan = NULL;
	expect_hit(test, GOPROBE_STAT_OPENED);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_ASSERT_EQ(test, nrecords(), 2U);
	KUNIT_EXPECT_EQ(test, record(0)->words * 8, (int)sizeof(struct gp_pending_record));
	KUNIT_EXPECT_EQ(test, record(1)->words * 8, (int)RECORD_BYTES);
}

/* ---- the largest record ---- */

/* A plan that can use up all that it is allowed: items that fail, and chunks. */
struct largest_case {
	const char *claim;
	u32 frame;
	u32 tries;
	u32 bytes;
};

static const struct largest_case largest_cases[] = {
	{ "words and bytes", 16, 0, 128 },
	{ "a frame that is padded", 13, 0, 128 },
	{ "items that fail", 16, 5, 128 },
	{ "all of it", 13, 20, 1024 },
	{ "bytes that chunks don't fill", 16, 3, 1000 },
	{ "no bytes", 16, 7, 0 },
	{ "a byte too few for a chunk", 16, 1, 15 },
	{ "a large frame", 4091, 30, 8000 },
	{ "as large as a record can be", 4096, 32, 24576 - 48 - 4096 - 32 * 16 },
};

static void largest_desc(const struct largest_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(largest, largest_cases, largest_desc);

/* Pointers to pointers, without end: as many chunks as fit. */
static void make_largest(struct kunit *test, const struct largest_case *c)
{
	u32 i;

	w->nrefs = 0;
	w->types[0] = (struct goprobe_type){ .size = c->frame };
	w->types[1] = (struct goprobe_type){ .size = 8 };
	w->ntypes = 2;
	add_ref(0, 0, GOPROBE_REF_POINTER, 1);
	add_ref(1, 0, GOPROBE_REF_POINTER, 1);
	w->w.npieces = 1;
	w->w.bytes = c->bytes;
	w->w.objects = 1536;
	w->w.depth = 255;
	w->w.nops = 2 * c->tries;
	for (i = 0; i < c->tries; i++) {
		w->ops[2 * i] = (struct goprobe_op){
			.code = GOPROBE_OP_TRY, .offset = 1, .value = i,
		};
		w->ops[2 * i + 1] = (struct goprobe_op){
			.code = GOPROBE_OP_FAIL, .value = GOPROBE_CHUNK_NIL,
		};
	}
	KUNIT_ASSERT_STREQ(test, load() ?: "accepted", "accepted");
	for (i = 0; i < A_SIZE - 8; i += 8)
		poke(A + i, A + i + 8);
	gp_pending_free(s.calls->held);
	s.calls->held = gp_pending_new(HELD, w->plan->record_bytes + sizeof(u64));
	KUNIT_ASSERT_NOT_NULL(test, s.calls->held);
}

/*
 * What a session must have for a plan's calls is enough for the largest record that the plan
 * makes; and no more than what the last chunk leaves over is in vain.
 */
static void the_largest_record_can_be_held(struct kunit *test)
{
	const struct largest_case *c = test->param_value;
	u32 chunks = min(c->bytes / 24, 255U);
	const struct gp_pending_record *held;
	const struct gp_call *call;

	make_largest(test, c);
	make_paired(HOLD, 0);
	probes[0].quick = false;
	expect_hit(test, GOPROBE_STAT_OPENED);
	call = gp_calls_home(s.calls, PROCESS, G)->top;
	KUNIT_ASSERT_NOT_NULL(test, call);
	KUNIT_ASSERT_NE(test, call->data, 0U);
	held = gp_pending_at(s.calls->held, call->data);
	KUNIT_EXPECT_EQ(test, held->rec.words * 8U,
			(u32)sizeof(*held) + ALIGN(c->frame, 8) + 16 * c->tries + 24 * chunks);
	KUNIT_EXPECT_LE(test, held->rec.words * 8U, gp_pending_bytes(s.calls->held));
	KUNIT_EXPECT_EQ(test, w->plan->record_bytes,
			RECORD_BYTES + ALIGN(c->frame, 8) + 16 * c->tries + c->bytes);
}

/* That takes time, but is no part of the call. */
static void what_a_held_call_needs_is_brought_in(struct kunit *test)
{
	make_paired(HOLD, VALUES_ABSENT | IN_THREAD | TLS_ABSENT | G_ABSENT);
	expect_hit(test, GOPROBE_STAT_OPENED);
	KUNIT_EXPECT_EQ(test, served, 3U);
	/* That of g was for the place of the call: no capture has been repeated for it. */
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_FAULT_INS), 1ULL);
	KUNIT_EXPECT_EQ(test, nrecords(), 0U);
	ticks += 70;
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_ASSERT_EQ(test, nrecords(), 2U);
	expect_held_record(test, record(0), 70);
}

/* Words of g that are read to find the call's place, then the string, then g again. */
#define READ_FIRST	3U
#define READ_ALL	(READ_FIRST + 1 + 3)

static void a_goroutine_that_goes_again_is_brought_in_again(struct kunit *test)
{
	u32 n;

	for (n = 1; n <= READ_ALL; n++) {
		make_paired(HOLD, 0);
		vanishing = &regions[IN_G];
		vanishes_to = ABSENT;
		vanishes_with = n;
		expect_hit(test, GOPROBE_STAT_OPENED);
		KUNIT_EXPECT_EQ_MSG(test, served, 1U, "read %u", n);
		/* From the string on the capture starts again. */
		KUNIT_EXPECT_EQ_MSG(test, counted(GOPROBE_STAT_FAULT_INS), (u64)(n > READ_FIRST),
				    "read %u", n);
		turn_to(END);
		ticks += 50;
		expect_hit(test, GOPROBE_STAT_RETURNS);
		KUNIT_ASSERT_EQ(test, nrecords(), 2U);
		expect_held_record(test, record(0), 50);
	}
	/* It was the last one. */
	make_paired(HOLD, 0);
	vanishes_with = READ_ALL + 1;
	expect_hit(test, GOPROBE_STAT_OPENED);
	KUNIT_EXPECT_EQ(test, vanishes_with, 1U);
	vanishes_with = 0;
}

/* It has been found once: so the call is remembered, and its record says what is not known. */
static void a_goroutine_that_goes_for_good_is_not_waited_for(struct kunit *test)
{
	make_paired(HOLD, 0);
	vanishing = &regions[IN_G];
	vanishes_to = REMOTE;
	vanishes_with = READ_FIRST + 1;
	expect_hit(test, GOPROBE_STAT_OPENED);
	KUNIT_EXPECT_EQ(test, served, 0U);
	regions[IN_G].state = HERE;
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_ASSERT_EQ(test, nrecords(), 2U);
	KUNIT_EXPECT_EQ(test, (u32)record(0)->flags,
			(u32)(GOPROBE_RECORD_F_PENDING | GOPROBE_RECORD_F_NO_G));
	KUNIT_EXPECT_EQ(test, record(0)->goid, 0ULL);
	KUNIT_EXPECT_EQ(test, record(0)->depth, 0U);
}

static void make_duration_filter(struct kunit *test, u64 least)
{
	filter_clear();
	F(DURATION, .a = 1);
	F(JGE_I, .a = 1, .offset = 1, .value = least);
	F(REJECT);
	filter_load(test);
}

static void an_end_that_does_not_pass_leaves_nothing(struct kunit *test)
{
	u32 what;

	for (what = CALL; what <= HOLD; what++) {
		make_duration_filter(test, 300);
		make_paired(what, 0);
		expect_hit(test, well(what));
		drain_rings();
		ticks += 299;
		turn_to(END);
		probes[0].filter = filter;
		expect_hit(test, GOPROBE_STAT_FILTERED);
		KUNIT_EXPECT_EQ(test, nrecords(), 0U);
		KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), 0ULL);
		KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
		expect_hit(test, GOPROBE_STAT_NO_CALL);

		turn_to(what);
		expect_hit(test, well(what));
		ticks += 300;
		turn_to(END);
		probes[0].filter = filter;
		expect_hit(test, GOPROBE_STAT_RETURNS);
		KUNIT_EXPECT_EQ(test, nrecords(), 2U);

		/* An undecided call does not pass either. */
		drain_rings();
		turn_to(what);
		expect_hit(test, well(what));
		drain_rings();
		turn_to(END);
		filter_clear();
		F(FAIL, .value = GOPROBE_CHUNK_NIL);
		filter_load(test);
		expect_hit(test, GOPROBE_STAT_UNDECIDED);
		KUNIT_EXPECT_EQ(test, nrecords(), 0U);
		KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
	}
}

static void an_end_without_its_call_is_not_asked(struct kunit *test)
{
	filter_clear();
	F(NUMBER, .a = 1);
	filter_load(test);
	make_paired(END, UNKNOWN);
	probes[0].filter = filter;
	expect_hit(test, GOPROBE_STAT_NO_CALL);
	KUNIT_EXPECT_EQ(test, (u64)atomic64_read(&filter->number[0]), 0ULL);
}

/* A filter of a timed call's end: the tally says what has become of the call. */
static void ends_of_timed_calls_have_filters(struct kunit *test)
{
	static u64 buckets[GOPROBE_BUCKETS];
	struct goprobe_tally tally;
	u32 i;

	make_duration_filter(test, 300);
	make(GP_WAY_ENTER, 0);
	for (i = 0; i < 5; i++) {
		set_way(&probes[0], GP_WAY_ENTER);
		expect_hit(test, GOPROBE_STAT_OPENED);
		ticks += 100 * i;
		set_way(&probes[0], GP_WAY_END);
		probes[0].action = GOPROBE_ACTION_TIME;
		probes[0].filter = filter;
		expect_hit(test, i < 3 ? GOPROBE_STAT_FILTERED : GOPROBE_STAT_TIMED);
	}
	KUNIT_EXPECT_EQ(test, gp_tally_read(tally_of(GP_WAY_LEAVE), TIMED, &tally, buckets), 2ULL);
	KUNIT_EXPECT_EQ(test, tally.calls, 5ULL);
	KUNIT_EXPECT_EQ(test, tally.filtered, 3ULL);
	KUNIT_EXPECT_EQ(test, tally.unwound, 0ULL);
	KUNIT_EXPECT_EQ(test, tally.sum, 700ULL);
	KUNIT_EXPECT_EQ(test, tally.min, 300ULL);
	filter_clear();
	F(FAIL, .value = GOPROBE_CHUNK_NIL);
	filter_load(test);
	set_way(&probes[0], GP_WAY_ENTER);
	expect_hit(test, GOPROBE_STAT_OPENED);
	set_way(&probes[0], GP_WAY_END);
	probes[0].action = GOPROBE_ACTION_TIME;
	expect_hit(test, GOPROBE_STAT_UNDECIDED);
	gp_tally_read(tally_of(GP_WAY_LEAVE), TIMED, &tally, buckets);
	KUNIT_EXPECT_EQ(test, tally.filtered, 4ULL);
	KUNIT_EXPECT_EQ(test, nrecords(), 0U);
}

/* ---- no space ---- */

/* Leave @bytes in the ring. */
static void leave_space(u32 bytes)
{
	drain_rings();
	rings[0]->head += rings[0]->size - bytes;
}

static void a_record_that_does_not_fit_then_is_lost(struct kunit *test)
{
	u32 size;

	make_paired(CALL, 0);
	expect_hit(test, GOPROBE_STAT_CALLS);
	size = record(0)->words * 8;

	/* Neither fits. */
	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	make_rings_full(true);
	turn_to(END);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_RING_FULL), 2ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), 0ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RETURNS), 0ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);

	/* The losses are reported, then both. */
	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_ASSERT_EQ(test, nrecords(), 3U);
	KUNIT_EXPECT_EQ(test, (u32)record(0)->kind, (u32)GOPROBE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, ((const struct goprobe_lost *)(record(0) + 1))->count, 2ULL);
	KUNIT_EXPECT_EQ(test, (u32)record(1)->flags, (u32)GOPROBE_RECORD_F_PENDING);
	KUNIT_EXPECT_EQ(test, (u32)record(2)->kind, (u32)GOPROBE_RECORD_RETURN);

	/* Only the call fits, to the byte. */
	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	leave_space(size + 8);
	turn_to(END);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), 1ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_RING_FULL), 1ULL);
	KUNIT_EXPECT_EQ(test, gp_ring_space(rings[0]), 0U);

	/* It does not fit, by a word. Its loss is reported before its end. */
	make_paired(HOLD, 0);
	rings[0]->pending[GOPROBE_LOST_RING_FULL] = 0;
	expect_hit(test, GOPROBE_STAT_OPENED);
	leave_space(size);
	turn_to(END);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), 0ULL);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_RING_FULL), 2ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
	rings[0]->pending[GOPROBE_LOST_RING_FULL] = 0;
}

static void what_has_no_ring_then_is_lost(struct kunit *test)
{
	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	s.rings = no_rings;
	turn_to(END);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_NO_RING), 2ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
}

static void what_must_not_be_lost_waits(struct kunit *test)
{
	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	make_rings_full(true);
	s.lossless = true;
	patience = 9;
	space_after = 3;
	ticks += 50;
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_EXPECT_EQ(test, waited, 3U);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_RELEASED), 1ULL);
	KUNIT_EXPECT_EQ(test, nrecords(), 2U);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);

	/* The reader does not come: who has waited for the call in vain does not for its end. */
	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	make_rings_full(true);
	s.lossless = true;
	turn_to(END);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, waited, 1U);
	KUNIT_EXPECT_EQ(test, counted(GOPROBE_STAT_LOST_RING_FULL), 2ULL);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);

	/* It is known to have exited: no thread waits. */
	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	make_rings_full(true);
	s.lossless = true;
	s.stalled = true;
	turn_to(END);
	KUNIT_EXPECT_TRUE(test, hit());
	KUNIT_EXPECT_EQ(test, waited, 0U);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
	rings[0]->pending[GOPROBE_LOST_RING_FULL] = 0;
}

static void a_reader_that_waits_is_woken(struct kunit *test)
{
	make_paired(HOLD, 0);
	atomic_set(&s.armed, GP_STREAM_WAITING);
	expect_hit(test, GOPROBE_STAT_OPENED);
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON] + woken[GP_STREAM_WAKE_NOW], 0U);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_EXPECT_EQ(test, woken[GP_STREAM_WAKE_SOON], 2U);
}

/* Another call of this goroutine, so much deeper. */
static void go_to(u32 words)
{
	w->regs.sp = SP - ADJUST - 8 * words;
}

static void more_calls_than_can_be_held_are_not_remembered(struct kunit *test)
{
	u32 i;

	make_paired(HOLD, 0);
	for (i = 0; i < HELD; i++) {
		go_to(i);
		expect_hit(test, GOPROBE_STAT_OPENED);
	}
	go_to(i);
	expect_hit(test, GOPROBE_STAT_NO_SPACE);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_NO_CALL);
	while (i--) {
		go_to(i);
		expect_hit(test, GOPROBE_STAT_RETURNS);
		KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD - i);
	}
	KUNIT_EXPECT_EQ(test, nrecords(), 2 * HELD);
}

/* ---- what ends without returning ---- */

static void only_what_returns_is_written(struct kunit *test)
{
	u32 i;

	make_paired(HOLD, 0);
	for (i = 0; i < HELD; i++) {
		go_to(10 * i);
		expect_hit(test, GOPROBE_STAT_OPENED);
	}
	turn_to(END);
	go_to(30);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_ASSERT_EQ(test, nrecords(), 2U);
	KUNIT_EXPECT_EQ(test, record(0)->depth, (u32)WORDS + 30);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD - 3);
	go_to(0);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
}

static void the_next_goroutine_gets_what_the_last_one_held(struct kunit *test)
{
	u64 next = GOID + 1;
	u32 i;

	make_paired(HOLD, 0);
	for (i = 0; i < HELD; i++) {
		go_to(i);
		expect_hit(test, GOPROBE_STAT_OPENED);
	}
	/* Goexit; its g is used again. It is deeper than all before. */
	memcpy(g_memory + rt.g_goid, &next, 8);
	go_to(100);
	expect_hit(test, GOPROBE_STAT_OPENED);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD - 1);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_RETURNS);
	KUNIT_ASSERT_NOT_NULL(test, record(0));
	KUNIT_EXPECT_EQ(test, record(0)->goid, next);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
}

/*
 * All records are others', the call in this place has ended by panic, and the next one, which
 * can't be held, returns: that is not the first one's end.
 */
static void a_call_that_cannot_be_held_ends_what_is_as_deep(struct kunit *test)
{
	u32 numbers[HELD], i;

	make_paired(HOLD, 0);
	expect_hit(test, GOPROBE_STAT_OPENED);
	for (i = 1; i < HELD; i++)
		numbers[i] = gp_pending_take(s.calls->held);
	/* That frees the space of the first one. */
	expect_hit(test, GOPROBE_STAT_OPENED);
	KUNIT_EXPECT_EQ(test, held_by_open_calls(), 1U);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), 0U);

	/* Of a call that is not held none is. */
	turn_to(CALL);
	expect_hit(test, GOPROBE_STAT_CALLS);
	numbers[0] = gp_pending_take(s.calls->held);
	KUNIT_EXPECT_NE(test, numbers[0], 0U);
	turn_to(HOLD);
	expect_hit(test, GOPROBE_STAT_NO_SPACE);
	turn_to(END);
	expect_hit(test, GOPROBE_STAT_NO_CALL);
	for (i = 0; i < HELD; i++)
		gp_pending_give(s.calls->held, numbers[i]);
	KUNIT_EXPECT_EQ(test, held_free(s.calls->held), HELD);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(a_hit_counts_as_what_it_was, one_gen_params),
	KUNIT_CASE(whatever_comes_together_nothing_gets_lost),
	KUNIT_CASE(an_end_is_recorded_once),
	KUNIT_CASE(a_call_whose_record_is_lost_has_its_end),
	KUNIT_CASE(a_call_that_is_not_remembered_has_neither),
	KUNIT_CASE(a_held_call_is_written_when_its_end_passes),
	KUNIT_CASE(a_held_call_needs_no_plan),
	KUNIT_CASE_PARAM(the_largest_record_can_be_held, largest_gen_params),
	KUNIT_CASE(what_a_held_call_needs_is_brought_in),
	KUNIT_CASE(a_goroutine_that_goes_again_is_brought_in_again),
	KUNIT_CASE(a_goroutine_that_goes_for_good_is_not_waited_for),
	KUNIT_CASE(an_end_that_does_not_pass_leaves_nothing),
	KUNIT_CASE(an_end_without_its_call_is_not_asked),
	KUNIT_CASE(ends_of_timed_calls_have_filters),
	KUNIT_CASE(a_record_that_does_not_fit_then_is_lost),
	KUNIT_CASE(what_has_no_ring_then_is_lost),
	KUNIT_CASE(what_must_not_be_lost_waits),
	KUNIT_CASE(a_reader_that_waits_is_woken),
	KUNIT_CASE(more_calls_than_can_be_held_are_not_remembered),
	KUNIT_CASE(only_what_returns_is_written),
	KUNIT_CASE(the_next_goroutine_gets_what_the_last_one_held),
	KUNIT_CASE(a_call_that_cannot_be_held_ends_what_is_as_deep),
	{}
};

static struct kunit_suite suite = {
	.name = "paired",
	.init = held_init,
	.exit = held_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Calls and their ends: KUnit suite");
