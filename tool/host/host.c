// SPDX-License-Identifier: GPL-2.0
/* The machine that is examined: its files under a prefix, and its commands. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.h"

const struct host host_here = { .root = "", .run = host_run };

int host_name(char name[HOST_NAME_MAX + 1], struct diag *d)
{
	return gethostname(name, HOST_NAME_MAX + 1) ?
	       diag_errno(d, errno, "can't find out the host's name") : 0;
}

/* --- files ------------------------------------------------------------------------ */

void host_path(const struct host *h, char *out, size_t size, const char *fmt, ...)
{
	int n = snprintf(out, size, "%s", h->root);
	va_list ap;

	va_start(ap, fmt);
	if (n >= 0 && (size_t)n < size)
		vsnprintf(out + n, size - (size_t)n, fmt, ap);
	va_end(ap);
}

bool host_read(const struct host *h, const char *path, char *out, size_t size)
{
	char full[PATH_MAX];
	size_t len = 0;
	ssize_t n = 0;
	int fd;

	out[0] = 0;
	host_path(h, full, sizeof(full), "%s", path);
	fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	while (len < size - 1 && ((n = read(fd, out + len, size - 1 - len)) > 0 ||
				  (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	out[len] = 0;
	close(fd);
	return n >= 0;
}

bool host_line(const struct host *h, const char *path, char *out, size_t size)
{
	bool there = host_read(h, path, out, size);
	size_t n = strcspn(out, "\n");

	while (n && strchr(" \t\r", out[n - 1]))
		n--;
	out[n] = 0;
	return there;
}

bool host_has(const struct host *h, const char *path)
{
	char full[PATH_MAX];

	host_path(h, full, sizeof(full), "%s", path);
	return !access(full, F_OK);
}

/* --- commands --------------------------------------------------------------------- */

static int spawn(const char *path, const char *const *argv, int out, pid_t *pid)
{
	static char *const envp[] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);

	int err = posix_spawn(pid, path, &actions, &attr, (char *const *)argv, envp);

	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err;
}

/* All that is written to @fd; what does not fit is read as well, so that nobody waits. */
static void read_output(int fd, char *out, size_t size)
{
	char rest[512];
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, len < size - 1 ? out + len : rest,
			 len < size - 1 ? size - 1 - len : sizeof(rest))) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0 && len < size - 1)
			len += (size_t)n;
	out[len] = 0;
}

int host_run(const char *const *argv, char *out, size_t size)
{
	/* Absolute: the caller's PATH does not matter. */
	static const char *const dirs[] = { "/sbin", "/usr/sbin", "/bin", "/usr/bin" };
	int ends[2], err = ENOENT, status = 0;
	char path[PATH_MAX];
	pid_t pid = 0;

	out[0] = 0;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	for (size_t i = 0; err == ENOENT && i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dirs[i], argv[0]);
		err = spawn(path, argv, ends[1], &pid);
	}
	close(ends[1]);
	if (!err)
		read_output(ends[0], out, size);
	while (!err && waitpid(pid, &status, 0) < 0)
		err = errno == EINTR ? 0 : errno;
	close(ends[0]);
	if (err)
		return -err;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
