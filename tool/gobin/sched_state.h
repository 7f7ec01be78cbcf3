/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States of goroutines (GOPROBE_A_STATES), and the runtime's functions that change
 * them. Pure.
 */
#ifndef GOPROBE_GOBIN_SCHED_STATE_H
#define GOPROBE_GOBIN_SCHED_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <goprobe.h>

#include "elf/elf.h"

/* The module knows of the first that it is the one of who makes a call, or ends it. */
enum gostates {
	GOSTATES_RUNNING,
	GOSTATES_RUNNABLE,	/* ready, and waiting for a processor */
	GOSTATES_SYSCALL,
	GOSTATES_CHAN,
	GOSTATES_SELECT,
	GOSTATES_SYNC,		/* what package sync has: mutexes, conditions, wait groups */
	GOSTATES_NET,		/* what the poller waits for: sockets, pipes */
	GOSTATES_SLEEP,
	GOSTATES_GC,		/* the garbage collector, and whatever stops the world */
	GOSTATES_OTHER,
	__GOSTATES_MAX,
};

_Static_assert(__GOSTATES_MAX <= GOPROBE_STATES_MAX, "the module allows no more");

/* "running" */
extern const char *const gostates_names[__GOSTATES_MAX];

#define GOSTATES_REASONS 64

/**
 * struct gostates_reasons - what a binary's wait reasons mean
 * @n: numbers below it are reasons
 * @state: by number: enum gostates; GOSTATES_OTHER if the reason is not known
 */
struct gostates_reasons {
	uint32_t n;
	uint8_t state[GOSTATES_REASONS];
};

/* By name, as numbers change with releases. -1: the file has none. */
int gostates_reasons(const struct elffile *ef, struct gostates_reasons *ret);

/* More than the longest program. */
#define GOSTATES_OPS 96

/**
 * struct gostates_source - a function whose calls announce a state
 * @func: its name
 * @first: the first release that it does so in
 * @last: the last one
 * @needed: all programs have it
 */
struct gostates_source {
	const char *func;
	int first;
	int last;
	bool needed;
};

#define GOSTATES_SOURCES 5

extern const struct gostates_source gostates_sources[GOSTATES_SOURCES];

/**
 * struct gostates_bin - what of a binary the programs need
 * @minor: its release
 * @park: link-time addresses of runtime.park_m, from and to, for releases before 1.20
 * @reasons: its wait reasons
 */
struct gostates_bin {
	int minor;
	uint64_t park[2];
	struct gostates_reasons reasons;
};

/*
 * The program that makes pairs of a g and its new state of a call of gostates_sources[@source].
 * Returns the number of operations.
 */
uint32_t gostates_program(const struct gostates_bin *bin, int source,
			  struct goprobe_op ops[GOSTATES_OPS]);

#endif
