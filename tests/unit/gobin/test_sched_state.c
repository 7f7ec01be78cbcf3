// SPDX-License-Identifier: GPL-2.0
/* States of goroutines by the numbers of each release. */
#include <stdint.h>

#include <string.h>

#include "bins.h"
#include "gobin/runtime_layout.h"
#include "gobin/release.h"
#include "gobin/variable.h"
#include "gobin/sched_state.h"
#include "machine.h"
#include "rows.h"

#define FORMS "", "-pie", "-stripped"

#define G_AT	0x20000ULL
#define NEXT_AT	0x30000ULL
#define CORO_AT	0x40000ULL
#define PARK	0x450000ULL	/* runtime.park_m, of 256 bytes */
#define ELSE	0x460000ULL

/* runtime._Grunnable and so on. */
enum { IDLE, RUNNABLE, RUNNING, SYSCALL, WAITING, DEAD = 6, COPYSTACK = 8, PREEMPTED, LEAKED };

/* The wait reason of each; reasons that a release does not have are left out. */
static const struct {
	const char *claim;
	const char *name;
	enum sched_state state;
	int first, last;
} reasons[] = {
	{ "channels", "chan receive", SCHED_STATE_CHAN, 13, 99 },
	{ "channels, the other way", "chan send", SCHED_STATE_CHAN, 13, 99 },
	{ "no channel", "chan send (nil chan)", SCHED_STATE_CHAN, 13, 99 },
	{ "select", "select", SCHED_STATE_SELECT, 13, 99 },
	{ "an empty select", "select (no cases)", SCHED_STATE_SELECT, 13, 99 },
	{ "semaphores", "semacquire", SCHED_STATE_SYNC, 13, 99 },
	{ "conditions", "sync.Cond.Wait", SCHED_STATE_SYNC, 13, 99 },
	{ "mutexes", "sync.Mutex.Lock", SCHED_STATE_SYNC, 20, 99 },
	{ "readers", "sync.RWMutex.RLock", SCHED_STATE_SYNC, 20, 99 },
	{ "the poller", "IO wait", SCHED_STATE_NET, 13, 99 },
	{ "sleep", "sleep", SCHED_STATE_SLEEP, 13, 99 },
	{ "the collector", "GC assist wait", SCHED_STATE_GC, 13, 99 },
	{ "its marking", "GC assist marking", SCHED_STATE_GC, 13, 99 },
	{ "its cycle", "wait for GC cycle", SCHED_STATE_GC, 13, 99 },
	{ "being looked at", "preempted", SCHED_STATE_RUNNABLE, 14, 99 },
	{ "coroutines", "coroutine", SCHED_STATE_OTHER, 23, 99 },
	{ "finalizers", "finalizer wait", SCHED_STATE_OTHER, 13, 99 },
};

/* By the symbol, which stripped programs lack: the number of @name, or -1. */
static int number_of(struct gobin *bin, const char *name)
{
	char text[64];
	uint64_t s[2];
	struct gobin_variable v;

	if (gobin_variable_find(bin, "runtime.waitReasonStrings", &v))
		return -1;
	for (uint64_t i = 0; i < v.size / sizeof(s); i++) {
		if (elffile_read_vaddr(gobin_file(bin), v.vaddr + i * sizeof(s), s, sizeof(s)) ||
		    s[1] != strlen(name) ||
		    elffile_read_vaddr(gobin_file(bin), s[0], text, s[1]))
			continue;
		if (!memcmp(text, name, s[1]))
			return (int)i;
	}
	return -1;
}

TEST(test_reasons)
{
	struct bins_each b = BINS("shapes", FORMS);
	struct sched_state_reasons r;

	while (bins_next(&b)) {
		bool stripped = !strcmp(b.form, "-stripped");

		assert_int_equal(sched_state_reasons(gobin_file(b.bin), &r), 0);
		assert_in_range(r.n, 26, SCHED_STATE_REASONS);
		/* These two have never moved. */
		assert_int_equal(r.state[1], SCHED_STATE_GC);
		assert_int_equal(r.state[2], SCHED_STATE_NET);
		for (size_t i = 0; !stripped && i < N(reasons); i++) {
			int n = number_of(b.bin, reasons[i].name);

			if (b.minor < reasons[i].first)
				continue;
			assert_in_range(n, 1, r.n - 1);
			assert_int_equal(r.state[n], reasons[i].state);
		}
	}
}

/* Stripped or not, they are the same. */
TEST(test_twins)
{
	struct bins_each b = BINS("shapes", "");
	struct sched_state_reasons one, two;

	while (bins_next(&b)) {
		struct gobin *twin = bins_open(bins_twin(&b, "-stripped"));

		assert_int_equal(sched_state_reasons(gobin_file(b.bin), &one), 0);
		assert_int_equal(sched_state_reasons(gobin_file(twin), &two), 0);
		for (uint32_t i = 0; i < 26; i++)
			assert_int_equal(one.state[i], two.state[i]);
		gobin_free(twin);
	}
}

/* casgstatus(G_AT, oldval, @new), called at @from, of a g with wait reason @reason. */
static uint32_t casgstatus(struct machine *m, const struct sched_state_bin *bin, uint32_t new,
			   uint8_t reason, uint64_t from)
{
	uint64_t at = G_AT + runtime_layout_get(bin->minor)->g.reason;
	struct goprobe_op ops[SCHED_STATE_OPS];
	uint32_t n = sched_state_program(bin, 0, ops);

	assert_in_range(n, 1, SCHED_STATE_OPS);
	machine_set(m, "");
	machine_put(m, at & ~7ULL, (uint64_t)reason << at % 8 * 8);
	machine_put(m, m->sp, from);
	if (release_regabi(bin->minor)) {
		m->regs[0] = G_AT;
		m->regs[2] = 0xbad00000000 | new;
	} else {
		machine_put(m, m->sp + 8, G_AT);
		machine_put(m, m->sp + 16, (uint64_t)new << 32 | 7);
	}
	assert_int_equal(machine_filter(m, ops, n), MACHINE_PASSES);
	return (uint32_t)m->nkey;
}

static void expect_state(const struct machine *m, uint32_t nkey, enum sched_state want)
{
	assert_int_equal(nkey, 2);
	assert_int_equal(m->key[0], G_AT);
	assert_int_equal(m->key[1], want);
}

TEST(test_casgstatus)
{
	static const struct { uint32_t new; int state; } news[] = {
		{ RUNNING, SCHED_STATE_RUNNING }, { COPYSTACK, SCHED_STATE_RUNNING },
		{ RUNNABLE, SCHED_STATE_RUNNABLE }, { PREEMPTED, SCHED_STATE_RUNNABLE },
		{ SYSCALL, SCHED_STATE_SYSCALL }, { IDLE, -1 }, { DEAD, -1 }, { LEAKED, -1 },
		{ 11, -1 },
	};
	struct bins_each b = BINS("shapes", "");
	struct machine m;

	while (bins_next(&b)) {
		struct sched_state_bin bin = { .minor = b.minor, .park = { PARK, PARK + 256 } };
		uint32_t n;

		assert_int_equal(sched_state_reasons(gobin_file(b.bin), &bin.reasons), 0);
		for (size_t i = 0; i < N(news); i++) {
			n = casgstatus(&m, &bin, news[i].new, 2, PARK + 1);
			if (news[i].state < 0)
				assert_int_equal(n, 0);
			else
				expect_state(&m, n, news[i].state);
		}
		for (uint32_t i = 0; i < 256; i++) {
			enum sched_state want = i < SCHED_STATE_REASONS ? bin.reasons.state[i] :
								    SCHED_STATE_OTHER;

			if (i >= bin.reasons.n)
				want = SCHED_STATE_OTHER;
			n = casgstatus(&m, &bin, WAITING, (uint8_t)i, PARK + 255);
			expect_state(&m, n, want);
			/* What waits elsewhere has its reason before only in newer releases. */
			n = casgstatus(&m, &bin, WAITING, (uint8_t)i, ELSE);
			expect_state(&m, n, b.minor < 20 ? SCHED_STATE_GC : want);
			n = casgstatus(&m, &bin, WAITING, (uint8_t)i, PARK - 1);
			expect_state(&m, n, b.minor < 20 ? SCHED_STATE_GC : want);
		}
	}
}

/* One g waits for the other, which runs. */
TEST(test_coroswitch)
{
	const struct sched_state_bin bin = { .minor = 27 };
	struct goprobe_op ops[SCHED_STATE_OPS];
	struct machine m;

	machine_set(&m, "ax=20000");
	machine_put(&m, G_AT + runtime_layout_get(27)->g.coroarg, CORO_AT);
	machine_put(&m, CORO_AT, NEXT_AT);
	assert_int_equal(machine_filter(&m, ops, sched_state_program(&bin, 2, ops)),
			 MACHINE_PASSES);
	assert_int_equal(m.nkey, 4);
	assert_int_equal(m.key[0], G_AT);
	assert_int_equal(m.key[1], SCHED_STATE_OTHER);
	assert_int_equal(m.key[2], NEXT_AT);
	assert_int_equal(m.key[3], SCHED_STATE_RUNNING);
}

TEST(test_current)
{
	static const struct { int source; enum sched_state want; } each[] = {
		{ 3, SCHED_STATE_SYSCALL }, { 4, SCHED_STATE_RUNNING },
	};
	const struct sched_state_bin bin = { .minor = 27 };
	struct goprobe_op ops[SCHED_STATE_OPS];
	struct machine m;

	for (size_t i = 0; i < N(each); i++) {
		machine_set(&m, "");
		m.task[GOPROBE_TASK_G] = G_AT;
		assert_int_equal(machine_filter(&m, ops, sched_state_program(&bin, each[i].source,
									     ops)),
				 MACHINE_PASSES);
		expect_state(&m, (uint32_t)m.nkey, each[i].want);
	}
	machine_set(&m, "ax=20000");
	assert_int_equal(machine_filter(&m, ops, sched_state_program(&bin, 1, ops)),
			 MACHINE_PASSES);
	expect_state(&m, (uint32_t)m.nkey, SCHED_STATE_RUNNABLE);
}
