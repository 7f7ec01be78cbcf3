// SPDX-License-Identifier: GPL-2.0
/* Registers and instructions of x86-64. */
#include <linux/bitops.h>
#include <linux/clocksource.h>
#include <linux/sched.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/thread_info.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
#include <asm/fsgsbase.h>
#include <asm/tsc.h>

#include "arch/arch.h"
#include "arch/vex.h"
#include "compat.h"

const u16 gp_arch_reg_offset[GP_ARCH_INT_REGS] = {
	offsetof(struct pt_regs, ax),
	offsetof(struct pt_regs, cx),
	offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, bx),
	offsetof(struct pt_regs, sp),
	offsetof(struct pt_regs, bp),
	offsetof(struct pt_regs, si),
	offsetof(struct pt_regs, di),
	offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9),
	offsetof(struct pt_regs, r10),
	offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12),
	offsetof(struct pt_regs, r13),
	offsetof(struct pt_regs, r14),
	offsetof(struct pt_regs, r15),
};

/*
 * Hardware numbers of the registers with DWARF numbers 0 to 7; for the others both numbers are
 * equal. System V psABI for x86-64, figure "DWARF Register Number".
 */
static const u8 gp_dwarf_hardware[] = { 0, 2, 1, 3, 6, 7, 5, 4 };

#define GP_DWARF_XMM0	17

int gp_arch_int_reg(u8 dwarf)
{
	if (dwarf >= GP_ARCH_INT_REGS)
		return -1;
	if (dwarf < ARRAY_SIZE(gp_dwarf_hardware))
		dwarf = gp_dwarf_hardware[dwarf];
	return gp_arch_reg_offset[dwarf];
}

int gp_arch_float_reg(u8 dwarf)
{
	if (dwarf < GP_DWARF_XMM0 || dwarf >= GP_DWARF_XMM0 + GP_ARCH_FLOAT_REGS)
		return -1;
	return dwarf - GP_DWARF_XMM0;
}

/* Read a register from the processor. The kernel itself uses no float registers here. */
static void gp_read_live_xmm(u8 to[16], unsigned int reg)
{
#define GP_STORE_XMM(n) ({ \
	asm volatile("movdqu %%xmm" #n ", (%0)" : : "r" (to) : "memory"); \
})

	switch (reg) {
	case 0:
		GP_STORE_XMM(0);
		break;
	case 1:
		GP_STORE_XMM(1);
		break;
	case 2:
		GP_STORE_XMM(2);
		break;
	case 3:
		GP_STORE_XMM(3);
		break;
	case 4:
		GP_STORE_XMM(4);
		break;
	case 5:
		GP_STORE_XMM(5);
		break;
	case 6:
		GP_STORE_XMM(6);
		break;
	case 7:
		GP_STORE_XMM(7);
		break;
	case 8:
		GP_STORE_XMM(8);
		break;
	case 9:
		GP_STORE_XMM(9);
		break;
	case 10:
		GP_STORE_XMM(10);
		break;
	case 11:
		GP_STORE_XMM(11);
		break;
	case 12:
		GP_STORE_XMM(12);
		break;
	case 13:
		GP_STORE_XMM(13);
		break;
	case 14:
		GP_STORE_XMM(14);
		break;
	case 15:
		GP_STORE_XMM(15);
		break;
	}
#undef GP_STORE_XMM
}

/*
 * With XSAVE, a component that was in its initial state when it was saved is
 * not written: its bit in xfeatures is clear and its memory is stale.
 */
static bool gp_saved_xmm_valid(const union fpregs_state *fp)
{
	return !boot_cpu_has(X86_FEATURE_XSAVE) ||
	       (fp->xsave.header.xfeatures & XFEATURE_MASK_SSE);
}

void gp_arch_float_regs(struct gp_float_regs *ret, u16 mask)
{
	unsigned long todo = mask;
	unsigned int reg;

	/* Softirqs may use the FPU and would save our registers meanwhile. */
	fpregs_lock();
	if (!test_thread_flag(TIF_NEED_FPU_LOAD)) {
		for_each_set_bit(reg, &todo, GP_ARCH_FLOAT_REGS)
			gp_read_live_xmm(ret->reg[reg], reg);
	} else {
		const union fpregs_state *fp = gp_compat_fpregs();
		bool valid = gp_saved_xmm_valid(fp);

		for_each_set_bit(reg, &todo, GP_ARCH_FLOAT_REGS) {
			if (valid)
				memcpy(ret->reg[reg], &fp->fxsave.xmm_space[4 * reg], 16);
			else
				memset(ret->reg[reg], 0, 16);
		}
	}
	fpregs_unlock();
}

/*
 * The bit of SSE also covers MXCSR, depending on the format. In the compacted format a clear bit
 * says that MXCSR is in its initial state too. In the standard format it does not: MXCSR is always
 * in memory (Intel SDM, volume 1, 13.8 and 13.9).
 */
#define GP_XSAVE_COMPACTED	BIT_ULL(63)

/*
 * Set the register in memory, from where the processor loads it before the task returns to user
 * space. kernel_fpu_begin() saves the registers there if necessary and marks this CPU's copy
 * invalid. Setting last_cpu to none, as ptrace does (__fpu_invalidate_fpregs_state()), invalidates
 * an older copy on any other CPU.
 */
void gp_arch_set_float(u8 index, u64 value, u32 size)
{
	union fpregs_state *fp;

	kernel_fpu_begin();
	gp_compat_fpu()->last_cpu = UINT_MAX;
	fp = gp_compat_fpregs();
	if (!gp_saved_xmm_valid(fp)) {
		/* The registers are all 0 in their initial state: see gp_saved_xmm_valid(). */
		memset(fp->fxsave.xmm_space, 0, sizeof(fp->fxsave.xmm_space));
		if (fp->xsave.header.xcomp_bv & GP_XSAVE_COMPACTED)
			fp->fxsave.mxcsr = MXCSR_DEFAULT;
		fp->xsave.header.xfeatures |= XFEATURE_MASK_SSE;
	}
	memcpy(&fp->fxsave.xmm_space[4 * index], &value, size);
	kernel_fpu_end();
}

unsigned long gp_arch_thread_pointer(void)
{
	return x86_fsbase_read_cpu();
}

/* Prefixes that may precede REX, in any order: Intel SDM, volume 2, 2.1.1. */
static bool gp_is_legacy_prefix(u8 byte)
{
	switch (byte) {
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
	case 0x66: case 0x67: case 0xf0: case 0xf2: case 0xf3:
		return true;
	}
	return false;
}

/*
 * Rejects instructions that kernels mishandle, and prefixes without an instruction.
 *
 * XCHG with RAX: kernels before 7.2 decode 90 as NOP whatever its prefix (arch/x86/kernel/
 * uprobes.c), so they would skip 4x 90 with REX.B (XCHG R8,RAX) and corrupt the program.
 * INT3, LOCK, VEX: the kernel rejects them only when a process maps the file, which is too late to
 * report an error. PUSHF: single-stepped with the trap flag set, it pushes that flag too, and a
 * later POPF would trap.
 */
const char *gp_arch_refuses(const u8 *code, u32 len)
{
	u32 i, at;

	if (code[0] == 0xcc)
		return "there is already a breakpoint instruction";
	for (i = 0; i < len && gp_is_legacy_prefix(code[i]); i++)
		if (code[i] == 0xf0)
			return "an instruction with a LOCK prefix cannot be probed";
	if (len - i >= 2 && (code[i] & 0xf1) == 0x41 && code[i + 1] == 0x90)
		return "an XCHG with RAX cannot be probed";
	if (i < len && (code[i] & 0xf0) == 0x40)
		i++;
	/* With VEX the opcode is behind C5 and one byte, or behind C4 and two. */
	at = i;
	if (i < len && (code[i] == 0xc4 || code[i] == 0xc5))
		at += code[i] == 0xc4 ? 3 : 2;
	if (at >= len)
		return "the code of a point ends inside its instruction's prefixes";
	if (at > i && gp_vex_is_rejected(code[at]))
		return "the kernel places no breakpoint on this instruction with VEX";
	if (code[i] == 0x9c)
		return "a PUSHF cannot be probed: it would push the trap flag of single-steps";
	return NULL;
}

void gp_arch_ticks_rate(u32 *mult, u32 *shift)
{
	/* The kernel uses the TSC as a clock unless it has found it unstable. */
	if (!boot_cpu_has(X86_FEATURE_TSC) || !tsc_khz || check_tsc_unstable())
		return;
	/* The highest precision: gp_clock_passed() computes with 96 bits. */
	clocks_calc_mult_shift(mult, shift, tsc_khz, NSEC_PER_MSEC, 0);
}
