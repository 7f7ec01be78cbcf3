// SPDX-License-Identifier: GPL-2.0
/* A tree of files that stands for a machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "rows.h"
#include "tree.h"

char tree_root[PATH_MAX];

static void make_dirs(char *path)
{
	for (char *slash = strchr(path + strlen(tree_root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
}

void tree_make(const struct tree_file *files)
{
	snprintf(tree_root, sizeof(tree_root), "/tmp/tree.XXXXXX");
	assert_non_null(mkdtemp(tree_root));
	for (; files->path; files++) {
		char path[PATH_MAX * 2];
		FILE *f;

		snprintf(path, sizeof(path), "%s%s", tree_root, files->path);
		make_dirs(path);
		f = fopen(path, "we");
		assert_non_null(f);
		fputs(files->text, f);
		fclose(f);
	}
}

void tree_remove(void)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf '%s'", tree_root);
	assert_int_equal(system(command), 0);
}
