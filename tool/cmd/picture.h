/* SPDX-License-Identifier: GPL-2.0 */
/* Pictures that --open shows: the command writes one, then a browser gets it, once. */
#ifndef GOPROBE_CMD_PICTURE_H
#define GOPROBE_CMD_PICTURE_H

#include "base/buf.h"
#include "cmd/cmd.h"

/* How long a browser has to ask for it, and then to get it. */
#define PICTURE_WAIT_MS 120000

/*
 * If --open is given: choose the command's picture if the user has not, or refuse another format.
 * CMD_DONE, or CMD_USAGE with @d set.
 */
int picture_check(struct options *o, struct diag *d);
/* Run @cmd as its run() does, and serve what it has written. An exit code. */
int picture_run(const struct cmd *cmd, struct options *o, struct diag *d);
/*
 * Print an address of this machine that nobody can guess, and serve @content of @format there until
 * a client has got it; for @wait_ms at most. 0, or -1 with @d set.
 */
int picture_serve(const struct buf *content, enum option_format format, unsigned int wait_ms,
		  struct diag *d);

#endif
