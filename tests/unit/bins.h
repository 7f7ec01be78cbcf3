/* SPDX-License-Identifier: GPL-2.0 */
/* The Go programs that the unit tests read: see targets/build. */
#ifndef GOPROBE_TEST_BINS_H
#define GOPROBE_TEST_BINS_H

#include <stddef.h>

#include "gobin.h"

#define BINS_MAX 32

struct bins_entry {
	char path[512];
	int minor;		/* of the toolchain: 27 */
};

/* Those whose name is "shapes-1.N" and @suffix; fails the test without any. */
size_t bins_list(const char *suffix, struct bins_entry *v);
/* Likewise of another @program. */
size_t bins_list_of(const char *program, const char *suffix,
		    struct bins_entry *v);

/* Open, or fail the test. */
struct gobin *bins_open(const char *path);
/* The function called @name that is no wrapper; NULL if there is none. */
const struct gofunc *bins_func(struct gobin *bin, const char *name);

#endif
