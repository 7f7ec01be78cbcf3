// SPDX-License-Identifier: GPL-2.0
/* Commands: prepared, started, or abandoned, and their environment. */
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bins.h"
#include "process/target.h"
#include "rows.h"

/* The test ends if a step that should be immediate takes this long. */
#define SECONDS 20

/* A Go program that ends at once, not yet let go. */
static void prepare(struct target *t)
{
	struct bins_each e = BINS("shapes", "");
	struct diag d = { 0 };
	char *argv[2] = { NULL, NULL };
	sigset_t mask;

	assert_true(bins_next_path(&e));
	argv[0] = (char *)(uintptr_t)e.path;
	sigemptyset(&mask);
	assert_int_equal(target_set_command(t, argv, &mask, &d), 0);
	diag_fini(&d);
}

/* Whether it ends in time. */
static bool ends(struct target *t)
{
	const struct timespec pause = { .tv_nsec = 10000000 };

	for (int i = 0; i < SECONDS * 100; i++) {
		if (target_ended(t))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

TEST(a_command_runs_when_it_is_let_go)
{
	struct target t = { 0 };
	struct diag d = { 0 };

	prepare(&t);
	assert_false(target_ended(&t));
	assert_int_equal(target_release(&t, &d), 0);
	assert_true(ends(&t));
	assert_int_equal(target_exit_status(&t), 0);
	target_fini(&t);
	diag_fini(&d);
}

/* The second's child was forked while there was what the first is let go by. */
TEST(the_first_of_two_can_be_given_up)
{
	struct target first = { 0 }, second = { 0 };

	prepare(&first);
	prepare(&second);
	alarm(SECONDS);
	target_fini(&first);
	target_fini(&second);
	alarm(0);
}

/* Such as the socket of another trace, whose session lasts until all have closed it. */
TEST(a_command_that_waits_holds_nothing_of_others)
{
	struct target t = { 0 };
	struct pollfd end = { .events = POLLIN };
	int other[2], kept[2];
	char byte;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, other), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, kept), 0);
	prepare(&t);
	close(other[1]);
	close(kept[1]);
	end.fd = other[0];
	assert_int_equal(poll(&end, 1, SECONDS * 1000), 1);
	assert_int_equal(read(other[0], &byte, 1), 0);
	/* A command keeps the descriptors that it is to have. */
	end.fd = kept[0];
	assert_int_equal(poll(&end, 1, 0), 0);
	assert_false(target_ended(&t));
	target_fini(&t);
	close(other[0]);
	close(kept[0]);
}

/* Of SIGPIPE nothing is said to programs that use the library. */
TEST(a_killed_command_is_reported_in_words)
{
	struct target t = { 0 };
	struct diag d = { 0 };
	siginfo_t how;

	prepare(&t);
	assert_int_equal(kill(t.processes[0].pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, t.processes[0].pid, &how, WEXITED | WNOWAIT), 0);
	assert_int_equal(target_release(&t, &d), -1);
	assert_string_equal(d.message, "the command was killed before it began");
	target_fini(&t);
	diag_fini(&d);
}

/* Where SIGCHLD is ignored, as some parents leave it, there is nothing to wait for. */
TEST(a_command_ends_that_nobody_can_wait_for)
{
	struct target t = { 0 };
	struct diag d = { 0 };

	signal(SIGCHLD, SIG_IGN);
	prepare(&t);
	assert_int_equal(target_release(&t, &d), 0);
	assert_true(ends(&t));
	signal(SIGCHLD, SIG_DFL);
	assert_int_equal(target_exit_status(&t), 0);
	target_fini(&t);
	diag_fini(&d);
}
