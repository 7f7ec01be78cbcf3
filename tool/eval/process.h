/* SPDX-License-Identifier: GPL-2.0 */
/* A running process, to be looked at from outside: what watch, read and write have in common. */
#ifndef GOPROBE_EVAL_PROCESS_H
#define GOPROBE_EVAL_PROCESS_H

#include "eval/eval.h"
#include "process/memory.h"
#include "process/target.h"

/**
 * struct proclook - a process
 * @file: what is looked at is of this file, which it has in its memory; NULL: of its executable
 * @target: it, and its binary
 * @procmem: its memory
 * @globals: reads it; limits are set
 * @values: shows it
 *
 * But for @file it is empty, all zero.
 */
struct proclook {
	const char *file;
	struct target target;
	struct procmem procmem;
	struct globals globals;
	struct value_ctx values;
};

/* @pid: as the user gave it; @l->file may be set. 0, or -1 with @d set. */
int proclook_open(struct proclook *l, const char *pid, struct diag *d);
void proclook_fini(struct proclook *l);

#endif
