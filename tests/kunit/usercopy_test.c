// SPDX-License-Identifier: GPL-2.0
/* Memory of a process that is read and written at once, or not at all: never with a fault. */
#include "memory_world.h"

#define KERNEL	0xffff888000001000UL	/* an address of the kernel's */
#define OLD	0xa5

/* The word in memory at @at, which is readable. */
static u8 byte_at(unsigned long at)
{
	u8 byte = 0;

	pagefault_disable();
	gp_user_copy(&byte, at, 1);
	pagefault_enable();
	return byte;
}

static bool put(unsigned long at, u64 value, u32 size)
{
	bool ret;

	pagefault_disable();
	ret = gp_user_put(at, value, size);
	pagefault_enable();
	return ret;
}

static bool get(u64 *to, unsigned long at, u32 size)
{
	bool ret;

	pagefault_disable();
	ret = gp_user_get(to, at, size);
	pagefault_enable();
	return ret;
}

static bool load(u64 *to, unsigned long at)
{
	bool ret;

	pagefault_disable();
	ret = gp_user_load(to, at);
	pagefault_enable();
	return ret;
}

static u32 copy(void *to, unsigned long at, u32 size)
{
	u32 left;

	pagefault_disable();
	left = gp_user_copy(to, at, size);
	pagefault_enable();
	return left;
}

/* A page full of OLD, and an absent one behind it. Return: where the second one begins. */
static unsigned long map_edge(struct kunit *test)
{
	unsigned long at = map(test, 2, READ_WRITE);

	KUNIT_EXPECT_EQ(test, clear_user((void __user *)at, PAGE_SIZE), 0UL);
	for (; offset_in_page(at) != PAGE_SIZE - 1; at++)
		KUNIT_EXPECT_EQ(test, put_user((u8)OLD, (u8 __user *)at), 0);
	KUNIT_EXPECT_EQ(test, put_user((u8)OLD, (u8 __user *)at), 0);
	return at + 1;
}

static void unmap_edge(struct kunit *test, unsigned long edge)
{
	unmap(test, edge - PAGE_SIZE, 2);
}

static const u8 sizes[] = { 1, 2, 4, 8 };

static void a_value_is_put_with_its_size(struct kunit *test)
{
	const u64 value = 0x1122334455667788;
	unsigned long edge, at;
	u32 i, n;

	kthread_use_mm(memory);
	edge = map_edge(test);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		/* Up to the last byte there is, aligned and not. */
		for (at = edge - 24; at <= edge - sizes[i]; at++) {
			KUNIT_EXPECT_TRUE(test, put(at, value, sizes[i]));
			for (n = 0; n < 24; n++) {
				unsigned long there = edge - 24 + n;
				bool its = there >= at && there < at + sizes[i];

				KUNIT_EXPECT_EQ_MSG(test, byte_at(there),
						    its ? (u8)(value >> 8 * (there - at)) : OLD,
						    "size %u, byte %u", sizes[i], n);
				put(there, OLD, 1);
			}
		}
	}
	KUNIT_EXPECT_FALSE(test, is_there(edge));
	unmap_edge(test, edge);
	kthread_unuse_mm(memory);
}

static void what_is_not_writable_is_not_put(struct kunit *test)
{
	unsigned long edge, fixed;
	u32 i;

	kthread_use_mm(memory);
	edge = map_edge(test);
	fixed = map(test, 1, READ_ONLY);
	KUNIT_EXPECT_EQ(test, copy(&i, fixed, sizeof(i)), (u32)sizeof(i));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_EXPECT_FALSE(test, put(edge, 1, sizes[i]));
		KUNIT_EXPECT_FALSE(test, put(edge - sizes[i] + 1, 1, sizes[i]));
		KUNIT_EXPECT_FALSE(test, put(fixed, 1, sizes[i]));
		KUNIT_EXPECT_FALSE(test, put(KERNEL, 1, sizes[i]));
		KUNIT_EXPECT_FALSE(test, put(TASK_SIZE_MAX - sizes[i] + 1, 1, sizes[i]));
		KUNIT_EXPECT_FALSE(test, put(ULONG_MAX, 1, sizes[i]));
	}
	KUNIT_EXPECT_FALSE(test, is_there(edge));
	unmap(test, fixed, 1);
	unmap_edge(test, edge);
	kthread_unuse_mm(memory);
}

static void a_value_is_got_with_its_size(struct kunit *test)
{
	const u64 value = 0x8877665544332211;
	unsigned long edge;
	u64 got;
	u32 i;

	kthread_use_mm(memory);
	edge = map_edge(test);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		got = 7;
		KUNIT_EXPECT_TRUE(test, put(edge - sizes[i], value, sizes[i]));
		KUNIT_EXPECT_TRUE(test, get(&got, edge - sizes[i], sizes[i]));
		KUNIT_EXPECT_EQ(test, got, value & (~0ULL >> (64 - 8 * sizes[i])));
		got = 7;
		KUNIT_EXPECT_FALSE(test, get(&got, edge, sizes[i]));
		KUNIT_EXPECT_FALSE(test, get(&got, edge - sizes[i] + 1, sizes[i]));
		KUNIT_EXPECT_FALSE(test, get(&got, KERNEL, sizes[i]));
		KUNIT_EXPECT_FALSE(test, get(&got, ULONG_MAX, sizes[i]));
		KUNIT_EXPECT_EQ(test, got, 7ULL);
	}
	KUNIT_EXPECT_FALSE(test, is_there(edge));
	unmap_edge(test, edge);
	kthread_unuse_mm(memory);
}

static void to_ask_whether_a_byte_can_be_written_changes_nothing(struct kunit *test)
{
	unsigned long edge, fixed, at;
	u8 byte;

	kthread_use_mm(memory);
	edge = map_edge(test);
	fixed = map(test, 1, READ_ONLY);
	/* It is there, and not to be written. */
	KUNIT_EXPECT_EQ(test, get_user(byte, (u8 __user *)fixed), 0);
	KUNIT_EXPECT_TRUE(test, is_there(fixed));
	KUNIT_EXPECT_FALSE(test, is_writable(fixed));
	for (at = edge - 8; at < edge; at++) {
		KUNIT_EXPECT_TRUE(test, is_writable(at));
		KUNIT_EXPECT_EQ(test, byte_at(at), (u8)OLD);
	}
	KUNIT_EXPECT_FALSE(test, is_writable(edge));
	KUNIT_EXPECT_FALSE(test, is_writable(KERNEL));
	KUNIT_EXPECT_FALSE(test, is_writable(ULONG_MAX));
	unmap(test, fixed, 1);
	unmap_edge(test, edge);
	kthread_unuse_mm(memory);
}

static void what_is_absent_is_not_read(struct kunit *test)
{
	u64 word = 7, all = OLD * 0x0101010101010101ULL;
	unsigned long edge;
	u8 bytes[8] = {};

	kthread_use_mm(memory);
	edge = map_edge(test);
	KUNIT_EXPECT_TRUE(test, load(&word, edge - 8));
	KUNIT_EXPECT_EQ(test, word, all);
	word = 7;
	KUNIT_EXPECT_FALSE(test, load(&word, edge - 7));
	KUNIT_EXPECT_FALSE(test, load(&word, edge));
	KUNIT_EXPECT_FALSE(test, load(&word, KERNEL));
	KUNIT_EXPECT_FALSE(test, load(&word, ULONG_MAX));
	KUNIT_EXPECT_EQ(test, word, 7ULL);
	KUNIT_EXPECT_EQ(test, copy(bytes, edge - 8, 8), 0U);
	KUNIT_EXPECT_EQ(test, memcmp(bytes, &all, 8), 0);
	KUNIT_EXPECT_EQ(test, copy(bytes, edge - 5, 8), 3U);
	KUNIT_EXPECT_EQ(test, copy(bytes, edge, 8), 8U);
	KUNIT_EXPECT_EQ(test, copy(bytes, KERNEL, 8), 8U);
	KUNIT_EXPECT_EQ(test, copy(bytes, ULONG_MAX, 8), 8U);
	KUNIT_EXPECT_FALSE(test, is_there(edge));
	unmap_edge(test, edge);
	kthread_unuse_mm(memory);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_value_is_put_with_its_size),
	KUNIT_CASE(what_is_not_writable_is_not_put),
	KUNIT_CASE(a_value_is_got_with_its_size),
	KUNIT_CASE(to_ask_whether_a_byte_can_be_written_changes_nothing),
	KUNIT_CASE(what_is_absent_is_not_read),
	{}
};

static struct kunit_suite suite = {
	.name = "usercopy",
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Memory of a process: KUnit suite");
