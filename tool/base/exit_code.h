/* SPDX-License-Identifier: GPL-2.0 */
/* Exit codes of goprobectl. */
#ifndef GOPROBE_BASE_EXIT_CODE_H
#define GOPROBE_BASE_EXIT_CODE_H

/* Exit codes, and what a command's run() returns. */
enum cmd_exit {
	CMD_DONE = 0,
	CMD_FAILED = 1,
	CMD_USAGE = 2,
	CMD_LOST = 3,	/* records were lost, under --strict */
	CMD_BROKEN = 4,	/* ended by --max-load */
	CMD_HELP = -1,	/* not an exit code: print the help, then done */
};

#endif
