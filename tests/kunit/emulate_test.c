// SPDX-License-Identifier: GPL-2.0
/*
 * Execution of instructions: those that are left to the processor, and those that the
 * self-test concludes. What instructions do is shown on real ones: cases_execute.py.
 */
#include "shadow_world.h"

#include <kunit/test.h>

#define BASE		0x10000UL	/* where the memory begins for the target */
#define MEMORY		256UL

static u8 memory[MEMORY];

static u32 copies;		/* reads byte by byte, perhaps */
static u32 accesses, accessed;	/* of one value, at once: how many, and the last one's size */

static u32 fake_copy(void *to, unsigned long at, u32 size)
{
	copies++;
	if (at < BASE || at > BASE + MEMORY - size)
		return size;
	memcpy(to, memory + (at - BASE), size);
	return 0;
}

static bool fake_get(u64 *to, unsigned long at, u32 size)
{
	accesses++;
	accessed = size;
	if (at < BASE || at > BASE + MEMORY - size)
		return false;
	*to = 0;
	memcpy(to, memory + (at - BASE), size);
	return true;
}

static bool fake_put(unsigned long at, u64 value, u32 size)
{
	accesses++;
	accessed = size;
	if (at < BASE || at > BASE + MEMORY - size)
		return false;
	memcpy(memory + (at - BASE), &value, size);
	return true;
}

#define gp_user_copy fake_copy
#define gp_user_get fake_get
#define gp_user_put fake_put

#include "../../kmod/arch/emulate.c"
#include "../../kmod/arch/step.c"
#include "../../kmod/arch/x86.c"
#include "../../kmod/arch/x86_emulate.c"

#define IP	0x401000UL
#define SP	(BASE + 64)

struct left_case {
	const char *claim;
	u8 code[8];
	struct pt_regs regs;
	bool left;
	unsigned long ip;	/* of the next instruction, if it is not left */
};

#define LAST	(~0UL)		/* for the last address of user space, which is no constant */

#define AT_RET(to_sp, ...)	{ .ip = IP, .sp = to_sp, .cs = __USER_CS, ##__VA_ARGS__ }

#define RET		{ 0xc3 }
#define LOAD_RAX	{ 0x48, 0x8b, 0x00 }
#define STORE_SP	{ 0x48, 0x89, 0x04, 0x24 }
#define ADD_AX_BX	{ 0x48, 0x01, 0xd8 }

static const struct left_case left_cases[] = {
	{ "a return", RET, AT_RET(SP), false, 0x402000 },
	{ "to the last byte of user space", RET, AT_RET(SP + 8), false, LAST },
	{ "to behind it is left", RET, AT_RET(SP + 16), true },
	{ "to the kernel, too", RET, AT_RET(SP + 24), true },
	{ "to itself, too", RET, AT_RET(SP + 32), true },
	{ "from where nothing can be read, too", RET, AT_RET(BASE + MEMORY - 4), true },
	{ "one that is being single-stepped, too", RET,
	  AT_RET(SP, .flags = X86_EFLAGS_TF), true },
	{ "one in 32-bit code, too", RET, { .ip = IP, .sp = SP, .cs = __USER32_CS }, true },
	{ "a load", LOAD_RAX, AT_RET(SP, .ax = SP), false, IP + 3 },
	{ "of what is absent is left", LOAD_RAX, AT_RET(SP, .ax = BASE + MEMORY), true },
	{ "a store", STORE_SP, AT_RET(SP), false, IP + 4 },
	{ "to what is absent is left", STORE_SP, AT_RET(BASE + MEMORY - 7), true },
	{ "a sum", ADD_AX_BX, AT_RET(SP), false, IP + 3 },
	{ "that is being single-stepped is left", ADD_AX_BX,
	  AT_RET(SP, .flags = X86_EFLAGS_TF), true },
};

static void left_desc(const struct left_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(left, left_cases, left_desc);

static void what_is_unusual_is_left_to_the_processor(struct kunit *test)
{
	const u64 stack[] = {
		0x402000, TASK_SIZE_MAX - 1, TASK_SIZE_MAX, 0xffffffff81000000, IP,
	};
	const struct left_case *c = test->param_value;
	struct pt_regs regs = c->regs;
	struct gp_step step;

	memcpy(memory + (SP - BASE), stack, sizeof(stack));
	KUNIT_ASSERT_TRUE(test, gp_step_decode(c->code, sizeof(c->code), &step));
	gp_arch_emulate(&step, &regs);
	if (c->left)
		KUNIT_EXPECT_EQ(test, memcmp(&regs, &c->regs, sizeof(regs)), 0);
	else
		KUNIT_EXPECT_EQ(test, regs.ip, c->ip == LAST ? TASK_SIZE_MAX - 1 : c->ip);
}

/* The return address is on the other stack as well. */
static void a_return_is_left_in_threads_with_a_shadow_stack(struct kunit *test)
{
	static const struct pt_regs before = AT_RET(SP);
	const u64 stack[] = { 0x402000 };
	static const u8 ret[8] = RET;
	struct pt_regs regs = before;
	struct gp_step step;

	memcpy(memory + (SP - BASE), stack, sizeof(stack));
	KUNIT_ASSERT_TRUE(test, gp_step_decode(ret, sizeof(ret), &step));
	if (shadow_stack(current, true)) {
		gp_arch_emulate(&step, &regs);
		shadow_stack(current, false);
		KUNIT_EXPECT_EQ(test, memcmp(&regs, &before, sizeof(regs)), 0);
	}
	gp_arch_emulate(&step, &regs);
	KUNIT_EXPECT_EQ(test, regs.ip, 0x402000UL);
}

struct access_case {
	const char *claim;
	u8 code[8];
	u32 size;		/* of the value */
	unsigned long ax;	/* after */
	bool zero;		/* the flag, after */
	u64 stored;		/* what is at SP after */
};

#define VALUE	0x8877665544332211UL

static const struct access_case access_cases[] = {
	{ "MOVQ (RAX), RAX", { 0x48, 0x8b, 0x00 }, 8, VALUE, false, VALUE },
	{ "MOVL (RAX), RAX", { 0x8b, 0x00 }, 4, 0x44332211, false, VALUE },
	{ "MOVWLZX (RAX), AX", { 0x0f, 0xb7, 0x00 }, 2, 0x2211, false, VALUE },
	{ "MOVBLZX (RAX), AX", { 0x0f, 0xb6, 0x00 }, 1, 0x11, false, VALUE },
	{ "CMPL (RAX), $0x44332211", { 0x81, 0x38, 0x11, 0x22, 0x33, 0x44 }, 4, SP, true, VALUE },
	{ "CMPQ (RAX), $0", { 0x48, 0x83, 0x38, 0x00 }, 8, SP, false, VALUE },
	{ "CMPB (RAX), $0x11", { 0x80, 0x38, 0x11 }, 1, SP, true, VALUE },
	{ "TESTL CX, (RAX)", { 0x85, 0x08 }, 4, SP, true, VALUE },
	{ "MOVQ RCX, (RSP)", { 0x48, 0x89, 0x0c, 0x24 }, 8, SP, false, 0 },
	{ "MOVL CX, (RSP)", { 0x89, 0x0c, 0x24 }, 4, SP, false, VALUE & ~0xffffffffUL },
};

static void access_desc(const struct access_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(access, access_cases, access_desc);

/* Another thread may be writing what is read: what it sees is one of its values. */
static void memory_is_read_and_written_at_once(struct kunit *test)
{
	struct pt_regs regs = { .ip = IP, .sp = SP, .ax = SP, .cs = __USER_CS };
	const struct access_case *c = test->param_value;
	const u64 value = VALUE;
	struct gp_step step;
	u64 stored;

	memcpy(memory + (SP - BASE), &value, sizeof(value));
	copies = 0;
	accesses = 0;
	accessed = 0;
	KUNIT_ASSERT_TRUE(test, gp_step_decode(c->code, sizeof(c->code), &step));
	gp_arch_emulate(&step, &regs);
	KUNIT_EXPECT_EQ(test, regs.ip, IP + step.length);
	KUNIT_EXPECT_EQ(test, copies, 0U);
	KUNIT_EXPECT_EQ(test, accesses, 1U);
	KUNIT_EXPECT_EQ(test, accessed, c->size);
	KUNIT_EXPECT_EQ(test, regs.ax, c->ax);
	KUNIT_EXPECT_EQ(test, !!(regs.flags & X86_EFLAGS_ZF), c->zero);
	memcpy(&stored, memory + (SP - BASE), sizeof(stored));
	KUNIT_EXPECT_EQ(test, stored, c->stored);
}

#define ROUNDS	GOPROBE_SELF_TEST_ROUNDS

static const struct goprobe_point self_test = {
	.kind = GOPROBE_POINT_SELF_TEST,
	.code_len = GOPROBE_SELF_TEST_SIZE,
	.code = GOPROBE_SELF_TEST_CODE,
};

/* The code from its beginning on, with a kernel that @honours a changed ip. */
static void run_self_test(struct gp_emulate *e, bool honours)
{
	struct pt_regs regs = { .cx = ROUNDS, .dx = ROUNDS, .cs = __USER_CS };

	do {
		regs.ip = IP;
		gp_emulate_hit(e, &regs);
		if (!honours || regs.ip == IP)
			regs.cx--;
	} while (--regs.dx);
}

/*
 * ... with one that does not, by a client that writes what it expects @guess to have skipped: it
 * never sees where the instruction pointer was set to.
 */
static void cheat(struct gp_emulate *e, u32 guess)
{
	struct pt_regs regs = { .cx = ROUNDS, .dx = ROUNDS, .cs = __USER_CS };

	do {
		regs.ip = IP;
		gp_emulate_hit(e, &regs);
		regs.cx -= !(guess & 1);
		guess >>= 1;
	} while (--regs.dx);
}

static void self_test_begin(struct gp_emulate *e)
{
	memset(e, 0, sizeof(*e));
	gp_honours = GP_HONOURS_UNKNOWN;
	gp_emulate_param = true;
	gp_emulate_init(e, &self_test);
}

static void the_self_test_finds_whether_the_kernel_honours(struct kunit *test)
{
	struct gp_emulate e;

	self_test_begin(&e);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), GOPROBE_ABILITY_UNTESTED);
	run_self_test(&e, true);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), GOPROBE_ABILITY_EMULATE);
	run_self_test(&e, true);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), GOPROBE_ABILITY_EMULATE);
	/* A later one can take it back, and none gives it again. */
	run_self_test(&e, false);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), 0ULL);
	run_self_test(&e, true);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), 0ULL);
	self_test_begin(&e);
	run_self_test(&e, false);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), 0ULL);
}

static void nobody_makes_it_believe_that_the_kernel_honours(struct kunit *test)
{
	static const u32 guesses[] = { 0, ~0U, 0x55555555, 1, 0xffff };
	struct gp_emulate e;
	u32 i;

	for (i = 0; i < 10 * ARRAY_SIZE(guesses); i++) {
		self_test_begin(&e);
		cheat(&e, guesses[i % ARRAY_SIZE(guesses)]);
		KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), 0ULL);
	}
}

/* A kernel that has not done all rounds proves nothing. */
static void half_a_self_test_shows_nothing(struct kunit *test)
{
	struct pt_regs regs = { .ip = IP, .cx = ROUNDS, .dx = 1, .cs = __USER_CS };
	struct gp_emulate e;

	self_test_begin(&e);
	gp_emulate_hit(&e, &regs);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), GOPROBE_ABILITY_UNTESTED);
	regs.dx = ROUNDS + 1;
	gp_emulate_hit(&e, &regs);
	KUNIT_EXPECT_EQ(test, regs.ip, IP);
	regs.cx = 7;
	regs.dx = ROUNDS;
	gp_emulate_hit(&e, &regs);
	KUNIT_EXPECT_EQ(test, regs.ip, IP);
	/* Neither does one that leaves some out. */
	regs.cx = ROUNDS;
	gp_emulate_hit(&e, &regs);
	regs.ip = IP;
	regs.dx = 1;
	gp_emulate_hit(&e, &regs);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), GOPROBE_ABILITY_UNTESTED);
}

/* The way in which the instruction of a new point is executed. */
static u8 executor(const struct goprobe_point *point)
{
	struct gp_emulate e = {};

	gp_emulate_init(&e, point);
	return e.by;
}

static void points_are_the_kernels_unless_it_honours(struct kunit *test)
{
	static const struct goprobe_point ret = {
		.kind = GOPROBE_POINT_RETURN, .code_len = 1, .code = { 0xc3 },
	};
	static const struct goprobe_point other = {
		.kind = GOPROBE_POINT_CALL, .code_len = 4, .code = { 0x0f, 0xa2, 0x90, 0x90 },
	};
	struct gp_emulate e;

	self_test_begin(&e);
	KUNIT_EXPECT_EQ(test, executor(&ret), GP_EXECUTOR_KERNEL);
	gp_honours = GP_HONOURS_YES;
	KUNIT_EXPECT_EQ(test, executor(&ret), GP_EXECUTOR_HANDLER);
	KUNIT_EXPECT_EQ(test, executor(&other), GP_EXECUTOR_KERNEL);
	gp_emulate_param = false;
	KUNIT_EXPECT_EQ(test, executor(&ret), GP_EXECUTOR_KERNEL);
	KUNIT_EXPECT_EQ(test, gp_emulate_abilities(), 0ULL);
	gp_emulate_param = true;
}

/* Another handler at the place has been called before, and the thread goes on elsewhere. */
static void who_has_been_sent_elsewhere_executes_nothing(struct kunit *test)
{
	const struct goprobe_point ret = {
		.kind = GOPROBE_POINT_RETURN, .code_len = 1, .code = { 0xc3 }, .offset = 0x3abc,
	};
	struct pt_regs regs = { .ip = IP + 0xabc, .sp = SP, .cs = __USER_CS };
	const u64 to = 0x402000;
	struct gp_emulate e;

	memcpy(memory + (SP - BASE), &to, sizeof(to));
	self_test_begin(&e);
	gp_honours = GP_HONOURS_YES;
	memset(&e, 0, sizeof(e));
	gp_emulate_init(&e, &ret);
	gp_emulate_hit(&e, &regs);
	KUNIT_EXPECT_EQ(test, regs.ip, to);
	KUNIT_EXPECT_EQ(test, regs.sp, SP + 8);
	regs = (struct pt_regs){ .ip = IP + 0xabd, .sp = SP, .cs = __USER_CS };
	gp_emulate_hit(&e, &regs);
	KUNIT_EXPECT_EQ(test, regs.ip, IP + 0xabd);
	KUNIT_EXPECT_EQ(test, regs.sp, SP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(what_is_unusual_is_left_to_the_processor, left_gen_params),
	KUNIT_CASE(a_return_is_left_in_threads_with_a_shadow_stack),
	KUNIT_CASE_PARAM(memory_is_read_and_written_at_once, access_gen_params),
	KUNIT_CASE(the_self_test_finds_whether_the_kernel_honours),
	KUNIT_CASE(nobody_makes_it_believe_that_the_kernel_honours),
	KUNIT_CASE(half_a_self_test_shows_nothing),
	KUNIT_CASE(points_are_the_kernels_unless_it_honours),
	KUNIT_CASE(who_has_been_sent_elsewhere_executes_nothing),
	{}
};

static struct kunit_suite suite = { .name = "execute", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Who executes an instruction: KUnit suite");
