// SPDX-License-Identifier: GPL-2.0
/* The set of goroutines: who is in it, how many there may be, who comes and goes at once. */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/kthread.h>

#include "../../kmod/stats/goroutine_set.c"

#define SPACE	64U
#define P	77ULL

static struct gp_goroutine_set *members;

static int members_init(struct kunit *test)
{
	members = gp_goroutine_set_new(SPACE);
	return members ? 0 : -ENOMEM;
}

static void members_exit(struct kunit *test)
{
	gp_goroutine_set_free(members);
	members = NULL;
}

/* Places that nobody has ever had, or that are as if. */
static u32 untouched(void)
{
	u32 i, n = 0;

	for (i = 0; i < members->nplaces; i++)
		n += members->place[i].goid == GP_MEMBER_NEVER;
	return n;
}

static void who_joins_is_in_it_until_it_parts(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, P, 5));
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, 5), 0);
	KUNIT_EXPECT_TRUE(test, gp_goroutine_set_has(members, P, 5));
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, P, 6));
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, P + 1, 5));
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, 5), 1);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(members), 1U);
	gp_goroutine_set_part(members, P + 1, 5);
	gp_goroutine_set_part(members, P, 6);
	KUNIT_EXPECT_TRUE(test, gp_goroutine_set_has(members, P, 5));
	gp_goroutine_set_part(members, P, 5);
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, P, 5));
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(members), 0U);
	gp_goroutine_set_part(members, P, 5);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(members), 0U);
}

static void nobody_is_called_as_places_without_anybody_are(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, GP_MEMBER_NEVER), -EINVAL);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, GP_MEMBER_LEFT), -EINVAL);
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, 0, GP_MEMBER_NEVER));
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, 0, 5), 0);
	gp_goroutine_set_part(members, 0, 5);
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, 0, GP_MEMBER_NEVER));
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, 0, GP_MEMBER_LEFT));
}

static void the_requested_number_fits(struct kunit *test)
{
	u64 goid;

	for (goid = 1; goid <= SPACE; goid++)
		KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, goid), 0);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, goid), -ENOSPC);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, 1), 1);
	KUNIT_EXPECT_FALSE(test, gp_goroutine_set_has(members, P, goid));
	for (goid = 1; goid <= SPACE; goid++)
		KUNIT_EXPECT_TRUE(test, gp_goroutine_set_has(members, P, goid));
	gp_goroutine_set_part(members, P, 7);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, SPACE + 1), 0);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(members), SPACE);
}

/* Goroutines that want one place, as many as @n. */
static void same_place(u64 *goid, u32 n)
{
	u64 id = 1, home = gp_goroutine_set_home(members, P, 1) - members->place;
	u32 i = 0;

	for (; i < n; id++)
		if (gp_goroutine_set_home(members, P, id) - members->place == home)
			goid[i++] = id;
}

static void those_of_one_place_are_found_when_one_leaves(struct kunit *test)
{
	u32 all = untouched(), i, k;
	u64 goid[6];

	same_place(goid, ARRAY_SIZE(goid));
	for (i = 0; i < ARRAY_SIZE(goid); i++) {
		for (k = 0; k < ARRAY_SIZE(goid); k++)
			KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, goid[k]), 0);
		gp_goroutine_set_part(members, P, goid[i]);
		for (k = 0; k < ARRAY_SIZE(goid); k++)
			KUNIT_EXPECT_EQ(test, gp_goroutine_set_has(members, P, goid[k]), k != i);
		/* Its place is the next one's. */
		KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, goid[i]), 0);
		KUNIT_EXPECT_EQ(test, untouched(), all - (u32)ARRAY_SIZE(goid));
		for (k = 0; k < ARRAY_SIZE(goid); k++)
			gp_goroutine_set_part(members, P, goid[k]);
		KUNIT_EXPECT_EQ(test, untouched(), all);
	}
}

static void however_many_come_and_go_the_table_stays_as_it_was(struct kunit *test)
{
	u32 all = untouched();
	u64 goid;

	for (goid = 1; goid < 100000; goid++) {
		if (gp_goroutine_set_join(members, P, goid))
			break;
		if (goid > SPACE / 2)
			gp_goroutine_set_part(members, P, goid - SPACE / 2);
	}
	KUNIT_EXPECT_EQ(test, goid, 100000ULL);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(members), SPACE / 2);
	for (goid = 1; goid < 100000; goid++)
		KUNIT_EXPECT_EQ(test, gp_goroutine_set_has(members, P, goid),
				goid >= 100000 - SPACE / 2);
	for (goid = 1; goid < 100000; goid++)
		gp_goroutine_set_part(members, P, goid);
	KUNIT_EXPECT_EQ(test, untouched(), all);
}

static void a_place_too_far_is_rejected(struct kunit *test)
{
	u64 goid[GP_GOROUTINE_SET_STEPS + 1];
	u32 i;

	gp_goroutine_set_free(members);
	members = gp_goroutine_set_new(4 * GP_GOROUTINE_SET_STEPS);
	KUNIT_ASSERT_NOT_NULL(test, members);
	same_place(goid, ARRAY_SIZE(goid));
	for (i = 0; i < GP_GOROUTINE_SET_STEPS; i++)
		KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, goid[i]), 0);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, goid[i]), -ENOSPC);
	gp_goroutine_set_part(members, P, goid[3]);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, goid[i]), 0);
	KUNIT_EXPECT_TRUE(test, gp_goroutine_set_has(members, P, goid[i]));
}

static bool is_odd(u64 process)
{
	return process % 2;
}

static void those_of_ended_processes_are_forgotten(struct kunit *test)
{
	u64 process, goid;

	for (process = 1; process <= 4; process++)
		for (goid = 1; goid <= 10; goid++)
			KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, process, goid), 0);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_reap(members, is_odd), 20U);
	for (process = 1; process <= 4; process++)
		for (goid = 1; goid <= 10; goid++)
			KUNIT_EXPECT_EQ(test, gp_goroutine_set_has(members, process, goid),
					is_odd(process));
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_reap(members, is_odd), 0U);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(members), 20U);
}

#define THREADS	4
#define ROUNDS	20000

static struct completion done;
static atomic_t failures;

/* Each has goroutines of its own, which stay or come and go. */
static int come_and_go(void *arg)
{
	u64 first = (unsigned long)arg * 1000000 + 1, goid;
	u32 i, bad = 0;

	for (i = 0; i < ROUNDS; i++) {
		goid = first + i;
		bad += gp_goroutine_set_join(members, P, goid) != 0;
		bad += !gp_goroutine_set_has(members, P, goid);
		bad += gp_goroutine_set_has(members, P, goid + 1);
		bad += !gp_goroutine_set_has(members, P, 999999999);
		if (i >= 4)
			gp_goroutine_set_part(members, P, goid - 4);
		bad += i >= 4 && gp_goroutine_set_has(members, P, goid - 4);
		if (i % 256 == 0)
			cond_resched();
	}
	atomic_add(bad, &failures);
	complete(&done);
	return 0;
}

static void threads_do_not_disturb_each_other(struct kunit *test)
{
	unsigned long i;
	u32 started = 0;

	init_completion(&done);
	atomic_set(&failures, 0);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_join(members, P, 999999999), 0);
	for (i = 0; i < THREADS; i++)
		started += !IS_ERR(kthread_run(come_and_go, (void *)i, "members"));
	for (i = 0; i < started; i++)
		wait_for_completion(&done);
	KUNIT_EXPECT_EQ(test, started, (u32)THREADS);
	KUNIT_EXPECT_EQ(test, atomic_read(&failures), 0);
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(members), 4U * THREADS + 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(who_joins_is_in_it_until_it_parts),
	KUNIT_CASE(nobody_is_called_as_places_without_anybody_are),
	KUNIT_CASE(the_requested_number_fits),
	KUNIT_CASE(those_of_one_place_are_found_when_one_leaves),
	KUNIT_CASE(however_many_come_and_go_the_table_stays_as_it_was),
	KUNIT_CASE(a_place_too_far_is_rejected),
	KUNIT_CASE(those_of_ended_processes_are_forgotten),
	KUNIT_CASE(threads_do_not_disturb_each_other),
	{}
};

static struct kunit_suite suite = {
	.name = "members",
	.init = members_init,
	.exit = members_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Members: KUnit suite");
