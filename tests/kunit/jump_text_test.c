// SPDX-License-Identifier: GPL-2.0
/* Windows of a program's code: the mapping is real, of a file as large as three pages. */
#include "memory_world.h"
#include "shadow_world.h"

#include <linux/file.h>
#include <linux/fs.h>

#include "../../kmod/compat.h"
#include "../../kmod/jump/text.c"

#define PAGES	3

static struct file *file, *other;
static unsigned long at;		/* where the file's second and third page are mapped */
static struct gp_text_pages pages;
static struct gp_text a, b;

/* What the file has at @offset: no two neighbours are the same. */
static u8 byte_of(u64 offset)
{
	return offset % 251;
}

static struct file *file_new(void)
{
	struct file *f = gp_compat_memory_file("goprobe-test", PAGES * PAGE_SIZE);
	loff_t offset;
	u8 byte;

	for (offset = 0; !IS_ERR(f) && offset < PAGES * PAGE_SIZE;) {
		byte = byte_of(offset);
		if (kernel_write(f, &byte, 1, &offset) != 1)
			break;
	}
	return f;
}

static int text_init(struct kunit *test)
{
	memset(&pages, 0, sizeof(pages));
	file = file_new();
	other = file_new();
	if (IS_ERR(file) || IS_ERR(other))
		return -ENOMEM;
	kthread_use_mm(memory);
	at = vm_mmap(file, 0, 2 * PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_PRIVATE, PAGE_SIZE);
	kthread_unuse_mm(memory);
	return IS_ERR_VALUE(at) ? -ENOMEM : 0;
}

static void text_exit(struct kunit *test)
{
	kthread_use_mm(memory);
	vm_munmap(at, 2 * PAGE_SIZE);
	kthread_unuse_mm(memory);
	fput(file);
	fput(other);
}

static u8 in_process(struct kunit *test, unsigned long address)
{
	u8 byte = 0;

	kthread_use_mm(memory);
	KUNIT_EXPECT_EQ(test, copy_from_user(&byte, (const void __user *)address, 1), 0UL);
	kthread_unuse_mm(memory);
	return byte;
}

static unsigned long found(const struct file *f, u64 offset)
{
	unsigned long ret;

	mmap_read_lock(memory);
	ret = gp_text_find(memory, file_inode(f), offset);
	mmap_read_unlock(memory);
	return ret;
}

static void code_is_found_by_its_place_in_the_file(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, found(file, PAGE_SIZE), at);
	KUNIT_EXPECT_EQ(test, found(file, PAGE_SIZE + 5), at + 5);
	KUNIT_EXPECT_EQ(test, found(file, 3 * PAGE_SIZE - 1), at + 2 * PAGE_SIZE - 1);
	KUNIT_EXPECT_EQ(test, found(file, PAGE_SIZE - 1), 0UL);
	KUNIT_EXPECT_EQ(test, found(file, 3 * PAGE_SIZE), 0UL);
	KUNIT_EXPECT_EQ(test, found(other, PAGE_SIZE), 0UL);
}

static bool is(const struct file *f, u64 offset, unsigned long address, u32 len)
{
	bool ret;

	mmap_read_lock(memory);
	ret = gp_text_is(memory, file_inode(f), offset, address, len);
	mmap_read_unlock(memory);
	return ret;
}

static void code_is_that_of_the_file_to_its_last_byte(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, is(file, PAGE_SIZE + 5, at + 5, 6));
	KUNIT_EXPECT_TRUE(test, is(file, 3 * PAGE_SIZE - 6, at + 2 * PAGE_SIZE - 6, 6));
	KUNIT_EXPECT_FALSE(test, is(file, 3 * PAGE_SIZE - 6, at + 2 * PAGE_SIZE - 6, 7));
	KUNIT_EXPECT_FALSE(test, is(file, PAGE_SIZE + 4, at + 5, 6));
	KUNIT_EXPECT_FALSE(test, is(other, PAGE_SIZE + 5, at + 5, 6));
}

static void code_that_can_be_written_is_not_taken(struct kunit *test)
{
	unsigned long writable;

	kthread_use_mm(memory);
	writable = vm_mmap(other, 0, PAGE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE,
			   0);
	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(writable));
	KUNIT_EXPECT_EQ(test, found(other, 0), 0UL);
	unmap(test, writable, 1);
	kthread_unuse_mm(memory);
}

static void what_is_absent_is_not_brought_in(struct kunit *test)
{
	u8 byte = 0;

	mmap_read_lock(memory);
	KUNIT_EXPECT_FALSE(test, gp_text_look(memory, at, &byte));
	KUNIT_EXPECT_FALSE(test, gp_text_is_present(memory, at + PAGE_SIZE - 1, 2));
	mmap_read_unlock(memory);
	in_process(test, at);
	mmap_read_lock(memory);
	KUNIT_EXPECT_TRUE(test, gp_text_look(memory, at + 7, &byte));
	KUNIT_EXPECT_EQ(test, byte, byte_of(PAGE_SIZE + 7));
	mmap_read_unlock(memory);
}

/* Both windows are open when the first one is written. */
static void windows_in_one_page_show_the_same(struct kunit *test)
{
	static const u8 new[] = { 0xcc, 0x01, 0x02 };
	u8 old[] = { byte_of(PAGE_SIZE + 100), byte_of(PAGE_SIZE + 101) }, in_file;
	loff_t offset = PAGE_SIZE + 100;

	mmap_write_lock(memory);
	KUNIT_EXPECT_EQ(test, gp_text_open(&a, &pages, memory, at + 100, 5), 0);
	KUNIT_EXPECT_EQ(test, gp_text_open(&b, &pages, memory, at + 99, 9), 0);
	KUNIT_EXPECT_EQ(test, pages.n, 1U);
	KUNIT_EXPECT_TRUE(test, gp_text_has(&a, 0, old, 2) && gp_text_has(&b, 1, old, 2));
	gp_text_write(&a, 0, new, 3);
	KUNIT_EXPECT_TRUE(test, gp_text_has(&b, 1, new, 3));
	gp_text_write(&b, 8, new, 1);
	mmap_write_unlock(memory);
	gp_text_close(&pages);
	KUNIT_EXPECT_EQ(test, in_process(test, at + 99), byte_of(PAGE_SIZE + 99));
	KUNIT_EXPECT_EQ(test, in_process(test, at + 100), new[0]);
	KUNIT_EXPECT_EQ(test, in_process(test, at + 102), new[2]);
	KUNIT_EXPECT_EQ(test, in_process(test, at + 103), byte_of(PAGE_SIZE + 103));
	KUNIT_EXPECT_EQ(test, in_process(test, at + 107), new[0]);
	/* The process has a page of its own now. */
	KUNIT_EXPECT_EQ(test, kernel_read(file, &in_file, 1, &offset), 1L);
	KUNIT_EXPECT_EQ(test, in_file, old[0]);
}

static void a_window_can_be_on_two_pages(struct kunit *test)
{
	static const u8 new[] = { 1, 2, 3, 4, 5 };
	unsigned long from = at + PAGE_SIZE - 2;
	u32 i;

	mmap_write_lock(memory);
	KUNIT_EXPECT_EQ(test, gp_text_open(&a, &pages, memory, from, 5), 0);
	KUNIT_EXPECT_EQ(test, pages.n, 2U);
	gp_text_write(&a, 1, new + 1, 4);
	gp_text_write(&a, 0, new, 1);
	KUNIT_EXPECT_TRUE(test, gp_text_has(&a, 0, new, 5));
	mmap_write_unlock(memory);
	gp_text_close(&pages);
	for (i = 0; i < 5; i++)
		KUNIT_EXPECT_EQ(test, in_process(test, from + i), new[i]);
	KUNIT_EXPECT_EQ(test, in_process(test, from + 5), byte_of(2 * PAGE_SIZE + 3));
}

static void a_window_behind_the_mapping_is_refused(struct kunit *test)
{
	unsigned long end = at + 2 * PAGE_SIZE;

	kthread_use_mm(memory);
	vm_munmap(at + PAGE_SIZE, PAGE_SIZE);
	kthread_unuse_mm(memory);
	mmap_write_lock(memory);
	KUNIT_EXPECT_EQ(test, gp_text_open(&a, &pages, memory, end - PAGE_SIZE - 2, 5), -EFAULT);
	mmap_write_unlock(memory);
	gp_text_close(&pages);
	KUNIT_EXPECT_EQ(test, in_process(test, at), byte_of(PAGE_SIZE));
}

/* A process of two threads. */
static struct task_struct *leader, *thread;

static void process_new(struct kunit *test)
{
	struct signal_struct *signal = kunit_kzalloc(test, sizeof(*signal), GFP_KERNEL);

	leader = kunit_kzalloc(test, sizeof(*leader), GFP_KERNEL);
	thread = kunit_kzalloc(test, sizeof(*thread), GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, signal && leader && thread);
	INIT_LIST_HEAD(&signal->thread_head);
	leader->signal = signal;
	thread->signal = signal;
	list_add_tail(&leader->thread_node, &signal->thread_head);
	list_add_tail(&thread->thread_node, &signal->thread_head);
}

static void code_may_change_unless_a_thread_is_special(struct kunit *test)
{
	process_new(test);
	KUNIT_EXPECT_EQ(test, gp_text_refuses(leader, true), GOPROBE_TRAP_NONE);
	if (shadow_stack(thread, true))
		KUNIT_EXPECT_EQ(test, gp_text_refuses(leader, false), GOPROBE_TRAP_SHADOW_STACK);
	thread->ptrace = 1;
	KUNIT_EXPECT_EQ(test, gp_text_refuses(leader, false), GOPROBE_TRAP_DEBUGGED);
	thread->ptrace = 0;
	shadow_stack(thread, false);
	KUNIT_EXPECT_EQ(test, gp_text_refuses(leader, false), GOPROBE_TRAP_NONE);
	set_tsk_thread_flag(thread, TIF_NOTSC);
	KUNIT_EXPECT_EQ(test, gp_text_refuses(leader, true), GOPROBE_TRAP_CLOCK);
	KUNIT_EXPECT_EQ(test, gp_text_refuses(leader, false), GOPROBE_TRAP_NONE);
	leader->ptrace = 1;
	KUNIT_EXPECT_EQ(test, gp_text_refuses(leader, true), GOPROBE_TRAP_DEBUGGED);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(code_is_found_by_its_place_in_the_file),
	KUNIT_CASE(code_is_that_of_the_file_to_its_last_byte),
	KUNIT_CASE(code_that_can_be_written_is_not_taken),
	KUNIT_CASE(what_is_absent_is_not_brought_in),
	KUNIT_CASE(windows_in_one_page_show_the_same),
	KUNIT_CASE(a_window_can_be_on_two_pages),
	KUNIT_CASE(a_window_behind_the_mapping_is_refused),
	KUNIT_CASE(code_may_change_unless_a_thread_is_special),
	{}
};

static struct kunit_suite suite = {
	.name = "jump_text",
	.init = text_init,
	.exit = text_exit,
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Windows of code: KUnit suite");
