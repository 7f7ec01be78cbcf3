// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that are brought in, or not: the memory is real, and so are its faults. Those that give
 * the lock up, as for a disk that takes its time, are the test's.
 */
#include "memory_world.h"

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/version.h>

static u32 faults;		/* that there have been */
static u32 retries;		/* faults whose only effect is that the lock is released */
static bool completes;		/* ... or by which all is done */
static unsigned int first_flags, last_flags;
static void (*meanwhile)(void);	/* happens while the lock is free */

static vm_fault_t the_fault(struct vm_area_struct *vma, unsigned long address,
			    unsigned int flags, struct pt_regs *regs);

#include "../../kmod/compat.h"

#define handle_mm_fault the_fault
#include "../../kmod/capture/faultin.c"
#undef handle_mm_fault

static vm_fault_t the_fault(struct vm_area_struct *vma, unsigned long address,
			    unsigned int flags, struct pt_regs *regs)
{
	if (!faults++)
		first_flags = flags;
	last_flags = flags;
	if (faults > retries)
		return handle_mm_fault(vma, address, flags, regs);
	mmap_read_unlock(memory);
	if (meanwhile)
		meanwhile();
	return completes ? GP_FAULT_COMPLETED : VM_FAULT_RETRY;
}

#define OK	GOPROBE_CHUNK_OK
#define FAULT	GOPROBE_CHUNK_FAULT
#define REMOTE	GOPROBE_CHUNK_REMOTE
#define LOCKED	GOPROBE_CHUNK_LOCKED

static struct gp_faultin f;
static unsigned long place;	/* of what happens meanwhile */

static int faultin_init(struct kunit *test)
{
	gp_faultin_init(&f);
	faults = 0;
	retries = 0;
	completes = false;
	first_flags = 0;
	last_flags = 0;
	meanwhile = NULL;
	gp_faultin_locked = NULL;
	return 0;
}

/* Other readers of this memory hold it for a moment. */
static bool lock_is_free(void)
{
	u32 i;

	for (i = 0; i < 1000; i++) {
		if (!rwsem_is_locked(&memory->mmap_lock))
			return true;
		usleep_range(1000, 2000);
	}
	return false;
}

static void serve(struct kunit *test, unsigned long at, bool write)
{
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at), (u16)OK);
	f.address = at;
	if (write)
		gp_faultin_serve_write(&f);
	else
		gp_faultin_serve(&f);
	KUNIT_EXPECT_TRUE(test, lock_is_free());
}

static void expect_refused(struct kunit *test, unsigned long at, u16 status)
{
	KUNIT_EXPECT_EQ(test, f.nrefused, 1U);
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at), status);
	/* All of the page, and no other one. */
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at & PAGE_MASK), status);
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at | ~PAGE_MASK), status);
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at + PAGE_SIZE), (u16)OK);
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at - PAGE_SIZE), (u16)OK);
}

static void what_is_absent_is_brought_in(struct kunit *test)
{
	unsigned long at;

	kthread_use_mm(memory);
	at = map(test, 3, READ_WRITE);
	KUNIT_EXPECT_FALSE(test, is_there(at + PAGE_SIZE + 5));
	serve(test, at + PAGE_SIZE + 5, false);
	KUNIT_EXPECT_TRUE(test, is_there(at + PAGE_SIZE + 5));
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at + PAGE_SIZE + 5), (u16)OK);
	/* To be read: the page that is all zeros. */
	KUNIT_EXPECT_FALSE(test, is_writable(at + PAGE_SIZE + 5));
	serve(test, at + PAGE_SIZE + 5, true);
	KUNIT_EXPECT_TRUE(test, is_writable(at + PAGE_SIZE + 5));
	serve(test, at + 2 * PAGE_SIZE, true);
	KUNIT_EXPECT_TRUE(test, is_writable(at + 2 * PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, is_there(at));
	KUNIT_EXPECT_EQ(test, (u32)f.tries, 3U);
	KUNIT_EXPECT_EQ(test, f.nrefused, 0U);
	unmap(test, at, 3);
	kthread_unuse_mm(memory);
}

struct refused_case {
	const char *claim;
	unsigned long protection;
	unsigned long flags;
	long page;	/* of the mapping's two */
	bool write;
};

static const struct refused_case refused_cases[] = {
	{ "behind a mapping", READ_WRITE, 0, 2, false },
	{ "behind a mapping, to be written", READ_WRITE, 0, 2, true },
	{ "where a stack could grow to", READ_WRITE, MAP_GROWSDOWN, -1, false },
	{ "what nobody may read", PROT_NONE, 0, 0, false },
	{ "what may be read, to be written", READ_ONLY, 0, 1, true },
};

static void refused_desc(const struct refused_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(refused, refused_cases, refused_desc);

static void what_the_process_may_not_have_is_refused(struct kunit *test)
{
	const struct refused_case *c = test->param_value;
	unsigned long around, at;

	kthread_use_mm(memory);
	/* With nothing next to it: where there is a gap it stays one. */
	around = map(test, 6, PROT_NONE);
	unmap(test, around, 6);
	at = vm_mmap(NULL, around + 2 * PAGE_SIZE, 2 * PAGE_SIZE, c->protection,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | c->flags, 0);
	KUNIT_EXPECT_EQ(test, at, around + 2 * PAGE_SIZE);
	serve(test, at + c->page * PAGE_SIZE + 8, c->write);
	expect_refused(test, at + c->page * PAGE_SIZE + 8, FAULT);
	KUNIT_EXPECT_EQ(test, faults, 0U);
	unmap(test, at, 2);
	kthread_unuse_mm(memory);
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define NO_FLAGS	((vma_flags_t){ })
#else
#define NO_FLAGS	0
#endif

/* The program would get SIGBUS. */
static void what_the_file_does_not_have_is_refused(struct kunit *test)
{
	struct file *file = shmem_file_setup("goprobe", PAGE_SIZE, NO_FLAGS);
	unsigned long at;

	KUNIT_ASSERT_FALSE(test, IS_ERR(file));
	kthread_use_mm(memory);
	at = vm_mmap(file, 0, 2 * PAGE_SIZE, READ_WRITE, MAP_SHARED, 0);
	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(at));
	serve(test, at + 16, false);
	KUNIT_EXPECT_TRUE(test, is_there(at + 16));
	serve(test, at + PAGE_SIZE + 16, false);
	KUNIT_EXPECT_EQ(test, faults, 2U);
	KUNIT_EXPECT_EQ(test, (u32)f.tries, 2U);
	KUNIT_EXPECT_FALSE(test, is_there(at + PAGE_SIZE + 16));
	expect_refused(test, at + PAGE_SIZE + 16, FAULT);
	unmap(test, at, 2);
	kthread_unuse_mm(memory);
	fput(file);
}

/* ---- who takes long ---- */

static void who_gave_the_lock_up_tries_again(struct kunit *test)
{
	unsigned long at;

	kthread_use_mm(memory);
	at = map(test, 1, READ_WRITE);
	retries = 2;
	serve(test, at, true);
	KUNIT_EXPECT_EQ(test, faults, 3U);
	KUNIT_EXPECT_TRUE(test, is_writable(at));
	KUNIT_EXPECT_EQ(test, f.nrefused, 0U);
	KUNIT_EXPECT_EQ(test, (u32)f.tries, 1U);
	/* The kernel gives up waiting with the lock held after the first time only. */
	KUNIT_EXPECT_FALSE(test, first_flags & FAULT_FLAG_TRIED);
	KUNIT_EXPECT_TRUE(test, last_flags & FAULT_FLAG_TRIED);
	KUNIT_EXPECT_EQ(test, last_flags & ~FAULT_FLAG_TRIED, first_flags);
	KUNIT_EXPECT_TRUE(test, first_flags & FAULT_FLAG_KILLABLE);
	unmap(test, at, 1);
	kthread_unuse_mm(memory);
}

static void all_can_be_done_when_the_lock_is_given_up(struct kunit *test)
{
	unsigned long at;

	if (!GP_FAULT_COMPLETED)
		kunit_skip(test, "this kernel has no such faults");
	kthread_use_mm(memory);
	at = map(test, 1, READ_WRITE);
	retries = 1;
	completes = true;
	serve(test, at, false);
	KUNIT_EXPECT_EQ(test, faults, 1U);
	KUNIT_EXPECT_EQ(test, f.nrefused, 0U);
	unmap(test, at, 1);
	kthread_unuse_mm(memory);
}

static void take_away(void)
{
	vm_munmap(place, PAGE_SIZE);
}

static void make_read_only(void)
{
	place = vm_mmap(NULL, place, PAGE_SIZE, READ_ONLY,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, 0);
}

/* What is waited for next is what is there then. */
static void the_mapping_is_looked_at_again(struct kunit *test)
{
	void (*const changes[])(void) = { take_away, make_read_only };
	unsigned long at;
	u32 i;

	kthread_use_mm(memory);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		faultin_init(test);
		at = map(test, 1, READ_WRITE);
		place = at;
		meanwhile = changes[i];
		retries = 1;
		serve(test, at, true);
		KUNIT_EXPECT_EQ(test, faults, 1U);
		KUNIT_EXPECT_EQ(test, place, at);
		expect_refused(test, at, FAULT);
		unmap(test, at, 1);
	}
	kthread_unuse_mm(memory);
}

static void get_killed(void)
{
	allow_signal(SIGKILL);
	send_sig(SIGKILL, current, 1);
}

static void come_to_life(struct kunit *test)
{
	KUNIT_EXPECT_TRUE(test, fatal_signal_pending(current));
	flush_signals(current);
	disallow_signal(SIGKILL);
}

static void who_is_killed_while_it_waits_does_not_try_again(struct kunit *test)
{
	unsigned long at;

	kthread_use_mm(memory);
	at = map(test, 1, READ_WRITE);
	meanwhile = get_killed;
	retries = 1;
	serve(test, at, false);
	come_to_life(test);
	KUNIT_EXPECT_EQ(test, faults, 1U);
	KUNIT_EXPECT_FALSE(test, is_there(at));
	expect_refused(test, at, REMOTE);
	unmap(test, at, 1);
	kthread_unuse_mm(memory);
}

static DECLARE_COMPLETION(locked);
static DECLARE_COMPLETION(unlock);

static int hold_the_lock(void *unused)
{
	mmap_write_lock(memory);
	complete(&locked);
	/* Who waits for it all the same is seen to have waited, and does not hang. */
	wait_for_completion_timeout(&unlock, 3 * HZ);
	mmap_write_unlock(memory);
	complete(&locked);
	return 0;
}

static struct task_struct *lock_memory(struct kunit *test)
{
	struct task_struct *holder;

	reinit_completion(&locked);
	reinit_completion(&unlock);
	holder = kthread_run(hold_the_lock, NULL, "goprobe-holder");
	KUNIT_EXPECT_FALSE(test, IS_ERR(holder));
	if (!IS_ERR(holder))
		wait_for_completion(&locked);
	return holder;
}

static void unlock_memory(struct task_struct *holder)
{
	complete(&unlock);
	if (!IS_ERR(holder))
		wait_for_completion(&locked);
}

/* Return: how long it took, ms. */
static u32 serve_locked(struct kunit *test, unsigned long at)
{
	u64 began = ktime_get_ns();

	f.address = at;
	gp_faultin_serve(&f);
	return div_u64(ktime_get_ns() - began, NSEC_PER_MSEC);
}

static void who_is_killed_does_not_wait_for_the_lock(struct kunit *test)
{
	struct task_struct *holder;
	unsigned long at;

	kthread_use_mm(memory);
	at = map(test, 1, READ_WRITE);
	holder = lock_memory(test);
	get_killed();
	serve_locked(test, at);
	KUNIT_EXPECT_EQ(test, (u32)f.sleeps, 0U);
	come_to_life(test);
	unlock_memory(holder);
	KUNIT_EXPECT_EQ(test, faults, 0U);
	KUNIT_EXPECT_FALSE(test, is_there(at));
	expect_refused(test, at, REMOTE);
	unmap(test, at, 1);
	kthread_unuse_mm(memory);
}

/* Its holder may wait for something that another task can delay. */
static void a_lock_is_not_waited_for(struct kunit *test)
{
	struct task_struct *holder;
	unsigned long at;
	u32 ms;

	kthread_use_mm(memory);
	at = map(test, 3, READ_WRITE);
	holder = lock_memory(test);
	ms = serve_locked(test, at);
	KUNIT_EXPECT_GE(test, ms, 100U);
	KUNIT_EXPECT_TRUE(test, rwsem_is_locked(&memory->mmap_lock));
	KUNIT_EXPECT_EQ(test, (u32)f.sleeps, (u32)GP_FAULTIN_SLEEPS);
	expect_refused(test, at, LOCKED);
	/* The next page of the same hit is not worth a sleep, nor is the next hit's. */
	serve_locked(test, at + 2 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, (u32)f.sleeps, (u32)GP_FAULTIN_SLEEPS);
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at + 2 * PAGE_SIZE), (u16)LOCKED);
	gp_faultin_init(&f);
	serve_locked(test, at);
	KUNIT_EXPECT_EQ(test, (u32)f.sleeps, 0U);
	expect_refused(test, at, LOCKED);
	KUNIT_EXPECT_EQ(test, faults, 0U);
	unlock_memory(holder);
	gp_faultin_init(&f);
	serve(test, at, true);
	KUNIT_EXPECT_TRUE(test, is_writable(at));
	unmap(test, at, 3);
	kthread_unuse_mm(memory);
}

static int unlock_soon(void *unused)
{
	msleep(20);
	complete(&unlock);
	return 0;
}

static void a_lock_that_is_soon_free_is_tried_again(struct kunit *test)
{
	struct task_struct *holder, *other;
	unsigned long at;

	kthread_use_mm(memory);
	at = map(test, 1, READ_WRITE);
	holder = lock_memory(test);
	other = kthread_run(unlock_soon, NULL, "goprobe-unlock");
	KUNIT_EXPECT_FALSE(test, IS_ERR(other));
	serve(test, at, true);
	KUNIT_EXPECT_TRUE(test, is_writable(at));
	KUNIT_EXPECT_GT(test, (u32)f.sleeps, 0U);
	KUNIT_EXPECT_EQ(test, f.nrefused, 0U);
	unlock_memory(holder);
	unmap(test, at, 1);
	kthread_unuse_mm(memory);
}

/* ---- bounds ---- */

static void a_hit_brings_in_pages_up_to_the_limit(struct kunit *test)
{
	unsigned long at;
	u32 i;

	kthread_use_mm(memory);
	at = map(test, GP_FAULTIN_TRIES + 1, READ_WRITE);
	for (i = 0; i < GP_FAULTIN_TRIES; i++)
		serve(test, at + i * PAGE_SIZE, false);
	for (i = 0; i < GP_FAULTIN_TRIES; i++)
		KUNIT_EXPECT_TRUE(test, is_there(at + i * PAGE_SIZE));
	KUNIT_EXPECT_EQ(test, f.nrefused, 0U);
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at + i * PAGE_SIZE), (u16)FAULT);
	/* A page that goes again and again is one of them each time. */
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at), (u16)FAULT);
	gp_faultin_init(&f);
	KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at + i * PAGE_SIZE), (u16)OK);
	unmap(test, at, GP_FAULTIN_TRIES + 1);
	kthread_unuse_mm(memory);
}

static void a_hit_is_refused_pages_beyond_the_limit(struct kunit *test)
{
	unsigned long at;
	u32 i;

	kthread_use_mm(memory);
	at = map(test, GP_FAULTIN_REFUSED + 1, PROT_NONE);
	for (i = 0; i < GP_FAULTIN_REFUSED; i++)
		serve(test, at + i * PAGE_SIZE, false);
	KUNIT_EXPECT_EQ(test, f.nrefused, (u32)GP_FAULTIN_REFUSED);
	for (i = 0; i <= GP_FAULTIN_REFUSED; i++)
		KUNIT_EXPECT_EQ(test, gp_faultin_verdict(&f, at + i * PAGE_SIZE), (u16)FAULT);
	unmap(test, at, GP_FAULTIN_REFUSED + 1);
	kthread_unuse_mm(memory);
}

/* ---- what may be waited for ---- */

enum behind { NOTHING, TMPFS, RAMFS, DISK, NETWORK, FUSE, FUSEBLK, DEVICE, PIPE, ZERO };

struct mapping_case {
	const char *claim;
	unsigned long flags;
	enum behind behind;
	u16 read;
	u16 write;
};

#define VM_RW	(VM_READ | VM_WRITE)

static const struct mapping_case mapping_cases[] = {
	{ "anonymous", VM_RW, NOTHING, OK, OK },
	{ "to be read", VM_READ, NOTHING, OK, FAULT },
	{ "to be written alone", VM_WRITE, NOTHING, FAULT, FAULT },
	{ "for nobody", 0, NOTHING, FAULT, FAULT },
	{ "input and output", VM_RW | VM_IO, NOTHING, REMOTE, REMOTE },
	{ "without pages", VM_RW | VM_PFNMAP, NOTHING, REMOTE, REMOTE },
	{ "a userfaultfd's", VM_RW | VM_UFFD_MISSING, NOTHING, REMOTE, REMOTE },
	{ "write-protected by a userfaultfd", VM_RW | VM_UFFD_WP, NOTHING, REMOTE, REMOTE },
	{ "a userfaultfd's, to be read", VM_READ | VM_UFFD_MISSING, NOTHING, REMOTE, FAULT },
	{ "tmpfs", VM_RW, TMPFS, OK, OK },
	{ "ramfs", VM_RW, RAMFS, OK, OK },
	{ "a disk's", VM_RW, DISK, OK, OK },
	{ "a disk's, to be read", VM_READ, DISK, OK, FAULT },
	{ "the network's", VM_RW, NETWORK, REMOTE, REMOTE },
	{ "FUSE", VM_RW, FUSE, REMOTE, REMOTE },
	{ "FUSE on a disk", VM_RW, FUSEBLK, REMOTE, REMOTE },
	{ "a device", VM_RW, DEVICE, REMOTE, REMOTE },
	{ "what is no file", VM_RW, PIPE, REMOTE, REMOTE },
	{ "zeros that are private", VM_RW, ZERO, OK, OK },
};

static void mapping_desc(const struct mapping_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(mapping, mapping_cases, mapping_desc);

static void only_what_is_this_machines_is_waited_for(struct kunit *test)
{
	static const unsigned long magic[] = {
		[TMPFS] = TMPFS_MAGIC, [RAMFS] = RAMFS_MAGIC, [DISK] = EXT4_SUPER_MAGIC,
		[NETWORK] = NFS_SUPER_MAGIC, [FUSE] = FUSE_SUPER_MAGIC,
		[FUSEBLK] = FUSE_SUPER_MAGIC, [DEVICE] = TMPFS_MAGIC, [PIPE] = PIPEFS_MAGIC,
		[ZERO] = TMPFS_MAGIC,
	};
	const struct mapping_case *c = test->param_value;
	static const struct vm_operations_struct ops;
	struct vm_area_struct vma = {
		.vm_start = 0x1000, .vm_end = 0x3000, .vm_flags = c->flags,
		.vm_ops = c->behind == NOTHING || c->behind == ZERO ? NULL : &ops,
	};
	struct file_system_type *type = kunit_kzalloc(test, sizeof(*type), GFP_KERNEL);
	struct super_block *sb = kunit_kzalloc(test, sizeof(*sb), GFP_KERNEL);
	struct inode *inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);
	struct file *file = kunit_kzalloc(test, sizeof(*file), GFP_KERNEL);

	KUNIT_ASSERT_TRUE(test, type && sb && inode && file);
	if (!IS_ENABLED(CONFIG_USERFAULTFD) && c->flags & (VM_UFFD_MISSING | VM_UFFD_WP))
		kunit_skip(test, "this kernel has no userfaultfd");
	if (c->behind == DISK || c->behind == FUSEBLK)
		type->fs_flags = FS_REQUIRES_DEV;
	sb->s_type = type;
	sb->s_magic = magic[c->behind];
	inode->i_sb = sb;
	inode->i_mode = c->behind == DEVICE || c->behind == ZERO ? S_IFCHR :
			c->behind == PIPE ? S_IFIFO : S_IFREG;
	file->f_inode = inode;
	if (c->behind != NOTHING)
		vma.vm_file = file;
	KUNIT_EXPECT_EQ(test, gp_faultin_check(&vma, 0x1000, false), c->read);
	KUNIT_EXPECT_EQ(test, gp_faultin_check(&vma, 0x1000, true), c->write);
	/* find_vma() finds what ends behind the address. */
	KUNIT_EXPECT_EQ(test, gp_faultin_check(&vma, 0xfff, false), (u16)FAULT);
	KUNIT_EXPECT_EQ(test, gp_faultin_check(NULL, 0x1000, false), (u16)FAULT);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(what_is_absent_is_brought_in),
	KUNIT_CASE_PARAM(what_the_process_may_not_have_is_refused, refused_gen_params),
	KUNIT_CASE(what_the_file_does_not_have_is_refused),
	KUNIT_CASE(who_gave_the_lock_up_tries_again),
	KUNIT_CASE(all_can_be_done_when_the_lock_is_given_up),
	KUNIT_CASE(the_mapping_is_looked_at_again),
	KUNIT_CASE(who_is_killed_while_it_waits_does_not_try_again),
	KUNIT_CASE(who_is_killed_does_not_wait_for_the_lock),
	KUNIT_CASE(a_lock_is_not_waited_for),
	KUNIT_CASE(a_lock_that_is_soon_free_is_tried_again),
	KUNIT_CASE(a_hit_brings_in_pages_up_to_the_limit),
	KUNIT_CASE(a_hit_is_refused_pages_beyond_the_limit),
	KUNIT_CASE_PARAM(only_what_is_this_machines_is_waited_for, mapping_gen_params),
	{}
};

static struct kunit_suite suite = {
	.name = "faultin",
	.init = faultin_init,
	.suite_init = memory_suite_init,
	.suite_exit = memory_suite_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Pages that are brought in: KUnit suite");
