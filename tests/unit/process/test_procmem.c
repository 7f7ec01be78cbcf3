// SPDX-License-Identifier: GPL-2.0
/* Addresses of a program from /proc/PID/maps; detection of processes that have exited. */
#define _GNU_SOURCE
#include "rows.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bins.h"
#include "process/procmem.h"

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

TEST(test_find, "a program is found by whole lines, however long their paths")
{
	static char text[16384];
	FILE *f = fmemopen(text, sizeof(text), "w");
	char lie[128];
	uint64_t bias = 1;

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

/* A process that is ours until it executes another program on request. */
TEST(test_held, "held memory ends with exec, and with the process")
{
	int go[2], ended[2], before, after;
	char byte = 0;
	pid_t pid;

	assert_int_equal(pipe2(go, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ended, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(go[1]);
		if (read(go[0], &byte, 1) >= 0)
			execl("/bin/sleep", "sleep", "1000", NULL);
		_exit(127);
	}
	close(ended[1]);
	before = procmem_hold(pid);
	assert_true(before >= 0);
	assert_false(procmem_exited(before));
	close(go[1]);
	/* Closed by its exec. */
	assert_int_equal(read(ended[0], &byte, 1), 0);
	assert_true(procmem_exited(before));
	after = procmem_hold(pid);
	assert_true(after >= 0);
	assert_false(procmem_exited(after));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(procmem_exited(after));
	close(before);
	close(after);
	close(go[0]);
	close(ended[0]);
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

/**
 * struct found - files of this process's own code
 * @self: its executable
 * @selves: how often that was among them
 * @n: all
 */
struct found {
	struct stat self;
	int selves;
	int n;
};

static void note_file(void *ctx, int fd, const char *path)
{
	struct found *found = ctx;
	struct stat st;

	assert_int_equal(path[0], '/');
	assert_null(strchr(path, '\n'));
	assert_int_equal(fstat(fd, &st), 0);
	found->n++;
	found->selves += st.st_ino == found->self.st_ino && st.st_dev == found->self.st_dev;
}

/* Without CAP_SYS_ADMIN nobody may open what is mapped. */
static bool may_open(void)
{
	DIR *dir = opendir("/proc/self/map_files");
	struct dirent *e;
	int fd = -1;

	assert_non_null(dir);
	while (fd < 0 && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			fd = openat(dirfd(dir), e->d_name, O_PATH | O_CLOEXEC);
	closedir(dir);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Each once, however many mappings of code it has: this program gets a second one. */
TEST(test_files, "each file that a process has code of is found once")
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct found found = { .n = 0 };
	char *twice;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &found.self), 0);
	twice = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(twice, MAP_FAILED);
	procmem_each_file(getpid(), note_file, &found);
	munmap(twice, 4096);
	close(fd);
	if (!may_open())
		skip();
	assert_int_equal(found.selves, 1);
	/* The C library is there, too. */
	assert_true(found.n > 1);
}

AROUND_ALL(set_up, tear_down)
