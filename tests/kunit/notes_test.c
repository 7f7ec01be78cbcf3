// SPDX-License-Identifier: GPL-2.0
/* Records of notes: a ring of the test stands in for the process's. */
#include <kunit/test.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../../kmod/ring/notes.c"
#include "../../kmod/ring/ring.c"

#define ID	3
#define IP	0x401000
#define GOID	17

static struct gp_notes *notes;
static struct gp_ring *ring;
static const struct gp_note_point point = {
	.stat = GOPROBE_STAT_CALLS,
	.head = (sizeof(struct goprobe_record) / 8 + 2) | GOPROBE_RECORD_CALL << 16,
	.id = 7 | 9ULL << 32,
	.ip = IP,
	.words = 2,
	.size = sizeof(struct goprobe_record) + 2 * 8,
};

/* A bool, and an int32 behind it. */
static const struct gp_note_point parts = {
	.stat = GOPROBE_STAT_RETURNS,
	.head = (sizeof(struct goprobe_record) / 8 + 1) | GOPROBE_RECORD_RETURN << 16,
	.words = 2,
	.size = sizeof(struct goprobe_record) + 8,
	.in_parts = true,
	.part = { { 0, 1 }, { 4, 4 } },
};

static u64 last_counted;
static u32 ncounted;

static bool count_note(const struct gp_note_point *point, const struct gp_detour_note *note)
{
	last_counted = note->word[0];
	ncounted++;
	return false;
}

static const struct gp_note_point counts = { .passes = count_note };

static const struct gp_note_point *points[] = {
	[ID] = &point, [ID + 2] = &parts, [ID + 3] = &counts,
};

static int notes_init(struct kunit *test)
{
	notes = kvzalloc(sizeof(*notes), GFP_KERNEL);
	ring = gp_ring_new(GP_RING_MIN, 0);
	if (!notes || !ring)
		return -ENOMEM;
	notes->its = kzalloc(sizeof(*notes->its), GFP_KERNEL);
	if (!notes->its)
		return -ENOMEM;
	notes->ring = ring;
	notes->points = points;
	notes->npoints = ARRAY_SIZE(points);
	notes->ns = &init_pid_ns;
	notes->tgid = 40;
	return 0;
}

static void notes_exit(struct kunit *test)
{
	if (notes)
		kfree(notes->its);
	kvfree(notes);
	gp_ring_free(ring);
}

static struct gp_detour_note *claim(u64 time)
{
	struct gp_detour_ring *its = notes->its;
	struct gp_detour_note *note = &its->note[its->next / sizeof(*note) % GP_DETOUR_NOTES];

	its->next += sizeof(*note);
	*note = (struct gp_detour_note){
		.state = 1, .depth = 80, .time = time, .goid = GOID, .tid = 41,
		.word = { time, ~time },
	};
	return note;
}

static void commit(struct gp_detour_note *note)
{
	note->state = 2 * ID + 1;
}

/* The next record is of the call at @call, and has that time. */
static void expect(struct kunit *test, u64 call, u64 time)
{
	struct goprobe_record *rec = (void *)gp_ring_first(ring);
	u64 *frame = (u64 *)(rec + 1);

	KUNIT_ASSERT_GE(test, gp_ring_unread(ring), point.size);
	KUNIT_EXPECT_EQ(test, rec->words, point.size / 8);
	KUNIT_EXPECT_EQ(test, rec->kind, GOPROBE_RECORD_CALL);
	KUNIT_EXPECT_EQ(test, rec->flags, 0);
	KUNIT_EXPECT_EQ(test, rec->depth, 10U);
	KUNIT_EXPECT_EQ(test, rec->id, 7U);
	KUNIT_EXPECT_EQ(test, rec->plan, 9U);
	KUNIT_EXPECT_EQ(test, rec->tid, 41U);
	KUNIT_EXPECT_EQ(test, rec->tgid, 40U);
	KUNIT_EXPECT_EQ(test, rec->time, time);
	KUNIT_EXPECT_EQ(test, rec->goid, GOID);
	KUNIT_EXPECT_EQ(test, rec->ip, IP);
	KUNIT_EXPECT_EQ(test, frame[0], call);
	KUNIT_EXPECT_EQ(test, frame[1], ~call);
	gp_ring_consume(ring, point.size);
}

static void notes_order(struct kunit *test)
{
	static const u64 times[] = { 20, 10, 30, 25, 5, 40 };
	u32 i;

	/* Around the end of the ring. */
	notes->its->next = (GP_DETOUR_NOTES - 3) * sizeof(struct gp_detour_note);
	for (i = 0; i < ARRAY_SIZE(times); i++)
		commit(claim(times[i]));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 100, 0, 0), 6U);
	expect(test, 5, 5);
	expect(test, 10, 10);
	expect(test, 20, 20);
	expect(test, 25, 25);
	expect(test, 30, 30);
	expect(test, 40, 40);
	KUNIT_EXPECT_EQ(test, gp_ring_unread(ring), 0U);
	for (i = 0; i < GP_DETOUR_NOTES; i++)
		KUNIT_EXPECT_EQ(test, notes->its->note[i].state, 0U);
}

/* A thread that is interrupted keeps its note; later it is no earlier than what is there. */
static void notes_late(struct kunit *test)
{
	struct gp_detour_note *late = claim(10);

	commit(claim(20));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 100, 0, 0), 1U);
	expect(test, 20, 20);
	KUNIT_EXPECT_EQ(test, late->state, 1U);
	commit(claim(120));
	commit(late);
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 200, 0, 0), 2U);
	expect(test, 10, 20);
	expect(test, 120, 120);
}

static void notes_young(struct kunit *test)
{
	commit(claim(10));
	commit(claim(11));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 10, 0, 0), 1U);
	expect(test, 10, 10);
	KUNIT_EXPECT_EQ(test, gp_ring_unread(ring), 0U);
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 11, 0, 0), 1U);
	expect(test, 11, 11);
}

/* What does not fit stays where it is. */
static void notes_full(struct kunit *test)
{
	u64 time = 0, taken = 0;
	u32 i;

	do {
		for (i = 0; i < GP_DETOUR_NOTES; i++)
			commit(claim(++time));
		i = gp_notes_drain(notes, U64_MAX, 0, 0);
		taken += i;
	} while (i == GP_DETOUR_NOTES);
	/* Each is taken for as large as can be. */
	KUNIT_EXPECT_LT(test, gp_ring_space(ring), GP_DETOUR_NOTES * GP_NOTES_RECORD);
	KUNIT_EXPECT_EQ(test, gp_ring_unread(ring), taken * point.size);
	for (i = 1; i <= taken; i++)
		expect(test, i, i);
	while (taken < time) {
		KUNIT_ASSERT_NE(test, gp_notes_drain(notes, U64_MAX, 0, 0), 0U);
		while (gp_ring_unread(ring)) {
			taken++;
			expect(test, taken, taken);
		}
	}
}

/* Space that is to stay free does, and what has no other stays where it is. */
static void notes_spare(struct kunit *test)
{
	u32 spare = GP_NOTES_RECORDS, i;

	for (i = 1; i <= GP_DETOUR_NOTES; i++)
		commit(claim(i));
	ring->head = GP_RING_MIN - spare - 2 * GP_NOTES_RECORD;
	ring->handed_out = ring->head;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, U64_MAX, 0, spare), 2U);
	KUNIT_EXPECT_GE(test, gp_ring_space(ring), spare);
	ring->head = GP_RING_MIN - spare;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, U64_MAX, 0, spare), 0U);
	ring->head++;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, U64_MAX, 0, spare), 0U);
	ring->head--;
	ring->handed_out = ring->head;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, U64_MAX, 0, 0), GP_DETOUR_NOTES - 2U);
	expect(test, 3, 3);
}

/* After a sleep of the machine the counter may be less than before. */
static void notes_set_back(struct kunit *test)
{
	const u64 before = GP_NOTES_YOUNGER + 1000;

	commit(claim(before));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, before, 0, 0), 1U);
	expect(test, before, before);
	commit(claim(before + 1));
	commit(claim(20));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 30, 0, 0), 2U);
	expect(test, 20, 30);
	expect(test, before + 1, 30);
	commit(claim(40));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 50, 0, 0), 1U);
	expect(test, 40, 40);
}

/* Whatever a program writes, its notes become free, and nothing but records of points is made. */
static void notes_forged(struct kunit *test)
{
	static const u32 states[] = { 2, 3, 2 * ID, 2 * ID + 2, 2 * ID + 3, 1U << 31, U32_MAX };
	u32 i;

	notes->its->next = U32_MAX;
	for (i = 0; i < ARRAY_SIZE(states); i++)
		notes->its->note[i].state = states[i];
	notes->last = 50;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 100, 0, 0), 1U);
	KUNIT_EXPECT_EQ(test, gp_ring_unread(ring), point.size);
	KUNIT_EXPECT_EQ(test, ((struct goprobe_record *)gp_ring_first(ring))->time, 50ULL);
	for (i = 0; i < ARRAY_SIZE(states); i++)
		KUNIT_EXPECT_EQ(test, notes->its->note[i].state, 0U);
}

/* Parts of words are where the frame has them, and nothing is beside them. */
static void notes_parts(struct kunit *test)
{
	struct gp_detour_note *note = claim(10);
	struct goprobe_record *rec = (void *)gp_ring_first(ring);

	memset(rec, 0xff, 2 * parts.size);
	note->word[0] = 0x1234567890abcd01;
	note->word[1] = 0xfedcba9887654321;
	note->state = 2 * (ID + 2) + 1;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 100, 0, 0), 1U);
	KUNIT_ASSERT_EQ(test, gp_ring_unread(ring), parts.size);
	KUNIT_EXPECT_EQ(test, rec->kind, GOPROBE_RECORD_RETURN);
	KUNIT_EXPECT_EQ(test, *(u64 *)(rec + 1), 0x8765432100000001ULL);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_RETURNS], 1ULL);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_CALLS], 0ULL);
}

/* If the counter is no clock any more, all get the time of the drain. */
static void notes_without_clock(struct kunit *test)
{
	notes->last = 1000;
	commit(claim(2000));
	commit(claim(10));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 0, 500, 0), 2U);
	expect(test, 2000, 500);
	expect(test, 10, 500);
}

/* They are idle unless a note has been tried since, or left. */
static void notes_idle(struct kunit *test)
{
	struct gp_detour_note *late;

	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 100, 0, 0), 0U);
	KUNIT_EXPECT_TRUE(test, gp_notes_are_idle(notes));
	late = claim(10);
	commit(claim(200));
	KUNIT_EXPECT_FALSE(test, gp_notes_are_idle(notes));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 300, 0, 0), 1U);
	KUNIT_EXPECT_FALSE(test, gp_notes_are_idle(notes));
	commit(late);
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 300, 0, 0), 1U);
	KUNIT_EXPECT_TRUE(test, gp_notes_are_idle(notes));
	commit(claim(400));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 300, 0, 0), 0U);
	KUNIT_EXPECT_FALSE(test, gp_notes_are_idle(notes));
}

/* Notes that are counted leave no record, and take no space of the ring. */
static void notes_counted(struct kunit *test)
{
	u32 i;

	ncounted = 0;
	for (i = 0; i < GP_DETOUR_NOTES; i++)
		claim(10 + i)->state = 2 * (ID + 3) + 1;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 1000, 0, 0), 0U);
	KUNIT_EXPECT_EQ(test, ncounted, (u32)GP_DETOUR_NOTES);
	KUNIT_EXPECT_EQ(test, last_counted, 10ULL + GP_DETOUR_NOTES - 1);
	KUNIT_EXPECT_EQ(test, gp_ring_unread(ring), 0U);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_JUMPED], (u64)GP_DETOUR_NOTES);
	for (i = 0; i < GP_DETOUR_NOTES; i++)
		KUNIT_EXPECT_EQ(test, notes->its->note[i].state, 0U);
}

/* ... also if it has none. */
static void notes_counted_if_full(struct kunit *test)
{
	struct gp_detour_note *kept;
	u32 i;

	ncounted = 0;
	ring->head = GP_RING_MIN - GP_NOTES_RECORD;
	commit(claim(9));
	for (i = 0; i < 3; i++)
		claim(10 + i)->state = 2 * (ID + 3) + 1;
	kept = claim(20);
	commit(kept);
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 1000, 0, 0), 1U);
	KUNIT_EXPECT_EQ(test, ncounted, 3U);
	KUNIT_EXPECT_EQ(test, ring->head, GP_RING_MIN - GP_NOTES_RECORD + point.size);
	KUNIT_EXPECT_EQ(test, kept->state, 2U * ID + 1);
	KUNIT_EXPECT_FALSE(test, gp_notes_are_idle(notes));
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 1000, 0, GP_RING_MIN), 0U);
	claim(30)->state = 2 * (ID + 3) + 1;
	KUNIT_EXPECT_EQ(test, gp_notes_drain(notes, 1000, 0, GP_RING_MIN), 0U);
	KUNIT_EXPECT_EQ(test, ncounted, 4U);
	KUNIT_EXPECT_EQ(test, kept->state, 2U * ID + 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(notes_order),
	KUNIT_CASE(notes_late),
	KUNIT_CASE(notes_young),
	KUNIT_CASE(notes_full),
	KUNIT_CASE(notes_spare),
	KUNIT_CASE(notes_set_back),
	KUNIT_CASE(notes_forged),
	KUNIT_CASE(notes_parts),
	KUNIT_CASE(notes_without_clock),
	KUNIT_CASE(notes_idle),
	KUNIT_CASE(notes_counted),
	KUNIT_CASE(notes_counted_if_full),
	{}
};

static struct kunit_suite suite = {
	.name = "notes",
	.init = notes_init,
	.exit = notes_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Notes of calls: KUnit suite");
