// SPDX-License-Identifier: GPL-2.0
/* Numbers that programs count themselves: pages stand in for the programs' memory. */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>

#include "../../kmod/stats/remote.c"

#define PAGES		4
#define PROGRAMS	2
#define STEPS		200000U

static struct page *pages[PROGRAMS][PAGES];
static struct gp_remote_counter counters[PROGRAMS];
static struct gp_remote number;
static u64 seen[PROGRAMS][3];
static atomic_t running;

static u64 *part(u32 program, u32 page)
{
	return page_address(pages[program][page]) + counters[program].offset;
}

static int remote_init(struct kunit *test)
{
	u32 i, k;

	memset(&number, 0, sizeof(number));
	memset(seen, 0, sizeof(seen));
	gp_remote_init(&number);
	for (i = 0; i < PROGRAMS; i++) {
		for (k = 0; k < PAGES; k++) {
			pages[i][k] = alloc_page(GFP_KERNEL | __GFP_ZERO);
			if (!pages[i][k])
				return -ENOMEM;
		}
		counters[i] = (struct gp_remote_counter){
			.pages = pages[i], .npages = PAGES, .offset = 64 + 8 * i,
			.seen = seen[i],
		};
	}
	return 0;
}

static void remote_exit(struct kunit *test)
{
	u32 i, k;

	for (i = 0; i < PROGRAMS; i++)
		for (k = 0; k < PAGES; k++)
			__free_page(pages[i][k]);
}

/* Add the programs, which have counted for a second. */
static void add(void)
{
	u32 i;

	for (i = 0; i < PROGRAMS; i++) {
		gp_remote_add(&number, &counters[i]);
		counters[i].since -= NSEC_PER_SEC;
	}
}

static void a_number_is_the_sum_of_all_parts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 0ULL);
	add();
	*part(0, 0) = 1;
	*part(0, PAGES - 1) = 20;
	*part(1, 1) = 300;
	/* Beside the counter: another number's. */
	part(0, 0)[1] = 1000000;
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 321ULL);
	gp_remote_del(&number, &counters[0]);
	gp_remote_del(&number, &counters[1]);
}

static void what_was_counted_stays_when_a_program_ends(struct kunit *test)
{
	add();
	*part(0, 2) = 7;
	*part(1, 2) = 9;
	gp_remote_del(&number, &counters[0]);
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 16ULL);
	*part(0, 2) = 0;
	*part(1, 2) = 10;
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 17ULL);
	gp_remote_del(&number, &counters[1]);
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 17ULL);
}

static int count(void *arg)
{
	u64 *place = arg;
	u32 i;

	for (i = 0; i < STEPS; i++) {
		WRITE_ONCE(*place, *place + 1);
		if (i % 1000 == 0)
			cond_resched();
	}
	atomic_dec(&running);
	return 0;
}

static void a_number_never_falls_while_programs_count(struct kunit *test)
{
	u64 before = 0, now;
	u32 i;

	add();
	atomic_set(&running, PROGRAMS);
	for (i = 0; i < PROGRAMS; i++)
		KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(count, part(i, i), "remote/%u", i)));
	while (atomic_read(&running)) {
		now = gp_remote_read(&number);
		KUNIT_EXPECT_GE(test, now, before);
		before = now;
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), (u64)PROGRAMS * STEPS);
	gp_remote_del(&number, &counters[0]);
	gp_remote_del(&number, &counters[1]);
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), (u64)PROGRAMS * STEPS);
}

static void several_numbers_are_added_to_what_the_caller_has(struct kunit *test)
{
	u64 past[3] = {}, got[2] = { 1000, 2000 };

	gp_remote_init_many(&number, past, ARRAY_SIZE(past));
	add();
	part(0, 0)[0] = 1;
	part(0, 1)[1] = 20;
	part(1, 0)[1] = 300;
	part(1, PAGES - 1)[2] = 4;
	gp_remote_read_many(&number, 1, 2, got);
	KUNIT_EXPECT_EQ(test, got[0], 1320ULL);
	KUNIT_EXPECT_EQ(test, got[1], 2004ULL);
	gp_remote_del(&number, &counters[0]);
	gp_remote_del(&number, &counters[1]);
	KUNIT_EXPECT_EQ(test, past[0], 1ULL);
	KUNIT_EXPECT_EQ(test, past[1], 320ULL);
	gp_remote_read_many(&number, 2, 1, got);
	KUNIT_EXPECT_EQ(test, got[0], 1324ULL);
}

/* What a program writes there takes nothing away from what another one has counted. */
static void a_program_takes_nothing_from_others(struct kunit *test)
{
	static const u64 forged[] = { -600ULL, 1ULL << 63, 1ULL << 40, 0, 5 };
	u32 i;

	add();
	*part(0, 0) = 1000;
	*part(1, 0) = 20;
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 1020ULL);
	for (i = 0; i < ARRAY_SIZE(forged); i++) {
		*part(1, 0) = forged[i];
		KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 1020ULL);
	}
	/* Parts of CPUs that are too large only together. */
	for (i = 0; i < PAGES; i++)
		*part(1, i) = 1ULL << 62;
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 1020ULL);
	for (i = 0; i < PAGES; i++)
		*part(1, i) = 10;
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 1040ULL);
	*part(1, 0) = -1000ULL;
	gp_remote_del(&number, &counters[1]);
	gp_remote_del(&number, &counters[0]);
	KUNIT_EXPECT_EQ(test, gp_remote_read(&number), 1040ULL);
}

/* A sum of ns is bounded by the calls that can be open at once. */
static void so_it_is_with_times(struct kunit *test)
{
	u64 past[3] = {}, got[3] = {};

	gp_remote_init_many(&number, past, ARRAY_SIZE(past));
	add();
	part(0, 0)[1] = 2;
	part(0, 0)[2] = 3 * NSEC_PER_SEC;
	part(1, 0)[1] = -1ULL;
	part(1, 0)[2] = -3 * NSEC_PER_SEC;
	gp_remote_read_many(&number, 0, 3, got);
	KUNIT_EXPECT_EQ(test, got[1], 2ULL);
	KUNIT_EXPECT_EQ(test, got[2], 3ULL * NSEC_PER_SEC);
	gp_remote_del(&number, &counters[0]);
	gp_remote_del(&number, &counters[1]);
	KUNIT_EXPECT_EQ(test, past[1], 2ULL);
	KUNIT_EXPECT_EQ(test, past[2], 3ULL * NSEC_PER_SEC);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_program_takes_nothing_from_others),
	KUNIT_CASE(so_it_is_with_times),
	KUNIT_CASE(several_numbers_are_added_to_what_the_caller_has),
	KUNIT_CASE(a_number_is_the_sum_of_all_parts),
	KUNIT_CASE(what_was_counted_stays_when_a_program_ends),
	KUNIT_CASE(a_number_never_falls_while_programs_count),
	{}
};

static struct kunit_suite suite = {
	.name = "remote",
	.init = remote_init,
	.exit = remote_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Numbers that programs count: KUnit suite");
