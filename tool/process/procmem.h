/* SPDX-License-Identifier: GPL-2.0 */
/* The memory of a running process, read from outside while it runs. */
#ifndef GOPROBE_PROCESS_PROCMEM_H
#define GOPROBE_PROCESS_PROCMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/diag.h"
#include "gobin/gobin.h"

/* A process. */
struct procmem {
	pid_t pid;	/* its id */
	uint64_t bias;	/* of its binary: run-time address less link-time address */
};

/* Where the process whose /proc/PID/maps is @maps has @bin; false if it has not. */
bool procmem_find(FILE *maps, struct gobin *bin, uint64_t *bias);
/* @fd is a file, which is called @path there; good until it returns. */
typedef void (*procmem_file_fn)(void *ctx, int fd, const char *path);
/* Call @fn once for each file that the process has code of, as far as these can be opened. */
void procmem_each_file(pid_t pid, procmem_file_fn fn, void *ctx);
/*
 * For process_each(). 1: the process has code of @bin, a struct gobin; 0: it has none, or has
 * ended; -1: that is not known.
 */
int procmem_has_code(void *bin, pid_t pid);
/* Find where the process has @bin. 0, or -1 with @d set. */
int procmem_init(struct procmem *m, pid_t pid, struct gobin *bin, struct diag *d);
/* Is its CLOCK_MONOTONIC this process's? Not in another time namespace. */
bool procmem_same_clock(const struct procmem *m);
/*
 * A descriptor of the memory that the process has now, to be closed; -1: not available. It never
 * becomes the memory of a program that the process executes later, or of another process with
 * its id.
 */
int procmem_hold(pid_t pid);
/* Has the process ended, or executed another program, since procmem_hold() gave @held? */
bool procmem_exited(int held);
/* Exactly @len bytes at run-time address @at; false if they can't be read. */
bool procmem_read(const struct procmem *m, uint64_t at, void *to, size_t len);

/* Write them, where the process itself may. After a failure some may have been written. */
bool procmem_write(const struct procmem *m, uint64_t at, const void *from, size_t len);

#endif
