/* SPDX-License-Identifier: GPL-2.0 */
/* The Go programs that the unit tests read: see targets/build. */
#ifndef GOPROBE_TEST_BINS_H
#define GOPROBE_TEST_BINS_H

#include <stddef.h>
#include <sys/types.h>

#include "gobin/gobin.h"

#define BINS_MAX 32

struct bins_entry {
	char path[512];
	int minor;		/* of the toolchain: 27 */
};

/* Those whose name is "shapes-1.N" and @suffix; fails the test without any. */
size_t bins_list(const char *suffix, struct bins_entry *v);
/* As above, for another @program. */
size_t bins_list_of(const char *program, const char *suffix,
		    struct bins_entry *v);

/**
 * struct bins_each - the programs of some forms, of all toolchains, in turn
 * @path: of this one
 * @minor: of its toolchain
 * @form: the suffix of its name
 * @bin: it, open; NULL with bins_next_path()
 * @program: the name before the version
 * @forms: those that are to come, the last one is NULL
 * @v: the programs of this form
 * @n: their number
 * @i: the next of them
 * @twin: what bins_twin() has found
 */
struct bins_each {
	const char *path;
	int minor;
	const char *form;
	struct gobin *bin;
	const char *program;
	const char *const *forms;
	struct bins_entry v[BINS_MAX];
	size_t n;
	size_t i;
	struct bins_entry twin;
};

/* Before the first one; its forms follow the name. */
#define BINS(program_, ...) \
	{ .program = (program_), .forms = (const char *const[]){ __VA_ARGS__, NULL } }

/* Close the one before, open the next; false behind the last. */
bool bins_next(struct bins_each *e);
/* The same without opening it. */
bool bins_next_path(struct bins_each *e);
/* The same program of the same toolchain in another form; there are as many of both. */
const char *bins_twin(struct bins_each *e, const char *form);

/* Open, or fail the test. */
struct gobin *bins_open(const char *path);
/* The program "shapes" of the newest toolchain. */
struct gobin *bins_newest(const char *form);
/* The function called @name that is no wrapper; NULL: not found. */
const struct gofunc *bins_func(struct gobin *bin, const char *name);
/* How many functions have whole signatures, of those @compiled; assembly has none. */
size_t bins_complete(struct gobin *bin, size_t *compiled);
/* For gobin_each_rtype() and gobin_itabs(): one more in the size_t at @ctx. */
int bins_count_type(void *ctx, uint64_t vaddr, const char *name);

/* An unnamed copy of the file, or of its first @len bytes; fails the test. */
int bins_copy(const char *path);
int bins_copy_start(const char *path, off_t len);
/* Replace each @from in the file, of @len bytes, by @to. */
void bins_replace(int fd, const char *from, const char *to, size_t len);

#endif
