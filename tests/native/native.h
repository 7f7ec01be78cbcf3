/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Harness that makes and removes jumps on the processor of this machine, with the module's emitter
 * and checker (kmod/arch/detour.c), in the order of its writes (steps.h).
 *
 * What the kernel does is done in user space: bytes are written through a second mapping of the
 * code, as the kernel writes through its own; membarrier() has all processors forget the code that
 * they have read; SIGTRAP's handler does what the handlers of breakpoints and landings do.
 */
#ifndef GOPROBE_NATIVE_H
#define GOPROBE_NATIVE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/detour.h"
#include "steps.h"

#define SITES_MAX 64
#define FUNCTIONS_MAX 32
#define WORKERS 3

/* What hits of a site do. */
enum use {
	USE_NONE,
	USE_COUNT,	/* they count */
	USE_TEST,	/* those that pass a test count, the others apart */
	USE_LAND,	/* those that pass a test land, the others count */
	USE_TIME,	/* a call begins, or ends */
	USE_NOTE,	/* they leave a note */
};

/* A function that the harness writes. */
struct function {
	const char *name;
	bool is_long;		/* JBE rel32 */
	bool spills;		/* the cold block begins with a store, else with the call */
	uint32_t frame;		/* over 127: ADD imm32 */
	uint32_t place;		/* of the branch */
	enum use entry;
	enum use exit;
	uint64_t start;
};

/* A place that becomes a jump. */
struct site {
	struct gp_detour_site s;
	struct gp_detour d;
	unsigned int function;
	enum use use;
	bool cold;		/* its cold block is changed */
	uint8_t branch[GP_DETOUR_JUMP];
	uint8_t cold_jump[GP_DETOUR_JUMP];
	/* Hits that passed, by a breakpoint. */
	_Atomic uint64_t trapped;
	_Atomic uint64_t trapped_rejected;
	_Atomic uint64_t landed;
	_Atomic uint64_t noted;
	_Atomic uint64_t no_slot;	/* calls that began, or ended, without a slot */
	_Atomic uint64_t timed;		/* calls that ended in the handler */
	_Atomic uint64_t ticks;		/* of those */
};

/* A runtime.g and a runtime.m, as far as detours look. */
struct g {
	uint64_t lo, hi, guard, m, goid;
};

struct m {
	uint64_t procid;
};

/* The program's own account, of one thread. */
struct account {
	uint64_t calls[FUNCTIONS_MAX];		/* counted by the functions */
	uint64_t passed[FUNCTIONS_MAX];
	uint64_t ticks[FUNCTIONS_MAX];	/* around the calls */
	uint64_t grown;
	uint64_t signals[4];
};

extern struct function functions[];
extern unsigned int nfunctions;
extern struct site sites[SITES_MAX];
extern unsigned int nsites;
/* One for each worker and one for its signal handlers. */
extern struct account accounts[2 * WORKERS];
extern struct g gs[2 * WORKERS];
extern _Atomic uint64_t strange;
extern _Atomic bool stopping;
extern long ncpus, nstripes;

/* Tests let this range of RSI pass. */
#define TEST_LOW 1000U
#define TEST_SPAN 32767U

/* code.c: 0, or -1: it has said why. */
int code_make(void);
/* @at: an address in the code; the byte that is written for the processor. */
uint8_t *code_writable(uint64_t at);
bool code_has(uint64_t at);
uint64_t *code_counter(uint64_t at, long stripe);
struct gp_detour_ring *code_ring(long stripe);
struct gp_detour_times *code_times(const struct site *s, long stripe);
struct gp_detour_slot *code_slots(void);
struct site *code_landed(uint64_t at, uint64_t r12);

/* change.c: @left_out: a step that is left out, or -1. */
struct change_steps {
	const char *name;
	const struct gp_step *v;
	unsigned int n;
	int left_out;
};

extern struct change_steps change_arm, change_disarm, change_restore;
void change_run(const struct change_steps *steps);
/* What the kernel does when it removes its breakpoints, and places them. */
void change_unprobe(bool unprobed);
void change_trap(int sig, siginfo_t *info, void *context);
void change_drain(bool last);

/* bench.c */
void bench_show(void);

/* work.c */
/* Make @who a goroutine whose stack is @stack. */
void work_set_up_g(int who, const void *stack);
int work_start(void);
/* Have the threads work for a moment while @unprobe has removed all breakpoints. */
void work_unprobed(void (*unprobe)(bool unprobed));
void work_stop(void);

#endif
