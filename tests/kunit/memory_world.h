/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the suites that need a process's real memory: that of the loader of the suite.
 * A case is a kernel thread without memory of a process, so it takes that one with
 * kthread_use_mm(), and leaves it before it ends: no KUNIT_ASSERT in between.
 */
#ifndef MEMORY_WORLD_H
#define MEMORY_WORLD_H

#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/uaccess.h>

#include "../../kmod/arch/usercopy.h"

static struct mm_struct *memory;

/* This is not a thread of its own yet, but who loads the suite. */
static inline int memory_suite_init(struct kunit_suite *suite)
{
	memory = get_task_mm(current);
	return memory ? 0 : -EINVAL;
}

static inline void memory_suite_exit(struct kunit_suite *suite)
{
	if (memory)
		mmput(memory);
}

#define READ_ONLY	PROT_READ
#define READ_WRITE	(PROT_READ | PROT_WRITE)

/* Consecutive absent pages. Return: their address. */
static inline unsigned long map(struct kunit *test, u32 pages, unsigned long protection)
{
	unsigned long at = vm_mmap(NULL, 0, pages * PAGE_SIZE, protection,
				   MAP_PRIVATE | MAP_ANONYMOUS, 0);

	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(at));
	return at;
}

static inline void unmap(struct kunit *test, unsigned long at, u32 pages)
{
	KUNIT_EXPECT_EQ(test, vm_munmap(at, pages * PAGE_SIZE), 0);
}

/* Is the byte there? As handlers ask: nothing is brought in. */
static inline bool is_there(unsigned long at)
{
	u8 byte;
	u32 left;

	pagefault_disable();
	left = gp_user_copy(&byte, at, 1);
	pagefault_enable();
	return !left;
}

static inline bool is_writable(unsigned long at)
{
	bool ret;

	pagefault_disable();
	ret = gp_user_writable(at);
	pagefault_enable();
	return ret;
}

#endif
