// SPDX-License-Identifier: GPL-2.0
/* Closed descriptors and ignored signals. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "cmd/stdfds.h"

/*
 * What is opened next would become the standard input, output or error, and be written to.
 * In place of these there is nothing to be read, and what can't be written to, not even if it
 * is opened once more as /dev/stdout: a directory. A command finds them closed.
 */
static int fill(struct diag *d)
{
	static const char *const what[] = { "/dev/null", "/", "/" };

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open(what[fd], O_RDONLY | O_CLOEXEC) < 0)
			return diag_errno(d, errno, "can't open %s", what[fd]);
	return 0;
}

int stdfds_fix(struct diag *d)
{
	/* Where it is ignored, no process can be waited for: a command's status would be lost. */
	signal(SIGCHLD, SIG_DFL);
	return fill(d);
}
