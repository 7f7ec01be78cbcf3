// SPDX-License-Identifier: GPL-2.0
/* Safe opening of files: kinds that are opened, and kinds that are refused. */
#define _GNU_SOURCE
#include "rows.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/safe_open.h"

static char dir[40];

static const struct row {
	const char *claim;
	const char *path;	/* in the directory, unless it begins with '/' */
	int err;
} rows[] = {
	{ "a file", "file", 0 },
	{ "a file behind a link", "link", 0 },
	{ "the program of a process", "/proc/self/exe", 0 },
	{ "a directory", ".", EISDIR },
	{ "nothing", "nothing", ENOENT },
	{ "a link to nothing", "dangling", ENOENT },
	{ "a FIFO, which nobody waits for", "fifo", EINVAL },
	{ "a FIFO behind a link", "fifolink", EINVAL },
	{ "a device", "/dev/null", EINVAL },
	{ "the log of the kernel, which each reader consumes", "/proc/kmsg", EINVAL },
	{ "another file of procfs", "/proc/self/maps", EINVAL },
	{ "one that is written as well", "/proc/sys/vm/drop_caches", EINVAL },
	{ "a file of sysfs, which has a true size", "/sys/kernel/notes", EINVAL },
	{ "a name space", "/proc/self/ns/mnt", EINVAL },
};

ROWS(test_row, rows)
{
	const struct row *row = *state;
	char path[80];
	int fd;

	if (*row->path == '/' && access(row->path, F_OK))
		skip();
	snprintf(path, sizeof(path), "%s%s%s", *row->path == '/' ? "" : dir,
		 *row->path == '/' ? "" : "/", row->path);
	alarm(20);
	fd = safe_open(path);
	if (row->err) {
		assert_int_equal(fd, -1);
		assert_int_equal(errno, row->err);
	} else {
		assert_true(fd >= 0);
		assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
		assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
		close(fd);
	}
	alarm(0);
}

/*
 * A process that makes a file and a link to a FIFO take turns at @path, until it is killed or its
 * parent ends.
 */
static pid_t take_turns(const char *path)
{
	char file[60], link[60], fifo[60];
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(file, sizeof(file), "%s/file", dir);
	snprintf(fifo, sizeof(fifo), "%s/fifo", dir);
	snprintf(link, sizeof(link), "%s/swap", dir);
	for (;;) {
		if (symlink(file, link) || rename(link, path) || symlink(fifo, link) ||
		    rename(link, path))
			_exit(1);
	}
}

/* Looked at and opened by name, one of the two would be taken for the other now and then. */
TEST(test_race, "what is no file is not opened while others change what is at a path")
{
	char path[60];
	size_t files = 0, others = 0;
	struct stat st;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/turns", dir);
	pid = take_turns(path);
	assert_true(pid > 0);
	for (int i = 0; i < 1000000 && (i < 20000 || !files || !others); i++) {
		int fd = safe_open(path);

		if (fd < 0) {
			others += errno == EINVAL;
			continue;
		}
		assert_int_equal(fstat(fd, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		files++;
		close(fd);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(files && others);
}

static void in_dir(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s/%s", dir, name);
}

static int set_up(void **state)
{
	static const char *const links[][2] = {
		{ "file", "link" }, { "nothing", "dangling" }, { "fifo", "fifolink" },
	};
	char path[60];
	int fd;

	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/goprobe-regular-XXXXXX");
	assert_non_null(mkdtemp(dir));
	in_dir("file", path, sizeof(path));
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	in_dir("fifo", path, sizeof(path));
	assert_int_equal(mkfifo(path, 0600), 0);
	for (size_t i = 0; i < N(links); i++) {
		in_dir(links[i][1], path, sizeof(path));
		assert_int_equal(symlink(links[i][0], path), 0);
	}
	return 0;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

AROUND_ALL(set_up, tear_down)
