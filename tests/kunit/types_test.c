// SPDX-License-Identifier: GPL-2.0
/*
 * The tables that grow while handlers read them: types, and what run-time types
 * stand for.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/vmalloc.h>

#include "../../kmod/capture/dynamic_types.c"
#include "../../kmod/capture/types.c"

static struct gp_types types;
static struct gp_dynamic dynamic;

static void types_exit(struct kunit *test)
{
	gp_dynamic_fini(&dynamic);
	memset(&dynamic, 0, sizeof(dynamic));
	gp_types_fini(&types);
	memset(&types, 0, sizeof(types));
}

/* Add @n types; type i has size i and a reference to type i + 1. */
static void add_types(struct kunit *test, u32 n)
{
	struct goprobe_type *t = kvcalloc(n, sizeof(*t), GFP_KERNEL);
	struct goprobe_ref *refs = kvcalloc(n, sizeof(*refs), GFP_KERNEL);
	u32 first = types.n, i;

	for (i = 0; t && refs && i < n; i++) {
		t[i] = (struct goprobe_type){ .size = (first + i) % 65536, .ref = i, .nrefs = 1 };
		refs[i].type = first + i + 1;
	}
	KUNIT_EXPECT_TRUE(test, t && refs);
	if (t && refs)
		KUNIT_EXPECT_EQ(test, gp_types_add(&types, t, n, refs, n), (int)first);
	kvfree(t);
	kvfree(refs);
}

static void types_are_found_from_when_they_are_added(struct kunit *test)
{
	const struct gp_type *t;
	u32 i;

	KUNIT_EXPECT_TRUE(test, !gp_types_find(&types, 0));
	add_types(test, 3);
	for (i = 0; i < 3; i++) {
		t = gp_types_find(&types, i);
		KUNIT_ASSERT_NOT_NULL(test, t);
		KUNIT_EXPECT_EQ(test, t->id, i);
		KUNIT_EXPECT_EQ(test, t->size, i);
		KUNIT_EXPECT_EQ(test, t->nrefs, 1U);
		KUNIT_EXPECT_EQ(test, t->refs->type, i + 1);
		KUNIT_EXPECT_FALSE(test, t->same_level);
	}
	KUNIT_EXPECT_TRUE(test, !gp_types_find(&types, 3));
	KUNIT_EXPECT_TRUE(test, !gp_types_find(&types, GOPROBE_TYPE_BYTES));
	KUNIT_EXPECT_TRUE(test, !gp_types_find(&types, GOPROBE_TYPE_MISSED));
}

static void types_stay_where_they_are_however_many_come(struct kunit *test)
{
	const struct gp_type *t;
	const struct goprobe_ref *refs;

	add_types(test, 1);
	t = gp_types_find(&types, 0);
	refs = t->refs;
	while (types.n < GP_TYPES_MAX)
		add_types(test, min(GP_TYPES_MAX - types.n, 1000U));
	KUNIT_EXPECT_PTR_EQ(test, gp_types_find(&types, 0), t);
	KUNIT_EXPECT_PTR_EQ(test, t->refs, refs);
	KUNIT_EXPECT_EQ(test, types.nrefs, GP_TYPES_MAX);
	t = gp_types_find(&types, GP_TYPES_MAX - 1);
	KUNIT_ASSERT_NOT_NULL(test, t);
	KUNIT_EXPECT_EQ(test, t->id, GP_TYPES_MAX - 1);
	KUNIT_EXPECT_EQ(test, t->refs->type, GP_TYPES_MAX);
	KUNIT_EXPECT_TRUE(test, !gp_types_find(&types, GP_TYPES_MAX));
}

static void a_type_knows_that_it_has_references_of_its_own_level(struct kunit *test)
{
	struct goprobe_type t[] = { { 8, 0, 1 }, { 8, 1, 1 } };
	struct goprobe_ref refs[2] = { { .flags = GOPROBE_REF_F_SAME_LEVEL } };

	KUNIT_ASSERT_EQ(test, gp_types_add(&types, t, 2, refs, 2), 0);
	KUNIT_EXPECT_TRUE(test, gp_types_find(&types, 0)->same_level);
	KUNIT_EXPECT_FALSE(test, gp_types_find(&types, 1)->same_level);
}

/* ---- what addresses stand for ---- */

/* Addresses as a linker gives them, and what they stand for. */
static u64 address_of(u32 i)
{
	return 0x4a0000 + 32ULL * i;
}

static const struct gp_type *type_of(u32 i)
{
	return gp_types_find(&types, i % types.n);
}

static int add_one(u64 address, u32 type, bool direct)
{
	struct goprobe_dynamic d = {
		address, type % types.n, direct ? GOPROBE_DYNAMIC_F_DIRECT : 0,
	};

	return gp_dynamic_add(&dynamic, &d, 1, &types);
}

static unsigned long find(u64 address)
{
	unsigned long d;

	preempt_disable();
	d = gp_dynamic_find(&dynamic, address);
	preempt_enable();
	return d;
}

static void an_address_stands_for_its_type(struct kunit *test)
{
	add_types(test, 4);
	KUNIT_EXPECT_EQ(test, find(0x1000), 0UL);
	KUNIT_EXPECT_EQ(test, find(0), 0UL);
	KUNIT_ASSERT_EQ(test, add_one(0x1000, 1, false), 0);
	KUNIT_ASSERT_EQ(test, add_one(-1ULL, 2, true), 0);
	KUNIT_EXPECT_PTR_EQ(test, gp_dynamic_type(find(0x1000)), type_of(1));
	KUNIT_EXPECT_FALSE(test, gp_dynamic_is_direct(find(0x1000)));
	KUNIT_EXPECT_PTR_EQ(test, gp_dynamic_type(find(-1ULL)), type_of(2));
	KUNIT_EXPECT_TRUE(test, gp_dynamic_is_direct(find(-1ULL)));
	KUNIT_EXPECT_EQ(test, find(0x1001), 0UL);
	KUNIT_EXPECT_EQ(test, find(0), 0UL);
	KUNIT_EXPECT_EQ(test, dynamic.n, 2U);
}

static void what_is_known_is_replaced(struct kunit *test)
{
	add_types(test, 4);
	KUNIT_ASSERT_EQ(test, add_one(0x1000, 1, true), 0);
	KUNIT_ASSERT_EQ(test, add_one(0x1000, 3, false), 0);
	KUNIT_EXPECT_PTR_EQ(test, gp_dynamic_type(find(0x1000)), type_of(3));
	KUNIT_EXPECT_FALSE(test, gp_dynamic_is_direct(find(0x1000)));
	KUNIT_EXPECT_EQ(test, dynamic.n, 1U);
}

static void as_many_as_the_limit_are_known_and_no_more(struct kunit *test)
{
	u32 i;

	add_types(test, 7);
	for (i = 0; i < GP_DYNAMIC_MAX; i++)
		KUNIT_ASSERT_EQ(test, add_one(address_of(i), i, i & 1), 0);
	KUNIT_EXPECT_EQ(test, add_one(address_of(i), i, 0), -E2BIG);
	KUNIT_EXPECT_EQ(test, find(address_of(i)), 0UL);
	KUNIT_EXPECT_EQ(test, dynamic.n, GP_DYNAMIC_MAX);
	for (i = 0; i < GP_DYNAMIC_MAX; i++)
		KUNIT_ASSERT_EQ(test, find(address_of(i)), (unsigned long)type_of(i) | (i & 1));
	/* Replacing needs no space. */
	KUNIT_EXPECT_EQ(test, add_one(address_of(9), 1, 0), 0);
	KUNIT_EXPECT_PTR_EQ(test, gp_dynamic_type(find(address_of(9))), type_of(1));
}

/* The next address from @address on that has its place at 5, in the largest table. */
static u64 colliding(u64 address)
{
	while (hash_64(address, GP_DYNAMIC_BITS_MAX) != 5)
		if (++address % 65536 == 0)
			cond_resched();
	return address;
}

static void addresses_that_all_collide_are_refused(struct kunit *test)
{
	u64 address = colliding(1);
	u32 i;

	add_types(test, 1);
	for (i = 0; i < GP_DYNAMIC_STEPS; i++) {
		KUNIT_ASSERT_EQ(test, add_one(address, 0, 0), 0);
		KUNIT_ASSERT_NE(test, find(address), 0UL);
		address = colliding(address + 1);
	}
	KUNIT_EXPECT_EQ(test, add_one(address, 0, 0), -E2BIG);
	KUNIT_EXPECT_EQ(test, find(address), 0UL);
	KUNIT_EXPECT_EQ(test, dynamic.n, (u32)GP_DYNAMIC_STEPS);
}

/* Addresses that are added together. */
static struct goprobe_dynamic many[1024];

static int add_many(u32 n)
{
	return gp_dynamic_add(&dynamic, many, n, &types);
}

/* No claim is left behind: what comes next would take it for its own. */
static void expect_no_claims(struct kunit *test)
{
	const struct gp_dynamic_table *table = gp_dynamic_table(&dynamic);
	u32 i, n = 0;

	for (i = 0; i < BIT(table->bits); i++) {
		if (!table->slot[i].address)
			KUNIT_ASSERT_EQ(test, table->slot[i].value, 0UL);
		n += !!table->slot[i].address;
	}
	KUNIT_EXPECT_EQ(test, n, dynamic.n);
}

static void space_is_made_for_all_at_once(struct kunit *test)
{
	const struct gp_dynamic_table *table;
	u32 i;

	add_types(test, 7);
	for (i = 0; i < 1000; i++)
		many[i] = (struct goprobe_dynamic){ address_of(i), i % 7, i & 1 };
	KUNIT_ASSERT_EQ(test, add_many(1), 0);
	KUNIT_ASSERT_EQ(test, add_many(1000), 0);
	table = gp_dynamic_table(&dynamic);
	KUNIT_EXPECT_EQ(test, dynamic.n, 1000U);
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_EQ(test, find(address_of(i)), (unsigned long)type_of(i) | (i & 1));
	expect_no_claims(test);
	KUNIT_EXPECT_EQ(test, add_many(0), 0);
	KUNIT_EXPECT_PTR_EQ(test, (const struct gp_dynamic_table *)gp_dynamic_table(&dynamic),
			    table);
}

static void a_type_sent_twice_counts_once_and_the_last_holds(struct kunit *test)
{
	u32 i;

	add_types(test, 7);
	for (i = 0; i < 1000; i++)
		many[i] = (struct goprobe_dynamic){ address_of(i % 300), i % 7, 0 };
	KUNIT_ASSERT_EQ(test, add_many(1000), 0);
	KUNIT_EXPECT_EQ(test, dynamic.n, 300U);
	for (i = 700; i < 1000; i++)
		KUNIT_ASSERT_PTR_EQ(test, gp_dynamic_type(find(address_of(i % 300))), type_of(i));
	expect_no_claims(test);
}

static void with_one_too_many_none_is_added(struct kunit *test)
{
	u32 i;

	add_types(test, 7);
	for (i = 0; i < GP_DYNAMIC_MAX - 1; i++)
		KUNIT_ASSERT_EQ(test, add_one(address_of(i), 1, 0), 0);
	/* A known one, which would be replaced, a new one, and one too many. */
	many[0] = (struct goprobe_dynamic){ address_of(3), 2, 0 };
	many[1] = (struct goprobe_dynamic){ address_of(GP_DYNAMIC_MAX - 1), 2, 0 };
	many[2] = (struct goprobe_dynamic){ address_of(GP_DYNAMIC_MAX), 2, 0 };
	KUNIT_EXPECT_EQ(test, add_many(3), -E2BIG);
	KUNIT_EXPECT_EQ(test, dynamic.n, GP_DYNAMIC_MAX - 1);
	KUNIT_EXPECT_PTR_EQ(test, gp_dynamic_type(find(address_of(3))), type_of(1));
	KUNIT_EXPECT_EQ(test, find(address_of(GP_DYNAMIC_MAX - 1)), 0UL);
	expect_no_claims(test);
	/* The same one twice is not too many. */
	many[2] = many[1];
	KUNIT_EXPECT_EQ(test, add_many(3), 0);
	KUNIT_EXPECT_EQ(test, dynamic.n, GP_DYNAMIC_MAX);
	KUNIT_EXPECT_PTR_EQ(test, gp_dynamic_type(find(address_of(3))), type_of(2));
}

static void with_one_that_has_no_place_none_is_added(struct kunit *test)
{
	u64 address = colliding(1);
	u32 n = GP_DYNAMIC_STEPS + 4, i;

	add_types(test, 3);
	for (i = 0; i < n; i++) {
		/* Some are added twice: they must not let go of the first one's place. */
		many[2 * i] = (struct goprobe_dynamic){ address, 1, 0 };
		many[2 * i + 1] = many[i];
		address = colliding(address + 1);
	}
	KUNIT_ASSERT_EQ(test, gp_dynamic_add(&dynamic, many + 4, 1, &types), 0);
	KUNIT_EXPECT_EQ(test, add_many(2 * n), -E2BIG);
	KUNIT_EXPECT_EQ(test, dynamic.n, 1U);
	expect_no_claims(test);
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_EQ(test, !!find(many[2 * i].address), i == 2);
}

/* ---- read while they grow ---- */

/* Numbers of types and of addresses that are claimed to exist, published afterwards. */
static u32 published_types, published_addresses;
static u32 wrong, looked;

/* As a handler: preemption off, each look-up of what is there must succeed. */
static int reader(void *arg)
{
	u32 i = 0;

	while (!kthread_should_stop()) {
		/* A published type exists: look it up after its publication. */
		u32 ntypes = smp_load_acquire(&published_types);
		/* The same holds for addresses. */
		u32 n = smp_load_acquire(&published_addresses);
		const struct gp_type *t;

		preempt_disable();
		i = i * 1103515245 + 12345;
		t = ntypes ? gp_types_find(&types, (i >> 4) % ntypes) : NULL;
		if (ntypes && (!t || t->id != (i >> 4) % ntypes || t->refs->type != t->id + 1))
			wrong++;
		t = n ? gp_dynamic_type(gp_dynamic_find(&dynamic, address_of((i >> 4) % n))) : NULL;
		if (n && (!t || t->id != (i >> 4) % n % 5))
			wrong++;
		looked += !!n;
		preempt_enable();
		if (i % 64 == 0)
			cond_resched();
	}
	return 0;
}

static void readers_find_what_is_there_while_it_grows(struct kunit *test)
{
	struct task_struct *task;
	u32 i;

	published_types = 0;
	published_addresses = 0;
	wrong = 0;
	looked = 0;
	task = kthread_run(reader, NULL, "goprobe-reader");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 20000; i++) {
		if (types.n < 20000) {
			add_types(test, 5);
			/* Published after they exist. */
			smp_store_release(&published_types, types.n);
		}
		add_one(address_of(i), i % 5, i & 1);
		/* Published after it exists. */
		smp_store_release(&published_addresses, i + 1);
		if (i % 1000 == 0)
			msleep(20);
	}
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, wrong, 0U);
	KUNIT_EXPECT_GT(test, looked, 100U);
	KUNIT_EXPECT_EQ(test, dynamic.n, 20000U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(types_are_found_from_when_they_are_added),
	KUNIT_CASE(types_stay_where_they_are_however_many_come),
	KUNIT_CASE(a_type_knows_that_it_has_references_of_its_own_level),
	KUNIT_CASE(an_address_stands_for_its_type),
	KUNIT_CASE(what_is_known_is_replaced),
	KUNIT_CASE(as_many_as_the_limit_are_known_and_no_more),
	KUNIT_CASE(addresses_that_all_collide_are_refused),
	KUNIT_CASE(space_is_made_for_all_at_once),
	KUNIT_CASE(a_type_sent_twice_counts_once_and_the_last_holds),
	KUNIT_CASE(with_one_too_many_none_is_added),
	KUNIT_CASE(with_one_that_has_no_place_none_is_added),
	KUNIT_CASE(readers_find_what_is_there_while_it_grows),
	{}
};

static struct kunit_suite suite = {
	.name = "types",
	.exit = types_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Tables that grow: KUnit suite");
