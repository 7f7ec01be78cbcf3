// SPDX-License-Identifier: GPL-2.0
/* Standard file descriptors that a parent has closed. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/stdfds.h"
#include "rows.h"

/* In a child, as it is about what the test needs itself. 0: it is as it should be. */
static int in_child(int (*fn)(void))
{
	pid_t pid = fork();
	int status = -1;

	assert_true(pid >= 0);
	if (!pid)
		_exit(fn());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static int wait_for_own_child(void)
{
	struct diag d = { 0 };
	int status;
	pid_t pid;

	signal(SIGCHLD, SIG_IGN);
	if (stdfds_fix(&d))
		return 1;
	pid = fork();
	if (!pid)
		_exit(42);
	return waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 42;
}

TEST(a_child_can_be_waited_for)
{
	assert_int_equal(in_child(wait_for_own_child), 0);
}

static int use_closed(void)
{
	struct diag d = { 0 };
	char byte;

	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (stdfds_fix(&d) || open("/dev/zero", O_RDWR) != 3)
		return 1;
	if (read(0, &byte, 1))
		return 2;
	for (int fd = 1; fd < 3; fd++)
		if (write(fd, "", 1) != -1 || errno != EBADF)
			return 3;
	if (open("/dev/stdout", O_WRONLY) >= 0)
		return 5;
	/* A command has them as they were. */
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) != FD_CLOEXEC)
			return 4;
	return 0;
}

TEST(nothing_takes_the_place_of_the_output)
{
	assert_int_equal(in_child(use_closed), 0);
}

static int use_open(void)
{
	struct diag d = { 0 };

	close(0);
	if (open("/dev/zero", O_RDONLY) != 0)
		return 1;
	return stdfds_fix(&d) || fcntl(0, F_GETFD) || open("/dev/null", O_RDONLY) < 3;
}

TEST(what_is_open_is_left_alone)
{
	assert_int_equal(in_child(use_open), 0);
}
