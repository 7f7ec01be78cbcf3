// SPDX-License-Identifier: GPL-2.0
/* goprobectl goroutines: the goroutines of a running process, read from its memory. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/write_all.h"
#include "cmd/cmd.h"
#include "process/memory.h"

static const char about[] =
"Usage: goprobectl goroutines [OPTION...] -p PID\n"
"\n"
"Print the goroutines of a running process: what each does or waits for, for how long, who\n"
"started it, its pprof labels and its stack. Nothing is stopped, no breakpoint is set, and\n"
"the module is not needed: goprobectl reads the process's memory while it runs.\n"
"\n"
"A row is 'consistent' if all its values are of one moment. It is 'torn' if the goroutine\n"
"ran meanwhile, or may have run: do not trust its state, stack and labels. A running\n"
"goroutine has no stack here. The garbage collector measures how long goroutines wait, so\n"
"the time is a lower bound; '-': the collector has not seen the goroutine wait.\n";

static const char examples[] =
"Examples:\n"
"  What do most goroutines do?\n"
"      goprobectl goroutines -p 4121 --group stack --top 5\n"
"  Who has waited for a channel for more than a minute?\n"
"      goprobectl goroutines -p 4121 --state 'chan*' --longer-than 1m --sort wait\n";

/* So much is written at once. */
#define CHUNK (1U << 20)

/* A run of the command. */
struct looking {
	const struct options *o;	/* what the user asked for */
	struct target target;		/* the process, and its binary */
	struct gosnap_reader reader;	/* of its goroutines */
	struct symbols symbols;		/* of its binary */
	struct golist list;		/* what is printed */
	int held;			/* see procmem_hold() */
	struct buf out;			/* the output */
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
static void find_turns(struct looking *l)
{
	struct diag why = { 0 };

	if (!goreader_find_turns(&l->reader.r, &why))
		return;
	if (!l->o->quiet) {
		fputs("no row is certain: ", stderr);
		diag_print_message(&why, stderr);
		fputc('\n', stderr);
	}
	diag_fini(&why);
}

static int read_all(struct looking *l, struct diag *d)
{
	struct gosnap *s = malloc(sizeof(*s));
	uint64_t *g = NULL;
	size_t n;
	int err = s ? goroutines_list(&l->reader.r, &g, &n, d) : diag_set(d, "out of memory");

	for (size_t i = 0; !err && i < n; i++)
		if (gosnap_read(&l->reader, g[i], s) && golist_add(&l->list, s))
			err = diag_set(d, "out of memory");
	free(s);
	free(g);
	return err;
}

static int print(struct looking *l, struct diag *d)
{
	size_t at = 0;
	bool more;

	golist_sort(&l->list);
	do {
		more = golist_print(&l->list, &at, CHUNK, &l->out);
		if (writing_print(&l->out, d))
			return -1;
	} while (more);
	return 0;
}

static void summarize(const struct golist *l)
{
	fprintf(stderr, "%llu goroutine%s, %llu chosen, %llu torn", (unsigned long long)l->seen,
		l->seen == 1 ? "" : "s", (unsigned long long)l->chosen,
		(unsigned long long)l->torn);
	if (l->undecided)
		fprintf(stderr, "; left out %llu that wait, since the garbage collector has not seen for how long",
			(unsigned long long)l->undecided);
	fputc('\n', stderr);
}

static int look(struct looking *l, struct diag *d)
{
	const struct options *o = l->o;
	struct golist_opt opt = {
		.group = o->group, .sort = o->sort, .top = o->top,
		.json = o->format == OPTION_JSON, .state = o->state, .with = o->with,
		.longer_than = o->longer_than, .secrets = &o->plan.secrets,
	};
	pid_t pid;

	if (open_process(l, d))
		return -1;
	pid = l->target.processes[0].pid;
	l->held = procmem_hold(pid);
	if (gosnap_init(&l->reader, pid, l->target.bins[0], !o->group, d))
		return -1;
	find_turns(l);
	if (procmem_same_clock(&l->reader.r.m))
		opt.now = clock_now(CLOCK_MONOTONIC);
	symbols_init(&l->symbols, l->target.bins[0], NULL);
	golist_init(&l->list, &opt, &l->symbols);
	if (read_all(l, d))
		return -1;
	if (l->held >= 0 ? procmem_exited(l->held) : target_ended(&l->target))
		return diag_set(d, "process %d has ended", pid);
	if (print(l, d))
		return -1;
	if (!o->quiet)
		summarize(&l->list);
	return 0;
}

static int run(struct options *o, struct diag *d)
{
	struct looking *l = calloc(1, sizeof(*l));
	int code;

	if (!l) {
		diag_set(d, "out of memory");
		return CMD_FAILED;
	}
	l->o = o;
	l->held = -1;
	code = look(l, d) ? CMD_FAILED : CMD_DONE;
	golist_fini(&l->list);
	symbols_fini(&l->symbols);
	target_fini(&l->target);
	buf_fini(&l->out);
	if (l->held >= 0)
		close(l->held);
	free(l);
	return code;
}

const struct cmd cmd_goroutines = {
	.name = "goroutines",
	.summary = "all goroutines of a process: states, stacks, labels, creators",
	.command = COMMAND_GOROUTINES,
	.about = about,
	.examples = examples,
	.operands = CMD_NO_OPERANDS,
	.run = run,
};
