// SPDX-License-Identifier: GPL-2.0
/* Programs that are probed, and what they print. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "target.h"
#include "totals.h"

#define SEEDS		4
#define LINE		4096
#define PATIENCE_MS	120000

static char right[SEEDS][LINE];

/* With standard input and output at our end. */
static pid_t begin(const char *const argv[], int *to, int *from)
{
	int in[2], out[2];
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return -1;
	pid = fork();
	if (!pid) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	*to = in[1];
	*from = out[0];
	return pid;
}

/* The last line that comes until the other end is closed, or the first one. */
static bool read_line(int from, char *line, bool last)
{
	size_t n = 0;
	char c;

	for (;;) {
		struct pollfd p = { .fd = from, .events = POLLIN };

		if (poll(&p, 1, PATIENCE_MS) <= 0)
			return false;
		if (read(from, &c, 1) != 1)
			break;
		if (n && line[n - 1] == '\n')
			n = 0;
		if (n + 1 < LINE)
			line[n++] = c;
		if (c == '\n' && !last)
			break;
	}
	line[n] = 0;
	return n;
}

/* Run it once; its last line, and whether it ended well. */
static bool run(struct target *t, unsigned int seed, char *line)
{
	char number[16];
	const char *const argv[] = {
		t->stress, "-goroutines", "12", "-depth", "32", "-seed", number, NULL,
	};
	int to, from, status = -1;
	bool ok;
	pid_t pid;

	snprintf(number, sizeof(number), "%u", seed + 1);
	pid = begin(argv, &to, &from);
	if (pid < 0)
		return false;
	atomic_store(&t->pids[1], pid);
	ok = read_line(from, line, true);
	if (!ok)
		kill(pid, SIGKILL);
	close(to);
	close(from);
	waitpid(pid, &status, 0);
	if (!status)
		return ok;
	snprintf(line, LINE, "it ended with status 0x%x", status);
	return false;
}

const char *target_begin(struct target *t)
{
	const char *const argv[] = { t->load, "-goroutines", "2", "-pause", "20ms", NULL };
	char line[LINE];
	pid_t pid;

	for (unsigned int i = 0; i < SEEDS; i++)
		if (!run(t, i, right[i]) || strncmp(right[i], "{\"functions\"", 12))
			return "a program does not run, even without probes";
	pid = begin(argv, &t->to_load, &t->from_load);
	atomic_store(&t->pids[0], pid);
	return pid > 0 && read_line(t->from_load, line, false) ? NULL : "load does not begin";
}

static bool run_right(struct target *t, unsigned int seed)
{
	char line[LINE];

	if (run(t, seed, line) && !strcmp(line, right[seed]))
		return true;
	totals_fault("stress -seed %u says: %s", seed + 1, line);
	return false;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* The senders of messages need processor time, too. */
static void rest(struct target *t, double seconds)
{
	double until = now() + seconds;

	kill(atomic_load(&t->pids[0]), SIGSTOP);
	while (!atomic_load(&t->over) && now() < until)
		usleep(20000);
	kill(atomic_load(&t->pids[0]), SIGCONT);
}

void *target_run(void *arg)
{
	struct target *t = arg;

	for (unsigned int i = 0; !atomic_load(&t->over); i++) {
		double began = now();

		if (!run_right(t, i % SEEDS))
			break;
		atomic_fetch_add(&t->runs, 1);
		rest(t, t->rest * (now() - began));
	}
	atomic_store(&t->ended, true);
	return NULL;
}

void target_wait(struct target *t)
{
	unsigned long before = atomic_load(&t->runs);

	while (atomic_load(&t->runs) == before && !atomic_load(&t->ended))
		usleep(10000);
}

const char *target_end(struct target *t)
{
	unsigned long handles = 0, inners = 0;
	char line[LINE];
	int status = -1;

	if (!run_right(t, 0))
		return "stress is wrong after it has been probed";
	if (write(t->to_load, "\n", 1) != 1 || !read_line(t->from_load, line, false) ||
	    sscanf(line, "calls handle=%lu inner=%lu", &handles, &inners) != 2 || !handles)
		return "load does not live any more";
	close(t->to_load);
	waitpid(atomic_load(&t->pids[0]), &status, 0);
	return status ? "load has ended badly" : NULL;
}
