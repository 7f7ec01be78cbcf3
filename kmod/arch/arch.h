/* SPDX-License-Identifier: GPL-2.0 */
/* Registers and branch facts of the processor: all that kmod/ asks of it. */
#ifndef GP_ARCH_H
#define GP_ARCH_H

#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <goprobe.h>

#define GP_ARCH_INT_REGS	16
#define GP_ARCH_FLOAT_REGS	16

/* Offsets in struct pt_regs of the integer registers, by hardware number. */
extern const u16 gp_arch_reg_offset[GP_ARCH_INT_REGS];

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

/* DWARF's number of the stack pointer. */
#define GP_ARCH_SP	7

/*
 * Set the low @size bytes (4, 8) of the current task's float register with that index; the
 * others stay. Context: task, preemption on, on the way back to user space.
 */
void gp_arch_set_float(u8 index, u64 value, u32 size);

/*
 * The current task's thread pointer. Context: preemption off.
 */
unsigned long gp_arch_thread_pointer(void);

struct gp_step;

/*
 * Carry out an instruction on the registers of the current task, or leave it to the
 * processor: if memory that it needs can't be read at once, or if its thread
 * is being single-stepped. Context: a handler.
 */
void gp_arch_execute(const struct gp_step *step, struct pt_regs *regs);

/* At GOPROBE_SELF_TEST_CODE: rounds left, and what its first instruction counts. */
void gp_arch_test_registers(const struct pt_regs *regs, u32 *left, u32 *count);
/* Go behind its first instruction. */
void gp_arch_test_skip(struct pt_regs *regs);

/*
 * How long a tick of gp_arch_ticks() is: *@mult >> *@shift ns. They are left alone if there
 * is no counter that all CPUs agree on and that always runs at the same rate.
 */
void gp_arch_ticks_rate(u32 *mult, u32 *shift);

/* Is it an instruction that must not get a breakpoint? Why: a sentence, or NULL. */
const char *gp_arch_refuses(const u8 *code, u32 len);

#ifdef CONFIG_X86_64
#include <asm/msr.h>
#include <asm/processor-flags.h>
#include <asm/tsc.h>

#define GP_ARCH_PID_BITS	22	/* PID_MAX_LIMIT */

/*
 * Names a process: no other ever has the same, nor has it itself after exec. ctx_id
 * counts all that there have been since boot (mmu.h); the bits that are lost here
 * it reaches after 4 * 10^12.
 */
static __always_inline u64 gp_arch_process(const struct task_struct *t,
					   const struct mm_struct *mm)
{
	return mm->context.ctx_id << GP_ARCH_PID_BITS | (u32)t->tgid;
}

static inline unsigned long gp_arch_frame_pointer(const struct pt_regs *regs)
{
	return regs->bp;
}

/* In the order of the program. */
static __always_inline u64 gp_arch_ticks(void)
{
	return rdtsc_ordered();
}

static inline bool gp_arch_skips(u8 skip, const struct pt_regs *regs)
{
	return skip == GOPROBE_SKIP_IF_BE &&
	       (regs->flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF));
}
#else
#error "goprobe supports x86-64"
#endif

#endif
