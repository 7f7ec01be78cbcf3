// SPDX-License-Identifier: GPL-2.0
/*
 * Who executes the instruction under a breakpoint.
 *
 * The kernel emulates few instructions; others it single-steps in a page of its
 * own, for which it takes a second exception. But if a handler has changed
 * the instruction pointer, the kernel leaves the instruction alone: so the
 * handler can carry it out itself, on the registers.
 *
 * That is so since 6.18 ("uprobe: Do not emulate/sstep original instruction
 * when ip is changed"), and in stable kernels that have taken it over, like
 * Debian's 6.1 and 6.12; 6.13 to 6.17 and 5.10 do not. Where it isn't so, a RET that
 * is carried out is executed once more and the program dies. So it is tried
 * first, with an instruction that does no harm either way: see
 * GOPROBE_SELF_TEST_CODE and gp_emulate_round().
 *
 * Other consumers at the same place that the kernel calls after ours see the
 * registers as they are behind the instruction. The stack pointer is changed only by a
 * RET: a uretprobe, which the kernel prepares after all handlers have run, finds
 * the return address where it was.
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

/* Can change at any time; read once for each point, which then stays as it was made. */
static bool gp_emulate_param = true;
module_param_named(execute, gp_emulate_param, bool, 0644);
MODULE_PARM_DESC(execute, "carry out simple instructions and returns in the handler where the kernel allows, at points made from now on (default: Y)");

enum gp_honours {
	GP_HONOURS_UNKNOWN,
	GP_HONOURS_YES,
	GP_HONOURS_NO,
};

/*
 * Does the kernel honour a changed instruction pointer? What the first test says is written. A
 * later one, or a thread that is where it should not be, can only take it back: that costs time,
 * and nothing else.
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
		return GOPROBE_ABILITY_EXECUTE;
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
	else if (gp_emulate_abilities() & GOPROBE_ABILITY_EXECUTE &&
		 gp_step_decode(point->code, point->code_len, &e->step))
		e->by = GP_EXECUTOR_HANDLER;
}

/*
 * The next round of a test. In each but the last the first instruction is skipped, or not, as a
 * random bit says. Only a kernel that honours a skip lets the registers show which it was: so a
 * client that writes them itself, to be believed, has to guess all bits. Return: is it to be
 * skipped?
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
	/* Several threads are at once where only one should be if somebody cheats. */
	spin_lock(&lock);
	skip = gp_emulate_round(e, left, count);
	spin_unlock(&lock);
	if (skip)
		gp_arch_test_skip(regs);
}

/**
 * gp_emulate_hit() - execute the instruction, unless that is the kernel's business
 * @e: not by GP_EXECUTOR_KERNEL
 * @regs: the hitting thread's; what the handler had to read there has been read
 *
 * If another consumer at the place, which the kernel has called before ours, has changed the
 * instruction pointer, the instruction is not to be executed at all. (One that has set it to the
 * same place in another page knows what it does.)
 *
 * Context: as the handler.
 */
void gp_emulate_hit(struct gp_emulate *e, struct pt_regs *regs)
{
	if (unlikely((instruction_pointer(regs) ^ e->offset) & ~PAGE_MASK))
		return;
	if (likely(e->by == GP_EXECUTOR_HANDLER))
		gp_arch_execute(&e->step, regs);
	else
		gp_emulate_test(e, regs);
}
