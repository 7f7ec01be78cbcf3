/* SPDX-License-Identifier: GPL-2.0 */
/* What commands that trace are told alike: what to trace, and which functions. */
#ifndef GOPROBE_CMD_TARGET_OPTIONS_H
#define GOPROBE_CMD_TARGET_OPTIONS_H

#include "base/diag.h"
#include "base/exit_code.h"
#include "trace/target_spec.h"

/* For getopt_long(); the long ones are --pid and --binary. */
#define TARGETOPT_SHORT "p:b:"
/* Its part of the text of --help. */
#define TARGETOPT_HELP \
	"What to trace:\n" \
	"  -p, --pid PID[,PID...]  running processes; may be given more than once\n" \
	"  -b, --binary FILE       all processes that run or load FILE, now or later; with -p\n" \
	"                          of these those alone\n" \
	"  -- COMMAND [ARG...]     a new process, from its first instruction on; its exit\n" \
	"                          status becomes goprobectl's\n"

/*
 * Before options are read: make room, and cut @argv and *@argc at "--", as what follows
 * is the command's, options and all. CMD_DONE, or another CMD_* with a sentence.
 */
int targetopt_begin(struct target_spec *t, int *argc, char **argv, struct diag *d);
/* Option 'p' or 'b' with its argument: CMD_DONE, or CMD_USAGE with a sentence. */
int targetopt_option(struct target_spec *t, int opt, char *arg, struct diag *d);
/* After the options; @counts: what is captured can't be said. CMD_* as above. */
int targetopt_end(struct target_spec *t, int argc, char **argv, bool counts, struct diag *d);
void targetopt_fini(struct target_spec *t);

#endif
