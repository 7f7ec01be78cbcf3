// SPDX-License-Identifier: GPL-2.0
/* procmem.c: where a process has a program, by its /proc/PID/maps; whether its memory is gone. */
#define _GNU_SOURCE
#include "rows.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bins.h"
#include "procmem.h"

static struct gobin *bin;
static uint64_t inode, entry;

/* A line of the program's code, as if loaded @bias higher, its path so long. */
static void put(FILE *f, uint64_t bias, const char *path, size_t len)
{
	const struct gofunc *fn = bins_func(bin, "main.main");
	uint64_t page = fn->entry & ~0xfffULL, offset = 0;

	/* Where in the file that page is. */
	while (gobin_code_vaddr(bin, offset) != page && offset < 1 << 26)
		offset += 0x1000;
	assert_int_equal(gobin_code_vaddr(bin, offset), page);
	fprintf(f, "%" PRIx64 "-%" PRIx64 " r-xp %08" PRIx64 " 00:15 %" PRIu64 " /",
		page + bias, page + bias + 0x1000, offset, inode);
	for (size_t i = 0; i < len; i++)
		fputc('x', f);
	fprintf(f, "%s\n", path);
	entry = page;
}

static void test_find(void **state)
{
	static char text[16384];
	FILE *f = fmemopen(text, sizeof(text), "w");
	char lie[128];
	uint64_t bias = 1;

	(void)state;
	/* A directory's name may be anything, and end up at the begin of what is read. */
	snprintf(lie, sizeof(lie), "400000-500000 r-xp 00001000 00:15 %" PRIu64 " /", inode);
	for (size_t len = 400; len < 520; len++) {
		rewind(f);
		fprintf(f, "7f0000000000-7f0000001000 r--p 00000000 00:15 7 /%*s%s\n", (int)len,
			"", lie);
		put(f, 0x10000, "", len);
		fputc(0, f);
		fflush(f);

		FILE *maps = fmemopen(text, strlen(text), "r");

		assert_true(procmem_find(maps, bin, &bias));
		assert_int_equal(bias, 0x10000);
		fclose(maps);
	}
	fclose(f);

	/* Of another file, or not to be executed. */
	snprintf(text, sizeof(text), "%" PRIx64 "-%" PRIx64 " r-xp 00000000 00:15 1 /x\n",
		 entry, entry + 0x1000);
	f = fmemopen(text, strlen(text), "r");
	assert_false(procmem_find(f, bin, &bias));
	fclose(f);
}

/* A process that is ours until it is told to execute something else. */
static void test_held(void **state)
{
	int go[2], gone[2], before, after;
	char byte = 0;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(gone, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) >= 0)
			execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	close(gone[1]);
	before = procmem_hold(pid);
	assert_true(before >= 0);
	assert_false(procmem_gone(before));
	close(go[1]);
	/* Closed by its exec. */
	assert_int_equal(read(gone[0], &byte, 1), 0);
	assert_true(procmem_gone(before));
	after = procmem_hold(pid);
	assert_true(after >= 0);
	assert_false(procmem_gone(after));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(procmem_gone(after));
	close(before);
	close(after);
	close(go[0]);
	close(gone[0]);
}

static int set_up(void **state)
{
	struct bins_each e = BINS("kinds", "");
	struct stat st;

	(void)state;
	assert_true(bins_next(&e));
	bin = e.bin;
	assert_int_equal(stat(e.path, &st), 0);
	inode = st.st_ino;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	gobin_free(bin);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{ "a program is found by whole lines, however long their paths", test_find },
		{ "memory that is held is gone after exec, and with the process", test_held },
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
