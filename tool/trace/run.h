/* SPDX-License-Identifier: GPL-2.0 */
/* Runs of sessions: from START to an exit code, for all commands that trace and for libgoprobe. */
#ifndef GOPROBE_TRACE_RUN_H
#define GOPROBE_TRACE_RUN_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/diag.h"
#include "trace/session.h"

struct run;

/*
 * What differs between runs that print records and runs that print what the kernel has counted.
 * All but @step can be NULL. What returns an int returns 0, or -1 with @d set.
 */
struct run_kind {
	/* Hits count from now on, and a command has not been released. */
	int (*started)(struct run *r, struct diag *d);
	/* There is no need to wait: something is left to be done. */
	bool (*busy)(const struct run *r);
	/*
	 * Fill in what to wait for besides the module, signals and processes, RUN_OWN_FDS at most.
	 * Returns the number. poll() is to take *@ms at most; -1: as long as it takes.
	 */
	size_t (*poll)(struct run *r, struct pollfd *fds, int *ms);
	/* After each wait, and at run.next at the latest: 1; 0: there is a reason to end. */
	int (*step)(struct run *r, struct diag *d);
	/* There is a reason to end, which is printed now. */
	void (*leave)(struct run *r);
	/* The breakpoints are about to be removed. */
	int (*last)(struct run *r, struct diag *d);
	/* No hit counts any more: take what is left, and fill in run.stats. NULL: only these. */
	int (*drain)(struct run *r, struct diag *d);
	/* Print what the session has; it ends then. */
	int (*print)(struct run *r, struct diag *d);
	/* Print the summary, and close the output: no session is left meanwhile. */
	int (*report)(struct run *r, struct diag *d);
};

#define RUN_OWN_FDS 4
/* In run.fds, the first descriptor of the kind. */
#define RUN_FIRST_OWN 2

/* A run of a session. Users have it as their first member. */
struct run {
	const struct run_kind *kind;	/* what it prints */
	const char *doing;		/* "tracing", for the first line */
	struct session session;		/* what is traced */
	struct buf *json;		/* the first line and a breaker are JSON there; or NULL */
	uint64_t started;		/* when it began, CLOCK_MONOTONIC, ns */
	uint64_t next;			/* when run_kind.step is to be called at the latest */
	uint64_t end;			/* when to end at the latest */
	uint64_t ns;			/* how long hits counted, once it is over */
	uint64_t stats[__GOPROBE_STAT_MAX];	/* the session's counters, as last read */
	uint64_t lost;			/* records that are missing, once it is over */
	bool unread;			/* nobody reads the output any more */
	struct pollfd *fds;		/* what to wait for */
};

/*
 * After session_arm(): hits count, the first line is printed, and the command is released. 0, or
 * -1 with @d set.
 */
int run_start(struct run *r, struct diag *d);
/* For how long run_step() can be left uncalled, if the module has nothing to say: ms. */
int run_timeout(const struct run *r);
/*
 * Wait, for @timeout_ms at most (-1: as long as it takes), and do what there is to do. 1: to be
 * called again, 0: there is a reason to end, or -1 with @d set.
 */
int run_step(struct run *r, int timeout_ms, struct diag *d);
/* Remove the breakpoints, print the rest and the summary. 0, or -1 with @d set. */
int run_stop(struct run *r, struct diag *d);
/* The last part of run_stop(), which replays have, too. */
int run_conclude(struct run *r, struct diag *d);
/* Wait for the command. An exit code: that of the command, or what went wrong while it ran. */
int run_exit_code(struct run *r);
/* All of that. An exit code. */
int run_all(struct run *r, struct diag *d);
/* Hits a second when the module ended the session, because they took too much, or 0. */
uint64_t run_broken(const struct run *r);
void run_fini(struct run *r);

#endif
