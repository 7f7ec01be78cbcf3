/* SPDX-License-Identifier: GPL-2.0 */
/* Registers and branch facts of the processor: all that kmod/ asks of it. */
#ifndef GP_ARCH_H
#define GP_ARCH_H

#include <linux/ptrace.h>
#include <linux/types.h>
#include <goprobe.h>

#define GP_ARCH_FLOAT_REGS	16

/* The float registers named in @mask, in their places. */
struct gp_float_regs {
	u8 reg[GP_ARCH_FLOAT_REGS][16];
};

/*
 * Offset in struct pt_regs of the register with that DWARF number, or -1 if it
 * is no integer register.
 */
int gp_arch_int_reg(u8 dwarf);

/* Index in struct gp_float_regs, or -1 if it is no float register. */
int gp_arch_float_reg(u8 dwarf);

/*
 * Read the current task's user float registers. Context: task, preemption off,
 * on the way back to user space.
 */
void gp_arch_float_regs(struct gp_float_regs *ret, u16 mask);

/*
 * The current task's thread pointer. Context: preemption off.
 */
unsigned long gp_arch_thread_pointer(void);

/* Is it an instruction that must not get a breakpoint? Why: a sentence, or NULL. */
const char *gp_arch_refuses(const u8 *code, u32 len);

#ifdef CONFIG_X86_64
#include <asm/processor-flags.h>

static inline bool gp_arch_skips(u8 skip, const struct pt_regs *regs)
{
	return skip == GOPROBE_SKIP_IF_BE &&
	       (regs->flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF));
}
#else
#error "goprobe supports x86-64"
#endif

#endif
