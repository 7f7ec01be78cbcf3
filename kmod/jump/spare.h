/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that a traced process can spare for jumps. Its limits are the process's own: address
 * space, data, mappings, locked memory, control groups. Jumps take a part of what these leave. If
 * that is not enough, points stay breakpoints (GOPROBE_TRAP_MEMORY); nothing is ever killed for it.
 */
#ifndef GP_SPARE_H
#define GP_SPARE_H

#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/sizes.h>
#include <linux/types.h>

struct pid;

/* Memory that the jumps of a session take, in all its processes. */
#define GP_SPARE_SESSION	SZ_64M

/* Jumps take a quarter of what a limit would leave without them. */
#define GP_SPARE_PART		4

/* The largest number of stripes. */
#define GP_SPARE_STRIPES	32

/**
 * struct gp_spare - what jumps of a session take of a process
 * @pid: the process
 * @session: pages that the jumps of the session have taken, of all processes
 * @mine: pages of these that they have taken of this one
 * @mapped: pages of its address space that they have
 * @cpu_shift: as of struct gp_detour; 0: CPUs do not have numbers of their own
 */
struct gp_spare {
	struct pid *pid;
	atomic_long_t *session;
	unsigned long mine;
	unsigned long mapped;
	u8 cpu_shift;
};

/* A *stripe* is what CPUs have whose numbers differ by a multiple of the number of stripes. */
static inline u32 gp_spare_stripes(u8 cpu_shift)
{
	return cpu_shift ? 1U << (32 - cpu_shift) : 1;
}

/* Bytes from one stripe to the next. */
static inline unsigned long gp_spare_stride(u8 cpu_shift)
{
	return 1UL << cpu_shift;
}

/* The fewest stripes, 2 to GP_SPARE_STRIPES, of which no two of @cpus share one, if possible. */
u8 gp_spare_cpu_shift(const struct cpumask *cpus);

/* @per_cpu: CPUs can have numbers of their own. Context: may sleep. */
void gp_spare_init(struct gp_spare *spare, struct pid *pid, atomic_long_t *session, bool per_cpu);
/*
 * Context of these: a kernel thread that uses the process's memory. gp_spare_maps(): may @bytes be
 * mapped, in @n mappings? gp_spare_take(): take @n pages, which are brought in next. Return: 0,
 * or -ENOMEM: the process can't spare that.
 */
int gp_spare_maps(const struct gp_spare *spare, unsigned long bytes, u32 n);
int gp_spare_take(struct gp_spare *spare, unsigned long n);

/* Take @n pages that the process has from an earlier session. */
static inline void gp_spare_take_again(struct gp_spare *spare, unsigned long n)
{
	atomic_long_add(n, spare->session);
	spare->mine += n;
}

/* Pages are not taken any more. */
static inline void gp_spare_give_back(struct gp_spare *spare, unsigned long n)
{
	atomic_long_sub(n, spare->session);
	spare->mine -= n;
}

#endif
