/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The goroutine of a hit: g, its id, and the stack depth of the call. Inline, because each hit
 * needs it.
 */
#ifndef GP_GOROUTINE_H
#define GP_GOROUTINE_H

#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <goprobe.h>

#include "capture/faultin.h"

/* One past the highest offset that struct goprobe_runtime may hold. */
#define GP_RUNTIME_SPAN	4096

/**
 * struct gp_goroutine - the goroutine of a hit
 * @g: address of its runtime.g; 0: no goroutine
 * @goid: its id; 0: no goroutine
 * @depth: stack.hi - SP at function entry; 0: no goroutine
 * @absent: address that could not be read; 0 if all could
 * @flags: GOPROBE_RECORD_F_NO_G or _SYSTEM
 */
struct gp_goroutine {
	unsigned long g;
	u64 goid;
	u64 depth;
	unsigned long absent;
	u16 flags;
};

/* Read a word of the object at @at; on failure set absent and go to fault. */
#define gp_goroutine_word(to, at, offset) \
do { \
	absent = (unsigned long)(at) + (offset); \
	unsafe_get_user(to, (const u64 __user *)absent, fault); \
} while (0)

/**
 * struct gp_own_g - the g that owns the stack of a hit
 * @g: its address
 * @goid: its id; 0 on a system stack
 * @depth: stack.hi - SP at function entry
 * @absent: address that could not be read; 0 if all could
 */
struct gp_own_g {
	unsigned long g;
	u64 goid;
	u64 depth;
	unsigned long absent;
};

/*
 * Return: false if @g is not the g of a stack that @sp is in, or with ret->absent set
 * if memory could not be read.
 */
static __always_inline bool gp_goroutine_own(const struct goprobe_runtime *rt,
					     unsigned long g, unsigned long sp,
					     struct gp_own_g *ret)
{
	u64 lo, hi, goid;
	unsigned long absent;

	ret->absent = 0;
	if (!user_read_access_begin((const void __user *)g, GP_RUNTIME_SPAN))
		return false;
	gp_goroutine_word(lo, g, rt->g_stack_lo);
	gp_goroutine_word(hi, g, rt->g_stack_hi);
	gp_goroutine_word(goid, g, rt->g_goid);
	user_read_access_end();

	ret->g = g;
	ret->goid = goid;
	ret->depth = hi - sp;
	return likely(sp > lo && sp <= hi);

fault:
	user_read_access_end();
	ret->absent = absent;
	return false;
}

/*
 * Return: false if this is no goroutine's stack, or with ret->absent set if
 * memory could not be read.
 */
static __always_inline bool gp_goroutine_read(const struct goprobe_runtime *rt,
					      unsigned long g,
					      unsigned long sp,
					      struct gp_goroutine *ret)
{
	struct gp_own_g own GP_UNINITIALIZED;
	unsigned long absent;
	u64 goid, m, curg;
	bool its;

	its = gp_goroutine_own(rt, g, sp, &own);
	ret->absent = own.absent;
	if (unlikely(!its))
		return false;
	ret->depth = own.depth;
	ret->g = g;
	ret->goid = own.goid;
	ret->flags = 0;
	if (likely(own.goid))
		return true;

	/* g0 or gsignal: the user goroutine is the one that m works for. */
	if (!user_read_access_begin((const void __user *)g, GP_RUNTIME_SPAN))
		return false;
	gp_goroutine_word(m, g, rt->g_m);
	user_read_access_end();
	if (!user_read_access_begin((const void __user *)m, GP_RUNTIME_SPAN))
		return false;
	gp_goroutine_word(curg, m, rt->m_curg);
	user_read_access_end();
	ret->flags = GOPROBE_RECORD_F_SYSTEM;
	ret->g = curg;
	if (!curg)
		return true;
	if (!user_read_access_begin((const void __user *)curg, GP_RUNTIME_SPAN))
		return false;
	gp_goroutine_word(goid, curg, rt->g_goid);
	user_read_access_end();
	ret->goid = goid;
	return true;

fault:
	user_read_access_end();
	ret->absent = absent;
	return false;
}

/**
 * gp_goroutine_find() - the goroutine of a hit
 * @rt: where the Go runtime keeps things; verified
 * @g: what should be the address of its runtime.g; any value
 * @sp: SP at function entry
 * @ret: the goroutine
 *
 * In C code, and in assembly that uses the register otherwise, @g is not a g: it
 * counts only if it is aligned, readable, and @sp lies in its stack. A g that was
 * in use a moment ago can still be absent: huge pages are collapsed, pages migrate.
 * Context: task, page faults disabled.
 */
static __always_inline void gp_goroutine_find(const struct goprobe_runtime *rt,
					      unsigned long g, unsigned long sp,
					      struct gp_goroutine *ret)
{
	ret->absent = 0;
	if (likely(!(g & 7) && gp_goroutine_read(rt, g, sp, ret)))
		return;
	ret->g = 0;
	ret->goid = 0;
	ret->depth = 0;
	ret->flags = GOPROBE_RECORD_F_NO_G;
}

#endif
