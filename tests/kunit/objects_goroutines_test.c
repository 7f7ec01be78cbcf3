// SPDX-License-Identifier: GPL-2.0
/*
 * Goroutines that are named join the session's set: who can, and that of a message that is
 * refused nobody joins, and nobody leaves.
 */
#include "objects_world.h"

#define SPACE	4U

/* The first process has memory; a kernel thread has none. */
#define INIT	1
#define THREAD	2
#define NOBODY	0x3fffff	/* more than there can be */

static int set_init(struct kunit *test)
{
	memset(&s, 0, sizeof(s));
	memset(&extack, 0, sizeof(extack));
	mutex_init(&s.turn);
	mutex_init(&s.lock);
	gp_tallies_init(&s.tallies);
	s.limits.goroutines = SPACE;
	return 0;
}

static void set_exit(struct kunit *test)
{
	gp_objects_free(&s);
}

static int join(const struct goprobe_goroutine *add, u32 n)
{
	extack._msg = NULL;
	return gp_objects_add_goroutines(&s, &init_pid_ns, add, n, &extack);
}

static int join_one(u64 goid)
{
	const struct goprobe_goroutine add = { .goid = goid, .tgid = INIT };

	return join(&add, 1);
}

static bool is_member(u64 goid)
{
	return gp_goroutine_set_has(s.members, gp_objects_process(INIT, &init_pid_ns), goid);
}

static void who_joins_is_counted(struct kunit *test)
{
	static const struct goprobe_goroutine two[] = { { 5, INIT }, { 6, INIT } };

	KUNIT_EXPECT_TRUE(test, !s.members);
	KUNIT_EXPECT_EQ(test, join(two, 2), 2);
	KUNIT_EXPECT_STREQ(test, extack._msg ?: "accepted", "accepted");
	KUNIT_EXPECT_TRUE(test, is_member(5) && is_member(6));
	KUNIT_EXPECT_FALSE(test, is_member(7));
	KUNIT_EXPECT_EQ(test, join_one(7), 3);
	/* A member that joins again counts once. */
	KUNIT_EXPECT_EQ(test, join(two, 2), 3);
	KUNIT_EXPECT_EQ(test, join_one(~0ULL - 1), 4);
	KUNIT_EXPECT_TRUE(test, is_member(5) && is_member(7) && is_member(~0ULL - 1));
}

struct refusal_case {
	const char *claim;
	struct goprobe_goroutine add[4];
	u32 n;
	int err;
	const char *why;
};

/* Goroutine 5 is a member, 6 and 7 are none. */
static const struct refusal_case refusal_cases[] = {
	{ "padding", { { 6, INIT, 1 } }, 1, -EINVAL, "padding of a goroutine is not 0" },
	{ "padding of the last one", { { 5, INIT }, { 6, INIT }, { 7, INIT, 1U << 31 } }, 3,
	  -EINVAL, "padding of a goroutine is not 0" },
	{ "no such process", { { 6, INIT }, { 7, NOBODY } }, 2, -ESRCH,
	  "there is no such process" },
	{ "process 0", { { 6, 0 } }, 1, -ESRCH, "there is no such process" },
	{ "a negative process", { { 6, INIT }, { 7, -1 } }, 2, -ESRCH,
	  "there is no such process" },
	{ "a kernel thread", { { 6, THREAD } }, 1, -ESRCH, "there is no such process" },
	{ "goroutine 0", { { 6, INIT }, { 0, INIT } }, 2, -EINVAL,
	  "no goroutine can have that id" },
	{ "the greatest number", { { 6, INIT }, { ~0ULL, INIT } }, 2, -EINVAL,
	  "no goroutine can have that id" },
	{ "no space", { { 6, INIT }, { 7, INIT }, { 8, INIT }, { 9, INIT } }, 4, -ENOSPC,
	  "the set of goroutines is full" },
	{ "behind one that is in it", { { 5, INIT }, { 6, INIT }, { 0, INIT } }, 3, -EINVAL,
	  "no goroutine can have that id" },
	{ "one twice", { { 6, INIT }, { 6, INIT }, { 0, INIT } }, 3, -EINVAL,
	  "no goroutine can have that id" },
};

static void refusal_desc(const struct refusal_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(refusal, refusal_cases, refusal_desc);

static void of_those_that_are_refused_nobody_joins(struct kunit *test)
{
	const struct refusal_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, join_one(5), 1);
	KUNIT_EXPECT_EQ(test, join(c->add, c->n), c->err);
	KUNIT_EXPECT_STREQ(test, extack._msg ?: "nothing", c->why);
	KUNIT_EXPECT_FALSE(test, is_member(6));
	KUNIT_EXPECT_FALSE(test, is_member(7));
	/* Members have not left. */
	KUNIT_EXPECT_TRUE(test, is_member(5));
	KUNIT_EXPECT_EQ(test, gp_goroutine_set_number(s.members), 1U);
	/* And there is as much space as before. */
	KUNIT_EXPECT_EQ(test, join(refusal_cases[8].add, SPACE - 1), (int)SPACE);
}

static void a_set_without_space_does_not_exist(struct kunit *test)
{
	static const char why[] = "the session has no set of goroutines";
	static const struct goprobe_op op = { .code = GOPROBE_OP_IN_SET, .a = 1, .b = 1 };
	static const struct goprobe_filter filter = { 0, 1 };
	const struct gp_request request = {
		.filters = &filter, .nfilters = 1, .ops = &op, .nops = 1,
	};

	s.limits.goroutines = 0;
	KUNIT_EXPECT_EQ(test, join_one(5), -EINVAL);
	KUNIT_EXPECT_STREQ(test, extack._msg ?: "nothing", why);
	/* A question about it has no answer either. */
	extack._msg = NULL;
	KUNIT_EXPECT_EQ(test, gp_objects_add_filters(&s, &request, &extack), -EINVAL);
	KUNIT_EXPECT_STREQ(test, extack._msg ?: "nothing", why);
	KUNIT_EXPECT_EQ(test, s.objects.nfilters, 0U);
	s.limits.goroutines = SPACE;
	KUNIT_EXPECT_EQ(test, gp_objects_add_filters(&s, &request, &extack), 1);
	KUNIT_EXPECT_TRUE(test, s.members);
	KUNIT_EXPECT_EQ(test, join_one(5), 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(who_joins_is_counted),
	KUNIT_CASE_PARAM(of_those_that_are_refused_nobody_joins, refusal_gen_params),
	KUNIT_CASE(a_set_without_space_does_not_exist),
	{}
};

static struct kunit_suite suite = {
	.name = "contents_members",
	.init = set_init,
	.exit = set_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Goroutines that a client adds to a session: KUnit suite");
