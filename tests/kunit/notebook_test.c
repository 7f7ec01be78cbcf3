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
/* CPU 0's, as the process sees them. */
static struct gp_detour_ring *its;

#define STRIPES	4

static atomic_long_t taken;
static struct gp_spare spare = { .session = &taken, .cpu_shift = 30 };

unsigned long gp_area_notes_new(struct gp_spare *of, unsigned long near, struct page **pages)
{
	u32 n = STRIPES * GP_AREA_NOTE_PAGES;

	for (pinned = 0; pinned < n; pinned++) {
		pages[pinned] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!pages[pinned])
			return -ENOMEM;
	}
	mapped++;
	its = vmap(pages, GP_AREA_NOTE_PAGES, VM_MAP, PAGE_KERNEL);
	return AT;
}

void gp_area_notes_unmap(unsigned long at, u8 cpu_shift)
{
	mapped--;
}

void gp_area_notes_free(atomic_long_t *session, struct mm_struct *mm, struct page **pages,
			u8 cpu_shift)
{
	vunmap(its);
	while (pinned)
		__free_page(pages[--pinned]);
}

static int notebook_init(struct kunit *test)
{
	mapped = 0;
	book = gp_notebook_new(GP_RING_MIN, &ticks);
	return book ? 0 : -ENOMEM;
}

static void notebook_exit(struct kunit *test)
{
	if (book && book->users) {
		book->users = 1;
		gp_notebook_leave(book, true);
	}
	gp_notebook_free(book);
}

static void join(struct kunit *test)
{
	spare.pid = task_tgid(current);
	KUNIT_ASSERT_EQ(test, gp_notebook_join(book, NEAR, &spare), 0);
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

static void leave_notes(u32 id, u32 n)
{
	while (n--)
		its->note[its->next++ % GP_DETOUR_NOTES].state = 2 * id + 1;
}

/* What files of one process have left stays while one of them may use it, and its notes are one. */
static void several_use_it(struct kunit *test)
{
	join(test);
	join(test);
	KUNIT_EXPECT_TRUE(test, gp_notebook_suits(book, &process));
	KUNIT_EXPECT_FALSE(test, gp_notebook_suits(book, &other));
	gp_notebook_leave(book, true);
	KUNIT_EXPECT_EQ(test, mapped, 1U);
	KUNIT_EXPECT_FALSE(test, gp_notebook_suits(book, &other));
	gp_notebook_leave(book, true);
	KUNIT_EXPECT_EQ(test, mapped, 0U);
	KUNIT_EXPECT_EQ(test, pinned, 0U);
	KUNIT_EXPECT_TRUE(test, gp_notebook_suits(book, &other));
}

/* If one has left in whose code a thread may still be, it stays mapped; but the next need not. */
static void it_stays_for_threads(struct kunit *test)
{
	join(test);
	join(test);
	gp_notebook_leave(book, false);
	gp_notebook_leave(book, true);
	KUNIT_EXPECT_EQ(test, mapped, 1U);
	KUNIT_EXPECT_EQ(test, pinned, 0U);
	join(test);
	gp_notebook_leave(book, true);
	KUNIT_EXPECT_EQ(test, mapped, 1U);
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
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, true), 1U);
	KUNIT_EXPECT_EQ(test, ((struct goprobe_record *)gp_ring_first(book->stripe[0]->ring))->ip,
			1ULL);
	gp_notebook_leave(book, true);
	join(test);
	KUNIT_EXPECT_EQ(test, add(test, 2, second), 1U);
}

/* Drains leave space for a pass; the end of the process counts what has none. */
static void a_pass_has_space(struct kunit *test)
{
	struct gp_ring *ring = book->stripe[0]->ring;
	u32 id, n, all = 0;

	join(test);
	id = add(test, 1, 0);
	do {
		leave_notes(id, GP_DETOUR_NOTES);
		n = gp_notebook_drain(book, 0, false);
		all += n;
	} while (n);
	KUNIT_EXPECT_LT(test, gp_ring_space(ring), GP_NOTES_RECORDS + GP_NOTES_RECORD);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, true), GP_DETOUR_NOTES);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_CALLS], (u64)all + GP_DETOUR_NOTES);
	ring->head = ring->tail + GP_RING_MIN;
	leave_notes(id, 3);
	gp_notebook_leave(book, true);
	KUNIT_EXPECT_EQ(test, ring->stat[GOPROBE_STAT_LOST_RING_FULL], 3ULL);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, true), 0U);
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
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, true), 1U);
	gp_notebook_leave(book, true);
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
		taken += its->note[i].state == 1;
	KUNIT_EXPECT_EQ(test, taken, GP_DETOUR_NOTES);
	KUNIT_EXPECT_EQ(test, gp_notebook_drain(book, 0, true), 0U);
	add(test, 1, 0);
	gp_notebook_leave(book, true);
	book->stripe[0] = notes;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(several_use_it),
	KUNIT_CASE(it_stays_for_threads),
	KUNIT_CASE(points_are_added_once),
	KUNIT_CASE(a_pass_has_space),
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
