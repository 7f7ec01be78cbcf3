// SPDX-License-Identifier: GPL-2.0
/* Memory that a process can spare: stripes of CPUs, and parts of limits. */
#include <kunit/test.h>
#include <linux/cpumask.h>

#include "../../kmod/jump/spare.c"

/**
 * struct row - CPUs of a program
 * @first: the first one
 * @step: from one to the next
 * @n: their number
 * @want: stripes
 */
static const struct row {
	u32 first, step, n, want;
} rows[] = {
	{ 0, 1, 0, 2 },
	{ 0, 1, 1, 2 },
	{ 0, 1, 2, 2 },
	{ 0, 1, 3, 4 },
	{ 5, 1, 4, 4 },
	{ 30, 1, 8, 8 },
	{ 0, 2, 4, 8 },
	{ 1, 4, 8, 32 },
	{ 0, 1, 17, 32 },
	{ 0, 1, 32, 32 },
	{ 0, 1, 64, 32 },
	{ 0, 32, 2, 32 },
};

/* No two of them share a stripe if there are enough. */
static void cpus_have_stripes_of_their_own(struct kunit *test)
{
	cpumask_var_t cpus;
	u32 i, k;

	KUNIT_ASSERT_TRUE(test, zalloc_cpumask_var(&cpus, GFP_KERNEL));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];

		/* Only kernels for many CPUs have masks of that size. */
		if (r->first + r->step * r->n > nr_cpumask_bits)
			continue;
		cpumask_clear(cpus);
		for (k = 0; k < r->n; k++)
			cpumask_set_cpu(r->first + k * r->step, cpus);
		KUNIT_EXPECT_EQ_MSG(test, gp_spare_stripes(gp_spare_cpu_shift(cpus)), r->want,
				    "%u CPUs from %u on", r->n, r->first);
	}
	free_cpumask_var(cpus);
	KUNIT_EXPECT_EQ(test, gp_spare_stripes(0), 1U);
}

/* What jumps have taken before counts, and what others have not left does not. */
static void jumps_take_a_part_of_what_a_limit_leaves(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, gp_spare_leaves(1000, 600, 0, 100));
	KUNIT_EXPECT_FALSE(test, gp_spare_leaves(1000, 600, 0, 101));
	KUNIT_EXPECT_TRUE(test, gp_spare_leaves(1000, 700, 100, 0));
	KUNIT_EXPECT_FALSE(test, gp_spare_leaves(1000, 700, 100, 1));
	KUNIT_EXPECT_TRUE(test, gp_spare_leaves(1000, 640, 40, 60));
	KUNIT_EXPECT_FALSE(test, gp_spare_leaves(1000, 1000, 0, 1));
	KUNIT_EXPECT_FALSE(test, gp_spare_leaves(1000, 2000, 0, 1));
	/* A process that has discarded what jumps have. */
	KUNIT_EXPECT_TRUE(test, gp_spare_leaves(1000, 10, 100, 150));
	KUNIT_EXPECT_FALSE(test, gp_spare_leaves(1000, 10, 100, 151));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(cpus_have_stripes_of_their_own),
	KUNIT_CASE(jumps_take_a_part_of_what_a_limit_leaves),
	{}
};

static struct kunit_suite suite = {
	.name = "spare",
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Memory that a process can spare: KUnit suite");
