/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Free lists that are spread over the CPUs: each CPU takes from its own pool, and from the next one
 * when its own is empty. A lock is held for a handful of instructions, with preemption off.
 */
#ifndef GP_POOL_H
#define GP_POOL_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/smp.h>

#define GP_POOLS_MAX	64

/* Number of pools: a power of two. */
static inline u32 gp_pool_number(void)
{
	return min_t(u32, roundup_pow_of_two(num_possible_cpus()), GP_POOLS_MAX);
}

/* Index of the @next-th pool of @n, as this CPU counts them. */
static inline u32 gp_pool_index(u32 n, u32 next)
{
	return (smp_processor_id() + next) & (n - 1);
}

static inline void gp_pool_lock(int *lock)
{
	while (cmpxchg_acquire(lock, 0, 1))
		cpu_relax();
}

static inline void gp_pool_unlock(int *lock)
{
	/* The next holder of the lock sees the list. */
	smp_store_release(lock, 0);
}

#endif
