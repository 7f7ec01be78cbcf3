// SPDX-License-Identifier: GPL-2.0
/* Calls that are open in a program that waits, and in one that is no more. */
#define _GNU_SOURCE
#include "rows.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bins.h"
#include "trace/existing_calls.h"

/**
 * struct waiting - a program that can't write, as nobody reads
 * @pid: its process
 * @pipe: where it writes
 * @bin: it
 * @plan: traces main.main
 * @files: its places
 * @b: what is looked at
 */
struct waiting {
	pid_t pid;
	int pipe[2];
	struct gobin *bin;
	struct plan *plan;
	struct symbols files;
	struct existing_calls b;
};

static void run(struct waiting *w, const char *path)
{
	static const char bytes[4096];

	assert_int_equal(pipe2(w->pipe, O_CLOEXEC), 0);
	assert_true(fcntl(w->pipe[1], F_SETFL, O_NONBLOCK) == 0);
	while (write(w->pipe[1], bytes, sizeof(bytes)) > 0)
		continue;
	assert_true(fcntl(w->pipe[1], F_SETFL, 0) == 0);
	w->pid = fork();
	assert_true(w->pid >= 0);
	if (w->pid)
		return;
	dup2(w->pipe[1], STDOUT_FILENO);
	execl(path, path, NULL);
	_exit(127);
}

static void begin(struct waiting *w)
{
	struct bins_each e = BINS("frames", "");
	char path[512];
	struct diag d = { 0 };

	/* The newest. */
	memset(w, 0, sizeof(*w));
	while (bins_next_path(&e))
		snprintf(path, sizeof(path), "%s", e.path);
	w->bin = bins_open(path);
	w->plan = plan_new(&plan_defaults);
	assert_int_equal(plan_add(w->plan, w->bin, bins_func(w->bin, "main.main"), &d), 0);
	assert_int_equal(plan_finish(w->plan, &d), 0);
	symbols_init(&w->files, w->bin, NULL);
	assert_int_equal(existing_calls_init(&w->b, w->plan, &w->files, 1, &d), 0);
	run(w, path);
}

static void end(struct waiting *w)
{
	if (w->pid) {
		kill(w->pid, SIGKILL);
		assert_int_equal(waitpid(w->pid, NULL, 0), w->pid);
	}
	existing_calls_fini(&w->b);
	symbols_fini(&w->files);
	plan_free(w->plan);
	gobin_free(w->bin);
	close(w->pipe[0]);
	close(w->pipe[1]);
}

static int found(void *ctx, const struct existing_calls_call *call)
{
	size_t *n = ctx;

	(void)call;
	(*n)++;
	return 0;
}

static size_t look(struct waiting *w)
{
	size_t n = 0;

	existing_calls_look(&w->b, true);
	existing_calls_settle(&w->b, UINT64_MAX, found, &n);
	assert_false(w->b.failed);
	return n;
}

/* Look until main.main has been found: the program needs a moment to come there. */
static void find_main(struct waiting *w)
{
	struct diag d = { 0 };
	size_t n = 0;

	for (int i = 0; i < 1000 && !n; i++) {
		usleep(10000);
		if (!w->b.n && existing_calls_add(&w->b, w->pid, &d)) {
			diag_fini(&d);
			continue;
		}
		n = look(w);
	}
	assert_int_equal(n, 1);
}

TEST(test_ended, "of a process that has ended nothing is unknown")
{
	struct waiting w;

	begin(&w);
	find_main(&w);
	kill(w.pid, SIGKILL);
	assert_int_equal(waitpid(w.pid, NULL, 0), w.pid);
	w.pid = 0;
	assert_int_equal(look(&w), 0);
	assert_int_equal(w.b.n, 0);
	assert_int_equal(existing_calls_unknown(&w.b), 0);
	end(&w);
}

/* It is too late: for the look, or for what comes after it. */
static void check_late(struct waiting *w, uint64_t look_until, uint64_t settle_until)
{
	size_t n = 0;

	w->b.until = look_until;
	existing_calls_look(&w->b, true);
	w->b.until = settle_until;
	existing_calls_settle(&w->b, UINT64_MAX, found, &n);
	assert_int_equal(n, 0);
	assert_int_equal(existing_calls_unknown(&w->b), w->b.n);
	assert_true(w->b.n);
}

TEST(test_late, "of goroutines that a look has no time for all is unknown")
{
	struct waiting w;

	begin(&w);
	find_main(&w);
	check_late(&w, 1, UINT64_MAX);
	check_late(&w, UINT64_MAX, 1);
	w.b.until = UINT64_MAX;
	assert_int_equal(look(&w), 1);
	end(&w);
}
