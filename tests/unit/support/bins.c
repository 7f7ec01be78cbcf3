// SPDX-License-Identifier: GPL-2.0
/* The Go programs that the unit tests read. */
#define _GNU_SOURCE	/* memmem() */
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
#include <sys/stat.h>
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

bool bins_next_path(struct bins_each *e)
{
	if (e->i == e->n) {
		if (!*e->forms)
			return false;
		e->form = *e->forms++;
		e->n = bins_list_of(e->program, e->form, e->v);
		e->i = 0;
	}
	e->path = e->v[e->i].path;
	e->minor = e->v[e->i++].minor;
	return true;
}

bool bins_next(struct bins_each *e)
{
	gobin_free(e->bin);
	e->bin = NULL;
	if (!bins_next_path(e))
		return false;
	e->bin = bins_open(e->path);
	return true;
}

const char *bins_twin(struct bins_each *e, const char *form)
{
	struct bins_entry v[BINS_MAX];

	assert_int_equal(bins_list_of(e->program, form, v), e->n);
	e->twin = v[e->i - 1];
	assert_int_equal(e->twin.minor, e->minor);
	return e->twin.path;
}

struct gobin *bins_open(const char *path)
{
	struct diag d = { .message = NULL };
	struct gobin *bin = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		fail_msg("%s can't be opened", path);
	if (gobin_open(fd, path, &bin, &d))
		fail_msg("%s", d.message);
	close(fd);
	return bin;
}

struct gobin *bins_newest(const char *form)
{
	struct bins_entry v[BINS_MAX];
	size_t n = bins_list(form, v);

	return bins_open(v[n - 1].path);
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

size_t bins_complete(struct gobin *bin, size_t *compiled)
{
	size_t n, complete = 0;
	const struct gofunc *f = gobin_funcs(bin, &n);

	*compiled = 0;
	for (size_t i = 0; i < n; i++) {
		if (f[i].flags & GOFUNC_ASM)
			continue;
		++*compiled;
		complete += !gobin_sig(bin, &f[i])->incomplete;
	}
	return complete;
}

int bins_count_type(void *ctx, uint64_t vaddr, const char *name)
{
	(void)vaddr;
	(void)name;
	++*(size_t *)ctx;
	return 0;
}

int bins_copy_start(const char *path, off_t len)
{
	char name[] = "/tmp/goprobe-test-XXXXXX", buf[65536];
	int from = open(path, O_RDONLY | O_CLOEXEC), to = mkstemp(name);
	ssize_t n;

	assert_true(from >= 0 && to >= 0);
	unlink(name);
	for (; len > 0; len -= n) {
		n = read(from, buf, len < (off_t)sizeof(buf) ? (size_t)len : sizeof(buf));
		if (n <= 0)
			break;
		assert_int_equal(write(to, buf, (size_t)n), n);
	}
	close(from);
	return to;
}

int bins_copy(const char *path)
{
	struct stat st;
	int fd;

	assert_int_equal(stat(path, &st), 0);
	fd = bins_copy_start(path, st.st_size);
	assert_int_equal(lseek(fd, 0, SEEK_END), st.st_size);
	return fd;
}

void bins_replace(int fd, const char *from, const char *to, size_t len)
{
	static uint8_t p[1 << 20];
	ssize_t n;

	for (off_t at = 0; (n = pread(fd, p, sizeof(p), at)) >= (ssize_t)len;
	     at += n - (ssize_t)len + 1) {
		const uint8_t *hit = p;

		while ((hit = memmem(hit, n - (hit - p), from, len))) {
			assert_int_equal(pwrite(fd, to, len, at + (hit - p)), len);
			hit++;
		}
	}
}
