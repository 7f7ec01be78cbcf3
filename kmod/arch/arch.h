/* SPDX-License-Identifier: GPL-2.0 */
/* Registers and instructions of the processor: the interface that the rest of kmod/ uses. */
#ifndef GP_ARCH_H
#define GP_ARCH_H

#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <goprobe.h>

#define GP_ARCH_INT_REGS	16
#define GP_ARCH_FLOAT_REGS	16

/* Offsets of the integer registers in struct pt_regs, by hardware number. */
extern const u16 gp_arch_reg_offset[GP_ARCH_INT_REGS];

/* Values of the float registers in a mask, each at its register's index. */
struct gp_float_regs {
	u8 reg[GP_ARCH_FLOAT_REGS][16];
};

/* Offset in struct pt_regs of the register with DWARF number @dwarf; -1: no integer register. */
int gp_arch_int_reg(u8 dwarf);

/* Index in struct gp_float_regs; -1: no float register. */
int gp_arch_float_reg(u8 dwarf);

/*
 * Read the current task's float registers that @mask names. Context: task, preemption off, on the
 * way back to user space.
 */
void gp_arch_float_regs(struct gp_float_regs *ret, u16 mask);

/* DWARF number of the stack pointer. */
#define GP_ARCH_SP	7

/*
 * Set the low @size bytes (4, 8) of the current task's float register @index; the other bytes keep
 * their values. Context: task, preemption on, on the way back to user space.
 */
void gp_arch_set_float(u8 index, u64 value, u32 size);

/*
 * The current task's thread pointer. Context: preemption off.
 */
unsigned long gp_arch_thread_pointer(void);

struct gp_step;

/*
 * Emulate an instruction on the registers of the current task. The instruction is left to the
 * processor if memory that it needs cannot be read at once, or if a debugger single-steps the
 * thread. Context: a handler.
 */
void gp_arch_emulate(const struct gp_step *step, struct pt_regs *regs);

/* At GOPROBE_SELF_TEST_CODE: the rounds left, and the count of its first instruction. */
void gp_arch_test_registers(const struct pt_regs *regs, u32 *left, u32 *count);
/* Skip the first instruction of GOPROBE_SELF_TEST_CODE. */
void gp_arch_test_skip(struct pt_regs *regs);

/*
 * Length of a tick of gp_arch_ticks(): *@mult >> *@shift ns. Both stay unchanged if the machine
 * has no counter on which all CPUs agree and which always runs at the same rate.
 */
void gp_arch_ticks_rate(u32 *mult, u32 *shift);

/* Reason why the instruction must not get a breakpoint; NULL: it may. */
const char *gp_arch_refuses(const u8 *code, u32 len);

#ifdef CONFIG_X86_64
#include <asm/msr.h>
#include <asm/prctl.h>
#include <asm/processor-flags.h>
#include <asm/tsc.h>

#define GP_ARCH_PID_BITS	22	/* PID_MAX_LIMIT */

/*
 * Identifies a process: no other process ever has the same number, nor has the process itself
 * after exec. ctx_id counts all address spaces since boot (mmu.h); it reaches the bits that are
 * cut off here after 4 * 10^12.
 */
static __always_inline u64 gp_arch_process(const struct task_struct *t,
					   const struct mm_struct *mm)
{
	return mm->context.ctx_id << GP_ARCH_PID_BITS | (u32)t->tgid;
}

/* Does the thread keep its return addresses on a second stack? Code may not push one then. */
static inline bool gp_arch_has_shadow_stack(const struct task_struct *t)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return t->thread.features & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

static inline unsigned long gp_arch_frame_pointer(const struct pt_regs *regs)
{
	return regs->bp;
}

/* The counter, read in program order. */
static __always_inline u64 gp_arch_ticks(void)
{
	return rdtsc_ordered();
}

static inline bool gp_arch_skips(u8 skip, const struct pt_regs *regs)
{
	return skip == GOPROBE_SKIP_IF_BE &&
	       (regs->flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF));
}

/*
 * Of a thread at a landing (arch/detour.h), make the registers those at @branch with a stack check
 * that has passed. Return: the landing, which must become the instruction pointer again.
 */
static inline unsigned long gp_arch_land(struct pt_regs *regs, unsigned long branch)
{
	unsigned long landing = regs->ip;

	regs->ip = branch;
	regs->flags &= ~(X86_EFLAGS_CF | X86_EFLAGS_ZF);
	return landing;
}

/* What a detour hands to the handler: the number of its jump, enum gp_detour_end, and ns. */
static inline unsigned long gp_arch_detour_jump(const struct pt_regs *regs)
{
	return regs->r12 >> 1;
}

static inline unsigned long gp_arch_detour_end(const struct pt_regs *regs)
{
	return regs->r12 & 1;
}

static inline u64 gp_arch_detour_ns(const struct pt_regs *regs)
{
	return regs->dx;
}

/* Can code in a process time calls, with what gp_detour_emit() uses? */
static inline bool gp_arch_can_time(void)
{
	return boot_cpu_has(X86_FEATURE_RDPID) && boot_cpu_has(X86_FEATURE_BMI2);
}

/* May the thread not read the counter? */
static inline bool gp_arch_has_no_ticks(const struct task_struct *t)
{
	return test_tsk_thread_flag((struct task_struct *)t, TIF_NOTSC);
}
#else
#error "goprobe supports x86-64"
#endif

#endif
