// SPDX-License-Identifier: GPL-2.0
/*
 * The goroutine of a call: checks of a g that may be invalid. The target's memory
 * is an array; every window that is opened onto it must be closed.
 */
#include <kunit/test.h>
#include <linux/uaccess.h>

#define BASE		0x10000UL	/* where the memory begins for the target */
#define MEMORY		0x8000UL
#define LIMIT		(BASE + MEMORY)	/* no address from here on can be accessed */

static u8 memory[MEMORY];
static unsigned long hole, hole_end;	/* an absent part */
static int windows;

static bool fake_begin(unsigned long at, unsigned long size)
{
	if (at > LIMIT - size)
		return false;
	windows++;
	return true;
}

static bool fake_get(void *to, unsigned long at, unsigned long size)
{
	if (windows != 1)
		windows = -100;
	if (at < BASE || at > LIMIT - size || (at < hole_end && at + size > hole))
		return false;
	memcpy(to, memory + (at - BASE), size);
	return true;
}

#undef user_read_access_begin
#undef user_read_access_end
#undef unsafe_get_user
#define user_read_access_begin(at, size)	fake_begin((unsigned long)(at), size)
#define user_read_access_end()			(windows--)
#define unsafe_get_user(x, at, label) \
	do { \
		if (!fake_get(&(x), (unsigned long)(at), sizeof(*(at)))) \
			goto label; \
	} while (0)

#include "../../kmod/capture/goroutine.h"

static const struct goprobe_runtime rt = {
	.g_stack_lo = 0, .g_stack_hi = 8, .g_m = 48, .g_goid = 152, .m_curg = 192, .m_procid = 72,
};

#define G	(BASE + 0x1000)		/* a user goroutine's */
#define G0	(BASE + 0x3000)		/* the system goroutine's of M */
#define M	(BASE + 0x5000)
#define M_IDLE	(BASE + 0x6000)		/* works for nobody */
#define G0_IDLE	(BASE + 0x2000)
#define M_BAD	(BASE + 0x7008)		/* too near the end of memory */
#define G0_BAD	(BASE + 0x4000)
#define G_ODD	(BASE + 0x1804)	/* right but for its address */
#define LO	0xc000010000UL
#define HI	0xc000012000UL

static void poke(unsigned long at, u64 value)
{
	memcpy(memory + (at - BASE), &value, 8);
}

static void make_g(unsigned long g, u64 goid, unsigned long m)
{
	poke(g + rt.g_stack_lo, LO);
	poke(g + rt.g_stack_hi, HI);
	poke(g + rt.g_goid, goid);
	poke(g + rt.g_m, m);
}

struct find_case {
	const char *claim;
	unsigned long g;
	unsigned long sp;
	unsigned long hole;	/* 8 bytes there are absent */
	u64 goid;
	u64 depth;
	u16 flags;
};

#define NO_G	GOPROBE_RECORD_F_NO_G
#define SYSTEM	GOPROBE_RECORD_F_SYSTEM

static const struct find_case find_cases[] = {
	{ "a user goroutine", G, HI - 0x100, 0, 37, 0x100, 0 },
	{ "at the very top of its stack", G, HI, 0, 37, 0, 0 },
	{ "at the last byte above its stack's end", G, LO + 1, 0, 37, HI - LO - 1, 0 },
	{ "SP at its stack's end is another stack's", G, LO, 0, 0, 0, NO_G },
	{ "SP below its stack", G, LO - 8, 0, 0, 0, NO_G },
	{ "SP above its stack", G, HI + 8, 0, 0, 0, NO_G },
	{ "SP 0", G, 0, 0, 0, 0, NO_G },
	{ "g is not aligned", G_ODD, HI, 0, 0, 0, NO_G },
	{ "g is unmapped", BASE - 0x2000, HI, BASE - 0x2000, 0, 0, NO_G },
	{ "g ends beyond user memory", LIMIT - 8, HI, 0, 0, 0, NO_G },
	{ "g is a kernel address", 0xffff888000001000UL, HI, 0, 0, 0, NO_G },
	{ "stack.lo is absent", G, HI - 8, G, 0, 0, NO_G },
	{ "stack.hi is absent", G, HI - 8, G + 8, 0, 0, NO_G },
	{ "goid is absent", G, HI - 8, G + 152, 0, 0, NO_G },
	{ "m is absent but not needed", G, HI - 8, G + 48, 37, 8, 0 },
	{ "on g0 it is the goroutine that m works for", G0, HI - 8, 0, 37, 8, SYSTEM },
	{ "on g0 of an idle m there is no goroutine", G0_IDLE, HI - 8, 0, 0, 8, SYSTEM },
	{ "g0.m is absent", G0, HI - 8, G0 + 48, 0, 0, NO_G },
	{ "m.curg is absent", G0, HI - 8, M + 192, 0, 0, NO_G },
	{ "curg.goid is absent", G0, HI - 8, G + 152, 0, 0, NO_G },
	{ "m ends beyond user memory", G0_BAD, HI - 8, 0, 0, 0, NO_G },
};

static void find_desc(const struct find_case *c, char *desc)
{
	strscpy(desc, c->claim, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(find, find_cases, find_desc);

static void g_is_believed_only_if_all_fits(struct kunit *test)
{
	const struct find_case *c = test->param_value;
	struct gp_goroutine go;

	memset(memory, 0, sizeof(memory));
	make_g(G, 37, M);
	make_g(G_ODD, 38, M);
	make_g(G0, 0, M);
	make_g(G0_IDLE, 0, M_IDLE);
	make_g(G0_BAD, 0, M_BAD);
	poke(M + rt.m_curg, G);
	hole = c->hole;
	hole_end = c->hole ? c->hole + 8 : 0;
	windows = 0;
	memset(&go, 0xa5, sizeof(go));
	gp_goroutine_find(&rt, c->g, c->sp, &go);
	KUNIT_EXPECT_EQ(test, go.goid, c->goid);
	KUNIT_EXPECT_EQ(test, go.depth, c->depth);
	KUNIT_EXPECT_EQ(test, (u32)go.flags, (u32)c->flags);
	/* Absent memory that is needed is reported. */
	KUNIT_EXPECT_EQ(test, go.absent, go.flags & NO_G ? c->hole : 0);
	KUNIT_EXPECT_EQ(test, windows, 0);
}

static void any_g_and_any_memory_are_survived(struct kunit *test)
{
	u64 state = 88172645463325252ULL;
	struct gp_goroutine go;
	u32 n, i, found = 0;

	hole = 0;
	hole_end = 0;
	for (n = 0; n < 20000; n++) {
		if (n % 100 == 0) {
			for (i = 0; i < MEMORY; i += 8) {
				state ^= state << 13;
				state ^= state >> 7;
				state ^= state << 17;
				poke(BASE + i, state % 3 ? BASE + state % MEMORY : state % 5);
			}
		}
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		windows = 0;
		gp_goroutine_find(&rt, BASE - 64 + state % (MEMORY + 128),
				  BASE + state % MEMORY, &go);
		KUNIT_ASSERT_EQ(test, windows, 0);
		if (go.flags & NO_G)
			KUNIT_ASSERT_TRUE(test, !go.goid && !go.depth);
		else
			found++;
	}
	KUNIT_EXPECT_GT(test, found, 100U);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(g_is_believed_only_if_all_fits, find_gen_params),
	KUNIT_CASE(any_g_and_any_memory_are_survived),
	{}
};

static struct kunit_suite suite = { .name = "goroutine", .test_cases = cases };

kunit_test_suite(suite);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Goroutine of a hit: KUnit suite");
