// SPDX-License-Identifier: GPL-2.0
/* x86-64: which register is which, what must not get a breakpoint, what a tick is. */
#include <kunit/test.h>
#include <linux/version.h>

#include <asm/tsc.h>

/* The test sets whether the kernel trusts its counter. */
static bool unstable;
static u32 khz;

#define check_tsc_unstable()	unstable
#define tsc_khz			khz
#include "../../kmod/arch/x86.c"
#undef check_tsc_unstable
#undef tsc_khz
#include "../../kmod/ring/clock.h"

struct reg_case {
	const char *claim;
	u8 dwarf;
	int int_reg;
	int float_reg;
};

#define REG(name)	((int)offsetof(struct pt_regs, name))

static const struct reg_case reg_cases[] = {
	{ "0 is rax", 0, REG(ax), -1 },
	{ "1 is rdx", 1, REG(dx), -1 },
	{ "2 is rcx", 2, REG(cx), -1 },
	{ "3 is rbx", 3, REG(bx), -1 },
	{ "4 is rsi", 4, REG(si), -1 },
	{ "5 is rdi", 5, REG(di), -1 },
	{ "6 is rbp", 6, REG(bp), -1 },
	{ "7 is rsp", 7, REG(sp), -1 },
	{ "8 is r8", 8, REG(r8), -1 },
	{ "9 is r9", 9, REG(r9), -1 },
	{ "10 is r10", 10, REG(r10), -1 },
	{ "11 is r11", 11, REG(r11), -1 },
	{ "12 is r12", 12, REG(r12), -1 },
	{ "13 is r13", 13, REG(r13), -1 },
	{ "14 is r14", 14, REG(r14), -1 },
	{ "15 is r15", 15, REG(r15), -1 },
	{ "16, the return address, is no register", 16, -1, -1 },
	{ "17 is xmm0", 17, -1, 0 },
	{ "18 is xmm1", 18, -1, 1 },
	{ "31 is xmm14", 31, -1, 14 },
	{ "32 is xmm15", 32, -1, 15 },
	{ "33 is no register", 33, -1, -1 },
	{ "255 is no register", 255, -1, -1 },
};

static void reg_desc(const struct reg_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(reg, reg_cases, reg_desc);

static void registers_have_their_dwarf_numbers(struct kunit *test)
{
	const struct reg_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, gp_arch_int_reg(c->dwarf), c->int_reg);
	KUNIT_EXPECT_EQ(test, gp_arch_float_reg(c->dwarf), c->float_reg);
}

struct refuse_case {
	const char *claim;
	u8 code[8];
	u32 len;
	const char *why;	/* NULL: accepted */
};

#define WHY_INT3	"there is already a breakpoint instruction"
#define WHY_LOCK	"an instruction with a LOCK prefix cannot be probed"
#define WHY_XCHG	"an XCHG with RAX cannot be probed"
#define WHY_PREFIXES "the code of a point ends inside its instruction's prefixes"
#define WHY_VEX		"the kernel places no breakpoint on this instruction with VEX"
#define WHY_PUSHF	"a PUSHF cannot be probed: it would push the trap flag of single-steps"

static const struct refuse_case refuse_cases[] = {
	{ "INT3", { 0xcc }, 1, WHY_INT3 },
	{ "INT3 as an operand is no breakpoint", { 0x6a, 0xcc }, 2, NULL },
	{ "LOCK", { 0xf0, 0x48, 0x0f, 0xb1, 0x0a }, 5, WHY_LOCK },
	{ "LOCK alone", { 0xf0 }, 1, WHY_LOCK },
	{ "LOCK behind 66", { 0x66, 0xf0, 0x0f, 0xc1, 0x03 }, 5, WHY_LOCK },
	{ "LOCK behind a segment", { 0x64, 0xf0, 0xff, 0x00 }, 4, WHY_LOCK },
	{ "LOCK beyond what was sent", { 0x66, 0xf0 }, 1, WHY_PREFIXES },
	{ "F0 as an operand is no LOCK", { 0x48, 0x89, 0xf0 }, 3, NULL },
	{ "XCHG R8,RAX", { 0x49, 0x90 }, 2, WHY_XCHG },
	{ "XCHG R8D,EAX", { 0x41, 0x90 }, 2, WHY_XCHG },
	{ "XCHG R8,RAX with all of REX", { 0x4f, 0x90 }, 2, WHY_XCHG },
	{ "XCHG R8W,AX", { 0x66, 0x41, 0x90 }, 3, WHY_XCHG },
	{ "XCHG R8,RAX behind F3", { 0xf3, 0x49, 0x90 }, 3, WHY_XCHG },
	{ "PUSHF", { 0x9c }, 1, WHY_PUSHF },
	{ "PUSHF with REX", { 0x48, 0x9c }, 2, WHY_PUSHF },
	{ "PUSHF of 16 bits", { 0x66, 0x9c }, 2, WHY_PUSHF },
	{ "9C as an operand is no PUSHF", { 0x6a, 0x9c }, 2, NULL },
	{ "POPF", { 0x9d }, 1, NULL },
	{ "VPADDQ", { 0xc5, 0xfd, 0xd4, 0xc1 }, 4, WHY_VEX },
	{ "VMOVDQU", { 0xc5, 0xfe, 0x6f, 0x03 }, 4, WHY_VEX },
	{ "VPMULLD, not rejected", { 0xc4, 0xe2, 0x7d, 0x40, 0xc1 }, 5, NULL },
	{ "three bytes of VEX before VPADDQ", { 0xc4, 0xc1, 0x7d, 0xd4, 0xc0 }, 5, WHY_VEX },
	{ "VZEROUPPER", { 0xc5, 0xf8, 0x77 }, 3, NULL },
	{ "VPADDQ cut off behind C5", { 0xc5, 0xfd }, 2, WHY_PREFIXES },
	{ "VPADDQ cut off behind C4", { 0xc4, 0xc1, 0x7d }, 3, WHY_PREFIXES },
	{ "REX without B before 90 is a NOP", { 0x48, 0x90 }, 2, NULL },
	{ "REX before a prefix does not count", { 0x49, 0x66, 0x90 }, 3, NULL },
	{ "NOP", { 0x90 }, 1, NULL },
	{ "PAUSE", { 0xf3, 0x90 }, 2, NULL },
	{ "NOP of two bytes", { 0x66, 0x90 }, 2, NULL },
	{ "PUSH R8", { 0x41, 0x50 }, 2, NULL },
	{ "JBE", { 0x76, 0x3b }, 2, NULL },
	{ "long JBE", { 0x0f, 0x86, 0, 0, 0, 0 }, 6, NULL },
	{ "RET", { 0xc3 }, 1, NULL },
	{ "SUB of SP", { 0x48, 0x83, 0xec, 0x18 }, 4, NULL },
	{ "nothing but prefixes", { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66 }, 8,
	  WHY_PREFIXES },
	{ "XCHG R8,RAX cut off behind REX", { 0x49, 0x90 }, 1, WHY_PREFIXES },
	{ "XCHG R8W,AX cut off behind REX", { 0x66, 0x41, 0x90 }, 2, WHY_PREFIXES },
	{ "PUSHF of 16 bits cut off", { 0x66, 0x9c }, 1, WHY_PREFIXES },
};

static void refuse_desc(const struct refuse_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(refuse, refuse_cases, refuse_desc);

static void dangerous_instructions_are_refused(struct kunit *test)
{
	const struct refuse_case *c = test->param_value;
	/* A buffer of just that size: what lies behind must not matter. */
	u8 *code = kunit_kzalloc(test, c->len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, code);
	memcpy(code, c->code, c->len);
	if (c->why)
		KUNIT_EXPECT_STREQ(test, gp_arch_refuses(code, c->len) ?: "accepted", c->why);
	else
		KUNIT_EXPECT_STREQ(test, gp_arch_refuses(code, c->len) ?: "", "");
}

struct skip_case {
	const char *claim;
	u8 skip;
	unsigned long flags;
	bool want;
};

static const struct skip_case skip_cases[] = {
	{ "never: whatever the flags", GOPROBE_SKIP_NEVER, ~0UL, false },
	{ "JBE: CF is below", GOPROBE_SKIP_IF_BE, X86_EFLAGS_CF, true },
	{ "JBE: ZF is equal", GOPROBE_SKIP_IF_BE, X86_EFLAGS_ZF, true },
	{ "JBE: both", GOPROBE_SKIP_IF_BE, X86_EFLAGS_CF | X86_EFLAGS_ZF, true },
	{ "JBE: none", GOPROBE_SKIP_IF_BE, 0, false },
	{ "JBE: all others", GOPROBE_SKIP_IF_BE, ~(X86_EFLAGS_CF | X86_EFLAGS_ZF), false },
};

static void skip_desc(const struct skip_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(skip, skip_cases, skip_desc);

static void the_flags_decide_whether_the_branch_is_taken(struct kunit *test)
{
	const struct skip_case *c = test->param_value;
	struct pt_regs regs = { .flags = c->flags };

	KUNIT_EXPECT_EQ(test, gp_arch_skips(c->skip, &regs), c->want);
}

/* Load all XMM registers with what @from holds. */
static void load_xmm(const struct gp_float_regs *from)
{
#define LOAD(n) ({ \
	asm volatile("movdqu %0, %%xmm" #n : : "m" (from->reg[n])); \
})
	LOAD(0); LOAD(1); LOAD(2); LOAD(3); LOAD(4); LOAD(5); LOAD(6); LOAD(7);
	LOAD(8); LOAD(9); LOAD(10); LOAD(11); LOAD(12); LOAD(13); LOAD(14); LOAD(15);
#undef LOAD
}

static void fill(struct gp_float_regs *regs)
{
	u32 i;

	for (i = 0; i < sizeof(*regs); i++)
		((u8 *)regs)[i] = i * 7 + 1;
}

/* @got was poisoned, then the registers in @mask were read. */
static void expect_regs(struct kunit *test, const struct gp_float_regs *got,
			const struct gp_float_regs *want, u32 mask)
{
	u32 i;

	for (i = 0; i < GP_ARCH_FLOAT_REGS; i++) {
		if (mask & 1 << i)
			KUNIT_ASSERT_EQ(test, memcmp(got->reg[i], want->reg[i], 16), 0);
		else
			KUNIT_ASSERT_TRUE(test, !memchr_inv(got->reg[i], 0xa5, 16));
	}
}

/* Each register by itself, then some of them together. */
static u32 a_mask(u32 i)
{
	return i < GP_ARCH_FLOAT_REGS ? 1U << i : i * 0x9e3b & 0xffff;
}

static void live_float_registers_of_the_mask_are_read(struct kunit *test)
{
	struct gp_float_regs want, got;
	u32 mask, i;

	fill(&want);
	for (i = 0; i < 2 * GP_ARCH_FLOAT_REGS; i++) {
		mask = a_mask(i);
		memset(&got, 0xa5, sizeof(got));
		/* A kernel thread has no registers of its own: they are as loaded. */
		kernel_fpu_begin();
		clear_thread_flag(TIF_NEED_FPU_LOAD);
		load_xmm(&want);
		gp_arch_float_regs(&got, mask);
		set_thread_flag(TIF_NEED_FPU_LOAD);
		kernel_fpu_end();
		expect_regs(test, &got, &want, mask);
	}
}

static void saved_float_registers_of_the_mask_are_read(struct kunit *test)
{
	struct gp_float_regs want, zero = {}, got;
	union fpregs_state *fp;
	u64 features;
	u32 mask, i;

#ifndef GP_HAVE_THREAD_FPU
	kunit_skip(test, "kernel threads, such as this one, have no saved registers on this kernel");
#endif
	KUNIT_ASSERT_TRUE(test, test_thread_flag(TIF_NEED_FPU_LOAD));
	fp = gp_compat_fpregs();
	features = fp->xsave.header.xfeatures;
	fill(&want);
	memcpy(fp->fxsave.xmm_space, &want, sizeof(want));
	for (i = 0; i < 2 * GP_ARCH_FLOAT_REGS; i++) {
		mask = a_mask(i);
		fp->xsave.header.xfeatures |= XFEATURE_MASK_SSE;
		memset(&got, 0xa5, sizeof(got));
		gp_arch_float_regs(&got, mask);
		expect_regs(test, &got, &want, mask);
		/* In their initial state they were not saved: the memory is stale. */
		fp->xsave.header.xfeatures &= ~XFEATURE_MASK_SSE;
		memset(&got, 0xa5, sizeof(got));
		gp_arch_float_regs(&got, mask);
		expect_regs(test, &got, boot_cpu_has(X86_FEATURE_XSAVE) ? &zero : &want, mask);
	}
	memset(fp->fxsave.xmm_space, 0, sizeof(want));
	fp->xsave.header.xfeatures = features;
}

/*
 * One saved register is set, of registers that have been saved or, if not, are all 0: it has the
 * value in its low bytes, and all else is as it was for the program.
 */
static void set_a_saved_register(struct kunit *test, u8 index, u32 size, bool saved,
				 bool compacted)
{
	const u64 value = 0x0123456789abcdef;
	union fpregs_state *fp = gp_compat_fpregs();
	struct gp_float_regs want, got;

	fill(&want);
	memcpy(fp->fxsave.xmm_space, &want, sizeof(want));
	fp->fxsave.mxcsr = 0x1f00;
	fp->xsave.header.xcomp_bv = compacted ? GP_XSAVE_COMPACTED | XFEATURE_MASK_FPSSE : 0;
	if (saved) {
		fp->xsave.header.xfeatures |= XFEATURE_MASK_SSE;
	} else {
		fp->xsave.header.xfeatures &= ~XFEATURE_MASK_SSE;
		memset(&want, 0, sizeof(want));
	}
	memcpy(want.reg[index], &value, size);
	gp_compat_fpu()->last_cpu = raw_smp_processor_id();
	gp_arch_set_float(index, value, size);
	/* No CPU's registers are taken for these any more. */
	KUNIT_EXPECT_EQ(test, gp_compat_fpu()->last_cpu, UINT_MAX);
	KUNIT_EXPECT_TRUE(test, test_thread_flag(TIF_NEED_FPU_LOAD));
	KUNIT_EXPECT_TRUE(test, fp->xsave.header.xfeatures & XFEATURE_MASK_SSE);
	KUNIT_EXPECT_EQ(test, fp->fxsave.mxcsr, compacted && !saved ? MXCSR_DEFAULT : 0x1f00U);
	gp_arch_float_regs(&got, 0xffff);
	expect_regs(test, &got, &want, 0xffff);
}

static void only_the_register_that_is_set_changes(struct kunit *test)
{
	union fpregs_state *fp;
	u32 index, mxcsr, how;
	u64 features, format;

#ifndef GP_HAVE_THREAD_FPU
	kunit_skip(test, "kernel threads, such as this one, have no saved registers on this kernel");
#endif
	KUNIT_ASSERT_TRUE(test, test_thread_flag(TIF_NEED_FPU_LOAD));
	/* The bit of a processor without XSAVE says nothing. */
	KUNIT_ASSERT_TRUE(test, boot_cpu_has(X86_FEATURE_XSAVE));
	fp = gp_compat_fpregs();
	features = fp->xsave.header.xfeatures;
	format = fp->xsave.header.xcomp_bv;
	mxcsr = fp->fxsave.mxcsr;
	for (index = 0; index < GP_ARCH_FLOAT_REGS; index++)
		for (how = 0; how < 8; how++)
			set_a_saved_register(test, index, how & 1 ? 8 : 4, how & 2, how & 4);
	memset(fp->fxsave.xmm_space, 0, sizeof(struct gp_float_regs));
	fp->xsave.header.xfeatures = features;
	fp->xsave.header.xcomp_bv = format;
	fp->fxsave.mxcsr = mxcsr;
}

/* Of threads, which this one is not: the processor's register is put back. */
static void the_thread_pointer_is_what_the_processor_has(struct kunit *test)
{
	static const unsigned long pointers[] = { 0, 0x7f1234567890, 0xc000081008 };
	unsigned long got[ARRAY_SIZE(pointers)];
	u32 low, high, i;

	preempt_disable();
	rdmsr(MSR_FS_BASE, low, high);
	for (i = 0; i < ARRAY_SIZE(pointers); i++) {
		wrmsr(MSR_FS_BASE, (u32)pointers[i], (u32)(pointers[i] >> 32));
		got[i] = gp_arch_thread_pointer();
	}
	wrmsr(MSR_FS_BASE, low, high);
	preempt_enable();
	for (i = 0; i < ARRAY_SIZE(pointers); i++)
		KUNIT_EXPECT_EQ(test, got[i], pointers[i]);
}

/* ---- the counter ---- */

struct rate_case {
	const char *claim;
	u32 khz;
	bool unstable;
	bool counts;
};

static const struct rate_case rate_cases[] = {
	{ "CPUs that don't agree", 3000000, true, false },
	{ "a rate that is not known", 0, false, false },
	{ "less than 1 MHz", 999, false, true },
	{ "1 GHz", 1000000, false, true },
	{ "2.9 GHz", 2893451, false, true },
	{ "6.2 GHz", 6200000, false, true },
};

static void rate_desc(const struct rate_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(rate, rate_cases, rate_desc);

static void a_counter_has_a_rate_if_the_kernel_trusts_it(struct kunit *test)
{
	static const u64 seconds[] = { 1, 60, 86400, 100 * 86400 };
	const struct rate_case *c = test->param_value;
	struct gp_clock clock = { 77, 7 };
	u64 ns, want;
	u32 i;

	khz = c->khz;
	unstable = c->unstable;
	gp_arch_ticks_rate(&clock.mult, &clock.shift);
	if (!c->counts) {
		KUNIT_EXPECT_EQ(test, clock.mult, 77U);
		KUNIT_EXPECT_EQ(test, clock.shift, 7U);
		gp_clock_init(&clock);
		KUNIT_EXPECT_EQ(test, clock.mult, 0U);
		return;
	}
	KUNIT_ASSERT_LE(test, clock.shift, 32U);
	for (i = 0; i < ARRAY_SIZE(seconds); i++) {
		ns = gp_clock_passed(&clock, 5, 5 + seconds[i] * c->khz * 1000);
		want = seconds[i] * NSEC_PER_SEC;
		/* To one in a million. */
		KUNIT_EXPECT_LE(test, ns, want + want / 1000000);
		KUNIT_EXPECT_GE(test, ns, want - want / 1000000);
	}
}

static void the_counter_does_not_go_back(struct kunit *test)
{
	u64 first = gp_arch_ticks(), last = first, now;
	u32 i;

	for (i = 0; i < 1000; i++) {
		preempt_disable();
		last = gp_arch_ticks();
		now = gp_arch_ticks();
		preempt_enable();
		KUNIT_EXPECT_GE(test, now, last);
	}
	KUNIT_EXPECT_GT(test, last, first);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(registers_have_their_dwarf_numbers, reg_gen_params),
	KUNIT_CASE_PARAM(dangerous_instructions_are_refused, refuse_gen_params),
	KUNIT_CASE_PARAM(the_flags_decide_whether_the_branch_is_taken, skip_gen_params),
	KUNIT_CASE(live_float_registers_of_the_mask_are_read),
	KUNIT_CASE(saved_float_registers_of_the_mask_are_read),
	KUNIT_CASE(only_the_register_that_is_set_changes),
	KUNIT_CASE(the_thread_pointer_is_what_the_processor_has),
	KUNIT_CASE_PARAM(a_counter_has_a_rate_if_the_kernel_trusts_it, rate_gen_params),
	KUNIT_CASE(the_counter_does_not_go_back),
	{}
};

static struct kunit_suite suite = { .name = "x86", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Registers and instructions of x86-64: KUnit suite");
