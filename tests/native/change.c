// SPDX-License-Identifier: GPL-2.0
/* Changes of code, and what the kernel does at breakpoints and landings. */
#define _GNU_SOURCE
#include <linux/membarrier.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>
#include <x86intrin.h>

#include "native.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))

struct change_steps change_arm = { "arm", gp_steps_arm, N(gp_steps_arm), -1 };
struct change_steps change_disarm = { "disarm", gp_steps_disarm, N(gp_steps_disarm), -1 };
struct change_steps change_restore = { "restore", gp_steps_restore, N(gp_steps_restore), -1 };

/* The lock of the mappings: a thread at a breakpoint in a cold block waits for it. */
static _Atomic bool locked;
static _Atomic uint64_t generation;

static void sync_cores(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0)) {
		perror("native: membarrier");
		exit(2);
	}
}

static unsigned int bytes_of(const struct site *s, const struct gp_step *step)
{
	if (step->part == GP_STEP_COLD)
		return GP_DETOUR_JUMP;
	if (s->s.shape == GP_DETOUR_SHORT)
		return 1;
	return s->s.shape == GP_DETOUR_EXIT_POP ? GP_DETOUR_JUMP - 1 : GP_DETOUR_JUMP;
}

static void write_site(struct site *s, const struct gp_step *step)
{
	static const uint8_t int3 = 0xcc;
	bool cold = step->part == GP_STEP_COLD, first = step->kind == GP_STEP_FIRST;
	uint64_t at = s->d.branch + (cold ? (uint64_t)(int64_t)s->s.cold_at : 0);
	const uint8_t *file = cold ? s->s.cold : s->s.branch;
	const uint8_t *jump = cold ? s->cold_jump : s->branch;
	const uint8_t *from = step->code == GP_STEP_FILE ? file : jump;
	volatile uint8_t *to = code_writable(at);
	unsigned int n = bytes_of(s, step);

	if (first)
		to[0] = step->code == GP_STEP_INT3 ? int3 : from[0];
	for (unsigned int i = 1; i < n && !first; i++)
		to[i] = from[i];
	if (cold && first)
		s->cold = step->code == GP_STEP_JUMP || (s->cold && step->code == GP_STEP_INT3);
}

/* Does the change write in the site's cold block? One that is a jump already stays one. */
static bool changes_cold(const struct site *s, const struct change_steps *steps)
{
	return s->s.shape == GP_DETOUR_SHORT && s->cold == (steps == &change_restore);
}

void change_run(const struct change_steps *steps)
{
	bool cold[SITES_MAX];

	for (unsigned int i = 0; i < nsites; i++)
		cold[i] = changes_cold(&sites[i], steps);
	generation++;
	locked = true;
	for (unsigned int at = 0; at < steps->n; at++) {
		const struct gp_step *step = &steps->v[at];

		if ((int)at == steps->left_out)
			continue;
		if (step->kind == GP_STEP_SYNC)
			sync_cores();
		for (unsigned int i = 0; i < nsites && step->kind != GP_STEP_SYNC; i++)
			if (step->part == GP_STEP_BRANCH || cold[i])
				write_site(&sites[i], step);
	}
	locked = false;
}

void change_unprobe(bool unprobed)
{
	static const struct gp_step file = { GP_STEP_FIRST, GP_STEP_BRANCH, GP_STEP_FILE };
	static const struct gp_step int3 = { GP_STEP_FIRST, GP_STEP_BRANCH, GP_STEP_INT3 };

	for (unsigned int i = 0; i < nsites; i++)
		write_site(&sites[i], unprobed ? &file : &int3);
	sync_cores();
}

/* --- what handlers do --------------------------------------------------------------------- */

/* Is a register that of a hit that passes the site's test? */
static bool passes(const struct site *s, const greg_t *r)
{
	return !s->d.ntests || (uint64_t)r[REG_RSI] - TEST_LOW <= TEST_SPAN;
}

static struct gp_detour_slot *slot_of(uint64_t g, uint64_t depth)
{
	return &code_slots()[gp_detour_slot_of(g, depth)];
}

/* A call begins: as gp_slot_open(). */
static void begin_call(struct site *s, uint64_t g, uint32_t depth)
{
	struct gp_detour_slot *slot = slot_of(g, depth);

	if (!__sync_bool_compare_and_swap(&slot->g, 0, g)) {
		s->no_slot++;
		return;
	}
	slot->depth = depth;
	slot->id = s->d.id;
	__atomic_store_n(&slot->began, __rdtsc(), __ATOMIC_RELEASE);
}

static void end_call(struct site *s, uint64_t g, uint32_t depth)
{
	struct gp_detour_slot *slot = slot_of(g, depth);

	if (slot->g != g || slot->depth != depth || slot->id != s->d.id) {
		s->no_slot++;
		return;
	}
	s->ticks += __rdtsc() - slot->began;
	s->timed++;
	__atomic_store_n(&slot->g, 0, __ATOMIC_RELEASE);
}

/* @sp: at the function's entry */
static void time_call(struct site *s, uint64_t g, uint64_t sp)
{
	uint32_t depth = (uint32_t)(((struct g *)g)->hi - sp);

	if (s->s.frame)
		end_call(s, g, depth);
	else
		begin_call(s, g, depth);
}

/* A call was shorter or longer than others of its CPU: as gp_timed_extreme(). */
static void end_extreme(struct site *s, uint64_t ticks)
{
	struct gp_detour_times *t = code_times(s, sched_getcpu() % nstripes);

	s->ticks += ticks;
	s->timed++;
	if (ticks < __atomic_load_n(&t->min, __ATOMIC_RELAXED))
		__atomic_store_n(&t->min, ticks, __ATOMIC_RELAXED);
	if (ticks > __atomic_load_n(&t->max, __ATOMIC_RELAXED))
		__atomic_store_n(&t->max, ticks < GP_DETOUR_LONGEST ? ticks : GP_DETOUR_LONGEST,
				 __ATOMIC_RELAXED);
}

static void land(struct site *s, greg_t *r)
{
	s->landed++;
	if (s->use != USE_TIME)
		return;
	if (r[REG_R12] % 2 == GP_DETOUR_END_EXTREME && s->s.frame)
		end_extreme(s, gp_detour_ns((uint64_t)r[REG_RDX], s->d.rate));
	else
		time_call(s, (uint64_t)r[REG_R14], (uint64_t)r[REG_RSP]);
}

static void hit(struct site *s, const greg_t *r, uint64_t sp)
{
	if (!passes(s, r))
		s->trapped_rejected++;
	else
		s->trapped++;
	if (s->use == USE_TIME)
		time_call(s, (uint64_t)r[REG_R14], sp);
}

/* A breakpoint at the branch of a stack check: a call goes on, or its stack grows first. */
static void trap_branch(struct site *s, greg_t *r)
{
	bool grows = r[REG_EFL] & 0x41;

	if (!grows)
		hit(s, r, (uint64_t)r[REG_RSP]);
	r[REG_RIP] = (greg_t)(s->d.branch + (uint64_t)(grows ? s->s.cold_at : s->s.branch_len));
}

/* A breakpoint at an epilogue: its first instruction, ADD, is emulated. */
static void trap_end(struct site *s, greg_t *r)
{
	bool wide = s->s.branch[1] == 0x81;
	int32_t n;

	memcpy(&n, s->s.branch + 3, sizeof(n));
	r[REG_RSP] += wide ? n : (int8_t)s->s.branch[3];
	r[REG_RIP] = (greg_t)(s->d.branch + (wide ? 7 : 4));
	/* RBP is still on the stack. */
	hit(s, r, (uint64_t)r[REG_RSP] + 8);
}

/*
 * The kernel has no breakpoint there: the thread looks at it again, or, if one is in memory while
 * nothing changes, gets a SIGTRAP of its own.
 */
static void trap_cold(uint64_t at, greg_t *r)
{
	uint64_t now = generation;

	while (locked)
		_mm_pause();
	if (*(volatile uint8_t *)code_writable(at) == 0xcc && generation == now) {
		dprintf(2, "native: a breakpoint in a cold block, of nobody's\n");
		_exit(3);
	}
	r[REG_RIP] = (greg_t)at;
}

static bool trap_site(struct site *s, uint64_t at, greg_t *r)
{
	if (at == s->d.branch) {
		if (s->s.frame)
			trap_end(s, r);
		else
			trap_branch(s, r);
		return true;
	}
	if (s->s.shape != GP_DETOUR_SHORT || at != s->d.branch + (uint64_t)(int64_t)s->s.cold_at)
		return false;
	trap_cold(at, r);
	return true;
}

void change_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	uint64_t at = (uint64_t)r[REG_RIP] - 1;
	struct site *landed = code_landed(at, (uint64_t)r[REG_R12]);

	(void)sig;
	(void)info;
	if (landed) {
		land(landed, r);
		return;
	}
	for (unsigned int i = 0; i < nsites; i++)
		if (trap_site(&sites[i], at, r))
			return;
	dprintf(2, "native: a breakpoint at 0x%lx, where none is\n", at);
	_exit(3);
}

/* --- notes ---------------------------------------------------------------------------------- */

static void take_note(struct gp_detour_note *note, uint32_t state)
{
	uint32_t number = state / 2 - 1;
	const struct site *s = &sites[number];
	uint64_t who = note->goid - 1;

	if (number >= nsites || who >= 2 * WORKERS || note->tid != who + 100 ||
	    note->word[0] != (uint64_t)&accounts[who].calls[s->function]) {
		strange++;
		dprintf(2, "native: a note of site %u, goroutine %llu, thread %u\n", number,
			note->goid, note->tid);
		return;
	}
	sites[number].noted++;
}

void change_drain(bool last)
{
	for (long stripe = 0; stripe < nstripes; stripe++) {
		struct gp_detour_ring *ring = code_ring(stripe);

		for (unsigned int i = 0; i < GP_DETOUR_NOTES; i++) {
			struct gp_detour_note *note = &ring->note[i];
			uint32_t state = __atomic_load_n(&note->state, __ATOMIC_ACQUIRE);

			/* One that is being written is its thread's. */
			strange += last && state == 1;
			if (state <= 1)
				continue;
			take_note(note, state);
			__atomic_store_n(&note->state, 0, __ATOMIC_RELEASE);
		}
	}
}
