/* SPDX-License-Identifier: GPL-2.0 */
/* The machine that is examined: its files under a prefix, and its commands. */
#ifndef GOPROBE_HOST_HOST_H
#define GOPROBE_HOST_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

/* A machine, or what a test presents as one. */
struct host {
	const char *root;	/* what stands before each path: "" on a real machine */
	/* host_run(), or what a test has in its place. */
	int (*run)(const char *const *argv, char *out, size_t size);
};

/* This machine. */
extern const struct host host_here;

/**
 * host_run - run a command of the system, without the caller's PATH, environment and input
 * @argv: the command and its arguments, up to a NULL; argv[0] has no directory
 * @out: what it writes to both outputs, cut to @size, with a NUL behind it
 * @size: at least 1
 *
 * Return: its exit status, 128 if a signal ended it, or -errno if it can't be run.
 */
int host_run(const char *const *argv, char *out, size_t size);

/* The beginning of the file at @path, up to @size - 1 bytes, and a NUL; false: unreadable. */
bool host_read(const struct host *h, const char *path, char *out, size_t size);
/* The first line of the file at @path, without white space at its end; false: unreadable. */
bool host_line(const struct host *h, const char *path, char *out, size_t size);
/* Is there something at @path? */
bool host_has(const struct host *h, const char *path);
/* What this machine is called. 0, or -1 with @d set. */
int host_name(char name[HOST_NAME_MAX + 1], struct diag *d);
/* @root and the rest, as printf() formats it; cut if it does not fit. */
void host_path(const struct host *h, char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
