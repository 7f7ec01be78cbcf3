// SPDX-License-Identifier: GPL-2.0
/* Source of the names of a session's functions. */
#define _GNU_SOURCE
#include "rows.h"

#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bins.h"
#include "trace/session_list.h"

static char dir[32], program[64];
static struct list_point point;

/*
 * A process that is stopped at the first instruction of @path; in a mount
 * namespace of its own, where that is the file @there, unless that is NULL. 0 if it can't be.
 */
static pid_t start(const char *path, const char *there)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (there && (unshare(CLONE_NEWNS) ||
			      mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
			      mount(there, path, NULL, MS_BIND, NULL)))
			_exit(1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(path, path, NULL);
		_exit(1);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
	return WIFSTOPPED(status) ? pid : 0;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Does the list of a session of the file at @path have main.main? */
static bool names(const char *path, int32_t pid)
{
	struct list_session s = {
		.session = 1, .owner = 1, .path = (char *)path, .pids = &pid, .npids = pid != 0,
		.points = &point, .npoints = 1,
	};
	struct session_list_print l = { &s, 1 };
	struct buf b = { 0 };
	bool found;

	session_list_print(&b, &l, false);
	buf_char(&b, 0);
	found = strstr(b.p, "  main.main ");
	if (!found)
		assert_non_null(strstr(b.p, "  at file offset 0x"));
	buf_fini(&b);
	return found;
}

/* The same path is another file there. */
TEST(test_namespace, "a file in another mount namespace")
{
	char here[80];
	FILE *f;
	pid_t pid;

	snprintf(here, sizeof(here), "%s/here", dir);
	f = fopen(here, "we");
	assert_non_null(f);
	fputs("no program\n", f);
	fclose(f);
	assert_int_equal(chmod(here, 0700), 0);
	pid = start(here, program);
	if (!pid)
		skip();
	assert_true(names(here, pid));
	assert_false(names(here, 0));
	/* The file that the client found at one of our paths. */
	assert_true(names(program, pid));
	end(pid);
}

/* The list's line for a point whose hits take a trap for that reason. */
static void expect_trap(uint8_t trap, const char *text, const char *json)
{
	struct list_point points[] = {
		{ point.offset, trap }, { point.offset + 1, trap ? GOPROBE_TRAP_NONE : 0 },
	};
	struct list_session s = {
		.session = 1, .owner = 1, .path = program, .points = points, .npoints = 2,
	};
	struct session_list_print l = { &s, 1 };
	struct buf b = { 0 };

	session_list_print(&b, &l, false);
	session_list_print(&b, &l, true);
	buf_char(&b, 0);
	assert_non_null(strstr(b.p, text));
	assert_non_null(strstr(b.p, json));
	buf_fini(&b);
}

TEST(test_traps, "a jump, or the reason of a trap, is shown")
{
	expect_trap(GOPROBE_TRAP_ALWAYS, "2 breakpoints\n", "\"points\":2}");
	expect_trap(GOPROBE_TRAP_NONE, "2 breakpoints, a jump\n", "\"points\":2,\"trap\":\"none\"}");
	expect_trap(GOPROBE_TRAP_RARE, ", a trap: it has had few hits\n", "\"trap\":\"rare\"}");
	expect_trap(GOPROBE_TRAP_MEMORY, ", a trap: the process ", "\"trap\":\"memory\"}");
	expect_trap(GOPROBE_TRAP_DEBUGGED, ", a trap: a debugger ", "\"trap\":\"debugged\"}");
	expect_trap(GOPROBE_TRAP_CLOCK, ", a trap: this processor ", "\"trap\":\"clock\"}");
	expect_trap(GOPROBE_TRAP_RECORD, ", a trap: its record ", "\"trap\":\"record\"}");
	expect_trap(GOPROBE_TRAP_SHADOW_STACK, ", a trap: the process has shadow stacks\n",
		    "\"trap\":\"shadow-stack\"}");
	/* Of a newer module. */
	expect_trap(GOPROBE_TRAP_MAX + 1, "2 breakpoints\n", "\"points\":2}");
}

/* The last one: it replaces the program. */
TEST(test_binary, "names are those of what is traced, not of what is at its path now")
{
	char other[80], deleted[80];
	FILE *f;
	pid_t pid;

	snprintf(other, sizeof(other), "%s/other", dir);
	f = fopen(other, "we");
	assert_non_null(f);
	fputs("no program\n", f);
	fclose(f);

	pid = start(program, NULL);
	assert_int_not_equal(pid, 0);
	assert_true(names(program, pid));
	assert_true(names(program, 0));
	assert_false(names(other, pid));

	/* It is replaced: what is at its path is no more what is traced. */
	assert_int_equal(rename(other, program), 0);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", program);
	assert_true(names(deleted, pid));
	assert_false(names(deleted, 0));
	end(pid);
	assert_false(names(deleted, pid));

	/* The open does not wait for a writer. */
	assert_int_equal(unlink(program), 0);
	assert_int_equal(mkfifo(program, 0600), 0);
	assert_false(names(program, 0));
}

static int set_up(void **state)
{
	struct bins_each e = BINS("kinds", "");
	const struct gofunc *fn;
	char command[700];

	(void)state;
	assert_true(bins_next(&e));
	fn = bins_func(e.bin, "main.main");
	while (point.offset < 1 << 26 && gobin_code_vaddr(e.bin, point.offset) != fn->entry)
		point.offset++;
	assert_int_equal(gobin_code_vaddr(e.bin, point.offset), fn->entry);
	gobin_free(e.bin);
	snprintf(dir, sizeof(dir), "/tmp/goprobe-list-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(command, sizeof(command), "cp '%s' %s", e.path, program);
	assert_int_equal(system(command), 0);
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
