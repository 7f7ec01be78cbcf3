/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snapshots of goroutines of a process that runs meanwhile: each with state, stack and labels, and
 * whether all of that certainly was so at one moment.
 *
 * A goroutine that does not run changes neither its stack nor its labels. So it is read, with what
 * belongs to it, between two reads of its runtime.g; goroutine_rested() decides whether it ran
 * meanwhile. The number that says so wraps around: only what reads the same twice is certain.
 */
#ifndef GOPROBE_PROCESS_GOROUTINE_SNAPSHOT_H
#define GOPROBE_PROCESS_GOROUTINE_SNAPSHOT_H

#include "process/goroutine_labels.h"
#include "process/goroutine_state.h"

/* A reader of snapshots. */
struct goroutine_snapshot_reader {
	struct goroutine_reader r;	/* the process */
	enum pprof_labels layout;	/* of labels */
	bool labels;		/* labels are to be read */
	/* Texts of wait reasons that have been read, by number; "" : not known. */
	char reasons[256][64];
	bool have_reason[256];	/* which have been read */
	/* Time that was spent on finding threads that wait in system calls. */
	uint64_t thread_ns;
};

/* A goroutine, as it was read. */
struct goroutine_snapshot {
	struct goroutine gr;		/* it */
	const char *status;		/* in words, "waiting", or NULL */
	const char *reason;		/* what it waits for, "chan receive", or NULL */
	/* Where the go statement that made it returns to, link-time; 0: nobody's. */
	uint64_t creator;
	struct stack_frame frames[GOROUTINE_STATE_FRAMES];	/* its stack, innermost first */
	size_t n;			/* their number; 0 if it runs */
	bool cut;			/* there are more */
	struct goroutine_labels labels;	/* its labels, if they were to be read */
	/* All of this certainly was so at one moment; else the row is torn. */
	bool consistent;
};

/* @r is all zero. 0, or -1 with @d set. */
int goroutine_snapshot_init(struct goroutine_snapshot_reader *r, pid_t pid, struct gobin *bin,
			    bool labels, struct diag *d);
/* The goroutine whose runtime.g is at @g. False: no goroutine is there now. */
bool goroutine_snapshot_read(struct goroutine_snapshot_reader *r, uint64_t g,
			     struct goroutine_snapshot *ret);

#endif
