/* SPDX-License-Identifier: GPL-2.0 */
/* Another goprobectl that a command runs, and what it has printed. */
#ifndef GOPROBE_CMD_CHILD_OUTPUT_H
#define GOPROBE_CMD_CHILD_OUTPUT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/diag.h"

/* A run of goprobectl. */
struct child_output {
	pid_t pid;		/* its process; 0: none runs */
	int fd;			/* where its output comes from, or -1 */
	struct buf text;	/* what it has printed, results and messages */
};

/* Bytes of text that are kept: the first ones. */
#define CHILD_OUTPUT_MAX (1U << 20)

/*
 * Run this program with @argv, which ends with NULL, and without input. Its output is a terminal of
 * @columns columns, so its lines fit one of that size. @mask: its signal mask. 0,
 * or -1 with @d set; child_output_end() is fine then, too.
 */
int child_output_start(struct child_output *c, char *const *argv, size_t columns,
		       const sigset_t *mask, struct diag *d);
/* Take what it has printed, without waiting. It has ended if there is no @pid afterwards. */
void child_output_read(struct child_output *c);
/* End it, wait until its breakpoints are removed, and forget its output. */
void child_output_end(struct child_output *c);

#endif
