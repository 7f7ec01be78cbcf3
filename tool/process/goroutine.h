/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Goroutines of a running process, by their runtime.g, while they run: what is read need not
 * fit together, so nothing of it is trusted to.
 */
#ifndef GOPROBE_PROCESS_GOROUTINE_H
#define GOPROBE_PROCESS_GOROUTINE_H

#include "process/procmem.h"
#include "process/stack.h"

/* runtime._Gidle and so on. */
enum goroutine_status {
	GOROUTINE_RUNNABLE = 1,
	GOROUTINE_RUNNING = 2,
	GOROUTINE_SYSCALL = 3,
	GOROUTINE_WAITING = 4,
	GOROUTINE_DEAD = 6,
	GOROUTINE_PREEMPTED = 9,
	GOROUTINE_LEAKED = 10,
	GOROUTINE_DEAD_EXTRA = 11,
};

/* One of them. */
struct goroutine {
	uint64_t g;	/* address of its runtime.g */
	uint64_t goid;	/* its id */
	uint32_t status;	/* enum goroutine_status */
	uint8_t reason;	/* of WAITING: what for, an index of the runtime's own names */
	uint64_t since;	/* since when it has been waiting, by the program's CLOCK_MONOTONIC, or 0 */
	uint64_t lo;	/* its stack */
	uint64_t hi;	/* address behind that */
	uint64_t pc;	/* where it goes on; of no use if it runs */
	uint64_t sp;	/* with this SP */
	uint64_t gopc;	/* where the go statement that made it returns to, run-time address */
	/* Id of the goroutine that made it; 0: the release does not keep that, or nobody did. */
	uint64_t parent;
	uint64_t labels;	/* address of its runtime/pprof labels, or 0 */
	uint8_t turns;	/* changes whenever it stops to run; wraps around */
	/* Of SYSCALL, if @turns does not count these: the thread that waits; 0: not found. */
	pid_t tid;
	uint64_t switches;	/* how often that has waited */
};

/* Reads those of a process. */
struct goroutine_reader {
	struct procmem m;	/* its memory */
	struct gobin *bin;	/* its binary */
	uint32_t turns;		/* where goroutine.turns is in runtime.g; 0: it is not known */
	/* Link-time address of the runtime's names of what is waited for; 0: there are none. */
	uint64_t reasons;
	bool reasons_known;	/* that has been looked up */
};

/*
 * 0, or -1 with @d set: it is not a process of @bin that can be read. What is known of @bin is
 * kept if @r was of it before; else @r is all zero.
 */
int goroutine_reader_init(struct goroutine_reader *r, pid_t pid, struct gobin *bin, struct diag *d);
/* Find @turns, which goroutine_rested() needs. 0, or -1 with @d set. */
int goroutine_reader_find_turns(struct goroutine_reader *r, struct diag *d);

/* False: there is no goroutine at @g, or it is changing. */
bool goroutine_read(const struct goroutine_reader *r, uint64_t g, struct goroutine *ret);
/* Is it one that does not run, and has a stack that can be walked? */
bool goroutine_rests(const struct goroutine *gr);
/*
 * The same goroutine has been read twice. Has it certainly not run in between? What was read
 * of its stack then holds. False if that is not certain.
 */
bool goroutine_rested(const struct goroutine_reader *r, const struct goroutine *before,
		      const struct goroutine *after);
/*
 * The thread that waits in a system call on behalf of @gr: fills @tid and @switches, where
 * goroutine_rested() needs them.
 */
void goroutine_find_thread(const struct goroutine_reader *r, struct goroutine *gr);

/* The functions on its stack; see stack_walk(). */
enum stack_end goroutine_walk(const struct goroutine_reader *r, const struct goroutine *gr,
			      struct stack_frame *v, size_t max, size_t *n);

/**
 * goroutine_all() - all that a process has
 * @r: the process
 * @ret: gets the addresses of their runtime.g, from malloc(); dead ones are among them
 * @n: their number
 * @d: for what went wrong
 *
 * Return: 0, or -1 with @d set.
 */
int goroutine_all(const struct goroutine_reader *r, uint64_t **ret, size_t *n, struct diag *d);

#endif
