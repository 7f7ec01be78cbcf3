// SPDX-License-Identifier: GPL-2.0
/* Another goprobectl that a command runs, and what it has printed. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "cmd/child_output.h"

static int spawn(struct child_output *c, int out, char *const *argv, const sigset_t *mask)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int err = posix_spawn_file_actions_init(&files);

	if (err)
		return err;
	err = posix_spawnattr_init(&attr);
	if (err) {
		posix_spawn_file_actions_destroy(&files);
		return err;
	}
	err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0) ?:
	      posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO) ?:
	      posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO) ?:
	      posix_spawnattr_setsigmask(&attr, mask) ?:
	      posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK) ?:
	      posix_spawn(&c->pid, "/proc/self/exe", &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	if (err)
		c->pid = 0;
	return err;
}

/* Output comes as it was written, and nobody else inherits the two descriptors. */
static int make_terminal(size_t columns, int *master, int *slave)
{
	const struct winsize size = { .ws_row = 24, .ws_col = columns };
	struct termios t;

	if (openpty(master, slave, NULL, NULL, &size))
		return -1;
	fcntl(*master, F_SETFD, FD_CLOEXEC);
	fcntl(*slave, F_SETFD, FD_CLOEXEC);
	fcntl(*master, F_SETFL, O_NONBLOCK);
	if (!tcgetattr(*slave, &t)) {
		cfmakeraw(&t);
		tcsetattr(*slave, TCSANOW, &t);
	}
	return 0;
}

int child_output_start(struct child_output *c, char *const *argv, size_t columns,
		       const sigset_t *mask, struct diag *d)
{
	int master, slave, err;

	*c = (struct child_output){ .fd = -1 };
	if (make_terminal(columns, &master, &slave))
		return diag_errno(d, errno, "can't make a pseudo-terminal");
	err = spawn(c, slave, argv, mask);
	close(slave);
	if (err) {
		close(master);
		return diag_errno(d, err, "can't run goprobectl %s", argv[1]);
	}
	c->fd = master;
	return 0;
}

/* A child that is still writing gets an error. */
static void await(struct child_output *c)
{
	close(c->fd);
	c->fd = -1;
	while (waitpid(c->pid, NULL, 0) < 0 && errno == EINTR)
		;
	c->pid = 0;
}

void child_output_read(struct child_output *c)
{
	char bytes[4096];
	ssize_t n;

	if (!c->pid)
		return;
	while ((n = read(c->fd, bytes, sizeof(bytes))) > 0)
		if (c->text.len < CHILD_OUTPUT_MAX)
			buf_mem(&c->text, bytes, n);
	/* EIO: nobody has the other side open any more. */
	if (!n || errno != EAGAIN)
		await(c);
}

void child_output_end(struct child_output *c)
{
	if (c->pid) {
		kill(c->pid, SIGTERM);
		await(c);
	}
	buf_fini(&c->text);
}
