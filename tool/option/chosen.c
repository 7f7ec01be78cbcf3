// SPDX-License-Identifier: GPL-2.0
/* The processes that --container, --pod and --cgroup choose. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/plain.h"
#include "option/option.h"
#include "process/programs.h"

/* Processes that a message lists. */
#define LISTED_MOST 10

/* Programs of a process come one after the other: its libraries. */
static bool is_new(const struct options *o, pid_t pid)
{
	return !o->pids.n || o->pids.v[o->pids.n - 1] != pid;
}

static int add(struct options *o, const struct programs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!is_new(o, p->v[i].pid))
			continue;
		if (grow(&o->pids.v, o->pids.n + 1, &o->pids.cap, sizeof(*o->pids.v)))
			return -1;
		o->pids.v[o->pids.n++] = p->v[i].pid;
	}
	return 0;
}

/* No silent zero: why nothing of it can be traced. */
static int no_program(const struct options *o, const struct programs *p, const char *what,
		      struct diag *d)
{
	size_t n = o->choice.pids.n;
	char path[PATH_MAX];
	struct buf first = { 0 };

	if (!n) {
		diag_set(d, "no process runs in %s", what);
		diag_hint(d, "-b FILE traces those that run FILE, once they do");
		return CMD_FAILED;
	}
	if (p->denied) {
		diag_set(d, "permission denied reading process %d of %s", p->denied_pid, what);
		diag_hint(d, "run goprobectl as root");
		return CMD_FAILED;
	}
	if (process_executable(o->choice.pids.v[0], path))
		plain_add(&first, path);
	buf_char(&first, 0);
	diag_set(d, "no Go program runs in %s", what);
	if (!first.failed && first.p[0])
		diag_hint(d, "it has %zu process%s: %d runs %s", n, n == 1 ? "" : "es",
			  o->choice.pids.v[0], first.p);
	buf_fini(&first);
	return CMD_FAILED;
}

/* The command looks at one process. */
static int several(const struct options *o, const char *what, struct diag *d)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < o->pids.n && i < LISTED_MOST; i++)
		buf_number(&list, i ? "," : "", (uint64_t)o->pids.v[i]);
	if (o->pids.n > LISTED_MOST)
		buf_str(&list, ",...");
	buf_char(&list, 0);
	diag_set(d, "%zu Go programs run in %s", o->pids.n, what);
	if (!list.failed)
		diag_hint(d, "choose one of -p %s", list.p);
	buf_fini(&list);
	return CMD_FAILED;
}

static int check(const struct options *o, const struct programs *p, struct diag *d)
{
	const struct option_row *pid = option_find(o->command, "pid");
	const char *what = o->choice.what.p;

	/* A trace of a file goes on with those that come. */
	if (!o->pids.n && !(o->file && o->choice.follows))
		return no_program(o, p, what, d);
	return o->pids.n > 1 && pid && pid->kind == OPTION_PID ? several(o, what, d) : CMD_DONE;
}

int option_choose(struct options *o, struct diag *d)
{
	struct programs p = { 0 };
	int code = CMD_FAILED;

	if (!option_wishes(o))
		return CMD_DONE;
	if (containers_choose(&host_here, &o->wish, &o->choice, d))
		return CMD_FAILED;
	buf_char(&o->choice.what, 0);
	if (o->choice.what.failed || programs_find(&p, &o->choice.pids) || add(o, &p))
		diag_set(d, "out of memory");
	else
		code = check(o, &p, d);
	programs_fini(&p);
	return code;
}
