// SPDX-License-Identifier: GPL-2.0
/* The Go programs that the unit tests read. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bins.h"

static int by_minor(const void *a, const void *b)
{
	const struct bins_entry *x = a, *y = b;

	return x->minor - y->minor;
}

size_t bins_list_of(const char *program, const char *suffix,
		    struct bins_entry *v)
{
	const char *dir = getenv("GOPROBE_TEST_BINS");
	struct dirent *e;
	size_t n = 0;
	DIR *d;

	if (!dir)
		fail_msg("GOPROBE_TEST_BINS is not set: run make -C tests/unit");
	d = opendir(dir);
	if (!d)
		fail_msg("%s can't be read", dir);
	while (n < BINS_MAX && (e = readdir(d))) {
		size_t len = strlen(program);
		char name[64];
		int minor;

		if (strncmp(e->d_name, program, len) ||
		    sscanf(e->d_name + len, "-1.%d", &minor) != 1)
			continue;
		snprintf(name, sizeof(name), "%s-1.%d%s", program, minor,
			 suffix);
		if (strcmp(e->d_name, name))
			continue;
		snprintf(v[n].path, sizeof(v[n].path), "%s/%s", dir, name);
		v[n++].minor = minor;
	}
	closedir(d);
	qsort(v, n, sizeof(*v), by_minor);
	if (!n)
		fail_msg("no program %s-1.N%s in %s", program, suffix, dir);
	return n;
}

size_t bins_list(const char *suffix, struct bins_entry *v)
{
	return bins_list_of("shapes", suffix, v);
}

struct gobin *bins_open(const char *path)
{
	struct diag d = { .sentence = NULL };
	struct gobin *bin = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail_msg("%s can't be opened", path);
	if (gobin_open(fd, path, &bin, &d))
		fail_msg("%s", d.sentence);
	close(fd);
	return bin;
}

const struct gofunc *bins_func(struct gobin *bin, const char *name)
{
	const struct gofunc *v, *found = NULL;
	size_t n;

	v = gobin_funcs(bin, &n);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(v[i].name, name))
			continue;
		if (!found || !(v[i].flags & GOFUNC_WRAPPER))
			found = &v[i];
	}
	return found;
}
