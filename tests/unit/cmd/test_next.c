// SPDX-License-Identifier: GPL-2.0
/* The command that a summary proposes can be pasted into a shell. */
#include "rows.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/next.h"

/* A process that is there, and one that is not. */
enum { NONE, HERE, ENDED };

static struct row {
	const char *claim;
	int process;
	const char *file;
	struct next next;
	const char *says;	/* PID is the process; NULL: nothing */
} rows[] = {
	{ "a function of a process", HERE, NULL,
	  { .command = "latency", .name = "main.f", .why = "how long" },
	  "next: goprobectl latency -p PID main.f   # how long\n" },
	{ "a method is quoted", HERE, NULL,
	  { .command = "attach", .name = "shop.(*Cart).Add", .why = "calls" },
	  "next: goprobectl attach -p PID 'shop.(*Cart).Add'   # calls\n" },
	{ "so is a pattern with a condition", NONE, "./shop",
	  { .command = "stack", .name = "main.* if s == 'x'", .behind = "-o folded", .why = "w" },
	  "next: goprobectl stack -b ./shop 'main.* if s == '\\''x'\\''' -o folded   # w\n" },
	{ "and a file with a blank", NONE, "/my programs/shop", { .command = "list", .why = "w" },
	  "next: goprobectl list -b '/my programs/shop'   # w\n" },
	{ "an option that takes the name", HERE, NULL,
	  { .command = "goroutines", .option = "--with", .name = "main.f", .why = "w" },
	  "next: goprobectl goroutines -p PID --with main.f   # w\n" },
	{ "a process that has ended has no next command", ENDED, NULL,
	  { .command = "top", .why = "w" }, NULL },
	{ "a command that was started has none", NONE, NULL, { .command = "top", .why = "w" },
	  NULL },
};

ROWS(test_next, rows)
{
	const struct row *row = *state;
	char pid[16], *at, want[256] = "";
	pid_t process = row->process == ENDED ? 0x3fffffff : getpid();
	struct options o = { .pids = { .v = &process, .n = row->process != NONE } };
	struct buf b = { 0 };

	o.file = (char *)(uintptr_t)row->file;
	snprintf(pid, sizeof(pid), "%d", process);
	at = row->says ? strstr(row->says, "PID") : NULL;
	if (at)
		snprintf(want, sizeof(want), "%.*s%s%s", (int)(at - row->says), row->says, pid,
			 at + strlen("PID"));
	else if (row->says)
		snprintf(want, sizeof(want), "%s", row->says);
	next_put(&row->next, &o, &b);
	buf_char(&b, 0);
	assert_string_equal(b.p, want);
	buf_fini(&b);
}
