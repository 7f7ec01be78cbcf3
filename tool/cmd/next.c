// SPDX-License-Identifier: GPL-2.0
/* The command that fits next: the last line that a person reads of a summary. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/next.h"
#include "gotype/shown_name.h"

static void put_option(struct buf *b, const char *option, const char *value)
{
	if (!value)
		return;
	buf_str(b, option);
	quote_shell(b, value);
}

static bool is_there(pid_t pid)
{
	return !kill(pid, 0) || errno == EPERM;
}

void next_put(const struct next *next, const struct options *o, struct buf *b)
{
	struct buf name = { 0 };

	if (o->pids.n ? !is_there(o->pids.v[0]) : !o->file && !option_wishes(o))
		return;
	buf_str(b, "next: goprobectl ");
	buf_str(b, next->command);
	if (option_wishes(o)) {
		put_option(b, " --container ", o->wish.container);
		put_option(b, " --pod ", o->wish.pod);
		put_option(b, " --cgroup ", o->wish.group);
		put_option(b, " -b ", o->file);
	} else if (o->pids.n) {
		buf_str(b, " -p ");
		buf_i64(b, o->pids.v[0]);
	} else {
		buf_str(b, " -b ");
		quote_shell(b, o->file);
	}
	if (next->option) {
		buf_char(b, ' ');
		buf_str(b, next->option);
	}
	if (next->name) {
		shown_name_put(&name, next->name);
		buf_char(&name, 0);
		buf_char(b, ' ');
		quote_shell(b, name.failed ? next->name : name.p);
		buf_fini(&name);
	}
	if (next->behind) {
		buf_char(b, ' ');
		buf_str(b, next->behind);
	}
	buf_str(b, "   # ");
	buf_str(b, next->why);
	buf_char(b, '\n');
}

void next_say(const struct next *next, const struct options *o)
{
	struct buf b = { 0 };

	if (o->quiet || o->format == OPTION_JSON || !isatty(STDERR_FILENO))
		return;
	next_put(next, o, &b);
	if (b.len && !b.failed)
		fprintf(stderr, "%.*s", (int)b.len, b.p);
	buf_fini(&b);
}
