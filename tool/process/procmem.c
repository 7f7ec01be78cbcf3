// SPDX-License-Identifier: GPL-2.0
/* The memory of a running process, read and written from outside while it runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hmap.h"
#include "base/safe_open.h"
#include "process/procmem.h"

/* A process that has more files of code than that has them for no good reason. */
#define FILES_MAX 4096U

/* A line of /proc/PID/maps. */
struct mapping {
	uint64_t start;		/* first address */
	uint64_t end;		/* after the last one */
	uint64_t offset;	/* in the file */
	uint64_t inode;		/* of the file */
	bool exec;		/* it may be executed */
};

static bool parse_mapping(const char *line, struct mapping *m)
{
	char perms[5];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %" SCNu64, &m->start,
		   &m->end, perms, &m->offset, &m->inode) != 5)
		return false;
	m->exec = perms[2] == 'x';
	return true;
}

/*
 * Only the inode identifies the file: on overlayfs and btrfs, the device of a mapping
 * differs from that of stat().
 */
bool procmem_find(FILE *maps, struct gobin *bin, uint64_t *bias)
{
	bool found = false;
	char *line = NULL;
	size_t cap = 0;
	struct stat st;

	if (fstat(gobin_fd(bin), &st))
		return false;
	/* Whole lines: a path can be long, and part of one can look like a mapping. */
	while (!found && getline(&line, &cap, maps) > 0) {
		struct mapping m;
		uint64_t vaddr;

		if (!parse_mapping(line, &m) || !m.exec || m.inode != st.st_ino)
			continue;
		vaddr = gobin_code_vaddr(bin, m.offset);
		if (!vaddr)
			continue;
		*bias = m.start - vaddr;
		found = true;
	}
	free(line);
	return found;
}

static FILE *open_maps(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return fopen(path, "re");
}

void procmem_each_file(pid_t pid, procmem_file_fn fn, void *ctx)
{
	FILE *maps = open_maps(pid);
	struct hmap seen = { 0 };
	char *line = NULL, *name;
	size_t size = 0;

	while (maps && seen.n < FILES_MAX && getline(&line, &size, maps) > 0) {
		struct mapping m;
		char file[96];
		uint64_t key;
		int fd;

		name = strchr(line, '/');
		if (!parse_mapping(line, &m) || !m.exec || !m.inode || !name)
			continue;
		name[strcspn(name, "\n")] = 0;
		key = hmap_hash(m.inode, name, strlen(name));
		if (hmap_get(&seen, key) || hmap_put(&seen, key, &seen))
			continue;
		/* What is mapped, not what has that name here or by now. */
		snprintf(file, sizeof(file), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
			 m.start, m.end);
		fd = safe_open(file);
		if (fd < 0)
			continue;
		fn(ctx, fd, name);
		close(fd);
	}
	free(line);
	hmap_fini(&seen);
	if (maps)
		fclose(maps);
}

int procmem_has_code(void *bin, pid_t pid)
{
	FILE *f = open_maps(pid);
	uint64_t bias;
	bool found;

	if (!f)
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	found = procmem_find(f, bin, &bias);
	fclose(f);
	return found;
}

int procmem_init(struct procmem *m, pid_t pid, struct gobin *bin, struct diag *d)
{
	bool found;
	char byte;
	FILE *f;

	*m = (struct procmem){ .pid = pid };
	f = open_maps(pid);
	if (!f)
		return diag_errno(d, errno, "can't look at the memory of process %d", pid);
	found = procmem_find(f, bin, &m->bias);
	fclose(f);
	if (!found)
		return diag_set(d, "process %d has no code of %s in its memory", pid,
				gobin_path(bin));
	if (procmem_read(m, gobin_next(bin, NULL)->entry + m->bias, &byte, 1))
		return 0;
	diag_errno(d, errno, "can't read the memory of process %d", pid);
	if (errno == EPERM)
		diag_hint(d, "run goprobectl as root");
	return -1;
}

bool procmem_read(const struct procmem *m, uint64_t at, void *to, size_t len)
{
	struct iovec local = { .iov_base = to, .iov_len = len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)at, .iov_len = len };

	return !len || process_vm_readv(m->pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}

int procmem_hold(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* As of the end of a file, if nobody uses the memory any more; else nothing is there: EIO. */
bool procmem_exited(int held)
{
	char byte;

	return pread(held, &byte, 1, 0) == 0;
}

bool procmem_same_clock(const struct procmem *m)
{
	char path[64], theirs[64], ours[64];
	ssize_t n, own = readlink("/proc/self/ns/time", ours, sizeof(ours));

	snprintf(path, sizeof(path), "/proc/%d/ns/time", m->pid);
	n = readlink(path, theirs, sizeof(theirs));
	/* Kernels before 5.6 have one clock for all. */
	return n == own && (n < 0 || !memcmp(ours, theirs, n));
}

/* As the process: the kernel forces nothing here, other than through /proc/PID/mem. */
bool procmem_write(const struct procmem *m, uint64_t at, const void *from, size_t len)
{
	struct iovec local = { .iov_base = (void *)(uintptr_t)from, .iov_len = len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)at, .iov_len = len };

	return process_vm_writev(m->pid, &local, 1, &remote, 1, 0) == (ssize_t)len;
}
