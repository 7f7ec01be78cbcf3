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

#include "elf/elffile.h"

/* The module knows of the first that it is the one of who makes a call, or ends it. */
enum sched_state {
	SCHED_STATE_RUNNING,
	SCHED_STATE_RUNNABLE, /* ready, and waiting for a processor */
	SCHED_STATE_SYSCALL,
	SCHED_STATE_CHAN,
	SCHED_STATE_SELECT,
	SCHED_STATE_SYNC, /* what package sync has: mutexes, conditions, wait groups */
	SCHED_STATE_NET, /* what the poller waits for: sockets, pipes */
	SCHED_STATE_SLEEP,
	SCHED_STATE_GC, /* the garbage collector, and whatever stops the world */
	SCHED_STATE_OTHER,
	__GOSTATES_MAX,
};

_Static_assert(__GOSTATES_MAX <= GOPROBE_STATES_MAX, "the module allows no more");

/* "running" */
extern const char *const gostates_names[__GOSTATES_MAX];

#define SCHED_STATE_REASONS 64

/* What a binary's wait reasons mean. */
struct sched_state_reasons {
	uint32_t n;				/* numbers below it are reasons */
	/* By number: enum sched_state; SCHED_STATE_OTHER if the reason is not known. */
	uint8_t state[SCHED_STATE_REASONS];
};

/* By name, as numbers change with releases. -1: the file has none. */
int sched_state_reasons(const struct elffile *ef, struct sched_state_reasons *ret);

/* More than the longest program. */
#define SCHED_STATE_OPS 96

/* A function whose calls announce a state. */
struct sched_state_source {
	const char *func;	/* its name */
	int first;		/* the first release that it does so in */
	int last;		/* the last one */
	bool needed;		/* all programs have it */
};

#define SCHED_STATE_SOURCES 5

extern const struct sched_state_source gostates_sources[SCHED_STATE_SOURCES];

/* What of a binary the programs need. */
struct sched_state_bin {
	int minor;				/* its release */
	/* Link-time addresses of runtime.park_m, from and to, for releases before 1.20. */
	uint64_t park[2];
	struct sched_state_reasons reasons;	/* its wait reasons */
};

/*
 * The program that makes pairs of a g and its new state of a call of gostates_sources[@source].
 * Returns the number of operations.
 */
uint32_t sched_state_program(const struct sched_state_bin *bin, int source,
			     struct goprobe_op ops[SCHED_STATE_OPS]);

#endif
