// SPDX-License-Identifier: GPL-2.0
/*
 * plan - how long it takes to know a program's functions, and to plan to trace some of them
 *
 *	plan BINARY SPEC...
 *
 * The work of attach between its start and its first message to the module, without the
 * module: opens the binary, finds the functions that the specs name and that can be
 * probed, where they begin and end, their arguments and results, all types that these
 * reach, and the points.
 * Prints processor time of both steps, the peak of resident memory, and what came of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "plan/plan.h"
#include "plan/select.h"

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int fail(const struct diag *d)
{
	fprintf(stderr, "plan: %s\n", d->message ? d->message : "out of memory");
	return 1;
}

int main(int argc, char **argv)
{
	struct plan_options options = plan_defaults;
	struct arena wanted = { 0 };
	struct buf skipped = { 0 };
	struct diag d = { 0 };
	struct rusage used;
	struct spec *specs;
	struct gobin *bin;
	size_t points = 0;
	struct plan *p;
	double opened;
	int fd;

	if (argc < 3) {
		fputs("usage: plan BINARY SPEC...\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	if (gobin_open(fd, argv[1], &bin, &d))
		return fail(&d);
	opened = cpu();
	p = plan_new(&options);
	if (!p || select_specs_parse(argv + 2, argc - 2, &specs, &d) ||
	    select_functions(p, &bin, 1, specs, argc - 2, &wanted, &skipped, &d) ||
	    plan_finish(p, &d))
		return fail(&d);
	for (size_t i = 0; i < p->nfiles; i++)
		points += p->files[i].n;
	getrusage(RUSAGE_SELF, &used);
	printf("%.3f %.3f %.0f %zu %zu %zu\n", opened, cpu() - opened, used.ru_maxrss / 1024.0,
	       p->nfuncs, points, p->ntypes);
	return 0;
}
