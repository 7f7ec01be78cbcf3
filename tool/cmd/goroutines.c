// SPDX-License-Identifier: GPL-2.0
/* goprobectl goroutines: the goroutines of a running process, read from its memory. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/writing.h"
#include "cmd/cmd.h"
#include "lang/spec.h"
#include "plan/loose_name.h"
#include "plan/no_match.h"
#include "process/procmem.h"

static const char about[] =
"Usage: goprobectl goroutines [OPTION...] -p PID\n"
"\n"
"Print the goroutines of a running process: what each does or waits for, for how long, who\n"
"started it, its pprof labels and its stack. Nothing is stopped, no breakpoint is set, and\n"
"the module is not needed: goprobectl reads the process's memory while it runs.\n"
"\n"
"All values of a row are of one moment. A row is 'torn' if the goroutine ran meanwhile, or\n"
"may have run: do not trust its state, stack and labels. A running goroutine has no stack\n"
"here. The garbage collector measures how long goroutines wait, so\n"
"the time is a lower bound; '-': the collector has not seen the goroutine wait.\n";

static const char examples[] =
"Examples:\n"
"  What do most goroutines do?\n"
"      goprobectl goroutines -p 4121 --group stack --top 5\n"
"  Which goroutines leak? More than half a minute ago, by creator and stack, each time:\n"
"      goprobectl goroutines -p 4121 -i 30s\n"
"  Who has waited for a channel for more than a minute?\n"
"      goprobectl goroutines -p 4121 --state 'chan*' --longer-than 1m --sort wait\n";

/* So much is written at once. */
#define CHUNK (1U << 20)

/* A run of the command. */
struct looking {
	const struct options *o;	/* what the user asked for */
	struct target target;		/* the process, and its binaries */
	int held;			/* see procmem_hold() */
	struct buf out;			/* the output */
};

/* A Go runtime of the process: it has one, or each of its Go libraries has. */
struct runtime {
	struct looking *l;		/* the run */
	struct gobin *bin;		/* its binary */
	bool has_with;			/* there is a pattern of functions, @with */
	struct spec with;		/* it */
	struct goroutine_snapshot_reader reader;	/* of its goroutines */
	struct symbols symbols;		/* of its binary */
	struct goroutine_list list;		/* what is printed */
};

static int open_process(struct looking *l, struct diag *d)
{
	const struct options *o = l->o;
	size_t older;

	if (!o->file)
		return target_add_pids(&l->target, &o->pids, d);
	return target_set_file(&l->target, o->file, &older, d) ||
	       target_limit_pids(&l->target, &o->pids, d) ? -1 : 0;
}

/* Without debug information no row is certain, but for goroutines that run. */
static void find_turns(struct runtime *rt)
{
	struct diag why = { 0 };

	if (!goroutine_reader_find_turns(&rt->reader.r, &why))
		return;
	if (!rt->l->o->quiet) {
		fputs("no row is certain: ", stderr);
		diag_print_message(&why, stderr);
		fputc('\n', stderr);
	}
	diag_fini(&why);
}

static int read_all(struct runtime *rt, struct diag *d)
{
	struct goroutine_snapshot *s = malloc(sizeof(*s));
	uint64_t *g = NULL;
	size_t n;
	int err = s ? goroutine_all(&rt->reader.r, &g, &n, d) : diag_set(d, "out of memory");

	for (size_t i = 0; !err && i < n; i++)
		if (goroutine_snapshot_read(&rt->reader, g[i], s) &&
		    goroutine_list_add(&rt->list, s))
			err = diag_set(d, "out of memory");
	free(s);
	free(g);
	return err;
}

static int print(struct runtime *rt, struct diag *d)
{
	struct buf *b = &rt->l->out;
	size_t at = 0;
	bool more;

	do {
		more = goroutine_list_print(&rt->list, &at, CHUNK, b);
		if (writing_print(b, d))
			return -1;
	} while (more);
	return 0;
}

static void summarize(const struct goroutine_list *l)
{
	if (l->opt.binary)
		fprintf(stderr, "%s: ", l->opt.binary);
	fprintf(stderr, "%llu goroutine%s, %llu chosen, %llu torn", (unsigned long long)l->seen,
		l->seen == 1 ? "" : "s", (unsigned long long)l->chosen,
		(unsigned long long)l->torn);
	if (l->undecided)
		fprintf(stderr, "; left out %llu that wait, since the garbage collector has not seen for how long",
			(unsigned long long)l->undecided);
	fputc('\n', stderr);
}

/* The functions of --with, which may be named as people write them. 0, or -1 with @d set. */
static int open_with(struct runtime *rt, struct diag *d)
{
	const char *pattern = rt->l->o->with;

	if (!pattern)
		return 0;
	if (spec_parse_pattern(pattern, &rt->with, d))
		return -1;
	rt->has_with = true;
	return loosename_resolve(&(struct name_set){ .bins = &rt->bin, .nbins = 1 }, &rt->with,
				 d);
}

/* No goroutine is chosen: fail if the program has no such function at all. */
static int check_with(struct runtime *rt, struct diag *d)
{
	/* Of several runtimes one may have it. */
	if (!rt->has_with || rt->list.chosen || rt->l->target.nbins > 1)
		return 0;
	gobin_load_inlined(rt->bin);
	for (const struct gofunc *f = NULL; (f = gobin_next(rt->bin, f));)
		if (spec_match(&rt->with, f->name))
			return 0;
	return nomatch(&(struct name_set){ .bins = &rt->bin, .nbins = 1 }, &rt->with, d);
}

static bool has_ended(struct looking *l)
{
	return l->held >= 0 ? procmem_exited(l->held) : target_ended(&l->target);
}

/* All goroutines, at about one time. */
static int look_once(struct runtime *rt, struct diag *d)
{
	struct looking *l = rt->l;

	if (procmem_same_clock(&rt->reader.r.m))
		rt->list.opt.now = clock_now(CLOCK_MONOTONIC);
	if (read_all(rt, d))
		return -1;
	if (has_ended(l))
		return diag_set(d, "process %d has ended", l->target.processes[0].pid);
	return goroutine_list_sort(&rt->list) ? diag_set(d, "out of memory") : 0;
}

static void say_growth(const struct goroutine_list *l, uint64_t ns)
{
	fprintf(stderr, "%llu goroutines in %.0f s: ", (unsigned long long)l->chosen,
		(double)ns / CLOCK_SECOND);
	if (l->grown)
		fprintf(stderr, "%llu more in %zu group%s\n",
			(unsigned long long)stacks_sum(&l->stacks, 0), l->grown,
			l->grown == 1 ? "" : "s");
	else
		fputs("no group has grown\n", stderr);
}

/* Until the process ends: how much the groups have grown since the first look. */
static int look_again(struct runtime *rt, struct diag *d)
{
	const struct options *o = rt->l->o;
	struct pollfd ends = { .fd = rt->l->target.processes[0].pidfd, .events = POLLIN };
	uint64_t began = clock_now(CLOCK_MONOTONIC);

	if (!o->quiet)
		fprintf(stderr, "%llu goroutines; Ctrl-C ends\n",
			(unsigned long long)rt->list.chosen);
	for (;;) {
		if (poll(&ends, 1, (int)(o->interval / CLOCK_MS)) > 0 || has_ended(rt->l)) {
			if (!o->quiet)
				fprintf(stderr, "process %d has ended\n",
					rt->l->target.processes[0].pid);
			return 0;
		}
		goroutine_list_again(&rt->list);
		if (look_once(rt, d) || print(rt, d))
			return -1;
		if (!o->quiet)
			say_growth(&rt->list, clock_now(CLOCK_MONOTONIC) - began);
	}
}

static int look_at(struct runtime *rt, struct diag *d)
{
	struct looking *l = rt->l;
	const struct options *o = l->o;
	struct goroutine_list_opt opt = {
		.group = o->group, .sort = o->sort, .top = o->top,
		.json = o->format == OPTION_JSON, .state = o->state,
		.longer_than = o->longer_than, .secrets = &o->plan.secrets,
		.binary = l->target.nbins > 1 ? gobin_path(rt->bin) : NULL,
		.growth = o->interval,
	};
	pid_t pid = l->target.processes[0].pid;

	if (open_with(rt, d))
		return -1;
	opt.with = rt->has_with ? &rt->with : NULL;
	if (goroutine_snapshot_init(&rt->reader, pid, rt->bin, !o->group, d))
		return -1;
	find_turns(rt);
	symbols_init(&rt->symbols, rt->bin, NULL);
	goroutine_list_init(&rt->list, &opt, &rt->symbols);
	if (look_once(rt, d))
		return -1;
	if (o->interval)
		return check_with(rt, d) ? -1 : look_again(rt, d);
	if (print(rt, d))
		return -1;
	if (!o->quiet)
		summarize(&rt->list);
	return check_with(rt, d);
}

static int look_at_binary(struct looking *l, struct gobin *bin, struct diag *d)
{
	struct runtime *rt = calloc(1, sizeof(*rt));
	int err;

	if (!rt)
		return diag_set(d, "out of memory");
	rt->l = l;
	rt->bin = bin;
	err = look_at(rt, d);
	goroutine_list_fini(&rt->list);
	symbols_fini(&rt->symbols);
	if (rt->has_with)
		spec_fini(&rt->with);
	free(rt);
	return err;
}

static int look(struct looking *l, struct diag *d)
{
	int err = 0;

	if (open_process(l, d))
		return -1;
	if (l->o->interval && l->target.nbins > 1) {
		diag_set(d, "process %d has %zu Go runtimes, and --interval compares those of one",
			 l->target.processes[0].pid, l->target.nbins);
		diag_hint(d, "-b FILE chooses one");
		return -1;
	}
	l->held = procmem_hold(l->target.processes[0].pid);
	/* One that can't be read does not hide the others. */
	for (size_t i = 0; i < l->target.nbins; i++) {
		struct diag why = { 0 };

		if (!look_at_binary(l, l->target.bins[i], &why))
			continue;
		if (err)
			diag_print(d, "goprobectl", stderr);
		diag_fini(d);
		*d = why;
		err = -1;
	}
	return err;
}

static int run(struct options *o, struct diag *d)
{
	struct looking l = { .o = o, .held = -1 };
	int code;

	/* What leaks has a creator and a place where it waits. */
	if (o->interval && o->group == GOROUTINE_LIST_ALONE)
		o->group = GOROUTINE_LIST_BY_STACK;
	code = look(&l, d) ? CMD_FAILED : CMD_DONE;

	target_fini(&l.target);
	buf_fini(&l.out);
	if (l.held >= 0)
		close(l.held);
	return code;
}

const struct cmd cmd_goroutines = {
	.name = "goroutines",
	.summary = "all goroutines of a process: states, stacks, labels, creators",
	.command = COMMAND_GOROUTINES,
	.needs = CMD_NEEDS_PROCESS,
	.about = about,
	.examples = examples,
	.operands = CMD_NO_OPERANDS,
	.run = run,
};
