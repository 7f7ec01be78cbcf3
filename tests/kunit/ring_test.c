// SPDX-License-Identifier: GPL-2.0
/* The ring: no record torn, every loss reported. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/sched.h>

#include "../../kmod/arch/arch.h"

/* No counter: what records are stamped with is time itself. */
void gp_arch_ticks_rate(u32 *mult, u32 *shift)
{
}

#include "../../kmod/ring/ring.c"
#include "../../kmod/ring/timeline.c"

#define HDR	((u32)sizeof(struct goprobe_record))
#define LOST	((u32)GP_RING_LOST_SIZE)

static struct gp_ring *ring;
static const struct gp_clock clock;

static int ring_init(struct kunit *test)
{
	ring = gp_ring_new(GP_RING_MIN, 0);
	return ring ? 0 : -ENOMEM;
}

static void ring_exit(struct kunit *test)
{
	gp_ring_free(ring);
}

/* Write a record of @size bytes as a handler does. Return: false if it is full. */
static bool put(struct gp_ring *r, u32 size, u64 number)
{
	struct goprobe_record *rec = (void *)gp_ring_next(r);

	if (gp_ring_space(r) < size)
		return false;
	memset(rec, (u8)number, size);
	rec->words = size / 8;
	rec->kind = GOPROBE_RECORD_CALL;
	rec->goid = number;
	gp_ring_commit(r, size);
	return true;
}

/* Size of the records that a reader with that buffer gets. */
static u32 whole_records(struct gp_ring *r, unsigned long end, u32 space)
{
	static const struct gp_timeline always = { .span = U64_MAX };
	bool younger;

	return gp_timeline_convert(&always, (void *)gp_ring_first(r),
				min_t(unsigned long, end - r->handed_out, space), &younger);
}

static const struct goprobe_record *first(void)
{
	return (const void *)gp_ring_first(ring);
}

/* Put head and tail where they would be after @position bytes. */
static void move_to(unsigned long position)
{
	ring->head = position;
	ring->handed_out = position;
	gp_ring_free_read(ring);
}

static void lose(enum goprobe_lost_cause cause, u32 n)
{
	while (n--)
		gp_ring_lose(ring, cause, GOPROBE_STAT_LOST_RING_FULL);
}

static const struct goprobe_lost *lost_at(const void *at)
{
	return (const void *)((const struct goprobe_record *)at + 1);
}

static void a_new_ring_is_empty_and_zero(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), 0U);
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), GP_RING_MIN);
	KUNIT_EXPECT_EQ(test, gp_ring_end(ring), 0UL);
	KUNIT_EXPECT_FALSE(test, gp_ring_has_losses(ring));
	KUNIT_EXPECT_TRUE(test, !memchr_inv(ring->data, 0, 2 * GP_RING_MIN));
}

static void the_memory_is_mapped_twice(struct kunit *test)
{
	u32 at;

	for (at = 0; at < GP_RING_MIN; at += 1021) {
		ring->data[at] = at % 251;
		KUNIT_EXPECT_EQ(test, ring->data[GP_RING_MIN + at], (u8)(at % 251));
		ring->data[GP_RING_MIN + at] = at % 241;
		KUNIT_EXPECT_EQ(test, ring->data[at], (u8)(at % 241));
	}
}

static void larger_rings_work_as_well(struct kunit *test)
{
	struct gp_ring *large = gp_ring_new(16 * GP_RING_MIN, 0);

	KUNIT_ASSERT_NOT_NULL(test, large);
	KUNIT_EXPECT_EQ(test, gp_ring_space(large), 16 * GP_RING_MIN);
	large->data[16 * GP_RING_MIN - 1] = 7;
	KUNIT_EXPECT_EQ(test, large->data[32 * GP_RING_MIN - 1], (u8)7);
	gp_ring_free(large);
	gp_ring_free(NULL);
}

static void a_record_across_the_end_is_contiguous(struct kunit *test)
{
	move_to(GP_RING_MIN - 64);
	KUNIT_ASSERT_TRUE(test, put(ring, 256, 42));
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), 256U);
	KUNIT_EXPECT_EQ(test, first()->words * 8, 256U);
	KUNIT_EXPECT_EQ(test, first()->goid, 42ULL);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(gp_ring_first(ring) + HDR, 42, 256 - HDR));
	/* Bytes behind the end are at the beginning. */
	KUNIT_EXPECT_EQ(test, ring->data[256 - 64 - 1], (u8)42);
	gp_ring_consume(ring, 256);
	KUNIT_EXPECT_PTR_EQ(test, gp_ring_first(ring), (const u8 *)ring->data + 192);
}

static void positions_may_overflow(struct kunit *test)
{
	move_to(-128UL);
	KUNIT_ASSERT_TRUE(test, put(ring, 256, 9));
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), 256U);
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), GP_RING_MIN - 256);
	KUNIT_EXPECT_EQ(test, whole_records(ring, gp_ring_end(ring), 4096), 256U);
	KUNIT_EXPECT_EQ(test, whole_records(ring, gp_ring_end(ring), 248), 0U);
	gp_ring_consume(ring, 256);
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), 0U);
}

static void a_full_ring_has_no_space_until_it_is_read(struct kunit *test)
{
	u32 n;

	for (n = 0; n < 10000 && put(ring, 128, n); n++)
		;
	KUNIT_EXPECT_EQ(test, n, GP_RING_MIN / 128);
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), 0U);
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), GP_RING_MIN);
	gp_ring_consume(ring, 128);
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), 128U);
	KUNIT_EXPECT_TRUE(test, put(ring, 128, n));
	KUNIT_EXPECT_FALSE(test, put(ring, 8, n));
}

static void an_unfinished_record_is_not_seen(struct kunit *test)
{
	unsigned long end;

	put(ring, 64, 1);
	end = gp_ring_end(ring);
	memset(gp_ring_next(ring), 0xff, 64);
	KUNIT_EXPECT_EQ(test, gp_ring_end(ring), end);
	put(ring, 64, 2);
	KUNIT_EXPECT_EQ(test, gp_ring_end(ring), end + 64);
	/* A pass that began before ends before it. */
	KUNIT_EXPECT_EQ(test, whole_records(ring, end, 4096), 64U);
}

struct whole_case {
	const char *claim;
	u32 space;
	u32 want;
};

/* In the ring: records of 64, 128 and 72 bytes. */
static const struct whole_case whole_cases[] = {
	{ "no space, nothing", 0, 0 },
	{ "less than a header, nothing", 8, 0 },
	{ "8 bytes short of the first, nothing", 56, 0 },
	{ "exactly the first", 64, 64 },
	{ "a little more than the first", 184, 64 },
	{ "exactly two", 192, 192 },
	{ "8 bytes short of all", 256, 192 },
	{ "exactly all", 264, 264 },
	{ "more than all", 65528, 264 },
	{ "the largest possible space", U32_MAX, 264 },
};

static void whole_desc(const struct whole_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(whole, whole_cases, whole_desc);

static void only_whole_records_are_handed_out(struct kunit *test)
{
	const struct whole_case *c = test->param_value;
	unsigned long start;

	/* The same at the beginning and across the end. */
	for (start = 0; start < GP_RING_MIN; start += GP_RING_MIN - 96) {
		move_to(start);
		put(ring, 64, 1);
		put(ring, 128, 2);
		put(ring, 72, 3);
		KUNIT_EXPECT_EQ(test, whole_records(ring, gp_ring_end(ring), c->space),
				c->want);
	}
}

static void without_losses_nothing_is_reported(struct kunit *test)
{
	u8 to[8] = { 0xaa };

	KUNIT_EXPECT_EQ(test, gp_ring_put_losses(ring, to, 0, 1), 0U);
	KUNIT_EXPECT_EQ(test, to[0], (u8)0xaa);
	KUNIT_EXPECT_TRUE(test, gp_ring_report_losses(ring, &clock));
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), 0U);
}

static void a_loss_is_counted_and_pending(struct kunit *test)
{
	lose(GOPROBE_LOST_RING_FULL, 3);
	KUNIT_EXPECT_TRUE(test, gp_ring_has_losses(ring));
	KUNIT_EXPECT_EQ(test, ring->pending[GOPROBE_LOST_RING_FULL], 3ULL);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_LOST_RING_FULL], 3ULL);
}

static void a_loss_record_says_all_and_leaks_nothing(struct kunit *test)
{
	struct goprobe_record want;
	u8 a[sizeof(want) + sizeof(struct goprobe_lost)];
	struct goprobe_record *rec = (void *)a;

	ring->cpu = 5;
	lose(GOPROBE_LOST_RING_FULL, 70000);
	memset(a, 0xa5, sizeof(a));
	KUNIT_ASSERT_EQ(test, gp_ring_put_losses(ring, a, sizeof(a), 12345), LOST);
	KUNIT_EXPECT_EQ(test, lost_at(a)->cpu, 5U);
	KUNIT_EXPECT_EQ(test, lost_at(a)->cause, (u32)GOPROBE_LOST_RING_FULL);
	KUNIT_EXPECT_EQ(test, lost_at(a)->count, 70000ULL);
	memset(&want, 0, sizeof(want));
	want.words = LOST / 8;
	want.kind = GOPROBE_RECORD_LOST;
	want.plan = GOPROBE_NO_PLAN;
	want.time = 12345;
	KUNIT_EXPECT_EQ(test, memcmp(rec, &want, sizeof(want)), 0);
	KUNIT_EXPECT_EQ(test, ring->pending[GOPROBE_LOST_RING_FULL], 0ULL);
	/* The counter stays: it is the sum. */
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_LOST_RING_FULL], 70000ULL);
}

static void causes_are_reported_in_order_as_far_as_they_fit(struct kunit *test)
{
	u8 to[3 * GP_RING_LOST_SIZE];
	u32 space, want;

	for (space = 0; space <= sizeof(to); space++) {
		memset(ring->pending, 0, sizeof(ring->pending));
		lose(GOPROBE_LOST_RING_FULL, 2);
		lose(GOPROBE_LOST_NO_RING, 5);
		memset(to, 0xa5, sizeof(to));
		want = min(space / LOST, 2U) * LOST;
		KUNIT_ASSERT_EQ(test, gp_ring_put_losses(ring, to, space, 1), want);
		KUNIT_EXPECT_TRUE(test, !memchr_inv(to + want, 0xa5, sizeof(to) - want));
		KUNIT_EXPECT_EQ(test, ring->pending[GOPROBE_LOST_RING_FULL],
				want ? 0ULL : 2ULL);
		KUNIT_EXPECT_EQ(test, ring->pending[GOPROBE_LOST_NO_RING],
				want == 2 * LOST ? 0ULL : 5ULL);
		if (want >= LOST)
			KUNIT_EXPECT_EQ(test, lost_at(to)->count, 2ULL);
		if (want == 2 * LOST)
			KUNIT_EXPECT_EQ(test, lost_at(to + LOST)->count, 5ULL);
	}
}

static void losses_stand_where_they_fell(struct kunit *test)
{
	put(ring, 64, 1);
	lose(GOPROBE_LOST_RING_FULL, 4);
	KUNIT_EXPECT_TRUE(test, gp_ring_report_losses(ring, &clock));
	put(ring, 64, 2);
	KUNIT_EXPECT_EQ(test, first()->goid, 1ULL);
	gp_ring_consume(ring, first()->words * 8);
	KUNIT_EXPECT_EQ(test, (u32)first()->kind, (u32)GOPROBE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost_at(first())->count, 4ULL);
	gp_ring_consume(ring, first()->words * 8);
	KUNIT_EXPECT_EQ(test, first()->goid, 2ULL);
	gp_ring_consume(ring, first()->words * 8);
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), 0U);
}

static void a_full_ring_keeps_its_losses(struct kunit *test)
{
	u32 n;

	for (n = 0; n < 10000 && put(ring, 64, n); n++)
		;
	lose(GOPROBE_LOST_RING_FULL, 1);
	KUNIT_EXPECT_FALSE(test, gp_ring_report_losses(ring, &clock));
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), GP_RING_MIN);
	/* Not enough for the record of the loss. */
	gp_ring_consume(ring, LOST - 8);
	KUNIT_EXPECT_FALSE(test, gp_ring_report_losses(ring, &clock));
	lose(GOPROBE_LOST_RING_FULL, 1);
	gp_ring_consume(ring, 64);
	KUNIT_EXPECT_TRUE(test, gp_ring_report_losses(ring, &clock));
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), 64U - 8);
	KUNIT_EXPECT_FALSE(test, gp_ring_has_losses(ring));
}

/* Deterministic: the same sequence in each run. */
static u32 next_random(u32 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

struct tally {
	u64 next;	/* number that the next record must have, losses aside */
	u64 lost;
	u64 wrong;
};

/* Check and consume the records that a reader with that buffer gets. */
static void drain(struct gp_ring *r, unsigned long end, u32 space, struct tally *t)
{
	u32 size = whole_records(r, end, space), at;
	const u8 *data = gp_ring_first(r);

	for (at = 0; at < size;) {
		const struct goprobe_record *rec = (const void *)(data + at);

		if (rec->words * 8 < HDR || rec->words * 8 > size - at) {
			t->wrong++;
			break;
		}
		if (rec->kind == GOPROBE_RECORD_LOST) {
			t->lost += lost_at(rec)->count;
			t->next += lost_at(rec)->count;
		} else {
			t->wrong += rec->goid != t->next++ ||
				    memchr_inv(rec + 1, (u8)rec->goid, rec->words * 8 - HDR);
		}
		at += rec->words * 8;
	}
	/* No progress with space for any record is wrong, and would go on for ever. */
	t->wrong += !size && space >= 4096 && end != r->tail;
	gp_ring_consume(r, size);
}

/* One hit, as the handler does it. */
static void hit(struct gp_ring *r, u32 size, u64 number)
{
	if ((gp_ring_has_losses(r) && !gp_ring_report_losses(r, &clock)) || !put(r, size, number))
		gp_ring_lose(r, GOPROBE_LOST_RING_FULL, GOPROBE_STAT_LOST_RING_FULL);
}

static void every_record_arrives_or_is_reported_lost_in_its_place(struct kunit *test)
{
	struct tally t = {};
	u32 state = 2463534242U;
	u64 n = 0;

	while (!t.wrong && n < 40000) {
		u32 burst = next_random(&state) % 200;

		while (burst--)
			hit(ring, HDR + 8 * (next_random(&state) % 150), n++);
		drain(ring, gp_ring_end(ring), next_random(&state) % 60000 & ~7U, &t);
	}
	while (!t.wrong && gp_ring_used(ring))
		drain(ring, gp_ring_end(ring), 32768, &t);
	KUNIT_EXPECT_EQ(test, t.wrong, 0ULL);
	KUNIT_EXPECT_GT(test, t.lost, 1000ULL);
	KUNIT_EXPECT_EQ(test, t.next + ring->pending[GOPROBE_LOST_RING_FULL], n);
	KUNIT_EXPECT_EQ(test, t.lost + ring->pending[GOPROBE_LOST_RING_FULL],
			ring->stat[GOPROBE_STAT_LOST_RING_FULL]);
}

#define RACE_RECORDS	30000

struct race {
	struct gp_ring *ring;
	struct completion done;
};

static int race_producer(void *data)
{
	struct race *race = data;
	u32 state = 88675123;
	u64 n;

	for (n = 0; n < RACE_RECORDS; n++) {
		hit(race->ring, HDR + 8 * (next_random(&state) % 40), n);
		if (n % 64 == 0)
			cond_resched();
	}
	complete(&race->done);
	return 0;
}

static void writer_and_reader_at_the_same_time_agree(struct kunit *test)
{
	struct race race = { .ring = ring };
	struct task_struct *task;
	struct tally t = {};
	bool done;

	init_completion(&race.done);
	task = kthread_run(race_producer, &race, "gp_ring_race");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	do {
		done = completion_done(&race.done);
		drain(ring, gp_ring_end(ring), 4096, &t);
		cond_resched();
	} while (!t.wrong && (!done || gp_ring_used(ring)));
	wait_for_completion(&race.done);
	KUNIT_EXPECT_EQ(test, t.wrong, 0ULL);
	KUNIT_EXPECT_EQ(test, t.next + ring->pending[GOPROBE_LOST_RING_FULL],
			(u64)RACE_RECORDS);
}

static int slow_producer(void *data)
{
	struct race *race = data;

	preempt_disable();
	gp_ring_open(race->ring);
	mdelay(5);
	hit(race->ring, 64, 1);
	gp_ring_close(race->ring);
	preempt_enable();
	complete(&race->done);
	return 0;
}

static void a_reader_waits_for_the_record_that_is_being_written(struct kunit *test)
{
	struct race race = { .ring = ring };
	struct task_struct *task;

	gp_ring_settle(ring);	/* nobody writes: it returns */
	init_completion(&race.done);
	task = kthread_run(slow_producer, &race, "gp_ring_slow");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (!READ_ONCE(ring->open) && !completion_done(&race.done))
		cond_resched();
	gp_ring_settle(ring);
	KUNIT_EXPECT_EQ(test, gp_ring_end(ring), 64UL);
	wait_for_completion(&race.done);
}

/* A message with @size bytes of the ring behind a head of 4 bytes. */
static struct sk_buff *lend(struct kunit *test, u32 size)
{
	struct sk_buff *skb = alloc_skb(64, GFP_KERNEL);
	unsigned int own;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memcpy(skb_put(skb, 4), "head", 4);
	own = skb->truesize;
	gp_ring_lend(ring, skb, size);
	/* A tap keeps a quarter of the ring at most, and no receive buffer is charged for it. */
	KUNIT_EXPECT_LE(test, size, (u32)(GP_RING_MIN / 4));
	KUNIT_EXPECT_EQ(test, skb->truesize, own);
	return skb;
}

static void what_is_lent_is_the_ring_itself_and_free_when_it_was_read(struct kunit *test)
{
	static u8 read[GP_RING_MIN / 4];
	const u8 *from;
	struct sk_buff *skb;
	u32 size, all;

	/* Not at a page's beginning, and across the end. */
	move_to(GP_RING_MIN - 3 * PAGE_SIZE + 40);
	while (put(ring, 120, ring->head % 251))
		;
	from = gp_ring_first(ring);
	size = gp_ring_lendable(ring) / 120 * 120;
	KUNIT_ASSERT_LE(test, size, (u32)sizeof(read));
	KUNIT_ASSERT_GT(test, size, (u32)(sizeof(read) - 120));
	all = gp_ring_unread(ring);
	KUNIT_EXPECT_EQ(test, all, gp_ring_used(ring));
	skb = lend(test, size);
	KUNIT_EXPECT_EQ(test, skb->len, size + 4);
	KUNIT_EXPECT_EQ(test, gp_ring_lendable(ring), 0U);
	/* It takes space, but nothing of it can be read. */
	KUNIT_EXPECT_EQ(test, gp_ring_used(ring), all);
	KUNIT_EXPECT_EQ(test, gp_ring_unread(ring), all - size);
	KUNIT_EXPECT_LT(test, gp_ring_space(ring), 120U);
	KUNIT_EXPECT_FALSE(test, gp_ring_take_back(ring));
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 4, read, size), 0);
	KUNIT_EXPECT_TRUE(test, !memcmp(read, from, size));
	kfree_skb(skb);
	KUNIT_EXPECT_TRUE(test, gp_ring_take_back(ring));
	KUNIT_EXPECT_FALSE(test, gp_ring_take_back(ring));
	KUNIT_EXPECT_GE(test, gp_ring_space(ring), size);
	KUNIT_EXPECT_PTR_EQ(test, gp_ring_first(ring), from + size - GP_RING_MIN);
}

static void what_is_copied_behind_what_is_lent_is_not_free_before_it(struct kunit *test)
{
	struct sk_buff *skb, *tap;

	while (put(ring, 1024, 1))
		;
	skb = lend(test, 8192);
	tap = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tap);
	KUNIT_EXPECT_FALSE(test, gp_ring_consume(ring, 4096));
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), 0U);
	kfree_skb(skb);
	/* Somebody else still has it. */
	KUNIT_EXPECT_FALSE(test, gp_ring_take_back(ring));
	gp_ring_consume(ring, 1024);
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), 0U);
	kfree_skb(tap);
	KUNIT_EXPECT_TRUE(test, gp_ring_take_back(ring));
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), 8192U + 4096 + 1024);
	gp_ring_consume(ring, 1024);
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), 8192U + 4096 + 2048);
}

static void what_somebody_keeps_the_beginning_of_is_not_free(struct kunit *test)
{
	struct sk_buff *skb, *tap;
	u32 size;

	/* Across the end, so that it is more than one block. */
	move_to(GP_RING_MIN - 2 * PAGE_SIZE);
	while (put(ring, 1024, 1))
		;
	size = gp_ring_lendable(ring);
	KUNIT_ASSERT_GT(test, size, (u32)(3 * PAGE_SIZE));
	skb = lend(test, size);
	tap = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tap);
	/* More than would be copied into its head. */
	KUNIT_ASSERT_EQ(test, pskb_trim(tap, 4 + 2048), 0);
	kfree_skb(skb);
	KUNIT_EXPECT_FALSE(test, gp_ring_take_back(ring));
	kfree_skb(tap);
	KUNIT_EXPECT_TRUE(test, gp_ring_take_back(ring));
	KUNIT_EXPECT_EQ(test, gp_ring_space(ring), size);
}

static void a_message_outlives_the_ring(struct kunit *test)
{
	static u8 read[4096];
	struct gp_ring *other = ring;
	struct sk_buff *skb;

	ring = gp_ring_new(GP_RING_MIN, 0);
	KUNIT_ASSERT_NOT_NULL(test, ring);
	while (put(ring, 512, 9))
		;
	skb = lend(test, sizeof(read));
	gp_ring_free(ring);
	ring = other;
	KUNIT_ASSERT_EQ(test, skb_copy_bits(skb, 4, read, sizeof(read)), 0);
	KUNIT_EXPECT_TRUE(test, !memchr_inv(read + HDR, 9, 512 - HDR));
	kfree_skb(skb);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_new_ring_is_empty_and_zero),
	KUNIT_CASE(the_memory_is_mapped_twice),
	KUNIT_CASE(larger_rings_work_as_well),
	KUNIT_CASE(a_record_across_the_end_is_contiguous),
	KUNIT_CASE(positions_may_overflow),
	KUNIT_CASE(a_full_ring_has_no_space_until_it_is_read),
	KUNIT_CASE(an_unfinished_record_is_not_seen),
	KUNIT_CASE_PARAM(only_whole_records_are_handed_out, whole_gen_params),
	KUNIT_CASE(without_losses_nothing_is_reported),
	KUNIT_CASE(a_loss_is_counted_and_pending),
	KUNIT_CASE(a_loss_record_says_all_and_leaks_nothing),
	KUNIT_CASE(causes_are_reported_in_order_as_far_as_they_fit),
	KUNIT_CASE(losses_stand_where_they_fell),
	KUNIT_CASE(a_full_ring_keeps_its_losses),
	KUNIT_CASE(every_record_arrives_or_is_reported_lost_in_its_place),
	KUNIT_CASE(writer_and_reader_at_the_same_time_agree),
	KUNIT_CASE(a_reader_waits_for_the_record_that_is_being_written),
	KUNIT_CASE(what_is_lent_is_the_ring_itself_and_free_when_it_was_read),
	KUNIT_CASE(what_is_copied_behind_what_is_lent_is_not_free_before_it),
	KUNIT_CASE(what_somebody_keeps_the_beginning_of_is_not_free),
	KUNIT_CASE(a_message_outlives_the_ring),
	{}
};

static struct kunit_suite suite = {
	.name = "ring",
	.init = ring_init,
	.exit = ring_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Ring of records: KUnit suite");
