// SPDX-License-Identifier: GPL-2.0
/*
 * States of goroutines that --split distinguishes, and the runtime's functions that change them.
 *
 * Nearly all changes go through casgstatus(gp, oldval, newval). What does not:
 *
 * - preemptPark(gp): a goroutine is stopped by somebody who wants to look at its stack, and
 *   becomes ready by casgstatus when that is done.
 * - coroswitch_m(gp), since 1.23: iter.Pull goes from one goroutine to another.
 * - reentersyscall and exitsyscall, since 1.26: on the current goroutine.
 *
 * What a waiting goroutine waits for is in g.waitreason, which is set before; but by whom does
 * not go through park_m only since 1.20: until then that is always the garbage collector, and
 * what stops the world.
 */
#include <elf.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "elf/scan.h"
#include "gobin/release.h"
#include "gobin/runtime_layout.h"
#include "gobin/sched_state.h"

const char *const gostates_names[__GOSTATES_MAX] = {
	[SCHED_STATE_RUNNING] = "running",
	[SCHED_STATE_RUNNABLE] = "runnable",
	[SCHED_STATE_SYSCALL] = "syscall",
	[SCHED_STATE_CHAN] = "chan",
	[SCHED_STATE_SELECT] = "select",
	[SCHED_STATE_SYNC] = "sync",
	[SCHED_STATE_NET] = "net",
	[SCHED_STATE_SLEEP] = "sleep",
	[SCHED_STATE_GC] = "gc",
	[SCHED_STATE_OTHER] = "other",
};

/* --- wait reasons --------------------------------------------------------------------- */

/* Of all releases; what is not here is something else. */
static const struct {
	const char *name;
	enum sched_state state;
} known[] = {
	{ "GC assist marking", SCHED_STATE_GC },
	{ "GC assist wait", SCHED_STATE_GC },
	{ "GC sweep wait", SCHED_STATE_GC },
	{ "GC scavenge wait", SCHED_STATE_GC },
	{ "GC worker (idle)", SCHED_STATE_GC },
	{ "GC worker (active)", SCHED_STATE_GC },
	{ "GC worker init", SCHED_STATE_GC },
	{ "GC mark termination", SCHED_STATE_GC },
	{ "GC weak to strong wait", SCHED_STATE_GC },
	{ "IO wait", SCHED_STATE_NET },
	{ "chan receive", SCHED_STATE_CHAN },
	{ "chan send", SCHED_STATE_CHAN },
	{ "chan receive (nil chan)", SCHED_STATE_CHAN },
	{ "chan send (nil chan)", SCHED_STATE_CHAN },
	{ "chan receive (synctest)", SCHED_STATE_CHAN },
	{ "chan send (synctest)", SCHED_STATE_CHAN },
	{ "chan receive (durable)", SCHED_STATE_CHAN },
	{ "chan send (durable)", SCHED_STATE_CHAN },
	{ "flushing proc caches", SCHED_STATE_GC },
	{ "force gc (idle)", SCHED_STATE_GC },
	{ "garbage collection", SCHED_STATE_GC },
	{ "garbage collection scan", SCHED_STATE_GC },
	{ "preempted", SCHED_STATE_RUNNABLE },
	{ "select", SCHED_STATE_SELECT },
	{ "select (no cases)", SCHED_STATE_SELECT },
	{ "select (synctest)", SCHED_STATE_SELECT },
	{ "select (durable)", SCHED_STATE_SELECT },
	{ "semacquire", SCHED_STATE_SYNC },
	{ "sleep", SCHED_STATE_SLEEP },
	{ "stopping the world", SCHED_STATE_GC },
	{ "sync.Cond.Wait", SCHED_STATE_SYNC },
	{ "sync.Mutex.Lock", SCHED_STATE_SYNC },
	{ "sync.RWMutex.Lock", SCHED_STATE_SYNC },
	{ "sync.RWMutex.RLock", SCHED_STATE_SYNC },
	{ "sync.WaitGroup.Wait", SCHED_STATE_SYNC },
	{ "sync.WaitGroup.Wait (synctest)", SCHED_STATE_SYNC },
	{ "sync.WaitGroup.Wait (durable)", SCHED_STATE_SYNC },
	{ "wait for GC cycle", SCHED_STATE_GC },
};

/* The second of all releases; the first is empty. */
static const char second[] = "GC assist marking";

#define NAME_MAX_LEN 63

/* The string whose header is at @vaddr; false if it is not a string. */
static bool read_name(const struct elffile *ef, uint64_t vaddr, char name[NAME_MAX_LEN + 1])
{
	uint64_t string[2];

	if (elffile_read_vaddr(ef, vaddr, string, sizeof(string)) || !string[1] ||
	    string[1] > NAME_MAX_LEN || elffile_read_vaddr(ef, string[0], name, string[1]))
		return false;
	name[string[1]] = 0;
	return strlen(name) == string[1];
}

/* For runtime.waitReasonStrings, which stripped programs do not name. */
struct search {
	const struct elffile *ef;	/* where */
	uint64_t at;			/* link-time address of its second string */
};

/* @vaddr has a length that fits. */
static int look(void *ctx, const Elf64_Phdr *seg, uint64_t vaddr)
{
	struct search *s = ctx;
	char name[NAME_MAX_LEN + 1];

	(void)seg;
	if (vaddr < 24 || !read_name(s->ef, vaddr - 8, name) || strcmp(name, second) != 0)
		return 0;
	s->at = vaddr - 8;
	return 1;
}

static enum sched_state state_of(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, name))
			return known[i].state;
	return SCHED_STATE_OTHER;
}

int sched_state_reasons(const struct elffile *ef, struct sched_state_reasons *ret)
{
	struct search s = { .ef = ef };
	const struct scan what = {
		.without = PF_X, .value = sizeof(second) - 1, .fn = look, .ctx = &s,
	};
	char name[NAME_MAX_LEN + 1];

	memset(ret->state, SCHED_STATE_OTHER, sizeof(ret->state));
	if (!scan_words(ef, &what))
		return -1;
	/* What follows it in memory is no reason, and never asked for. */
	for (ret->n = 1; ret->n < SCHED_STATE_REASONS; ret->n++) {
		if (!read_name(ef, s.at + (ret->n - 1) * 16, name))
			break;
		ret->state[ret->n] = (uint8_t)state_of(name);
	}
	return 0;
}

/* --- programs ------------------------------------------------------------------------- */

/* runtime._Grunning and so on. */
enum { RUNNABLE = 1, RUNNING = 2, SYSCALL = 3, WAITING = 4, COPYSTACK = 8, PREEMPTED = 9 };

/* DWARF numbers of the registers that the first argument and the third are in. */
enum { RAX = 0, RCX = 2 };

enum source { CASGSTATUS, PREEMPT_PARK, COROSWITCH, ENTERSYSCALL, EXITSYSCALL };

const struct sched_state_source gostates_sources[SCHED_STATE_SOURCES] = {
	[CASGSTATUS] = { "runtime.casgstatus", 0, INT_MAX, true },
	[PREEMPT_PARK] = { "runtime.preemptPark", 0, INT_MAX, true },
	[COROSWITCH] = { "runtime.coroswitch_m", 23, INT_MAX, false },
	[ENTERSYSCALL] = { "runtime.reentersyscall", 26, INT_MAX, true },
	[EXITSYSCALL] = { "runtime.exitsyscall", 26, INT_MAX, true },
};

/* The program's registers. */
enum { G, STATE, NEW, REASON, CALLER, BOUND, NEXT };

struct program {
	struct goprobe_op *op;
	uint32_t n;
};

static void add(struct program *p, struct goprobe_op op)
{
	p->op[p->n++] = op;
}

static void add_imm(struct program *p, uint8_t a, uint64_t value)
{
	add(p, (struct goprobe_op){ .code = GOPROBE_OP_IMM, .a = a, .value = value });
}

static void add_load(struct program *p, uint8_t a, uint8_t b, uint32_t size, uint64_t at)
{
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_LOAD, .a = a, .b = b, .size = size, .value = at,
	});
}

/* An argument: of @size bytes at entry SP + @at, or where a register has it instead. */
static void add_arg(struct program *p, const struct sched_state_bin *bin, uint8_t a, uint8_t reg,
		    uint32_t size, uint64_t at)
{
	if (release_regabi(bin->minor)) {
		add(p, (struct goprobe_op){ .code = GOPROBE_OP_REG, .a = a, .b = reg });
		if (size < 8)
			add(p, (struct goprobe_op){
				.code = GOPROBE_OP_LOW, .a = a, .b = a, .size = size,
			});
		return;
	}
	add(p, (struct goprobe_op){ .code = GOPROBE_OP_SP, .a = a });
	add_load(p, a, a, size, at);
}

/* A pair of a g and its state. */
static void add_pair(struct program *p, uint8_t g, uint8_t state)
{
	add(p, (struct goprobe_op){ .code = GOPROBE_OP_KEY, .a = g });
	add(p, (struct goprobe_op){ .code = GOPROBE_OP_KEY, .a = state });
}

/*
 * A jump to the end of the program, where the pair is made, if @a has @value. Its offset is
 * known when all is there: settle().
 */
static void add_done(struct program *p, uint8_t a, uint64_t value)
{
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_JEQ_I, .a = a, .offset = UINT32_MAX, .value = value,
	});
}

static void settle(struct program *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (p->op[i].offset == UINT32_MAX)
			p->op[i].offset = p->n - i - 1;
}

/* Who does not wait in park_m is stopped by the garbage collector, or by who stops the world. */
static void add_not_parked(struct program *p, const struct sched_state_bin *bin)
{
	add(p, (struct goprobe_op){ .code = GOPROBE_OP_SP, .a = CALLER });
	add_load(p, CALLER, CALLER, 8, 0);
	add_imm(p, STATE, SCHED_STATE_GC);
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_STATIC, .a = BOUND, .value = bin->park[0],
	});
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_JLT, .a = CALLER, .b = BOUND, .offset = UINT32_MAX,
	});
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_STATIC, .a = BOUND, .value = bin->park[1],
	});
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_JGE, .a = CALLER, .b = BOUND, .offset = UINT32_MAX,
	});
}

/* The state of who waits: what is likely first. */
static void add_waiting(struct program *p, const struct sched_state_bin *bin)
{
	static const uint8_t order[] = {
		SCHED_STATE_CHAN,  SCHED_STATE_SELECT,	 SCHED_STATE_SYNC, SCHED_STATE_NET,
		SCHED_STATE_SLEEP, SCHED_STATE_RUNNABLE, SCHED_STATE_GC,
	};

	add_load(p, REASON, G, 1, runtime_layout_get(bin->minor)->g.reason);
	for (size_t i = 0; i < sizeof(order); i++) {
		add_imm(p, STATE, order[i]);
		for (uint32_t k = 0; k < bin->reasons.n; k++)
			if (bin->reasons.state[k] == order[i])
				add_done(p, REASON, k);
	}
	add_imm(p, STATE, SCHED_STATE_OTHER);
}

static void make_casgstatus(struct program *p, const struct sched_state_bin *bin)
{
	add_arg(p, bin, G, RAX, 8, 8);
	add_arg(p, bin, NEW, RCX, 4, 20);
	/* A stack is moved by its goroutine itself. */
	add_done(p, NEW, RUNNING);
	add_done(p, NEW, COPYSTACK);
	add_imm(p, STATE, SCHED_STATE_RUNNABLE);
	add_done(p, NEW, RUNNABLE);
	add_done(p, NEW, PREEMPTED);
	add_imm(p, STATE, SCHED_STATE_SYSCALL);
	add_done(p, NEW, SYSCALL);
	/* What is dead, or leaked, or comes into being, is nothing to us. */
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_JEQ_I, .a = NEW, .offset = 1, .value = WAITING,
	});
	add(p, (struct goprobe_op){ .code = GOPROBE_OP_END });
	if (bin->minor < 20 && bin->park[1])
		add_not_parked(p, bin);
	add_waiting(p, bin);
	settle(p);
	add_pair(p, G, STATE);
}

static void make_preempt_park(struct program *p, const struct sched_state_bin *bin)
{
	add_arg(p, bin, G, RAX, 8, 8);
	add_imm(p, STATE, SCHED_STATE_RUNNABLE);
	add_pair(p, G, STATE);
}

/* It waits for the other, which runs: g.coroarg.gp. */
static void make_coroswitch(struct program *p, const struct sched_state_bin *bin)
{
	add_arg(p, bin, G, RAX, 8, 8);
	add_load(p, NEXT, G, 8, runtime_layout_get(bin->minor)->g.coroarg);
	add_load(p, NEXT, NEXT, 8, 0);
	add_imm(p, STATE, SCHED_STATE_OTHER);
	add_pair(p, G, STATE);
	add_imm(p, STATE, SCHED_STATE_RUNNING);
	add_pair(p, NEXT, STATE);
}

static void make_current(struct program *p, enum sched_state state)
{
	add(p, (struct goprobe_op){
		.code = GOPROBE_OP_TASK, .a = G, .value = GOPROBE_TASK_G,
	});
	add_imm(p, STATE, state);
	add_pair(p, G, STATE);
}

uint32_t sched_state_program(const struct sched_state_bin *bin, int source,
			     struct goprobe_op ops[SCHED_STATE_OPS])
{
	struct program p = { .op = ops };

	switch (source) {
	case CASGSTATUS:
		make_casgstatus(&p, bin);
		break;
	case PREEMPT_PARK:
		make_preempt_park(&p, bin);
		break;
	case COROSWITCH:
		make_coroswitch(&p, bin);
		break;
	case ENTERSYSCALL:
		make_current(&p, SCHED_STATE_SYSCALL);
		break;
	case EXITSYSCALL:
		make_current(&p, SCHED_STATE_RUNNING);
		break;
	}
	return p.n;
}
