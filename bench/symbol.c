// SPDX-License-Identifier: GPL-2.0
/*
 * symbol - how long it takes to name addresses
 *
 *	symbol BINARY NUMBER
 *
 * Looks up NUMBER addresses, evenly spread over the program's functions, each for the first
 * time, then all of them again. Prints processor time in seconds for opening the binary, for
 * both passes, and how many frames came of it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gobin/symbols.h"

static double cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Frames of @n places. */
static size_t look_up(struct symbols *s, const struct gofunc *f, size_t nfuncs, size_t n)
{
	size_t frames = 0;

	for (size_t i = 0; i < n; i++) {
		const struct gofunc *fn = &f[(uint64_t)i * nfuncs / n];
		const struct symbol *p;

		p = symbols_at(s, fn->entry + i * 7919 % (fn->end - fn->entry), SYMBOL_RETURN);
		frames += p ? p->n : 0;
	}
	return frames;
}

int main(int argc, char **argv)
{
	struct diag d = { 0 };
	double opened, first;
	struct symbols s;
	struct gobin *bin;
	const struct gofunc *f;
	size_t nfuncs, n, frames;
	int fd;

	if (argc != 3) {
		fputs("usage: symbol BINARY NUMBER\n", stderr);
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	if (gobin_open(fd, argv[1], &bin, &d)) {
		fprintf(stderr, "symbol: %s\n", d.message);
		return 1;
	}
	n = strtoul(argv[2], NULL, 10);
	f = gobin_funcs(bin, &nfuncs);
	symbols_init(&s, bin, argv[1]);
	opened = cpu();
	frames = look_up(&s, f, nfuncs, n);
	first = cpu();
	look_up(&s, f, nfuncs, n);
	printf("%.4f %.4f %.4f %zu\n", opened, first - opened, cpu() - first, frames);
	return 0;
}
