/* SPDX-License-Identifier: GPL-2.0 */
/* The processes of a machine, and the Go programs among them. */
#ifndef GOPROBE_PROCESS_PROGRAMS_H
#define GOPROBE_PROCESS_PROGRAMS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "host/host.h"

struct target_pids;

/* A process that runs a Go program, or a Go library in another one. */
struct program {
	pid_t pid;		/* its id */
	/* The library that is Go, as the process calls it; NULL: the executable is. */
	char *library;
	/* The file, with " (deleted)" behind it if it has no path any more. */
	char *executable;
	char *go;		/* "go1.24.4", or NULL */
	char *path;		/* the package of main, "example.com/shop/cmd/shopd", or NULL */
	char *version;		/* of the module, "v1.2.3" or "(devel)", or NULL */
	bool typed;		/* debug information is here, so arguments have names and types */
};

/* All of them, by rising pid. */
struct programs {
	struct program *v;	/* the programs */
	size_t n;		/* their number */
	size_t cap;		/* for how many there is memory */
	size_t denied;		/* processes whose executable may not be read */
	pid_t denied_pid;	/* the last of them */
};

/* Call @fn for each process, until it returns something other than 0: that is returned. */
int process_each(int (*fn)(void *ctx, pid_t pid), void *ctx);
/* The same on a machine that may be a test's. */
int process_each_of(const struct host *h, int (*fn)(void *ctx, pid_t pid), void *ctx);
/* The path of its executable, " (deleted)" behind it if that is so; false: none, or unreadable. */
bool process_executable(pid_t pid, char path[PATH_MAX]);
/*
 * Find them; of @of alone if it is not NULL. No file is fetched from a server. 0, or -1 without
 * memory.
 */
int programs_find(struct programs *p, const struct target_pids *of);
void programs_fini(struct programs *p);

#endif
