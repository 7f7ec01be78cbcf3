// SPDX-License-Identifier: GPL-2.0
/* Messages of a session, in lines that only goprobe has made. */
#define _GNU_SOURCE
#include "rows.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bins.h"
#include "trace/session.h"

static char said[4096];

static void keep(void *ctx, const char *text)
{
	assert_ptr_equal(ctx, said);
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "[%s]", text);
}

static struct session listened(void)
{
	static const struct options none;

	said[0] = 0;
	return (struct session){ .ctx = said, .say = keep, .o = &none };
}

static const char hostile[] = "/tmp/a\x1b[2J\nb\xc2\x9b\x9b\tgr\xc3\xbc\xc3\x9f";

TEST(test_plain, "no notice has what would control a terminal, or ends a line")
{
	struct session t = listened();
	struct plan plan = { .o = &plan_defaults, .descendant = 34 };
	struct diag why = { 0 };

	session_say(&t, "warning: %s is new", hostile);
	assert_string_equal(said, "[warning: /tmp/a?[2J?b??\tgr\xc3\xbc\xc3\x9f is new]");

	t = listened();
	t.plan = &plan;
	diag_set(&why, "process 7 has no code of %s in its memory", hostile);
	session_say_unknown(&t, &why);
	assert_string_equal(said, "[warning: process 7 has no code of /tmp/a?[2J?b??\tgr\xc3\xbc\xc3\x9f in its memory: of those that run already none is taken for a descendant of goroutine 34]");
	diag_fini(&why);
}

TEST(test_lines, "several lines are as many notices")
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "" }, { "one", "[one]" }, { "one\n", "[one]" },
		{ "one\nwarning: two\n\nthree\x1b\n", "[one][warning: two][][three?]" },
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct session t = listened();

		session_say_lines(&t, cases[i].text, strlen(cases[i].text));
		assert_string_equal(said, cases[i].want);
	}
}

/* Without anybody to hear them they are for a person: goprobectl says what went wrong. */
TEST(test_printed, "notices that nobody takes are printed")
{
	int old = dup(STDERR_FILENO), fd = memfd_create("stderr", MFD_CLOEXEC);
	struct session t = { 0 };
	char text[256] = "";

	fflush(stderr);
	assert_true(old >= 0 && fd >= 0 && dup2(fd, STDERR_FILENO) >= 0);
	session_say(&t, "warning: %s", hostile);
	session_say(&t, "%zu functions", (size_t)3);
	fflush(stderr);
	dup2(old, STDERR_FILENO);
	close(old);
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	close(fd);
	assert_string_equal(text, "goprobectl: warning: /tmp/a?[2J?b??\tgr\xc3\xbc\xc3\x9f\n"
			    "3 functions\n");
}

/* --- a file that is replaced ------------------------------------------------ */

static char dir[40], program[60];

static void copy_program(const char *to)
{
	struct bins_each e = BINS("shapes", "");
	char command[700];

	assert_true(bins_next_path(&e));
	snprintf(command, sizeof(command), "cp '%s' '%s'", e.path, to);
	assert_int_equal(system(command), 0);
}

/* A process that is stopped at its first instruction. */
static pid_t start(const char *path)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, NULL);
		_exit(1);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	return pid;
}

static void replace(void)
{
	char other[60];

	snprintf(other, sizeof(other), "%s/other", dir);
	copy_program(other);
	assert_int_equal(rename(other, program), 0);
}

TEST(test_older, "a replaced file is reported by a printable name")
{
	/* Quiet, as it depends on the machine whether it is known that nobody runs the file. */
	struct options what = { .file = program, .quiet = true };
	struct session t = listened();
	struct diag d = { 0 };
	char want[200];
	pid_t pid;

	copy_program(program);
	pid = start(program);
	replace();
	assert_int_equal(session_open(&t, &what, &d), 0);
	snprintf(want, sizeof(want),
		 "[warning: 1 process runs an older, replaced %s/a?[2J?b; -p traces it]", dir);
	assert_string_equal(said, want);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	session_fini(&t);
	diag_fini(&d);
}

/* Once, and not more often than once a minute it is looked. */
TEST(test_replaced, "so is one that is replaced while it is traced, once")
{
	/* Quiet, as it depends on the machine whether it is known that nobody runs the file. */
	struct options what = { .file = program, .quiet = true };
	struct session t = listened();
	struct diag d = { 0 };
	char want[200];

	copy_program(program);
	assert_int_equal(session_open(&t, &what, &d), 0);
	session_look(&t);
	/* It is not there for a moment, or is no file: who knows what will be. */
	assert_int_equal(unlink(program), 0);
	t.look = 0;
	session_look(&t);
	assert_int_equal(mkdir(program, 0700), 0);
	t.look = 0;
	session_look(&t);
	assert_int_equal(rmdir(program), 0);
	replace();
	session_look(&t);
	assert_string_equal(said, "");
	t.look = 0;
	session_look(&t);
	snprintf(want, sizeof(want),
		 "[warning: %s/a?[2J?b has been replaced: processes that run the new file are not traced, until tracing starts again]",
		 dir);
	assert_string_equal(said, want);
	replace();
	t.look = 0;
	session_look(&t);
	assert_string_equal(said, want);
	session_fini(&t);
	diag_fini(&d);
}

/* A process that is chosen goes on with its own file. */
TEST(test_not_replaced, "what is chosen by process is not looked for by name")
{
	struct options what = { 0 };
	struct session t = listened();
	struct diag d = { 0 };
	pid_t pid;

	copy_program(program);
	pid = start(program);
	what.pids = (struct target_pids){ .v = &pid, .n = 1 };
	assert_int_equal(session_open(&t, &what, &d), 0);
	replace();
	session_look(&t);
	assert_string_equal(said, "");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	session_fini(&t);
	diag_fini(&d);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/goprobe-tracing-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(program, sizeof(program), "%s/a\x1b[2J\nb", dir);
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
