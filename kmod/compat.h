/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between the kernels that goprobe supports. The only file that
 * looks at LINUX_VERSION_CODE.
 */
#ifndef GP_COMPAT_H
#define GP_COMPAT_H

#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/uprobes.h>
#include <linux/version.h>

/*
 * 6.12 split unregistration in two (many without waiting, then wait once) and
 * made registration return the uprobe; before, unregistration waits itself and
 * finds the uprobe by inode and offset.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
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

/* 6.13 gave handlers a cookie. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define GP_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs, __u64 *unused)
#else
#define GP_UPROBE_HANDLER(name, uc, regs) \
	int name(struct uprobe_consumer *uc, struct pt_regs *regs)
#endif

/* 6.12 took the context from filters. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define GP_UPROBE_FILTER(name, uc, mm) \
	bool name(struct uprobe_consumer *uc, struct mm_struct *mm)
#else
#define GP_UPROBE_FILTER(name, uc, mm) \
	bool name(struct uprobe_consumer *uc, enum uprobe_filter_ctx unused, \
		  struct mm_struct *mm)
#endif

/*
 * set_active_memcg() names a per-CPU variable for interrupts, which is exported to
 * modules since 5.14 only. Context: a task.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0) && defined(CONFIG_MEMCG)
static inline struct mem_cgroup *gp_compat_set_active_memcg(struct mem_cgroup *memcg)
{
	struct mem_cgroup *before = current->active_memcg;

	current->active_memcg = memcg;
	return before;
}
#else
#define gp_compat_set_active_memcg	set_active_memcg
#endif

/* 6.0 lets a fault end with the lock dropped and nothing left to do. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
#define GP_FAULT_COMPLETED	VM_FAULT_COMPLETED
#else
#define GP_FAULT_COMPLETED	0
#endif

/*
 * Where the saved x86 floating point state of the current task is: 5.16 moved
 * it behind a pointer, 6.16 moved the owner to right behind task_struct.
 */
#ifdef CONFIG_X86_64
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
/* x86_task_fpu() itself is not exported where CONFIG_X86_DEBUG_FPU is on. */
#define gp_compat_fpu()		((struct fpu *)((void *)current + sizeof(*current)))
#else
#define gp_compat_fpu()		(&current->thread.fpu)
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 16, 0)
#define gp_compat_fpregs()	(&gp_compat_fpu()->fpstate->regs)
#else
#define gp_compat_fpregs()	(&gp_compat_fpu()->state)
#endif
#endif

#endif
