/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which goroutine is running here: g, its id and how deep in its stack the call is.
 * Inline, because it is part of every hit.
 */
#ifndef GP_GOROUTINE_H
#define GP_GOROUTINE_H

#include <linux/kernel.h>
#include <linux/uaccess.h>
#include <goprobe.h>

/* One past the highest offset that struct goprobe_runtime may hold. */
#define GP_RUNTIME_SPAN	4096

/**
 * struct gp_goroutine - the goroutine of a hit
 * @goid: its id; 0 if there is none
 * @depth: stack.hi - SP at function entry; 0 if there is none
 * @flags: GOPROBE_RECORD_F_NO_G or _SYSTEM
 */
struct gp_goroutine {
	u64 goid;
	u64 depth;
	u16 flags;
};

/*
 * The caller has page faults disabled: an absent page reads as "no goroutine".
 * Return: false if memory could not be read.
 */
static __always_inline bool gp_goroutine_read(const struct goprobe_runtime *rt,
					      unsigned long g,
					      unsigned long sp,
					      struct gp_goroutine *ret)
{
	const void __user *at = (const void __user *)g;
	unsigned long m = 0, curg;
	u64 lo, hi, goid;

	if (!user_read_access_begin(at, GP_RUNTIME_SPAN))
		return false;
	unsafe_get_user(lo, (const u64 __user *)(at + rt->g_stack_lo), fault);
	unsafe_get_user(hi, (const u64 __user *)(at + rt->g_stack_hi), fault);
	unsafe_get_user(goid, (const u64 __user *)(at + rt->g_goid), fault);
	if (unlikely(!goid))
		unsafe_get_user(m, (const unsigned long __user *)(at + rt->g_m), fault);
	user_read_access_end();

	if (unlikely(sp <= lo || sp > hi))
		return false;
	ret->depth = hi - sp;
	if (likely(goid)) {
		ret->goid = goid;
		ret->flags = 0;
		return true;
	}

	/* g0 or gsignal: the user goroutine is the one that m works for. */
	at = (const void __user *)m;
	if (!user_read_access_begin(at, GP_RUNTIME_SPAN))
		return false;
	unsafe_get_user(curg, (const unsigned long __user *)(at + rt->m_curg), fault);
	user_read_access_end();
	at = (const void __user *)curg;
	if (!curg)
		goto none;
	if (!user_read_access_begin(at, GP_RUNTIME_SPAN))
		return false;
	unsafe_get_user(goid, (const u64 __user *)(at + rt->g_goid), fault);
	user_read_access_end();
none:
	ret->goid = goid;
	ret->flags = GOPROBE_RECORD_F_SYSTEM;
	return true;

fault:
	user_read_access_end();
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
 * counts only if it is aligned, readable, and @sp lies in its stack.
 * Context: task, page faults disabled.
 */
static __always_inline void gp_goroutine_find(const struct goprobe_runtime *rt,
					      unsigned long g, unsigned long sp,
					      struct gp_goroutine *ret)
{
	if (likely(!(g & 7) && gp_goroutine_read(rt, g, sp, ret)))
		return;
	ret->goid = 0;
	ret->depth = 0;
	ret->flags = GOPROBE_RECORD_F_NO_G;
}

#endif
