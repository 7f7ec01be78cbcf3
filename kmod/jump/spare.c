// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that a traced process can spare for jumps.
 *
 * The kernel checks none of the process's limits where a kernel thread maps memory, and calls the
 * OOM killer where a control group has no memory for a page that a thread touches. So all of them
 * are looked at before.
 */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/memcontrol.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "gfp.h"
#include "jump/spare.h"

/* --- CPUs ----------------------------------------------------------------------------- */

static bool gp_spare_are_apart(const struct cpumask *cpus, u32 stripes)
{
	u32 used = 0, bit;
	int cpu;

	for_each_cpu(cpu, cpus) {
		bit = 1U << cpu % stripes;
		if (used & bit)
			return false;
		used |= bit;
	}
	return true;
}

u8 gp_spare_cpu_shift(const struct cpumask *cpus)
{
	u32 stripes = 2;
	u8 shift = 31;

	BUILD_BUG_ON(GP_SPARE_STRIPES > 32);
	for (; stripes < GP_SPARE_STRIPES && !gp_spare_are_apart(cpus, stripes); stripes *= 2)
		shift--;
	return shift;
}

/* CPUs that are online and on which threads of the process may run. */
static void gp_spare_find_cpus(struct pid *pid, struct cpumask *cpus)
{
	struct task_struct *leader, *t;

	cpumask_clear(cpus);
	rcu_read_lock();
	leader = pid_task(pid, PIDTYPE_TGID);
	if (leader)
		for_each_thread(leader, t)
			cpumask_or(cpus, cpus, &t->cpus_mask);
	rcu_read_unlock();
	cpumask_and(cpus, cpus, cpu_online_mask);
}

void gp_spare_init(struct gp_spare *spare, struct pid *pid, atomic_long_t *session, bool per_cpu)
{
	cpumask_var_t cpus;

	*spare = (struct gp_spare){ .pid = pid, .session = session };
	if (!per_cpu)
		return;
	/* One stripe would be shifted by 32, which the processor takes for 0. */
	spare->cpu_shift = 31;
	if (!alloc_cpumask_var(&cpus, GP_GFP_CHARGED))
		return;
	gp_spare_find_cpus(pid, cpus);
	spare->cpu_shift = gp_spare_cpu_shift(cpus);
	free_cpumask_var(cpus);
}

/* --- limits of the process ------------------------------------------------------------ */

/* May @more be taken where @used of @limit is in use, @mine of it by jumps? */
static bool gp_spare_leaves(unsigned long limit, unsigned long used, unsigned long mine,
			    unsigned long more)
{
	unsigned long others = used - min(used, mine);

	return limit > others && mine + more <= (limit - others) / GP_SPARE_PART;
}

static bool gp_spare_in_rlimit(const struct task_struct *t, u32 which, unsigned long used,
			       unsigned long mine, unsigned long more)
{
	unsigned long limit = task_rlimit(t, which);

	return limit == RLIM_INFINITY || gp_spare_leaves(limit / PAGE_SIZE, used, mine, more);
}

int gp_spare_maps(const struct gp_spare *spare, unsigned long bytes, u32 n)
{
	struct task_struct *t = get_pid_task(spare->pid, PIDTYPE_TGID);
	const struct mm_struct *mm = current->mm;
	unsigned long pages = bytes / PAGE_SIZE;
	bool may;

	if (!t)
		return -ENOMEM;
	/* mlockall(MCL_FUTURE) would bring in, and lock, all of it. */
	may = !(READ_ONCE(mm->def_flags) & VM_LOCKED) &&
	      gp_spare_in_rlimit(t, RLIMIT_AS, READ_ONCE(mm->total_vm), spare->mapped, pages) &&
	      gp_spare_in_rlimit(t, RLIMIT_DATA, READ_ONCE(mm->data_vm), spare->mapped, pages) &&
	      /* vm.max_map_count is not known to modules, but its default. */
	      READ_ONCE(mm->map_count) + n <= DEFAULT_MAX_MAP_COUNT / 2;
	put_task_struct(t);
	return may ? 0 : -ENOMEM;
}

/* A program that pins memory itself may do so up to its limit. */
static bool gp_spare_may_pin(const struct gp_spare *spare, unsigned long n)
{
	unsigned long pinned = atomic64_read(&current->mm->pinned_vm);
	struct task_struct *t;
	bool may;

	if (pinned <= spare->mine)
		return true;
	t = get_pid_task(spare->pid, PIDTYPE_TGID);
	may = t && gp_spare_in_rlimit(t, RLIMIT_MEMLOCK, pinned, spare->mine, n);
	if (t)
		put_task_struct(t);
	return may;
}

/* --- control groups --------------------------------------------------------------------- */

#ifdef CONFIG_MEMCG
static unsigned long gp_spare_left(const struct page_counter *counter)
{
	unsigned long used = page_counter_read((struct page_counter *)counter);
	unsigned long limit = min(READ_ONCE(counter->max), READ_ONCE(counter->high));

	return limit - min(limit, used);
}

/* Pages that the group and all above it can still be charged. */
static unsigned long gp_spare_margin(struct mem_cgroup *memcg)
{
	unsigned long left = ULONG_MAX;

	for (; memcg; memcg = parent_mem_cgroup(memcg)) {
		left = min(left, gp_spare_left(&memcg->memory));
		if (!cgroup_subsys_on_dfl(memory_cgrp_subsys))
			left = min(left, gp_spare_left(&memcg->memsw));
	}
	return left;
}

/*
 * Have the group's page cache make way for @n pages. Such a charge fails where that of a page
 * fault would call the OOM killer.
 */
static void gp_spare_reclaim(struct mem_cgroup *memcg, unsigned long n)
{
	struct mem_cgroup *before = gp_compat_set_active_memcg(memcg);
	void **page, **all = NULL;

	while (n--) {
		page = (void **)__get_free_page(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN);
		if (!page)
			break;
		*page = all;
		all = page;
		cond_resched();
	}
	gp_compat_set_active_memcg(before);
	while (all) {
		page = all;
		all = *page;
		free_page((unsigned long)page);
	}
}

/* Does the group stay far from its limit if @n more are taken? @session: pages that are taken */
static bool gp_spare_group_has(const struct gp_spare *spare, unsigned long n)
{
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(current->mm);
	unsigned long want = GP_SPARE_PART * (atomic_long_read(spare->session) + n);
	bool has;

	if (!memcg)
		return true;
	has = gp_spare_margin(memcg) + spare->mine >= want;
	if (!has && want <= GP_SPARE_SESSION / PAGE_SIZE) {
		gp_spare_reclaim(memcg, want - min(want, spare->mine));
		has = gp_spare_margin(memcg) + spare->mine >= want;
	}
	mem_cgroup_put(memcg);
	return has;
}
#else
static bool gp_spare_group_has(const struct gp_spare *spare, unsigned long n)
{
	return true;
}
#endif

int gp_spare_take(struct gp_spare *spare, unsigned long n)
{
	unsigned long taken = atomic_long_read(spare->session);

	if (taken + n > GP_SPARE_SESSION / PAGE_SIZE || !gp_spare_may_pin(spare, n) ||
	    si_mem_available() < (long)(GP_SPARE_PART * n) || !gp_spare_group_has(spare, n))
		return -ENOMEM;
	atomic_long_add(n, spare->session);
	spare->mine += n;
	return 0;
}
