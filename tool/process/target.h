/* SPDX-License-Identifier: GPL-2.0 */
/* Targets of a trace: running processes, a file, or a command to be started. */
#ifndef GOPROBE_PROCESS_TARGET_H
#define GOPROBE_PROCESS_TARGET_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/diag.h"
#include "gobin/gobin.h"

/* Bytes of a process's name, with the zero at its end: TASK_COMM_LEN of linux/sched.h. */
#define TARGET_NAME 16

/* A process that is traced. */
struct target_process {
	pid_t pid;	/* its id */
	int pidfd;	/* readable once it has ended; -1 if there is no pidfd */
	bool ended;	/* it has ended */
	char name[TARGET_NAME];	/* what it was called when it was added: its "comm"; or "" */
};

/*
 * What is traced. A zeroed target is empty. target_fini() ends a command that has not been let go;
 * one that has is left alone.
 */
struct target {
	struct gobin **bins;	/* binaries, each once */
	size_t nbins;		/* their number */
	/* Chosen processes; none: every process that maps the binary. */
	struct target_process *processes;
	size_t nprocesses;	/* their number */
	/*
	 * @group is a descriptor of a control group, whose processes are traced, too, now and
	 * later. Not owned.
	 */
	bool follows;
	int group;
	bool command;		/* processes[0] is a command of target_set_command() */
	int go;			/* socket that lets the command go on to exec */
	int failed;		/* pipe that reports a failed exec */
	int status;		/* the command's wait status, once it has @ended; 0 if unknown */
};

/* Ids of processes. */
struct target_pids {
	pid_t *v;	/* the ids, from malloc() */
	size_t n;	/* their number */
	size_t cap;	/* capacity of @v */
};

/* Append the ids of a list, "12,34", to @to. 0, or -1 with a message. */
int target_parse_pids(struct target_pids *to, const char *list, struct diag *d);
/*
 * Add processes: with the programs that they execute, or, where that is not Go, with the Go
 * libraries that they have loaded.
 */
int target_add_pids(struct target *t, const struct target_pids *pids, struct diag *d);
/* Of the processes that have the file in memory, trace only these. See target_set_file(). */
int target_limit_pids(struct target *t, const struct target_pids *pids, struct diag *d);
/*
 * All that run the file, or have it as a library. *@older: how many processes run another file
 * that was at this path before.
 */
int target_set_file(struct target *t, const char *path, size_t *older, struct diag *d);
/*
 * Is there a file at @path, and is it none of @t's binaries? No disk and no server is asked: what
 * somebody runs the kernel has at hand. (Before Linux 5.12 they are.)
 */
bool target_replaced(const struct target *t, const char *path);
/*
 * The processes that run @t->bins[0] now, from malloc(), and their number in *@n; NULL if
 * they can't be found. Others may have begun when it returns.
 */
pid_t *target_running(const struct target *t, size_t *n);
/*
 * Fork a child that will run @argv once target_release() is called, with the
 * caller's files and signal dispositions, and @mask for its signal mask.
 */
int target_set_command(struct target *t, char **argv, const sigset_t *mask, struct diag *d);
/* Let the command go; returns when it has been exec'ed. */
int target_release(struct target *t, struct diag *d);

/*
 * Fill @fds, which holds @t->nprocesses, with the descriptors by which poll() notices the end of a
 * process. Returns their number.
 */
size_t target_poll(const struct target *t, struct pollfd *fds);
/* Look which processes have ended; true if all have, and no others can come. */
bool target_ended(struct target *t);
/* Is it exactly one process, whatever comes? */
static inline bool target_is_one(const struct target *t)
{
	return t->nprocesses == 1 && !t->follows;
}

/*
 * "process 12 (shop) has ended, with exit status 2", if all have ended. The status of a command is
 * known, that of others since Linux 6.15, once their parents have waited for them. Nothing if a
 * command has ended with status 0, or one process goes on.
 */
void target_put_ended(const struct target *t, struct buf *b);
/* The exit status that the command's end asks for: its own, or 128 + signal. */
int target_exit_status(const struct target *t);
void target_fini(struct target *t);

#endif
