// SPDX-License-Identifier: GPL-2.0
/* Open calls in slots of a process: pages of the test stand in for the process's memory. */
#include <kunit/test.h>
#include <linux/mm.h>

#include "../../kmod/jump/slots.c"
#include "../../kmod/stats/remote.c"
#include "../../kmod/stats/tally.c"

#define G	0xc000002540ULL
#define ID	5
#define OTHER	6

static struct gp_slots *slots;
static struct gp_tallies tallies;
static struct mm_struct *mm;
static LIST_HEAD(all);

/* What the module has elsewhere: slots are made by the test. */
unsigned long gp_area_slots_new(struct gp_spare *spare, unsigned long near, unsigned long kept,
				struct page **pages)
{
	return -ENOMEM;
}

void gp_area_slots_free(struct gp_spare *spare, struct mm_struct *of, struct page **pages)
{
}

static int slots_init(struct kunit *test)
{
	u32 i;

	slots = kunit_kzalloc(test, sizeof(*slots), GFP_KERNEL);
	mm = kunit_kzalloc(test, sizeof(*mm), GFP_KERNEL);
	if (!slots || !mm)
		return -ENOMEM;
	atomic_set(&mm->mm_users, 1);
	slots->mm = mm;
	for (i = 0; i < GP_AREA_SLOT_PAGES; i++) {
		slots->pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
		if (!slots->pages[i])
			return -ENOMEM;
	}
	list_add_rcu(&slots->node, &all);
	gp_tallies_init(&tallies);
	for (i = ID; i <= OTHER; i++)
		if (gp_tallies_add(&tallies, i, true) ||
		    gp_tally_add_remote(gp_tallies_find(&tallies, i)))
			return -ENOMEM;
	return 0;
}

static void slots_exit(struct kunit *test)
{
	u32 i;

	list_del_rcu(&slots->node);
	synchronize_rcu();
	for (i = 0; i < GP_AREA_SLOT_PAGES; i++)
		if (slots->pages[i])
			__free_page(slots->pages[i]);
	gp_tallies_fini(&tallies);
}

static struct gp_detour_slot *find(u64 g, u32 depth)
{
	return gp_slots_of(gp_slots_find(&all, mm), g, depth);
}

static enum gp_slot_end open(u64 g, u32 depth, u64 now, u32 *id)
{
	return gp_slot_open(find(g, depth), g, depth, now, id);
}

static void a_call_is_found_at_its_end_and_nowhere_else(struct kunit *test)
{
	struct gp_detour_slot *slot = find(G, 800);
	u64 began = 0;
	u32 id = ID;

	KUNIT_EXPECT_PTR_EQ(test, slot, gp_slots_get(slots, gp_detour_slot_of(G, 800)));
	KUNIT_EXPECT_FALSE(test, gp_slot_close(slot, G, 800, ID, &began));
	KUNIT_EXPECT_EQ(test, open(G, 800, 77, &id), GP_SLOT_OPEN);
	KUNIT_EXPECT_EQ(test, slot->g, G);
	KUNIT_EXPECT_EQ(test, slot->depth, 800U);
	KUNIT_EXPECT_EQ(test, slot->id, (u32)ID);
	KUNIT_EXPECT_FALSE(test, gp_slot_close(slot, G + 448, 800, ID, &began));
	KUNIT_EXPECT_FALSE(test, gp_slot_close(slot, G, 808, ID, &began));
	KUNIT_EXPECT_FALSE(test, gp_slot_close(slot, G, 800, OTHER, &began));
	KUNIT_EXPECT_TRUE(test, gp_slot_close(slot, G, 800, ID, &began));
	KUNIT_EXPECT_EQ(test, began, 77ULL);
	KUNIT_EXPECT_FALSE(test, gp_slot_close(slot, G, 800, ID, &began));
}

static void a_process_without_slots_has_none(struct kunit *test)
{
	struct mm_struct *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_NULL(test, gp_slots_find(&all, other));
}

/* Depths whose calls have the same slot. */
#define ROUND	(GP_DETOUR_SLOTS * 8)

static void a_call_takes_the_slot_of_one_that_must_have_ended(struct kunit *test)
{
	u32 id = ID;

	KUNIT_EXPECT_EQ(test, open(G, 800 + ROUND, 1, &id), GP_SLOT_OPEN);
	id = OTHER;
	KUNIT_EXPECT_EQ(test, open(G, 800, 2, &id), GP_SLOT_REPLACED);
	KUNIT_EXPECT_EQ(test, id, (u32)ID);
	id = ID;
	KUNIT_EXPECT_EQ(test, open(G, 800, 3, &id), GP_SLOT_REPLACED);
	KUNIT_EXPECT_EQ(test, id, (u32)OTHER);
	KUNIT_EXPECT_EQ(test, find(G, 800)->began, 3ULL);
}

static void a_call_leaves_the_slot_of_one_that_may_be_open(struct kunit *test)
{
	struct gp_detour_slot *slot = find(G, 800), before;
	u32 id = ID;

	KUNIT_EXPECT_EQ(test, open(G, 800, 1, &id), GP_SLOT_OPEN);
	before = *slot;
	id = OTHER;
	/* A deeper call of the same goroutine, and one of another. */
	KUNIT_ASSERT_PTR_EQ(test, slot, find(G, 800 + ROUND));
	KUNIT_EXPECT_EQ(test, open(G, 800 + ROUND, 2, &id), GP_SLOT_TAKEN);
	KUNIT_ASSERT_PTR_EQ(test, slot, find(G + 4 * 4 * ROUND, 800));
	KUNIT_EXPECT_EQ(test, open(G + 4 * 4 * ROUND, 800, 2, &id), GP_SLOT_TAKEN);
	KUNIT_EXPECT_EQ(test, memcmp(slot, &before, sizeof(before)), 0);
}

static struct goprobe_tally read(u32 id)
{
	u64 *bucket = kcalloc(GOPROBE_BUCKETS, sizeof(*bucket), GFP_KERNEL);
	struct goprobe_tally tally = {};

	if (bucket)
		gp_tally_read(gp_tallies_find(&tallies, id), id, &tally, bucket);
	kfree(bucket);
	return tally;
}

static void open_calls_count_for_their_functions(struct kunit *test)
{
	struct gp_detour_slot *forged = gp_slots_get(slots, 17);
	u32 id, i;

	for (i = 0; i < 5; i++) {
		id = i < 2 ? ID : OTHER;
		KUNIT_EXPECT_EQ(test, open(G, 800 + 8 * i, 1, &id), GP_SLOT_OPEN);
	}
	/* A program can write any id. */
	*forged = (struct gp_detour_slot){ .g = G, .id = 12345 };
	for (i = 0; i < 2; i++) {
		gp_tallies_forget_slots(&tallies);
		gp_slots_count(slots, &tallies);
	}
	KUNIT_EXPECT_EQ(test, read(ID).calls, 2ULL);
	KUNIT_EXPECT_EQ(test, read(OTHER).calls, 3ULL);
	KUNIT_EXPECT_EQ(test, read(OTHER).exited, 0ULL);
	atomic_set(&mm->mm_users, 0);
	gp_tallies_forget_slots(&tallies);
	gp_slots_count(slots, &tallies);
	KUNIT_EXPECT_EQ(test, read(OTHER).calls, 3ULL);
	KUNIT_EXPECT_EQ(test, read(OTHER).exited, 3ULL);
}

static void each_hit_of_a_call_in_a_slot_counts_once(struct kunit *test)
{
	struct gp_tally *tally = gp_tallies_find(&tallies, ID);
	u64 stats[__GOPROBE_STAT_MAX] = {};

	/* Three calls end in detours, of which a handler had begun one. */
	tally->remote->past[10] = 3;
	gp_tally_to_slot(tally);
	/* A detour began two more, which handlers end, one without its return. */
	gp_tally_from_slot(tally);
	gp_tally_return(tally, 1000);
	gp_tally_from_slot(tally);
	gp_tally_unwound(tally);
	/* A handler began one that is open, a detour another. */
	gp_tally_to_slot(tally);
	tally->remote->open = 2;
	gp_tallies_stats(&tallies, stats);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_OPENED], 7ULL);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_TIMED], 4ULL);
	/* Entries: 2 + 2 + 1. Ends: 3. */
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_JUMPED], 8ULL);
}

static void emptied_slots_make_no_number_negative(struct kunit *test)
{
	u64 stats[__GOPROBE_STAT_MAX] = {};

	gp_tally_to_slot(gp_tallies_find(&tallies, ID));
	gp_tallies_find(&tallies, OTHER)->remote->past[10] = 3;
	gp_tallies_stats(&tallies, stats);
	KUNIT_EXPECT_EQ(test, stats[GOPROBE_STAT_JUMPED], 6ULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_call_is_found_at_its_end_and_nowhere_else),
	KUNIT_CASE(a_process_without_slots_has_none),
	KUNIT_CASE(a_call_takes_the_slot_of_one_that_must_have_ended),
	KUNIT_CASE(a_call_leaves_the_slot_of_one_that_may_be_open),
	KUNIT_CASE(open_calls_count_for_their_functions),
	KUNIT_CASE(each_hit_of_a_call_in_a_slot_counts_once),
	KUNIT_CASE(emptied_slots_make_no_number_negative),
	{}
};

static struct kunit_suite suite = {
	.name = "slots",
	.init = slots_init,
	.exit = slots_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Open calls in slots: KUnit suite");
