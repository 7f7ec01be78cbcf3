// SPDX-License-Identifier: GPL-2.0
/*
 * Emulation of the instruction under a breakpoint, in the handler.
 *
 * The kernel emulates a few instructions. It single-steps all others out of line, which takes a
 * second exception. If a handler has changed the instruction pointer, a kernel that honours the
 * change does not execute the instruction. The handler can then emulate it on the registers.
 *
 * Kernels do so since 6.18 ("uprobe: Do not emulate/sstep original instruction when ip is
 * changed"), and stable kernels that have the backport, like Debian's 6.1 and 6.12; 6.13 to 6.17
 * and 5.10 do not. On those, a RET that the handler emulates is executed a second time, and the
 * program dies. So a self-test tries first, with an instruction that does no harm either way: see
 * GOPROBE_SELF_TEST_CODE and gp_emulate_round().
 *
 * Other consumers at the same place that the kernel calls after ours see the registers as they are
 * behind the instruction. Only a RET changes the stack pointer: a uretprobe, which the kernel
 * prepares after all handlers have run, finds the return address in its place.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "arch/arch.h"
#include "arch/emulate.h"

/* Can change at any time; read once for each point, whose mode then stays the same. */
static bool gp_emulate_param = true;
module_param_named(execute, gp_emulate_param, bool, 0644);
MODULE_PARM_DESC(execute, "emulate simple instructions and returns in the handler where the kernel allows it, at points placed from now on (default: Y)");

enum gp_honours {
	GP_HONOURS_UNKNOWN,
	GP_HONOURS_YES,
	GP_HONOURS_NO,
};

/*
 * Whether the kernel honours a changed instruction pointer. The first test sets it. A later test,
 * or a thread at an unexpected place, can only clear it, which costs speed and nothing else.
 */
static enum gp_honours gp_honours;

u64 gp_emulate_abilities(void)
{
	if (!READ_ONCE(gp_emulate_param))
		return 0;
	switch (READ_ONCE(gp_honours)) {
	case GP_HONOURS_UNKNOWN:
		return GOPROBE_ABILITY_UNTESTED;
	case GP_HONOURS_YES:
		return GOPROBE_ABILITY_EMULATE;
	case GP_HONOURS_NO:
		break;
	}
	return 0;
}

/**
 * gp_emulate_init() - decide for a new point
 * @e: all 0
 * @point: verified; the file has its bytes
 */
void gp_emulate_init(struct gp_emulate *e, const struct goprobe_point *point)
{
	e->offset = point->offset & ~PAGE_MASK;
	if (point->kind == GOPROBE_POINT_SELF_TEST)
		e->by = GP_EXECUTOR_SELF_TEST;
	else if (gp_emulate_abilities() & GOPROBE_ABILITY_EMULATE &&
		 gp_step_decode(point->code, point->code_len, &e->step))
		e->by = GP_EXECUTOR_HANDLER;
}

/*
 * The next round of a test. In each round but the last, a random bit decides whether the first
 * instruction is skipped. Only a kernel that honours a skip lets the registers show the bit. A
 * client that forges the registers has to guess all bits. Return: whether to skip.
 */
static bool gp_emulate_round(struct gp_emulate *e, u32 left, u32 count)
{
	bool skip;

	if (left == GOPROBE_SELF_TEST_ROUNDS && count == left) {
		e->tester = current;
		e->left = left;
		e->count = count;
		e->skips = get_random_u32();
	}
	if (e->tester != current || left != e->left)
		return false;
	if (count != e->count || left == 1) {
		e->tester = NULL;
		if (count != e->count)
			WRITE_ONCE(gp_honours, GP_HONOURS_NO);
		else
			cmpxchg(&gp_honours, GP_HONOURS_UNKNOWN, GP_HONOURS_YES);
		return false;
	}
	skip = e->skips & 1;
	e->skips >>= 1;
	e->left--;
	e->count -= !skip;
	return skip;
}

/* A thread is at the beginning of GOPROBE_SELF_TEST_CODE. */
static noinline void gp_emulate_test(struct gp_emulate *e, struct pt_regs *regs)
{
	static DEFINE_SPINLOCK(lock);
	u32 left, count;
	bool skip;

	gp_arch_test_registers(regs, &left, &count);
	/* Several threads can be here at once: a client may cheat. */
	spin_lock(&lock);
	skip = gp_emulate_round(e, left, count);
	spin_unlock(&lock);
	if (skip)
		gp_arch_test_skip(regs);
}

/**
 * gp_emulate_hit() - execute the instruction, unless the kernel does
 * @e: not by GP_EXECUTOR_KERNEL
 * @regs: of the hitting thread; the handler has read from them all that it needs
 *
 * If another consumer at the place, which the kernel called before ours, has changed the
 * instruction pointer, the instruction must not be executed at all. (A consumer that sets it to
 * the same offset in another page does so on purpose.)
 *
 * Context: as the handler.
 */
void gp_emulate_hit(struct gp_emulate *e, struct pt_regs *regs)
{
	if (unlikely((instruction_pointer(regs) ^ e->offset) & ~PAGE_MASK))
		return;
	if (likely(e->by == GP_EXECUTOR_HANDLER))
		gp_arch_emulate(&e->step, regs);
	else
		gp_emulate_test(e, regs);
}
