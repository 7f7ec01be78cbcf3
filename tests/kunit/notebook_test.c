// SPDX-License-Identifier: GPL-2.0
/* Notes of a session: the test stands in for the process, and its memory for the process's. */
#include <kunit/test.h>
#include <linux/gfp.h>
#include <linux/mm_types.h>
#include <linux/sched.h>

#include "../../kmod/jump/notebook.c"
#include "../../kmod/ring/notes.c"
#include "../../kmod/ring/ring.c"

#define NEAR	0x401000
#define AT	0x20000000

static const struct gp_clock ticks = { .mult = 1 };
static struct gp_notebook *book;
static struct mm_struct process, other;
static u32 mapped, pinned;
static struct gp_kept_notes kept;
static struct page **memory;
/* CPU 0's, as the process sees them. */
static struct gp_detour_ring *its;

#define STRIPES	4

static atomic_long_t taken;
static struct gp_spare spare = { .session = &taken, .cpu_shift = 30 };

unsigned long gp_area_notes_new(struct gp_spare *of, unsigned long near, unsigned long at,
				struct page **pages)
{
	u32 n = STRIPES * GP_AREA_NOTE_PAGES;

	for (pinned = 0; pinned < n; pinned++) {
		pages[pinned] = at ? memory[pinned] : alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!pages[pinned])
			return -ENOMEM;
		memory[pinned] = pages[pinned];
	}
	mapped += !at;
	its = vmap(pages, GP_AREA_NOTE_PAGES, VM_MAP, PAGE_KERNEL);
	return AT;
}

/* The process keeps the memory. */
void gp_area_notes_free(atomic_long_t *session, struct mm_struct *mm, struct page **pages,
			u8 cpu_shift)
{
	vunmap(its);
	pinned = 0;
}

static void leave(void)
{
	gp_notebook_leave(book, &kept);
}

static int notebook_init(struct kunit *test)
{
	mapped = 0;
	memset(&kept, 0, sizeof(kept));
	memory = kvcalloc(STRIPES * GP_AREA_NOTE_PAGES, sizeof(*memory), GFP_KERNEL);
	if (!memory)
		return -ENOMEM;
	book = gp_notebook_new(GP_RING_MIN, &ticks);
	return book ? 0 : -ENOMEM;
}

static void notebook_exit(struct kunit *test)
{
	u32 i;

	if (book && book->users) {
		book->users = 1;
		leave();
	}
	gp_notebook_free(book);
	for (i = 0; i < STRIPES * GP_AREA_NOTE_PAGES; i++)
		if (memory[i])
			__free_page(memory[i]);
	kvfree(memory);
}

static void join(struct kunit *test)
{
	spare.pid = task_tgid(current);
	KUNIT_ASSERT_EQ(test, gp_notebook_join(book, NEAR, &spare, &kept), 0);
	/* The test may be a kernel thread, which has none. */
	book->mm = &process;
}

static u32 add(struct kunit *test, u64 ip, u32 id)
{
	struct gp_note_point point = {
		.stat = GOPROBE_STAT_CALLS, .size = sizeof(struct goprobe_record), .ip = ip,
	};
	int ret = gp_notebook_add(book, &point, id);

	KUNIT_ASSERT_GT(test, ret, 0);
	return ret;
}

static int add_again(u64 ip, u32 id)
{
	struct gp_note_point point = {
		.stat = GOPROBE_STAT_CALLS, .size = sizeof(struct goprobe_record), .ip = ip,
	};

	return gp_notebook_add_again(book, &point, id);
}

static void leave_notes(u32 id, u32 n)
{
	while (n--)
		its->note[its->next++ % GP_DETOUR_NOTES].state = 2 * id + 1;
}

/* Files of one process use the same notes, and the last one leaves them to the next session. */
static void several_use_it(struct kunit *test)
{
	join(test);
	join(test);
	KUNIT_EXPECT_TRUE(test, gp_notebook_suits(book, &process));
	KUNIT_EXPECT_FALSE(test, gp_notebook_suits(book, &other));
	leave();
	KUNIT_EXPECT_EQ(test, kept.at, 0UL);
	KUNIT_EXPECT_FALSE(test, gp_notebook_suits(book, &other));
	leave();
	KUNIT_EXPECT_EQ(test, kept.at, (unsigned long)AT);
	KUNIT_EXPECT_EQ(test, pinned, 0U);
	KUNIT_EXPECT_TRUE(test, gp_notebook_suits(book, &other));
	join(test);
	KUNIT_EXPECT_EQ(test, kept.at, 0UL);
	KUNIT_EXPECT_EQ(test, mapped, 1U);
	leave();
}

/* What a thread leaves late, in a detour of an earlier session, is no record of another point. */
static void numbers_are_not_given_twice(struct kunit *test)
{
	u32 first, second;

	join(test);
	first = add(test, 1, 0);
	second = add(test, 2, 0);
	leave();
	join(test);
	KUNIT_EXPECT_GT(test, add(test, 3, 0), second);
	/* Not even to a point that had the number in another process. */
	KUNIT_EXPECT_GT(test, add(test, 3, first), second);
	leave_notes(first, 1);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), 0U);
	/* Unless the detour is that of the point again. */
	KUNIT_EXPECT_EQ(test, add_again(2, second), 0);
	leave_notes(second, 1);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), 1U);
	KUNIT_EXPECT_EQ(test, add_again(2, second), -EEXIST);
	KUNIT_EXPECT_EQ(test, add_again(2, second + 10), -EEXIST);
	KUNIT_EXPECT_EQ(test, add_again(2, 0), -EEXIST);
	leave();
}

/* A note that a thread is still writing stays that thread's; others are free. */
static void notes_are_free_but_those_being_written(struct kunit *test)
{
	join(test);
	its->note[7].state = 1;
	its->note[8].state = 2 * 5 + 1;
	leave();
	join(test);
	KUNIT_EXPECT_EQ(test, its->note[7].state, 1U);
	KUNIT_EXPECT_EQ(test, its->note[8].state, 0U);
	leave();
}

/* A point that is tried again keeps its number, as long as the process does. */
static void points_are_added_once(struct kunit *test)
{
	u32 first, second, i;

	join(test);
	first = add(test, 1, 0);
	second = add(test, 2, 0);
	KUNIT_EXPECT_NE(test, first, second);
	KUNIT_EXPECT_EQ(test, add(test, 1, first), first);
	KUNIT_EXPECT_EQ(test, add(test, 2, second), second);
	/* Elsewhere it is another. */
	KUNIT_EXPECT_EQ(test, add(test, 3, second), second + 1);
	/* The table grows. */
	for (i = 0; i < 100; i++)
		add(test, 10 + i, 0);
	leave_notes(first, 1);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), 1U);
	KUNIT_EXPECT_EQ(test, ((struct goprobe_record *)gp_ring_first(book->stripe[0]->ring))->ip,
			1ULL);
	leave();
}

/* Drain as often as there is space. Return: number of records. */
static u32 drain_repeatedly(u32 id)
{
	u32 n, all = 0;

	do {
		leave_notes(id, GP_DETOUR_NOTES);
		n = gp_notebook_drain(book, 0, U64_MAX, false);
		all += n;
	} while (n);
	return all;
}

/* Drains leave space for a pass, and that to the end of the notes, which counts what has none. */
static void a_pass_has_space(struct kunit *test)
{
	struct gp_ring *ring = book->stripe[0]->ring;
	u32 id, all;

	join(test);
	id = add(test, 1, 0);
	all = drain_repeatedly(id);
	KUNIT_EXPECT_GT(test, all, 0U);
	KUNIT_EXPECT_LT(test, gp_ring_space(ring), GP_NOTES_SPARE + GP_NOTES_RECORD);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), GP_DETOUR_NOTES);
	leave_notes(id, GP_DETOUR_NOTES);
	ring->head = ring->tail + ring->size - GP_NOTES_SPARE_PASS;
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), 0U);
	leave();
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_CALLS], (u64)all + 2 * GP_DETOUR_NOTES);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_LOST_RING_FULL], 0ULL);
	join(test);
	id = add(test, 1, 0);
	ring->head = ring->tail + ring->size;
	leave_notes(id, 3);
	leave();
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_LOST_RING_FULL], 3ULL);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), 0U);
}

/* Others have filled the ring since the pass began: the next pass has space nevertheless. */
static void a_pass_leaves_younger_notes(struct kunit *test)
{
	struct gp_ring *ring = book->stripe[0]->ring;
	u64 until = gp_clock_read(book->clock);
	u32 id, i;

	join(test);
	id = add(test, 1, 0);
	for (i = 0; i < GP_DETOUR_NOTES; i++)
		its->note[i].time = until + 1;
	drain_repeatedly(id);
	its->note[5].time = until;
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, until, true), 1U);
	KUNIT_EXPECT_GE(test, gp_ring_space(ring), GP_NOTES_SPARE_PASS + GP_NOTES_RECORDS);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, until + 1, true), GP_DETOUR_NOTES - 1);
	leave();
}

/* What is left after the session has been stopped is neither recorded nor lost. */
static void it_is_stopped(struct kunit *test)
{
	struct gp_ring *ring = book->stripe[0]->ring;
	u32 id;

	join(test);
	id = add(test, 1, 0);
	leave_notes(id, 2);
	gp_notebook_stop(book);
	its->note[1].time = book->end + 1;
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), 1U);
	leave();
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_CALLS], 1ULL);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_LOST_RING_FULL], 0ULL);
}

/* CPUs of which each has the same number modulo the number of stripes have the same notes. */
static void cpus_share_stripes(struct kunit *test)
{
	u32 cpu;

	join(test);
	for (cpu = 0; cpu < 4096; cpu++)
		KUNIT_EXPECT_EQ(test, gp_notebook_stripe(book, cpu), cpu % STRIPES);
}

/* On a CPU without a ring all calls land. */
static void a_cpu_may_have_none(struct kunit *test)
{
	struct gp_notes *notes = book->stripe[0];
	u32 i, taken = 0;

	book->stripe[0] = NULL;
	join(test);
	for (i = 0; i < GP_DETOUR_NOTES; i++)
		taken += its->note[i].state & 1;
	KUNIT_EXPECT_EQ(test, taken, GP_DETOUR_NOTES);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, U64_MAX, true), 0U);
	add(test, 1, 0);
	leave();
	book->stripe[0] = notes;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(several_use_it),
	KUNIT_CASE(numbers_are_not_given_twice),
	KUNIT_CASE(notes_are_free_but_those_being_written),
	KUNIT_CASE(points_are_added_once),
	KUNIT_CASE(a_pass_has_space),
	KUNIT_CASE(a_pass_leaves_younger_notes),
	KUNIT_CASE(it_is_stopped),
	KUNIT_CASE(cpus_share_stripes),
	KUNIT_CASE(a_cpu_may_have_none),
	{}
};

static struct kunit_suite suite = {
	.name = "notebook",
	.init = notebook_init,
	.exit = notebook_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Notes of a session: KUnit suite");
