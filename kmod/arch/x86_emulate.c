// SPDX-License-Identifier: GPL-2.0
/*
 * Emulation of x86-64 instructions that gp_step_decode() knows, on the registers of the thread that
 * hit the breakpoint. Unusual cases are left to the processor: the kernel then single-steps the
 * instruction. So nothing here needs to raise an exception.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/processor-flags.h>
#include <asm/processor.h>
#include <asm/segment.h>

#include "arch/arch.h"
#include "arch/step.h"
#include "arch/usercopy.h"

static u64 *gp_step_reg(struct pt_regs *regs, u8 reg)
{
	return (u64 *)((u8 *)regs + gp_arch_reg_offset[reg]);
}

static u64 gp_step_address(const struct gp_step *s, struct pt_regs *regs)
{
	u64 at = (s64)s->ea.disp;

	if (s->ea.rip)
		at += regs->ip + s->length;
	if (s->ea.base != GP_STEP_NO_REG)
		at += *gp_step_reg(regs, s->ea.base);
	if (s->ea.index != GP_STEP_NO_REG)
		at += *gp_step_reg(regs, s->ea.index) << s->ea.shift;
	return at;
}

/* The low @width bytes. */
static u64 gp_step_low(u64 v, u8 width)
{
	return width == 8 ? v : v & ((1ULL << 8 * width) - 1);
}

static bool gp_step_read(const struct gp_step *s, struct pt_regs *regs, u8 operand,
			 u8 reg, u8 width, u64 *ret)
{
	u64 v = 0;

	switch (operand) {
	case GP_STEP_REG:
		v = *gp_step_reg(regs, reg);
		break;
	case GP_STEP_IMM:
		v = s->imm;
		break;
	case GP_STEP_MEM:
		/* One load, as the processor does: another thread may be writing the value. */
		if (!gp_user_get(&v, gp_step_address(s, regs), width))
			return false;
		break;
	}
	*ret = gp_step_low(v, width);
	return true;
}

static bool gp_step_write(const struct gp_step *s, struct pt_regs *regs, u64 v)
{
	if (s->to == GP_STEP_REG) {
		*gp_step_reg(regs, s->to_reg) = gp_step_low(v, s->width);
		return true;
	}
	return gp_user_put(gp_step_address(s, regs), v, s->width);
}

#define GP_STEP_FLAGS	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | \
			 X86_EFLAGS_ZF | X86_EFLAGS_SF | X86_EFLAGS_OF)

/* Flags that each operation derives from its result. */
static unsigned long gp_step_result_flags(u64 result, u64 top)
{
	unsigned long flags = 0;

	if (!result)
		flags |= X86_EFLAGS_ZF;
	if (result & top)
		flags |= X86_EFLAGS_SF;
	if (!(hweight8(result) & 1))
		flags |= X86_EFLAGS_PF;
	return flags;
}

/*
 * Flags of a sum or a difference: CF is @carry, OF is @overflow, and AF is the carry or borrow out
 * of bit 3.
 */
static unsigned long gp_step_carry_flags(u64 a, u64 b, u64 result, bool carry,
					 bool overflow)
{
	unsigned long flags = 0;

	if (carry)
		flags |= X86_EFLAGS_CF;
	if (overflow)
		flags |= X86_EFLAGS_OF;
	if ((a ^ b ^ result) & 0x10)
		flags |= X86_EFLAGS_AF;
	return flags;
}

/* @a is the first operand. AF is undefined after AND, OR, XOR and TEST; processors clear it. */
static bool gp_step_compute(const struct gp_step *s, struct pt_regs *regs, u64 a, u64 b)
{
	u64 top = 1ULL << (8 * s->width - 1), result;
	unsigned long flags = 0;

	switch (s->kind) {
	case GP_STEP_ADD:
		result = gp_step_low(a + b, s->width);
		flags = gp_step_carry_flags(a, b, result, result < a,
					    ~(a ^ b) & (a ^ result) & top);
		break;
	case GP_STEP_SUB:
	case GP_STEP_CMP:
		result = gp_step_low(a - b, s->width);
		flags = gp_step_carry_flags(a, b, result, a < b,
					    (a ^ b) & (a ^ result) & top);
		break;
	case GP_STEP_AND:
	case GP_STEP_TEST:
		result = a & b;
		break;
	case GP_STEP_OR:
		result = a | b;
		break;
	case GP_STEP_XOR:
		result = a ^ b;
		break;
	default:
		return false;
	}
	if (s->kind != GP_STEP_CMP && s->kind != GP_STEP_TEST &&
	    !gp_step_write(s, regs, result))
		return false;
	regs->flags = (regs->flags & ~GP_STEP_FLAGS) | flags |
		      gp_step_result_flags(result, top);
	return true;
}

/* Emulate any instruction but a return. Return: false if it is left to the processor. */
static bool gp_step_run(const struct gp_step *s, struct pt_regs *regs)
{
	u64 from, to = 0;

	if (s->kind == GP_STEP_NOP)
		return true;
	if (s->kind == GP_STEP_LEA)
		return gp_step_write(s, regs, gp_step_address(s, regs));
	if (!gp_step_read(s, regs, s->from, s->from_reg, s->from_width, &from))
		return false;
	if (s->kind == GP_STEP_MOV)
		return gp_step_write(s, regs, from);
	return gp_step_read(s, regs, s->to, s->to_reg, s->width, &to) &&
	       gp_step_compute(s, regs, to, from);
}

static __always_inline void gp_step_return(struct pt_regs *regs)
{
	bool loaded;
	u64 to;

	/* With a shadow stack the return address is on two stacks. */
	if (gp_arch_has_shadow_stack(current))
		return;
	pagefault_disable();
	loaded = gp_user_load(&to, regs->sp);
	pagefault_enable();
	/*
	 * A jump to a non-canonical address is left to the processor, which raises the exception.
	 * So is a jump to the RET itself: the kernel would see an unchanged instruction pointer.
	 */
	if (!loaded || to >= TASK_SIZE_MAX || to == regs->ip)
		return;
	regs->ip = to;
	regs->sp += sizeof(to);
}

static noinline void gp_step_general(const struct gp_step *step, struct pt_regs *regs)
{
	pagefault_disable();
	if (gp_step_run(step, regs))
		regs->ip += step->length;
	pagefault_enable();
}

void gp_arch_emulate(const struct gp_step *step, struct pt_regs *regs)
{
	/* A debugger that single-steps needs the exception. 32-bit code is not supported. */
	if (unlikely(regs->flags & X86_EFLAGS_TF || regs->cs != __USER_CS))
		return;
	/* Two thirds of all emulated instructions; the inline path saves no registers. */
	if (likely(step->kind == GP_STEP_RET))
		gp_step_return(regs);
	else
		gp_step_general(step, regs);
}

void gp_arch_test_registers(const struct pt_regs *regs, u32 *left, u32 *count)
{
	*left = regs->dx;
	*count = regs->cx;
}

void gp_arch_test_skip(struct pt_regs *regs)
{
	/* dec ecx */
	regs->ip += 2;
}
