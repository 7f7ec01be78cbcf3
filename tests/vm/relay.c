// SPDX-License-Identifier: GPL-2.0
/*
 * relay - run QEMU, pass on what agent says from inside, and make sure QEMU ends
 *
 * usage: relay BOOT_TIMEOUT TIMEOUT CONSOLE -- QEMU...
 *
 * QEMU finds its end of the port at file descriptor 3. CONSOLE is the file the guest's console goes
 * to; QEMU is given a moment to complete it. A line on file descriptor 4 reports the result:
 *
 *	exit STATUS UNLOAD_ERRNO LOG	the command ended; LOG is whole, or cut: it has no end
 *	ended boot|command		QEMU ended before it
 *	crashed boot|command SIGNAL	a signal ended QEMU: a fault of QEMU's own
 *	timeout boot|command
 *	signal N			relay got signal N
 *
 * Lifetime: QEMU dies with relay whatever kills relay, and relay with the script that started it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire.h"

#define QEMU_FD 3
#define RESULT_FD 4

/* Seconds that QEMU has to end by itself once it has closed the port. */
#define QEMU_LAST 10

/* Seconds that the end of the log has to come after the command's: a slow host is no complaint. */
#define LOG_LAST 60

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
	stopped = number;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void write_all(int fd, const char *p, size_t length)
{
	while (length && !stopped) {
		ssize_t n = write(fd, p, length);

		if (n < 0 && errno == EAGAIN) {
			struct pollfd out = { .fd = fd, .events = POLLOUT };

			poll(&out, 1, 1000);
			continue;
		}
		/* Our reader has exited; the command runs to its end all the same. */
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0) {
			p += n;
			length -= n;
		}
	}
}

static bool has_end_of_log(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char tail[4096];
	ssize_t n = 0;

	if (fd >= 0) {
		off_t size = lseek(fd, 0, SEEK_END);

		n = pread(fd, tail, sizeof(tail), size > 4096 ? size - 4096 : 0);
		close(fd);
	}
	return n > 0 && memmem(tail, n, END_OF_LOG, strlen(END_OF_LOG));
}

/* Of itself, while we look; it is still there to be waited for. */
static bool has_ended(pid_t qemu)
{
	siginfo_t info = { 0 };

	return waitid(P_PID, qemu, &info, WEXITED | WNOHANG | WNOWAIT) || info.si_pid;
}

/*
 * The serial console is slower than the port, and on some kernels written by a thread.
 * Return: all of it has come.
 */
static bool await_end_of_log(const char *path, pid_t qemu)
{
	double deadline = now() + LOG_LAST;

	while (!stopped) {
		/* In this order: nothing comes any more after the last look. */
		bool last = has_ended(qemu) || now() >= deadline;

		if (has_end_of_log(path))
			return true;
		if (last)
			break;
		usleep(20000);
	}
	return false;
}

static pid_t start(char **argv, int fd)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* An interrupt at the terminal is for relay alone, which then ends QEMU. */
	setpgid(0, 0);
	dup2(fd, QEMU_FD);
	close(RESULT_FD);
	execvp(argv[0], argv);
	fprintf(stderr, "cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* QEMU has closed the port. */
static void tell_end(pid_t qemu, const char *phase)
{
	double deadline = now() + QEMU_LAST;
	int status;
	pid_t pid;

	while (!(pid = waitpid(qemu, &status, WNOHANG)) && now() < deadline)
		usleep(10000);
	if (pid != qemu) {
		kill(qemu, SIGKILL);
		waitpid(qemu, NULL, 0);
	}
	if (pid == qemu && WIFSIGNALED(status))
		dprintf(RESULT_FD, "crashed %s %d\n", phase, WTERMSIG(status));
	else
		dprintf(RESULT_FD, "ended %s\n", phase);
}

int main(int argc, char **argv)
{
	double boot_timeout, timeout, deadline;
	struct sigaction action = { .sa_handler = on_signal };
	static char buf[sizeof(struct frame) + FRAME_MAX];
	const char *phase = "boot";
	struct exit_report report;
	size_t have = 0;
	int pair[2];
	pid_t qemu;

	if (argc < 6) {
		fprintf(stderr, "usage: relay BOOT_TIMEOUT TIMEOUT CONSOLE -- QEMU...\n");
		return 2;
	}
	boot_timeout = atof(argv[1]);
	timeout = atof(argv[2]);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	/* Explicitly, because a shell starts its background jobs with SIGINT ignored. */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) {
		perror("relay: socketpair");
		return 2;
	}
	/* Keep both ends away from the descriptors with a fixed meaning. */
	for (int i = 0; i < 2; i++) {
		int fd = fcntl(pair[i], F_DUPFD_CLOEXEC, 10);

		close(pair[i]);
		pair[i] = fd;
	}
	qemu = start(argv + 5, pair[1]);
	close(pair[1]);

	deadline = now() + boot_timeout;
	for (;;) {
		struct pollfd in = { .fd = pair[0], .events = POLLIN };
		struct frame *frame = (struct frame *)buf;
		ssize_t n;

		if (stopped) {
			dprintf(RESULT_FD, "signal %d\n", (int)stopped);
			break;
		}
		if (now() >= deadline) {
			dprintf(RESULT_FD, "timeout %s\n", phase);
			break;
		}
		if (poll(&in, 1, 200) <= 0)
			continue;
		n = read(pair[0], buf + have, sizeof(buf) - have);
		if (n <= 0) {
			if (n < 0 && errno == EINTR)
				continue;
			tell_end(qemu, phase);
			return 0;
		}
		have += n;

		while (have >= sizeof(*frame) && have >= sizeof(*frame) + frame->length) {
			const char *data = buf + sizeof(*frame);
			size_t whole = sizeof(*frame) + frame->length;

			if (frame->type == FRAME_START) {
				phase = "command";
				deadline = now() + timeout;
			} else if (frame->type == FRAME_STDOUT) {
				write_all(STDOUT_FILENO, data, frame->length);
			} else if (frame->type == FRAME_STDERR) {
				write_all(STDERR_FILENO, data, frame->length);
			} else if (frame->type == FRAME_EXIT) {
				memcpy(&report, data, sizeof(report));
				dprintf(RESULT_FD, "exit %u %u %s\n", report.status,
					report.unload_errno,
					await_end_of_log(argv[3], qemu) ? "whole" : "cut");
				goto end;
			}
			memmove(buf, buf + whole, have - whole);
			have -= whole;
		}
	}
end:
	kill(qemu, SIGKILL);
	waitpid(qemu, NULL, 0);
	return 0;
}
