/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that goprobe supports. kmod/Kbuild defines
 * GP_HAVE_* by what the kernel's headers have; the versions below are mainline's.
 */
#ifndef GP_COMPAT_H
#define GP_COMPAT_H

#include <linux/cgroup.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/shmem_fs.h>
#include <linux/uprobes.h>

/*
 * 6.12 split unregistration in two (many without waiting, then wait once) and
 * made registration return the uprobe; before, unregistration waits itself and
 * finds the uprobe by inode and offset.
 */
#ifdef GP_HAVE_UNREGISTER_NOSYNC
#define GP_UNREGISTER_NEEDS_SYNC 1

static inline int gp_compat_register(struct inode *inode, loff_t offset,
				     struct uprobe_consumer *uc,
				     struct uprobe **ret)
{
	struct uprobe *uprobe = uprobe_register(inode, offset, 0, uc);

	if (IS_ERR(uprobe))
		return PTR_ERR(uprobe);
	*ret = uprobe;
	return 0;
}

static inline void gp_compat_unregister(struct inode *inode, loff_t offset,
					struct uprobe_consumer *uc,
					struct uprobe *uprobe)
{
	uprobe_unregister_nosync(uprobe, uc);
}

static inline void gp_compat_unregister_sync(void)
{
	uprobe_unregister_sync();
}
#else
#define GP_UNREGISTER_NEEDS_SYNC 0

static inline int gp_compat_register(struct inode *inode, loff_t offset,
				     struct uprobe_consumer *uc,
				     struct uprobe **ret)
{
	*ret = NULL;
	return uprobe_register(inode, offset, uc);
}

static inline void gp_compat_unregister(struct inode *inode, loff_t offset,
					struct uprobe_consumer *uc,
					struct uprobe *uprobe)
{
	uprobe_unregister(inode, offset, uc);
}

static inline void gp_compat_unregister_sync(void)
{
}
#endif

/*
 * Before 6.14 each hit looks its uprobe up under the lock of the process's mappings (mmap_lock),
 * and before 6.12 also under a lock of the whole machine. 6.14 looks it up without a lock, with
 * what it added to <linux/mmap_lock.h>.
 */
#ifdef GP_HAVE_MMAP_LOCK_SPECULATE
#define GP_HITS_TAKE_LOCKS	0
#else
#define GP_HITS_TAKE_LOCKS	1
#endif

/* 6.13 gave handlers a cookie. */
#ifdef GP_HAVE_HANDLER_DATA
#define GP_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *unused)
#else
#define GP_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs)
#endif

/* 6.12 removed the context argument of consumers' filters. */
#ifdef GP_HAVE_FILTER_CTX
#define GP_UPROBE_FILTER(name, uc, mm) \
	bool name(struct uprobe_consumer *uc, enum uprobe_filter_ctx unused, \
		  struct mm_struct *mm)
#else
#define GP_UPROBE_FILTER(name, uc, mm) \
	bool name(struct uprobe_consumer *uc, struct mm_struct *mm)
#endif

/*
 * set_active_memcg() in a task. The kernel's own function also names a per-CPU variable for
 * interrupts, which is exported to modules only since 5.14.
 */
static inline struct mem_cgroup *gp_compat_set_active_memcg(struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	struct mem_cgroup *before = current->active_memcg;

	current->active_memcg = memcg;
	return before;
#else
	return NULL;
#endif
}

/* The control group whose directory @fd is, with a reference, or an ERR_PTR(). */
static inline struct cgroup *gp_compat_cgroup(int fd)
{
#ifdef CONFIG_CGROUPS
	return cgroup_get_from_fd(fd);
#else
	return ERR_PTR(-EOPNOTSUPP);
#endif
}

static inline void gp_compat_cgroup_put(struct cgroup *cgroup)
{
#ifdef CONFIG_CGROUPS
	cgroup_put(cgroup);
#endif
}

/* 6.5 took the mappings from what these return. */
#ifdef GP_HAVE_GUP_VMAS
#define GP_GUP_VMAS	NULL,
#else
#define GP_GUP_VMAS
#endif

/* Macros, for the module of bench/, which does without kmod/Kbuild. */

/* The page at @at of a process's code, its own copy. Context: the lock of its mappings. */
#define gp_compat_get_page(mm, at, page) \
	get_user_pages_remote(mm, at, 1, FOLL_WRITE | FOLL_FORCE, page, GP_GUP_VMAS NULL)

/* The page at @at, to be read. Context: as above. */
#define gp_compat_read_page(mm, at, page) \
	get_user_pages_remote(mm, at, 1, FOLL_FORCE, page, GP_GUP_VMAS NULL)

/* As above, if it is present. 5.10 has no FOLL_NOFAULT, and 6.1 no follow_invalidate_pte(). */
#ifdef GP_HAVE_FOLLOW_INVALIDATE_PTE
static inline int gp_compat_look_page(struct mm_struct *mm, unsigned long at, struct page **page)
{
	spinlock_t *lock;	/* guards the entry */
	pte_t *pte;
	int n;

	if (follow_pte(mm, at, &pte, &lock))
		return 0;
	n = !pte_special(*pte) && !pte_devmap(*pte);
	if (n) {
		*page = pte_page(*pte);
		get_page(*page);
	}
	pte_unmap_unlock(pte, lock);
	return n;
}
#else
#define gp_compat_look_page(mm, at, page) \
	get_user_pages_remote(mm, at, 1, FOLL_FORCE | FOLL_NOFAULT, page, GP_GUP_VMAS NULL)
#endif

/* Pin @n pages from @at on. Context: as above. */
#define gp_compat_pin_pages(mm, at, n, pages) \
	pin_user_pages_remote(mm, at, n, FOLL_WRITE | FOLL_LONGTERM, pages, GP_GUP_VMAS NULL)

/* A file in memory without a name; 7.0 gave flags a type of their own. */
#ifdef GP_HAVE_VMA_FLAGS
#define gp_compat_memory_file(name, bytes) shmem_file_setup(name, bytes, EMPTY_VMA_FLAGS)
#else
#define gp_compat_memory_file(name, bytes) shmem_file_setup(name, bytes, 0)
#endif

/* 7.3 has functions for where a mapping begins in its file, and for its flags. */
static inline pgoff_t gp_compat_start_pgoff(const struct vm_area_struct *vma)
{
#ifdef GP_HAVE_VMA_START_PGOFF
	return vma_start_pgoff(vma);
#else
	return vma->vm_pgoff;
#endif
}

static inline vm_flags_t gp_compat_vm_flags(const struct vm_area_struct *vma)
{
#ifdef GP_HAVE_VMA_FLAGS_WORD
	return vma_flags_to_legacy(vma->flags);
#else
	return vma->vm_flags;
#endif
}

/* 6.13 gave timers their function when they are made. */
static inline void gp_compat_timer_on_stack(struct hrtimer *timer,
					    enum hrtimer_restart (*fn)(struct hrtimer *timer))
{
#ifdef GP_HAVE_HRTIMER_SETUP
	hrtimer_setup_on_stack(timer, fn, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
#else
	hrtimer_init_on_stack(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	timer->function = fn;
#endif
}

/* Since 6.0 a fault may end with the lock released and nothing left to do. */
#ifdef GP_HAVE_FAULT_COMPLETED
#define GP_FAULT_COMPLETED	VM_FAULT_COMPLETED
#else
#define GP_FAULT_COMPLETED	0
#endif

/*
 * The current task's saved x86 floating point state: 5.16 moved it behind a pointer, 6.16 placed
 * its owner directly behind task_struct.
 */
#ifdef CONFIG_X86_64
#ifdef GP_HAVE_THREAD_FPU
#define gp_compat_fpu()		(&current->thread.fpu)
#else
/* x86_task_fpu() itself is not exported where CONFIG_X86_DEBUG_FPU is on. */
#define gp_compat_fpu()		((struct fpu *)((void *)current + sizeof(*current)))
#endif
#ifdef GP_HAVE_FPSTATE
#define gp_compat_fpregs()	(&gp_compat_fpu()->fpstate->regs)
#else
#define gp_compat_fpregs()	(&gp_compat_fpu()->state)
#endif
#endif

#endif
