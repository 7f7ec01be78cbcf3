// SPDX-License-Identifier: GPL-2.0
/*
 * The memory that breakpoints take of programs whose control groups limit it.
 *
 * For its first breakpoint in a page of code the kernel makes a copy of the page, which belongs to
 * the program (uprobe_write_opcode() of Linux 6.1 to 7.3). It charges the copy to the program's
 * control group, and if that has no memory left, it kills a process of the group. A module can't
 * have the charge fail instead. So this looks first.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "process/control_group.h"
#include "process/procmem.h"
#include "process/programs.h"
#include "trace/breakpoint_memory.h"

#define PAGE 4096U

/* The part of what a group has left that breakpoints may take: the program needs memory, too. */
#define PART 2U

/* What is needed of a control group. */
struct group {
	struct control_group_memory memory;
	uint64_t need;	/* bytes */
	pid_t pid;	/* a process of it */
};

struct groups {
	const struct session *t;
	const struct host *h;
	const long *pages;	/* by file */
	struct group *v;
	size_t n;
	size_t cap;
	bool failed;	/* out of memory */
};

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

long breakpoint_memory_pages(const struct plan_points *file)
{
	uint64_t *v = calloc(file->n + 1, sizeof(*v));
	long n = 0;

	if (!v)
		return -1;
	for (size_t i = 0; i < file->n; i++)
		v[i] = file->v[i].offset / PAGE;
	qsort(v, file->n, sizeof(*v), by_number);
	for (size_t i = 0; i < file->n; i++)
		n += !i || v[i] != v[i - 1];
	free(v);
	return n;
}

/* Bytes that the process needs. A command has no code of the file before it is let go. */
static uint64_t need(const struct groups *g, pid_t pid)
{
	const struct session *t = g->t;
	uint64_t pages = 0;

	for (size_t i = 0; i < t->plan->nfiles; i++)
		if (t->target.command || procmem_has_code(t->plan->files[i].bin, pid) > 0)
			pages += g->pages[i];
	return pages * PAGE;
}

static int add_process(void *ctx, pid_t pid)
{
	struct groups *g = ctx;
	struct group one = { .pid = pid, .need = need(g, pid) };

	/* Of all processes of a machine few have the file. */
	if (!one.need || !control_group_memory(g->h, pid, &one.memory))
		return 0;
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->v[i].memory.group, one.memory.group)) {
			g->v[i].need += one.need;
			return 0;
		}
	g->failed = grow(&g->v, g->n + 1, &g->cap, sizeof(*g->v));
	if (!g->failed)
		g->v[g->n++] = one;
	return g->failed;
}

static void add_processes(struct groups *g)
{
	const struct target *target = &g->t->target;

	if (!target->nprocesses && !target->follows)
		process_each(add_process, g);
	for (size_t i = 0; i < target->nprocesses && !g->failed; i++)
		add_process(g, target->processes[i].pid);
}

static double mebibytes(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static int refuse(const struct group *one, struct diag *d)
{
	diag_set(d, "process %d could be killed: breakpoints take %.1f MiB of its memory, and the limit of control group %s leaves %.1f MiB",
		 one->pid, mebibytes(one->need), one->memory.group, mebibytes(one->memory.left));
	diag_hint(d, "trace fewer functions, or let the group have more memory");
	return -1;
}

int breakpoint_memory_check(const struct session *t, const struct host *h, struct diag *d)
{
	long *pages = calloc(t->plan->nfiles + 1, sizeof(*pages));
	struct groups g = { .t = t, .h = h, .pages = pages, .failed = !pages };
	int err = 0;

	for (size_t i = 0; i < t->plan->nfiles && !g.failed; i++) {
		pages[i] = breakpoint_memory_pages(&t->plan->files[i]);
		g.failed = pages[i] < 0;
	}
	if (!g.failed)
		add_processes(&g);
	for (size_t i = 0; i < g.n && !err; i++)
		if (g.v[i].need > g.v[i].memory.left / PART)
			err = refuse(&g.v[i], d);
	free(pages);
	free(g.v);
	return g.failed ? diag_set(d, "out of memory") : err;
}
