// SPDX-License-Identifier: GPL-2.0
/* Separate debug information: programs stripped by objcopy, and the files that belong to them. */
#include <stdint.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bins.h"
#include "gobin/variable.h"
#include "rows.h"

#define DIR_PATTERN "/tmp/goprobe-debug.XXXXXX"

static char dir[sizeof(DIR_PATTERN)] = DIR_PATTERN;

static void run(const char *fmt, const char *a, const char *b)
{
	char command[2048];

	snprintf(command, sizeof(command), fmt, dir, a, b);
	if (system(command))
		fail_msg("%s", command);
}

/* In @dir: "full" is the program at @path, "debug" its debug information, "prog" what is left. */
static void split(const char *path)
{
	run("cd %s && rm -rf * .debug && cp %s full%s", path, "");
	run("cd %s && objcopy --only-keep-debug full debug%s%s", "", "");
	run("cd %s && objcopy --strip-all --add-gnu-debuglink=debug full prog%s%s", "", "");
}

static struct gobin *open_prog(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return bins_open(path);
}

/* The program's own package has these signatures. */
static void same_signatures(struct gobin *full, struct gobin *prog)
{
	size_t n, m, seen = 0;
	const struct gofunc *f = gobin_funcs(full, &n), *g = gobin_funcs(prog, &m);

	assert_int_equal(n, m);
	for (size_t i = 0; i < n; i++) {
		char *a, *b;

		if (strncmp(f[i].name, "main.", 5) != 0)
			continue;
		a = gobin_sig_text(full, &f[i]);
		b = gobin_sig_text(prog, &g[i]);
		assert_true(a && b);
		assert_string_equal(a, b);
		free(a);
		free(b);
		seen++;
	}
	assert_true(seen > 5);
}

static const struct row {
	const char *claim, *command;
	const char *found;	/* in the folder; NULL: nothing is found */
} rows[] = {
	{ "beside the program", ":", "/debug" },
	{ "in .debug beside it", "mkdir .debug && mv debug .debug", "/.debug/debug" },
	{ "a file of that name with other bytes is not taken",
	  "objcopy --remove-section .note.gnu.build-id debug && printf x >>debug", NULL },
	{ "nor a truncated one", "truncate -s 1000 debug", NULL },
	{ "nor one of terabytes, which would have to be read whole",
	  "objcopy --remove-section .note.gnu.build-id debug && truncate -s 4T debug", NULL },
	{ "nor a folder", "rm debug && mkdir debug", NULL },
	{ "nor a pipe, for whose writer nobody waits", "rm debug && mkfifo debug", NULL },
	{ "nor a name that leads elsewhere",
	  "printf '../debug\\0\\0\\0\\0abcd' >link && objcopy --update-section .gnu_debuglink=link prog",
	  NULL },
	{ "nor where the section is cut off",
	  "printf 'de' >link && objcopy --update-section .gnu_debuglink=link prog", NULL },
};

ROWS(test_row, rows)
{
	const struct row *row = *state;
	static const char *const forms[] = { "", "-pie" };

	for (size_t f = 0; f < 2; f++) {
		struct bins_each b = BINS("kinds", forms[f]);

		while (bins_next_path(&b)) {
			struct gobin *prog, *full;
			const char *found;

			split(b.path);
			run("cd %s && { %s; }%s", row->command, "");
			prog = open_prog("prog");
			full = open_prog("full");
			found = gobin_debug_path(prog);
			assert_null(gobin_debug_path(full));
			if (row->found) {
				assert_non_null(found);
				assert_string_equal(found + strlen(dir), row->found);
				same_signatures(full, prog);
			} else {
				assert_null(found);
				assert_false(gobin_has_types(prog));
			}
			gobin_free(prog);
			gobin_free(full);
		}
	}
}

/* Symbols come from the same file. */
TEST(test_symbols, "symbols come from it, too")
{
	struct bins_each b = BINS("kinds", "");

	while (bins_next_path(&b)) {
		uint64_t a = 0, want = 1;
		struct gobin *prog, *full;

		split(b.path);
		prog = open_prog("prog");
		full = open_prog("full");
		assert_int_equal(gobin_variable_address(prog, "runtime.allgs", &a), 0);
		assert_int_equal(gobin_variable_address(full, "runtime.allgs", &want), 0);
		assert_int_equal(a, want);
		gobin_free(prog);
		gobin_free(full);
	}
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	run("rm -rf %s%s%s", "", "");
	return 0;
}

AROUND_ALL(make_dir, remove_dir)
