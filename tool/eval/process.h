/* SPDX-License-Identifier: GPL-2.0 */
/* A running process that is read from outside: the common part of watch, read and write. */
#ifndef GOPROBE_EVAL_PROCESS_H
#define GOPROBE_EVAL_PROCESS_H

#include "eval/eval.h"
#include "process/procmem.h"
#include "process/target.h"

/* A process. But for @file it is empty, all zero. */
struct eval_process {
	const char *file;	/* the mapped file whose variables are read; NULL: the executable */
	struct target target;	/* it, and its binary */
	struct procmem procmem;	/* its memory */
	struct eval eval;	/* reads it; limits are set */
	struct value_ctx values;	/* shows it */
};

/* @pid: exactly one; @l->file may be set. 0, or -1 with @d set. */
int eval_process_open(struct eval_process *l, const struct target_pids *pid, struct diag *d);
void eval_process_fini(struct eval_process *l);
/*
 * Does the process have one Go runtime, or has the user named the file? Else false, with @d set:
 * which file is read, and which are not.
 */
bool eval_process_is_clear(const struct eval_process *l, struct diag *d);

#endif
