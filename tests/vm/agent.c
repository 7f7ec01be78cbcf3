// SPDX-License-Identifier: GPL-2.0
/*
 * agent - PID 1 of the guest once the root file system stands: runs one command and reports
 *
 * usage: agent PORT DIR
 *
 * DIR holds the files argv and environ (NUL-terminated strings) and cwd (a path), as tests/vm/run
 * packed them. The command's output goes to the host as frames (wire.h). The command gets pipes,
 * because a virtio port can be opened only once and so could not stand behind /dev/stdout.
 *
 * After the command has ended, what it left running is killed, goprobe is unloaded, memory that
 * nobody refers to is looked for, where the kernel can do that, and the host ends the machine.
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
#include <sys/reboot.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire.h"

static int port;
static int kmsg;

/* Not dprintf(): glibc's seeks first, and /dev/kmsg refuses that with an unexpected errno. */
static void note(const char *text)
{
	char line[512];
	int length = snprintf(line, sizeof(line), "<5>%s\n", text);

	if (write(kmsg, line, length) < 0)
		perror(text);
}

/* PID 1 can't exit without a panic: switch off, the host sees that no exit frame came. */
static void die(const char *what)
{
	char text[400];

	snprintf(text, sizeof(text), "goprobe-vm: %s: %s", what, strerror(errno));
	note(text);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void write_all(const void *data, size_t length)
{
	const char *p = data;

	while (length) {
		ssize_t n = write(port, p, length);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			die("cannot write to the host");
		}
		p += n;
		length -= n;
	}
}

static void send_frame(enum frame_type type, const void *data, uint32_t length)
{
	struct {
		struct frame head;
		char data[FRAME_MAX];
	} msg = { { type, length }, { 0 } };

	memcpy(msg.data, data, length);
	write_all(&msg, sizeof(msg.head) + length);
}

static char *read_file(const char *dir, const char *name, size_t *length)
{
	char path[256], *buf = NULL;
	size_t have = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(path);
	do {
		buf = realloc(buf, have + 65536 + 1);
		if (!buf)
			die("no memory");
		n = read(fd, buf + have, 65536);
		if (n < 0)
			die(path);
		have += n;
	} while (n);
	close(fd);
	buf[have] = '\0';
	*length = have;
	return buf;
}

static char **read_strings(const char *dir, const char *name)
{
	size_t length, count = 0;
	char *buf = read_file(dir, name, &length), **list;

	for (size_t i = 0; i < length; i++)
		count += !buf[i];
	list = calloc(count + 1, sizeof(*list));
	if (!list)
		die("no memory");
	for (size_t i = 0; i < count; i++) {
		list[i] = buf;
		buf += strlen(buf) + 1;
	}
	return list;
}

static pid_t start(const char *dir, int out, int err)
{
	size_t length;
	char *cwd = read_file(dir, "cwd", &length);
	char **argv = read_strings(dir, "argv"), **env = read_strings(dir, "environ");
	sigset_t none;
	pid_t pid = fork();

	if (pid)
		return pid;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	environ = env;
	if (chdir(cwd)) {
		dprintf(STDERR_FILENO, "tests/vm: cannot enter %s: %s\n", cwd, strerror(errno));
		_exit(126);
	}
	execvp(argv[0], argv);
	dprintf(STDERR_FILENO, "tests/vm: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Returns false when the pipe has nothing more to say for now. */
static bool forward(int fd, enum frame_type type)
{
	char buf[FRAME_MAX];
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n <= 0)
		return false;
	send_frame(type, buf, n);
	return true;
}

/* Returns the command's exit status once it has ended, -1 before. */
static int reap(pid_t command)
{
	int status, result = -1;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == command)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return result;
}

/*
 * Kill what is left and unload goprobe. A killed process closes its files, and the module ends its
 * sessions, some time after the signal: that is no fault unless it takes long.
 */
static int unload(void)
{
	for (int i = 0; i < 6000; i++) {
		kill(-1, SIGKILL);
		reap(0);
		if (!syscall(SYS_delete_module, "goprobe", O_NONBLOCK) || errno == ENOENT)
			return 0;
		if (errno != EWOULDBLOCK && errno != EBUSY)
			break;
		usleep(10000);
	}
	return errno;
}

/*
 * What kmemleak finds goes to the log, for the host to see. Memory counts as lost only if it is 5 s
 * old, and what one scan finds may just have been on its way.
 */
static void look_for_leaks(void)
{
	int leaks = open("/sys/kernel/debug/kmemleak", O_RDWR | O_CLOEXEC);
	static char said[65536];
	size_t size = 0;
	ssize_t n;

	if (leaks < 0)
		return;
	for (int i = 0; i < 2; i++) {
		sleep(6);
		if (write(leaks, "scan", 4) != 4)
			note("goprobe-vm: kmemleak: 1 scan could not be made");
	}
	while ((n = read(leaks, said + size, sizeof(said) - 1 - size)) > 0)
		size += n;
	close(leaks);
	for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n"))
		note(line);
	note("goprobe-vm: has looked for leaks");
}

int main(int argc, char **argv)
{
	struct exit_report report = { 0 };
	int out[2], err[2], signals, status;
	struct pollfd fds[3];
	sigset_t mask;
	pid_t command;

	kmsg = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	if (argc != 3)
		die("usage: agent PORT DIR");
	port = open(argv[1], O_RDWR | O_CLOEXEC);
	if (port < 0)
		die(argv[1]);

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signals < 0 || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		die("cannot make pipes");
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);

	note("goprobe-vm: command starts");
	send_frame(FRAME_START, NULL, 0);
	command = start(argv[2], out[1], err[1]);
	if (command < 0)
		die("cannot fork");

	fds[0] = (struct pollfd){ .fd = out[0], .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = err[0], .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = signals, .events = POLLIN };
	do {
		struct signalfd_siginfo info;

		poll(fds, 3, -1);
		if (fds[0].revents)
			forward(out[0], FRAME_STDOUT);
		if (fds[1].revents)
			forward(err[0], FRAME_STDERR);
		status = -1;
		if (fds[2].revents) {
			while (read(signals, &info, sizeof(info)) > 0)
				;
			status = reap(command);
		}
	} while (status < 0);

	/* What lies in the pipes now: something in the background may hold them open for ever. */
	while (forward(out[0], FRAME_STDOUT))
		;
	while (forward(err[0], FRAME_STDERR))
		;

	note("goprobe-vm: command ended");
	report.status = status;
	report.unload_errno = unload();
	look_for_leaks();
	note(END_OF_LOG);
	send_frame(FRAME_EXIT, &report, sizeof(report));
	for (;;)
		pause();
}
