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

/**
 * struct gosnap_reader - a reader of snapshots
 * @r: the process
 * @layout: of labels
 * @labels: labels are to be read
 * @reasons: texts of wait reasons that have been read, by number; "" : not known
 * @have_reason: which have been read
 * @thread_ns: time that was spent on finding threads that wait in system calls
 */
struct gosnap_reader {
	struct goreader r;
	enum golabels layout;
	bool labels;
	char reasons[256][64];
	bool have_reason[256];
	uint64_t thread_ns;
};

/**
 * struct gosnap - a goroutine, as it was read
 * @gr: it
 * @status: in words, "waiting", or NULL
 * @reason: what it waits for, "chan receive", or NULL
 * @creator: where the go statement that made it returns to, link-time; 0: nobody's
 * @frames: its stack, innermost first
 * @n: their number; 0 if it runs
 * @cut: there are more
 * @labels: its labels, if they were to be read
 * @consistent: all of this certainly was so at one moment; else the row is torn
 */
struct gosnap {
	struct goroutine gr;
	const char *status;
	const char *reason;
	uint64_t creator;
	struct gostack_frame frames[GOSTATE_FRAMES];
	size_t n;
	bool cut;
	struct gorlabels labels;
	bool consistent;
};

/* @r is all zero. 0, or -1 with @d set. */
int gosnap_init(struct gosnap_reader *r, pid_t pid, struct gobin *bin, bool labels,
		struct diag *d);
/* The goroutine whose runtime.g is at @g. False: no goroutine is there now. */
bool gosnap_read(struct gosnap_reader *r, uint64_t g, struct gosnap *ret);

#endif
