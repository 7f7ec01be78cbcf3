/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The clock that times calls and stamps records. It measures intervals; timeline.h converts them to
 * time. So it may be the processor's counter, which takes a handful of instructions where
 * ktime_get_ns() takes about fifty. When a session needs a clock, the module uses the counter only
 * if the kernel's own clock is this counter.
 */
#ifndef GP_CLOCK_H
#define GP_CLOCK_H

#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/types.h>

#include "arch/arch.h"

/**
 * struct gp_clock - a session's clock
 * @mult: a tick takes @mult >> @shift nanoseconds; 0: ticks are nanoseconds
 * @shift: see @mult; at most 32
 */
struct gp_clock {
	u32 mult;
	u32 shift;
};

static inline void gp_clock_init(struct gp_clock *clock)
{
	clock->mult = 0;
	clock->shift = 0;
	gp_arch_ticks_rate(&clock->mult, &clock->shift);
}

/* The current time in ticks. */
static __always_inline u64 gp_clock_read(const struct gp_clock *clock)
{
	return likely(READ_ONCE(clock->mult)) ? gp_arch_ticks() : ktime_get_ns();
}

/*
 * Nanoseconds between two readings. Counters of two CPUs can differ by a few ticks. This does not
 * use mul_u64_u32_shr(): for its 128 bits the compiler realigns the stack.
 */
static __always_inline u64 gp_clock_passed(const struct gp_clock *clock, u64 from, u64 to)
{
	u64 ticks = likely(to > from) ? to - from : 0;
	u64 ns = (ticks & U32_MAX) * clock->mult >> clock->shift;

	if (unlikely(!clock->mult))
		return ticks;
	if (unlikely(ticks > U32_MAX))
		ns += (ticks >> 32) * clock->mult << (32 - clock->shift);
	return ns;
}

#endif
