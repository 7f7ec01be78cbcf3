/* SPDX-License-Identifier: GPL-2.0 */
/* A tree of files that stands for a machine: struct host. */
#ifndef GOPROBE_TREE_H
#define GOPROBE_TREE_H

#include <limits.h>

struct tree_file {
	const char *path, *text;
};

/* The tree's own directory, while there is one. */
extern char tree_root[PATH_MAX];

/* Write @files, up to one without a path, with their directories. */
void tree_make(const struct tree_file *files);
void tree_remove(void);

#endif
