// SPDX-License-Identifier: GPL-2.0
/* goprobectl ps: the Go programs that run on this machine. */
#include <stdio.h>
#include <unistd.h>

#include "base/writing.h"
#include "cmd/cmd.h"
#include "cmd/next.h"
#include "output/row.h"
#include "process/containers.h"
#include "process/programs.h"

static const char about[] =
"Usage: goprobectl ps [--container NAME|ID] [--pod [NAMESPACE/]NAME] [--cgroup PATH]\n"
"                     [-o text|json]\n"
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
	{ "container", "CONTAINER", CONTAINERS_SHORT + 2 },
	{ "executable", "EXECUTABLE", 48 },
	{ "path", "PACKAGE", 0 },
	{ "module_version", NULL, 0 },
	{ "library", NULL, 0 },
};

/* Where some program is in a container that has one, text shows it, too. */
static const struct column names[] = {
	{ "container_name", "NAME", 20 },
	{ "pod", "POD", 32 },
};

static void put_optional(struct row *r, const struct column *c, const char *s)
{
	if (s && *s)
		row_str(r, c, s);
	else
		row_none(r, c);
}

/* What is known of all containers. */
struct listing {
	struct containers c;
	bool named;	/* a program is in one with a name */
	bool in_pod;	/* in a pod */
	bool unnamed;	/* in one whose name is not known */
};

static void put_container(const struct listing *l, const struct program *p, struct row *r)
{
	const struct containers_one *c = containers_of(&l->c, p->pid);
	char id[CONTAINERS_SHORT + 1] = "", pod[2 * CONTAINERS_NAME] = "";

	if (c)
		snprintf(id, sizeof(id), "%.*s", CONTAINERS_SHORT, c->id);
	if (c)
		containers_pod(c, pod);
	put_optional(r, &columns[3], id);
	if (l->named)
		put_optional(r, &names[0], c ? c->name : NULL);
	if (l->in_pod)
		put_optional(r, &names[1], pod);
}

static void put(const struct listing *l, const struct program *p, struct row *r)
{
	row_begin(r, "process");
	row_u64(r, &columns[0], (uint64_t)p->pid);
	put_optional(r, &columns[1], p->go);
	row_flag(r, &columns[2], p->typed, "typed", "registers");
	put_container(l, p, r);
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

static void examine(struct listing *l, const struct programs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct containers_one *c = containers_of(&l->c, p->v[i].pid);

		l->named |= c && c->name[0];
		l->in_pod |= c && c->pod[0];
		l->unnamed |= c && !c->name[0];
	}
}

static void say_next(const struct options *o, pid_t pid)
{
	struct options of = *o;

	of.wish = (struct containers_wish){ 0 };
	of.pids = (struct target_pids){ .v = &pid, .n = 1 };
	next_say(&(struct next){ .command = "top", .why = "what is busy in it" }, &of);
}

static int run(struct options *o, struct diag *d)
{
	struct listing l = { .named = false };
	struct programs p = { 0 };
	struct buf b = { 0 };
	struct row r = { .b = &b, .mode = ROW_HEADS };
	int err = 0;

	if (programs_find(&p, option_wishes(o) ? &o->choice.pids : NULL) ||
	    containers_find(&host_here, &l.c))
		err = diag_set(d, "out of memory");
	examine(&l, &p);
	if (!err && o->format != OPTION_JSON)
		put(&l, &(struct program){ .executable = "" }, &r);
	r.mode = row_mode(o->format == OPTION_JSON);
	for (size_t i = 0; !err && i < p.n; i++)
		put(&l, &p.v[i], &r);
	if (!err)
		err = writing_print(&b, d);
	if (!err && p.denied == 1)
		fprintf(stderr, "goprobectl: permission denied reading process %d%s\n",
			p.denied_pid, geteuid() ? ": run goprobectl as root" : "");
	else if (!err && p.denied)
		fprintf(stderr, "goprobectl: permission denied reading %zu processes, such as %d%s\n",
			p.denied, p.denied_pid, geteuid() ? ": run goprobectl as root" : "");
	if (!err && l.unnamed && l.c.unread.message)
		fprintf(stderr, "goprobectl: containers without a name: %s\n",
			l.c.unread.message);
	if (!err && p.n)
		say_next(o, p.v[0].pid);
	containers_fini(&l.c);
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
