/* SPDX-License-Identifier: GPL-2.0 */
/* The signals that end tracing, and what a command has of them. */
#ifndef GOPROBE_TRACE_INTERRUPT_H
#define GOPROBE_TRACE_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

#include "base/diag.h"
#include "process/target.h"

/* Whether a signal has come. */
struct interrupt {
	struct target *target;	/* what is traced */
	/* Signalfd of SIGINT, SIGTERM and SIGHUP, which are blocked; for poll(). -1: none. */
	int fd;
	sigset_t mask;	/* signal mask of before, for a command, and for after the first of them */
	bool came;	/* one has come */
	/* one of them is Ctrl-C: a terminal shows "^C" where the next text begins */
	bool typed;
};

/* Leave signals alone: none will ever come. */
void interrupt_none(struct interrupt *i, struct target *target);
/* Block the signals. @target may be filled later. */
int interrupt_init(struct interrupt *i, struct target *target, struct diag *d);
/* Signals stay as they are. A zeroed one is fine. */
void interrupt_fini(struct interrupt *i);
/* Has a signal come? Takes it; passes on to a command what it has not got itself. */
bool interrupt_came(struct interrupt *i);
/* Wait until the command has ended, if there is one, for @timeout_ms at most; -1: for ever. */
bool interrupt_await_command(struct interrupt *i, int timeout_ms);

#endif
