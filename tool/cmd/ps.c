// SPDX-License-Identifier: GPL-2.0
/* goprobectl ps: the Go programs that run on this machine. */
#include <stdio.h>
#include <unistd.h>

#include "base/writing.h"
#include "cmd/cmd.h"
#include "cmd/next.h"
#include "output/row.h"
#include "process/programs.h"

static const char about[] =
"Usage: goprobectl ps [-o text|json]\n"
"\n"
"List the processes that run Go programs, with the release of Go, the container if\n"
"there is one, and the package of main with its module's version. A process whose\n"
"executable is not Go is listed for each Go library that it has loaded. Arguments of\n"
"functions have names and types if debug information is here; else goprobe shows\n"
"registers, or what signatures say that you write. No module is needed.\n";

static const char examples[] =
"Examples:\n"
"  What can be traced here?\n"
"      sudo goprobectl ps\n"
"  A program that runs once can be named instead of its process id:\n"
"      goprobectl attach -p prometheus 'main.*'\n";

static const struct column columns[] = {
	{ "pid", "PID", -8 },
	{ "go_version", "GO", 12 },
	{ "typed", "ARGUMENTS", 11 },
	{ "container", "CONTAINER", PROGRAM_CONTAINER + 2 },
	{ "executable", "EXECUTABLE", 48 },
	{ "path", "PACKAGE", 0 },
	{ "module_version", NULL, 0 },
	{ "library", NULL, 0 },
};

static void put_optional(struct row *r, const struct column *c, const char *s)
{
	if (s && *s)
		row_str(r, c, s);
	else
		row_none(r, c);
}

static void put(const struct program *p, struct row *r)
{
	row_begin(r, "process");
	row_u64(r, &columns[0], (uint64_t)p->pid);
	put_optional(r, &columns[1], p->go);
	row_flag(r, &columns[2], p->typed, "typed", "registers");
	put_optional(r, &columns[3], p->container);
	row_str(r, &columns[4], p->executable);
	put_optional(r, &columns[5], p->path);
	if (p->version)
		row_text(r, "@");
	row_str_or_null(r, &columns[6], p->version);
	/* The executable is not Go. */
	if (p->library) {
		row_text(r, " in ");
		row_str(r, &columns[7], p->library);
	}
	row_end(r);
}

static void say_next(const struct options *o, pid_t pid)
{
	struct options of = *o;

	of.pids = (struct target_pids){ .v = &pid, .n = 1 };
	next_say(&(struct next){ .command = "top", .why = "what is busy in it" }, &of);
}

static int run(struct options *o, struct diag *d)
{
	struct programs p = { 0 };
	struct buf b = { 0 };
	struct row r = { .b = &b, .mode = ROW_HEADS };
	int err = 0;

	if (programs_find(&p))
		err = diag_set(d, "out of memory");
	if (!err && o->format != OPTION_JSON)
		put(&(struct program){ .executable = "" }, &r);
	r.mode = row_mode(o->format == OPTION_JSON);
	for (size_t i = 0; !err && i < p.n; i++)
		put(&p.v[i], &r);
	if (!err)
		err = writing_print(&b, d);
	if (!err && p.denied == 1)
		fprintf(stderr, "goprobectl: permission denied reading process %d%s\n",
			p.denied_pid, geteuid() ? ": run goprobectl as root" : "");
	else if (!err && p.denied)
		fprintf(stderr, "goprobectl: permission denied reading %zu processes, such as %d%s\n",
			p.denied, p.denied_pid, geteuid() ? ": run goprobectl as root" : "");
	if (!err && p.n)
		say_next(o, p.v[0].pid);
	buf_fini(&b);
	programs_fini(&p);
	return err ? CMD_FAILED : CMD_DONE;
}

const struct cmd cmd_ps = {
	.name = "ps",
	.summary = "list the Go programs that run on this machine",
	.command = COMMAND_PS,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.run = run,
};
